#include "world/export.hpp"

#include <chrono>
#include <cmath>
#include <filesystem>
#include <ostream>
#include <set>
#include <thread>
#include <tuple>

#include <fmt/format.h>
#include <quarry/jobs/error.hpp>
#include <quarry/jobs/pool.hpp>
#include <quarry/terrain/edit_world.hpp>
#include <quarry/terrain/edited_field.hpp>
#include <quarry/terrain/edited_materials.hpp>
#include <quarry/terrain/export.hpp>
#include <quarry/terrain/world.hpp>
#include <quarry/terrain/world_file.hpp>
#include <quarry/terrain/world_file_tools.hpp>

#include "bake/fields.hpp"
#include "bake/options.hpp"
#include "tools/input.hpp"
#include "world/ground.hpp"

namespace quarry::app {
namespace {

constexpr std::int32_t kCells = 32;

// Chunks, in the order in which mesh_world likes them: neighbours close together.
using Chunks = std::set<std::tuple<std::int32_t, std::int32_t, std::int32_t>>;

// Cells between a point of the box and one below it belong to the chunk below.
void add_chunks(const terrain::Box& box, const terrain::Lattice& lattice, Chunks& chunks) {
    const auto chunk = [&](double at, double origin, int more) {
        const double point = std::nearbyint((at - origin) / lattice.voxel_size) + more;
        return static_cast<std::int32_t>(std::floor(point / kCells));
    };
    const terrain::Position origin = lattice.origin;
    for (std::int32_t z = chunk(box.low.z, origin.z, -1); z <= chunk(box.high.z, origin.z, 0); ++z) {
        for (std::int32_t y = chunk(box.low.y, origin.y, -1); y <= chunk(box.high.y, origin.y, 0); ++y) {
            for (std::int32_t x = chunk(box.low.x, origin.x, -1); x <= chunk(box.high.x, origin.x, 0); ++x) {
                chunks.insert({z, y, x});
            }
        }
    }
}

std::vector<OutputChoice> outputs_of(const std::vector<std::string>& paths) {
    if (paths.empty()) throw WrongInput("--out is needed: where to write, a " + terrain::export_endings());
    std::vector<OutputChoice> outputs;
    for (const std::string& path : paths) outputs.push_back(checked_output(path));
    return outputs;
}

std::vector<terrain::PlacedChunk> load_all(terrain::WorldFile& file, const terrain::Lattice& lattice) {
    file.load_all();
    Chunks chunks;
    for (const terrain::Box& box : file.update({})) add_chunks(box, lattice, chunks);
    std::vector<terrain::PlacedChunk> places;
    places.reserve(chunks.size());
    for (const auto& [z, y, x] : chunks) places.push_back({{0, x, y, z}, 0});
    return places;
}

}  // namespace

WorldExportOutcome export_world(const WorldExportArguments& arguments, OutputFiles& files,
                                const std::stop_token& stop_token) {
    const terrain::NoiseOptions noise = checked_noise(arguments.field);
    const terrain::Described described = checked_field(arguments.field, noise);
    const std::vector<OutputChoice> outputs = outputs_of(arguments.out);
    for (const OutputChoice& output : outputs) files.add("--out", output.path, stop_token);
    try {
        const terrain::WorldFileInfo info = terrain::world_file_info(arguments.file);
        const std::uint64_t ground = arguments.ground.value_or(ground_number(arguments.field, noise, described));
        if (ground != info.ground) {
            throw WrongInput(
                fmt::format("{} is for ground {}, and this field has {}; --ground {} says that it is the "
                            "right one all the same",
                            in_quotes(arguments.file), info.ground, ground, info.ground));
        }
        Pool pool;
        terrain::EditWorld world(described.field, {.lattice = info.lattice});
        terrain::WorldFile file(pool, world, arguments.file, {.ground = ground, .read_only = true});
        const std::vector<terrain::PlacedChunk> places = load_all(file, info.lattice);
        if (places.empty()) throw WrongInput(fmt::format("{} has no edits to export", in_quotes(arguments.file)));
        terrain::WorldOptions options{.extract = {.cells = kCells, .lattice = info.lattice}, .stop_token = stop_token};
        std::shared_ptr<const terrain::Materials> materials;
        if (described.materials != nullptr) materials = world.materials(described.materials);
        options.extract.materials = materials.get();
        const terrain::WorldMesh mesh = terrain::mesh_world(pool, *world.field(), places, options);
        const terrain::ExportOptions export_options{.cells = kCells,
                                                    .lattice = info.lattice,
                                                    .welded = arguments.welded,
                                                    .collision = arguments.collision,
                                                    .pool = &pool,
                                                    .stop_token = stop_token};
        for (const OutputChoice& output : outputs) {
            files.write(output.path,
                        [&](std::ostream& out) { terrain::write(output.format, out, mesh.meshes, export_options); });
        }
        return {info.edits, places.size(), mesh.counts.surface, mesh.vertices, mesh.triangles, files.written()};
    } catch (const Cancelled&) {
        throw;
    } catch (const Error& error) {
        throw WrongInput(one_line(error.what()));
    }
}

}  // namespace quarry::app
