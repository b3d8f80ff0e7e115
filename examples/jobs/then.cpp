// Continuations: what follows a job, without a thread that waits.
#include <cstdio>
#include <stdexcept>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

#include <quarry/jobs/pool.hpp>
#include <quarry/jobs/when_all.hpp>

int main() {
    // [begin docs]
    quarry::Pool pool;

    quarry::Task<std::string> label =
        pool.submit([] { return 6; }).then([](int six) { return six * 7; }).then([](int answer) {
            return "the answer is " + std::to_string(answer);
        });

    // An error skips the continuations and comes out at the end.
    quarry::Task<int> failed =
        pool.submit([]() -> int { throw std::runtime_error("no such file"); }).then([](int size) { return size + 1; });

    // Several tasks: one task with all their values.
    auto both = when_all(pool.submit([] { return 3; }), pool.submit([] { return 4.5; }));
    const auto [three, more] = both.get();

    std::vector<quarry::Task<int>> tiles;
    for (int i = 0; i < 8; ++i) tiles.push_back(pool.submit([i] { return i * i; }));
    const std::vector<int> heights = when_all(std::move(tiles)).get();
    // [end docs]
    std::printf("%s, %d and %.1f, %zu heights\n", label.get().c_str(), three, more, heights.size());
    try {
        failed.get();
    } catch (const std::runtime_error& error) {
        std::printf("%s\n", error.what());
        return heights.back() == 49 ? 0 : 1;
    }
    return 1;
}
