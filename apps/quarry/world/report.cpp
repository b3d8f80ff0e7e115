#include "world/report.hpp"

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "tools/report_head.hpp"
#include "tools/terminal.hpp"

namespace quarry::app {
namespace {

using Json = nlohmann::ordered_json;

Json head(const char* command, Json options) {
    Json json = report_head(command, bench::describe_machine());
    json["options"] = std::move(options);
    return json;
}

std::string box_text(const terrain::Box& box) {
    return fmt::format("{:.10g}, {:.10g}, {:.10g} to {:.10g}, {:.10g}, {:.10g}", box.low.x, box.low.y, box.low.z,
                       box.high.x, box.high.y, box.high.z);
}

Json box_json(const std::optional<terrain::Box>& box) {
    if (!box) return nullptr;
    return {{"low", {box->low.x, box->low.y, box->low.z}}, {"high", {box->high.x, box->high.y, box->high.z}}};
}

}  // namespace

std::string format_info(const std::string& file, const terrain::WorldFileInfo& info) {
    const terrain::Position origin = info.lattice.origin;
    const auto bricks = static_cast<double>(info.bricks + info.paint_bricks);
    return fmt::format(
        "{}: format {}\n\n"
        "  ground    {}; voxels of {:.10g}, from {:.10g}, {:.10g}, {:.10g}\n"
        "  edits     {}\n"
        "  bricks    {} of densities, {} of paint; {} bytes, {:.0f} each\n"
        "  edited    {}\n"
        "  file      {} bytes\n",
        file, info.format, info.ground, info.lattice.voxel_size, origin.x, origin.y, origin.z, grouped(info.edits),
        grouped(info.bricks), grouped(info.paint_bricks), grouped(info.brick_bytes),
        bricks > 0 ? static_cast<double>(info.brick_bytes) / bricks : 0.0,
        info.edited ? box_text(*info.edited) : "nothing", grouped(info.file_bytes));
}

std::string info_json(const std::string& file, const terrain::WorldFileInfo& info) {
    Json json = head("quarry world info", {{"file", file}});
    json["format"] = info.format;
    json["ground"] = info.ground;
    json["voxel_size"] = info.lattice.voxel_size;
    json["origin"] = {info.lattice.origin.x, info.lattice.origin.y, info.lattice.origin.z};
    json["edits"] = info.edits;
    json["bricks"] = info.bricks;
    json["paint_bricks"] = info.paint_bricks;
    json["brick_bytes"] = info.brick_bytes;
    json["file_bytes"] = info.file_bytes;
    json["edited"] = box_json(info.edited);
    return json.dump(2) + "\n";
}

std::string format_check(const std::string& file, const terrain::WorldFileCheck& check) {
    if (check.problems.empty()) return fmt::format("{}: whole, {} bricks\n", file, grouped(check.bricks));
    std::string text = fmt::format("{}: damaged\n", file);
    for (const std::string& problem : check.problems) text += fmt::format("  {}\n", problem);
    return text;
}

std::string check_json(const std::string& file, const terrain::WorldFileCheck& check) {
    Json json = head("quarry world check", {{"file", file}});
    json["whole"] = check.problems.empty();
    json["bricks"] = check.bricks;
    json["problems"] = check.problems;
    return json.dump(2) + "\n";
}

std::string format_difference(const terrain::WorldFileDifference& difference) {
    if (!difference.same_world) return "they are for different worlds\n";
    if (!difference.any()) return "the same ground\n";
    return fmt::format("{} samples and {} of paint differ, in {} bricks: {}\n", grouped(difference.samples),
                       grouped(difference.painted), grouped(difference.bricks), box_text(*difference.where));
}

std::string difference_json(const std::string& one, const std::string& other,
                            const terrain::WorldFileDifference& difference) {
    Json json = head("quarry world diff", {{"one", one}, {"other", other}});
    json["same_world"] = difference.same_world;
    json["same_ground"] = !difference.any();
    json["samples"] = difference.samples;
    json["painted"] = difference.painted;
    json["bricks"] = difference.bricks;
    json["where"] = box_json(difference.where);
    return json.dump(2) + "\n";
}

std::string format_export(const WorldExportOutcome& outcome) {
    std::string text = fmt::format("{} edits: {} chunks, {} with a surface, {} vertices, {} triangles\n",
                                   grouped(outcome.edits), grouped(outcome.chunks), grouped(outcome.surface_chunks),
                                   grouped(outcome.vertices), grouped(outcome.triangles));
    for (const WrittenFile& file : outcome.files)
        text += fmt::format("  {}: {} bytes\n", file.path, grouped(file.bytes));
    return text;
}

std::string export_json(const WorldExportArguments& arguments, const WorldExportOutcome& outcome) {
    Json json = head("quarry world export", {{"file", arguments.file},
                                             {"field", arguments.field.field},
                                             {"welded", arguments.welded},
                                             {"collision", arguments.collision}});
    json["edits"] = outcome.edits;
    json["chunks"] = outcome.chunks;
    json["surface_chunks"] = outcome.surface_chunks;
    json["vertices"] = outcome.vertices;
    json["triangles"] = outcome.triangles;
    json["files"] = Json::array();
    for (const WrittenFile& file : outcome.files) json["files"].push_back({{"path", file.path}, {"bytes", file.bytes}});
    return json.dump(2) + "\n";
}

}  // namespace quarry::app
