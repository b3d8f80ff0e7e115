// Your own field: terraces, which round the height of another field down to steps.
#include <algorithm>
#include <cmath>
#include <cstdio>
#include <memory>
#include <utility>
#include <vector>

#include <quarry/terrain/field.hpp>
#include <quarry/terrain/height_field.hpp>

namespace terrain = quarry::terrain;

// [begin docs]
// Densities are pulled towards multiples of the step. The curve goes up everywhere, so it keeps bounds in order.
class Terraces final : public terrain::Field {
  public:
    Terraces(std::shared_ptr<const terrain::Field> field, float step) : field_(std::move(field)), step_(step) {}

    void densities(std::span<const terrain::Position> points, std::span<float> out) const override {
        field_->densities(points, out);
        for (float& density : out) density = curve(density);
    }

    terrain::Interval bounds(const terrain::Box& box) const override {
        const terrain::Interval inner = field_->bounds(box);
        const float rounding = 1e-5F * (step_ + std::max(std::abs(inner.low), std::abs(inner.high)));
        return {curve(inner.low) - rounding, curve(inner.high) + rounding};
    }

    void gradients(std::span<const terrain::Position> points, double spacing,
                   std::span<terrain::Gradient> out) const override {
        field_->gradients(points, spacing, out);
        std::vector<float> inner(points.size());
        field_->densities(points, inner);
        for (std::size_t i = 0; i < points.size(); ++i) {
            const float rest = inner[i] / step_ - std::floor(inner[i] / step_);
            const float slope = 0.2F + 0.8F * 3 * rest * rest;
            out[i] = {slope * out[i].x, slope * out[i].y, slope * out[i].z};
        }
    }

  private:
    float curve(float density) const {
        const float whole = std::floor(density / step_);
        const float rest = density / step_ - whole;
        return step_ * (whole + 0.2F * rest + 0.8F * rest * rest * rest);
    }

    std::shared_ptr<const terrain::Field> field_;
    float step_;
};
// [end docs]

int main() {
    const Terraces terraces(std::make_shared<terrain::HeightField>(), 8);
    const terrain::SampleBlock block{.first = {-16, -16, -16}, .nx = 33, .ny = 33, .nz = 33};
    std::vector<float> densities(block.size());
    terraces.sample(block, densities.data());
    const terrain::Interval bounds = terraces.bounds(box_of(block));
    const auto [low, high] = std::minmax_element(densities.begin(), densities.end());
    std::printf("densities %.2f to %.2f, bounds %.2f to %.2f\n", static_cast<double>(*low), static_cast<double>(*high),
                static_cast<double>(bounds.low), static_cast<double>(bounds.high));

    constexpr double kStep = 0.01;
    const terrain::Position p{3, 5, 7};
    const double slope = (static_cast<double>(terraces.density_at({p.x, p.y + kStep, p.z})) -
                          static_cast<double>(terraces.density_at({p.x, p.y - kStep, p.z}))) /
                         (2 * kStep);
    const bool slope_agrees = std::abs(slope - static_cast<double>(terraces.gradient_at(p, 0.1).y)) < 0.02;
    return bounds.low <= *low && bounds.high >= *high && slope_agrees ? 0 : 1;
}
