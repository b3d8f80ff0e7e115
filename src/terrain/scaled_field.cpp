#include "quarry/terrain/scaled_field.hpp"

#include <cmath>
#include <stdexcept>
#include <utility>

#include "terrain/moved_points.hpp"
#include "terrain/nearest_rounding.hpp"
#include "terrain/options.hpp"

namespace quarry::terrain {
namespace {

auto divided_by(double factor) {
    return [factor](const Position& p) { return Position{p.x / factor, p.y / factor, p.z / factor}; };
}

}  // namespace

ScaledField::ScaledField(std::shared_ptr<const Field> field, double factor)
    : field_(std::move(field)), factor_(factor) {
    if (field_ == nullptr) throw std::invalid_argument("ScaledField needs a field");
    impl::require_range("ScaledField.factor", factor, 1e-3, 1e3);
}

void ScaledField::densities(std::span<const Position> points, std::span<float> out) const {
    const impl::NearestRounding nearest;
    const auto scale = static_cast<float>(factor_);
    impl::for_moved_points(points, divided_by(factor_), [&](std::size_t at, std::span<const Position> inner) {
        const std::span<float> to = out.subspan(at, inner.size());
        field_->densities(inner, to);
        for (float& each : to) each *= scale;
    });
}

// Division and multiplication by a positive number keep the order, rounded or not.
Box ScaledField::divided(const Box& box) const noexcept {
    return {{box.low.x / factor_, box.low.y / factor_, box.low.z / factor_},
            {box.high.x / factor_, box.high.y / factor_, box.high.z / factor_}};
}

Interval ScaledField::bounds(const Box& box) const {
    const impl::NearestRounding nearest;
    const Interval inner = field_->bounds(divided(box));
    const auto scale = static_cast<float>(factor_);
    return nearest.here(Interval{inner.low * scale, inner.high * scale});
}

void ScaledField::gradients(std::span<const Position> points, double spacing, std::span<Gradient> out) const {
    const impl::NearestRounding nearest;
    spacing = nearest.here(spacing);
    impl::for_moved_points(points, divided_by(factor_), [&](std::size_t at, std::span<const Position> inner) {
        field_->gradients(inner, spacing / factor_, out.subspan(at, inner.size()));
    });
}

double ScaledField::reach() const noexcept {
    return field_->reach() * factor_;
}

std::optional<Box> ScaledField::extent() const {
    const std::optional<Box> inner = field_->extent();
    if (!inner) return std::nullopt;
    return Box{{inner->low.x * factor_, inner->low.y * factor_, inner->low.z * factor_},
               {inner->high.x * factor_, inner->high.y * factor_, inner->high.z * factor_}};
}

std::shared_ptr<const Field> ScaledField::within(const Box& box) const {
    const impl::NearestRounding nearest;
    std::shared_ptr<const Field> inner = field_->within(divided(box));
    if (inner == nullptr) return nullptr;
    return std::make_shared<const ScaledField>(std::move(inner), factor_);
}

}  // namespace quarry::terrain
