// What edits make of chunks that are at hand, and how long they may wait for it.
#include <algorithm>
#include <cmath>
#include <cstdint>
#include <stdexcept>
#include <utility>

#include "quarry/jobs/error.hpp"
#include "quarry/terrain/field.hpp"
#include "terrain/collision/engine.hpp"
#include "terrain/world/distance.hpp"

namespace quarry::terrain::collision {
namespace {

void require_box(const Box& box) {
    const auto is_range = [](double low, double high) {
        return std::isfinite(low) && std::isfinite(high) && low <= high;
    };
    if (is_range(box.low.x, box.high.x) && is_range(box.low.y, box.high.y) && is_range(box.low.z, box.high.z)) return;
    throw std::invalid_argument("the box of an edit is not finite or upside down; low must not be above high");
}

// Of all triangles that can have changed: those in cells with a changed sample.
PlaceBox touched_by(const Box& changed, const Lattice& lattice) {
    PlaceBox box{impl::on_lattice(changed.low, lattice), impl::on_lattice(changed.high, lattice)};
    for (double& along : box.low) along = std::floor(along + 1e-6) - 1;
    for (double& along : box.high) along = std::ceil(along - 1e-6) + 1;
    return box;
}

// Without what they have on their sides only.
bool overlap(const PlaceBox& a, const PlaceBox& b) noexcept {
    for (std::size_t axis = 0; axis < 3; ++axis) {
        if (!(a.low[axis] < b.high[axis] && b.low[axis] < a.high[axis])) return false;
    }
    return true;
}

PlaceBox common(const PlaceBox& a, const PlaceBox& b) noexcept {
    PlaceBox both = a;
    for (std::size_t axis = 0; axis < 3; ++axis) {
        both.low[axis] = std::max(a.low[axis], b.low[axis]);
        both.high[axis] = std::min(a.high[axis], b.high[axis]);
    }
    return both;
}

}  // namespace

void Engine::set_field(std::shared_ptr<const Field> field) {
    auto source = std::make_shared<Source>(*source_);
    ++source->number;
    source->field = std::move(field);
    source_ = std::move(source);
}

void Engine::edit(std::shared_ptr<const Field> field, std::span<const Box> changed) {
    host_.assert_host("CollisionWorld::edit");
    if (delivering_) throw Error("CollisionWorld::edit was called inside a delivery");
    if (field == nullptr) throw std::invalid_argument("CollisionWorld::edit needs a field");
    for (const Box& box : changed) require_box(box);
    count_near_work();
    set_field(std::move(field));
    for (const Box& box : changed) touch(touched_by(box, options_.lattice), Cause::edit);
}

void Engine::exchange(std::shared_ptr<const Field> field) {
    host_.assert_host("CollisionWorld::exchange");
    if (delivering_) throw Error("CollisionWorld::exchange was called inside a delivery");
    if (field == nullptr) throw std::invalid_argument("CollisionWorld::exchange needs a field");
    count_near_work();
    set_field(std::move(field));
    constexpr double kFar = 4.0 * kLatticeLimit;
    touch({{-kFar, -kFar, -kFar}, {kFar, kFar, kFar}}, Cause::exchange);
}

void Engine::touch(const PlaceBox& box, Cause cause) {
    const auto first = [&](std::size_t axis) { return std::floor(box.low[axis] / width()); };
    const auto count = [&](std::size_t axis) { return std::floor(box.high[axis] / width()) - first(axis) + 1; };
    if (count(0) * count(1) * count(2) > static_cast<double>(chunks_.size())) {
        for (auto& [key, chunk] : chunks_) touch(key, chunk, box, cause);
        return;
    }
    const ChunkKey low{0, static_cast<std::int32_t>(first(0)), static_cast<std::int32_t>(first(1)),
                       static_cast<std::int32_t>(first(2))};
    for (std::int32_t z = 0; z < static_cast<std::int32_t>(count(2)); ++z) {
        for (std::int32_t y = 0; y < static_cast<std::int32_t>(count(1)); ++y) {
            for (std::int32_t x = 0; x < static_cast<std::int32_t>(count(0)); ++x) {
                const auto found = chunks_.find(streaming::moved(low, x, y, z));
                if (found != chunks_.end()) touch(found->first, found->second, box, cause);
            }
        }
    }
}

void Engine::touch(const ChunkKey& key, Chunk& chunk, const PlaceBox& box, Cause cause) {
    const PlaceBox whole = box_of(key);
    if (!overlap(whole, box)) return;
    const bool was_settled = chunk.is_current || chunk.has_failed;
    if (was_settled) {
        ++outstanding_;
        chunk.stale = common(whole, box);
    } else {
        chunk.stale.include(common(whole, box));
    }
    if (chunk.has_failed) --stats_.failed;
    chunk.due = source_->number;
    chunk.is_current = false;
    chunk.is_edited = true;
    chunk.has_failed = false;
    must_queue_ = true;
    // Ground that is new, or all of which is another, has its turn like any other.
    if (cause == Cause::edit && chunk.patches != nullptr) note_edit(chunk);
}

// One entry for all edits of a frame: no request has the ground between two of them.
void Engine::note_edit(Chunk& chunk) {
    const std::uint64_t frame = stats_.updates + 1;
    if (chunk.edits.empty() || chunk.edits.back().frame != frame) chunk.edits.push_back({frame, 0});
    chunk.edits.back().source = source_->number;
}

// Forgets the edits that patches of this source show. Returns the frame of the first; 0: it shows none.
std::uint64_t Engine::shown_since(Chunk& chunk, std::uint64_t source) {
    const auto left = std::find_if(chunk.edits.begin(), chunk.edits.end(),
                                   [&](const ChunkEdits& each) { return each.source > source; });
    if (left == chunk.edits.begin()) return 0;
    const std::uint64_t since = chunk.edits.front().frame;
    chunk.edits.erase(chunk.edits.begin(), left);
    return since;
}

// Whether what an edit of that frame has changed must not wait any longer. A frame before the last it may take, so that
// one bad frame does not make it late.
bool Engine::is_due(std::uint64_t frame) const noexcept {
    return frame != 0 && stats_.updates + 1 >= frame + options_.edit_frames;
}

bool Engine::is_due(const Chunk& chunk) const noexcept {
    return !chunk.edits.empty() && is_due(chunk.edits.front().frame);
}

}  // namespace quarry::terrain::collision
