#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <memory>
#include <span>
#include <string>
#include <string_view>

#include "process/arena/block_map.hpp"
#include "process/os.hpp"
#include "process/ring/bell.hpp"
#include "process/ring/claim.hpp"
#include "process/ring/ring.hpp"
#include "quarry/jobs/impl/atomics.hpp"

// How the memory between the host and one worker is laid out:
//
//   SegmentHeader | job slots | result slots | bits of the arena's blocks | arena for large results
//
// The host writes jobs, the worker everything else. Large jobs and broadcast state lie in the engine's own arena, which
// workers can only read.
namespace quarry::process::impl {

using Atomics = ::quarry::impl::DefaultAtomics;
template <class T>
using Shared = Atomics::Atomic<T>;

inline std::atomic<std::uint32_t>& raw(std::atomic<std::uint32_t>& word) {
    return word;
}
inline std::atomic<std::uint32_t>& raw(::quarry::impl::SeqCstAtomic<std::uint32_t>& word) {
    return word.underlying();
}

inline constexpr std::int64_t kMillisecond = 1'000'000;
inline constexpr std::uint64_t kMagic = 0x3159'5252'4155'5101;  // changes with the layout of what follows
inline constexpr std::uint32_t kProtocol = 2;
inline constexpr std::size_t kBlockBytes = 256;
inline constexpr std::size_t kPageBytes = 4096;
inline constexpr std::size_t kSlotBytes = 128;
inline constexpr std::size_t kJobInline = 88;
inline constexpr std::size_t kResultInline = 96;
inline constexpr std::size_t kTextBytes = 16'384;
inline constexpr std::size_t kMostKeyBytes = 63;

enum class Message : std::uint16_t { job = 1, state, forget };
enum class Place : std::uint16_t { inside = 1, arena };

// An arena place takes the first bytes of the inline part: `offset`, and for broadcast state the key behind it.
struct JobSlot {
    Claim<Atomics> claim;
    Message message = Message::job;
    Place place = Place::inside;
    std::uint64_t id = 0;
    std::uint64_t type = 0;     // hash of the name; of a state: its version
    std::int64_t deadline = 0;  // monotonic nanoseconds; 0: none
    std::uint32_t length = 0;   // of the payload
    std::uint32_t key_length = 0;
    std::array<std::byte, kJobInline> bytes{};
};
static_assert(sizeof(JobSlot) == kSlotBytes);

enum class Outcome : std::uint32_t { ok = 1, error, cancelled, deadline, done /* no job: state is in place */ };

// What the host must check of a result before it looks at the rest.
struct ResultHead {
    std::uint64_t id = 0;
    Outcome outcome = Outcome::ok;
    std::uint32_t length = 0;
    std::uint64_t ticks = 0;  // how long the handler ran
    std::uint32_t place = 0;
    std::uint32_t text_length = 0;  // of an error: the message; what follows is the traceback
};
struct ResultSlot : ResultHead {
    std::array<std::byte, kResultInline> bytes{};
};
static_assert(sizeof(ResultSlot) == kSlotBytes);

enum class WorkerState : std::uint32_t { starting, ready, refused };

struct SegmentHeader {
    // Written once by the host, before the worker starts.
    std::uint64_t magic = kMagic;
    std::uint32_t protocol = kProtocol;
    std::uint32_t os = 0;
    std::uint64_t bytes = 0;
    std::uint64_t slots = 0;
    std::uint64_t arena_bytes = 0;
    std::uint64_t job_arena_bytes = 0;
    std::uint64_t memory_limit = 0;
    std::uint32_t worker = 0;
    std::uint32_t beat_ms = 0;
    std::int32_t host_process = 0;
    std::uint32_t spin_us = 0;

    RingWords<Atomics> ring;
    // The host asks for a call of the supervisor's bell once no more than `low` jobs are left.
    alignas(kApart) Shared<std::uint32_t> armed{0};
    Shared<std::uint32_t> low{0};
    Shared<std::uint32_t> stop{0};
    alignas(kApart) Bell<Atomics> bell;  // where the worker sleeps
    // The worker's.
    alignas(kApart) Shared<std::uint32_t> beat{0};
    Shared<std::uint32_t> state{static_cast<std::uint32_t>(WorkerState::starting)};
    Shared<std::uint32_t> lacks_room{0};
    Shared<std::uint32_t> cpu{os::kNoCpu};  // on which it ran when it looked last
    Shared<std::uint32_t> text_length{0};
    std::array<char, kTextBytes> text{};  // why it refused to start, or the names of its handlers, one a line
};

// Shared by the host and all its workers: where a host's thread sleeps until a result comes.
struct HostPage {
    alignas(kApart) Bell<Atomics> bell;
    alignas(kApart) Shared<std::uint32_t> event_wanted{0};
    // Of the host's thread that woke a worker last, or waited for one.
    alignas(kApart) Shared<std::uint32_t> cpu{os::kNoCpu};
};
inline constexpr std::size_t kHostPageBytes = kPageBytes;

struct SegmentShape {
    std::uint64_t slots = 0;
    std::uint64_t arena_bytes = 0;

    std::size_t jobs_at() const { return round_up(sizeof(SegmentHeader)); }
    std::size_t results_at() const { return jobs_at() + round_up(slots * kSlotBytes); }
    std::size_t bits_at() const { return results_at() + round_up(slots * kSlotBytes); }
    std::size_t blocks() const { return arena_bytes / kBlockBytes; }
    std::size_t arena_at() const {
        return bits_at() + round_up(BlockMap<Atomics>::words_for(blocks()) * sizeof(std::uint64_t));
    }
    std::size_t bytes() const { return arena_at() + round_up(arena_bytes); }

    static std::size_t round_up(std::size_t bytes) { return (bytes + kPageBytes - 1) / kPageBytes * kPageBytes; }
};

// A mapped segment, in either process.
class Segment {
  public:
    using Word = BlockMap<Atomics>::Word;

    Segment(int descriptor, SegmentShape shape)
        : shape_(shape), memory_(os::map_memory(descriptor, shape.bytes(), true)) {}
    ~Segment() { os::unmap_memory(memory_, shape_.bytes()); }
    Segment(const Segment&) = delete;
    Segment& operator=(const Segment&) = delete;

    const SegmentShape& shape() const { return shape_; }
    SegmentHeader& header() { return *std::launder(reinterpret_cast<SegmentHeader*>(memory_)); }
    JobSlot& job(std::uint64_t position) { return slots<JobSlot>(shape_.jobs_at())[position % shape_.slots]; }
    ResultSlot& result(std::uint64_t position) {
        return slots<ResultSlot>(shape_.results_at())[position % shape_.slots];
    }
    std::byte* arena() { return memory_ + shape_.arena_at(); }
    BlockMap<Atomics> blocks() {
        const std::size_t words = BlockMap<Atomics>::words_for(shape_.blocks());
        return {std::span(slots<Word>(shape_.bits_at()), words), shape_.blocks()};
    }
    // Host, once, before the worker exists: fresh memory is zeros, which is right for all but the header and slots.
    void construct() {
        new (memory_) SegmentHeader();
        for (std::uint64_t i = 0; i < shape_.slots; ++i) {
            new (&job(i)) JobSlot();
            new (&result(i)) ResultSlot();
        }
    }

    // When the worker is gone: pages of the arena in which no result lies go back to the system.
    void drop_unused_pages() {
        constexpr std::size_t kBlocksInPage = kPageBytes / kBlockBytes;
        const BlockMap<Atomics> map = blocks();
        const std::size_t pages = map.blocks() / kBlocksInPage;
        std::size_t first = 0;  // of the unused ones before the page
        for (std::size_t page = 0; page <= pages; ++page) {
            bool unused = page < pages;
            for (std::size_t i = 0; unused && i < kBlocksInPage; ++i) unused = map.is_free(page * kBlocksInPage + i);
            if (unused) continue;
            if (page != first) os::drop_pages(arena() + first * kPageBytes, (page - first) * kPageBytes);
            first = page + 1;
        }
    }

    // Host: room in the arena that a result took. Its worker may sleep because it lacks room. The portable kind cannot
    // be woken from here, and looks by itself.
    void give_back(std::size_t first, std::size_t bytes) {
        blocks().give(first, blocks_for(bytes));
        if (header().os != static_cast<std::uint32_t>(os::Kind::native)) return;
        if (header().bell.ring()) os::wake(os::Kind::native, raw(header().bell.word()), -1);
    }

    static constexpr std::size_t blocks_for(std::size_t bytes) { return (bytes + kBlockBytes - 1) / kBlockBytes; }

  private:
    template <class Slot>
    Slot* slots(std::size_t at) {
        return std::launder(reinterpret_cast<Slot*>(memory_ + at));
    }

    SegmentShape shape_;
    std::byte* memory_;
};

// FNV-1a: a name in a slot's eight bytes. Who registers names makes sure that no two of them collide.
constexpr std::uint64_t hash_name(std::string_view name) {
    std::uint64_t hash = 0xcbf29ce484222325;
    for (const char letter : name) {
        hash ^= static_cast<unsigned char>(letter);
        hash *= 0x100000001b3;
    }
    return hash;
}

// Keeps the compiler from reading shared memory again in place of a copy that has been checked.
inline void no_second_look() {
    asm volatile("" ::: "memory");
}

// The descriptors a worker is started with, in this order from 3 on.
enum ChannelDescriptor {
    kSegmentFd,
    kJobArenaFd,
    kHostPageFd,
    kControlFd,
    kSupervisorFd,
    kHostEventFd,
    kJobEventFd,
    kWaitEventFd
};
inline constexpr int kChannelDescriptors = 8;
// How a worker ends that was started by an engine of another version, whose memory it cannot read.
inline constexpr int kWrongProtocolStatus = 97;
inline constexpr const char* kChannelVariable = "QUARRY_CHANNEL";

}  // namespace quarry::process::impl
