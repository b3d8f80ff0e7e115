#pragma once

#include <algorithm>
#include <array>
#include <atomic>
#include <condition_variable>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <forward_list>
#include <functional>
#include <memory>
#include <mutex>
#include <optional>
#include <string_view>
#include <thread>
#include <utility>
#include <vector>

#include "jobs/channel_bare.hpp"
#include "jobs/rows/lanes.hpp"
#include "jobs/rows/loops.hpp"
#include "jobs/rows/submit.hpp"
#include "jobs/rows/then.hpp"

// The baseline: plain recursion, plain loops, std::sort; where threads are the point, naked ones with futexes and
// an atomic counter.
namespace quarry::bench {

void futex_wait(std::atomic<std::uint32_t>& word, std::uint32_t expected);
void futex_wake(std::atomic<std::uint32_t>& word, int count);

// Threads that sleep on one word and share the indices of a batch by one counter. The caller takes part.
class BareTeam {
  public:
    explicit BareTeam(int helpers);
    ~BareTeam();
    BareTeam(const BareTeam&) = delete;
    BareTeam& operator=(const BareTeam&) = delete;

    void run(int count, const std::function<void(int)>& job);

  private:
    void help();
    void work();

    std::atomic<std::uint32_t> round_{0};
    std::atomic<std::uint32_t> finished_{0};
    std::atomic<int> next_{0};
    int count_ = 0;
    bool stop_ = false;
    const std::function<void(int)>* job_ = nullptr;
    std::vector<std::thread> threads_;
};

// One thread that sleeps on a word until it is handed a job: the bare futex pair.
class BarePair {
  public:
    BarePair();
    ~BarePair();
    BarePair(const BarePair&) = delete;
    BarePair& operator=(const BarePair&) = delete;

    template <class F>
    void hand_over(F&& job) {
        while (state_.load(std::memory_order_acquire) == kFull) std::this_thread::yield();
        jobs_[next_] = std::forward<F>(job);
        state_.store(kFull, std::memory_order_release);
        futex_wake(state_, 1);
        next_ ^= 1;
    }

  private:
    static constexpr std::uint32_t kEmpty = 0;
    static constexpr std::uint32_t kFull = 1;
    static constexpr std::uint32_t kStop = 2;
    void serve();

    // Two slots in turn: the thread may still be leaving the last job when the next is handed over.
    std::array<std::function<void()>, 2> jobs_;
    std::size_t next_ = 0;
    std::atomic<std::uint32_t> state_{kEmpty};
    std::thread thread_;
};

// The pair for the frame, and threads that share a queue under a mutex for what blocks.
class BareLanes : public BarePair {
  public:
    static constexpr bool kHasBackground = false;
    static constexpr bool kHasIo = true;

    explicit BareLanes(int reserved);
    ~BareLanes();

    template <class F>
    void submit(OtherLane, F job) {
        {
            const std::lock_guard lock(mutex_);
            io_jobs_.emplace_back(job);
        }
        io_arrived_.notify_one();
    }

  private:
    void serve_io();

    std::mutex mutex_;
    std::condition_variable io_arrived_;
    std::deque<std::function<void()>> io_jobs_;
    bool stop_ = false;
    std::vector<std::thread> io_threads_;
};

// One thread that takes jobs from a ring: what handing over costs when only two threads take part, both awake.
class BareRing {
  public:
    using Job = void (*)(void*);

    BareRing();
    ~BareRing();
    BareRing(const BareRing&) = delete;
    BareRing& operator=(const BareRing&) = delete;

    // Waits while the ring is full. `argument` has to live until the job has run.
    void push(Job job, void* argument);

  private:
    static constexpr std::size_t kSlots = 8192;
    struct Slot {
        Job job;
        void* argument;
    };
    void serve();

    alignas(128) std::atomic<std::uint64_t> pushed_{0};
    std::uint64_t popped_seen_ = 0;  // by the pushing thread
    alignas(128) std::atomic<std::uint64_t> popped_{0};
    alignas(128) std::array<Slot, kSlots> slots_{};
    std::thread thread_;
};

class BareEngine {
  public:
    using Channel = BareChannel;
    using Lanes = BareLanes;

    BareEngine(int workers, bool caller_apart)
        : team_(caller_apart ? 0 : workers - 1), pair_(caller_apart ? std::make_unique<BarePair>() : nullptr) {}

    static const char* unsupported(std::string_view, int) { return nullptr; }

    template <class F>
    void enter(F&& f) {
        f();
    }
    template <class F>
    void attach(F&& f) {
        f();
    }
    template <class F, class G>
    static auto join(F&& f, G&& g) {
        auto left = f();
        auto right = g();
        return std::pair(left, right);
    }
    template <class F>
    static auto fork_n(int count, F&& f) {
        decltype(f(0)) sum{};
        for (int index = 0; index < count; ++index) sum += f(index);
        return sum;
    }
    template <class F>
    void for_range(std::size_t count, LoopCost, F&& body) {
        keep(count);
        body(std::size_t{0}, count);
    }
    template <class F>
    void batch(int count, F&& job) {
        team_.run(count, job);
    }
    void sort(std::vector<std::uint64_t>& keys) { std::sort(keys.begin(), keys.end()); }
    void spawn_empty(int count);
    template <class F>
    void hand_over(F&& job) {
        pair_->hand_over(std::forward<F>(job));
    }
    // The ring's thread polls, so it exists only as long as it is measured.
    template <class F>
    void outside(F&& f) {
        ring_ = std::make_unique<BareRing>();
        f();
        ring_.reset();
    }
    template <class F>
    void flood(int count, F job) {
        static F the_job = job;
        for (int index = 0; index < count; ++index) {
            ring_->push([](void* argument) { (*static_cast<F*>(argument))(); }, &the_job);
        }
    }
    template <class F>
    int submit_wait(F job) {
        return submit_ready(job);
    }
    template <class F>
    int submit_ready(F job) {
        return poll_for(
            [this](auto task) {
                using Task = decltype(task);
                static std::array<std::optional<Task>, 2> tasks;  // the thread may still be leaving the last one
                static std::size_t next = 0;
                next ^= 1;
                ring_->push([](void* argument) { (*static_cast<Task*>(argument))(); }, &tasks[next].emplace(task));
            },
            job);
    }
    // A list of closures, made and then called in order by the caller alone.
    std::uint64_t then_chain(std::uint64_t links) {
        std::forward_list<std::function<std::uint64_t(std::uint64_t)>> chain;
        auto last = chain.before_begin();
        for (std::uint64_t link = 0; link < links; ++link) {
            last = chain.emplace_after(last, [link](std::uint64_t value) { return chain_link(value, link); });
        }
        std::uint64_t value = 0;
        for (; !chain.empty(); chain.pop_front()) value = chain.front()(value);
        return value;
    }

  private:
    BareTeam team_;
    std::unique_ptr<BarePair> pair_;
    std::unique_ptr<BareRing> ring_;
};

}  // namespace quarry::bench
