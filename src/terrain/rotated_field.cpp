#include "quarry/terrain/rotated_field.hpp"

#include <algorithm>
#include <cmath>
#include <stdexcept>
#include <utility>

#include "terrain/angle.hpp"
#include "terrain/moved_points.hpp"
#include "terrain/nearest_rounding.hpp"
#include "terrain/options.hpp"
#include "terrain/rounding.hpp"

namespace quarry::terrain {
namespace {

using Turn = std::array<std::array<double, 3>, 3>;

Position turned_point(const Turn& by, const Position& p) noexcept {
    return {by[0][0] * p.x + by[0][1] * p.y + by[0][2] * p.z, by[1][0] * p.x + by[1][1] * p.y + by[1][2] * p.z,
            by[2][0] * p.x + by[2][1] * p.y + by[2][2] * p.z};
}

auto turned_by(const Turn& by) {
    return [&by](const Position& p) { return turned_point(by, p); };
}

// Exact for quarter turns.
double cosine(double degrees) noexcept {
    const double turned = std::abs(degrees) > 180 ? 360 - std::abs(degrees) : std::abs(degrees);
    if (turned == 90) return 0;
    return impl::cosine_of_degrees(turned);
}

double sine(double degrees) noexcept {
    const double from_quarter = degrees - 90;
    return cosine(from_quarter < -360 ? from_quarter + 360 : from_quarter);
}

Turn rotation(Position axis, double degrees) noexcept {
    const double c = cosine(degrees);
    const double s = sine(degrees);
    const double d = 1 - c;
    const auto [x, y, z] = axis;
    return {{{c + d * x * x, d * x * y - s * z, d * x * z + s * y},
             {d * x * y + s * z, c + d * y * y, d * y * z - s * x},
             {d * x * z - s * y, d * y * z + s * x, c + d * z * z}}};
}

}  // namespace

RotatedField::RotatedField(std::shared_ptr<const Field> field, Position axis, double degrees)
    : field_(std::move(field)) {
    const impl::NearestRounding nearest;
    if (field_ == nullptr) throw std::invalid_argument("RotatedField needs a field");
    const double size = impl::length(axis.x, axis.y, axis.z);
    impl::require_range("RotatedField.axis's length", size, 1e-6, 1e9);
    impl::require_range("RotatedField.degrees", degrees, -360, 360);
    forth_ = rotation({axis.x / size, axis.y / size, axis.z / size}, degrees);
    for (std::size_t i = 0; i < 3; ++i) {
        for (std::size_t j = 0; j < 3; ++j) back_[i][j] = forth_[j][i];
    }
}

void RotatedField::densities(std::span<const Position> points, std::span<float> out) const {
    const impl::NearestRounding nearest;
    impl::for_moved_points(points, turned_by(back_), [&](std::size_t at, std::span<const Position> inner) {
        field_->densities(inner, out.subspan(at, inner.size()));
    });
}

// A little wider, for what rounding may move a place.
Box RotatedField::turned(const Matrix& by, const Box& box) noexcept {
    const Position centre = turned_point(by, impl::centre_of(box));
    const Position half{(box.high.x - box.low.x) / 2, (box.high.y - box.low.y) / 2, (box.high.z - box.low.z) / 2};
    const double slack = 1e-9 * (1 + impl::farthest(box));
    const auto reach = [&](std::size_t row) {
        return std::abs(by[row][0]) * half.x + std::abs(by[row][1]) * half.y + std::abs(by[row][2]) * half.z + slack;
    };
    return {{centre.x - reach(0), centre.y - reach(1), centre.z - reach(2)},
            {centre.x + reach(0), centre.y + reach(1), centre.z + reach(2)}};
}

Interval RotatedField::bounds(const Box& box) const {
    const impl::NearestRounding nearest;
    return nearest.here(field_->bounds(turned(back_, box)));
}

void RotatedField::gradients(std::span<const Position> points, double spacing, std::span<Gradient> out) const {
    const impl::NearestRounding nearest;
    spacing = nearest.here(spacing);
    impl::for_moved_points(points, turned_by(back_), [&](std::size_t at, std::span<const Position> inner) {
        const std::span<Gradient> to = out.subspan(at, inner.size());
        field_->gradients(inner, spacing, to);
        for (Gradient& g : to) {
            const Position turned_back = turned_point(forth_, {g.x, g.y, g.z});
            g = {static_cast<float>(turned_back.x), static_cast<float>(turned_back.y),
                 static_cast<float>(turned_back.z)};
        }
    });
}

// A corner of a cube comes to lie further out along an axis.
double RotatedField::reach() const noexcept {
    return field_->reach() / 1.7321;
}

std::optional<Box> RotatedField::extent() const {
    const std::optional<Box> inner = field_->extent();
    if (!inner) return std::nullopt;
    return turned(forth_, *inner);
}

std::shared_ptr<const Field> RotatedField::within(const Box& box) const {
    const impl::NearestRounding nearest;
    std::shared_ptr<const Field> inner = field_->within(turned(back_, box));
    if (inner == nullptr) return nullptr;
    auto less = std::make_shared<RotatedField>(*this);
    less->field_ = std::move(inner);
    return less;
}

}  // namespace quarry::terrain
