#include "fly/report.hpp"

#include <algorithm>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "bake/memory.hpp"
#include "tools/report_head.hpp"

namespace quarry::app {
namespace {

constexpr double kMebibyte = 1024 * 1024;

double total_of(const FlyFrame& frame) {
    return frame.total_us();
}
double wall_of(const FlyFrame& frame) {
    return frame.wall_us;
}

struct FlightFigures {
    double mean_uploads = 0;
    std::size_t most_uploads = 0;
    std::size_t latest = 0;  // in frames
};

FlightFigures figures_of(const FlyOutcome& outcome) {
    FlightFigures figures;
    for (const FlyFrame& frame : outcome.frames) {
        figures.mean_uploads += static_cast<double>(frame.uploads);
        figures.most_uploads = std::max(figures.most_uploads, frame.uploads);
    }
    const double count = std::max<double>(1, static_cast<double>(outcome.frames.size()));
    figures.mean_uploads /= count;
    for (std::size_t i = 0; i < outcome.end.late.size(); ++i) {
        if (outcome.end.late[i] > outcome.start.late[i]) figures.latest = i;
    }
    return figures;
}

std::string flight_line(const Look& look, const char* name, const std::string& text) {
    return fmt::format("{} {}\n", look.faint(fmt::format("{:<16}", name)), text);
}

std::string update_text(const FlyOutcome& outcome) {
    return fmt::format("mean {:.1f} us, most {:.0f}; of it results {:.1f}, plan {:.1f} (most {:.0f}), changes {:.1f}",
                       outcome.mean(&FlyFrame::update_us), outcome.most(&FlyFrame::update_us),
                       outcome.mean(&FlyFrame::results_us), outcome.mean(&FlyFrame::plan_us),
                       outcome.most(&FlyFrame::plan_us), outcome.mean(&FlyFrame::changes_us));
}

void add_part(nlohmann::ordered_json& json, const char* name, const FlyOutcome& outcome, double FlyFrame::*part) {
    json[name] = {{"mean", outcome.mean(part)}, {"most", outcome.most(part)}};
}

// Of the ground's edits and their file, where there are any.
std::string edits_text(const FlyOutcome& outcome, const FlyOptions& options, const Look& look) {
    std::string text;
    if (options.dig) {
        text +=
            flight_line(look, "edits",
                        fmt::format("{}; {} in their frame, {} later; {:.2f} MiB of bricks",
                                    grouped(outcome.edits.size()), grouped(outcome.edits_in_frame),
                                    grouped(outcome.edits_late), static_cast<double>(outcome.brick_bytes) / kMebibyte));
        text += flight_line(look, "loose parts",
                            outcome.loose_parts == 0 ? "none"
                                                     : fmt::format("{}, of {} points", grouped(outcome.loose_parts),
                                                                   grouped(outcome.loose_samples)));
        text += flight_line(
            look, "edit to shown",
            fmt::format("p50 {:.2f} ms, p99 {:.2f}; p50 {:.0f} frames, p99 {:.0f}",
                        outcome.edit_percentile(0.5, &FlyEdit::ms), outcome.edit_percentile(0.99, &FlyEdit::ms),
                        outcome.edit_percentile(0.5, &FlyEdit::frames),
                        outcome.edit_percentile(0.99, &FlyEdit::frames)));
    }
    if (outcome.file) {
        text += flight_line(look, "saved",
                            outcome.file->problem.empty()
                                ? fmt::format("{} of {} edits, in {}", grouped(outcome.file->saved),
                                              grouped(outcome.file->edits), options.save)
                                : look.bad(outcome.file->problem));
    }
    return text;
}

void add_edits(nlohmann::ordered_json& json, const FlyOutcome& outcome, const FlyOptions& options) {
    json["edits"] = nullptr;
    if (options.dig) {
        json["edits"] = {{"made", outcome.edits_made},
                         {"shown", outcome.edits.size()},
                         {"in_frame", outcome.edits_in_frame},
                         {"late", outcome.edits_late},
                         {"ms",
                          {{"p50", outcome.edit_percentile(0.5, &FlyEdit::ms)},
                           {"p99", outcome.edit_percentile(0.99, &FlyEdit::ms)}}},
                         {"frames",
                          {{"p50", outcome.edit_percentile(0.5, &FlyEdit::frames)},
                           {"p99", outcome.edit_percentile(0.99, &FlyEdit::frames)}}},
                         {"brick_bytes", outcome.brick_bytes},
                         {"loose_parts", outcome.loose_parts},
                         {"loose_samples", outcome.loose_samples},
                         {"world_hash", fmt::format("{:016x}", outcome.world_hash)}};
    }
    json["file"] = nullptr;
    if (outcome.file) {
        json["file"] = {{"name", options.save},
                        {"edits", outcome.file->edits},
                        {"saved", outcome.file->saved},
                        {"problem", outcome.file->problem},
                        {"world_hash", fmt::format("{:016x}", outcome.world_hash)}};
    }
}

std::string replay_text(const FlyOutcome& outcome, const FlyOptions& options, const Look& look) {
    std::string text;
    if (options.records) {
        text +=
            flight_line(look, "recorded",
                        fmt::format("{} frames, hash {:016x}", grouped(outcome.log.frames.size()), outcome.log.hash()));
    }
    if (options.replayed == nullptr) return text;
    const std::size_t frames = options.replayed->frames.size();
    if (outcome.difference) {
        const FlyDifference& first = *outcome.difference;
        return text + flight_line(look, "replay",
                                  look.bad(fmt::format("frame {} of {} is the first that differs ({}, {:.3f} s): {}",
                                                       grouped(first.frame), grouped(frames), name_of(first.stage),
                                                       first.seconds, first.what)));
    }
    if (outcome.replayed < frames) {
        return text + flight_line(look, "replay",
                                  look.warning(fmt::format("stopped after {} of {} frames", grouped(outcome.replayed),
                                                           grouped(frames))));
    }
    return text + flight_line(look, "replay",
                              look.good(fmt::format("all {} frames are the same, hash {:016x}", grouped(frames),
                                                    options.replayed->hash())));
}

void add_replay(nlohmann::ordered_json& json, const FlyOutcome& outcome, const FlyOptions& options) {
    json["recorded"] = nullptr;
    if (options.records) {
        json["recorded"] = {{"frames", outcome.log.frames.size()},
                            {"hash", fmt::format("{:016x}", outcome.log.hash())}};
    }
    json["replay"] = nullptr;
    if (options.replayed == nullptr) return;
    json["replay"] = {{"frames", options.replayed->frames.size()},
                      {"same_frames", outcome.replayed},
                      {"hash", fmt::format("{:016x}", options.replayed->hash())},
                      {"first_difference", nullptr}};
    if (!outcome.difference) return;
    json["replay"]["first_difference"] = {{"frame", outcome.difference->frame},
                                          {"stage", name_of(outcome.difference->stage)},
                                          {"seconds", outcome.difference->seconds},
                                          {"what", outcome.difference->what}};
}

}  // namespace

std::string format_flight(const FlyOutcome& outcome, const FlyOptions& options, const bench::Machine& machine,
                          const Look& look) {
    const FlightFigures figures = figures_of(outcome);
    const terrain::StreamerStats& end = outcome.end;
    std::string text =
        look.strong(fmt::format("quarry fly: {}, {} workers, {}\n", options.field_name, options.workers, machine.cpu));
    if (options.replayed == nullptr) {
        text += flight_line(look, "first ring", fmt::format("{:.1f} ms", outcome.first_ring_ms));
        text += flight_line(look, "complete",
                            fmt::format("{:.1f} ms; closed {:.1f} ms", outcome.complete_ms, outcome.closed_ms));
    }
    const std::string over =
        fmt::format("{} of {} frames over {} ms", outcome.over_budget, outcome.frames.size(), options.budget_ms);
    text += flight_line(look, "budget", outcome.over_budget == 0 ? look.good(over) : look.warning(over));
    text += flight_line(look, "host's CPU time",
                        fmt::format("p50 {:.0f} us, p99 {:.0f}, most {:.0f}; wall p99.9 {:.0f}",
                                    outcome.percentile(0.5, total_of), outcome.percentile(0.99, total_of),
                                    outcome.percentile(1, total_of), outcome.percentile(0.999, wall_of)));
    text += flight_line(look, "update", update_text(outcome));
    text += flight_line(
        look, "hand-overs",
        fmt::format("{:.2f} a frame, most {}; {} meshes, {} baked again for a neighbour", figures.mean_uploads,
                    figures.most_uploads, grouped(end.uploads), grouped(end.rebaked)));
    text += flight_line(look, "late", fmt::format("LOD 0 at most {} frames after it entered the plan", figures.latest));
    text += flight_line(look, "wasted",
                        fmt::format("{:.1f} % of {} meshed in flight", 100 * outcome.wasted_share(),
                                    grouped(end.meshed - outcome.start.meshed)));
    text += flight_line(look, "cache",
                        fmt::format("{} hits, {} misses, {:.1f} MiB", grouped(end.cache_hits),
                                    grouped(end.cache_misses), static_cast<double>(end.cached_bytes) / kMebibyte));
    text += flight_line(look, "memory",
                        fmt::format("{:.1f} MiB of meshes at the host, {:.0f} MiB in all",
                                    static_cast<double>(outcome.most_mesh_bytes) / kMebibyte,
                                    static_cast<double>(peak_memory()) / kMebibyte));
    text += edits_text(outcome, options, look);
    text += replay_text(outcome, options, look);
    if (outcome.checked) {
        text += flight_line(look, "holes",
                            outcome.holes == 0
                                ? look.good("none")
                                : look.bad(fmt::format("{} frames; first: {}", outcome.holes, outcome.first_hole)));
    }
    std::string states;
    for (std::size_t i = 0; i < terrain::kChunkStates; ++i) {
        states += fmt::format("{}{} {}", i == 0 ? "" : ", ", grouped(end.in_state[i]),
                              name_of(static_cast<terrain::ChunkState>(i)));
    }
    text += flight_line(look, "chunks", states);
    for (std::size_t i = 0; i < outcome.worker_shares.size(); ++i) {
        text += flight_line(
            look, i == 0 ? "workers" : "",
            look.bar(outcome.worker_shares[i], 32) + fmt::format(" {:.0f} %", 100 * outcome.worker_shares[i]));
    }
    return text;
}

std::string flight_json(const FlyOutcome& outcome, const FlyOptions& options, const bench::Machine& machine) {
    const FlightFigures figures = figures_of(outcome);
    const terrain::StreamerStats& end = outcome.end;
    nlohmann::ordered_json json = report_head("quarry fly", machine);
    json["options"] = {{"field", options.field_name},
                       {"path", options.path_name},
                       {"seconds", options.seconds},
                       {"hertz", options.hertz},
                       {"budget_ms", options.budget_ms},
                       {"speed", options.speed},
                       {"upload_us", options.upload_us},
                       {"turns", options.turns},
                       {"viewers", options.viewers},
                       {"workers", options.workers},
                       {"radius", options.streamer.radius},
                       {"lod_distance", options.streamer.lod_distance},
                       {"dig", options.dig},
                       {"check", options.check}};
    json["first_ring_ms"] = outcome.first_ring_ms;
    json["complete_ms"] = outcome.complete_ms;
    json["closed_ms"] = outcome.closed_ms;
    json["frames"] = outcome.frames.size();
    json["frames_over_budget"] = outcome.over_budget;
    json["cpu_us"] = {{"p50", outcome.percentile(0.5, total_of)},
                      {"p99", outcome.percentile(0.99, total_of)},
                      {"most", outcome.percentile(1, total_of)}};
    json["wall_us"] = {{"p999", outcome.percentile(0.999, wall_of)}, {"most", outcome.percentile(1, wall_of)}};
    add_part(json, "update_us", outcome, &FlyFrame::update_us);
    add_part(json, "results_us", outcome, &FlyFrame::results_us);
    add_part(json, "plan_us", outcome, &FlyFrame::plan_us);
    add_part(json, "changes_us", outcome, &FlyFrame::changes_us);
    json["hand_overs"] = {{"a_frame", figures.mean_uploads}, {"most", figures.most_uploads}, {"all", end.uploads}};
    json["rebaked"] = end.rebaked;
    json["baked_again"] = end.baked_again;
    json["groups"] = {{"shown", end.groups_shown}, {"largest", end.largest_group}, {"most_open", outcome.most_groups}};
    json["deepest_queue"] = outcome.deepest_queue;
    json["late_frames"] = figures.latest;
    json["wasted_share"] = outcome.wasted_share();
    add_edits(json, outcome, options);
    add_replay(json, outcome, options);
    json["inversions"] = outcome.inversions;
    json["holes"] = outcome.checked ? nlohmann::ordered_json(outcome.holes) : nlohmann::ordered_json(nullptr);
    json["most_surrounded"] =
        outcome.checked ? nlohmann::ordered_json(outcome.most_surrounded) : nlohmann::ordered_json(nullptr);
    if (!outcome.first_hole.empty()) json["first_hole"] = outcome.first_hole;
    json["cache"] = {{"hits", end.cache_hits}, {"misses", end.cache_misses}, {"bytes", end.cached_bytes}};
    json["memory"] = {{"meshes_bytes", outcome.most_mesh_bytes},
                      {"plan_bytes", outcome.most_tree_bytes},
                      {"peak_bytes", peak_memory()}};
    nlohmann::ordered_json& states = json["states"];
    for (std::size_t i = 0; i < terrain::kChunkStates; ++i) {
        states[std::string(name_of(static_cast<terrain::ChunkState>(i)))] = end.in_state[i];
    }
    json["failed"] = end.failed;
    json["stale"] = end.stale;
    json["ended_at_rest"] = outcome.ended_at_rest;
    json["worker_shares"] = outcome.worker_shares;
    return json.dump(2) + "\n";
}

}  // namespace quarry::app
