#include "terrain/run.hpp"

#include <algorithm>
#include <iterator>
#include <utility>

#include "harness/peers.hpp"

namespace quarry::bench {
namespace {

std::vector<EngineCommand> engines_for(const TerrainRow& row, const TerrainRun& options) {
    std::vector<EngineCommand> engines{own_terrain_engine(std::string(kOwnTerrain), options.target)};
    for (const std::string& target : options.other_targets) {
        const bool wanted = row.part == TerrainPart::field || (row.part == TerrainPart::chunk && target == kScalar);
        if (wanted) engines.push_back(own_terrain_engine(target, target));
    }
    if (row.part == TerrainPart::chunks || row.info.name == "noise") {
        engines.insert(engines.end(), options.peers.begin(), options.peers.end());
    }
    return engines;
}

const Result* find(const std::vector<Result>& results, std::string_view name, int workers) {
    const auto found = std::find_if(results.begin(), results.end(), [&](const Result& result) {
        return result.engine == kOwnTerrain && result.name == name && result.workers == workers;
    });
    return found == results.end() ? nullptr : &*found;
}

const Result* fastest_peer(const std::vector<Result>& results, const Result& own) {
    const Result* fastest = nullptr;
    for (const Result& result : results) {
        const bool peer = result.engine != kOwnTerrain && result.name == own.name && result.workers == own.workers;
        if (peer && (fastest == nullptr || result.value > fastest->value)) fastest = &result;
    }
    return fastest;
}

// A ratio is as uncertain as both of its parts.
Result derived(const Result& own, const Result& other, const char* suffix, const char* unit, double value) {
    return {own.row, own.name + suffix, own.engine, own.workers, value, unit, own.runs, own.spread + other.spread};
}

}  // namespace

void add_derived(const TerrainRow& row, std::vector<Result>& results) {
    if (row.part != TerrainPart::chunks && row.part != TerrainPart::world) return;
    std::vector<Result> more;
    const Result* const alone = find(results, row.info.name, 1);
    for (const Result& own : results) {
        if (own.engine != kOwnTerrain || own.name != row.info.name) continue;
        if (row.part == TerrainPart::chunks) {
            const Result* const peer = fastest_peer(results, own);
            if (peer != nullptr) more.push_back(derived(own, *peer, "_times", "x", own.value / peer->value));
        }
        if (alone != nullptr && own.workers > 1) {
            const double times = higher_is_better(own.unit) ? own.value / alone->value : alone->value / own.value;
            more.push_back(derived(own, *alone, "_efficiency", "%", 100 * times / own.workers));
        }
    }
    std::move(more.begin(), more.end(), std::back_inserter(results));
}

RunReport run_terrain(const TerrainRun& options) {
    RunReport all;
    for (const TerrainRow& row : options.rows) {
        const bool parallel = row.part == TerrainPart::chunks || row.part == TerrainPart::world;
        RunReport report = run({.rows = {row.info},
                                .workers = parallel ? options.workers : std::vector<int>{1},
                                .engines = engines_for(row, options),
                                .runs = options.runs});
        add_derived(row, report.results);
        std::move(report.results.begin(), report.results.end(), std::back_inserter(all.results));
        std::move(report.gaps.begin(), report.gaps.end(), std::back_inserter(all.gaps));
    }
    return all;
}

}  // namespace quarry::bench
