#include "settings.hpp"

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <utility>

#include "quarry/jobs/error.hpp"
#include "quarry/terrain/combined_field.hpp"
#include "quarry/terrain/description.hpp"
#include "quarry/terrain/noise_field.hpp"
#include "quarry/terrain/shape_fields.hpp"
#include "showcase/showcase.hpp"
#include "surface.hpp"

namespace quarry::godot {
namespace {

// PropertyHint
constexpr std::uint32_t kRange = 1;
constexpr std::uint32_t kEnum = 2;
constexpr std::uint32_t kPhysicsLayers = 11;
constexpr std::uint32_t kFile = 13;
constexpr std::uint32_t kMultilineText = 18;
constexpr std::uint32_t kValidNodeTypes = 26;

constexpr auto kString = GDEXTENSION_VARIANT_TYPE_STRING;
constexpr auto kNodePath = GDEXTENSION_VARIANT_TYPE_NODE_PATH;

constexpr double kMostSeed = 9'007'199'254'740'992.0;  // whole numbers that a float of Godot's still holds

Property whole(const char* group, const char* name, std::int64_t Settings::*member, double low, double high,
               const char* range, Effect effect) {
    return {{kInt, name, range[0] == '\0' ? 0 : kRange, range}, group, effect, member, low, high};
}

Property number(const char* group, const char* name, double Settings::*member, double low, double high,
                const char* range, Effect effect) {
    return {{kFloat, name, kRange, range}, group, effect, member, low, high};
}

Property choice(const char* group, const char* name, std::int64_t Settings::*member, double last, const char* names,
                Effect effect) {
    return {{kInt, name, kEnum, names}, group, effect, member, 0, last};
}

Property yes_or_no(const char* group, const char* name, std::int64_t Settings::*member, Effect effect) {
    return {{kBool, name, 0, ""}, group, effect, member, 0, 1};
}

Property physics_layers(const char* group, const char* name, std::int64_t Settings::*member, Effect effect) {
    return {{kInt, name, kPhysicsLayers, ""}, group, effect, member, 0, 4'294'967'295.0};
}

Property text(const char* group, const char* name, std::string Settings::*member, GDExtensionVariantType type,
              std::uint32_t hint, const char* hint_text, Effect effect) {
    return {{type, name, hint, hint_text}, group, effect, member};
}

std::vector<Property> make_properties() {
    using S = Settings;
    const Effect world = Effect::world;
    const char* const w = "World";
    const char* const n = "Noise";
    const char* const d = "Description";
    const char* const l = "Detail";
    const char* const v = "Viewer";
    const char* const p = "Performance";
    const char* const c = "Collision";
    return {
        choice(w, "world", &S::world, 2, "Noise,Showcase,Description", world),
        whole(w, "seed", &S::seed, 0, kMostSeed, "", world),
        number(w, "min_height", &S::min_height, -kNoHeightLimit, kNoHeightLimit,
               "-1000,1000,0.1,or_less,or_greater,suffix:m", world),
        number(w, "max_height", &S::max_height, -kNoHeightLimit, kNoHeightLimit,
               "-1000,1000,0.1,or_less,or_greater,suffix:m", world),
        whole(n, "octaves", &S::octaves, 1, 16, "1,16,1", world),
        number(n, "frequency", &S::frequency, 1e-6, 10, "0.0001,1,0.0001,or_greater,exp", world),
        number(n, "amplitude", &S::amplitude, 0, 1e6, "0,500,0.1,or_greater,suffix:m", world),
        number(n, "offset", &S::offset, -1e6, 1e6, "-500,500,0.1,or_less,or_greater,suffix:m", world),
        number(n, "lacunarity", &S::lacunarity, 1, 8, "1,8,0.01", world),
        number(n, "persistence", &S::persistence, 0.01, 1, "0.01,1,0.01", world),
        text(d, "description", &S::description, kString, kMultilineText, "", world),
        text(d, "description_file", &S::description_file, kString, kFile, "*.json", world),
        text("Edits", "save_file", &S::save_file, kString, 0, "", world),
        whole("Edits", "editor", &S::editor, 0, 65'535, "0,65535,1", Effect::editor),
        number("Looks", "texture_size", &S::texture_size, 0.01, 1000, "0.1,100,0.1,or_greater,suffix:m",
               Effect::shading),
        number("Looks", "cross_fade", &S::cross_fade, 0, 10, "0,2,0.05,or_greater,suffix:s", Effect::none),
        number(l, "voxel_size", &S::voxel_size, 0.01, 100, "0.1,10,0.01,or_greater,suffix:m", world),
        whole(l, "chunk_cells", &S::chunk_cells, 4, 62, "4,62,2", world),
        number(l, "lod_distance", &S::lod_distance, 1, 1e5, "16,1024,1,or_greater,suffix:m", world),
        whole(l, "lod_levels", &S::lod_levels, 1, 8, "1,8,1", world),
        number(l, "view_distance", &S::view_distance, 1, 1e5, "64,8192,1,or_greater,suffix:m", world),
        text(v, "viewer", &S::viewer, kNodePath, kValidNodeTypes, "Node3D", Effect::viewer),
        number(v, "view_weight", &S::view_weight, 0, 10, "0,10,0.1", world),
        whole(p, "worker_threads", &S::worker_threads, 0, 256, "0,64,1,or_greater", Effect::workers),
        number(p, "budget_ms", &S::budget_ms, 0.05, 1000, "0.1,16,0.1,or_greater,suffix:ms", Effect::none),
        whole(p, "uploads_per_frame", &S::uploads_per_frame, 0, 100'000, "0,1000,1,or_greater", Effect::none),
        whole(p, "pending", &S::pending, 128, 65'536, "128,65536,1", Effect::workers),
        yes_or_no(c, "collision_enabled", &S::collision_enabled, Effect::collision),
        number(c, "collision_radius", &S::collision_radius, 1, 4096, "8,256,1,or_greater,suffix:m", Effect::collision),
        physics_layers(c, "collision_layer", &S::collision_layer, Effect::collision),
        physics_layers(c, "collision_mask", &S::collision_mask, Effect::collision),
        choice("Debug", "debug_view", &S::debug_view, 4, "Off,Levels of detail,Chunk borders,Wireframe,States",
               Effect::shading),
    };
}

// The range belongs to the property.
double clamped(const Property& property, double value) {
    const double inside = std::isnan(value) ? property.low : std::clamp(value, property.low, property.high);
    if (inside != value) {
        std::array<char, 200> line{};
        std::snprintf(line.data(), line.size(), "%s must be %g to %g, not %g: %g is used", property.value.name.c_str(),
                      property.low, property.high, value, inside);
        report_warning(line.data());
    }
    return inside;
}

template <class Value>
bool exchange_if_other(Value& place, Value value) {
    if (place == value) return false;
    place = std::move(value);
    return true;
}

DescribedWorld make_ground(const Settings& settings, const std::string& json, const std::filesystem::path& folder) {
    const auto seed = static_cast<std::uint64_t>(settings.seed);
    switch (static_cast<WorldKind>(settings.world)) {
        case WorldKind::showcase:
            return {terrain::showcase_field(seed),
                    terrain::showcase_materials(seed),
                    "showcase " + std::to_string(seed),
                    {}};
        case WorldKind::description: {
            const terrain::Described described = terrain::parse_description(json, folder);
            return {described.field, described.materials, "description " + json, {}};
        }
        case WorldKind::noise:
            break;
    }
    const terrain::NoiseOptions options{.seed = seed,
                                        .octaves = static_cast<int>(settings.octaves),
                                        .frequency = settings.frequency,
                                        .amplitude = settings.amplitude,
                                        .offset = settings.offset,
                                        .lacunarity = settings.lacunarity,
                                        .persistence = settings.persistence};
    std::array<char, 200> name{};
    std::snprintf(name.data(), name.size(), "noise %llu %d %a %a %a %a %a", static_cast<unsigned long long>(seed),
                  options.octaves, options.frequency, options.amplitude, options.offset, options.lacunarity,
                  options.persistence);
    return {std::make_shared<terrain::NoiseField>(options), nullptr, name.data(), {}};
}

// In the words of the inspector. A streamer takes 100,000 chunks of the coarsest level.
void check_reach(const Settings& settings) {
    const double most_across = std::cbrt(100'000.0);
    const double width = std::ldexp(settings.voxel_size * static_cast<double>(settings.chunk_cells),
                                    static_cast<int>(settings.lod_levels - 1));
    const double most = most_across * width / 2 / (1 + terrain::StreamerOptions{}.hysteresis);
    if (settings.view_distance < most) return;
    std::array<char, 160> line{};
    std::snprintf(line.data(), line.size(),
                  "view_distance is %g; less than %.0f is allowed with lod_levels %d, and twice as much with each more",
                  settings.view_distance, std::floor(most), static_cast<int>(settings.lod_levels));
    throw Error(line.data());
}

}  // namespace

const std::vector<Property>& properties() {
    static const std::vector<Property> all = make_properties();
    return all;
}

Variant get(const Property& property, const Settings& settings) {
    const Variant value = std::visit([&](const auto member) { return Variant(settings.*member); }, property.member);
    const bool is_other = property.value.type == kNodePath || property.value.type == kBool;
    return is_other ? value.as(property.value.type) : value;
}

bool set(const Property& property, Settings& settings, const Variant& value) {
    if (const auto* const whole_member = std::get_if<std::int64_t Settings::*>(&property.member)) {
        auto inside = static_cast<std::int64_t>(clamped(property, static_cast<double>(value.to_int())));
        if (property.value.name == "chunk_cells" && inside % 2 != 0) {
            report_warning("chunk_cells must be even, not " + std::to_string(inside) + ": " +
                           std::to_string(inside - 1) + " is used");
            --inside;
        }
        return exchange_if_other(settings.**whole_member, inside);
    }
    if (const auto* const number_member = std::get_if<double Settings::*>(&property.member)) {
        return exchange_if_other(settings.**number_member, clamped(property, value.to_double()));
    }
    return exchange_if_other(settings.*std::get<std::string Settings::*>(property.member), value.to_text());
}

std::shared_ptr<const terrain::Field> within(const HeightLimits& limits, std::shared_ptr<const terrain::Field> field) {
    using terrain::Combination;
    using terrain::CombinedField;
    const auto ground_up_to = [](double height) {
        return std::make_shared<terrain::PlaneField>(terrain::Position{0, height, 0}, terrain::Position{0, 1, 0});
    };
    if (limits.high < kNoHeightLimit) {
        field = std::make_shared<CombinedField>(Combination::intersect, field, ground_up_to(limits.high));
    }
    if (limits.low > -kNoHeightLimit) {
        field = std::make_shared<CombinedField>(Combination::unite, field, ground_up_to(limits.low));
    }
    return field;
}

DescribedWorld make_world(const Settings& settings, const std::string& json, const std::filesystem::path& folder) {
    if (!(settings.min_height < settings.max_height)) {
        std::array<char, 120> line{};
        std::snprintf(line.data(), line.size(), "min_height must be below max_height, and %g is not below %g",
                      settings.min_height, settings.max_height);
        throw Error(line.data());
    }
    check_reach(settings);
    DescribedWorld world = make_ground(settings, json, folder);
    world.limits = {settings.min_height, settings.max_height};
    return world;
}

terrain::StreamerOptions streamer_options(const Settings& settings, const DescribedWorld& world) {
    terrain::StreamerOptions options;
    options.radius = settings.view_distance;
    options.lod_distance = settings.lod_distance;
    options.max_lod = static_cast<std::int32_t>(settings.lod_levels - 1);
    options.cells = static_cast<std::int32_t>(settings.chunk_cells);
    options.lattice.voxel_size = settings.voxel_size;
    options.materials = world.materials;
    options.pending = static_cast<std::size_t>(settings.pending);
    options.view_weight = settings.view_weight;
    // Events tell whether chunks replace each other; how long that takes may change at any time.
    options.fade = 1;
    const ChunkFrame frame{settings.voxel_size, options.cells};
    options.prepare = [frame](const terrain::Mesh& mesh) { return pack_surface(mesh, frame); };
    return options;
}

}  // namespace quarry::godot
