#pragma once

#include <algorithm>
#include <cmath>
#include <functional>
#include <memory>
#include <random>
#include <string>
#include <vector>

#include "quarry/terrain/cellular_field.hpp"
#include "quarry/terrain/combined_field.hpp"
#include "quarry/terrain/height_field.hpp"
#include "quarry/terrain/heightmap_field.hpp"
#include "quarry/terrain/noise_field.hpp"
#include "quarry/terrain/ridged_field.hpp"
#include "quarry/terrain/rotated_field.hpp"
#include "quarry/terrain/rough_field.hpp"
#include "quarry/terrain/scaled_field.hpp"
#include "quarry/terrain/shape_fields.hpp"
#include "quarry/terrain/terraced_field.hpp"
#include "quarry/terrain/translated_field.hpp"
#include "quarry/terrain/upright_field.hpp"
#include "quarry/terrain/warped_field.hpp"
#include "tests/terrain/reference_noise.hpp"

// Every kind of field beside the same thing in double, written as plainly as can be.
namespace quarry::terrain {

using Reference = std::function<double(Position)>;

struct FieldCase {
    std::string name;
    std::shared_ptr<const Field> field;
    Reference reference;
    double amplitude;  // what 1e-5 is taken of
};

inline double reference_smooth_minimum(double a, double b, double blend) {
    const double overlap = std::max(blend - std::abs(a - b), 0.0);
    return std::min(a, b) - (blend > 0 ? overlap * overlap / (4 * blend) : 0);
}

inline std::vector<FieldCase> noise_cases() {
    const NoiseOptions hills{.seed = 7, .octaves = 4, .frequency = 0.02, .amplitude = 32, .offset = 2};
    const NoiseOptions peaks{.seed = 1234567890123ULL, .octaves = 5, .frequency = 0.011, .amplitude = 40, .offset = -3};
    return {
        {"noise", std::make_shared<NoiseField>(hills),
         [=](Position p) { return p.y - 2 - 32 * reference::fbm(hills, p, 4); }, 32},
        {"height", std::make_shared<HeightField>(hills),
         [=](Position p) {
             return p.y - 2 - 32 * reference::fbm(hills, {p.x, 0, p.z}, 4);
         },
         32},
        {"ridged", std::make_shared<RidgedField>(peaks),
         [=](Position p) { return p.y + 3 - 40 * reference::fbm(peaks, p, 5, true); }, 40},
    };
}

// A picture of random heights, larger along x than along z.
inline std::shared_ptr<const Heightmap> random_heightmap(std::int32_t width, std::int32_t height) {
    std::mt19937 random(77);
    std::vector<std::uint16_t> values(static_cast<std::size_t>(width) * static_cast<std::size_t>(height));
    for (std::uint16_t& value : values) value = static_cast<std::uint16_t>(random());
    values.front() = 0;
    values.back() = 65'535;
    return std::make_shared<Heightmap>(width, height, std::move(values));
}

inline double reference_heightmap(const Heightmap& map, const HeightmapOptions& options, Position p) {
    const double x = std::clamp((p.x - options.origin_x) / options.pixel_size, 0.0, map.width() - 1.0);
    const double z = std::clamp((p.z - options.origin_z) / options.pixel_size, 0.0, map.height() - 1.0);
    double value = 0;
    for (std::int32_t j = 0; j < map.height(); ++j) {
        const double share = std::max(0.0, 1 - std::abs(z - j));
        if (share == 0) continue;
        for (std::int32_t i = 0; i < map.width(); ++i) {
            value += share * std::max(0.0, 1 - std::abs(x - i)) * map.at(i, j);
        }
    }
    return p.y - options.offset - options.height_scale * value / 65'535;
}

inline std::vector<FieldCase> heightmap_cases() {
    const HeightmapOptions plain{
        .pixel_size = 3.5, .height_scale = 60, .offset = -20, .origin_x = -50, .origin_z = -41};
    const HeightmapOptions sunken{.pixel_size = 0.7, .height_scale = -30, .offset = 7, .origin_x = 3, .origin_z = 0};
    std::vector<FieldCase> cases;
    const auto add = [&](const char* name, const std::shared_ptr<const Heightmap>& map, const HeightmapOptions& with) {
        cases.push_back({name, std::make_shared<HeightmapField>(map, with),
                         [=](Position p) { return reference_heightmap(*map, with, p); }, 60});
    };
    add("heightmap", random_heightmap(37, 30), plain);
    add("heightmap of one row upside down", random_heightmap(25, 1), sunken);
    return cases;
}

inline std::vector<FieldCase> shape_cases() {
    return {
        {"plane", std::make_shared<PlaneField>(Position{1, 2, 3}, Position{3, 4, 12}),
         [](Position p) { return (3 * (p.x - 1) + 4 * (p.y - 2) + 12 * (p.z - 3)) / 13; }, 100},
        {"sphere", std::make_shared<SphereField>(Position{5, -6, 7}, 30.5),
         [](Position p) { return std::hypot(p.x - 5, p.y + 6, p.z - 7) - 30.5; }, 100},
        {"box", std::make_shared<BoxField>(Position{-4, 3, 9}, Position{20, 10, 30}),
         [](Position p) {
             const double x = std::abs(p.x + 4) - 20;
             const double y = std::abs(p.y - 3) - 10;
             const double z = std::abs(p.z - 9) - 30;
             if (x <= 0 && y <= 0 && z <= 0) return std::max({x, y, z});
             return std::hypot(std::max(x, 0.0), std::max(y, 0.0), std::max(z, 0.0));
         },
         100},
        {"torus", std::make_shared<TorusField>(Position{1, 5, -8}, 30, 9),
         [](Position p) { return std::hypot(std::hypot(p.x - 1, p.z + 8) - 30, p.y - 5) - 9; }, 100},
    };
}

inline std::vector<FieldCase> composed_cases() {
    const FieldCase hills = noise_cases()[0];
    const FieldCase peaks = noise_cases()[2];
    const FieldCase sphere = shape_cases()[1];
    std::vector<FieldCase> cases;
    for (const double blend : {0.0, 6.0}) {
        const std::string suffix = blend > 0 ? " blended" : "";
        const auto combined = [&](Combination how) {
            return std::make_shared<CombinedField>(how, hills.field, sphere.field, blend);
        };
        cases.push_back(
            {"union" + suffix, combined(Combination::unite),
             [=](Position p) { return reference_smooth_minimum(hills.reference(p), sphere.reference(p), blend); },
             100});
        cases.push_back(
            {"intersection" + suffix, combined(Combination::intersect),
             [=](Position p) { return -reference_smooth_minimum(-hills.reference(p), -sphere.reference(p), blend); },
             100});
        cases.push_back(
            {"subtraction" + suffix, combined(Combination::subtract),
             [=](Position p) { return -reference_smooth_minimum(-hills.reference(p), sphere.reference(p), blend); },
             100});
    }
    cases.push_back({"translation", std::make_shared<TranslatedField>(peaks.field, Position{10, -20.5, 0.25}),
                     [=](Position p) {
                         return peaks.reference({p.x - 10, p.y + 20.5, p.z - 0.25});
                     },
                     40});
    const NoiseOptions warp{.seed = 5, .octaves = 2, .frequency = 0.01, .amplitude = 12};
    cases.push_back({"warp", std::make_shared<WarpedField>(hills.field, warp),
                     [=](Position p) {
                         double shift[3];
                         for (std::uint64_t axis = 0; axis < 3; ++axis) {
                             NoiseOptions one = warp;
                             one.seed = 3 * warp.seed + axis;
                             shift[axis] = warp.amplitude * reference::fbm(one, p, 2);
                         }
                         return hills.reference({p.x - shift[0], p.y - shift[1], p.z - shift[2]});
                     },
                     32});
    return cases;
}

inline double reference_cone(Position p) {
    // By looking: the nearest of many points of the outline, from the base (radius 20, at -10) to the top (radius 5, at
    // 15).
    const double out = std::hypot(p.x - 2, p.z + 3);
    const double up = p.y;
    const auto to_stretch = [&](double ax, double ay, double bx, double by) {
        const double dx = bx - ax, dy = by - ay;
        const double t = std::clamp(((out - ax) * dx + (up - ay) * dy) / (dx * dx + dy * dy), 0.0, 1.0);
        return std::hypot(out - ax - t * dx, up - ay - t * dy);
    };
    const double distance =
        std::min({to_stretch(0, -10, 20, -10), to_stretch(20, -10, 5, 15), to_stretch(5, 15, 0, 15)});
    const bool inside = up > -10 && up < 15 && out < 20 - 15 * (up + 10) / 25;
    return inside ? -distance : distance;
}

inline std::vector<FieldCase> round_cases() {
    return {
        {"capsule", std::make_shared<CapsuleField>(Position{-20, 5, 3}, Position{15, -12, 20}, 8),
         [](Position p) {
             const double ax = 35, ay = -17, az = 17;
             const double t = std::clamp(
                 ((p.x + 20) * ax + (p.y - 5) * ay + (p.z - 3) * az) / (ax * ax + ay * ay + az * az), 0.0, 1.0);
             return std::hypot(p.x + 20 - t * ax, p.y - 5 - t * ay, p.z - 3 - t * az) - 8;
         },
         100},
        {"cone", std::make_shared<ConeField>(Position{2, -10, -3}, 25, 20, 5), reference_cone, 100},
        {"ellipsoid", std::make_shared<EllipsoidField>(Position{1, 2, 3}, Position{30, 12, 20}),
         [](Position p) { return 12 * (std::hypot((p.x - 1) / 30, (p.y - 2) / 12, (p.z - 3) / 20) - 1); }, 100},
        {"rounded box", std::make_shared<RoundedBoxField>(Position{-4, 3, 9}, Position{20, 10, 30}, 4),
         [](Position p) {
             const double x = std::abs(p.x + 4) - 16;
             const double y = std::abs(p.y - 3) - 6;
             const double z = std::abs(p.z - 9) - 26;
             if (x <= 0 && y <= 0 && z <= 0) return std::max({x, y, z}) - 4;
             return std::hypot(std::max(x, 0.0), std::max(y, 0.0), std::max(z, 0.0)) - 4;
         },
         100},
    };
}

// Looks at all points within two cells, which is more than the field does.
inline double reference_cellular(const CellularOptions& options, Position p) {
    const double at[3] = {p.x * options.frequency, p.y * options.frequency, p.z * options.frequency};
    double least = 1;
    for (int dz = -2; dz <= 2; ++dz) {
        for (int dy = -2; dy <= 2; ++dy) {
            for (int dx = -2; dx <= 2; ++dx) {
                const double cell[3] = {std::floor(at[0]) + dx, std::floor(at[1]) + dy, std::floor(at[2]) + dz};
                const std::uint32_t h = impl::hash(impl::octave_seed(options.seed, 0), reference::wrapped(cell[0]),
                                                   reference::wrapped(cell[1]), reference::wrapped(cell[2]));
                double square = 0;
                for (std::uint32_t axis = 0; axis < 3; ++axis) {
                    const double offset = (((h >> 10 * axis) & 1023) + 0.5) / 1024;
                    square += (at[axis] - cell[axis] - offset) * (at[axis] - cell[axis] - offset);
                }
                least = std::min(least, std::sqrt(square));
            }
        }
    }
    return p.y - options.offset - options.amplitude * (1 - 2 * least);
}

inline std::vector<FieldCase> changed_cases() {
    const FieldCase hills = noise_cases()[0];
    const FieldCase box = shape_cases()[2];
    std::vector<FieldCase> cases;
    const CellularOptions cells{.seed = 9, .frequency = 0.031, .amplitude = 20, .offset = -4};
    cases.push_back({"cellular", std::make_shared<CellularField>(cells),
                     [=](Position p) { return reference_cellular(cells, p); }, 20});
    cases.push_back({"scale", std::make_shared<ScaledField>(box.field, 1.7),
                     [=](Position p) {
                         return 1.7 * box.reference({p.x / 1.7, p.y / 1.7, p.z / 1.7});
                     },
                     100});
    // A third of a turn around the space diagonal: x becomes y, y becomes z, z becomes x.
    cases.push_back({"rotation", std::make_shared<RotatedField>(box.field, Position{2, 2, 2}, 120),
                     [=](Position p) {
                         return box.reference({p.y, p.z, p.x});
                     },
                     100});
    cases.push_back(
        {"terraces",
         std::make_shared<TerracedField>(hills.field, TerraceOptions{.step = 9, .offset = 2, .flatness = 0.7}),
         [=](Position p) {
             const double steps = (p.y - hills.reference(p) - 2) / 9;
             const double t = std::clamp(2 * (steps - std::floor(steps)) - 0.5, 0.0, 1.0);
             const double level = std::floor(steps) + t * t * t * (t * (6 * t - 15) + 10);
             return p.y - 2 - 9 * (0.3 * steps + 0.7 * level);
         },
         200});
    const NoiseOptions skin{.seed = 21, .octaves = 3, .frequency = 0.05, .amplitude = 7};
    cases.push_back({"rough", std::make_shared<RoughField>(box.field, skin),
                     [=](Position p) { return box.reference(p) - 7 * reference::fbm(skin, p, 3); }, 100});
    const FieldCase warp = composed_cases().back();
    cases.push_back({"upright", std::make_shared<UprightField>(warp.field, 1.5),
                     [=](Position p) {
                         return p.y + 1.5 * warp.reference({p.x, 0, p.z});
                     },
                     100});
    return cases;
}

inline std::vector<FieldCase> all_cases() {
    std::vector<FieldCase> cases = noise_cases();
    for (const FieldCase& each : heightmap_cases()) cases.push_back(each);
    for (const FieldCase& each : shape_cases()) cases.push_back(each);
    for (const FieldCase& each : round_cases()) cases.push_back(each);
    for (const FieldCase& each : composed_cases()) cases.push_back(each);
    for (const FieldCase& each : changed_cases()) cases.push_back(each);
    return cases;
}

}  // namespace quarry::terrain
