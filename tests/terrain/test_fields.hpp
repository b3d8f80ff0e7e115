#pragma once

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <span>

#include "quarry/terrain/field.hpp"

namespace quarry::terrain::test_support {

// A field given by one function of the place that changes by at most 1 per unit, which bounds it.
class DistanceField : public Field {
  public:
    void densities(std::span<const Position> points, std::span<float> out) const override {
        for (std::size_t i = 0; i < points.size(); ++i) out[i] = static_cast<float>(distance(points[i]));
    }

    Interval bounds(const Box& box) const override {
        const Position middle{(box.low.x + box.high.x) / 2, (box.low.y + box.high.y) / 2, (box.low.z + box.high.z) / 2};
        const double reach =
            std::hypot(box.high.x - middle.x, box.high.y - middle.y, box.high.z - middle.z) * 1.0001 + 0.001;
        return {static_cast<float>(distance(middle) - reach), static_cast<float>(distance(middle) + reach)};
    }

    void gradients(std::span<const Position> points, double, std::span<Gradient> out) const override {
        constexpr double kStep = 1e-4;
        for (std::size_t i = 0; i < points.size(); ++i) {
            const auto [x, y, z] = points[i];
            out[i] = {static_cast<float>((distance({x + kStep, y, z}) - distance({x - kStep, y, z})) / (2 * kStep)),
                      static_cast<float>((distance({x, y + kStep, z}) - distance({x, y - kStep, z})) / (2 * kStep)),
                      static_cast<float>((distance({x, y, z + kStep}) - distance({x, y, z - kStep})) / (2 * kStep))};
        }
    }

  private:
    virtual double distance(Position at) const = 0;
};

class Ball : public DistanceField {
  public:
    Ball(Position middle, double radius) : middle_(middle), radius_(radius) {}

  private:
    double distance(Position at) const override {
        return std::hypot(at.x - middle_.x, at.y - middle_.y, at.z - middle_.z) - radius_;
    }

    Position middle_;
    double radius_;
};

// Around the y axis.
class Ring : public DistanceField {
  public:
    Ring(double large, double small) : large_(large), small_(small) {}

  private:
    double distance(Position at) const override { return std::hypot(std::hypot(at.x, at.z) - large_, at.y) - small_; }

    double large_;
    double small_;
};

// Everything solid below a tilted plane.
class Slope : public DistanceField {
  public:
    Slope(Position normal, double offset) : normal_(normal), offset_(offset) {}

  private:
    double distance(Position at) const override {
        const double length = std::hypot(normal_.x, normal_.y, normal_.z);
        return (at.x * normal_.x + at.y * normal_.y + at.z * normal_.z) / length - offset_;
    }

    Position normal_;
    double offset_;
};

inline std::uint64_t mixed(std::uint64_t number) {
    number = (number ^ number >> 31) * 0x9e3779b97f4a7c15u;
    number = (number ^ number >> 29) * 0xbf58476d1ce4e5b9u;
    return number ^ number >> 32;
}

// A random density at every lattice point, inside with the given probability; one in eight is exactly 0 or -0, and so
// outside. The worst that a mesher can meet.
class Static : public Field {
  public:
    Static(std::uint64_t seed, double inside) : seed_(seed), inside_(inside) {}

    void densities(std::span<const Position> points, std::span<float> out) const override {
        for (std::size_t i = 0; i < points.size(); ++i) out[i] = value(points[i]);
    }
    Interval bounds(const Box&) const override { return {-1, 1}; }
    void gradients(std::span<const Position>, double, std::span<Gradient> out) const override {
        std::fill(out.begin(), out.end(), Gradient{0, 1, 0});
    }

  private:
    float value(Position at) const {
        const auto part = [](double coordinate) { return static_cast<std::uint64_t>(std::llround(coordinate)); };
        const std::uint64_t bits = mixed(seed_ ^ mixed(part(at.x) ^ mixed(part(at.y) ^ mixed(part(at.z)))));
        const double size = static_cast<double>(1 + (bits & 0xffff)) / 65536;
        const double choice = static_cast<double>(bits >> 40) / (1 << 24);
        if (choice < inside_) return static_cast<float>(-size);
        const std::uint64_t kind = bits >> 20 & 15;
        return kind == 0 ? 0.0f : kind == 1 ? -0.0f : static_cast<float>(size);
    }

    std::uint64_t seed_;
    double inside_;
};

}  // namespace quarry::terrain::test_support
