#include "quarry/terrain/warped_field.hpp"

#include <algorithm>
#include <stdexcept>
#include <utility>
#include <vector>

#include "terrain/nearest_rounding.hpp"
#include "terrain/noise/bounds.hpp"
#include "terrain/noise/sums.hpp"
#include "terrain/scratch.hpp"

namespace quarry::terrain {
namespace {

constexpr std::size_t kWarpedAtOnce = 48;
constexpr std::size_t kWarpedInBlocks = 1056;  // so many that what a field prepares for a call does not count

// Minus the sums: what is added to each coordinate.
constexpr impl::Base kZero{.offset = 0, .slope = 0};

Position moved(const Position& p, float x, float y, float z) noexcept {
    return {p.x + static_cast<double>(x), p.y + static_cast<double>(y), p.z + static_cast<double>(z)};
}

struct WarpBatch {
    std::array<std::array<float, kWarpedAtOnce>, 3> shifts;
    std::array<Position, kWarpedAtOnce> points;

    std::span<const Position> fill(const std::array<impl::NoiseSum, 3>& sums, std::span<const Position> from) {
        for (std::size_t axis = 0; axis < 3; ++axis) {
            impl::sum_densities(sums[axis], kZero, from, std::span(shifts[axis]).first(from.size()));
        }
        for (std::size_t i = 0; i < from.size(); ++i) {
            points[i] = moved(from[i], shifts[0][i], shifts[1][i], shifts[2][i]);
        }
        return std::span<const Position>(points).first(from.size());
    }
};

}  // namespace

WarpedField::WarpedField(std::shared_ptr<const Field> field, const NoiseOptions& warp) : field_(std::move(field)) {
    if (field_ == nullptr) throw std::invalid_argument("WarpedField needs a field");
    check(warp);
    NoiseOptions options = warp;
    for (std::size_t axis = 0; axis < 3; ++axis) {
        options.seed = 3 * warp.seed + axis;
        sums_[axis] = impl::make_sum(options, false);
    }
    amplitude_ = warp.amplitude;
    reach_ = std::min(impl::reach_of(sums_[0]), field_->reach() - warp.amplitude);
}

void WarpedField::sample(const SampleBlock& block, float* out) const {
    const impl::NearestRounding nearest;
    // The warp in row form, for the whole block; then the field at the places it leads to.
    impl::ScratchFloats x(block.size());
    impl::ScratchFloats y(block.size());
    impl::ScratchFloats z(block.size());
    impl::noise_kernels().block(sums_[0], block, impl::NoiseForm::automatic, kZero, x.data());
    impl::noise_kernels().block(sums_[1], block, impl::NoiseForm::automatic, kZero, y.data());
    impl::noise_kernels().block(sums_[2], block, impl::NoiseForm::automatic, kZero, z.data());
    std::array<Position, kWarpedInBlocks> points;
    std::size_t filled = 0;
    std::size_t done = 0;
    const auto flush = [&] {
        field_->densities(std::span<const Position>(points).first(filled), std::span(out + done, filled));
        done += filled;
        filled = 0;
    };
    // The coordinates of a row are the same for all rows.
    std::vector<double> columns(static_cast<std::size_t>(block.nx));
    for (std::int32_t i = 0; i < block.nx; ++i) {
        columns[static_cast<std::size_t>(i)] = block.lattice.x(block.first.x + i * block.step);
    }
    const auto rows = static_cast<std::size_t>(block.ny) * static_cast<std::size_t>(block.nz);
    for (std::size_t row = 0; row < rows; ++row) {
        const auto in_y = static_cast<std::int32_t>(row % static_cast<std::size_t>(block.ny));
        const auto in_z = static_cast<std::int32_t>(row / static_cast<std::size_t>(block.ny));
        const double py = block.lattice.y(block.first.y + in_y * block.step);
        const double pz = block.lattice.z(block.first.z + in_z * block.step);
        for (std::size_t i = 0; i < columns.size();) {
            const std::size_t count = std::min(columns.size() - i, kWarpedInBlocks - filled);
            const std::size_t at = done + filled;
            Position* const to = points.data() + filled;
            for (std::size_t n = 0; n < count; ++n) {
                to[n] = moved({columns[i + n], py, pz}, x.data()[at + n], y.data()[at + n], z.data()[at + n]);
            }
            filled += count;
            i += count;
            if (filled == kWarpedInBlocks) flush();
        }
    }
    if (filled != 0) flush();
}

void WarpedField::densities(std::span<const Position> points, std::span<float> out) const {
    const impl::NearestRounding nearest;
    WarpBatch batch;
    for (std::size_t at = 0; at < points.size(); at += kWarpedAtOnce) {
        const std::size_t count = std::min(kWarpedAtOnce, points.size() - at);
        field_->densities(batch.fill(sums_, points.subspan(at, count)), out.subspan(at, count));
    }
}

Box WarpedField::warped_box(const Box& box) const {
    const auto shift = [&](std::size_t axis) {
        return impl::sum_bounds(sums_[axis], box, {0, 0}, impl::BoundsFor::range);
    };
    const Interval x = shift(0);
    const Interval y = shift(1);
    const Interval z = shift(2);
    return {moved(box.low, x.low, y.low, z.low), moved(box.high, x.high, y.high, z.high)};
}

Interval WarpedField::bounds(const Box& box) const {
    const impl::NearestRounding nearest;
    return nearest.here(field_->bounds(warped_box(box)));
}

Interval WarpedField::range(const Box& box) const {
    const impl::NearestRounding nearest;
    return nearest.here(field_->range(warped_box(box)));
}

// Places are moved by up to the amplitude along each axis.
std::optional<Box> WarpedField::extent() const {
    const std::optional<Box> inner = field_->extent();
    if (!inner) return std::nullopt;
    const double by = 1.75 * amplitude_;
    return Box{{inner->low.x - by, inner->low.y - by, inner->low.z - by},
               {inner->high.x + by, inner->high.y + by, inner->high.z + by}};
}

std::shared_ptr<const Field> WarpedField::within(const Box& box) const {
    const impl::NearestRounding nearest;
    std::shared_ptr<const Field> inner = field_->within(warped_box(box));
    if (inner == nullptr) return nullptr;
    auto less = std::make_shared<WarpedField>(*this);
    less->field_ = std::move(inner);
    return less;
}

void WarpedField::gradients(std::span<const Position> points, double spacing, std::span<Gradient> out) const {
    const impl::NearestRounding nearest;
    spacing = nearest.here(spacing);
    WarpBatch batch;
    std::array<std::array<Gradient, kWarpedAtOnce>, 3> slopes;
    for (std::size_t at = 0; at < points.size(); at += kWarpedAtOnce) {
        const std::size_t count = std::min(kWarpedAtOnce, points.size() - at);
        const std::span<const Position> from = points.subspan(at, count);
        field_->gradients(batch.fill(sums_, from), spacing, out.subspan(at, count));
        for (std::size_t axis = 0; axis < 3; ++axis) {
            impl::sum_gradients(sums_[axis], kZero, spacing, false, from, std::span(slopes[axis]).first(count));
        }
        // The chain rule: each coordinate of the warped place moves with the place and with the warp's slope.
        for (std::size_t i = 0; i < count; ++i) {
            const Gradient g = out[at + i];
            const Gradient& sx = slopes[0][i];
            const Gradient& sy = slopes[1][i];
            const Gradient& sz = slopes[2][i];
            out[at + i] = {g.x + (g.x * sx.x + g.y * sy.x + g.z * sz.x), g.y + (g.x * sx.y + g.y * sy.y + g.z * sz.y),
                           g.z + (g.x * sx.z + g.y * sy.z + g.z * sz.z)};
        }
    }
}

}  // namespace quarry::terrain
