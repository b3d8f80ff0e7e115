#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "process/job_arena.hpp"
#include "process/records.hpp"
#include "process/segment.hpp"

namespace quarry::process::impl {

// A broadcast state in the job arena; back in it when neither the table nor a worker holds it.
struct StateBlob {
    StateBlob(JobArena& owner, std::uint32_t block, std::uint32_t bytes)
        : arena(owner), first_block(block), length(bytes) {}
    ~StateBlob() { arena.give(first_block, length); }
    StateBlob(const StateBlob&) = delete;
    StateBlob& operator=(const StateBlob&) = delete;

    JobArena& arena;
    std::uint32_t first_block;
    std::uint32_t length;
};

// What the host knows of a place in a worker's rings.
struct Entry {
    std::uint64_t id = 0;  // what the answer must say
    Message message = Message::job;
    std::uint32_t record = kNoRecord;  // kNoRecord: answered already, or no job
    std::uint32_t estimate = 0;        // nanoseconds
    std::string key;                   // of a state
    std::shared_ptr<StateBlob> blob;
};

// A worker process as its host sees it. Everything is under the engine's lock.
struct Peer {
    enum class Stage { starting, ready, dying };

    Peer(os::Kind kind, const SegmentShape& shape);

    os::Kind kind;
    os::Descriptor memory;
    std::shared_ptr<Segment> segment;
    HostEnd<Atomics> ring;
    std::vector<Entry> entries;
    os::Event job_event;  // of the portable kind
    os::Descriptor control;
    os::Child child;
    Stage stage = Stage::starting;
    bool was_ready = false;
    Cause cause;  // why it is dying
    std::int64_t started = 0;
    std::uint32_t beat = 0;
    std::int64_t silence = 0;  // nanoseconds of the supervisor's own time without a beat
    std::uint64_t finished = 0;
    std::uint64_t work = 0;  // nanoseconds, estimated, of all entries
    std::uint64_t sent_version = 0;
    std::map<std::string, std::shared_ptr<StateBlob>> held;
    bool dirty = false;  // jobs are filled in that are not published

    Entry& entry(std::uint64_t position) { return entries[position % entries.size()]; }
    std::uint64_t work_ahead() { return ring.unanswered() == 0 ? 0 : work - entry(ring.oldest()).estimate; }
    bool is_asleep() { return segment->header().bell.is_asleep(); }
    // True: it slept.
    bool wake() {
        if (!segment->header().bell.ring()) return false;
        os::wake(kind, raw(segment->header().bell.word()), job_event.ring.get());
        return true;
    }
    void condemn(Cause why) {
        if (stage == Stage::dying) return;
        stage = Stage::dying;
        cause = why;
        os::kill_group(child.number);
    }
};

}  // namespace quarry::process::impl
