#pragma once

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <vector>

namespace quarry::impl {

// Items that the host has taken in and not delivered, and which of them comes next. Room for all is made at the
// beginning: nothing here allocates later.
class DeliveryOrder {
  public:
    struct Item {
        double rank;
        std::uint64_t number;  // in the order of arrival
        std::uint64_t since;   // number of the delivery that took it in
        std::uint32_t slot;
    };

    DeliveryOrder(double age_bonus, std::uint64_t overdue_after) noexcept
        : age_bonus_(age_bonus), overdue_after_(overdue_after) {}
    void make_room(std::size_t most) { items_.reserve(most); }

    bool empty() const noexcept { return items_.empty(); }
    std::size_t size() const noexcept { return items_.size(); }

    // begin_intake, add for each, newest first, end_intake.
    void begin_intake() noexcept { first_new_ = items_.size(); }
    void add(std::uint32_t slot, std::uint64_t delivery) noexcept { items_.push_back({0, 0, delivery, slot}); }
    void end_intake() noexcept {
        std::reverse(items_.begin() + static_cast<std::ptrdiff_t>(first_new_), items_.end());
        for (std::size_t i = first_new_; i < items_.size(); ++i) items_[i].number = ++last_number_;
    }

    // Ranks all by importance(slot) and by how long they have waited: one evaluation an item, and a heap, unless they
    // are in order already: a host that keeps up, with results that are equally important, needs none.
    template <class Importance>
    void rank(std::uint64_t delivery, Importance importance) {
        for (Item& item : items_) {
            const std::uint64_t waited = delivery - item.since;
            if (item.slot == first_slot_ || waited >= overdue_after_) {
                item.rank = std::numeric_limits<double>::infinity();
                continue;
            }
            const double value = importance(item.slot);
            // Whatever is not a number is the least important of all.
            item.rank = std::isnan(value) ? -std::numeric_limits<double>::max()
                                          : std::min(value + age_bonus_ * static_cast<double>(waited),
                                                     std::numeric_limits<double>::max());
        }
        const Later later{first_slot_};
        in_order_ = std::is_sorted(items_.rbegin(), items_.rend(), later);
        if (in_order_) {
            std::reverse(items_.begin(), items_.end());
        } else {
            std::make_heap(items_.begin(), items_.end(), later);
        }
    }

    // The most important one; it stays until remove_next. put_back_next: it will be the first of all next time.
    Item& next() noexcept {
        if (!in_order_) std::pop_heap(items_.begin(), items_.end(), Later{first_slot_});
        return items_.back();
    }
    void remove_next() noexcept {
        if (items_.back().slot == first_slot_) first_slot_ = kNone;
        items_.pop_back();
    }
    void put_back_next() noexcept { first_slot_ = items_.back().slot; }

    // The item that was put back.
    bool has_first() const noexcept { return first_slot_ != kNone; }
    std::uint32_t remove_first() noexcept {
        const std::uint32_t slot = first_slot_;
        const auto at = std::find_if(items_.begin(), items_.end(), [&](const Item& item) { return item.slot == slot; });
        *at = items_.back();
        items_.pop_back();
        first_slot_ = kNone;
        return slot;
    }

    void clear() noexcept {
        items_.clear();
        first_slot_ = kNone;
    }
    template <class Visit>
    void for_each(Visit visit) const {
        for (const Item& item : items_) visit(item.slot);
    }

  private:
    static constexpr std::uint32_t kNone = ~std::uint32_t{0};

    struct Later {
        std::uint32_t first;

        bool operator()(const Item& a, const Item& b) const noexcept {
            if (a.rank != b.rank) return a.rank < b.rank;
            if (a.slot == first || b.slot == first) return b.slot == first && a.slot != first;
            return a.number > b.number;
        }
    };

    std::vector<Item> items_;
    std::size_t first_new_ = 0;
    bool in_order_ = false;  // the last is the next; else they are a heap
    std::uint64_t last_number_ = 0;
    std::uint32_t first_slot_ = kNone;
    const double age_bonus_;
    const std::uint64_t overdue_after_;
};

}  // namespace quarry::impl
