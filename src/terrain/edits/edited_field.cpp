#include "quarry/terrain/edited_field.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <utility>
#include <vector>

#include "terrain/edits/snapshot.hpp"
#include "terrain/nearest_rounding.hpp"

namespace quarry::terrain {
namespace {

using edits::Between;
using edits::BrickCursor;
using edits::DensityBrick;
using edits::Snapshot;

// Steps of lattices that gradients are taken on: LOD 7, and one coarser for its half-resolution vertices.
constexpr std::int32_t kCoarsestGradientStep = 2 * kLargestStep;

// Never leaves the interval of its ends, whatever is rounded.
float mixed(float share, float low, float high) noexcept {
    const float value = low + share * (high - low);
    return std::clamp(value, std::min(low, high), std::max(low, high));
}

// The points around a place that its density depends on, from which some are missing until the field below was asked.
struct Cell {
    std::array<Between, 3> axes;
    std::array<float, 8> corners{};
    std::uint32_t used = 0;     // corners that count
    std::uint32_t missing = 0;  // of these, not edited

    bool is_edited() const noexcept { return used != missing; }

    // Of corners that count no more than `most`, either way.
    float density(float most = std::numeric_limits<float>::infinity()) const noexcept {
        const auto along = [&](std::size_t axis, float low, float high) {
            return axes[axis].share == 0 ? low : mixed(axes[axis].share, low, high);
        };
        const auto row = [&](std::size_t first) {
            return along(0, std::clamp(corners[first], -most, most), std::clamp(corners[first + 1], -most, most));
        };
        const float near = along(1, row(0), row(2));
        return axes[2].share == 0 ? near : mixed(axes[2].share, near, along(1, row(4), row(6)));
    }
};

// Collects what has to be asked of the field below, and asks once.
class Interpolation {
  public:
    Interpolation(const Snapshot& snapshot, std::int32_t step) noexcept
        : snapshot_(snapshot), step_(step), cursor_(snapshot.densities) {}

    Cell cell_at(Position p) noexcept {
        const Lattice& lattice = snapshot_.lattice;
        Cell cell;
        cell.axes = {edits::between(p.x, lattice.origin.x, lattice.voxel_size, step_),
                     edits::between(p.y, lattice.origin.y, lattice.voxel_size, step_),
                     edits::between(p.z, lattice.origin.z, lattice.voxel_size, step_)};
        for (std::uint32_t corner = 0; corner < 8; ++corner) {
            bool counts = true;
            for (std::uint32_t axis = 0; axis < 3; ++axis) {
                counts = counts && ((corner >> axis & 1) == 0 || cell.axes[axis].share > 0);
            }
            if (!counts) continue;
            cell.used |= 1U << corner;
            const std::int16_t stored = cursor_.at(point(cell, corner));
            if (stored == DensityBrick::kUntouched) {
                cell.missing |= 1U << corner;
            } else {
                cell.corners[corner] = snapshot_.fixed.density(stored);
            }
        }
        return cell;
    }

    void want(const Cell& cell) {
        cells_.push_back(cell);
        for (std::uint32_t corner = 0; corner < 8; ++corner) {
            if ((cell.missing >> corner & 1) != 0) points_.push_back(snapshot_.lattice.at(point(cell, corner)));
        }
    }
    // In the order in which they were wanted.
    const std::vector<Cell>& answer() {
        densities_.resize(points_.size());
        snapshot_.ground->densities(points_, densities_);
        std::size_t next = 0;
        for (Cell& cell : cells_) {
            for (std::uint32_t corner = 0; corner < 8; ++corner) {
                if ((cell.missing >> corner & 1) != 0) cell.corners[corner] = densities_[next++];
            }
        }
        return cells_;
    }
    void clear() noexcept {
        cells_.clear();
        points_.clear();
    }
    std::size_t wanted() const noexcept { return cells_.size(); }

  private:
    LatticePoint point(const Cell& cell, std::uint32_t corner) const noexcept {
        const auto along = [&](std::size_t axis) {
            return cell.axes[axis].low + ((corner >> axis & 1) != 0 ? step_ : 0);
        };
        return {along(0), along(1), along(2)};
    }

    const Snapshot& snapshot_;
    const std::int32_t step_;
    BrickCursor<DensityBrick> cursor_;
    std::vector<Cell> cells_;
    std::vector<Position> points_;
    std::vector<float> densities_;
};

Interval bounds_with(const Snapshot& snapshot, const Box& box) {
    if (snapshot.densities.empty()) return snapshot.ground->bounds(box);
    const edits::LatticeBox points = edits::points_around(box, snapshot.lattice);
    const edits::ValueRange range = snapshot.densities.range_in(points);
    if (range.empty()) return snapshot.ground->bounds(box);
    // Between edited points and others it depends on densities a voxel further out.
    const Lattice& lattice = snapshot.lattice;
    const Position low = lattice.at(points.low);
    const Position high = lattice.at(points.high);
    const Interval ground = snapshot.ground->bounds(
        {{std::min(low.x, box.low.x), std::min(low.y, box.low.y), std::min(low.z, box.low.z)},
         {std::max(high.x, box.high.x), std::max(high.y, box.high.y), std::max(high.z, box.high.z)}});
    return {std::min(ground.low, snapshot.fixed.density(range.low)),
            std::max(ground.high, snapshot.fixed.density(range.high))};
}

// Of the lattice whose points are spacing apart.
std::int32_t step_for(double spacing, double voxel_size) noexcept {
    std::int32_t step = 1;
    while (step < kCoarsestGradientStep && 1.5 * step * voxel_size < spacing) step *= 2;
    return step;
}

constexpr std::size_t kGradientsAtOnce = 128;

}  // namespace

EditedField::EditedField(std::shared_ptr<const Snapshot> snapshot) noexcept : snapshot_(std::move(snapshot)) {}
EditedField::~EditedField() = default;

const Field& EditedField::ground() const noexcept {
    return *snapshot_->ground;
}

// Beyond a brush the densities below begin again, a jump that differences over two cells would see.
bool EditedField::prefers_gradients(double /*spacing*/) const noexcept {
    return true;
}

double EditedField::reach() const noexcept {
    return snapshot_->ground->reach();
}

void EditedField::sample(const SampleBlock& block, float* out) const {
    const impl::NearestRounding nearest;
    if (block.lattice == snapshot_->lattice) {
        edits::sample_edited(*snapshot_->ground, snapshot_->densities, snapshot_->fixed, block, out);
        return;
    }
    // On another lattice edits have to be interpolated.
    const bool is_touched =
        !snapshot_->densities.empty() &&
        !snapshot_->densities.range_in(edits::points_around(box_of(block), snapshot_->lattice)).empty();
    if (is_touched) {
        Field::sample(block, out);
    } else {
        snapshot_->ground->sample(block, out);
    }
}

void EditedField::densities(std::span<const Position> points, std::span<float> out) const {
    const impl::NearestRounding nearest;
    snapshot_->ground->densities(points, out);
    if (snapshot_->densities.empty()) return;
    Interpolation interpolation(*snapshot_, 1);
    std::vector<std::size_t> places;
    for (std::size_t i = 0; i < points.size(); ++i) {
        const Cell cell = interpolation.cell_at(points[i]);
        if (!cell.is_edited()) continue;
        interpolation.want(cell);
        places.push_back(i);
    }
    if (places.empty()) return;
    const std::vector<Cell>& cells = interpolation.answer();
    for (std::size_t i = 0; i < places.size(); ++i) out[places[i]] = cells[i].density();
}

Interval EditedField::bounds(const Box& box) const {
    const impl::NearestRounding nearest;
    return nearest.here(bounds_with(*snapshot_, box));
}

void EditedField::gradients(std::span<const Position> points, double spacing, std::span<Gradient> out) const {
    const impl::NearestRounding nearest;
    spacing = nearest.here(spacing);
    snapshot_->ground->gradients(points, spacing, out);
    if (snapshot_->densities.empty()) return;
    const std::int32_t step = step_for(spacing, snapshot_->lattice.voxel_size);
    const double reach = step * snapshot_->lattice.voxel_size;
    const auto inverse = static_cast<float>(1 / (2 * reach));
    // Beyond the margin of a brush lie densities of any size; none of them may outweigh the others.
    const auto most = static_cast<float>(2 * reach);
    Interpolation interpolation(*snapshot_, step);
    std::vector<std::size_t> places;
    const auto answer = [&] {
        const std::vector<Cell>& cells = interpolation.answer();
        for (std::size_t i = 0; i < places.size(); ++i) {
            const auto slope = [&](std::size_t axis) {
                return (cells[6 * i + 2 * axis].density(most) - cells[6 * i + 2 * axis + 1].density(most)) * inverse;
            };
            out[places[i]] = {slope(0), slope(1), slope(2)};
        }
        interpolation.clear();
        places.clear();
    };
    for (std::size_t i = 0; i < points.size(); ++i) {
        const Position p = points[i];
        if (!interpolation.cell_at(p).is_edited()) continue;
        for (const double way : {reach, -reach}) interpolation.want(interpolation.cell_at({p.x + way, p.y, p.z}));
        for (const double way : {reach, -reach}) interpolation.want(interpolation.cell_at({p.x, p.y + way, p.z}));
        for (const double way : {reach, -reach}) interpolation.want(interpolation.cell_at({p.x, p.y, p.z + way}));
        places.push_back(i);
        if (places.size() == kGradientsAtOnce) answer();
    }
    answer();
}

}  // namespace quarry::terrain
