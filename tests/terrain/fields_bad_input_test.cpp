#include <limits>
#include <memory>
#include <string>

#include <gtest/gtest.h>

#include "tests/terrain/field_cases.hpp"
#include "tests/terrain/support.hpp"

namespace {

using namespace quarry::terrain;

constexpr double kNan = std::numeric_limits<double>::quiet_NaN();
constexpr double kInfinite = std::numeric_limits<double>::infinity();

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

}  // namespace
