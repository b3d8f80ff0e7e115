#include "quarry/terrain/edited_field.hpp"

#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <limits>
#include <optional>
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
        : snapshot_(snapshot), step_(step), finder_(snapshot.lattice, step), cursor_(snapshot.densities) {}

    Cell cell_at(Position p) noexcept {
        Cell cell;
        cell.axes = finder_.find(p);
        std::uint32_t upper = 0;
        for (std::uint32_t axis = 0; axis < 3; ++axis) upper |= cell.axes[axis].share > 0 ? 1U << axis : 0;
        for (std::uint32_t corner = 0; corner < 8; ++corner) {
            if ((corner & ~upper) == 0) cell.used |= 1U << corner;
        }
        look_up(cell);
        return cell;
    }
    // The density so many steps further along an axis; nothing: some points there are not edited.
    std::optional<float> density_beside(const Cell& from, std::size_t axis, std::int32_t steps, float most) noexcept {
        Cell beside;
        beside.axes = from.axes;
        beside.axes[axis].low += steps * step_;
        for (std::uint32_t left = from.used; left != 0; left &= left - 1) {
            const auto corner = static_cast<std::uint32_t>(std::countr_zero(left));
            const std::int16_t stored = cursor_.at(point(beside, corner));
            if (stored == DensityBrick::kUntouched) return std::nullopt;
            beside.corners[corner] = snapshot_.fixed.density(stored);
        }
        return beside.density(most);
    }

    // The same one step before and after along all axes, for a place on an edge of the lattice, if one brick has all of
    // the points. False: ask one by one.
    struct Beside {
        std::array<float, 3> before;
        std::array<float, 3> after;
    };
    bool find_all_beside(const Cell& from, float most, Beside& found) noexcept {
        const std::uint32_t upper = from.used & ~1U;
        if (step_ != 1 || !std::has_single_bit(upper)) return false;
        const auto along = static_cast<std::size_t>(std::countr_zero(upper)) / 2;
        const LatticePoint low = point(from, 0);
        const auto has_room = [&](std::int32_t coordinate, std::size_t axis) {
            const std::int32_t within = coordinate & (edits::kBrickSize - 1);
            return within > 0 && within < edits::kBrickSize - (axis == along ? 2 : 1);
        };
        if (!has_room(low.x, 0) || !has_room(low.y, 1) || !has_room(low.z, 2)) return false;
        const DensityBrick* const brick = cursor_.brick_with(low);
        if (brick == nullptr) return false;
        constexpr std::array<std::ptrdiff_t, 3> kStrides{1, edits::kBrickSize, edits::kBrickSize * edits::kBrickSize};
        const std::int16_t* const middle = brick->values.data() + edits::index_of<DensityBrick>(low);
        bool all_edited = true;
        const auto density = [&](const std::int16_t* at) {
            all_edited = all_edited && *at != DensityBrick::kUntouched;
            return std::clamp(snapshot_.fixed.density(*at), -most, most);
        };
        const float share = from.axes[along].share;
        for (std::size_t axis = 0; axis < 3; ++axis) {
            const std::int16_t* const before = middle - kStrides[axis];
            const std::int16_t* const after = middle + kStrides[axis];
            found.before[axis] = mixed(share, density(before), density(before + kStrides[along]));
            found.after[axis] = mixed(share, density(after), density(after + kStrides[along]));
        }
        return all_edited;
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

  private:
    void look_up(Cell& cell) noexcept {
        for (std::uint32_t left = cell.used; left != 0; left &= left - 1) {
            const auto corner = static_cast<std::uint32_t>(std::countr_zero(left));
            const std::int16_t stored = cursor_.at(point(cell, corner));
            if (stored == DensityBrick::kUntouched) {
                cell.missing |= 1U << corner;
            } else {
                cell.corners[corner] = snapshot_.fixed.density(stored);
            }
        }
    }
    LatticePoint point(const Cell& cell, std::uint32_t corner) const noexcept {
        const auto along = [&](std::size_t axis) {
            return cell.axes[axis].low + ((corner >> axis & 1) != 0 ? step_ : 0);
        };
        return {along(0), along(1), along(2)};
    }

    const Snapshot& snapshot_;
    const std::int32_t step_;
    const edits::LatticeFinder finder_;
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

// Gradients beside edited points: differences between samples that edits have set, on both sides along an axis or on
// one. Where neither side is set the field below has the slope, and where no point around a place is, the whole
// gradient.
class Slopes {
  public:
    // Nothing is edited outside of the box.
    Slopes(const Snapshot& snapshot, const Box& edited, double spacing, std::span<Gradient> out)
        : snapshot_(snapshot),
          edited_(edited),
          spacing_(spacing),
          step_(step_for(spacing, snapshot.lattice.voxel_size)),
          inverse_(static_cast<float>(1 / (step_ * snapshot.lattice.voxel_size))),
          most_(static_cast<float>(2 * step_ * snapshot.lattice.voxel_size)),
          cells_(snapshot, step_),
          out_(out) {
        asked_.reserve(out.size());
        points_.reserve(out.size());
    }

    void add(std::size_t index, Position p) {
        const bool is_outside = p.x < edited_.low.x || p.x > edited_.high.x || p.y < edited_.low.y ||
                                p.y > edited_.high.y || p.z < edited_.low.z || p.z > edited_.high.z;
        if (is_outside) return ask_below(index, p, 7);
        const Cell middle = cells_.cell_at(p);
        if (!middle.is_edited()) return ask_below(index, p, 7);
        Interpolation::Beside beside;
        if (cells_.find_all_beside(middle, most_, beside)) {
            const auto slope = [&](std::size_t axis) {
                return (beside.after[axis] - beside.before[axis]) * (0.5F * inverse_);
            };
            return set(index, 7, {slope(0), slope(1), slope(2)});
        }
        std::uint32_t below = 0;
        std::uint32_t one_sided = 0;
        std::array<float, 3> slopes{};
        std::array<float, 3> ways{};
        for (std::size_t axis = 0; axis < 3; ++axis) {
            const std::optional<float> after = cells_.density_beside(middle, axis, 1, most_);
            const std::optional<float> before = cells_.density_beside(middle, axis, -1, most_);
            if (after && before) {
                slopes[axis] = (*after - *before) * (0.5F * inverse_);
            } else if (after || before) {
                one_sided |= 1U << axis;
                ways[axis] = after ? 1.0F : -1.0F;
                slopes[axis] = after ? *after : *before;
            } else {
                below |= 1U << axis;
            }
        }
        set(index, 7, {slopes[0], slopes[1], slopes[2]});
        if (below != 0) ask_below(index, p, below);
        if (one_sided == 0) return;
        one_sided_.push_back({index, one_sided, ways});
        cells_.want(middle);
    }

    void finish() {
        const std::vector<Cell>& middles = cells_.answer();
        for (std::size_t i = 0; i < one_sided_.size(); ++i) {
            const OneSided& each = one_sided_[i];
            const Gradient beside = out_[each.index];
            const float middle = middles[i].density(most_);
            set(each.index, each.axes,
                {(beside.x - middle) * each.ways[0] * inverse_, (beside.y - middle) * each.ways[1] * inverse_,
                 (beside.z - middle) * each.ways[2] * inverse_});
        }
        std::vector<Gradient> found(points_.size());
        snapshot_.ground->gradients(points_, spacing_, found);
        for (std::size_t i = 0; i < found.size(); ++i) set(asked_[i].index, asked_[i].axes, found[i]);
    }

  private:
    struct OneSided {
        std::size_t index;
        std::uint32_t axes;
        std::array<float, 3> ways;
    };
    struct Asked {
        std::size_t index;
        std::uint32_t axes;
    };

    void ask_below(std::size_t index, Position p, std::uint32_t axes) {
        asked_.push_back({index, axes});
        points_.push_back(p);
    }
    // Those axes of one gradient.
    void set(std::size_t index, std::uint32_t axes, const Gradient& to) {
        Gradient& gradient = out_[index];
        if ((axes & 1) != 0) gradient.x = to.x;
        if ((axes & 2) != 0) gradient.y = to.y;
        if ((axes & 4) != 0) gradient.z = to.z;
    }

    const Snapshot& snapshot_;
    const Box edited_;
    const double spacing_;
    const std::int32_t step_;
    const float inverse_;
    const float most_;  // beyond the margin of a brush lie densities of any size; none may outweigh the others
    Interpolation cells_;
    std::span<Gradient> out_;
    std::vector<OneSided> one_sided_;
    std::vector<Asked> asked_;
    std::vector<Position> points_;
};

constexpr double kEverywhere = std::numeric_limits<double>::infinity();

// Holds all places among some whose gradients edits may have changed. None: upside down.
Box edited_around(const Snapshot& snapshot, std::span<const Position> points, double reach) {
    const Box nothing{{1, 1, 1}, {-1, -1, -1}};
    if (points.empty() || snapshot.densities.empty()) return nothing;
    Box box{points.front(), points.front()};
    for (const Position& p : points) {
        box.low = {std::min(box.low.x, p.x), std::min(box.low.y, p.y), std::min(box.low.z, p.z)};
        box.high = {std::max(box.high.x, p.x), std::max(box.high.y, p.y), std::max(box.high.z, p.z)};
    }
    // Places that are none, or far apart, are looked at one by one.
    constexpr double kMostAcross = 100'000;
    const double across = box.high.x - box.low.x + box.high.y - box.low.y + box.high.z - box.low.z;
    if (!(across / snapshot.lattice.voxel_size < kMostAcross)) {
        return {{-kEverywhere, -kEverywhere, -kEverywhere}, {kEverywhere, kEverywhere, kEverywhere}};
    }
    box.low = {box.low.x - reach, box.low.y - reach, box.low.z - reach};
    box.high = {box.high.x + reach, box.high.y + reach, box.high.z + reach};
    edits::LatticeBox bricks = edits::LatticeBox::nothing();
    snapshot.densities.for_each_in(
        edits::Pattern::all_of(edits::points_around(box, snapshot.lattice)),
        [&](const edits::BrickKey& key, const DensityBrick&) { bricks.include(edits::box_of(key)); });
    if (bricks.empty()) return nothing;
    const Position low = snapshot.lattice.at(bricks.low);
    const Position high = snapshot.lattice.at(bricks.high);
    return {{low.x - reach, low.y - reach, low.z - reach}, {high.x + reach, high.y + reach, high.z + reach}};
}

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
    const Box edited = edited_around(*snapshot_, points, 2 * spacing);
    if (edited.low.x > edited.high.x) {
        snapshot_->ground->gradients(points, spacing, out);
        return;
    }
    Slopes slopes(*snapshot_, edited, spacing, out);
    for (std::size_t i = 0; i < points.size(); ++i) slopes.add(i, points[i]);
    slopes.finish();
}

}  // namespace quarry::terrain
