#include "bench/terrain_table.hpp"

#include <cmath>
#include <optional>
#include <string_view>
#include <vector>

#include <fmt/format.h>

namespace quarry::app {
namespace {

using bench::Gap;
using bench::Result;
using bench::TerrainPart;

std::string number(double value) {
    if (value >= 999.5) return grouped(static_cast<unsigned long long>(std::llround(value)));
    if (value >= 99.95) return fmt::format("{:.0f}", value);
    return fmt::format("{:.{}f}", value, value < 9.995 ? 2 : 1);
}

// Shares near 100 % differ in what they leave.
std::string value_text(const Result& result) {
    return result.unit == "%" ? fmt::format("{:.2f}", result.value) : number(result.value);
}

std::string percent(double share) {
    return fmt::format("{:.0f}%", share * 100);
}

class Table {
  public:
    Table(const bench::RunReport& report, const bench::TerrainRun& run, const Look& look)
        : report_(report), run_(run), look_(look) {
        targets_ = run.other_targets;
        targets_.emplace_back(bench::kOwnTerrain);
        for (const bench::EngineCommand& peer : run.peers) targets_.push_back(peer.name);
    }

    std::string text() {
        fields();
        figures();
        notes();
        return std::move(out_);
    }

  private:
    const Result* find(std::string_view name, std::string_view engine, int workers) const {
        for (const Result& result : report_.results) {
            if (result.name == name && result.engine == engine && result.workers == workers) return &result;
        }
        return nullptr;
    }

    TerrainPart part_of(const Result& result) const { return bench::find_terrain_row(result.row)->part; }

    // How many times better the second is.
    static double times(const Result& baseline, const Result& own) {
        return bench::higher_is_better(own.unit) ? own.value / baseline.value : baseline.value / own.value;
    }

    void fields() {
        std::string lines;
        for (const Result& own : report_.results) {
            if (own.engine == bench::kOwnTerrain && part_of(own) == TerrainPart::field) lines += field_line(own);
        }
        if (lines.empty()) return;
        std::string head = fmt::format("{:<22}", "ns, lower is better");
        for (const std::string& target : targets_) {
            head += fmt::format("{:>11}", target == bench::kOwnTerrain ? run_.target : target);
        }
        out_ += "\n" + look_.strong(head + fmt::format("{:>9}{:>8}", "/scalar", "spread")) + "\n" + lines;
    }

    std::string field_line(const Result& own) const {
        std::string line = fmt::format("{:<22}", own.name);
        for (const std::string& target : targets_) {
            const Result* const result = find(own.name, target, own.workers);
            line += fmt::format("{:>11}", result == nullptr ? "" : number(result->value));
        }
        const Result* const scalar = find(own.name, bench::kScalar, own.workers);
        const std::string ratio = scalar == nullptr ? "" : number(times(*scalar, own)) + "x";
        return line + fmt::format("{:>9}{:>8}\n", ratio, percent(own.spread));
    }

    void figures() {
        std::string lines;
        for (const Result& own : report_.results) {
            if (own.engine == bench::kOwnTerrain && part_of(own) != TerrainPart::field) lines += figure_line(own);
        }
        if (lines.empty()) return;
        out_ += "\n" +
                look_.strong(fmt::format("{:<20}{:>8}{:>12} {:<10}{:>24}{:>8}{:>15}{:>9}{:>8}", "", "workers", "value",
                                         "", "baseline", "times", "aim", "reached", "spread")) +
                "\n" + lines;
    }

    struct Baseline {
        const Result* result;
        std::string name;
    };

    // The scalar target, a peer, or the same on one worker.
    std::optional<Baseline> baseline_of(const Result& own) const {
        if (const Result* scalar = find(own.name, bench::kScalar, own.workers)) return Baseline{scalar, "scalar"};
        for (const bench::EngineCommand& peer : run_.peers) {
            if (const Result* result = find(own.name, peer.name, own.workers)) return Baseline{result, peer.name};
        }
        const bool is_time = own.unit == "s" || own.unit.ends_with("/s");
        if (const Result* alone = find(own.name, own.engine, 1); alone != nullptr && own.workers > 1 && is_time) {
            return Baseline{alone, "1 worker"};
        }
        return std::nullopt;
    }

    std::string figure_line(const Result& own) const {
        std::string line = fmt::format("{:<20}{:>8}{:>12} {:<10}", own.name, own.workers, value_text(own), own.unit);
        if (const std::optional<Baseline> baseline = baseline_of(own)) {
            line += fmt::format("{:>24}", fmt::format("{} {}", number(baseline->result->value), baseline->name));
            // More triangles are neither better nor worse.
            const bool judged = own.unit != "triangles";
            line += fmt::format("{:>8}", judged ? number(times(*baseline->result, own)) + "x" : "");
        } else {
            line += fmt::format("{:>32}", "");
        }
        line += aim_cells(own);
        return line + fmt::format("{:>8}\n", percent(own.spread));
    }

    std::string aim_cells(const Result& own) const {
        const auto aim = bench::terrain_aim(own.name, own.workers, run_.target == "avx512");
        if (!aim) return fmt::format("{:>24}", "");
        const bool higher = bench::higher_is_better(own.unit);
        const bool reached = higher ? own.value >= aim->value : own.value <= aim->value;
        const std::string text =
            fmt::format("{:>15}", fmt::format("{} {}", higher ? ">=" : "<=", aim_text(aim->value)));
        return text + (reached ? look_.good(fmt::format("{:>9}", "yes")) : look_.bad(fmt::format("{:>9}", "no")));
    }

    static std::string aim_text(double value) {
        return value >= 1000 ? grouped(static_cast<unsigned long long>(value)) : fmt::format("{}", value);
    }

    void notes() {
        if (!report_.gaps.empty()) out_ += "\n";
        for (const Gap& gap : report_.gaps) {
            const std::string mark = gap.mark == "-" ? "" : gap.mark + ": ";
            out_ += fmt::format("{}, {}, {} worker{}: {}{}\n", gap.engine, gap.row, gap.workers,
                                gap.workers == 1 ? "" : "s", mark, gap.reason);
        }
    }

    const bench::RunReport& report_;
    const bench::TerrainRun& run_;
    const Look& look_;
    std::vector<std::string> targets_;
    std::string out_;
};

}  // namespace

std::string terrain_table(const bench::RunReport& report, const bench::TerrainRun& run, const bench::Machine& machine,
                          const Look& look) {
    return fmt::format("{}, {} usable core{}, {}; median of {} run{}\n", machine.cpu, machine.cores,
                       machine.cores == 1 ? "" : "s", run.target, run.runs, run.runs == 1 ? "" : "s") +
           Table(report, run, look).text();
}

}  // namespace quarry::app
