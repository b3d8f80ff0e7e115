#pragma once

#include <cstddef>
#include <filesystem>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "quarry/export.hpp"
#include "quarry/jobs/error.hpp"
#include "quarry/terrain/fwd.hpp"
#include "quarry/terrain/material_look.hpp"

namespace quarry::terrain {

// A longer description is refused.
inline constexpr std::size_t kMostDescriptionBytes = std::size_t{1} << 24;
inline constexpr std::size_t kDeepestDescription = 64;  // objects and arrays within each other

// A world as a file describes it: its shape, and what it is made of.
struct Described {
    // What it describes.
    std::shared_ptr<const Field> field;
    std::shared_ptr<const Materials> materials;  // may be null: the file names none
    std::vector<std::filesystem::path> files{};  // all that was read: the description and its heightmaps
    std::vector<MaterialLook> looks{};           // of the materials, in their order; none: grass, rock, snow, earth
    std::optional<double> water_level{};         // height of the water; meshes have none
};

// One line: the file's name, the place in it as a JSON pointer, and what is wrong there.
// "world.json: /field/a/octaves: must be 1 to 16, not 40".
class QUARRY_API DescriptionError : public Error {
  public:
    // The file, the place in it as a JSON pointer, and what is wrong there.
    DescriptionError(const std::string& file, const std::string& json_path, const std::string& what);
};

// Reads a world from a JSON file; docs/guide/terrain.md has the format. Names of heightmap files are relative to the
// JSON file's folder. Throws DescriptionError for all that is wrong with the file.
QUARRY_API Described read_description(const std::filesystem::path& file);

// Reads a description from memory; heightmap files are looked for in the folder, name is what errors call the
// description.
QUARRY_API Described parse_description(std::string_view json, const std::filesystem::path& folder,
                                       const std::string& name = "description");

}  // namespace quarry::terrain
