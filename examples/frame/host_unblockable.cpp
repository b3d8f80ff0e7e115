// A host that must never be blocked: it calls tick() when it likes, and tick() returns within its budget.
#include <algorithm>
#include <chrono>
#include <cstdio>
#include <deque>
#include <future>
#include <memory>
#include <thread>
#include <utility>

#include <quarry/frame/inbox.hpp>
#include <quarry/jobs/pool.hpp>

using namespace std::chrono_literals;

namespace {

struct Request {
    int number;
};
struct Answer {
    int number;
    int value;
};

int work_on(const Request& request) {
    return request.number * 2;
}

// [begin plugin]
class Plugin {
  public:
    // Another thread makes the pool: starting threads may take a millisecond.
    Plugin() : starting_(std::async(std::launch::async, [] { return std::make_unique<quarry::Pool>(2); })) {}

    void ask(Request request) { waiting_.push_back(request); }

    // Never waits for a worker, a lock or room in a queue.
    void tick() {
        if (!pool_ && starting_.valid() && starting_.wait_for(0s) == std::future_status::ready) pool_ = starting_.get();
        while (pool_ && !waiting_.empty()) {
            const Request request = waiting_.front();
            if (!inbox_.try_submit(*pool_, [request] { return Answer{request.number, work_on(request)}; })) break;
            waiting_.pop_front();  // if the queue is full, the request waits for the next tick
        }
        inbox_.deliver({200us, 8}, [&](const Answer& answer) { sum += answer.value; });
    }

    // The pool's destructor waits for its jobs, so another thread calls it; the host polls has_ended().
    void begin_end() {
        ending_ = std::async(std::launch::async, [pool = std::move(pool_)]() mutable { pool.reset(); });
    }
    bool has_ended() { return ending_.wait_for(0s) == std::future_status::ready; }

    long sum = 0;

  private:
    std::deque<Request> waiting_;
    quarry::Inbox<Answer> inbox_{{.slots = 32}};
    std::future<std::unique_ptr<quarry::Pool>> starting_;
    std::unique_ptr<quarry::Pool> pool_;
    std::future<void> ending_;
};
// [end plugin]

}  // namespace

int main() {
    // [begin docs]
    Plugin plugin;
    for (int number = 0; number < 500; ++number) plugin.ask({number});
    while (plugin.sum != 499L * 500) {
        plugin.tick();
        std::this_thread::sleep_for(1ms);  // the host does what it wants
    }
    plugin.begin_end();
    while (!plugin.has_ended()) std::this_thread::sleep_for(1ms);
    // [end docs]
    std::printf("%ld\n", plugin.sum);
    return 0;
}
