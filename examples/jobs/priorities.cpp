// Within a lane the most important waiting job starts first, and a waiting job can be raised.
#include <cstdio>
#include <mutex>
#include <string>
#include <vector>

#include <quarry/jobs/pool.hpp>

int main() {
    // [begin docs]
    std::mutex mutex;
    std::string order;
    const auto note = [&](char what) {
        return [&, what] {
            const std::lock_guard lock(mutex);
            order += what;
        };
    };

    quarry::Pool pool(1);
    std::mutex gate;
    {
        const std::lock_guard closed(gate);
        pool.submit([&] { const std::lock_guard passed(gate); });  // keeps the only worker busy
        pool.submit(note('l'), {.priority = quarry::Priority::low});
        pool.submit(note('n'));
        quarry::Task<void> edited = pool.submit(note('e'));
        pool.submit(note('u'), {.priority = quarry::Priority::urgent});
        edited.raise(quarry::Priority::high);  // the user is looking at it
    }
    // [end docs]
    quarry::Task<void> last = pool.submit([] {}, {.priority = quarry::Priority::low});
    while (!last.ready()) {
    }
    std::printf("%s\n", order.c_str());
    return order == "uenl" ? 0 : 1;
}
