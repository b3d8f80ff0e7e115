#include <algorithm>
#include <chrono>
#include <cmath>
#include <optional>
#include <stdexcept>
#include <utility>

#include "quarry/jobs/caller_goes_on.hpp"
#include "quarry/jobs/error.hpp"
#include "terrain/streaming/engine.hpp"

namespace quarry::terrain::streaming {
namespace {

// Lattice points of a box in world units.
LatticeBox lattice_box(const Box& box, const Lattice& lattice) {
    const auto clipped = [](double at) {
        return static_cast<std::int32_t>(std::clamp<double>(at, -kLatticeLimit, kLatticeLimit));
    };
    const auto low = [&](double at, double origin) {
        return clipped(std::floor((at - origin) / lattice.voxel_size + 1e-6));
    };
    const auto high = [&](double at, double origin) {
        return clipped(std::ceil((at - origin) / lattice.voxel_size - 1e-6));
    };
    const Position& origin = lattice.origin;
    return {{low(box.low.x, origin.x), low(box.low.y, origin.y), low(box.low.z, origin.z)},
            {high(box.high.x, origin.x), high(box.high.y, origin.y), high(box.high.z, origin.z)}};
}

bool is_box(const Box& box) {
    const auto is_range = [](double low, double high) {
        return std::isfinite(low) && std::isfinite(high) && low <= high;
    };
    return is_range(box.low.x, box.high.x) && is_range(box.low.y, box.high.y) && is_range(box.low.z, box.high.z);
}

// The first chunk that a thread makes costs it so much more: the memory for it is new, and nothing is in its caches.
constexpr double kFirstTime = 4;

Box around_both(const Box& a, const Box& b) {
    return {{std::min(a.low.x, b.low.x), std::min(a.low.y, b.low.y), std::min(a.low.z, b.low.z)},
            {std::max(a.high.x, b.high.x), std::max(a.high.y, b.high.y), std::max(a.high.z, b.high.z)}};
}

}  // namespace

void Engine::edit(std::shared_ptr<const Field> field, std::shared_ptr<const Materials> materials, const Box& changed) {
    host_.assert_host("Streamer::edit");
    if (delivering_) throw Error("Streamer::edit was called inside a delivery");
    if (field == nullptr) throw std::invalid_argument("Streamer::edit needs a field");
    if (!is_box(changed)) {
        throw std::invalid_argument("the box of an edit is not finite or upside down; low must not be above high");
    }
    const World& followed = next_ != nullptr ? *next_ : *world_;
    edited_field_ = std::move(field);
    if (materials != nullptr) edited_materials_ = std::move(materials);
    news_.changed = news_.empty() ? changed : around_both(news_.changed, changed);
    news_.boxes.push_back(lattice_box(changed, followed.options().lattice));
    news_.told.push_back(shared_.stats.updates + 1);
}

// All that was told since the last swap began goes into one: so a chunk is made at most once in an update.
void Engine::begin_edits(World& world) {
    if (news_.empty() || !world.can_begin_swap()) return;
    auto source = std::make_shared<MeshSource>(*world.source());
    source->field = edited_field_;
    if (edited_materials_ != nullptr) source->materials = edited_materials_;
    source->extract.materials = source->materials.get();
    // See wait_for_edits.
    std::optional<CallerGoesOn> goes_on;
    if (waits_for_edits()) goes_on.emplace();
    if (!world.begin_swap(source, news_)) return;
    edited_field_.reset();
    edited_materials_.reset();
    news_ = {};
}

bool Engine::waits_for_edits() const noexcept {
    return options_.clock == nullptr && options_.edit_wait != 0;
}

// In a replay for what came then, however long that takes now.
void Engine::wait_for_edits(World& world) {
    const Swap& swap = world.swap();
    if (!swap.alive || !swap.is_near || !waits_for_edits()) return;
    if (journal_.replays()) {
        while (swap.outstanding != 0 && !journal_.read_end_of_wait()) take_outcomes();
        return;
    }
    help_with_edits(swap);
    journal_.write_end_of_wait(swap.outstanding != 0);
}

// The host's thread lends a hand rather than look on.
void Engine::help_with_edits(const Swap& swap) {
    using Clock = std::chrono::steady_clock;
    const Clock::time_point begin = Clock::now();
    const std::chrono::duration<double, std::nano> most(options_.edit_wait * 1e9);
    while (swap.outstanding != 0) {
        const std::chrono::duration<double, std::nano> left = most - (Clock::now() - begin);
        if (left.count() <= 0) return;
        // Workers tell what such chunks cost: until the first has come, this thread leaves them alone.
        const double cost = edit_cost_.expected() * (has_helped_ ? 1 : kFirstTime);
        if (cost != 0 && cost < left.count() && shared_.jobs->run_urgent()) {
            has_helped_ = true;
        } else {
            shared_.jobs->wait_for_outcome(std::chrono::duration_cast<std::chrono::nanoseconds>(left));
        }
        journal_.leave_out_if_empty();
        take_outcomes();
    }
}

}  // namespace quarry::terrain::streaming
