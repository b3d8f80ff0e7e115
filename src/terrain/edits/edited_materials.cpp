#include "quarry/terrain/edited_materials.hpp"

#include <array>
#include <stdexcept>
#include <utility>

#include "terrain/edits/snapshot.hpp"
#include "terrain/nearest_rounding.hpp"

namespace quarry::terrain {
namespace {

using edits::Between;
using edits::PaintBrick;

// Shares of the four materials that are painted there, 0 .. 255, together at most 255.
std::array<float, kMaterials> paint_at(Position p, const Lattice& lattice, edits::BrickCursor<PaintBrick>& cursor) {
    const std::array<Between, 3> axes = edits::LatticeFinder(lattice, PaintBrick::kSpacing).find(p);
    std::array<float, kMaterials> sums{};
    for (std::uint32_t corner = 0; corner < 8; ++corner) {
        float share = 1;
        LatticePoint point{axes[0].low, axes[1].low, axes[2].low};
        const std::array<std::int32_t*, 3> along{&point.x, &point.y, &point.z};
        for (std::size_t axis = 0; axis < 3; ++axis) {
            const bool is_high = (corner >> axis & 1) != 0;
            share *= is_high ? axes[axis].share : 1 - axes[axis].share;
            if (is_high) *along[axis] += PaintBrick::kSpacing;
        }
        if (share == 0) continue;
        const std::uint32_t paint = cursor.at(point);
        for (std::size_t i = 0; i < kMaterials; ++i) sums[i] += share * static_cast<float>(paint >> 8 * i & 255);
    }
    return sums;
}

}  // namespace

EditedMaterials::EditedMaterials(std::shared_ptr<const edits::Snapshot> snapshot,
                                 std::shared_ptr<const Materials> below)
    : snapshot_(std::move(snapshot)), below_(std::move(below)) {
    if (below_ == nullptr) throw std::invalid_argument("EditedMaterials needs materials that lie below");
}
EditedMaterials::~EditedMaterials() = default;

void EditedMaterials::weights(std::span<const Position> places, std::span<const Vector3> normals,
                              std::span<MaterialWeights> out) const {
    const impl::NearestRounding nearest;
    below_->weights(places, normals, out);
    if (snapshot_->paint.empty()) return;
    edits::BrickCursor<PaintBrick> cursor(snapshot_->paint);
    for (std::size_t i = 0; i < places.size(); ++i) {
        std::array<float, kMaterials> shares = paint_at(places[i], snapshot_->lattice, cursor);
        const float painted = shares[0] + shares[1] + shares[2] + shares[3];
        if (!(painted > 0)) continue;
        const float rest = painted < 255 ? (255 - painted) / 255 : 0;
        for (std::size_t k = 0; k < kMaterials; ++k) shares[k] += rest * static_cast<float>(out[i].of[k]);
        out[i] = to_weights(shares);
    }
}

// Paint is of the first four materials.
void EditedMaterials::mixes(std::span<const Position> places, std::span<const Vector3> normals,
                            std::span<MaterialMix> out) const {
    const impl::NearestRounding nearest;
    below_->mixes(places, normals, out);
    if (snapshot_->paint.empty()) return;
    edits::BrickCursor<PaintBrick> cursor(snapshot_->paint);
    for (std::size_t i = 0; i < places.size(); ++i) {
        const std::array<float, kMaterials> paint = paint_at(places[i], snapshot_->lattice, cursor);
        const float painted = paint[0] + paint[1] + paint[2] + paint[3];
        if (!(painted > 0)) continue;
        const float rest = painted < 255 ? (255 - painted) / 255 : 0;
        std::array<float, kMostMaterials> shares{};
        for (std::size_t k = 0; k < kMaterials; ++k) {
            shares[out[i].indices.of[k]] += rest * static_cast<float>(out[i].weights.of[k]);
        }
        for (std::size_t k = 0; k < kMaterials; ++k) shares[k] += paint[k];
        out[i] = to_mix(shares);
    }
}

}  // namespace quarry::terrain
