#include "bake/options.hpp"

#include <algorithm>
#include <filesystem>
#include <stdexcept>
#include <string_view>

#include <fmt/format.h>

#include "bake/fields.hpp"
#include "tools/input.hpp"

namespace quarry::app {
namespace {

terrain::Position place(std::string_view option, std::string_view text, double least, double most) {
    const std::vector<double> along = number_list(option, text, 3, least, most);
    return {along[0], along[1], along[2]};
}

// Options that the chosen world has no use for are a mistake of whoever typed them.
void refuse_given(std::string_view option, bool given, std::string_view use) {
    if (given) throw WrongInput(fmt::format("{} goes with {} only", option, use));
}

terrain::ExtractOptions checked_extract(const BakeArguments& arguments) {
    terrain::ExtractOptions extract;
    extract.cells = arguments.chunk_cells;
    if (extract.cells % 2 != 0) {
        throw WrongInput(fmt::format("--chunk-cells takes an even number, not '{}'", extract.cells));
    }
    extract.lattice.voxel_size = arguments.voxel_size;
    return extract;
}

terrain::OctreeOptions checked_octree(const BakeArguments& arguments, std::string_view radius,
                                      const terrain::ExtractOptions& extract) {
    refuse_given("--lod", arguments.lod.has_value(), "--world sphere:RADIUS and --world box:X,Y,Z");
    terrain::OctreeOptions octree;
    octree.radius = real_number("--world octree", radius, kLengths.least, kLengths.most);
    if (!arguments.viewer.empty()) {
        octree.viewer = place("--viewer", arguments.viewer, -kLengths.most, kLengths.most);
    }
    octree.lod_distance = arguments.lod_distance.value_or(octree.lod_distance);
    octree.max_lod = arguments.max_lod.value_or(terrain::kCoarsestLod);
    octree.cells = extract.cells;
    octree.lattice = extract.lattice;
    return octree;
}

WorldChoice checked_world(const BakeArguments& arguments, const terrain::ExtractOptions& extract) {
    const std::string_view text = arguments.world;
    const std::size_t colon = std::min(text.find(':'), text.size());
    const std::string_view kind = text.substr(0, colon);
    const std::string_view size = text.substr(std::min(colon + 1, text.size()));
    if (kind == "octree") return checked_octree(arguments, size, extract);
    if (kind != "sphere" && kind != "box") {
        throw WrongInput(
            fmt::format("--world takes sphere:RADIUS, box:X,Y,Z or octree:RADIUS, not {}", in_quotes(text)));
    }
    for (const auto& [option, given] : {std::pair("--viewer", !arguments.viewer.empty()),
                                        {"--lod-distance", arguments.lod_distance.has_value()},
                                        {"--max-lod", arguments.max_lod.has_value()}}) {
        refuse_given(option, given, "--world octree:RADIUS");
    }
    terrain::GridOptions grid;
    grid.lod = arguments.lod.value_or(0);
    grid.cells = extract.cells;
    grid.voxel_size = extract.lattice.voxel_size;
    if (kind == "box") return BoxChoice{place("--world box", size, kLengths.least, kLengths.most), grid};
    return SphereChoice{real_number("--world sphere", size, kLengths.least, kLengths.most), grid};
}

void check_picture(std::string_view option, const std::string& path) {
    if (path.empty() || same_word(std::filesystem::path(path).extension().string(), ".png")) return;
    throw WrongInput(fmt::format("{} takes a file that ends in .png, not {}", option, in_quotes(path)));
}

}  // namespace

OutputChoice checked_output(const std::string& path) {
    if (const auto format = terrain::export_format_of(path)) return {path, *format};
    throw WrongInput(
        fmt::format("--out takes a file that ends in {}, not {}", terrain::export_endings(), in_quotes(path)));
}

BakeOptions check_bake(const BakeArguments& arguments) {
    BakeOptions options;
    options.extract = checked_extract(arguments);
    options.world_name = arguments.world;
    options.world = checked_world(arguments, options.extract);
    options.threads = arguments.threads;
    options.simd = checked_simd(arguments.simd);
    for (const std::string& path : arguments.out) options.outputs.push_back(checked_output(path));
    options.welded = arguments.welded;
    options.collision = arguments.collision;
    options.check = arguments.check;
    if (options.outputs.empty() && (options.welded || options.collision)) {
        throw WrongInput("--welded and --collision are about files: name one with --out");
    }
    options.preview = arguments.preview;
    options.preview_lods = arguments.preview_lods;
    options.json = arguments.json;
    check_picture("--preview", options.preview);
    check_picture("--preview-lods", options.preview_lods);
    // Last, for it may read files.
    options.field_name = arguments.field;
    options.noise = checked_noise(arguments);
    options.described = checked_field(arguments, options.noise);
    options.extract.materials = options.described.materials.get();
    return options;
}

std::vector<terrain::PlacedChunk> places_of(const BakeOptions& options, std::size_t most) {
    try {
        if (const auto* sphere = std::get_if<SphereChoice>(&options.world)) {
            terrain::GridOptions grid = sphere->grid;
            grid.most_chunks = std::min(most, grid.most_chunks);
            return terrain::sphere_world(sphere->radius, grid);
        }
        if (const auto* box = std::get_if<BoxChoice>(&options.world)) {
            terrain::GridOptions grid = box->grid;
            grid.most_chunks = std::min(most, grid.most_chunks);
            return terrain::box_world(box->size, grid);
        }
        terrain::OctreeOptions octree = std::get<terrain::OctreeOptions>(options.world);
        octree.most_chunks = std::min(most, octree.most_chunks);
        return terrain::octree_world(octree);
    } catch (const std::invalid_argument& refusal) {
        throw WrongInput(fmt::format("--world {}: {}", in_quotes(options.world_name), refusal.what()));
    }
}

}  // namespace quarry::app
