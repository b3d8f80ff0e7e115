// A stop token cancels jobs that have not started; running jobs end by themselves.
#include <atomic>
#include <cstdint>
#include <cstdio>
#include <stop_token>

#include <quarry/jobs/pool.hpp>
#include <quarry/jobs/scope.hpp>

int main() {
    // [begin docs]
    std::stop_source source;
    std::atomic<int> ran{0};
    quarry::Pool pool(quarry::PoolOptions{.workers = 2});

    pool.scope(
        [&](quarry::Scope& scope) {
            for (int i = 0; i < 1000; ++i) {
                scope.spawn([&] {
                    if (++ran == 10) source.request_stop();
                });
            }
        },
        quarry::ScopeOptions{.stop_token = source.get_token()});

    const quarry::PoolStats stats = pool.stats();
    std::printf("%d ran, %zu were cancelled\n", ran.load(), static_cast<std::size_t>(stats.total.cancelled));
    // [end docs]
    return ran >= 10 && static_cast<std::uint64_t>(ran) + stats.total.cancelled == 1000 ? 0 : 1;
}
