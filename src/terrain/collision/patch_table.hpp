#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <vector>

#include "quarry/terrain/collision_patch.hpp"

namespace quarry::terrain::collision {

// Patches by the number that the host knows them by, and which of them the host has to be told of. A patch that changes
// again before the host was told is told of once.
class PatchTable {
  public:
    struct Place {
        std::shared_ptr<const CollisionPatch> now;   // null: it is gone
        std::shared_ptr<const CollisionPatch> told;  // what the host has; null: nothing
        std::uint64_t since = 0;  // frame of the first edit that the host has not been told of; 0: there is none
        bool is_listed = false;
    };

    std::uint32_t add(std::shared_ptr<const CollisionPatch> patch, std::uint64_t since) {
        std::uint32_t slot = 0;
        if (free_.empty()) {
            slot = static_cast<std::uint32_t>(places_.size());
            places_.emplace_back();
        } else {
            slot = free_.back();
            free_.pop_back();
        }
        set(slot, std::move(patch), since);
        return slot;
    }
    // Null: it is gone. `since`: frame of the edit that is the reason, or 0.
    void set(std::uint32_t slot, std::shared_ptr<const CollisionPatch> patch, std::uint64_t since) {
        Place& place = places_[slot];
        place.now = std::move(patch);
        if (place.since == 0) place.since = since;
        if (place.is_listed) return;
        place.is_listed = true;
        listed_.push_back(slot);
    }
    // The host has it as it is.
    void settle(std::uint32_t slot) {
        Place& place = places_[slot];
        place.told = place.now;
        place.since = 0;
        place.is_listed = false;
        if (place.now == nullptr) free_.push_back(slot);
    }

    const Place& operator[](std::uint32_t slot) const noexcept { return places_[slot]; }
    // Those that the host has to be told of, in any order. Whoever settles one takes it out.
    std::vector<std::uint32_t>& listed() noexcept { return listed_; }
    const std::vector<std::uint32_t>& listed() const noexcept { return listed_; }

  private:
    std::vector<Place> places_;
    std::vector<std::uint32_t> free_;
    std::vector<std::uint32_t> listed_;
};

}  // namespace quarry::terrain::collision
