#pragma once

#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <vector>

#include "terrain/streaming/node_tree.hpp"

namespace quarry::terrain::streaming {

// Nodes by how far viewers have to have travelled before they are looked at again: a calendar. Days are lists in a
// ring, and what lies beyond the ring waits in one more list. A heap does the same with a cold cache line for each
// level of each removal, between two frames in which workers have used the caches; here a frame reads one short list
// from its begin to its end.
class DueQueue {
  public:
    struct Due {
        double at;
        NodeIndex node;
        std::uint32_t stamp;
    };

    explicit DueQueue(double day) : day_(day) {}

    std::size_t size() const noexcept { return size_; }

    // Not before what take_before was called with last.
    void push(const Due& due) {
        ++size_;
        const std::int64_t day = day_of(due.at);
        if (day - today_ < kDays) return list_of(day).push_back(due);
        beyond_.push_back(due);
        first_beyond_ = std::min(first_beyond_, day);
    }

    void clear(double travelled) {
        for (std::vector<Due>& list : ring_) list.clear();
        beyond_.clear();
        size_ = 0;
        today_ = day_of(travelled);
        first_beyond_ = kNever;
    }

    // Calls visit(due) for all that were due before that, and forgets them. visit may push.
    template <class Visit>
    void take_before(double travelled, Visit visit) {
        const std::int64_t day = day_of(travelled);
        for (; today_ < day; ++today_) {
            // Nothing is pushed onto a day that is over.
            std::vector<Due>& over = list_of(today_);
            for (const Due& due : over) visit(due);
            size_ -= over.size();
            over.clear();
            if (first_beyond_ - today_ <= kDays / 2) bring_closer();
        }
        std::vector<Due>& list = list_of(today_);
        for (std::size_t i = 0; i < list.size();) {
            if (list[i].at >= travelled) {
                ++i;
                continue;
            }
            const Due due = list[i];
            list[i] = list.back();
            list.pop_back();
            --size_;
            visit(due);
        }
    }

    // Forgets those of which is_old(due).
    template <class IsOld>
    void forget_if(IsOld is_old) {
        std::erase_if(beyond_, is_old);
        size_ = beyond_.size();
        for (std::vector<Due>& list : ring_) {
            std::erase_if(list, is_old);
            size_ += list.size();
        }
    }

  private:
    static constexpr std::int64_t kDays = 128;
    static constexpr std::int64_t kNever = std::numeric_limits<std::int64_t>::max() / 2;

    std::int64_t day_of(double at) const noexcept { return static_cast<std::int64_t>(std::floor(at / day_)); }
    std::vector<Due>& list_of(std::int64_t day) noexcept { return ring_[static_cast<std::size_t>(day % kDays)]; }

    // From the list beyond the ring, all that the ring has room for when today is over.
    void bring_closer() {
        first_beyond_ = kNever;
        std::size_t kept = 0;
        for (const Due due : beyond_) {
            const std::int64_t day = day_of(due.at);
            if (day - today_ < kDays) {
                list_of(day).push_back(due);
            } else {
                beyond_[kept++] = due;
                first_beyond_ = std::min(first_beyond_, day);
            }
        }
        beyond_.resize(kept);
    }

    const double day_;
    std::array<std::vector<Due>, static_cast<std::size_t>(kDays)> ring_;
    std::vector<Due> beyond_;
    std::int64_t today_ = 0;
    std::int64_t first_beyond_ = kNever;
    std::size_t size_ = 0;
};

}  // namespace quarry::terrain::streaming
