"""The frame loop of an editor: it submits and polls in every frame, and never waits for a worker."""

import quarry

heights = [0.0] * 40 + [100.0] + [0.0] * 40
clock = quarry.FrameClock(60)
ledger = quarry.FrameLedger(hertz=60, drop_older_than=2)

with quarry.Engine("editor_jobs", workers=2) as engine:
    frame = 0
    while frame < 60:
        clock.sleep_until_next_step()  # in an editor, its timer calls what follows
        for _ in range(clock.advance().steps):
            frame = ledger.begin_frame()
            tag = ledger.submitted()
            try:
                engine.submit("smooth", heights, frame=tag, deadline=1.0)
            except quarry.QueueFull:  # the workers are behind: this frame goes without
                ledger.withdrawn(tag)
            for result in engine.poll(budget=0.002):
                if ledger.apply(result):
                    heights = result.value
                elif result.error is not None:
                    print(result.error)
            ledger.end_frame()

stats = ledger.stats()
print(f"{stats.returned} of {stats.submitted} results in {stats.frames} frames, {stats.mean_latency:.1f} frames late")
print(f"the peak of 100 is now {max(heights):.1f}")
