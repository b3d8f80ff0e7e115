#include "process/channel.hpp"

#include <algorithm>
#include <cstdlib>
#include <cstring>
#include <thread>
#include <utility>

#include <pthread.h>
#include <signal.h>  // NOLINT(modernize-deprecated-headers): pthread_sigmask is not in <csignal>
#include <unistd.h>

#include "jobs/os/os.hpp"
#include "quarry/jobs/error.hpp"
#include "quarry/jobs/ext/fork.hpp"

namespace quarry::process::impl {
namespace {

using ::quarry::impl::ticks;

// The memory as far as one must read it to know how much there is.
SegmentShape read_shape(int descriptor, std::size_t& bytes) {
    const std::size_t length = SegmentShape::round_up(sizeof(SegmentHeader));
    std::byte* memory = os::map_memory(descriptor, length, true);
    const auto& header = *std::launder(reinterpret_cast<const SegmentHeader*>(memory));
    const bool known = header.magic == kMagic && header.protocol == kProtocol;
    const SegmentShape shape{header.slots, header.arena_bytes};
    bytes = header.bytes;
    os::unmap_memory(memory, length);
    if (!known || shape.slots == 0 || shape.bytes() != bytes) {
        std::exit(kWrongProtocolStatus);  // NOLINT(concurrency-mt-unsafe): nothing else runs yet
    }
    return shape;
}

// "PROTOCOL:FIRST DESCRIPTOR"
int first_descriptor() {
    const char* variable = std::getenv(kChannelVariable);  // NOLINT(concurrency-mt-unsafe): nothing else runs yet
    if (variable == nullptr) {
        throw Error("this process was not started by an engine: a worker is started with QUARRY_CHANNEL set");
    }
    const std::string text(variable);
    const std::size_t colon = text.find(':');
    if (colon == std::string::npos) throw Error("QUARRY_CHANNEL is not what an engine sets: " + text);
    if (text.substr(0, colon) != std::to_string(kProtocol)) {
        std::exit(kWrongProtocolStatus);  // NOLINT(concurrency-mt-unsafe): nothing else runs yet
    }
    return std::atoi(text.c_str() + colon + 1);
}

}  // namespace

Channel::Channel()
    : first_descriptor_(first_descriptor()),
      segment_([this] {
          std::size_t bytes = 0;
          const SegmentShape shape = read_shape(descriptor(kSegmentFd), bytes);
          return std::make_unique<Segment>(descriptor(kSegmentFd), shape);
      }()),
      ring_(segment_->header().ring),
      fork_generation_(ext::fork_generation()),
      context_(*this) {
    open();
}

void Channel::open() {
    unsetenv(kChannelVariable);  // NOLINT(concurrency-mt-unsafe): nothing else runs yet
    kind_ = static_cast<os::Kind>(header().os);
    job_arena_ = os::map_memory(descriptor(kJobArenaFd), header().job_arena_bytes, false);
    page_ = std::launder(reinterpret_cast<HostPage*>(os::map_memory(descriptor(kHostPageFd), kHostPageBytes, true)));
    // What this process starts has no business with them.
    for (int i = 0; i < kChannelDescriptors; ++i) os::set_flags(first_descriptor_ + i, false);
    os::continue_when_parent_dies();
    if (header().memory_limit != 0) os::limit_memory(header().memory_limit);
    ticks_per_us_ = ::quarry::impl::os::ticks_per_microsecond();
    spin_time_ = SpinTime(header().spin_us * ticks_per_us_);
    sigset_t all;
    sigset_t before;
    sigfillset(&all);
    pthread_sigmask(SIG_SETMASK, &all, &before);
    watcher_ = std::thread([this] { watch(); });
    pthread_sigmask(SIG_SETMASK, &before, nullptr);
}

Channel::~Channel() {
    if (ext::fork_generation() != fork_generation_) {
        watcher_.detach();
        return;
    }
    ending_.store(true);
    watcher_.join();
}

// A thread of its own, so that it beats while a handler computes, and sees the host die while one is stuck.
void Channel::watch() {
    ::quarry::impl::os::set_thread_name("quarry-beat");
    const std::int64_t interval = header().beat_ms * kMillisecond;
    // Looks at the end of the process more often than it beats.
    const std::int64_t turn = std::min<std::int64_t>(interval, 250 * kMillisecond);
    while (!ending_.load(std::memory_order_relaxed)) {
        header().beat.fetch_add(1, std::memory_order_relaxed);
        const os::Pipe host = os::watch_pipe(descriptor(kControlFd), stopping() ? kMillisecond : turn);
        if (host != os::Pipe::open || os::parent_process() != header().host_process) os::end_group();
    }
}

void Channel::say(WorkerState state, std::string_view text) {
    const std::size_t length = std::min(text.size(), kTextBytes);
    std::copy_n(text.data(), length, header().text.data());
    header().text_length.store(static_cast<std::uint32_t>(length), std::memory_order_relaxed);
    header().state.store(static_cast<std::uint32_t>(state), std::memory_order_release);
    os::ring_event(descriptor(kSupervisorFd));
}

JobContext* Channel::take(std::int64_t until) {
    for (;;) {
        if (!ring_.has_job() && !wait_for_job(until)) return nullptr;
        JobSlot& slot = segment_->job(ring_.next());
        if (slot.message != Message::job) {
            set_state(slot);
        } else if (start(slot)) {
            return &context_;
        }
    }
}

// False: it is not to be run, and has its answer.
bool Channel::start(JobSlot& slot) {
    if (!slot.claim.start()) {
        publish(Outcome::cancelled, 0);
        return false;
    }
    if (slot.deadline != 0 && os::monotonic_ns() >= slot.deadline) {
        publish(Outcome::deadline, 0);
        return false;
    }
    call_supervisor();
    context_.id_ = slot.id;
    context_.type_ = slot.type;
    if (slot.place == Place::inside) {
        context_.payload_ = {slot.bytes.data(), slot.length};
    } else {
        std::uint64_t offset = 0;
        std::memcpy(&offset, slot.bytes.data(), sizeof offset);
        context_.payload_ = {job_arena_ + offset, slot.length};
    }
    started_ = ticks();
    return true;
}

void Channel::set_state(const JobSlot& slot) {
    std::uint64_t offset = 0;
    std::memcpy(&offset, slot.bytes.data(), sizeof offset);
    const std::string key(reinterpret_cast<const char*>(slot.bytes.data()) + sizeof offset, slot.key_length);
    if (slot.message == Message::forget) {
        states_.erase(key);
    } else {
        states_[key] = {{job_arena_ + offset, slot.length}, slot.type};
    }
    publish(Outcome::done, 0);
}

std::optional<StateView> Channel::state(std::string_view key) const {
    const auto found = states_.find(key);
    if (found == states_.end()) return std::nullopt;
    return found->second;
}

// The host has more jobs than found room here, and may be away.
void Channel::call_supervisor() {
    if (header().armed.load(std::memory_order_relaxed) == 0) return;
    const std::uint32_t low = header().low.load(std::memory_order_relaxed);
    if (ring_.known() > low + 1) return;
    ring_.refresh();
    if (ring_.known() > low + 1) return;
    if (header().armed.exchange(0, std::memory_order_seq_cst) != 0) os::ring_event(descriptor(kSupervisorFd));
}

// Whether the host can hand over another job while this worker keeps its processor.
bool Channel::looks_pay() {
    const bool woke_the_host = std::exchange(woke_the_host_, false);
    const bool was_woken = std::exchange(was_woken_, false);
    if (!spin_time_.is_allowed()) return false;
    const std::uint32_t here = os::this_cpu(kind_);
    header().cpu.store(here, std::memory_order_relaxed);
    // A kernel may put a woken host on the processor of who woke it: to spin would keep it from going on.
    if (woke_the_host) return false;
    // Or it has put this worker on the processor of the host that woke it, before the host could go on.
    if (was_woken) std::this_thread::yield();
    return here == os::kNoCpu || here != page_->cpu.load(std::memory_order_relaxed);
}

bool Channel::spin() {
    if (!looks_pay()) return ring_.has_job();
    const std::uint64_t start = ticks();
    const std::uint64_t limit = spin_time_.next();
    while (ticks() - start < limit) {
        if (ring_.has_job()) {
            spin_time_.has_paid();
            return true;
        }
        ::quarry::impl::os::cpu_relax();
    }
    spin_time_.has_not_paid();
    return false;
}

// A worker that is woken on the host's processor starts when the host sleeps, and the host goes on when it does. Where
// jobs follow each other closely it is better off on another one: then neither has to sleep.
void Channel::note_where_it_woke(std::uint64_t slept) {
    constexpr std::uint64_t kCloseUs = 200;
    constexpr std::uint64_t kSoonUs = 100'000;
    constexpr std::uint32_t kLeastPatience = 8;
    constexpr std::uint32_t kMostPatience = 4096;
    const std::uint32_t here = os::this_cpu(kind_);
    header().cpu.store(here, std::memory_order_relaxed);
    if (here == os::kNoCpu || !spin_time_.is_allowed() || slept > kCloseUs * ticks_per_us_) return;
    if (here != page_->cpu.load(std::memory_order_relaxed)) {
        crowded_ = 0;
        return;
    }
    if (++crowded_ < patience_) return;
    crowded_ = 0;
    // Where it is put back again and again, leaving does not pay.
    const std::uint64_t now = ticks();
    const bool was_put_back = left_at_ != 0 && now - left_at_ < kSoonUs * ticks_per_us_;
    patience_ = was_put_back ? std::min(kMostPatience, patience_ * 2) : kLeastPatience;
    left_at_ = now;
    os::leave_cpu(here);
    header().cpu.store(os::this_cpu(kind_), std::memory_order_relaxed);
}

// What the next job and its answer take, all at once: after a sleep none of it is in a cache, and to miss one after the
// other takes longer than the job's own way.
void Channel::expect_a_job() {
    __builtin_prefetch(&segment_->job(ring_.next()), 1);
    __builtin_prefetch(&segment_->result(ring_.next()), 1);
    __builtin_prefetch(&header().ring.results, 1);
    __builtin_prefetch(&header().cpu, 1);
    __builtin_prefetch(page_, 1);
    __builtin_prefetch(&page_->event_wanted);
    __builtin_prefetch(&page_->cpu);
}

bool Channel::wait_for_job(std::int64_t until) {
    if (stopping()) return false;
    call_supervisor();
    if (spin()) return true;
    const std::uint64_t start = ticks();
    header().bell.sleep_until([this] { return ring_.has_job() || stopping(); },
                              [&](auto& word, std::uint32_t value) {
                                  const bool go_on =
                                      os::sleep_on(kind_, raw(word), value, descriptor(kJobEventFd), until);
                                  expect_a_job();
                                  return go_on;
                              });
    was_woken_ = true;
    note_where_it_woke(ticks() - start);
    return ring_.has_job() && !stopping();
}

// A process that a handler forked has come back from it: the answer is the worker's to give, and so is the place that
// it is written to.
void Channel::end_forked_child() const {
    if (ext::fork_generation() != fork_generation_) _exit(0);
}

std::span<std::byte> Channel::make_room(std::size_t bytes) {
    end_forked_child();
    drop_reply();
    if (bytes <= kResultInline) {
        reply_ = {segment_->result(ring_.next()).bytes.data(), bytes};
        return reply_;
    }
    const std::size_t count = Segment::blocks_for(bytes);
    if (bytes > 0xffff'ffff || count > segment_->shape().blocks()) {
        throw Error("an answer of " + std::to_string(bytes) + " bytes is more than EngineOptions::result_arena, " +
                    std::to_string(segment_->shape().arena_bytes) + " bytes, can hold");
    }
    const auto block = wait_for_blocks(count);
    if (!block) throw Error("the engine was shut down before there was room for the answer");
    reply_in_arena_ = true;
    reply_block_ = *block;
    reply_ = {segment_->arena() + *block * kBlockBytes, bytes};
    return reply_;
}

std::optional<std::size_t> Channel::wait_for_blocks(std::size_t count) {
    auto block = segment_->blocks().take(count);
    if (block) return block;
    header().lacks_room.store(1, std::memory_order_relaxed);
    const auto has_room = [&] {
        if (!block) block = segment_->blocks().take(count);
        return block || stopping();
    };
    // The host rings when it drops a result. With the portable kind it cannot, and this looks now and then.
    constexpr std::int64_t kPortableLook = 5 * kMillisecond;
    constexpr std::int64_t kLook = 1'000 * kMillisecond;
    while (!has_room()) {
        const std::int64_t until = os::monotonic_ns() + (kind_ == os::Kind::native ? kLook : kPortableLook);
        header().bell.sleep_until(has_room, [&](auto& word, std::uint32_t value) {
            return os::sleep_on(kind_, raw(word), value, descriptor(kJobEventFd), until);
        });
    }
    header().lacks_room.store(0, std::memory_order_relaxed);
    return block;
}

void Channel::drop_reply() {
    if (reply_in_arena_) segment_->blocks().give(reply_block_, Segment::blocks_for(reply_.size()));
    reply_in_arena_ = false;
    reply_ = {};
}

void Channel::publish(Outcome outcome, std::uint32_t text_length) {
    end_forked_child();
    const JobSlot& job = segment_->job(ring_.next());
    ResultSlot& slot = segment_->result(ring_.next());
    slot.id = job.id;
    slot.outcome = outcome;
    slot.ticks = started_ == 0 ? 0 : ticks() - started_;
    slot.length = static_cast<std::uint32_t>(reply_.size());
    slot.text_length = text_length;
    slot.place = static_cast<std::uint32_t>(reply_in_arena_ ? Place::arena : Place::inside);
    if (reply_in_arena_) {
        const std::uint64_t offset = std::uint64_t{reply_block_} * kBlockBytes;
        std::memcpy(slot.bytes.data(), &offset, sizeof offset);
    }
    reply_in_arena_ = false;
    reply_ = {};
    started_ = 0;
    ring_.publish();
    if (page_->bell.ring()) {
        os::wake(kind_, raw(page_->bell.word()), descriptor(kWaitEventFd));
        woke_the_host_ = true;
    }
    if (page_->event_wanted.load(std::memory_order_relaxed) != 0 &&
        page_->event_wanted.exchange(0, std::memory_order_relaxed) != 0) {
        os::ring_event(descriptor(kHostEventFd));
    }
}

// An error must get through even if there is no room for all of it.
void Channel::publish_error(std::string_view text, std::string_view traceback) {
    end_forked_child();
    drop_reply();
    text = text.substr(0, 64U << 10);
    traceback = traceback.substr(0, 256U << 10);
    std::size_t length = text.size() + traceback.size();
    if (length > kResultInline) {
        const auto block = segment_->blocks().take(Segment::blocks_for(length));
        if (block) {
            reply_in_arena_ = true;
            reply_block_ = *block;
            reply_ = {segment_->arena() + *block * kBlockBytes, length};
        } else {
            text = text.substr(0, kResultInline);
            traceback = {};
            length = text.size();
        }
    }
    if (!reply_in_arena_) reply_ = {segment_->result(ring_.next()).bytes.data(), length};
    const auto behind_text = std::copy_n(reinterpret_cast<const std::byte*>(text.data()), text.size(), reply_.begin());
    std::copy_n(reinterpret_cast<const std::byte*>(traceback.data()), traceback.size(), behind_text);
    publish(Outcome::error, static_cast<std::uint32_t>(text.size()));
}

}  // namespace quarry::process::impl
