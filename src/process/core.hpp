#pragma once

#include <chrono>
#include <condition_variable>
#include <cstdint>
#include <functional>
#include <limits>
#include <memory>
#include <mutex>
#include <queue>
#include <span>
#include <string>
#include <string_view>
#include <thread>
#include <unordered_set>
#include <utility>
#include <vector>

#include "process/job_arena.hpp"
#include "process/peer.hpp"
#include "process/records.hpp"
#include "process/spin_time.hpp"
#include "process/tick_time.hpp"
#include "process/types.hpp"
#include "quarry/process/engine.hpp"
#include "quarry/process/engine_options.hpp"
#include "quarry/process/stats.hpp"

namespace quarry::process::impl {

// A worker's number, with the process that serves under it at the moment.
struct Seat {
    std::unique_ptr<Peer> peer;  // none: to be started at start_at, or given up
    Pending pinned;
    std::int64_t start_at = 0;
    bool failed = false;    // given up
    int failed_starts = 0;  // in a row, by the workers' own doing
    int barren = 0;         // deaths in a row without a finished job
    std::uint64_t jobs = 0;
    std::uint64_t restarts = 0;
    std::string last_death;
};

// Refers to a callable that outlives the call it is passed to.
template <class Answer>
class CallRef {
  public:
    template <class Callable>
    CallRef(const Callable& callable)  // NOLINT(google-explicit-constructor): stands for the callable
        : object_(&callable),
          call_([](const void* object) -> Answer { return (*static_cast<const Callable*>(object))(); }) {}
    Answer operator()() const { return call_(object_); }

  private:
    const void* object_;
    Answer (*call_)(const void*);
};
using Ready = CallRef<bool>;              // whether all is there that a thread waits for
using TimeLeft = CallRef<std::uint64_t>;  // nanoseconds until then, estimated; 0: soon, or unknown

// All that an engine is. One mutex guards it; the host's calls and the supervisor's thread hold it for short whiles.
class Core {
  public:
    explicit Core(EngineOptions options);
    ~Core();
    Core(const Core&) = delete;
    Core& operator=(const Core&) = delete;

    // engine_jobs.cpp: what the host does with jobs.
    Submitted submit(JobType type, Parts payload, const JobOptions& options);
    std::size_t submit_many(std::span<const JobRequest> jobs, std::span<Submitted> out);
    std::size_t poll(std::vector<Result>& out, std::size_t most, std::chrono::nanoseconds budget);
    Cancel cancel(JobId id);
    bool wait(std::span<const JobId> ids, std::chrono::steady_clock::time_point until);
    bool drain(std::chrono::steady_clock::time_point until);
    Refusal broadcast(std::string_view key, std::span<const std::byte> payload);
    bool forget(std::string_view key);
    void set_retry(JobType type, Retry retry);
    int descriptor();

    // report.cpp
    EngineStats stats();
    EngineHealth health();
    Readiness ready();
    std::vector<std::string> handlers();

    // supervisor.cpp
    ShutdownReport shutdown(std::chrono::nanoseconds timeout);
    void wait_until_started();
    bool is_forked_child() const;

  private:
    using Lock = std::unique_lock<std::mutex>;

    // Jobs in (feed.cpp).
    Refusal accept(JobType type, Parts payload, const JobOptions& options, JobId& id);
    Refusal why_not(JobType type, std::size_t bytes, const JobOptions& options) const;
    void count_refused(const JobOptions& options);
    void feed();
    bool feed_pinned(bool only_important);
    bool feed_general();
    bool allows(Peer& peer, std::uint64_t estimate) const;
    std::uint64_t cost_of(Peer& peer) const;
    void hand_over(std::size_t seat, std::uint32_t index, Pending& from);
    bool send_states(Peer& peer);
    void write_job(Peer& peer, const Record& record);
    void publish();
    void arm();
    void pump();

    // A host that waits (waiting.cpp).
    bool sleep_on_bell(std::int64_t until, Ready look);
    bool sleep_until_ready(Lock& lock, std::chrono::steady_clock::time_point until, Ready ready, TimeLeft left);
    bool wait_until(std::chrono::steady_clock::time_point until, Ready ready, TimeLeft left);
    std::uint64_t time_left_of(std::span<const JobId> ids);
    std::uint64_t time_left_of_all();
    bool look_once(Ready ready);
    bool look_on(Lock& lock, std::int64_t until, Ready ready);
    bool may_look_on();
    bool shares_cpu_with_busy_worker();

    bool has_room_for_results() const { return running_ + completed_count_ < options_.result_queue; }
    Pending& queue_of(const Record& record);
    void requeue(std::uint32_t index, bool at_front);

    // Results out (drain.cpp).
    bool drain_rings();
    bool drain_ring(Seat& seat);
    bool take_result(Seat& seat, Peer& peer);
    static bool is_sound(Peer& peer, const Entry& entry, const ResultHead& slot, std::uint64_t offset);
    void end(std::uint32_t index, Status status, const Cause& cause);
    void end_without_answer(std::uint32_t index, Status status, const Cause& cause);
    void count_end(const Record& record);
    void fill(Result& result, Record& record);
    void notify_host();
    void purge_states();

    // The supervisor's thread (supervisor.cpp, deaths.cpp).
    void supervise();
    std::int64_t next_event(std::int64_t now);
    bool has_processes() const;
    void collect_waits(std::vector<int>& descriptors) const;
    void look_after_peers(std::int64_t now, std::int64_t passed);
    void look_after_spares(std::int64_t now);
    void look_at_start(Peer& peer, std::int64_t now);
    static std::string refusal_of(const SegmentHeader& header);
    void look_at_beat(Peer& peer, std::int64_t passed) const;
    void look_at_deadlines(std::int64_t now);
    void bury(std::size_t number, std::int64_t now);
    void judge(Peer& peer, const Cause& cause);
    void plan_restart(Seat& seat, bool fruitful, bool could_not_start, std::int64_t now);
    void start_missing(Lock& lock);
    std::unique_ptr<Peer> start_peer(std::size_t number);
    void give_up_if_hopeless();
    void learn_handlers(Peer& peer);
    void end_all_waiting(Status status, const Cause& cause);
    bool all_settled() const;
    void adopt_spare(Seat& seat);
    void end_waiting(Pending& jobs, Status status, const Cause& cause);
    std::uint64_t withdraw_unstarted();
    void ask_workers_to_end();
    static bool has_peer(const Seat& seat);
    std::uint64_t unfinished() const { return running_ + waiting_; }

    const EngineOptions options_;
    const os::Kind kind_;
    const SegmentShape shape_;
    const std::uint64_t ticks_per_us_;
    const TickTime time_of_;
    const std::uint64_t fork_generation_;

    std::mutex mutex_;
    // Of those who wait for results one listens to the bell; the others follow. See README.md.
    bool has_listener_ = false;
    std::size_t followers_ = 0;
    std::condition_variable job_ended_;
    JobArena arena_;
    os::Descriptor page_memory_;
    HostPage* page_ = nullptr;
    os::Event host_event_;  // the pollable descriptor
    os::Event wait_event_;  // what a waiting host sleeps on, portable kind
    os::Event supervisor_event_;
    bool descriptor_used_ = false;
    bool woke_a_worker_ = false;   // since a waiting host looked last
    SpinTime spin_time_;           // of a host that waits
    std::uint64_t last_wait_ = 0;  // ticks: when a wait had its results

    Records records_;
    Pending waiting_jobs_;
    RecordList completed_;
    std::size_t completed_count_ = 0;
    std::size_t waiting_ = 0;
    std::size_t running_ = 0;
    std::vector<Seat> seats_;
    std::vector<std::unique_ptr<Peer>> spares_;
    Types types_;
    std::unordered_set<std::uint64_t> handlers_;  // hashes; empty: not known yet
    std::vector<std::string> handler_names_;
    struct State {
        std::string key;
        std::shared_ptr<StateBlob> blob;  // none: forgotten
        std::uint64_t version = 0;
    };
    std::vector<State> states_;  // by version
    std::uint64_t version_ = 0;
    using Deadline = std::pair<std::int64_t, JobId>;
    std::priority_queue<Deadline, std::vector<Deadline>, std::greater<>> deadlines_;
    EngineStats stats_;
    std::string failure_;

    bool hopeless_ = false;                                                 // no worker, and none to come
    bool refusing_ = false;                                                 // shutdown has begun
    std::int64_t shutdown_end_ = std::numeric_limits<std::int64_t>::max();  // then it kills
    bool quitting_ = false;                                                 // the supervisor is to end
    std::int64_t sleeping_until_ = 0;
    std::condition_variable changed_;  // a worker has become ready, ended or failed
    std::thread supervisor_;
};

struct PayloadAccess {
    static void put(Payload& payload, Record& record);
};

}  // namespace quarry::process::impl
