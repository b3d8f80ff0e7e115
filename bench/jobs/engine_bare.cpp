#include "jobs/engine_bare.hpp"

#include <linux/futex.h>
#include <sys/syscall.h>
#include <unistd.h>

namespace quarry::bench {

void futex_wait(std::atomic<std::uint32_t>& word, std::uint32_t expected) {
    syscall(SYS_futex, reinterpret_cast<std::uint32_t*>(&word), FUTEX_WAIT_PRIVATE, expected, nullptr, nullptr, 0);
}

void futex_wake(std::atomic<std::uint32_t>& word, int count) {
    syscall(SYS_futex, reinterpret_cast<std::uint32_t*>(&word), FUTEX_WAKE_PRIVATE, count, nullptr, nullptr, 0);
}

BareTeam::BareTeam(int helpers) {
    for (int helper = 0; helper < helpers; ++helper) threads_.emplace_back([this] { help(); });
}

BareTeam::~BareTeam() {
    stop_ = true;
    round_.fetch_add(1, std::memory_order_release);
    futex_wake(round_, static_cast<int>(threads_.size()));
    for (std::thread& thread : threads_) thread.join();
}

// Every helper reports the end of its round, so the caller's wait also keeps the next round's fields untouched
// while a late helper still reads them.
void BareTeam::run(int count, const std::function<void(int)>& job) {
    const auto helpers = static_cast<std::uint32_t>(threads_.size());
    job_ = &job;
    count_ = count;
    finished_.store(0, std::memory_order_relaxed);
    next_.store(0, std::memory_order_relaxed);
    if (helpers != 0) {
        round_.fetch_add(1, std::memory_order_release);
        futex_wake(round_, static_cast<int>(helpers));
    }
    work();
    for (;;) {
        const std::uint32_t finished = finished_.load(std::memory_order_acquire);
        if (finished == helpers) return;
        futex_wait(finished_, finished);
    }
}

void BareTeam::work() {
    for (;;) {
        const int index = next_.fetch_add(1, std::memory_order_relaxed);
        if (index >= count_) return;
        (*job_)(index);
    }
}

void BareTeam::help() {
    std::uint32_t seen = 0;
    for (;;) {
        while (round_.load(std::memory_order_acquire) == seen) futex_wait(round_, seen);
        ++seen;
        if (stop_) return;
        work();
        if (finished_.fetch_add(1, std::memory_order_acq_rel) + 1 == threads_.size()) futex_wake(finished_, 1);
    }
}

BarePair::BarePair() : thread_([this] { serve(); }) {}

BarePair::~BarePair() {
    state_.store(kStop, std::memory_order_release);
    futex_wake(state_, 1);
    thread_.join();
}

void BarePair::serve() {
    for (std::size_t slot = 0;; slot ^= 1) {
        std::uint32_t state = state_.load(std::memory_order_acquire);
        while (state == kEmpty) {
            futex_wait(state_, kEmpty);
            state = state_.load(std::memory_order_acquire);
        }
        if (state == kStop) return;
        state_.store(kEmpty, std::memory_order_relaxed);
        jobs_[slot]();
    }
}

BareLanes::BareLanes(int) {
    for (int thread = 0; thread < kLanesIoThreads; ++thread) io_threads_.emplace_back([this] { serve_io(); });
}

BareLanes::~BareLanes() {
    {
        const std::lock_guard lock(mutex_);
        stop_ = true;
    }
    io_arrived_.notify_all();
    for (std::thread& thread : io_threads_) thread.join();
}

void BareLanes::serve_io() {
    for (;;) {
        std::unique_lock lock(mutex_);
        io_arrived_.wait(lock, [&] { return stop_ || !io_jobs_.empty(); });
        if (io_jobs_.empty()) return;
        const std::function<void()> job = std::move(io_jobs_.front());
        io_jobs_.pop_front();
        lock.unlock();
        job();
    }
}

BareRing::BareRing() : thread_([this] { serve(); }) {}

BareRing::~BareRing() {
    push(nullptr, nullptr);
    thread_.join();
}

void BareRing::push(Job job, void* argument) {
    const std::uint64_t place = pushed_.load(std::memory_order_relaxed);
    while (place - popped_seen_ == kSlots) {
        popped_seen_ = popped_.load(std::memory_order_acquire);
        if (place - popped_seen_ == kSlots) std::this_thread::yield();
    }
    slots_[place % kSlots] = {job, argument};
    pushed_.store(place + 1, std::memory_order_release);
}

// Gives room back for all it found at once: the fewer lines travel, the better.
void BareRing::serve() {
    std::uint64_t place = 0;
    for (int polls = 0;; ++polls) {
        const std::uint64_t end = pushed_.load(std::memory_order_acquire);
        if (place == end) {
            polls < 10'000 ? relax() : std::this_thread::yield();
            continue;
        }
        for (; place != end; ++place) {
            const Slot slot = slots_[place % kSlots];
            if (slot.job == nullptr) return;
            slot.job(slot.argument);
        }
        popped_.store(place, std::memory_order_release);
        polls = 0;
    }
}

namespace {

[[gnu::noinline]] void empty_job() {
    asm volatile("");
}

}  // namespace

void BareEngine::spawn_empty(int count) {
    for (int job = 0; job < count; ++job) empty_job();
}

}  // namespace quarry::bench
