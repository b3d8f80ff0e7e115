#include <limits>
#include <memory>
#include <string>

#include <gtest/gtest.h>

#include "tests/terrain/field_cases.hpp"
#include "tests/terrain/support.hpp"

namespace {

using namespace quarry::terrain;

template <class Function>
void expect_refusal(const std::string& what, Function&& function) {
    EXPECT_NE(refusal_of(function).find(what), std::string::npos) << what;
}

TEST(FieldsBadInput, ShapesRefuseSizesAndPlacesThatAreNone) {
    for (const double size : {0.0, -1.0, kNan, kInfinite}) {
        expect_refusal("SphereField.radius", [&] { const SphereField field({}, size); });
        expect_refusal("BoxField.half_size.y", [&] { const BoxField field({}, {1, size, 1}); });
        expect_refusal("TorusField.ring_radius", [&] { const TorusField field({}, size, 1); });
        expect_refusal("TorusField.tube_radius", [&] { const TorusField field({}, 1, size); });
    }
    expect_refusal("SphereField.centre.z", [] { const SphereField field({0, 0, kNan}, 1); });
    expect_refusal("PlaneField.normal's length", [] { const PlaneField field({}, {0, 0, 0}); });
    expect_refusal("PlaneField.normal.x", [] { const PlaneField field({}, {kInfinite, 0, 0}); });
}

TEST(FieldsBadInput, CompositionsRefuseMissingFieldsAndBadNumbers) {
    const auto sphere = std::make_shared<SphereField>(Position{}, 1.0);
    expect_refusal("two fields", [&] { const CombinedField field(Combination::unite, sphere, nullptr); });
    expect_refusal("CombinedField.blend is -1; 0 to 1e+06 is allowed",
                   [&] { const CombinedField field(Combination::unite, sphere, sphere, -1); });
    expect_refusal("CombinedField.blend", [&] { const CombinedField field(Combination::unite, sphere, sphere, kNan); });
    expect_refusal("needs a field", [] { const TranslatedField field(nullptr, {}); });
    expect_refusal("TranslatedField.distance.y", [&] { const TranslatedField field(sphere, {0, kInfinite, 0}); });
    expect_refusal("needs a field", [] { const WarpedField field(nullptr, {}); });
    expect_refusal("NoiseOptions.octaves", [&] { const WarpedField field(sphere, {.octaves = 40}); });
    expect_refusal("NoiseOptions.frequency", [] { const HeightField field({.frequency = 0}); });
    expect_refusal("NoiseOptions.amplitude", [] { const RidgedField field({.amplitude = kNan}); });
}

TEST(FieldsBadInput, HeightmapsRefuseSizesAndOptionsOutOfRange) {
    expect_refusal("0 x 3", [] { const Heightmap map(0, 3, {}); });
    expect_refusal("1 to 32768", [] { const Heightmap map(32'769, 1, std::vector<std::uint16_t>(32'769)); });
    expect_refusal("has 5 values", [] { const Heightmap map(2, 3, std::vector<std::uint16_t>(5)); });
    expect_refusal("at most 67108864", [] { const Heightmap map(32'768, 32'768, {}); });
    const auto map = std::make_shared<const Heightmap>(1, 1, std::vector<std::uint16_t>{7});
    expect_refusal("needs a heightmap", [] { const HeightmapField field(nullptr); });
    for (const double bad : {0.0, -1.0, kNan, kInfinite}) {
        expect_refusal("HeightmapOptions.pixel_size", [&] { const HeightmapField field(map, {.pixel_size = bad}); });
    }
    for (const double bad : {2e9, kNan, kInfinite}) {
        expect_refusal("HeightmapOptions.height_scale",
                       [&] { const HeightmapField field(map, {.height_scale = bad}); });
        expect_refusal("HeightmapOptions.offset", [&] { const HeightmapField field(map, {.offset = bad}); });
        expect_refusal("HeightmapOptions.origin_x", [&] { const HeightmapField field(map, {.origin_x = bad}); });
        expect_refusal("HeightmapOptions.origin_z", [&] { const HeightmapField field(map, {.origin_z = bad}); });
    }
}

}  // namespace
