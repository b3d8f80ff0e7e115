#pragma once

#include <cstdint>

#include "quarry/export.hpp"
#include "quarry/terrain/field.hpp"
#include "quarry/terrain/impl/noise_sum.hpp"

namespace quarry::terrain {

// fBm = sum(persistence^i * noise_i) / sum(persistence^i), noise_i of frequency * lacunarity^i, |noise_i| < 1.
struct NoiseOptions {
    std::uint64_t seed = 42;   // other seeds are other worlds
    int octaves = 4;           // 1 .. 16
    double frequency = 0.02;   // of the first octave, in waves per world unit; 1e-6 .. 1e3, the last octave's <= 1e4
    double amplitude = 32;     // in world units; 0 .. 1e6
    double offset = 0;         // height of the middle, in world units; -1e6 .. 1e6
    double lacunarity = 2;     // 1 .. 8
    double persistence = 0.5;  // above 0 .. 1
};

// Throws std::invalid_argument that names the option and its range.
QUARRY_API void check(const NoiseOptions& options);

// Hills with overhangs: density = y - offset - fBm(x, y, z) * amplitude.
class QUARRY_API NoiseField final : public Field {
  public:
    // Throws std::invalid_argument for an option out of range.
    explicit NoiseField(const NoiseOptions& options = {});

    void sample(const SampleBlock& block, float* out) const override;
    void densities(std::span<const Position> points, std::span<float> out) const override;
    Interval bounds(const Box& box) const override;
    Interval range(const Box& box) const override;
    void gradients(std::span<const Position> points, double spacing, std::span<Gradient> out) const override;
    bool prefers_gradients(double spacing) const noexcept override;
    double reach() const noexcept override;

    // As given to the constructor.
    const NoiseOptions& options() const noexcept { return options_; }

  private:
    NoiseOptions options_;
    impl::NoiseSum sum_;
};

}  // namespace quarry::terrain
