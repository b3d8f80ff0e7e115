#include "bake/report.hpp"

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "tools/report_head.hpp"

namespace quarry::app {
namespace {

using Json = nlohmann::ordered_json;

std::string line(const Look& look, const char* name, const std::string& text) {
    return fmt::format("  {}  {}\n", look.strong(fmt::format("{:<8}", name)), text);
}

Json place_json(const terrain::Position& at) {
    return Json::array({at.x, at.y, at.z});
}

double per_second(std::uint64_t count, double seconds) {
    return seconds > 0 ? static_cast<double>(count) / seconds : 0;
}

double meshing_rate(const BakeOutcome& outcome) {
    return per_second(outcome.counts.surface, outcome.seconds.to_mesh());
}

Json world_json(const BakeOptions& options) {
    if (const auto* octree = std::get_if<terrain::OctreeOptions>(&options.world)) {
        return {{"world", options.world_name},
                {"viewer", place_json(octree->viewer)},
                {"lod_distance", octree->lod_distance},
                {"max_lod", octree->max_lod}};
    }
    const auto* sphere = std::get_if<SphereChoice>(&options.world);
    const std::int32_t lod = sphere != nullptr ? sphere->grid.lod : std::get<BoxChoice>(options.world).grid.lod;
    return {{"world", options.world_name}, {"lod", lod}};
}

Json noise_json(const terrain::NoiseOptions& noise) {
    return {{"seed", noise.seed},
            {"octaves", noise.octaves},
            {"frequency", noise.frequency},
            {"amplitude", noise.amplitude},
            {"offset", noise.offset},
            {"lacunarity", noise.lacunarity},
            {"persistence", noise.persistence}};
}

}  // namespace

std::string in_millions(std::uint64_t number) {
    if (number < 1'000'000) return grouped(number);
    const double millions = static_cast<double>(number) / 1e6;
    return fmt::format("{:.{}f} M", millions, millions < 9.95 ? 1 : 0);
}

std::string size_text(double bytes) {
    if (bytes < 1e6) return fmt::format("{:.1f} kB", bytes / 1e3);
    if (bytes < 1e9) return fmt::format("{:.1f} MB", bytes / 1e6);
    return fmt::format("{:.2f} GB", bytes / 1e9);
}

std::string shares_text(const BakeOutcome& outcome) {
    std::string text;
    for (std::size_t worker = 0; worker < outcome.surface_by_worker.size(); ++worker) {
        text += fmt::format("{}{:.1f}", worker == 0 ? "" : " / ", 100 * outcome.share(worker));
    }
    return text + " %";
}

std::string hash_text(std::uint64_t hash) {
    return fmt::format("{:016x}", hash);
}

std::string cracks_text(const terrain::Closedness& closedness) {
    return fmt::format("{} crack{} in {} edges", grouped(closedness.cracks), closedness.cracks == 1 ? "" : "s",
                       in_millions(closedness.edges));
}

std::string format_bake(const BakeOutcome& outcome, const BakeOptions& options, const bench::Machine& machine,
                        const Look& look) {
    const terrain::WorldCounts& counts = outcome.counts;
    const BakeSeconds& seconds = outcome.seconds;
    std::string text = fmt::format("{}, {} usable core{}\nbake: {}, {}, {} cells a chunk, voxels of {:g}\n\n",
                                   machine.cpu, machine.cores, machine.cores == 1 ? "" : "s", options.field_name,
                                   options.world_name, options.extract.cells, options.extract.lattice.voxel_size);
    text += line(look, "chunks",
                 fmt::format("{}: {} by bounds, {} by sampling, {} surface in {} LOD{}", grouped(counts.total),
                             grouped(counts.rejected), grouped(counts.sampled_empty), grouped(counts.surface),
                             outcome.levels(), outcome.levels() == 1 ? "" : "s"));
    text +=
        line(look, "meshes",
             fmt::format("{} vertices, {} triangles", in_millions(outcome.vertices), in_millions(outcome.triangles)));
    text += line(look, "time",
                 fmt::format("{} to mesh, {} surface chunks/s; {} to hash, {} to write, {} to draw, {} in all",
                             duration_text(seconds.to_mesh() * 1e9),
                             grouped(static_cast<unsigned long long>(meshing_rate(outcome))),
                             duration_text(seconds.hashing * 1e9), duration_text(seconds.writing * 1e9),
                             duration_text(seconds.drawing * 1e9), duration_text(seconds.total() * 1e9)));
    text += line(look, "workers", fmt::format("{}   {}", shares_text(outcome), outcome.simd));
    text += line(look, "memory",
                 fmt::format("{} at most, of which about {} were expected for meshes",
                             size_text(static_cast<double>(outcome.peak_bytes)), size_text(outcome.estimated_bytes)));
    text += line(look, "hash", hash_text(outcome.hash));
    if (outcome.closedness) {
        const std::string found = cracks_text(*outcome.closedness);
        text += line(look, "check", outcome.closedness->is_closed() ? found : look.bad(found));
    }
    for (const WrittenFile& file : outcome.files) {
        text += line(look, "written", fmt::format("{}  {}", file.path, size_text(static_cast<double>(file.bytes))));
    }
    return text;
}

Json bake_options_json(const BakeOptions& options) {
    Json json{{"field", options.field_name}};
    if (options.field_name == "noise") json.update(noise_json(options.noise));
    if (options.field_name == "showcase") json["seed"] = options.noise.seed;
    json.update(world_json(options));
    json["chunk_cells"] = options.extract.cells;
    json["voxel_size"] = options.extract.lattice.voxel_size;
    json["out"] = Json::array();
    for (const OutputChoice& output : options.outputs) json["out"].push_back(output.path);
    json["welded"] = options.welded;
    json["collision"] = options.collision;
    return json;
}

Json bake_figures_json(const BakeOutcome& outcome) {
    const terrain::WorldCounts& counts = outcome.counts;
    const BakeSeconds& seconds = outcome.seconds;
    Json json;
    json["chunks"] = {{"total", counts.total},
                      {"rejected", counts.rejected},
                      {"sampled_empty", counts.sampled_empty},
                      {"surface", counts.surface}};
    json["surface_by_lod"] = outcome.surface_by_lod;
    json["vertices"] = outcome.vertices;
    json["triangles"] = outcome.triangles;
    json["seconds"] = {
        {"placing", seconds.placing}, {"estimating", seconds.estimating}, {"rejecting", seconds.rejecting},
        {"meshing", seconds.meshing}, {"hashing", seconds.hashing},       {"checking", seconds.checking},
        {"writing", seconds.writing}, {"drawing", seconds.drawing},       {"total", seconds.total()}};
    json["chunks_per_second"] = per_second(counts.total, seconds.to_mesh());
    json["surface_chunks_per_second"] = meshing_rate(outcome);
    json["simd"] = outcome.simd;
    json["threads"] = outcome.threads;
    json["workers"] = Json::array();
    for (std::size_t worker = 0; worker < outcome.surface_by_worker.size(); ++worker) {
        json["workers"].push_back({{"surface", outcome.surface_by_worker[worker]}, {"share", outcome.share(worker)}});
    }
    json["estimated_bytes"] = outcome.estimated_bytes;
    json["peak_bytes"] = outcome.peak_bytes;
    json["hash"] = hash_text(outcome.hash);
    if (outcome.closedness) {
        json["closedness"] = {{"edges", outcome.closedness->edges},
                              {"cracks", outcome.closedness->cracks},
                              {"rim", outcome.closedness->rim}};
    }
    json["files"] = Json::array();
    for (const WrittenFile& file : outcome.files) json["files"].push_back({{"path", file.path}, {"bytes", file.bytes}});
    return json;
}

std::string bake_json(const BakeOutcome& outcome, const BakeOptions& options, const bench::Machine& machine) {
    Json json = report_head("quarry bake", machine);
    json["options"] = bake_options_json(options);
    json.update(bake_figures_json(outcome));
    return json.dump(2) + "\n";
}

}  // namespace quarry::app
