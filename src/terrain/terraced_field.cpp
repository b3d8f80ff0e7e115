#include "quarry/terrain/terraced_field.hpp"

#include <cmath>
#include <stdexcept>
#include <utility>
#include <vector>

#include "terrain/nearest_rounding.hpp"
#include "terrain/options.hpp"
#include "terrain/rounding.hpp"

namespace quarry::terrain {

void check(const TerraceOptions& options) {
    impl::require_range("TerraceOptions.step", options.step, 1e-3, 1e6);
    impl::require_range("TerraceOptions.offset", options.offset, -1e6, 1e6);
    impl::require_range("TerraceOptions.flatness", options.flatness, 0, 1);
}

TerracedField::TerracedField(std::shared_ptr<const Field> field, const TerraceOptions& options)
    : field_(std::move(field)), options_(options) {
    if (field_ == nullptr) throw std::invalid_argument("TerracedField needs a field");
    check(options);
}

// From one terrace to the next along t^3 (t (6 t - 15) + 10) of a twice narrower stretch in the middle, mixed with a
// straight line.
double TerracedField::curve(double height) const noexcept {
    const double steps = (height - options_.offset) / options_.step;
    const double whole = std::floor(steps);
    const double t = std::fmin(std::fmax(2 * (steps - whole) - 0.5, 0.0), 1.0);
    const double level = whole + t * t * t * (t * (6 * t - 15) + 10);
    return options_.offset + options_.step * (steps + options_.flatness * (level - steps));
}

double TerracedField::curve_slope(double height) const noexcept {
    const double steps = (height - options_.offset) / options_.step;
    const double t = 2 * (steps - std::floor(steps)) - 0.5;
    const double level = t > 0 && t < 1 ? 60 * t * t * (1 - t) * (1 - t) : 0;
    return 1 + options_.flatness * (level - 1);
}

void TerracedField::densities(std::span<const Position> points, std::span<float> out) const {
    const impl::NearestRounding nearest;
    field_->densities(points, out);
    for (std::size_t i = 0; i < points.size(); ++i) {
        out[i] = static_cast<float>(points[i].y - curve(points[i].y - static_cast<double>(out[i])));
    }
}

// The curve goes up everywhere.
Interval TerracedField::bounds(const Box& box) const {
    const impl::NearestRounding nearest;
    const Interval inner = field_->bounds(box);
    const double low = curve(box.low.y - static_cast<double>(inner.high));
    const double high = curve(box.high.y - static_cast<double>(inner.low));
    Interval bounds = impl::widened(box.low.y - high, box.high.y - low);
    const auto slack = static_cast<float>(1e-9 * (std::abs(low) + std::abs(high) + options_.step));
    bounds = {bounds.low - slack, bounds.high + slack};
    return nearest.here(bounds);
}

void TerracedField::gradients(std::span<const Position> points, double spacing, std::span<Gradient> out) const {
    const impl::NearestRounding nearest;
    spacing = nearest.here(spacing);
    field_->gradients(points, spacing, out);
    std::vector<float> values(points.size());
    field_->densities(points, values);
    for (std::size_t i = 0; i < points.size(); ++i) {
        const auto slope = static_cast<float>(curve_slope(points[i].y - static_cast<double>(values[i])));
        out[i] = {slope * out[i].x, 1 - slope * (1 - out[i].y), slope * out[i].z};
    }
}

std::shared_ptr<const Field> TerracedField::within(const Box& box) const {
    const impl::NearestRounding nearest;
    std::shared_ptr<const Field> inner = field_->within(box);
    if (inner == nullptr) return nullptr;
    return std::make_shared<const TerracedField>(std::move(inner), options_);
}

}  // namespace quarry::terrain
