#include <chrono>
#include <cstdio>

#include <quarry/frame/frame_clock.hpp>
#include <quarry/frame/frame_ledger.hpp>
#include <quarry/frame/host_guard.hpp>
#include <quarry/frame/virtual_clock.hpp>
#include <quarry/jobs/error.hpp>
#include <quarry/jobs/pool.hpp>
#include <quarry/jobs/task.hpp>

namespace {

bool clock_keeps_time() {
    quarry::FrameClock clock(30);
    quarry::VirtualClock time;
    clock.advance(time.now());
    time += std::chrono::milliseconds(50);
    return clock.advance(time.now()).steps == 1;
}

// The thread's token lies in the library, the comparison in the program.
bool books_belong_to_the_host(quarry::Pool& pool) {
    const quarry::HostGuard host;
    quarry::FrameLedger ledger({.hertz = 60, .host = host});
    ledger.begin_frame();
    const quarry::FrameTag tag = ledger.submitted();
    quarry::Task<bool> refused = pool.submit([&] {
        try {
            ledger.begin_frame();
        } catch (const quarry::Error&) {
            return !host.is_host();
        }
        return false;
    });
    while (!refused.ready()) {
    }
    return refused.get() && ledger.returned(tag) && ledger.stats().returned == 1;
}

}  // namespace

int main() {
    quarry::Pool pool(quarry::PoolOptions{.workers = 2});
    const bool all_right = clock_keeps_time() && books_belong_to_the_host(pool);
    std::printf("frame: %s\n", all_right ? "all right" : "wrong result");
    return all_right ? 0 : 1;
}
