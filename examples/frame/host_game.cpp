// A game with fixed steps: simulate, hand out work, apply results within a budget, draw, sleep until the next step.
#include <chrono>
#include <cstdio>
#include <thread>
#include <vector>

#include <quarry/frame/frame_clock.hpp>
#include <quarry/frame/frame_ledger.hpp>
#include <quarry/frame/inbox.hpp>
#include <quarry/jobs/parallel_for.hpp>
#include <quarry/jobs/pool.hpp>

using namespace std::chrono_literals;

namespace {

struct Path {
    int creature;
    int length;
    quarry::FrameTag tag;
};

struct World {
    std::vector<double> heights = std::vector<double>(2000, 1.0);
    int paths_applied = 0;

    void step(quarry::Pool& pool, double seconds) {
        quarry::parallel_for(pool, std::size_t{0}, heights.size(), [&](std::size_t i) { heights[i] -= seconds; });
    }
    void apply(const Path&) { ++paths_applied; }
    void draw(double) const { std::this_thread::sleep_for(1ms); }
};

int find_path(int creature) {
    int length = 0;
    for (long n = creature + 27; n != 1; n = n % 2 == 0 ? n / 2 : 3 * n + 1) ++length;
    return length;
}

}  // namespace

int main() {
    World world;
    // [begin docs]
    quarry::Pool pool;
    quarry::FrameClock clock(60);  // at most 3 steps at once; more are dropped and counted
    quarry::FrameLedger ledger({.hertz = 60, .stale = quarry::StalePolicy::drop_older_than(4)});
    quarry::Inbox<Path> inbox({.slots = 256});
    clock.advance();  // starts it

    for (int frame = 0; frame < 30; ++frame) {
        std::this_thread::sleep_until(clock.next_step());
        const quarry::FrameSteps due = clock.advance();
        ledger.note(due);
        ledger.begin_frame();
        pool.begin_frame();

        for (int creature = 0; creature < 20; ++creature) {  // jobs that may take a few frames
            const quarry::FrameTag tag = ledger.submitted();
            inbox.submit(pool,
                         [creature, tag] {
                             return Path{creature, find_path(creature), tag};
                         },
                         {.lane = quarry::Lane::background});
        }
        for (int i = 0; i < due.steps; ++i) world.step(pool, clock.period().count());  // work of this frame
        inbox.deliver(2ms, [&](const Path& path) {
            if (ledger.returned(path.tag)) world.apply(path);
        });
        world.draw(clock.interpolation());

        pool.end_frame();
        ledger.end_frame();
    }
    // [end docs]
    inbox.deliver_until(
        5s, [&] { return ledger.stats().outstanding() == 0; },
        [&](const Path& path) { (void)ledger.returned(path.tag); });
    const quarry::FrameLedgerStats stats = ledger.stats();
    std::printf("%d frames, %d paths applied, latency %.1f frames in the mean\n", static_cast<int>(stats.frames),
                world.paths_applied, stats.mean_latency());
    return stats.submitted == 600 && stats.returned == 600 ? 0 : 1;
}
