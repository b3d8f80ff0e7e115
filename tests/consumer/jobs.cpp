#include <cstdint>
#include <cstdio>
#include <numeric>
#include <string>
#include <vector>

#include <quarry/jobs/error.hpp>
#include <quarry/jobs/join.hpp>
#include <quarry/jobs/parallel_for.hpp>
#include <quarry/jobs/pool.hpp>
#include <quarry/jobs/scope.hpp>
#include <quarry/version.hpp>

namespace {

int fibonacci(int n) {
    if (n < 2) return n;
    const auto [a, b] = quarry::join([n] { return fibonacci(n - 1); }, [n] { return fibonacci(n - 2); });
    return a + b;
}

// What a scope throws crosses the library's border as the type it was.
bool error_crosses_the_border(quarry::Pool& pool) {
    try {
        pool.scope([](quarry::Scope& scope) { scope.spawn([] { throw quarry::Error("expected"); }); });
    } catch (const quarry::Error&) {
        return true;
    }
    return false;
}

}  // namespace

int main() {
    quarry::Pool pool(quarry::PoolOptions{.workers = 2});

    int answer = 0;
    pool.scope([&](quarry::Scope& scope) { scope.spawn([&] { answer = 42; }); });

    const auto [left, right] = pool.join([] { return fibonacci(15); }, [] { return 1; });

    std::vector<std::int64_t> squares(1000);
    quarry::parallel_for(pool, 0, 1000, [&](int i) { squares[static_cast<std::size_t>(i)] = std::int64_t{i} * i; });
    const auto sum = std::accumulate(squares.begin(), squares.end(), std::int64_t{0});

    const bool all_right =
        answer == 42 && left == 610 && right == 1 && sum == 332'833'500 && error_crosses_the_border(pool);
    std::printf("quarry %s, jobs: %s\n", std::string(quarry::kVersion).c_str(),
                all_right ? "all right" : "wrong result");
    return all_right ? 0 : 1;
}
