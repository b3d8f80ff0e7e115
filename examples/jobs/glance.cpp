// The job engine on one page.
#include <cstdio>
#include <optional>
#include <vector>

#include <quarry/jobs/channel.hpp>
#include <quarry/jobs/join.hpp>
#include <quarry/jobs/parallel_for.hpp>
#include <quarry/jobs/pool.hpp>
#include <quarry/jobs/scope.hpp>

namespace {

int load(int id) {
    return id;
}
int count_words() {
    return 3;
}
int count_lines() {
    return 1;
}

}  // namespace

int main() {
    // [begin docs]
    quarry::Pool pool;  // one worker for each CPU that this process may use

    // A scope: jobs that borrow locals. It returns when all have run, and rethrows the first error.
    std::vector<int> pages(3);
    pool.scope([&](quarry::Scope& scope) {
        for (int id = 0; id < 3; ++id) scope.spawn([&pages, id] { pages[static_cast<std::size_t>(id)] = load(id); });
    });

    // join: two closures, at the same time if another worker is free.
    const auto [words, lines] = pool.join(count_words, count_lines);

    // A loop that is split on demand.
    std::vector<int> squares(1000);
    quarry::parallel_for(pool, 0, 1000, [&](int i) { squares[static_cast<std::size_t>(i)] = i * i; });

    // A job in the background lane, which may take many frames, and a continuation. Dropping a task does not stop it.
    quarry::Task<int> task =
        pool.submit([] { return 6; }, {.lane = quarry::Lane::background}).then([](int six) { return six * 7; });
    const int answer = task.get();

    // Values for a thread that may block, such as one of Lane::io.
    quarry::Channel<int> numbers(64);
    quarry::Task<int> sum = pool.submit(
        [&] {
            int total = 0;
            while (const std::optional<int> number = numbers.receive()) total += *number;
            return total;
        },
        {.lane = quarry::Lane::io});
    for (const int number : {1, 2, 3, 4}) numbers.send(number);
    numbers.close();

    // What each worker did.
    const quarry::PoolStats stats = pool.stats();
    std::printf("%zu jobs on %d workers\n", static_cast<std::size_t>(stats.total.completed), pool.worker_count());
    // [end docs]
    return pages[2] == 2 && words == 3 && lines == 1 && squares[999] == 998'001 && answer == 42 && sum.get() == 10 ? 0
                                                                                                                   : 1;
}
