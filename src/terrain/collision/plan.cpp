// Which chunks a collision world has: those near its anchors.
#include <algorithm>
#include <cmath>
#include <stdexcept>
#include <string>
#include <tuple>

#include "terrain/collision/engine.hpp"
#include "terrain/world/distance.hpp"
#include "terrain/world/limits.hpp"

namespace quarry::terrain::collision {
namespace {

// By this share of a chunk's width an anchor may move before there is a new plan; plans reach further by as much.
constexpr double kStep = 0.125;
// So much further away, in widths of a chunk, is what was there before given up.
constexpr double kStay = 0.5;

}  // namespace

// Whether there has to be a new plan.
bool Engine::place_anchors(std::span<const Position> anchors) {
    if (anchors.size() > CollisionWorld::kMostAnchors) {
        throw std::invalid_argument("there are " + std::to_string(anchors.size()) + " anchors; at most " +
                                    std::to_string(CollisionWorld::kMostAnchors) + " are allowed");
    }
    std::vector<LatticePlace> places;
    places.reserve(anchors.size());
    const double room = options_.radius / options_.lattice.voxel_size + 4 * width();
    for (const Position& anchor : anchors) {
        if (!std::isfinite(anchor.x) || !std::isfinite(anchor.y) || !std::isfinite(anchor.z)) {
            throw std::invalid_argument("an anchor's position is not finite; three finite numbers are allowed");
        }
        places.push_back(impl::on_lattice(anchor, options_.lattice));
        for (const double along : places.back()) impl::check_reach(std::abs(along) + room);
    }
    anchors_ = std::move(places);
    if (anchors_.size() != planned_for_.size()) return true;
    for (std::size_t i = 0; i < anchors_.size(); ++i) {
        const auto& [x, y, z] = anchors_[i];
        const auto& [px, py, pz] = planned_for_[i];
        if (std::hypot(x - px, y - py, z - pz) > kStep * width()) return true;
    }
    return false;
}

void Engine::add_around(const LatticePlace& anchor, Distances& found) const {
    const double reach = options_.radius / options_.lattice.voxel_size + kStep * width();
    const auto chunk_at = [&](double along) { return static_cast<std::int32_t>(std::floor(along / width())); };
    for (std::int32_t z = chunk_at(anchor[2] - reach); z <= chunk_at(anchor[2] + reach); ++z) {
        for (std::int32_t y = chunk_at(anchor[1] - reach); y <= chunk_at(anchor[1] + reach); ++y) {
            for (std::int32_t x = chunk_at(anchor[0] - reach); x <= chunk_at(anchor[0] + reach); ++x) {
                const ChunkKey key{0, x, y, z};
                const double square = impl::square_of_distance(key, width(), anchor);
                if (square > reach * reach) continue;
                const auto [place, is_new] = found.try_emplace(key, square);
                if (!is_new) place->second = std::min(place->second, square);
            }
        }
    }
}

// Keeps the nearest; of equally near ones those that come first by their keys, so that the result depends on no order.
std::size_t Engine::leave_out_furthest(Distances& found) const {
    if (found.size() <= options_.most_chunks) return 0;
    std::vector<std::pair<double, ChunkKey>> all;
    all.reserve(found.size());
    for (const auto& [key, square] : found) all.emplace_back(square, key);
    const auto is_before = [](const auto& a, const auto& b) {
        const ChunkKey& k = a.second;
        const ChunkKey& l = b.second;
        return std::tie(a.first, k.x, k.y, k.z) < std::tie(b.first, l.x, l.y, l.z);
    };
    const auto end = all.begin() + static_cast<std::ptrdiff_t>(options_.most_chunks);
    std::nth_element(all.begin(), end, all.end(), is_before);
    for (auto each = end; each != all.end(); ++each) found.erase(each->second);
    return static_cast<std::size_t>(all.end() - end);
}

void Engine::plan() {
    planned_for_ = anchors_;
    Distances found;
    // Crowds stand in few places.
    std::vector<LatticePlace> seen;
    for (const LatticePlace& anchor : anchors_) {
        LatticePlace rounded{};
        for (std::size_t axis = 0; axis < 3; ++axis) rounded[axis] = std::floor(anchor[axis] / (kStep * width() / 4));
        if (std::find(seen.begin(), seen.end(), rounded) != seen.end()) continue;
        seen.push_back(rounded);
        add_around(anchor, found);
    }
    stats_.left_out = leave_out_furthest(found);
    const double stay = options_.radius / options_.lattice.voxel_size + (kStep + kStay) * width();
    std::size_t room = options_.most_chunks - found.size();
    for (auto each = chunks_.begin(); each != chunks_.end();) {
        const auto wanted = found.find(each->first);
        if (wanted != found.end()) {
            found.erase(wanted);
        } else if (room > 0 && square_to(box_of(each->first), anchors_) <= stay * stay) {
            --room;
        } else {
            leave(each->second);
            each = chunks_.erase(each);
            continue;
        }
        ++each;
    }
    for (const auto& [key, square] : found) {
        Chunk& chunk = chunks_[key];
        chunk.ticket = ++last_ticket_;
        chunk.due = source_->number;
        chunk.stale = box_of(key);
        tickets_.emplace(chunk.ticket, key);
        ++outstanding_;
    }
    must_queue_ = true;
}

void Engine::leave(Chunk& chunk) {
    tickets_.erase(chunk.ticket);
    if (chunk.has_failed) {
        --stats_.failed;
    } else if (!chunk.is_current) {
        --outstanding_;
    }
    if (chunk.patches == nullptr) return;
    for (const auto& patch : chunk.patches->patches) count(*patch, -1);
    for (const std::uint32_t slot : chunk.slots) table_.set(slot, nullptr, 0);
}

}  // namespace quarry::terrain::collision
