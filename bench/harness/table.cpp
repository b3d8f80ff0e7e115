#include "harness/table.hpp"

#include <algorithm>
#include <map>
#include <set>
#include <utility>

#include <fmt/format.h>

namespace quarry::bench {
namespace {

constexpr const char* kOwn = "quarry";
constexpr const char* kBaseline = "bare";
constexpr const char* kOwnTraced = "traced";
// Baseline of the Rust peers' compiler: in the report only, its figures are mentioned where they matter.
constexpr const char* kRustBaseline = "bare_rust";

constexpr const char* kGood = "\033[32m";
constexpr const char* kBad = "\033[31m";
constexpr const char* kStrong = "\033[1m";
constexpr const char* kPlain = "\033[0m";

std::string short_name(const std::string& engine) {
    if (engine == "bevy_tasks") return "bevy";
    if (engine == "moodycamel") return "moody";
    return engine == "crossbeam" ? "xbeam" : engine;
}

bool is_nothing(double value) {
    return value < 0.0005;
}

std::string three_digits(double value) {
    if (is_nothing(value)) return "0";
    if (value < 9.995) return fmt::format("{:.2f}", value);
    if (value < 99.95) return fmt::format("{:.1f}", value);
    return fmt::format("{:.0f}", value);
}

class Table {
  public:
    Table(const RunReport& report, const RunOptions& options, bool colour)
        : report_(report), options_(options), colour_(colour) {
        for (const EngineCommand& engine : options.engines) {
            if (engine.name != kRustBaseline) engines_.push_back(engine.name);
        }
        for (const Result& result : report.results) {
            values_[{result.name, result.workers, result.engine}] = &result;
            auto& names = names_[result.row];
            if (std::find(names.begin(), names.end(), result.name) == names.end()) names.push_back(result.name);
        }
        for (const Gap& gap : report.gaps) gaps_[{gap.row, gap.workers, gap.engine}] = &gap;
    }

    std::string text() {
        for (const int workers : options_.workers) {
            block(fmt::format("{} worker{}", workers, workers == 1 ? "" : "s"), workers, false);
        }
        const int most = options_.workers.back();
        block(fmt::format("peak memory, {} worker{}", most, most == 1 ? "" : "s"), most, true);
        notes();
        return std::move(out_);
    }

  private:
    using Key = std::tuple<std::string, int, std::string>;

    void head(const std::string& title) {
        std::string line = fmt::format("{:<27}", title);
        for (const std::string& engine : engines_) line += fmt::format(" {:>7}", short_name(engine));
        line += fmt::format(" {:>6} {:>6} {:>6}", "/bare", "/best", "spread");
        out_ += fmt::format("\n{}{}{}\n", colour_ ? kStrong : "", line, colour_ ? kPlain : "");
    }

    void block(const std::string& title, int workers, bool memory) {
        const std::size_t before = out_.size();
        head(title);
        const std::size_t headed = out_.size();
        for (const RowInfo& row : options_.rows) row_lines(row, workers, memory);
        if (out_.size() == headed) out_.resize(before);
    }

    static bool is_memory(const std::string& name) { return name.ends_with("_memory"); }

    void row_lines(const RowInfo& row, int workers, bool memory) {
        if (row.largest_only && workers != options_.workers.back()) return;
        const std::string key(row.name);
        if (!names_.contains(key)) {
            if (!memory) line(key, key, workers);
            return;
        }
        for (const std::string& name : names_[key]) {
            if (is_memory(name) == memory) line(key, name, workers);
        }
    }

    const Result* find(const std::string& name, int workers, const std::string& engine) const {
        const auto found = values_.find({name, workers, engine});
        return found == values_.end() ? nullptr : found->second;
    }

    // The fastest engine that is neither Quarry nor a baseline.
    const Result* best_peer(const std::string& name, int workers) const {
        const Result* best = nullptr;
        for (const std::string& engine : engines_) {
            if (engine == kOwn || engine == kOwnTraced || engine == kBaseline) continue;
            const Result* result = find(name, workers, engine);
            if (result != nullptr && (best == nullptr || result->value < best->value)) best = result;
        }
        return best;
    }

    std::string ratio(const Result* own, const Result* other, bool judge) const {
        const bool both = own != nullptr && other != nullptr;
        if (!both || is_nothing(other->value)) return fmt::format(" {:>6}", both && is_nothing(own->value) ? "=" : "");
        const double factor = own->value / other->value;
        std::string text = fmt::format(" {:>6}", three_digits(factor));
        if (!colour_ || !judge) return text;
        return fmt::format("{}{}{}", factor <= 1.0 ? kGood : kBad, text, kPlain);
    }

    void line(const std::string& row, const std::string& name, int workers) {
        const Result* own = find(name, workers, kOwn);
        const Result* best = best_peer(name, workers);
        const char* unit = "";
        std::string cells;
        for (const std::string& engine : engines_) {
            const Result* result = find(name, workers, engine);
            const auto gap = gaps_.find({row, workers, engine});
            std::string cell;
            if (result != nullptr) {
                cell = three_digits(result->value);
                unit = result->unit.c_str();
            } else if (gap != gaps_.end()) {
                cell = gap->second->mark;
            }
            const bool strong = colour_ && result != nullptr && result == best;
            cells += fmt::format("{} {:>7}{}", strong ? kStrong : "", cell, strong ? kPlain : "");
        }
        out_ += fmt::format("{:<22} {:<4}{}{}{} {:>6}\n", is_memory(name) ? row : name, unit, cells,
                            ratio(own, find(name, workers, kBaseline), false), ratio(own, best, !is_memory(name)),
                            own == nullptr ? "" : fmt::format("{:.0f}%", own->spread * 100));
    }

    void notes() {
        std::map<std::pair<std::string, std::string>, std::set<std::string>> reasons;
        for (const Gap& gap : report_.gaps) {
            if (gap.engine == kRustBaseline) continue;
            const std::string mark = gap.mark == "-" ? "" : gap.mark + ": ";
            reasons[{gap.engine, mark + gap.reason}].insert(gap.row);
        }
        if (!reasons.empty()) out_ += "\n";
        for (const auto& [key, rows] : reasons) {
            out_ += fmt::format("{}, {}: {}\n", key.first, fmt::join(rows, " "), key.second);
        }
        rust_note();
    }

    void rust_note() {
        std::string differing;
        for (const Result& result : report_.results) {
            if (result.engine != kRustBaseline || is_memory(result.name) ||
                result.workers != options_.workers.front()) {
                continue;
            }
            const Result* bare = find(result.name, result.workers, kBaseline);
            if (bare == nullptr || bare->value <= 0) continue;
            const double factor = result.value / bare->value;
            if (factor < 0.9 || factor > 1.1) differing += fmt::format(" {} {:.2f}", result.name, factor);
        }
        if (!differing.empty())
            out_ += "plain Rust over plain C++, where they differ by a tenth or more:" + differing + "\n";
    }

    const RunReport& report_;
    const RunOptions& options_;
    bool colour_;
    std::vector<std::string> engines_;
    std::map<Key, const Result*> values_;
    std::map<Key, const Gap*> gaps_;
    std::map<std::string, std::vector<std::string>> names_;
    std::string out_;
};

}  // namespace

std::string format_table(const RunReport& report, const RunOptions& options, const Machine& machine, bool colour) {
    return fmt::format("{}, {} usable core{}, {}; median of {} run{}\n", machine.cpu, machine.cores,
                       machine.cores == 1 ? "" : "s", machine.simd, options.runs, options.runs == 1 ? "" : "s") +
           Table(report, options, colour).text();
}

std::string explain(const RunOptions& options) {
    std::string text =
        "\nLower is better everywhere. /bare: Quarry over the baseline without any engine (plain recursion,"
        " plain loop,\nstd::sort, naked threads with futexes). /best: Quarry over the best peer, below 1 Quarry"
        " is ahead (needs --peers).\nspread: of Quarry's runs, (75th - 25th percentile) / median.\n\n";
    for (const RowInfo& row : options.rows) text += fmt::format("{:<12} {}\n", row.name, row.what);
    return text;
}

}  // namespace quarry::bench
