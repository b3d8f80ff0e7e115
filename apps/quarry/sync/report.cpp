#include "sync/report.hpp"

#include <algorithm>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "tools/cpu_json.hpp"
#include "tools/report_head.hpp"

namespace quarry::app {
namespace {

using Json = nlohmann::ordered_json;

constexpr int kHistogramWidth = 32;
// Latencies from here on share a line: a host that is that late has lost its place anyway.
constexpr std::size_t kShownLatencies = 6;

std::uint64_t at_or_after(const FrameLedgerStats& stats, std::size_t frames) {
    std::uint64_t count = stats.later_than_all;
    for (std::size_t each = frames; each < stats.latency.size(); ++each) count += stats.latency[each];
    return count;
}

std::uint64_t in_line(const FrameLedgerStats& stats, std::size_t frames) {
    return frames == kShownLatencies ? at_or_after(stats, frames) : stats.latency[frames];
}

double share(std::uint64_t part, std::uint64_t whole) {
    return whole == 0 ? 0 : static_cast<double>(part) / static_cast<double>(whole);
}

std::string table_head(const Look& look) {
    return look.strong(fmt::format("{:<10}{:>6}{:>7}{:>8}{:>8}{:>6}{:>8}{:>8}{:>9}", "scenario", "grade", "ideal",
                                   "jobs", "mean", "max", "stale", "missed", "dropped")) +
           "\n";
}

std::string grade_line(const ScenarioOutcome& each, const Look& look) {
    const FrameLedgerStats& stats = each.real.stats;
    const SyncFigures figures = each.real.figures();
    const Grade grade = each.real.grade();
    return fmt::format("{:<10}{}{}{:>8}{:>8.2f}{:>6}{:>7.1f}%{:>8}{:>9}\n", each.scenario.name,
                       look.graded(grade, fmt::format("{:>6}", letter(grade))),
                       fmt::format("{:>7}", letter(each.ideal.grade())), stats.submitted, figures.mean_latency,
                       stats.latency_max, figures.stale * 100, stats.missed_frames, stats.dropped_steps);
}

std::string circumstances(const SyncOutcome& outcome, const SyncOptions& options, const Look& look) {
    std::string text;
    for (const ScenarioOutcome& each : outcome.scenarios) {
        if (!each.cpu.is_short()) continue;
        text += look.warning(fmt::format("{}: the machine was short of CPU time: {}; the grade says little",
                                         each.scenario.name, each.cpu.taken_text())) +
                "\n";
    }
    if (outcome.cut_short) {
        text += look.warning(fmt::format("cut short: stopped in scenario {} of {}", outcome.scenarios.size(),
                                         options.scenarios.size())) +
                "\n";
    }
    return text;
}

std::string histogram(const ScenarioOutcome& each, const Look& look) {
    const FrameLedgerStats& real = each.real.stats;
    const FrameLedgerStats& ideal = each.ideal.stats;
    const std::uint64_t latest = std::max(real.latency_max, ideal.latency_max);
    const std::size_t lines = std::min<std::size_t>(latest, kShownLatencies) + 1;
    std::string text;
    for (std::size_t frames = 0; frames < lines; ++frames) {
        const double here = share(in_line(real, frames), real.returned);
        const std::string name = fmt::format("{}{}", frames, frames == kShownLatencies ? "+" : "");
        text += fmt::format(
            "{:>10}  {} {:5.1f} %{}\n", name, look.bar(here, kHistogramWidth), here * 100,
            look.faint(fmt::format("   ideal {:5.1f} %", share(in_line(ideal, frames), ideal.returned) * 100)));
    }
    return text;
}

std::string problems(const ScenarioOutcome& each, const Look& look) {
    std::string text;
    if (const auto lost = each.real.stats.outstanding(); lost != 0) {
        text += look.bad(fmt::format("{:>10}  {} results never came back\n", "", lost));
    }
    if (each.real.twice != 0) text += look.bad(fmt::format("{:>10}  {} results came twice\n", "", each.real.twice));
    return text;
}

Json figures_json(const Playback& playback) {
    const FrameLedgerStats& stats = playback.stats;
    const SyncFigures figures = playback.figures();
    Json histogram = Json::array();
    const std::size_t known = std::min<std::size_t>(stats.latency_max + 1, stats.latency.size());
    for (std::size_t frames = 0; frames < known; ++frames) histogram.push_back(stats.latency[frames]);
    return {{"grade", std::string(1, letter(playback.grade()))},
            {"mean_latency_frames", figures.mean_latency},
            {"max_latency_frames", stats.latency_max},
            {"stale_share", figures.stale},
            {"latency_histogram", histogram},
            {"later_than_histogram", stats.later_than_all},
            {"submitted", stats.submitted},
            {"returned", stats.returned},
            {"twice", playback.twice},
            {"missed_frames", stats.missed_frames},
            {"dropped_steps", stats.dropped_steps}};
}

}  // namespace

std::string format_sync(const SyncOutcome& outcome, const SyncOptions& options, const bench::Machine& machine,
                        const Look& look) {
    std::string text = fmt::format(
        "{}, {} usable core{}\nframe sync: {:g} Hz, {} worker {}{}, {:g} ms to render, seed {}; latency and age in "
        "frames; "
        "stale: older than {}\n\n",
        machine.cpu, machine.cores, machine.cores == 1 ? "" : "s", options.hertz, options.workers,
        options.processes ? "process" : "thread",
        options.workers == 1 ? ""
        : options.processes  ? "es"
                             : "s",
        options.render_ms, options.seed, kStaleFrames);
    text += table_head(look);
    for (const ScenarioOutcome& each : outcome.scenarios) text += grade_line(each, look);
    text += circumstances(outcome, options, look);
    for (const ScenarioOutcome& each : outcome.scenarios) {
        text += fmt::format("\n{}\n", look.strong(fmt::format("{}, results by frames waited", each.scenario.name)));
        text += histogram(each, look) + problems(each, look);
    }
    return text + fmt::format(
                      "\nideal: the same load, first in first out, on {} core{} that cost nothing to use. "
                      "A job takes {:.3f} of its nominal CPU time.\n",
                      machine.cores, machine.cores == 1 ? "" : "s", outcome.work_accuracy);
}

std::string sync_json(const SyncOutcome& outcome, const SyncOptions& options, const bench::Machine& machine) {
    Json json = report_head("quarry sync", machine);
    Json names = Json::array();
    for (const Scenario& scenario : options.scenarios) names.push_back(scenario.name);
    json["options"] = {{"scenarios", names},
                       {"hertz", options.hertz},
                       {"render_ms", options.render_ms},
                       {"workers", options.workers},
                       {"backend", options.processes ? "processes" : "threads"},
                       {"seed", options.seed},
                       {"stale_frames", kStaleFrames}};
    json["work_accuracy"] = outcome.work_accuracy;
    json["cut_short"] = outcome.cut_short;
    json["scenarios"] = Json::array();
    for (const ScenarioOutcome& each : outcome.scenarios) {
        Json one{{"name", each.scenario.name}};
        one.update(figures_json(each.real));
        one["cut_short"] = each.real.cut_short;
        one["ideal"] = figures_json(each.ideal);
        one["cpu"] = cpu_json(each.cpu);
        one["ledger"] = Json::parse(each.real.ledger);
        json["scenarios"].push_back(std::move(one));
    }
    return json.dump(2) + "\n";
}

}  // namespace quarry::app
