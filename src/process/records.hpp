#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <memory>
#include <optional>
#include <vector>

#include "process/segment.hpp"
#include "quarry/frame/frame_tag.hpp"
#include "quarry/process/job.hpp"
#include "quarry/process/result.hpp"

namespace quarry::process::impl {

inline constexpr std::uint32_t kNoRecord = 0xffff'ffff;

// Why a worker ended, as far as its job is concerned.
enum class Death : std::uint8_t { none, exited, signalled, hung, corrupt, late, shut_down, no_worker };
struct Cause {
    Death death = Death::none;
    int code = 0;  // of exited and signalled
};
std::string describe(const Cause& cause);

// A job from submit to poll: first its payload, then its result.
struct Record {
    enum class Stage : std::uint8_t { free, waiting, given, ended };

    JobId id = 0;
    std::uint32_t next = kNoRecord;
    std::uint32_t previous = kNoRecord;
    std::uint32_t type = 0;  // in the table of types
    std::uint32_t length = 0;
    std::uint32_t first_block = 0;  // of a payload in the arena
    std::uint32_t text_length = 0;
    std::int16_t pinned = -1;
    std::int16_t worker = -1;
    Stage stage = Stage::free;
    Place place = Place::inside;
    std::uint8_t priority = 0;
    std::uint8_t kills = 0;
    Retry retry = Retry::at_most_once;
    bool poison = false;
    bool late = false;  // its worker is being killed because of its deadline
    Status status = Status::ok;
    Cause cause;
    std::int64_t deadline = 0;    // 0: none
    std::uint64_t position = 0;   // in its worker's ring
    std::uint64_t submitted = 0;  // ticks
    std::uint64_t run = 0;        // ticks
    std::uint64_t latency = 0;    // ticks
    std::optional<FrameTag> frame;
    std::shared_ptr<Segment> segment;  // of a result in shared memory
    const std::byte* shared = nullptr;
    std::array<std::byte, kResultInline> bytes{};
};
static_assert(kJobInline <= kResultInline);

// All records, reached by index; an id holds its index and how often that was used.
class Records {
  public:
    std::uint32_t make() {
        std::uint32_t index = 0;
        if (free_.empty()) {
            index = static_cast<std::uint32_t>(records_.size());
            records_.emplace_back();
        } else {
            index = free_.back();
            free_.pop_back();
        }
        Record& record = records_[index];
        const std::uint64_t generation = (record.id >> kIndexBits) + 1;
        record.id = generation << kIndexBits | index;
        return index;
    }
    void release(std::uint32_t index) {
        records_[index].stage = Record::Stage::free;
        free_.push_back(index);
    }
    Record& operator[](std::uint32_t index) { return records_[index]; }
    // nullptr: there is no such job, or its result has been polled.
    Record* find(JobId id) {
        const std::uint64_t index = id & ((std::uint64_t{1} << kIndexBits) - 1);
        if (index >= records_.size()) return nullptr;
        Record& record = records_[index];
        return record.id == id && record.stage != Record::Stage::free ? &record : nullptr;
    }
    static std::uint32_t index_of(const Record& record) {
        return static_cast<std::uint32_t>(record.id & ((std::uint64_t{1} << kIndexBits) - 1));
    }

  private:
    static constexpr unsigned kIndexBits = 32;

    std::deque<Record> records_;
    std::vector<std::uint32_t> free_;
};

// First in, first out, with removal from the middle. The links are in the records.
class RecordList {
  public:
    bool empty() const { return first_ == kNoRecord; }
    std::uint32_t front() const { return first_; }

    void push_back(Records& records, std::uint32_t index) {
        records[index].next = kNoRecord;
        records[index].previous = last_;
        (last_ == kNoRecord ? first_ : records[last_].next) = index;
        last_ = index;
    }
    void push_front(Records& records, std::uint32_t index) {
        records[index].previous = kNoRecord;
        records[index].next = first_;
        (first_ == kNoRecord ? last_ : records[first_].previous) = index;
        first_ = index;
    }
    void remove(Records& records, std::uint32_t index) {
        const Record& record = records[index];
        (record.previous == kNoRecord ? first_ : records[record.previous].next) = record.next;
        (record.next == kNoRecord ? last_ : records[record.next].previous) = record.previous;
    }

  private:
    std::uint32_t first_ = kNoRecord;
    std::uint32_t last_ = kNoRecord;
};

// Jobs that wait, most important first, oldest first among equals.
class Pending {
  public:
    static constexpr int kLevels = kPriorities;

    bool empty() const { return levels_in_use_ == 0; }
    // The level of the front; -1 if there is none.
    int level() const { return static_cast<int>(std::bit_width(levels_in_use_)) - 1; }
    std::uint32_t front() const { return lists_[static_cast<std::size_t>(level())].front(); }

    void push(Records& records, std::uint32_t index, bool at_front) {
        const std::size_t level = records[index].priority;
        at_front ? lists_[level].push_front(records, index) : lists_[level].push_back(records, index);
        levels_in_use_ |= 1U << level;
    }
    void remove(Records& records, std::uint32_t index) {
        const std::size_t level = records[index].priority;
        lists_[level].remove(records, index);
        if (lists_[level].empty()) levels_in_use_ &= ~(1U << level);
    }

  private:
    std::array<RecordList, kLevels> lists_;
    unsigned levels_in_use_ = 0;
};

}  // namespace quarry::process::impl
