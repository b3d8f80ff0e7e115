#pragma once

#include <limits>
#include <optional>
#include <span>

#include "quarry/export.hpp"
#include "quarry/terrain/impl/noise_sum.hpp"
#include "quarry/terrain/lattice.hpp"
#include "quarry/terrain/mesh.hpp"
#include "quarry/terrain/noise_field.hpp"

namespace quarry::terrain {

// Where a layer of material lies: a share from 0 (not here) to 1 at each place. Computed with the operations whose
// bits are the same on every machine only (+ - * / and square roots), so that weights are too.
class QUARRY_API Cover {
  public:
    Cover() = default;
    Cover(const Cover&) = default;
    Cover& operator=(const Cover&) = default;
    virtual ~Cover();

    // out[i] for the place (in the world) and the normal (of length 1) number i; the three are of equal size.
    virtual void shares(std::span<const Position> places, std::span<const Vector3> normals,
                        std::span<float> out) const = 0;
};

// Values from `from` on and below `to`. At both ends the share changes over the width `blend`, half of it on either
// side, along t * t * (3 - 2 * t).
struct CoverRange {
    double from = -std::numeric_limits<double>::infinity();  // below to
    double to = std::numeric_limits<double>::infinity();     // above from
    double blend = 0;                                        // 0 .. 1e6
};

// Throws std::invalid_argument that says what is allowed.
QUARRY_API void check(const CoverRange& range);

// By height, in world units. A ragged border: the height is taken as y - offset - fBm(x, y, z) * amplitude.
class QUARRY_API HeightCover final : public Cover {
  public:
    // Throws std::invalid_argument as check does.
    explicit HeightCover(const CoverRange& heights, const std::optional<NoiseOptions>& ragged = std::nullopt);

    void shares(std::span<const Position> places, std::span<const Vector3> normals,
                std::span<float> out) const override;

  private:
    CoverRange heights_;
    double offset_ = 0;
    double waves_ = 0;    // how far the border goes up and down
    impl::NoiseSum sum_;  // without octaves where the border is not ragged
};

// By the angle between the normal and straight up, in degrees: 0 is flat ground, 90 a wall, 180 a ceiling. Within the
// blend the share is a function of the normal's y, so that no inverse cosine is needed.
class QUARRY_API SlopeCover final : public Cover {
  public:
    // Throws std::invalid_argument as check does, and for a blend above 180.
    explicit SlopeCover(const CoverRange& degrees);

    void shares(std::span<const Position> places, std::span<const Vector3> normals,
                std::span<float> out) const override;

  private:
    // Of the normal's y: the share is 0 from `none` on and 1 from `all` on, in the direction that leads from one to the
    // other.
    struct Edge {
        bool is_there = false;
        float none = 0;
        float all = 0;
    };

    static Edge edge(double none_degrees, double all_degrees) noexcept;

    Edge flat_end_;
    Edge steep_end_;
};

// By noise: fBm(x, y, z), which lies between -1 and 1. Amplitude and offset of the options are not used.
class QUARRY_API NoiseCover final : public Cover {
  public:
    // Throws std::invalid_argument as check does.
    NoiseCover(const NoiseOptions& noise, const CoverRange& values);

    void shares(std::span<const Position> places, std::span<const Vector3> normals,
                std::span<float> out) const override;

  private:
    CoverRange values_;
    impl::NoiseSum sum_;
};

}  // namespace quarry::terrain
