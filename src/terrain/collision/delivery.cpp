// How the host is told of patches.
#include <algorithm>
#include <cstddef>
#include <functional>

#include "quarry/jobs/error.hpp"
#include "terrain/collision/engine.hpp"

namespace quarry::terrain::collision {
namespace {

// With more of them, removals of what is far away come before what is to be added: so a host with a tiny budget does
// not pile up shapes.
constexpr std::ptrdiff_t kManyRemovals = 64;

// Whose turn it is. The first two come whatever the budget.
enum EventTurn : std::uint32_t { kNear, kDue, kRemovals, kEdited, kOther };

}  // namespace

std::chrono::nanoseconds Engine::now() const noexcept {
    return options_.clock == nullptr ? std::chrono::steady_clock::now().time_since_epoch()
                                     : options_.clock->now().time_since_epoch();
}

Engine::EventRank Engine::rank_of(std::uint32_t slot) const {
    const PatchTable::Place& place = table_[slot];
    const CollisionPatch* const patch = place.now != nullptr ? place.now.get() : place.told.get();
    if (patch == nullptr) return {kNear, 0, slot};
    const auto corner = [&](const Vector3& at) {
        const ChunkKey& key = patch->chunk;
        return LatticePlace{key.x * width() + at.x, key.y * width() + at.y, key.z * width() + at.z};
    };
    const PlaceBox box{corner(patch->bounds.low), corner(patch->bounds.high)};
    const double near = options_.near / options_.lattice.voxel_size;
    const double to_body = square_to(box, bodies());
    if (to_body <= near * near) return {kNear, to_body, slot};
    const EventTurn turn = is_due(place.since) ? kDue : place.since != 0 ? kEdited : kOther;
    return {turn, square_to(box, anchors_), slot};
}

// Sorts the events, the first in line last. Returns how many come whatever the budget.
std::size_t Engine::order_events() {
    std::vector<std::uint32_t>& listed = table_.listed();
    ranks_.clear();
    const auto is_removal = [&](const EventRank& rank) {
        return rank.turn > kRemovals && table_[rank.slot].now == nullptr;
    };
    for (const std::uint32_t slot : listed) ranks_.push_back(rank_of(slot));
    if (std::count_if(ranks_.begin(), ranks_.end(), is_removal) > kManyRemovals) {
        for (EventRank& rank : ranks_) {
            if (is_removal(rank)) rank.turn = kRemovals;
        }
    }
    std::sort(ranks_.begin(), ranks_.end(), std::greater<>());
    std::transform(ranks_.begin(), ranks_.end(), listed.begin(), [](const EventRank& each) { return each.slot; });
    return static_cast<std::size_t>(
        std::count_if(ranks_.begin(), ranks_.end(), [](const EventRank& each) { return each.turn <= kDue; }));
}

void Engine::tell(std::uint32_t slot, const CollisionInbox::Receiver& receiver) {
    const PatchTable::Place& place = table_[slot];
    CollisionEvent event;
    event.id = slot;
    event.patch = place.now;
    event.chunk = (place.now != nullptr ? place.now : place.told)->chunk;
    event.kind = place.now == nullptr    ? CollisionEvent::Kind::removed
                 : place.told == nullptr ? CollisionEvent::Kind::added
                                         : CollisionEvent::Kind::changed;
    receiver(event);
    ++stats_.delivered;
    if (place.since == 0) return;
    const std::uint64_t frames = stats_.updates - std::min(place.since, stats_.updates);
    stats_.longest_frames = std::max(stats_.longest_frames, frames);
    if (frames > options_.edit_frames) ++stats_.edits_late;
}

DeliveryReport Engine::deliver(const DeliveryBudget& budget, const CollisionInbox::Receiver& receiver) {
    host_.assert_host("CollisionInbox::deliver");
    if (delivering_) throw Error("CollisionInbox::deliver was called inside a delivery");
    struct Flag {
        bool& is_set;
        explicit Flag(bool& flag) : is_set(flag) { is_set = true; }
        Flag(const Flag&) = delete;
        Flag& operator=(const Flag&) = delete;
        ~Flag() { is_set = false; }
    };
    const Flag flag(delivering_);
    DeliveryReport report;
    report.budget = budget.time();
    const std::chrono::nanoseconds start = now();
    std::chrono::nanoseconds latest = start;
    const auto must_stop = [&](const quarry::impl::ItemCost& cost) {
        if (report.delivered == 0) return false;
        if (report.delivered >= budget.items()) report.end = DeliveryReport::End::items;
        if (budget.has_time_limit()) {
            const auto left = static_cast<double>((budget.time() - (latest - start)).count());
            if (left <= 0 || cost.expected() > left) report.end = DeliveryReport::End::time;
        }
        return report.end != DeliveryReport::End::all_delivered;
    };
    take_outcomes();
    std::size_t must_come = order_events();
    for (std::vector<std::uint32_t>& listed = table_.listed(); !listed.empty();) {
        const std::uint32_t slot = listed.back();
        const bool must_be_told = must_come != 0;
        if (must_be_told) --must_come;
        // What has come and gone, or changed back, is no news.
        if (table_[slot].now != table_[slot].told) {
            // Giving a shape up costs less than making one.
            quarry::impl::ItemCost& cost = table_[slot].now == nullptr ? removal_cost_ : shape_cost_;
            if (!must_be_told && must_stop(cost)) break;
            tell(slot, receiver);
            const std::chrono::nanoseconds ended = now();
            cost.learn(static_cast<double>((ended - latest).count()));
            latest = ended;
            ++report.delivered;
        }
        listed.pop_back();
        table_.settle(slot);
    }
    report.carried_over = table_.listed().size();
    report.spent = latest - start;
    report.expected_cost = std::chrono::nanoseconds(static_cast<std::int64_t>(shape_cost_.expected()));
    if (budget.has_time_limit() && report.spent > budget.time()) report.overrun = report.spent - budget.time();
    return report;
}

}  // namespace quarry::terrain::collision
