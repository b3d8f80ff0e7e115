// Jobs are tagged with their frame, old results are dropped, and the figures are written as JSON.
#include <cstdio>
#include <iostream>
#include <thread>
#include <utility>
#include <vector>

#include <quarry/frame/frame_clock.hpp>
#include <quarry/frame/frame_ledger.hpp>
#include <quarry/jobs/pool.hpp>

namespace {

struct Path {
    int length = 0;
};

Path find_path(int goal) {
    return {goal * 2};
}

}  // namespace

int main() {
    quarry::Pool pool(2);
    int steps = 0;
    // [begin docs]
    quarry::FrameClock clock(250);
    quarry::FrameLedger ledger({.hertz = 250, .stale = quarry::StalePolicy::drop_older_than(2), .history = 4});

    struct Pending {
        quarry::Task<Path> task;
        quarry::FrameTag tag;
    };
    std::vector<Pending> pending;
    for (int frame = 0; frame < 50; ++frame) {
        ledger.note(clock.advance());
        ledger.begin_frame();
        // Results are applied unless they are more than 2 frames old.
        std::erase_if(pending, [&](Pending& each) {
            if (!each.task.ready()) return false;
            if (ledger.returned(each.tag)) steps += each.task.get().length;
            return true;
        });
        // New jobs carry the tag of this frame.
        const quarry::FrameTag tag = ledger.submitted();
        pending.push_back({pool.submit([frame] { return find_path(frame + 1); }), tag});
        ledger.end_frame();
        std::this_thread::sleep_until(clock.next_step());
    }

    const quarry::FrameLedgerStats stats = ledger.stats();
    std::printf("%d frames, latency %.1f frames in the mean, %.1f %% stale\n", static_cast<int>(stats.frames),
                stats.mean_latency(), stats.stale_percent());
    ledger.write_json(std::cout);
    // [end docs]
    std::cout << '\n';
    const bool all_there = stats.returned + pending.size() == 50;
    return stats.submitted == 50 && all_there && (steps > 0) == (stats.returned > stats.dropped) ? 0 : 1;
}
