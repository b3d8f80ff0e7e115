#pragma once

#include <cstdint>
#include <filesystem>
#include <memory>
#include <string>
#include <variant>
#include <vector>

#include "quarry/terrain/fwd.hpp"
#include "quarry/terrain/streamer_options.hpp"
#include "registration.hpp"

namespace quarry::godot {

enum class WorldKind : std::int64_t { noise, showcase, description };

// A limit that is so far away is none.
inline constexpr double kNoHeightLimit = 1e6;

// The properties of a QuarryTerrain.
struct Settings {
    std::int64_t world = 0;  // WorldKind
    std::int64_t seed = 42;
    std::int64_t octaves = 4;
    double frequency = 0.02;
    double amplitude = 32;
    double offset = 0;
    double lacunarity = 2;
    double persistence = 0.5;
    std::string description;
    std::string description_file;
    std::string save_file;
    std::int64_t editor = 0;

    double texture_size = 4;
    double cross_fade = 0;  // seconds

    double min_height = -kNoHeightLimit;
    double max_height = kNoHeightLimit;

    double voxel_size = 1;
    std::int64_t chunk_cells = 32;
    double lod_distance = 128;
    std::int64_t lod_levels = 6;
    double view_distance = 1024;

    std::string viewer;  // a NodePath
    double view_weight = 0.5;

    std::int64_t worker_threads = 0;
    double budget_ms = 2;
    std::int64_t uploads_per_frame = 0;
    std::int64_t pending = 1024;

    std::int64_t collision_enabled = 1;  // 0 or 1
    double collision_radius = 48;
    std::int64_t collision_layer = 1;  // as bits
    std::int64_t collision_mask = 1;

    std::int64_t debug_view = 0;  // DebugView
};

// What has to be done when a property changes.
enum class Effect { none, world, workers, viewer, shading, editor, collision };

struct Property {
    ValueSpec value;
    const char* group;
    Effect effect;
    std::variant<std::int64_t Settings::*, double Settings::*, std::string Settings::*> member;
    double low = 0;  // of numbers
    double high = 0;
};

// In the inspector's order.
const std::vector<Property>& properties();

Variant get(const Property& property, const Settings& settings);

// Takes a value over, clamped to the property's range; a warning names the property where that was needed. False: it is
// what it was.
bool set(const Property& property, Settings& settings, const Variant& value);

// Between which heights there is a world. All above is air and all below is ground, whatever the field says.
struct HeightLimits {
    double low = -kNoHeightLimit;
    double high = kNoHeightLimit;
};
// A field within limits: the field itself where there are none.
std::shared_ptr<const terrain::Field> within(const HeightLimits& limits, std::shared_ptr<const terrain::Field> field);

// What the settings describe. Throws quarry::Error or std::invalid_argument with the reason.
struct DescribedWorld {
    std::shared_ptr<const terrain::Field> field;
    std::shared_ptr<const terrain::Materials> materials;  // may be null
    std::string name;                                     // equal for equal worlds: the settings that make it
    HeightLimits limits{};                                // they hold for what is edited, too
};
// Text of the description and the folder of its heightmaps: files are read by the caller, who knows res://.
DescribedWorld make_world(const Settings& settings, const std::string& json, const std::filesystem::path& folder);

terrain::StreamerOptions streamer_options(const Settings& settings, const DescribedWorld& world);

}  // namespace quarry::godot
