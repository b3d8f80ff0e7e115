#pragma once

#include <cstddef>
#include <cstdint>

#include "quarry/jobs/impl/atomics.hpp"

namespace quarry::process::impl {

using ::quarry::impl::Mutation;

inline constexpr std::size_t kApart = 128;  // bytes between words that different processes write

// The two words of a pair of rings. Job n lies in job slot n % slots, its result in result slot n % slots: a worker
// answers in order, so a place in one ring is a place in the other. README.md has the argument.
template <class Policy>
struct RingWords {
    alignas(kApart) typename Policy::template Atomic<std::uint64_t> jobs{0};     // published; the host writes
    alignas(kApart) typename Policy::template Atomic<std::uint64_t> results{0};  // published; the worker writes
};

// What the host finds when it looks at the results.
enum class Arrivals {
    none,
    some,
    corrupt,  // the worker has written a number that no worker can have reached
};

// The host's end: it keeps its own numbers and believes nothing that it reads.
template <class Policy>
class HostEnd {
  public:
    HostEnd(RingWords<Policy>& words, std::uint64_t slots) : words_(words), slots_(slots) {}

    // Where the next job goes. Its slots are free: the result that lay there has been taken.
    std::uint64_t next() const { return filled_; }
    bool has_room() const { return !Policy::check(Mutation::process_lap, filled_ - taken_ >= slots_); }
    // The slot next() is written; it will be seen with the next publish().
    void fill() { ++filled_; }
    void publish() {
        words_.jobs.store(filled_, Policy::order(Mutation::process_jobs_publish, std::memory_order_release));
    }

    // The oldest place whose result has not been taken.
    std::uint64_t oldest() const { return taken_; }
    std::uint64_t unanswered() const { return filled_ - taken_; }
    Arrivals look() {
        if (taken_ != seen_) return Arrivals::some;
        const std::uint64_t now =
            words_.results.load(Policy::order(Mutation::process_results_seen, std::memory_order_acquire));
        // Wraps like the counters themselves: fewer than seen, or more than was asked for, is out of the range.
        if (now - seen_ > filled_ - seen_) return Arrivals::corrupt;
        seen_ = now;
        return taken_ == seen_ ? Arrivals::none : Arrivals::some;
    }
    // The result at oldest() has been copied: its places may be used again.
    void take() { ++taken_; }

  private:
    RingWords<Policy>& words_;
    std::uint64_t slots_;
    std::uint64_t filled_ = 0;  // jobs written, published or not
    std::uint64_t seen_ = 0;    // results known to be published
    std::uint64_t taken_ = 0;   // results taken
};

// The worker's end. It trusts the host.
template <class Policy>
class WorkerEnd {
  public:
    explicit WorkerEnd(RingWords<Policy>& words) : words_(words) {}

    std::uint64_t next() const { return answered_; }
    bool has_job() {
        if (answered_ != seen_) return true;
        refresh();
        return answered_ != seen_;
    }
    // Jobs that are known to be there, the one at next() included.
    std::uint64_t known() const { return seen_ - answered_; }
    void refresh() { seen_ = words_.jobs.load(Policy::order(Mutation::process_jobs_seen, std::memory_order_acquire)); }
    // The result slot next() is written.
    void publish() {
        ++answered_;
        words_.results.store(answered_, Policy::order(Mutation::process_results_publish, std::memory_order_release));
    }

  private:
    RingWords<Policy>& words_;
    std::uint64_t seen_ = 0;
    std::uint64_t answered_ = 0;
};

}  // namespace quarry::process::impl
