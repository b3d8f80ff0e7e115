#include "quarry/terrain/rough_field.hpp"

#include <algorithm>
#include <array>
#include <optional>
#include <span>
#include <stdexcept>
#include <utility>
#include <vector>

#include "terrain/combination/joins.hpp"
#include "terrain/nearest_rounding.hpp"
#include "terrain/noise/bounds.hpp"
#include "terrain/noise/sums.hpp"
#include "terrain/scratch.hpp"

namespace quarry::terrain {
namespace {

constexpr std::size_t kRoughAtOnce = 128;

// So many planes of a block are looked at as one when noise is left out.
constexpr std::int32_t kBandPlanes = 8;

// Minus the sums: what is added to each density.
constexpr impl::Base kNoBase{.offset = 0, .slope = 0};

// As in Field::sample_surface.
constexpr std::int32_t kStepsToSurface = 2;

// What the sign of some densities is, whatever the noise adds to them.
enum class Side { unknown, inside, outside };

Side side_of(Interval densities, Interval skin) noexcept {
    if (densities.low > std::max(0.0F, -skin.low)) return Side::outside;
    if (densities.high < std::min(0.0F, -skin.high)) return Side::inside;
    return Side::unknown;
}

bool is_near_surface(std::span<const Side> rows, std::int32_t row) noexcept {
    const std::int32_t last = static_cast<std::int32_t>(rows.size()) - 1;
    const Side here = rows[static_cast<std::size_t>(row)];
    if (here == Side::unknown) return true;
    for (std::int32_t i = std::max(row - kStepsToSurface, 0); i <= std::min(row + kStepsToSurface, last); ++i) {
        if (rows[static_cast<std::size_t>(i)] != here) return true;
    }
    return false;
}

struct RowsAndPlanes {
    std::int32_t y, rows, z, planes;
};

void add_noise(const impl::NoiseSum& sum, const SampleBlock& block, const RowsAndPlanes& at, float* out) {
    SampleBlock part = block;
    part.first.y += at.y * block.step;
    part.first.z += at.z * block.step;
    part.ny = at.rows;
    part.nz = at.planes;
    impl::ScratchFloats skin(part.size());
    impl::noise_kernels().block(sum, part, impl::NoiseForm::automatic, kNoBase, skin.data());
    const std::size_t plane = part.index(0, 0, 1);
    for (std::int32_t z = 0; z < at.planes; ++z) {
        const float* const from = skin.data() + part.index(0, 0, z);
        float* const to = out + block.index(0, at.y, at.z + z);
        for (std::size_t i = 0; i < plane; ++i) to[i] += from[i];
    }
}

}  // namespace

RoughField::RoughField(std::shared_ptr<const Field> field, const NoiseOptions& noise) : field_(std::move(field)) {
    if (field_ == nullptr) throw std::invalid_argument("RoughField needs a field");
    check(noise);
    amplitude_ = noise.amplitude;
    sum_ = impl::make_sum(noise, false);
}

void RoughField::sample(const SampleBlock& block, float* out) const {
    const impl::NearestRounding nearest;
    field_->sample(block, out);
    impl::ScratchFloats skin(block.size());
    impl::noise_kernels().block(sum_, block, impl::NoiseForm::automatic, kNoBase, skin.data());
    for (std::size_t i = 0; i < block.size(); ++i) out[i] += skin.data()[i];
}

void RoughField::sample_surface(const SampleBlock& block, float* out) const {
    const impl::NearestRounding nearest;
    field_->sample(block, out);
    const Box box = box_of(block);
    const std::optional<Interval> known = known_.within(box);
    const Interval skin = known ? *known : impl::sum_bounds(sum_, box, {0, 0}, impl::BoundsFor::range);
    const std::int32_t bands = std::max(1, block.nz / kBandPlanes);
    for (std::int32_t i = 0; i < bands; ++i) {
        const std::int32_t first = block.nz * i / bands;
        add_near_surface(block, first, block.nz * (i + 1) / bands - first, skin, out);
    }
}

void RoughField::add_near_surface(const SampleBlock& block, std::int32_t first, std::int32_t planes, Interval skin,
                                  float* out) const {
    // Planes below have their noise already: their signs are still to be seen.
    const std::int32_t low = std::max(first - kStepsToSurface, 0);
    const std::int32_t high = std::min(first + planes + kStepsToSurface, block.nz);
    std::vector<Side> sides(static_cast<std::size_t>(block.ny));
    for (std::int32_t y = 0; y < block.ny; ++y) {
        const Interval found = impl::extremes(out + block.index(0, y, low), {.nx = static_cast<std::size_t>(block.nx),
                                                                             .ny = 1,
                                                                             .nz = static_cast<std::size_t>(high - low),
                                                                             .row = block.index(0, 1, 0),
                                                                             .plane = block.index(0, 0, 1)});
        sides[static_cast<std::size_t>(y)] = side_of(found, skin);
    }
    for (std::int32_t y = 0; y < block.ny;) {
        std::int32_t end = y;
        while (end < block.ny && is_near_surface(sides, end)) ++end;
        if (end > y) add_noise(sum_, block, {.y = y, .rows = end - y, .z = first, .planes = planes}, out);
        y = end + 1;
    }
}

void RoughField::densities(std::span<const Position> points, std::span<float> out) const {
    const impl::NearestRounding nearest;
    field_->densities(points, out);
    std::array<float, kRoughAtOnce> skin;
    for (std::size_t at = 0; at < points.size(); at += skin.size()) {
        const std::size_t count = std::min(skin.size(), points.size() - at);
        impl::sum_densities(sum_, kNoBase, points.subspan(at, count), std::span(skin).first(count));
        for (std::size_t i = 0; i < count; ++i) out[at + i] += skin[i];
    }
}

Interval RoughField::bounds(const Box& box) const {
    const impl::NearestRounding nearest;
    const Interval inner = field_->range(box);
    if (const auto known = known_.within(box)) {
        return nearest.here(Interval{inner.low + known->low, inner.high + known->high});
    }
    // Looks at no more waves than are needed to know whether there is a surface.
    return nearest.here(impl::sum_bounds(sum_, box, inner, impl::BoundsFor::surface));
}

Interval RoughField::range(const Box& box) const {
    const impl::NearestRounding nearest;
    const Interval inner = field_->range(box);
    const std::optional<Interval> known = known_.within(box);
    const Interval skin = known ? *known : impl::sum_bounds(sum_, box, {0, 0}, impl::BoundsFor::range);
    return nearest.here(Interval{inner.low + skin.low, inner.high + skin.high});
}

void RoughField::gradients(std::span<const Position> points, double spacing, std::span<Gradient> out) const {
    const impl::NearestRounding nearest;
    spacing = nearest.here(spacing);
    field_->gradients(points, spacing, out);
    std::array<Gradient, kRoughAtOnce> skin;
    for (std::size_t at = 0; at < points.size(); at += skin.size()) {
        const std::size_t count = std::min(skin.size(), points.size() - at);
        impl::sum_gradients(sum_, kNoBase, spacing, false, points.subspan(at, count), std::span(skin).first(count));
        for (std::size_t i = 0; i < count; ++i) {
            Gradient& each = out[at + i];
            each = {each.x + skin[i].x, each.y + skin[i].y, each.z + skin[i].z};
        }
    }
}

double RoughField::reach() const noexcept {
    return std::min(field_->reach(), impl::reach_of(sum_));
}

// Densities are less by up to the amplitude, and so is the distance to a box that is larger by it.
std::optional<Box> RoughField::extent() const {
    const std::optional<Box> inner = field_->extent();
    if (!inner) return std::nullopt;
    const double by = 1.0001 * amplitude_;
    return Box{{inner->low.x - by, inner->low.y - by, inner->low.z - by},
               {inner->high.x + by, inner->high.y + by, inner->high.z + by}};
}

std::shared_ptr<const Field> RoughField::within(const Box& box) const {
    const impl::NearestRounding nearest;
    if (known_.is_for(box)) return nullptr;
    auto less = std::make_shared<RoughField>(*this);
    if (std::shared_ptr<const Field> inner = field_->within(box)) less->field_ = std::move(inner);
    less->known_ = {box, impl::sum_bounds(sum_, box, {0, 0}, impl::BoundsFor::range)};
    return less;
}

}  // namespace quarry::terrain
