// Measures hops, and a coroutine that awaits another one.
#include <chrono>
#include <cstdio>
#include <thread>

#include <quarry/jobs/coro.hpp>

namespace {

using Clock = std::chrono::steady_clock;

double nanoseconds_each(Clock::time_point start, int count) {
    return std::chrono::duration<double, std::nano>(Clock::now() - start).count() / count;
}

quarry::coro<int> nothing(int value) {
    co_return value;
}

// A call of a plain coroutine: its frame is allocated and given back.
quarry::coro<double> calls(int count) {
    const Clock::time_point start = Clock::now();
    for (int i = 0; i < count; ++i) co_await nothing(i);
    co_return nanoseconds_each(start, count);
}

quarry::coro<double> hops(quarry::Pool& pool, quarry::Lane first, quarry::Lane second, int count) {
    const Clock::time_point start = Clock::now();
    for (int i = 0; i < count; ++i) co_await pool.schedule(i % 2 == 0 ? first : second);
    co_return nanoseconds_each(start, count);
}

quarry::coro<double> tasks(quarry::Pool& pool, int count) {
    const Clock::time_point start = Clock::now();
    for (int i = 0; i < count; ++i) co_await pool.submit([] {});
    co_return nanoseconds_each(start, count);
}

// Asked for now and then, so that the pool's own threads run it.
double result_of(quarry::Task<double> task) {
    while (!task.ready()) std::this_thread::sleep_for(std::chrono::milliseconds(1));
    return task.get();
}

}  // namespace

int main() {
    using quarry::Lane;
    constexpr int kCount = 100'000;
    quarry::Pool pool(quarry::PoolOptions{.workers = 1, .io_threads = 1});
    for (int round = 0; round < 3; ++round) {
        const double call = result_of(pool.start(calls(kCount)));
        const double same_lane = result_of(pool.start(hops(pool, Lane::frame, Lane::frame, kCount)));
        const double other_lane = result_of(pool.start(hops(pool, Lane::frame, Lane::background, kCount)));
        const double task = result_of(pool.start(tasks(pool, kCount)));
        const double other_thread = result_of(pool.start(hops(pool, Lane::frame, Lane::io, kCount / 10)));
        std::printf(
            "call %.0f ns, hop %.0f ns, to another lane %.0f ns, submit and await %.0f ns, "
            "to another thread %.0f ns\n",
            call, same_lane, other_lane, task, other_thread);
    }
    return 0;
}
