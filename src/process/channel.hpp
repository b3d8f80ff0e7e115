#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <thread>

#include "process/segment.hpp"
#include "process/spin_time.hpp"
#include "quarry/process/handler.hpp"

namespace quarry::process::impl {

// A worker's side of the memory and descriptors between it and its host.
class Channel {
  public:
    Channel();
    ~Channel();
    Channel(const Channel&) = delete;
    Channel& operator=(const Channel&) = delete;

    void say(WorkerState state, std::string_view text);

    JobContext* take(std::int64_t until);
    bool stopping() const { return header().stop.load(std::memory_order_relaxed) != 0; }
    int number() const { return static_cast<int>(header().worker); }
    bool asked_to_stop() { return segment_->job(ring_.next()).claim.asked_to_stop(); }

    std::span<std::byte> make_room(std::size_t bytes);
    void publish(Outcome outcome, std::uint32_t text_length);
    void publish_error(std::string_view text, std::string_view traceback);
    void drop_reply();
    std::optional<StateView> state(std::string_view key) const;

  private:
    void open();
    void watch();
    void set_state(const JobSlot& slot);
    bool start(JobSlot& slot);
    void call_supervisor();
    void end_forked_child() const;
    bool wait_for_job(std::int64_t until);
    void expect_a_job();
    bool spin();
    bool looks_pay();
    void note_where_it_woke(std::uint64_t slept);
    std::optional<std::size_t> wait_for_blocks(std::size_t count);
    SegmentHeader& header() const { return segment_->header(); }
    int descriptor(ChannelDescriptor which) const { return first_descriptor_ + which; }

    int first_descriptor_ = 0;
    os::Kind kind_ = os::Kind::native;
    std::unique_ptr<Segment> segment_;
    const std::byte* job_arena_ = nullptr;
    HostPage* page_ = nullptr;
    WorkerEnd<Atomics> ring_;
    std::uint64_t fork_generation_ = 0;
    JobContext context_;

    std::span<std::byte> reply_;
    std::size_t reply_block_ = 0;
    bool reply_in_arena_ = false;
    std::uint64_t started_ = 0;  // ticks

    bool woke_the_host_ = false;
    bool was_woken_ = false;  // and has not looked for another job since
    SpinTime spin_time_;
    std::uint64_t ticks_per_us_ = 1;
    // How often in a row it was woken on the host's processor, and how often that may be before it leaves.
    std::uint32_t crowded_ = 0;
    std::uint32_t patience_ = 8;
    std::uint64_t left_at_ = 0;  // ticks
    std::map<std::string, StateView, std::less<>> states_;
    std::atomic<bool> ending_{false};
    std::thread watcher_;
};

}  // namespace quarry::process::impl
