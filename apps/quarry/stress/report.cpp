#include "stress/report.hpp"

#include <algorithm>
#include <cmath>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "stress/names.hpp"
#include "tools/cpu_json.hpp"
#include "tools/report_head.hpp"

namespace quarry::app {
namespace {

using Json = nlohmann::ordered_json;

constexpr int kBarWidth = 30;

Grade grade_of_run(const StressOutcome& outcome, const StressOptions& options) {
    return burst_grade(outcome.figures(options), options.rules);
}

std::string line(const char* name, const std::string& text) {
    return fmt::format("  {:<11} {}\n", name, text);
}

std::string per_job(double seconds, std::uint64_t jobs) {
    return jobs == 0 ? "-" : duration_text(seconds * 1e9 / static_cast<double>(jobs));
}

std::string whole(double number) {
    return grouped(static_cast<unsigned long long>(std::llround(number)));
}

double share_of(double part, double whole) {
    return whole > 0 ? part / whole : 0;
}

std::string throughput_line(const StressOutcome& outcome, const Look& look) {
    std::string text = look.strong(fmt::format("{} jobs/s", whole(outcome.throughput())));
    const PlainLoop& plain = outcome.plain;
    if (plain.threads == 0) return text;
    const double nanoseconds = plain.rate() > 0 ? 1e9 / plain.rate() : std::nan("");
    return text + fmt::format(", {:.2f} of {} plain loop{} of {} jobs/s ({} a job)", outcome.efficiency(),
                              plain.threads, plain.threads == 1 ? "" : "s", whole(plain.rate()),
                              duration_text(nanoseconds));
}

std::string latency_line(const LatencyHistogram& latency, const Look& look) {
    return look.strong(fmt::format("mean {}", duration_text(latency.mean()))) +
           fmt::format(", min {}, p50 {}, p99 {}, max {}", duration_text(latency.least()),
                       duration_text(latency.percentile(0.5)), duration_text(latency.percentile(0.99)),
                       duration_text(latency.greatest()));
}

std::string count_line(const StressOutcome& outcome, const Look& look) {
    const auto none_wanted = [&](const char* name, std::uint64_t count) {
        const std::string text = fmt::format("{} {}", name, grouped(count));
        return count == 0 ? text : look.bad(text);
    };
    return fmt::format("submitted {}, received {}, success {}, {}, {}, {}", grouped(outcome.submitted),
                       grouped(outcome.received), grouped(outcome.success), none_wanted("failed", outcome.failed),
                       none_wanted("lost", outcome.lost()), none_wanted("rejected", outcome.rejected));
}

std::string host_lines(const StressOutcome& outcome, const Look& look) {
    const auto part = [&](double seconds) {
        const double share = share_of(seconds, outcome.seconds);
        return fmt::format("{} {:4.1f} % of the host's time, {} a job", look.bar(share, kBarWidth), share * 100,
                           per_job(seconds, outcome.submitted));
    };
    return line("submit", part(outcome.submit_seconds)) + line("collect", part(outcome.collect_seconds));
}

std::string worker_lines(const StressOutcome& outcome, const Look& look) {
    std::string text;
    for (std::size_t worker = 0; worker < outcome.shares.size(); ++worker) {
        text += fmt::format("  worker {:<4} {} {:4.1f} % of the jobs, {}\n", worker,
                            look.bar(outcome.shares[worker], kBarWidth), outcome.shares[worker] * 100,
                            grouped(outcome.worker_jobs[worker]));
    }
    return text;
}

Json number_or_null(double value) {
    return std::isfinite(value) ? Json(value) : Json();
}

Json latency_json(const LatencyHistogram& latency) {
    const auto ms = [](double nanoseconds) { return number_or_null(nanoseconds / 1e6); };
    return {{"mean", ms(latency.mean())},
            {"min", ms(latency.least())},
            {"p50", ms(latency.percentile(0.5))},
            {"p99", ms(latency.percentile(0.99))},
            {"max", ms(latency.greatest())}};
}

Json time_json(double seconds, std::uint64_t jobs) {
    return {{"seconds", seconds}, {"ns_per_job", number_or_null(seconds * 1e9 / static_cast<double>(jobs))}};
}

}  // namespace

std::string stress_status(Grade grade) {
    switch (grade) {
        case Grade::a:
            return "ready";
        case Grade::b:
            return "usable";
        case Grade::c:
            return "needs work";
        default:
            return "failed";
    }
}

std::string stress_verdict(const StressOutcome& outcome, const StressOptions& options) {
    const std::string rate = whole(outcome.throughput());
    const std::string mean = duration_text(outcome.latency.mean());
    switch (grade_of_run(outcome, options)) {
        case Grade::a:
            return fmt::format("Ready: {} jobs a second came back right, {} after they were submitted.", rate, mean);
        case Grade::b:
            return fmt::format("Usable: {} jobs a second came back, {} after they were submitted.", rate, mean);
        case Grade::c:
            return "Needs work: see the issues.";
        default:
            return "Not to be used like this: see the issues.";
    }
}

std::string format_stress(const StressOutcome& outcome, const StressOptions& options, const bench::Machine& machine,
                          const Look& look) {
    const Grade grade = grade_of_run(outcome, options);
    const BurstPoints points = burst_points(outcome.figures(options), options.rules);
    std::string text = fmt::format(
        "{}, {} usable core{}\nburst test: {}, {:g} s in {} burst{}, {} worker {}, queue {}, results polled {}, {} "
        "rules\n\n",
        machine.cpu, machine.cores, machine.cores == 1 ? "" : "s", name_in(kJobNames, options.job), options.duration,
        outcome.bursts, outcome.bursts == 1 ? "" : "s", options.workers, name_in(kBackendNames, options.backend),
        grouped(static_cast<unsigned long long>(options.queue)), name_in(kPollNames, options.poll),
        name_in(kRulesNames, options.rules));
    text += line("grade", look.graded(grade, look.strong(fmt::format("{}, {}", letter(grade), stress_status(grade)))) +
                              (outcome.cpu.is_short() ? ", on a machine short of CPU time" : "") +
                              fmt::format(" ({} of 9 points: throughput {}, completion {}, latency {})", points.sum(),
                                          points.throughput, points.completion, points.latency));
    text += line("workers", fmt::format("{} of {} alive", outcome.workers_alive, options.workers));
    if (options.faults.any()) {
        text += line("faults", fmt::format("{} injected ({}), {} workers replaced", grouped(outcome.faults),
                                           name_of(options.faults.kinds), grouped(outcome.restarts)));
    }
    text += line("jobs", count_line(outcome, look));
    if (outcome.refusal.offered != 0) {
        text += line("refusal", fmt::format("{} of {} offered at once refused: the queue holds {}",
                                            grouped(outcome.refusal.offered - outcome.refusal.accepted),
                                            grouped(outcome.refusal.offered), grouped(outcome.refusal.fitting)));
    }
    text += line("throughput", throughput_line(outcome, look));
    text += line("latency", latency_line(outcome.latency, look));
    text += host_lines(outcome, look) + worker_lines(outcome, look);
    const std::vector<std::string> issues = issues_of(outcome, options);
    if (issues.empty()) text += line("issues", "none");
    for (const std::string& issue : issues) text += line("issue", look.warning(issue));
    text += line("verdict", look.graded(grade, stress_verdict(outcome, options)));
    return text;
}

std::string stress_json(const StressOutcome& outcome, const StressOptions& options, const bench::Machine& machine) {
    const Grade grade = grade_of_run(outcome, options);
    const BurstPoints points = burst_points(outcome.figures(options), options.rules);
    Json json = report_head("quarry stress", machine);
    json["options"] = {{"duration", options.duration},
                       {"workers", options.workers},
                       {"queue", options.queue},
                       {"job", name_in(kJobNames, options.job)},
                       {"rules", name_in(kRulesNames, options.rules)},
                       {"poll", name_in(kPollNames, options.poll)},
                       {"backend", name_in(kBackendNames, options.backend)}};
    if (options.faults.any()) {
        json["options"]["faults"] = name_of(options.faults.kinds);
        json["options"]["rate"] = options.faults.rate;
    }
    json["grade"] = std::string(1, letter(grade));
    json["status"] = stress_status(grade);
    json["points"] = {
        {"throughput", points.throughput}, {"completion", points.completion}, {"latency", points.latency}};
    json["workers_alive"] = outcome.workers_alive;
    json["submitted"] = outcome.submitted;
    json["received"] = outcome.received;
    json["success"] = outcome.success;
    json["failed"] = outcome.failed;
    json["lost"] = outcome.lost();
    json["twice"] = outcome.twice;
    json["rejected"] = outcome.rejected;
    json["refusal"] = {{"offered", outcome.refusal.offered},
                       {"fitting", outcome.refusal.fitting},
                       {"accepted", outcome.refusal.accepted},
                       {"ran", outcome.refusal.ran}};
    json["bursts"] = outcome.bursts;
    json["cut_short"] = outcome.cut_short;
    json["cpu"] = cpu_json(outcome.cpu);
    json["faults"] = outcome.faults;
    json["restarts"] = outcome.restarts;
    json["seconds"] = outcome.seconds;
    json["throughput"] = outcome.throughput();
    json["plain_loop"] = {{"throughput", outcome.plain.rates},
                          {"loops", outcome.plain.threads},
                          {"efficiency", number_or_null(outcome.efficiency())}};
    json["latency_ms"] = latency_json(outcome.latency);
    json["submit"] = time_json(outcome.submit_seconds, outcome.submitted);
    json["collect"] = time_json(outcome.collect_seconds, outcome.received);
    json["shares"] = outcome.shares;
    json["issues"] = issues_of(outcome, options);
    json["verdict"] = stress_verdict(outcome, options);
    return json.dump(2) + "\n";
}

}  // namespace quarry::app
