#pragma once

#include <algorithm>
#include <array>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <mutex>

#include "jobs/pool/level_list.hpp"
#include "jobs/pool/overflow_list.hpp"
#include "jobs/queue/bounded_queue.hpp"
#include "jobs/queue/left_entries.hpp"
#include "jobs/queue/room.hpp"
#include "jobs/task/node.hpp"
#include "quarry/jobs/lane.hpp"

namespace quarry::impl {

// What was submitted to one lane and waits outside the workers' own queues: one queue a priority, and one bound for all
// of them. Whoever must not wait puts jobs in beyond the bound; those from outside get in only while there is room.
class Injection {
  public:
    explicit Injection(std::size_t capacity)
        : room_(capacity), room_before_permit_(capacity), normal_(places_for(capacity)) {}

    // The bound of the queues: whoever pushes a job has taken room for it, whether there was some or not.
    Room<DefaultAtomics>& room() noexcept { return room_; }
    // The bound for jobs that have no permit yet, wherever they wait for it. Apart from the queue's: one that waits at
    // its gate is in no queue, and must not keep others out of it.
    Room<DefaultAtomics>& room_before_permit() noexcept { return room_before_permit_; }
    // Lets all who wait for room of either kind look again whether they give up.
    void wake_all_waiters() noexcept {
        room_.wake_all();
        room_before_permit_.wake_all();
    }

    // A job was claimed by another way than by its entry, which may be here and take up room until somebody comes past
    // it. True: somebody waits for room, so the caller sweeps.
    bool note_entry_without_job() noexcept { return left_entries_.note(room_); }
    bool may_have_entries_without_job() const noexcept { return left_entries_.look(); }
    // Drops all such entries. The others keep their order; true: some of them were in no queue for a moment.
    bool sweep() noexcept;

    // Queues a job that has room.
    void push(Node& node, Priority priority) noexcept;
    // The same at normal priority for a job that is in its group's list, where its link is in use: false when only the
    // overflow list has a place, which needs the link too. The room is still the caller's then.
    bool try_push_unlinked(Node& node) noexcept { return overflow_.looks_empty() && normal_.try_push(&node); }
    // Queues a job once more, further in front. Throws std::bad_alloc.
    void push_raised(Node& node, Priority priority) { level(priority).push(node, false); }

    // High and urgent jobs: looked at before a worker's own queues.
    bool important_waiting() const noexcept {
        return levels_[static_cast<std::size_t>(Priority::urgent)].size_hint() != 0 ||
               levels_[static_cast<std::size_t>(Priority::high)].size_hint() != 0;
    }
    Node* take_important() noexcept;
    // Normal ones, then low ones; up to `most` at once if they are normal. `low_first`: the other way round, now and
    // then, so that nothing waits for ever.
    std::size_t take(Node** out, std::size_t most, bool low_first) noexcept;

    // Never true while something is in it that was put there before a seq_cst fence earlier than this call's loads.
    bool looks_empty() const noexcept;
    std::size_t size_hint() const noexcept { return room_.used_hint(); }

  private:
    // Twice as many as there is room for: a worker that is stopped in the middle of taking jobs out keeps places that
    // the next round would need.
    static std::size_t places_for(std::size_t capacity) noexcept {
        constexpr std::size_t kMost = BoundedQueue<DefaultAtomics, Node*>::kMostCapacity;
        return capacity > kMost ? capacity : std::min(2 * capacity, kMost);
    }

    LevelList& level(Priority priority) noexcept { return levels_[static_cast<std::size_t>(priority)]; }
    void push_beyond(Node& node) noexcept;
    void drop_entry(Node& node, bool counted) noexcept;
    bool sweep_normal(bool& moved) noexcept;
    Node* take_from(Priority priority) noexcept;

    Room<DefaultAtomics> room_;
    Room<DefaultAtomics> room_before_permit_;
    std::mutex sweeping_;
    LeftEntries<DefaultAtomics> left_entries_;
    BoundedQueue<DefaultAtomics, Node*> normal_;
    OverflowList overflow_;                                   // normal ones that found no place there
    alignas(128) std::array<LevelList, kPriorities> levels_;  // that of normal holds raised and swept ones
};

}  // namespace quarry::impl
