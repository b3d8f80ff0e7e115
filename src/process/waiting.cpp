#include <algorithm>
#include <thread>
#include <utility>

#include "jobs/os/os.hpp"
#include "process/core.hpp"
#include "quarry/jobs/impl/ticks.hpp"

// Threads of the host that wait for results. README.md says who of them sleeps where.
namespace quarry::process::impl {
namespace {

using ::quarry::impl::ticks;

// A worker that wrote nonsense to the page of bells could keep others from ringing; a waiting host looks again by
// itself.
constexpr std::int64_t kLongestSleep = 10 * kMillisecond;
constexpr std::int64_t kLongestSpin = 1'000 * kMillisecond;  // that options allow
constexpr std::int64_t kMicrosecond = 1'000;

// Fewer jobs than this may end earlier than their type leads one to expect.
constexpr std::size_t kMany = 32;

// How long to sleep, whatever comes, where so much time is left: half of it, as it is only estimated.
std::int64_t nap_for(std::uint64_t left) {
    constexpr std::uint64_t kLeast = 200'000;
    constexpr std::uint64_t kMost = 10'000'000;
    return left < kLeast ? 0 : static_cast<std::int64_t>(std::min(left, kMost) / 2);
}

std::int64_t nanoseconds_of(std::chrono::steady_clock::time_point moment) {
    return std::chrono::duration_cast<std::chrono::nanoseconds>(moment.time_since_epoch()).count();
}

}  // namespace

// Sleeps until a worker publishes something, or so long. True: it is ready.
bool Core::sleep_on_bell(std::int64_t until, Ready look) {
    const std::int64_t moment = std::min(until, os::monotonic_ns() + kLongestSleep);
    bool slept = false;
    return page_->bell.sleep_until(look, [&](auto& word, std::uint32_t value) {
        // Not after each sleep: who is woken has something to take, and asks for the time only if that was not all.
        if (std::exchange(slept, true) && os::monotonic_ns() >= moment) return false;
        return os::sleep_on(kind_, raw(word), value, wait_event_.wait.get(), moment);
    });
}

// One of those who wait sleeps on the bell, the others until a job ends or until they may take its place. Who has long
// to wait sleeps without the bell first, so that not each result wakes it. See README.md.
bool Core::sleep_until_ready(Lock& lock, std::chrono::steady_clock::time_point until, Ready ready, TimeLeft left) {
    const auto look = [&] {
        const Lock again(mutex_);
        return look_once(ready);
    };
    const std::int64_t end = nanoseconds_of(until);
    bool done = false;
    for (std::int64_t now = os::monotonic_ns(); !done && now < end; now = os::monotonic_ns()) {
        if (has_listener_) {
            done = look_once(ready);
            if (done) break;
            ++followers_;
            job_ended_.wait_until(lock, until);
            --followers_;
        } else if (const std::int64_t nap = followers_ == 0 ? nap_for(left()) : 0; nap != 0) {
            lock.unlock();
            std::this_thread::sleep_for(std::chrono::nanoseconds(std::min(nap, end - now)));
            lock.lock();
        } else {
            has_listener_ = true;
            lock.unlock();
            done = sleep_on_bell(end, look);
            lock.lock();
            has_listener_ = false;
        }
        if (!done) done = look_once(ready);
    }
    // Also after waiting for the others only: who was woken to listen may be done by now.
    if (!has_listener_ && followers_ != 0) job_ended_.notify_one();
    return done;
}

bool Core::look_once(Ready ready) {
    pump();
    if (!ready()) return false;
    last_wait_ = ticks();
    return true;
}

bool Core::shares_cpu_with_busy_worker() {
    const std::uint32_t here = os::this_cpu(kind_);
    page_->cpu.store(here, std::memory_order_relaxed);
    return here != os::kNoCpu && std::any_of(seats_.begin(), seats_.end(), [&](const Seat& seat) {
               return seat.peer != nullptr && seat.peer->ring.unanswered() != 0 &&
                      seat.peer->segment->header().cpu.load(std::memory_order_relaxed) == here;
           });
}

// Whether results can come soon while the waiting thread keeps its processor.
bool Core::may_look_on() {
    const bool woke_a_worker = std::exchange(woke_a_worker_, false);
    if (!spin_time_.is_allowed() || waiting_ != 0 || shares_cpu_with_busy_worker()) return false;
    const auto most = static_cast<std::uint64_t>(std::chrono::nanoseconds(options_.spin).count());
    for (const Seat& seat : seats_) {
        if (seat.peer != nullptr && seat.peer->work > most) return false;
    }
    // A kernel may put a woken worker on the processor of who woke it: to look on would keep it from starting. It is
    // worth trying where one wait follows the other.
    constexpr std::uint64_t kCloseUs = 200;
    return !woke_a_worker || (kind_ == os::Kind::native && ticks() - last_wait_ < kCloseUs * ticks_per_us_);
}

// Looks for a short while, without sleeping.
bool Core::look_on(Lock& lock, std::int64_t until, Ready ready) {
    if (!may_look_on()) return false;
    const std::int64_t left = std::clamp<std::int64_t>(until - os::monotonic_ns(), 0, kLongestSpin) / kMicrosecond;
    const std::uint64_t limit = std::min(spin_time_.next(), static_cast<std::uint64_t>(left) * ticks_per_us_);
    const std::uint64_t start = ticks();
    do {
        lock.unlock();
        ::quarry::impl::os::cpu_relax();
        lock.lock();
        if (look_once(ready)) {
            spin_time_.has_paid();
            return true;
        }
    } while (ticks() - start < limit && !shares_cpu_with_busy_worker());
    spin_time_.has_not_paid();
    return false;
}

bool Core::wait_until(std::chrono::steady_clock::time_point until, Ready ready, TimeLeft left) {
    Lock lock(mutex_);
    return look_once(ready) || look_on(lock, nanoseconds_of(until), ready) ||
           sleep_until_ready(lock, until, ready, left);
}

std::uint64_t Core::time_left_of(std::span<const JobId> ids) {
    if (ids.size() < kMany) return 0;
    std::uint64_t sum = 0;
    for (const JobId id : ids) {
        const Record* record = records_.find(id);
        if (record != nullptr && record->stage != Record::Stage::ended) sum += types_[record->type].estimate;
    }
    return sum / seats_.size();
}

// As if all that waits were like the next one.
std::uint64_t Core::time_left_of_all() {
    if (unfinished() < kMany) return 0;
    std::uint64_t sum = 0;
    if (!waiting_jobs_.empty()) sum += waiting_ * types_[records_[waiting_jobs_.front()].type].estimate;
    for (const Seat& seat : seats_) sum += seat.peer != nullptr ? seat.peer->work : 0;
    return sum / seats_.size();
}

bool Core::wait(std::span<const JobId> ids, std::chrono::steady_clock::time_point until) {
    if (is_forked_child()) return false;
    std::size_t done = 0;
    const auto ready = [&] {
        while (done < ids.size()) {
            const Record* record = records_.find(ids[done]);
            if (record != nullptr && record->stage != Record::Stage::ended) return false;
            ++done;
        }
        return true;
    };
    return wait_until(until, ready, [&] { return time_left_of(ids.subspan(done)); });
}

bool Core::drain(std::chrono::steady_clock::time_point until) {
    if (is_forked_child()) return false;
    return wait_until(
        until, [&] { return unfinished() == 0; }, [&] { return time_left_of_all(); });
}

}  // namespace quarry::process::impl
