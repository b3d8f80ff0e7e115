#include "quarry/terrain/field.hpp"

#include <array>
#include <cstddef>
#include <limits>

#include "terrain/nearest_rounding.hpp"

namespace quarry::terrain {

Field::~Field() = default;

void Field::sample(const SampleBlock& block, float* out) const {
    const impl::NearestRounding nearest;
    // Rows of a brick are short: points of several are asked for at once.
    std::array<Position, 128> points;
    std::size_t filled = 0;
    float* to = out;
    const auto flush = [&] {
        densities(std::span(points).first(filled), std::span(to, filled));
        to += filled;
        filled = 0;
    };
    for (std::int32_t z = 0; z < block.nz; ++z) {
        for (std::int32_t y = 0; y < block.ny; ++y) {
            for (std::int32_t x = 0; x < block.nx; ++x) {
                points[filled++] = block.at(x, y, z);
                if (filled == points.size()) flush();
            }
        }
    }
    if (filled > 0) flush();
}

void Field::sample_surface(const SampleBlock& block, float* out) const {
    sample(block, out);
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

bool Field::is_distance() const noexcept {
    return false;
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
