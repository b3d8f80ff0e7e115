"""FrameClock and FrameLedger."""

import pytest
import quarry


def test_the_clock_runs_fixed_steps_and_drops_debt():
    clock = quarry.FrameClock(30, max_catch_up=3)
    clock.advance(100.0)
    assert clock.advance(100.0 + 1.001 / 30).steps == 1
    late = clock.advance(100.0 + 1.0)
    assert late.steps == 3 and late.dropped > 20
    assert 0 <= clock.interpolation <= 1
    assert clock.next_step > 100.9


def test_a_clock_out_of_range_is_said():
    with pytest.raises(ValueError, match="1"):
        quarry.FrameClock(0)


def test_the_ledger_counts_latency_in_frames(engine):
    ledger = quarry.FrameLedger(hertz=30, drop_older_than=1)
    ledger.begin_frame()
    tags = [ledger.submitted() for _ in range(3)]
    for each in tags:
        engine.submit("square", 2, frame=each)
    assert engine.drain(60)
    results = engine.poll()
    assert sorted(each.frame for each in results) == sorted(tags)
    assert ledger.apply(results[0])
    ledger.end_frame()
    ledger.begin_frame()
    assert ledger.apply(results[1])
    ledger.end_frame()
    for _ in range(3):
        ledger.begin_frame()
        ledger.end_frame()
    ledger.begin_frame()
    assert not ledger.apply(results[2])
    ledger.end_frame()
    stats = ledger.stats()
    assert (stats.submitted, stats.returned, stats.dropped, stats.frames) == (3, 3, 1, 6)
    assert stats.latency_max == 5
    assert isinstance(ledger.report(), dict)


def test_a_failed_job_is_withdrawn(engine):
    ledger = quarry.FrameLedger()
    ledger.begin_frame()
    engine.submit("raise_value_error", "x", frame=ledger.submitted())
    engine.drain(60)
    (result,) = engine.poll()
    assert not ledger.apply(result)
    ledger.end_frame()
    assert ledger.stats().withdrawn == 1
