#include "harness/run.hpp"

#include <algorithm>
#include <chrono>
#include <cmath>
#include <map>
#include <memory>
#include <optional>
#include <span>
#include <utility>

#include <fmt/format.h>

#include "harness/engine_process.hpp"
#include "harness/terminal.hpp"

namespace quarry::bench {
namespace {

using namespace std::chrono_literals;

constexpr auto kPatience = 60s;

double percentile(std::vector<double> values, double fraction) {
    std::sort(values.begin(), values.end());
    const double place = fraction * static_cast<double>(values.size() - 1);
    const auto below = static_cast<std::size_t>(std::floor(place));
    const std::size_t above = std::min(below + 1, values.size() - 1);
    return values[below] + (values[above] - values[below]) * (place - std::floor(place));
}

double spread_of(const std::vector<double>& values) {
    const double median = percentile(values, 0.5);
    return median > 0 ? (percentile(values, 0.75) - percentile(values, 0.25)) / median : 0;
}

// One live line on a terminal, a plain line per row elsewhere.
class Progress {
  public:
    void row(const std::string& text) {
        text_ = text;
        if (!live_) fmt::print(stderr, "{}\n", text);
    }
    void step(int run, int runs, const std::string& engine) {
        if (!live_) return;
        const std::string text = fmt::format("{}: run {} of {}, {}", text_, run, runs, engine);
        fmt::print(stderr, "\r\033[K{}", fitting(text, terminal_columns(stderr)));
        std::fflush(stderr);
    }
    ~Progress() {
        if (live_) fmt::print(stderr, "\r\033[K");
    }

  private:
    bool live_ = is_live_terminal(stderr);
    std::string text_;
};

// Everything one engine answered for one row and number of workers.
struct Collected {
    std::vector<std::string> order;
    std::map<std::string, std::string> units;
    std::map<std::string, std::vector<double>> values;                // per run
    std::map<std::string, std::vector<std::vector<double>>> samples;  // per run
    std::optional<Gap> gap;

    void take(const Answer& answer) {
        for (const Answer::Value& value : answer.values) {
            remember(value.name, value.unit);
            values[value.name].push_back(value.value);
        }
        for (const Answer::Samples& one : answer.samples) {
            remember(one.name, one.unit);
            samples[one.name].push_back(one.values);
        }
    }

  private:
    void remember(const std::string& name, const std::string& unit) {
        if (units.emplace(name, unit).second) order.push_back(name);
    }
};

class Runner {
  public:
    explicit Runner(const RunOptions& options) : options_(options) {
        for (const EngineCommand& engine : options.engines) {
            engines_.push_back(std::make_unique<EngineProcess>(engine.name, engine.command));
        }
    }

    RunReport run() {
        for (const RowInfo& row : options_.rows) {
            if (row.cold) {
                run_row(row, options_.workers);
                for (const auto& engine : engines_) engine->stop();
                continue;
            }
            for (const int workers : options_.workers) {
                if (!row.largest_only || workers == options_.workers.back()) run_row(row, {&workers, 1});
            }
            for (const auto& engine : engines_) engine->ask("release", kPatience);
        }
        for (std::size_t i = 0; i < engines_.size(); ++i) {
            if (!options_.engines[i].trace_path.empty()) write_trace(*engines_[i], options_.engines[i].trace_path);
        }
        return std::move(report_);
    }

  private:
    void write_trace(EngineProcess& engine, const std::string& path) {
        const Reply reply = engine.ask("trace " + path, kPatience);
        if (reply.status != Reply::Status::done) report_.trace_failures.push_back(engine.name() + ": " + reply.text);
    }

    // Who is measured in turns.
    struct Contestant {
        EngineProcess& engine;
        int workers;
        std::string request;
        Collected collected;
    };

    std::vector<Contestant> contestants_of(const RowInfo& row, std::span<const int> workers) const {
        std::vector<Contestant> all;
        for (const int count : workers) {
            for (const auto& engine : engines_) {
                const char* length = options_.quick ? "quick" : "full";
                all.push_back({*engine, count, fmt::format("run {} {} {}", row.name, count, length), {}});
            }
        }
        return all;
    }

    void run_row(const RowInfo& row, std::span<const int> workers) {
        const int runs = row.together || (options_.quick && row.heavy) ? 1 : options_.runs;
        const bool one = workers.size() == 1 && workers.front() == 1;
        progress_.row(fmt::format("{}, {} worker{}", row.name, fmt::join(workers, ", "), one ? "" : "s"));
        std::vector<Contestant> contestants = contestants_of(row, workers);
        for (int run = 0; run < runs; ++run) {
            if (row.together) {
                progress_.step(run + 1, runs, "all engines");
                for (const Contestant& each : contestants) each.engine.send(each.request);
            }
            for (std::size_t turn = 0; turn < contestants.size(); ++turn) {
                Contestant& each = contestants[(turn + static_cast<std::size_t>(run)) % contestants.size()];
                if (each.collected.gap) continue;
                if (!row.together) {
                    if (row.cold) each.engine.stop();
                    progress_.step(run + 1, runs, each.engine.name());
                    each.engine.send(each.request);
                }
                take_reply(each.engine.receive(kPatience), row, each.workers, each.engine, each.collected);
                if (!row.together) each.engine.settle();
            }
        }
        for (const Contestant& each : contestants) conclude(row, each.workers, each.engine.name(), each.collected);
    }

    static void take_reply(const Reply& reply, const RowInfo& row, int workers, const EngineProcess& engine,
                           Collected& collected) {
        if (reply.status == Reply::Status::done) return collected.take(reply.answer);
        const char* mark = reply.status == Reply::Status::unsupported ? "-"
                           : reply.status == Reply::Status::died      ? "died"
                           : reply.status == Reply::Status::hung      ? "hung"
                                                                      : "error";
        collected.gap = Gap{std::string(row.name), engine.name(), workers, mark, reply.text};
    }

    // An engine that failed half-way has no result: a median of the runs that went well would flatter it.
    void conclude(const RowInfo& row, int workers, const std::string& engine, const Collected& collected) {
        if (collected.gap) {
            report_.gaps.push_back(*collected.gap);
            return;
        }
        for (const std::string& name : collected.order) {
            const auto add = [&](const std::string& result, double value, const std::vector<double>& per_run) {
                report_.results.push_back({std::string(row.name), result, engine, workers, value,
                                           collected.units.at(name), static_cast<int>(per_run.size()),
                                           spread_of(per_run)});
            };
            if (const auto values = collected.values.find(name); values != collected.values.end()) {
                add(name, percentile(values->second, 0.5), values->second);
                continue;
            }
            const auto& per_run = collected.samples.at(name);
            std::vector<double> all;
            for (const std::vector<double>& run : per_run) all.insert(all.end(), run.begin(), run.end());
            constexpr std::pair<const char*, double> kPercentiles[] = {{"p50", 0.5}, {"p99", 0.99}, {"p99.9", 0.999}};
            for (const auto& [suffix, fraction] : kPercentiles) {
                std::vector<double> each;
                for (const std::vector<double>& run : per_run) each.push_back(percentile(run, fraction));
                add(name + "_" + suffix, percentile(all, fraction), each);
            }
        }
    }

    const RunOptions& options_;
    std::vector<std::unique_ptr<EngineProcess>> engines_;
    RunReport report_;
    Progress progress_;
};

}  // namespace

RunReport run(const RunOptions& options) {
    return Runner(options).run();
}

}  // namespace quarry::bench
