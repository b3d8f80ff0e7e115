#include <array>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "sync/soak.hpp"
#include "tools/cpu_json.hpp"
#include "tools/report_head.hpp"

namespace quarry::app {
namespace {

std::string verdict_text(const SoakOutcome& outcome, const Look& look) {
    switch (outcome.verdict()) {
        case SoakVerdict::holds:
            return look.good("It holds.");
        case SoakVerdict::fails:
            return look.bad("It does not hold.");
        default:
            return look.warning(outcome.cut_short() ? "Not judged: it was cut short."
                                                    : fmt::format("Not judged: the machine was short of CPU time: {}.",
                                                                  outcome.cpu.taken_text()));
    }
}

}  // namespace

std::string format_soak(const SoakOutcome& outcome, const SoakOptions& options, const bench::Machine& machine,
                        const Look& look) {
    const FrameLedgerStats& stats = outcome.playback.stats;
    const DeliveryFigures& deliveries = outcome.deliveries;
    const auto time = [](std::chrono::nanoseconds each) { return duration_text(static_cast<double>(each.count())); };
    std::string text = fmt::format("{}, {} usable core{}\nsoak: {:g} s at {:g} Hz, {} {}{}, seed {}\n\n", machine.cpu,
                                   machine.cores, machine.cores == 1 ? "" : "s", options.seconds, options.hertz,
                                   options.workers, options.processes ? "worker process" : "worker",
                                   options.workers == 1 ? "" : (options.processes ? "es" : "s"), options.seed);
    text += fmt::format(
        "  frames      {} in {:.1f} s, {} stalls of the host, {} steps dropped after them, {} deadlines missed\n",
        stats.frames, outcome.seconds, outcome.stalls, stats.dropped_steps, stats.missed_frames);
    text += fmt::format("  jobs        submitted {}, returned {}, lost {}, twice {}\n", stats.submitted, stats.returned,
                        stats.outstanding(), outcome.playback.twice);
    text += fmt::format("  latency     mean {:.2f} frames, max {}; {} stale\n", stats.mean_latency(), stats.latency_max,
                        stats.stale);
    text += fmt::format("  deliveries  {}, {} items carried over, {} over budget by more than an item\n",
                        deliveries.deliveries, deliveries.carried_over, deliveries.over);
    text += fmt::format(
        "  budget      without the last item {} at most by CPU time; with it {} over at most by the wall clock\n",
        deliveries.worst_excess.count() > 0 ? time(deliveries.worst_excess) + " over"
                                            : time(-deliveries.worst_excess) + " under",
        time(deliveries.worst_wall));
    if (options.faults.any()) {
        text += fmt::format("  faults      {} of the kinds {}; late results are not judged\n", outcome.faults,
                            name_of(options.faults.kinds));
    }
    const FrameLedgerStats& bare = outcome.bare.stats;
    text += fmt::format("  bare loop   {} frames, {} deadlines missed; {} of {} results stale\n", bare.frames,
                        bare.missed_frames, bare.stale, bare.returned);
    for (const std::string& failure : outcome.failures()) text += "  failure     " + look.bad(failure) + "\n";
    for (const std::string& dropped : outcome.dropped_frames()) text += "  dropped     " + look.bad(dropped) + "\n";
    return text + "  verdict     " + verdict_text(outcome, look) + "\n";
}

std::string soak_json(const SoakOutcome& outcome, const SoakOptions& options, const bench::Machine& machine) {
    const FrameLedgerStats& stats = outcome.playback.stats;
    const DeliveryFigures& deliveries = outcome.deliveries;
    const auto ms = [](std::chrono::nanoseconds each) { return static_cast<double>(each.count()) / 1e6; };
    nlohmann::ordered_json json = report_head("quarry sync --soak", machine);
    json["options"] = {{"seconds", options.seconds},
                       {"hertz", options.hertz},
                       {"render_ms", options.render_ms},
                       {"workers", options.workers},
                       {"seed", options.seed},
                       {"backend", options.processes ? "processes" : "threads"},
                       {"faults", name_of(options.faults.kinds)}};
    json["faults"] = outcome.faults;
    json["seconds"] = outcome.seconds;
    json["frames"] = stats.frames;
    json["stalls"] = outcome.stalls;
    json["dropped_steps"] = stats.dropped_steps;
    json["missed_frames"] = stats.missed_frames;
    json["submitted"] = stats.submitted;
    json["returned"] = stats.returned;
    json["lost"] = stats.outstanding();
    json["twice"] = outcome.playback.twice;
    json["deliveries"] = {{"count", deliveries.deliveries},
                          {"carried_over", deliveries.carried_over},
                          {"over_budget", deliveries.over},
                          {"worst_excess_cpu_ms", ms(deliveries.worst_excess)},
                          {"worst_overrun_wall_ms", ms(deliveries.worst_wall)}};
    json["failures"] = outcome.failures();
    json["dropped_frames"] = outcome.dropped_frames();
    json["bare"] = {{"frames", outcome.bare.stats.frames},
                    {"missed_frames", outcome.bare.stats.missed_frames},
                    {"returned", outcome.bare.stats.returned},
                    {"stale", outcome.bare.stats.stale}};
    json["stale"] = stats.stale;
    json["cpu"] = cpu_json(outcome.cpu);
    json["cut_short"] = outcome.cut_short();
    constexpr std::array<const char*, 3> kVerdicts{"holds", "fails", "not judged"};
    json["verdict"] = kVerdicts[static_cast<std::size_t>(outcome.verdict())];
    json["ledger"] = nlohmann::ordered_json::parse(outcome.playback.ledger);
    return json.dump(2) + "\n";
}

}  // namespace quarry::app
