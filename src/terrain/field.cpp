#include "quarry/terrain/field.hpp"

#include <algorithm>
#include <array>
#include <cstddef>
#include <limits>

#include "terrain/nearest_rounding.hpp"

namespace quarry::terrain {

Field::~Field() = default;

void Field::sample(const SampleBlock& block, float* out) const {
    const impl::NearestRounding nearest;
    std::array<Position, 64> points;
    for (std::int32_t z = 0; z < block.nz; ++z) {
        for (std::int32_t y = 0; y < block.ny; ++y) {
            for (std::int32_t x = 0; x < block.nx;) {
                const auto count = std::min<std::int32_t>(static_cast<std::int32_t>(points.size()), block.nx - x);
                const auto length = static_cast<std::size_t>(count);
                for (std::int32_t i = 0; i < count; ++i) points[static_cast<std::size_t>(i)] = block.at(x + i, y, z);
                densities(std::span(points).first(length), std::span(out + block.index(x, y, z), length));
                x += count;
            }
        }
    }
}

Interval Field::range(const Box& box) const {
    return bounds(box);
}

bool Field::prefers_gradients(double /*spacing*/) const noexcept {
    return false;
}

double Field::reach() const noexcept {
    return std::numeric_limits<double>::infinity();
}

std::optional<Box> Field::extent() const {
    return std::nullopt;
}

std::shared_ptr<const Field> Field::within(const Box& /*box*/) const {
    return nullptr;
}

float Field::density_at(Position point) const {
    float density = 0;
    densities(std::span(&point, 1), std::span(&density, 1));
    return density;
}

Gradient Field::gradient_at(Position point, double spacing) const {
    Gradient gradient;
    gradients(std::span(&point, 1), spacing, std::span(&gradient, 1));
    return gradient;
}

}  // namespace quarry::terrain
