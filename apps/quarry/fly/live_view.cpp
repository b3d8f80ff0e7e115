#include "fly/live_view.hpp"

#include <algorithm>
#include <cmath>
#include <string_view>
#include <vector>

#include <fmt/format.h>

namespace quarry::app {
namespace {

constexpr int kColumns = 33;
constexpr int kRows = 17;
constexpr std::size_t kEvery = 6;     // frames
constexpr std::size_t kMostBars = 7;  // so that all lines fit beside the map

// Where a chunk begins and ends on the map of LOD 0 chunks around the viewer.
struct MapPlace {
    int column = 0;
    int row = 0;
    int width = 1;
};

MapPlace on_map(const terrain::ChunkKey& key, int x, int z) {
    const int scale = 1 << key.lod;
    return {key.x * scale - x + kColumns / 2, key.z * scale - z + kRows / 2, scale};
}

template <class Visit>
void for_each_on_map(const MapPlace& place, Visit visit) {
    for (int row = std::max(0, place.row); row < std::min(kRows, place.row + place.width); ++row) {
        for (int column = std::max(0, place.column); column < std::min(kColumns, place.column + place.width);
             ++column) {
            visit(static_cast<std::size_t>(row * kColumns + column));
        }
    }
}

// On the map; 0: the chunk is not on its way to be shown.
char letter_of(terrain::ChunkState state) {
    switch (state) {
        case terrain::ChunkState::queued:
            return 'q';
        case terrain::ChunkState::meshing:
            return 'm';
        case terrain::ChunkState::ready:
            return 'r';
        case terrain::ChunkState::handed_over:
            return 'h';
        default:
            return 0;
    }
}

}  // namespace

LiveView::LiveView(std::FILE* out, Pool& pool, const FlyOptions& options)
    : out_(out), pool_(pool), options_(options), look_(Look::of(out)), before_(pool.stats()) {
    fmt::print(out_, "\033[?25l");
}

LiveView::~LiveView() {
    fmt::print(out_, "\033[?25h");
    std::fflush(out_);
}

void LiveView::note(const terrain::ChunkTransition& step) {
    if (step.id.slot >= under_way_.size()) under_way_.resize(2 * (step.id.slot + std::size_t{1}));
    under_way_[step.id.slot] = {step.key, letter_of(step.to)};
}

void LiveView::operator()(const FlyMoment& moment) {
    if (moment.frame % kEvery != 0) return;
    const PoolStats now = pool_.stats();
    const std::string text = draw(moment, now.since(before_));
    before_ = now;
    if (lines_ > 0) fmt::print(out_, "\033[{}A", lines_);
    lines_ = static_cast<int>(std::count(text.begin(), text.end(), '\n'));
    fmt::print(out_, "{}", text);
    std::fflush(out_);
}

// A map of the columns of LOD 0 chunks around the viewer, row by row: the finest level that is shown there, or what is
// under way.
std::string LiveView::map_around(const FlyMoment& moment) const {
    const terrain::Lattice& lattice = options_.streamer.lattice;
    const double width = options_.streamer.cells * lattice.voxel_size;
    const int x = static_cast<int>(std::floor((moment.viewer.position.x - lattice.origin.x) / width));
    const int z = static_cast<int>(std::floor((moment.viewer.position.z - lattice.origin.z) / width));
    std::string map(static_cast<std::size_t>(kColumns * kRows), ' ');
    const terrain::ShownWorld world = moment.streamer.shown();
    for (const terrain::ShownChunk& chunk : world.chunks) {
        if (!chunk.has_mesh) continue;
        for_each_on_map(on_map(chunk.key, x, z), [&](std::size_t at) {
            const char level = static_cast<char>('0' + chunk.key.lod);
            if (map[at] == ' ' || map[at] > level) map[at] = level;
        });
    }
    for (const terrain::ChunkKey& key : world.missing) {
        for_each_on_map(on_map(key, x, z), [&](std::size_t at) { map[at] = '.'; });
    }
    for (const UnderWay& chunk : under_way_) {
        if (chunk.letter == 0) continue;
        for_each_on_map(on_map(chunk.key, x, z), [&](std::size_t at) { map[at] = chunk.letter; });
    }
    map[static_cast<std::size_t>(kRows / 2 * kColumns + kColumns / 2)] = '@';
    return map;
}

std::string LiveView::painted(std::string_view row) const {
    std::string text;
    for (const char cell : row) {
        const std::string_view one(&cell, 1);
        if (cell == '@') {
            text += look_.strong(one);
        } else if (cell >= 'a') {
            text += look_.warning(one);
        } else {
            text += cell == '.' ? look_.bad(one) : cell == '0' ? look_.good(one) : std::string(one);
        }
    }
    return text;
}

std::vector<std::string> LiveView::figures_of(const FlyMoment& moment, const PoolStats& since) const {
    const terrain::StreamerStats stats = moment.streamer.stats();
    std::vector<std::string> lines;
    lines.push_back(fmt::format("{:.1f} s, at {:.0f} {:.0f} {:.0f}", moment.seconds, moment.viewer.position.x,
                                moment.viewer.position.y, moment.viewer.position.z));
    const double share = moment.last.total_us() / (options_.budget_ms * 1e3);
    lines.push_back(fmt::format("budget   {} {:3.0f} %", look_.bar(std::min(share, 1.0), 20), 100 * share));
    const std::vector<double> shares = since.shares();
    const std::size_t listed = shares.size() <= kMostBars ? shares.size() : kMostBars - 1;
    for (std::size_t i = 0; i < listed; ++i) {
        const std::string name = i < since.workers.size() ? fmt::format("worker {}", i) : "host";
        lines.push_back(fmt::format("{:<9}{} {:3.0f} %", name, look_.bar(shares[i], 20), 100 * shares[i]));
    }
    if (listed < shares.size()) {
        double rest = 0;
        for (std::size_t i = listed; i < shares.size(); ++i) rest += shares[i];
        lines.push_back(fmt::format("{:<9}{} {:3.0f} %", fmt::format("{} more", shares.size() - listed),
                                    look_.bar(rest, 20), 100 * rest));
    }
    for (std::size_t i = 0; i < terrain::kChunkStates; ++i) {
        const auto state = static_cast<terrain::ChunkState>(i);
        const char letter = letter_of(state);
        lines.push_back(
            fmt::format("{} {:<12}{:>8}", letter == 0 ? ' ' : letter, name_of(state), grouped(stats.in_state[i])));
    }
    return lines;
}

std::string LiveView::draw(const FlyMoment& moment, const PoolStats& since) const {
    const std::string map = map_around(moment);
    const std::vector<std::string> right = figures_of(moment, since);
    std::string text;
    for (std::size_t row = 0; row < static_cast<std::size_t>(kRows); ++row) {
        const std::string line = painted(std::string_view(map).substr(row * kColumns, kColumns));
        text += fmt::format("  {}   {}\033[K\n", line, row < right.size() ? right[row] : "");
    }
    return text + look_.faint("  @ viewer, 0 to 7 level shown, . missing; letters: states of chunks under way") +
           "\033[K\n";
}

}  // namespace quarry::app
