#include "bake/run.hpp"

#include <algorithm>
#include <atomic>
#include <chrono>
#include <filesystem>
#include <limits>
#include <ostream>
#include <stdexcept>

#include <fmt/format.h>
#include <quarry/jobs/error.hpp>
#include <quarry/jobs/pool.hpp>

#include "bake/memory.hpp"
#include "preview/render.hpp"
#include "preview/showcase_view.hpp"
#include "tools/input.hpp"
#include "tools/terminal.hpp"

namespace quarry::app {
namespace {

using Clock = std::chrono::steady_clock;

// A place, its content, and its part in what bounds are asked for.
constexpr std::uint64_t kBytesAPlace = 32;
// Blocks of memory are somewhat larger than what is in them, and more than the meshes is needed.
constexpr double kMemoryReserve = 1.25;

class Stopwatch {
  public:
    // Seconds since it was made, or since the last lap.
    double lap() {
        const Clock::time_point now = Clock::now();
        const double seconds = std::chrono::duration<double>(now - start_).count();
        start_ = now;
        return seconds;
    }

  private:
    Clock::time_point start_ = Clock::now();
};

void throw_if_stopped(const BakeTools& tools) {
    if (tools.stop_token.stop_requested()) throw Cancelled("the bake was stopped before its end");
}

class Bake {
  public:
    Bake(const BakeOptions& options, const BakeTools& tools) : options_(options), tools_(tools) {
        world_options_.extract = options.extract;
        world_options_.stop_token = tools.stop_token;
        export_options_.cells = options.extract.cells;
        export_options_.lattice = options.extract.lattice;
        export_options_.welded = options.welded;
        export_options_.collision = options.collision;
        export_options_.pool = &tools.pool;
        if (const auto& looks = options.described.looks; !looks.empty()) {
            export_options_.colours.clear();
            for (const terrain::MaterialLook& look : looks) export_options_.colours.push_back(look.colour);
        }
        export_options_.stop_token = tools.stop_token;
    }

    BakeOutcome run() {
        force_simd_target(options_.simd);
        outcome_.simd = name_of(options_.simd);
        outcome_.threads = tools_.pool.worker_count();
        place();
        estimate();
        mesh();
        check();
        write_files();
        if (tools_.before_drawing) tools_.before_drawing();
        draw();
        throw_if_stopped(tools_);
        outcome_.files = tools_.files.written();
        outcome_.peak_bytes = peak_memory();
        return std::move(outcome_);
    }

    std::uint64_t hash() {
        force_simd_target(options_.simd);
        place();
        world_ = mesh_world(tools_.pool, *options_.described.field, places_, world_options_);
        return content_hash(tools_.pool, world_);
    }

  private:
    void place() {
        Stopwatch watch;
        places_ = places_of(options_, static_cast<std::size_t>(free_memory() / kBytesAPlace));
        if (places_.empty()) {
            throw WrongInput(fmt::format(
                "--world {} has no chunk; a chunk is {} units wide, and its middle must lie within",
                in_quotes(options_.world_name), options_.extract.cells * options_.extract.lattice.voxel_size));
        }
        outcome_.seconds.placing = watch.lap();
    }

    void estimate() {
        Stopwatch watch;
        tools_.progress.begin("looking", "chunks", [] { return ProgressCount{}; });
        const terrain::WorldEstimate estimate =
            estimate_world(tools_.pool, *options_.described.field, places_, world_options_);
        outcome_.estimated_bytes = estimate.bytes();
        const double needed = estimate.bytes() * kMemoryReserve;
        if (const auto free = static_cast<double>(free_memory()); needed > free) {
            throw WrongInput(
                fmt::format("--world {}: {} chunks with about {:.3g} million vertices take {:.1f} GB of memory; "
                            "{:.1f} GB are free",
                            in_quotes(options_.world_name), grouped(estimate.to_mesh), estimate.vertices() / 1e6,
                            needed / 1e9, free / 1e9));
        }
        double bytes = 0;
        for (const OutputChoice& output : options_.outputs) bytes += estimated_file(output, estimate);
        for (const OutputChoice& output : options_.outputs) tools_.files.require_room(output.path, bytes);
        tools_.progress.end();
        outcome_.seconds.estimating = watch.lap();
    }

    double estimated_file(const OutputChoice& output, const terrain::WorldEstimate& estimate) const {
        const double bytes =
            estimate.scale * static_cast<double>(estimated_size(output.format, estimate.sample, export_options_));
        const terrain::ExportFormatInfo& format = terrain::info_of(output.format);
        const auto largest = static_cast<double>(format.largest);
        if (bytes > largest) {
            throw WrongInput(
                fmt::format("--out {} would have about {:.1f} GB; a {} holds {:.2f} GB, ply and stl hold more",
                            in_quotes(output.path), bytes / 1e9, format.ending.substr(1), largest / 1e9));
        }
        return bytes;
    }

    void mesh() {
        Stopwatch watch;
        terrain::WorldProgress counters;
        world_options_.progress = &counters;
        tools_.progress.begin("meshing", "chunks", [&] { return ProgressCount{counters.meshed, counters.to_mesh}; });
        world_ = mesh_world(tools_.pool, *options_.described.field, places_, world_options_);
        tools_.progress.end();
        outcome_.counts = world_.counts;
        outcome_.vertices = world_.vertices;
        outcome_.triangles = world_.triangles;
        outcome_.surface_by_worker = world_.surface_by_worker;
        outcome_.surface_by_lod.resize(terrain::kCoarsestLod + 1);
        for (const terrain::Mesh& mesh : world_.meshes) {
            ++outcome_.surface_by_lod[static_cast<std::size_t>(mesh.key.lod)];
        }
        outcome_.seconds.rejecting = world_.seconds_rejecting;
        outcome_.seconds.meshing = watch.lap() - world_.seconds_rejecting;
        outcome_.hash = content_hash(tools_.pool, world_);
        outcome_.seconds.hashing = watch.lap();
        if (world_.meshes.empty() &&
            !(options_.outputs.empty() && options_.preview.empty() && options_.preview_lods.empty())) {
            throw Error(
                fmt::format("the field has no surface in {} chunks: there is nothing to write", world_.counts.total));
        }
    }

    void check() {
        if (options_.check) {
            Stopwatch watch;
            tools_.progress.begin("checking", "edges", [] { return ProgressCount{}; });
            std::vector<terrain::ChunkKey> keys;
            keys.reserve(places_.size());
            for (const terrain::PlacedChunk& place : places_) keys.push_back(place.key);
            outcome_.closedness = check_closedness(world_.meshes, keys, options_.extract.cells, &tools_.pool);
            tools_.progress.end();
            outcome_.seconds.checking = watch.lap();
        }
        places_ = {};
        throw_if_stopped(tools_);
    }

    void write_files() {
        Stopwatch watch;
        for (const OutputChoice& output : options_.outputs) {
            std::atomic<std::uint64_t> written{0};
            export_options_.written = &written;
            const std::uint64_t bytes = estimated_size(output.format, world_.meshes, export_options_);
            tools_.progress.begin("writing", "bytes", [&] { return ProgressCount{written, bytes}; });
            try {
                tools_.files.write(output.path, [&](std::ostream& out) {
                    terrain::write(output.format, out, world_.meshes, export_options_);
                });
            } catch (...) {
                // The counter must not be looked at when it is gone.
                tools_.progress.end();
                throw;
            }
            tools_.progress.end();
        }
        outcome_.seconds.writing = watch.lap();
    }

    void draw() {
        if (options_.preview.empty() && options_.preview_lods.empty()) return;
        Stopwatch watch;
        preview::RenderOptions render;
        render.cells = options_.extract.cells;
        render.lattice = options_.extract.lattice;
        render.water_level = options_.described.water_level;
        render.palette = preview::palette_of(options_.described.looks);
        if (options_.field_name == "showcase") render = preview::showcase_view(render);
        // The hand-picked camera needs the far mountains.
        if (!options_.is_octree()) render.camera.reset();
        tools_.progress.begin("drawing", "pictures", [] { return ProgressCount{}; });
        if (!options_.preview.empty()) {
            throw_if_stopped(tools_);
            outcome_.picture = preview::render(tools_.pool, world_.meshes, render);
        }
        std::optional<preview::Image> lods;
        std::string picture;
        // Encoding takes one thread: the second picture is drawn beside it.
        tools_.pool.scope([&](Scope& scope) {
            if (outcome_.picture) scope.spawn([&] { picture = preview::png_bytes(*outcome_.picture); });
            if (options_.preview_lods.empty()) return;
            throw_if_stopped(tools_);
            lods = preview::render_lods(tools_.pool, world_.meshes, render);
        });
        if (outcome_.picture) write_picture(options_.preview, picture);
        if (lods) write_picture(options_.preview_lods, preview::png_bytes(*lods));
        tools_.progress.end();
        outcome_.seconds.drawing = watch.lap();
    }

    void write_picture(const std::string& path, const std::string& bytes) {
        tools_.files.write(
            path, [&](std::ostream& out) { out.write(bytes.data(), static_cast<std::streamsize>(bytes.size())); });
    }

    const BakeOptions& options_;
    const BakeTools& tools_;
    terrain::WorldOptions world_options_;
    terrain::ExportOptions export_options_;
    std::vector<terrain::PlacedChunk> places_;
    terrain::WorldMesh world_;
    BakeOutcome outcome_;
};

}  // namespace

std::size_t BakeOutcome::levels() const {
    return static_cast<std::size_t>(
        std::count_if(surface_by_lod.begin(), surface_by_lod.end(), [](std::uint64_t chunks) { return chunks > 0; }));
}

double BakeOutcome::share(std::size_t worker) const {
    return counts.surface == 0 ? 0
                               : static_cast<double>(surface_by_worker[worker]) / static_cast<double>(counts.surface);
}

void add_outputs(const BakeOptions& options, OutputFiles& files, const std::stop_token& stop_token) {
    for (const OutputChoice& output : options.outputs) files.add("--out", output.path, stop_token);
    if (!options.preview.empty()) files.add("--preview", options.preview, stop_token);
    if (!options.preview_lods.empty()) files.add("--preview-lods", options.preview_lods, stop_token);
    if (!options.json.empty() && options.json != "-") files.add("--json", options.json, stop_token);
    for (const std::filesystem::path& file : options.described.files) files.refuse_as_output("--field", file.string());
}

BakeOutcome run_bake(const BakeOptions& options, const BakeTools& tools) {
    return Bake(options, tools).run();
}

std::uint64_t hash_of_world(const BakeOptions& options, const BakeTools& tools) {
    return Bake(options, tools).hash();
}

}  // namespace quarry::app
