#include <array>
#include <string>

#include "quarry/jobs/error.hpp"
#include "quarry/terrain/cellular_field.hpp"
#include "quarry/terrain/combined_field.hpp"
#include "quarry/terrain/height_field.hpp"
#include "quarry/terrain/heightmap_field.hpp"
#include "quarry/terrain/impl/noise_sum.hpp"
#include "quarry/terrain/ridged_field.hpp"
#include "quarry/terrain/rotated_field.hpp"
#include "quarry/terrain/rough_field.hpp"
#include "quarry/terrain/scaled_field.hpp"
#include "quarry/terrain/shape_fields.hpp"
#include "quarry/terrain/terraced_field.hpp"
#include "quarry/terrain/translated_field.hpp"
#include "quarry/terrain/upright_field.hpp"
#include "quarry/terrain/warped_field.hpp"
#include "terrain/description/build.hpp"

namespace quarry::terrain::impl {
namespace {

using FieldPointer = std::shared_ptr<const Field>;

constexpr double kSmallestSize = 1e-6;

template <class Made, class... Arguments>
FieldPointer make(const Object& object, const Arguments&... arguments) {
    object.done();
    return object.node().build([&] { return std::make_shared<const Made>(arguments...); });
}

Position place(Object& object, const char* key) {
    return object.required(key).position(-kFarthestPlace, kFarthestPlace);
}

double size(Object& object, const char* key) {
    return object.number(key, kSmallestSize, kFarthestPlace);
}

template <class Made>
FieldPointer build_noise(Object& object) {
    const NoiseOptions options = read_noise(object, NoiseKeys::all);
    return make<Made>(object, options);
}

FieldPointer build_cellular(Object& object) {
    CellularOptions options;
    if (const auto seed = object.optional("seed")) options.seed = seed->seed();
    options.frequency = object.number("frequency", 1e-6, 1e3, options.frequency);
    options.amplitude = object.number("amplitude", 0, 1e6, options.amplitude);
    options.offset = object.number("offset", -1e6, 1e6, options.offset);
    return make<CellularField>(object, options);
}

FieldPointer build_plane(Object& object) {
    const Position point = place(object, "point");
    return make<PlaneField>(object, point, place(object, "normal"));
}

FieldPointer build_sphere(Object& object) {
    const Position centre = place(object, "centre");
    return make<SphereField>(object, centre, size(object, "radius"));
}

FieldPointer build_box(Object& object) {
    const Position centre = place(object, "centre");
    return make<BoxField>(object, centre, object.required("half_size").position(kSmallestSize, kFarthestPlace));
}

FieldPointer build_torus(Object& object) {
    const Position centre = place(object, "centre");
    const double ring = size(object, "ring_radius");
    return make<TorusField>(object, centre, ring, size(object, "tube_radius"));
}

FieldPointer build_capsule(Object& object) {
    const Position first = place(object, "first");
    const Position second = place(object, "second");
    return make<CapsuleField>(object, first, second, size(object, "radius"));
}

FieldPointer build_cone(Object& object) {
    const Position base = place(object, "base");
    const double height = size(object, "height");
    const double base_radius = object.number("base_radius", 0, kFarthestPlace);
    return make<ConeField>(object, base, height, base_radius, object.number("top_radius", 0, kFarthestPlace, 0));
}

FieldPointer build_ellipsoid(Object& object) {
    const Position centre = place(object, "centre");
    return make<EllipsoidField>(object, centre, object.required("radii").position(kSmallestSize, kFarthestPlace));
}

FieldPointer build_rounded_box(Object& object) {
    const Position centre = place(object, "centre");
    const Position half = object.required("half_size").position(kSmallestSize, kFarthestPlace);
    return make<RoundedBoxField>(object, centre, half, object.number("rounding", 0, kFarthestPlace));
}

template <Combination combination>
FieldPointer build_combination(Object& object) {
    const Node first = object.required("a");
    const Node second = object.required("b");
    const double blend = object.number("blend", 0, 1e6, 0);
    object.done();
    return make<CombinedField>(object, combination, build_field(first), build_field(second), blend);
}

FieldPointer build_translation(Object& object) {
    const Node inner = object.required("field");
    const Position distance = place(object, "distance");
    object.done();
    return make<TranslatedField>(object, build_field(inner), distance);
}

FieldPointer build_scale(Object& object) {
    const Node inner = object.required("field");
    const double factor = object.number("factor", 1e-3, 1e3);
    object.done();
    return make<ScaledField>(object, build_field(inner), factor);
}

FieldPointer build_rotation(Object& object) {
    const Node inner = object.required("field");
    const Position axis = place(object, "axis");
    const double degrees = object.number("degrees", -360, 360);
    object.done();
    return make<RotatedField>(object, build_field(inner), axis, degrees);
}

FieldPointer build_terraces(Object& object) {
    const Node inner = object.required("field");
    TerraceOptions options;
    options.step = object.number("step", 1e-3, 1e6, options.step);
    options.offset = object.number("offset", -1e6, 1e6, options.offset);
    options.flatness = object.number("flatness", 0, 1, options.flatness);
    object.done();
    return make<TerracedField>(object, build_field(inner), options);
}

// A field changed by noise.
template <class Made>
FieldPointer build_changed(Object& object) {
    const Node inner = object.required("field");
    const NoiseOptions noise = read_noise(object, NoiseKeys::without_offset);
    object.done();
    return make<Made>(object, build_field(inner), noise);
}

FieldPointer build_upright(Object& object) {
    const Node inner = object.required("field");
    const double factor = object.number("factor", 1e-3, 1e3, 1);
    object.done();
    return make<UprightField>(object, build_field(inner), factor);
}

std::shared_ptr<const Heightmap> read_heightmap(const Node& file, std::int32_t width, std::int32_t height) {
    const std::string name = file.text();
    if (name.empty() || name.find('\0') != std::string::npos) file.refuse("must be the name of a file");
    const std::filesystem::path path = file.source().folder / name;
    std::shared_ptr<const Heightmap>& map = file.source().heightmaps[{path.string(), width, height}];
    if (map != nullptr) return map;
    try {
        const bool is_raw = width > 0;
        map = std::make_shared<const Heightmap>(is_raw ? read_raw_heightmap(path, width, height)
                                                       : read_png_heightmap(path));
    } catch (const Error& error) {
        file.refuse(error.what());
    }
    return map;
}

FieldPointer build_heightmap(Object& object) {
    const Node file = object.required("file");
    const std::optional<Node> width = object.optional("width");
    const std::optional<Node> height = object.optional("height");
    HeightmapOptions options;
    options.pixel_size = object.number("pixel_size", 1e-3, 1e6, options.pixel_size);
    options.height_scale = object.number("height_scale", -1e6, 1e6, options.height_scale);
    options.offset = object.number("offset", -1e6, 1e6, options.offset);
    options.origin_x = object.number("origin_x", -kFarthestPlace, kFarthestPlace, options.origin_x);
    options.origin_z = object.number("origin_z", -kFarthestPlace, kFarthestPlace, options.origin_z);
    object.done();
    if (width.has_value() != height.has_value()) {
        object.node().refuse("has only one of width and height; a raw file needs both, a PNG none");
    }
    const auto side = [](const std::optional<Node>& node) {
        return node ? static_cast<std::int32_t>(node->integer(1, kMostHeightmapSide)) : 0;
    };
    return make<HeightmapField>(object, read_heightmap(file, side(width), side(height)), options);
}

struct Kind {
    const char* type;
    const char* what;
    FieldPointer (*build)(Object& object);
};

constexpr std::array kKinds{
    Kind{"noise", "a noise field", build_noise<NoiseField>},
    Kind{"height", "a height field", build_noise<HeightField>},
    Kind{"ridged", "a ridged field", build_noise<RidgedField>},
    Kind{"cellular", "a cellular field", build_cellular},
    Kind{"heightmap", "a heightmap", build_heightmap},
    Kind{"plane", "a plane", build_plane},
    Kind{"sphere", "a sphere", build_sphere},
    Kind{"box", "a box", build_box},
    Kind{"torus", "a torus", build_torus},
    Kind{"capsule", "a capsule", build_capsule},
    Kind{"cone", "a cone", build_cone},
    Kind{"ellipsoid", "an ellipsoid", build_ellipsoid},
    Kind{"rounded_box", "a rounded box", build_rounded_box},
    Kind{"union", "a union", build_combination<Combination::unite>},
    Kind{"intersection", "an intersection", build_combination<Combination::intersect>},
    Kind{"subtraction", "a subtraction", build_combination<Combination::subtract>},
    Kind{"translation", "a translation", build_translation},
    Kind{"scale", "a scale", build_scale},
    Kind{"rotation", "a rotation", build_rotation},
    Kind{"terraces", "terraces", build_terraces},
    Kind{"warp", "a warp", build_changed<WarpedField>},
    Kind{"rough", "a rough field", build_changed<RoughField>},
    Kind{"upright", "an upright field", build_upright},
};

}  // namespace

NoiseOptions read_noise(Object& object, NoiseKeys keys) {
    NoiseOptions options;
    if (const auto seed = object.optional("seed")) options.seed = seed->seed();
    if (const auto octaves = object.optional("octaves")) {
        options.octaves = static_cast<int>(octaves->integer(1, kMostOctaves));
    }
    options.frequency = object.number("frequency", 1e-6, 1e3, options.frequency);
    if (keys != NoiseKeys::shape_only) options.amplitude = object.number("amplitude", 0, 1e6, options.amplitude);
    if (keys == NoiseKeys::all) options.offset = object.number("offset", -1e6, 1e6, options.offset);
    options.lacunarity = object.number("lacunarity", 1, 8, options.lacunarity);
    options.persistence = object.number("persistence", 1e-3, 1, options.persistence);
    return options;
}

std::shared_ptr<const Field> build_field(const Node& node) {
    Object object(node, "a field");
    const Node type = object.required("type");
    const std::string name = type.text();
    for (const Kind& kind : kKinds) {
        if (name != kind.type) continue;
        object.set_what(kind.what);
        return kind.build(object);
    }
    std::string known;
    for (const Kind& kind : kKinds) known += (known.empty() ? "" : ", ") + std::string(kind.type);
    type.refuse("is no type of field; there are " + known);
}

}  // namespace quarry::terrain::impl
