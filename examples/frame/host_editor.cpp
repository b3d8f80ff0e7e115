// An editor that redraws on demand: its event loop sleeps until the user does something or a result arrives.
#include <chrono>
#include <condition_variable>
#include <cstdio>
#include <deque>
#include <memory>
#include <mutex>
#include <thread>

#include <quarry/frame/inbox.hpp>
#include <quarry/jobs/pool.hpp>

using namespace std::chrono_literals;

namespace {

enum class Event { edited, results, quit };

// Stands in for the toolkit's own loop: any thread may post to it.
class EventLoop {
  public:
    void post(Event event) {
        const std::lock_guard lock(mutex_);
        events_.push_back(event);
        came_.notify_one();
    }
    Event next() {
        std::unique_lock lock(mutex_);
        came_.wait(lock, [&] { return !events_.empty(); });
        const Event event = events_.front();
        events_.pop_front();
        return event;
    }

  private:
    std::mutex mutex_;
    std::condition_variable came_;
    std::deque<Event> events_;
};

struct Preview {
    int version;
};

Preview render(int version) {
    std::this_thread::sleep_for(2ms);
    return {version};
}

}  // namespace

int main() {
    int shown = 0;
    int redraws = 0;
    auto user = std::thread();
    // [begin docs]
    // Shared, because a job may outlive the inbox and post its result.
    const auto loop = std::make_shared<EventLoop>();
    quarry::Pool pool;
    quarry::Inbox<Preview> inbox({.slots = 16, .on_arrival = [loop] { loop->post(Event::results); }});
    quarry::InboxTask newest;
    int version = 0;
    // [end docs]
    user = std::thread([loop] {
        for (int i = 0; i < 20; ++i) {
            loop->post(Event::edited);
            std::this_thread::sleep_for(1ms);
        }
        std::this_thread::sleep_for(50ms);
        loop->post(Event::quit);
    });
    // [begin loop]
    for (Event event = loop->next(); event != Event::quit; event = loop->next()) {
        if (event == Event::edited) {
            if (newest.valid()) newest.cancel();  // what has not started is out of date
            newest = inbox.submit(pool, [number = ++version] { return render(number); });
            continue;
        }
        bool changed = false;
        const quarry::DeliveryReport report = inbox.deliver(4ms, [&](const Preview& preview) {
            if (preview.version <= shown) return;  // an older one that came late
            shown = preview.version;
            changed = true;
        });
        if (changed) ++redraws;                                    // the window is drawn here
        if (report.carried_over != 0) loop->post(Event::results);  // the rest comes after the user's events
    }
    // [end loop]
    user.join();
    std::printf("%d edits, %d redraws, version %d is shown\n", version, redraws, shown);
    return shown == version && redraws <= version ? 0 : 1;
}
