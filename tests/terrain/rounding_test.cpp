// Hosts change how their threads round and whether tiny numbers become 0 (R18: the same bits everywhere).
#include <bit>
#include <cfenv>
#include <cstdint>
#include <vector>

#include <gtest/gtest.h>

#if defined(__SSE2__)
#include <xmmintrin.h>
#endif

#include "quarry/terrain/extract.hpp"
#include "quarry/terrain/noise_field.hpp"
#include "quarry/terrain/raycast.hpp"
#include "tests/terrain/field_cases.hpp"

namespace quarry::terrain {
namespace {

class HostMode {
  public:
    explicit HostMode(int rounding) : rounding_(rounding) {
        std::fesetround(rounding);
#if defined(__SSE2__)
        _mm_setcsr(_mm_getcsr() | kFlushes);
#endif
    }
    HostMode(const HostMode&) = delete;
    HostMode& operator=(const HostMode&) = delete;
    ~HostMode() {
        std::fesetround(FE_TONEAREST);
#if defined(__SSE2__)
        _mm_setcsr(_mm_getcsr() & ~kFlushes);
#endif
    }

    // Whether the host's mode is still there.
    bool holds() const {
#if defined(__SSE2__)
        if ((_mm_getcsr() & kFlushes) != kFlushes) return false;
#endif
        return std::fegetround() == rounding_;
    }

  private:
#if defined(__SSE2__)
    static constexpr unsigned kFlushes = 0x8040;  // flush to zero, denormals are zero
#endif
    int rounding_;
};

constexpr int kModes[] = {FE_UPWARD, FE_DOWNWARD, FE_TOWARDZERO};

void add(std::vector<std::uint32_t>& bits, float number) {
    bits.push_back(std::bit_cast<std::uint32_t>(number));
}

// All that a field answers, as bits.
std::vector<std::uint32_t> answers(const Field& field) {
    const SampleBlock block{
        .first = {-37, -11, 5}, .step = 2, .nx = 19, .ny = 9, .nz = 5, .lattice = {0.37, {0.1, 0, 7}}};
    std::vector<float> densities(block.size());
    field.sample(block, densities.data());
    std::vector<std::uint32_t> bits;
    for (const float density : densities) add(bits, density);
    // Made once, before any mode is set: the host's arithmetic is not what is tested.
    static const std::vector<Position> points = [] {
        std::vector<Position> places;
        for (int i = 0; i < 60; ++i) places.push_back({0.371 * i, 1.17 * (i % 7), -0.53 * i});
        return places;
    }();
    std::vector<float> at_points(points.size());
    std::vector<Gradient> gradients(points.size());
    field.densities(points, at_points);
    field.gradients(points, 1.5, gradients);
    for (const float density : at_points) add(bits, density);
    for (const Gradient& gradient : gradients) {
        for (const float part : {gradient.x, gradient.y, gradient.z}) add(bits, part);
    }
    const Interval bounds = field.bounds({{-3.7, -5.1, 1.3}, {9.2, 4.4, 12.9}});
    add(bits, bounds.low);
    add(bits, bounds.high);
    return bits;
}

TEST(Rounding, FieldsAnswerTheSameInAnyModeOfTheHost) {
    for (const FieldCase& each : all_cases()) {
        const std::vector<std::uint32_t> expected = answers(*each.field);
        for (const int mode : kModes) {
            const HostMode host(mode);
            EXPECT_TRUE(answers(*each.field) == expected) << each.name << ", mode " << mode;
            EXPECT_TRUE(host.holds()) << each.name;
        }
    }
}

TEST(Rounding, FieldsAreMadeTheSameInAnyModeOfTheHost) {
    const std::vector<std::uint32_t> expected =
        answers(NoiseField({.octaves = 5, .amplitude = 31, .persistence = 0.37}));
    for (const int mode : kModes) {
        const HostMode host(mode);
        EXPECT_TRUE(answers(NoiseField({.octaves = 5, .amplitude = 31, .persistence = 0.37})) == expected);
    }
}

// Its arithmetic is its own, and knows nothing of modes; some of its densities are tiny.
class Own final : public Field {
  public:
    void densities(std::span<const Position> points, std::span<float> out) const override {
        for (std::size_t i = 0; i < points.size(); ++i) out[i] = density(points[i]);
    }
    Interval bounds(const Box&) const override { return {-1, 1}; }
    void gradients(std::span<const Position> points, double, std::span<Gradient> out) const override {
        for (std::size_t i = 0; i < points.size(); ++i) {
            out[i] = {density(points[i]), 0.3F, static_cast<float>(points[i].z / 7)};
        }
    }

  private:
    static float density(const Position& at) {
        const auto height = static_cast<float>(at.y / 3 - at.x / 7 - at.z / 11 - 1);
        return height / 3 * 1e-38F;
    }
};

TEST(Rounding, MeshesAreTheSameInAnyModeOfTheHost) {
    const NoiseField noise{NoiseOptions{}};
    const Own own;
    for (const Field* const field : {static_cast<const Field*>(&noise), static_cast<const Field*>(&own)}) {
        const ChunkMesh expected = extract(*field, {0, 0, 0, 0});
        ASSERT_EQ(expected.content, ChunkContent::surface);
        const Mesh baked = bake(expected, 13);
        for (const int mode : kModes) {
            const HostMode host(mode);
            const ChunkMesh mesh = extract(*field, {0, 0, 0, 0});
            EXPECT_EQ(content_hash(mesh), content_hash(expected)) << "mode " << mode;
            EXPECT_EQ(content_hash(bake(mesh, 13)), content_hash(baked)) << "mode " << mode;
            EXPECT_TRUE(host.holds());
        }
    }
}

TEST(Rounding, RaysHitTheSamePlaceInAnyModeOfTheHost) {
    const NoiseField field{NoiseOptions{}};
    const std::optional<double> expected = highest_ground_below(field, 3.7, 90.1, 8.3);
    ASSERT_TRUE(expected.has_value());
    for (const int mode : kModes) {
        const HostMode host(mode);
        EXPECT_EQ(highest_ground_below(field, 3.7, 90.1, 8.3), expected);
    }
}

}  // namespace
}  // namespace quarry::terrain
