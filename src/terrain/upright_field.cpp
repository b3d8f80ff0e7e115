#include "quarry/terrain/upright_field.hpp"

#include <array>
#include <atomic>
#include <cstdint>
#include <optional>
#include <stdexcept>
#include <utility>

#include "terrain/columns.hpp"
#include "terrain/moved_points.hpp"
#include "terrain/nearest_rounding.hpp"
#include "terrain/options.hpp"
#include "terrain/scratch.hpp"

namespace quarry::terrain {
namespace {

Box flattened(const Box& box) noexcept {
    return {{box.low.x, 0, box.low.z}, {box.high.x, 0, box.high.z}};
}

Position on_the_ground(const Position& p) noexcept {
    return {p.x, 0, p.z};
}

}  // namespace

UprightField::UprightField(std::shared_ptr<const Field> field, double factor)
    : field_(std::move(field)), factor_(static_cast<float>(factor)) {
    if (field_ == nullptr) throw std::invalid_argument("UprightField needs a field");
    impl::require_range("UprightField.factor", factor, 1e-3, 1e3);
    static std::atomic<std::uint64_t> numbers{0};
    number_ = 1 + numbers.fetch_add(1, std::memory_order_relaxed);
}

void UprightField::sample(const SampleBlock& block, float* out) const {
    const impl::NearestRounding nearest;
    SampleBlock plane = block;
    plane.first.y = 0;
    plane.ny = 1;
    plane.lattice.origin.y = 0;
    impl::ScratchFloats below(plane.size());
    field_->sample(plane, below.data());
    for (std::size_t i = 0; i < plane.size(); ++i) below.data()[i] *= factor_;
    for (std::int32_t z = 0; z < block.nz; ++z) {
        const float* const row = below.data() + plane.index(0, 0, z);
        for (std::int32_t y = 0; y < block.ny; ++y) {
            const auto level = static_cast<float>(block.lattice.y(block.first.y + y * block.step));
            float* const to = out + block.index(0, y, z);
            for (std::int32_t x = 0; x < block.nx; ++x) to[x] = level + row[x];
        }
    }
}

void UprightField::densities(std::span<const Position> points, std::span<float> out) const {
    const impl::NearestRounding nearest;
    impl::for_columns(points, out, [&](std::span<const Position> columns, std::span<float> heights) {
        field_->densities(columns, heights);
    });
    for (std::size_t i = 0; i < points.size(); ++i) out[i] = static_cast<float>(points[i].y) + factor_ * out[i];
}

// Bounds of a chunk are asked for by each combination around the field, one after the other, and by within: each thread
// remembers the last ones. A field that is left of another in a box has its number, since its densities are the same.
Interval UprightField::range_in(const Box& flat) const {
    struct Last {
        std::uint64_t number = 0;
        Box flat{};
        Interval range{};
    };
    static thread_local std::array<Last, 8> kept;
    Last& last = kept[number_ % kept.size()];
    if (last.number != number_ || !(last.flat == flat)) {
        const Interval range = field_->range(flat);
        last = {number_, flat, range};
    }
    return last.range;
}

// Rounding keeps the order of numbers, so the ends are rounded as the densities are.
Interval UprightField::bounds(const Box& box) const {
    const impl::NearestRounding nearest;
    const Box flat = flattened(box);
    const std::optional<Interval> known = known_.within(flat);
    const Interval inner = known ? *known : range_in(flat);
    return nearest.here(Interval{static_cast<float>(box.low.y) + factor_ * inner.low,
                                 static_cast<float>(box.high.y) + factor_ * inner.high});
}

void UprightField::gradients(std::span<const Position> points, double spacing, std::span<Gradient> out) const {
    const impl::NearestRounding nearest;
    spacing = nearest.here(spacing);
    impl::for_moved_points(points, on_the_ground, [&](std::size_t at, std::span<const Position> moved) {
        field_->gradients(moved, spacing, out.subspan(at, moved.size()));
    });
    for (Gradient& each : out) each = {factor_ * each.x, 1, factor_ * each.z};
}

std::shared_ptr<const Field> UprightField::within(const Box& box) const {
    const impl::NearestRounding nearest;
    const Box flat = flattened(box);
    if (known_.is_for(flat)) return nullptr;
    auto less = std::make_shared<UprightField>(*this);
    if (std::shared_ptr<const Field> inner = field_->within(flat)) less->field_ = std::move(inner);
    less->known_ = {flat, less->range_in(flat)};
    return less;
}

}  // namespace quarry::terrain
