#include "fly/live_view.hpp"

#include <algorithm>
#include <cmath>
#include <map>
#include <utility>
#include <vector>

#include <fmt/format.h>

namespace quarry::app {
namespace {

constexpr int kColumns = 33;
constexpr int kRows = 17;
constexpr std::size_t kEvery = 6;  // frames

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

}  // namespace

LiveView::LiveView(std::FILE* out, Pool& pool, const FlyOptions& options)
    : out_(out), pool_(pool), options_(options), look_(Look::of(out)), before_(pool.stats()) {
    fmt::print(out_, "\033[?25l");
}

LiveView::~LiveView() {
    fmt::print(out_, "\033[?25h");
    std::fflush(out_);
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

std::string LiveView::draw(const FlyMoment& moment, const PoolStats& since) const {
    const terrain::Lattice& lattice = options_.streamer.lattice;
    const double width = options_.streamer.cells * lattice.voxel_size;
    const int x = static_cast<int>(std::floor((moment.viewer.position.x - lattice.origin.x) / width));
    const int z = static_cast<int>(std::floor((moment.viewer.position.z - lattice.origin.z) / width));
    std::vector<char> map(static_cast<std::size_t>(kColumns * kRows), ' ');
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
    map[static_cast<std::size_t>(kRows / 2 * kColumns + kColumns / 2)] = '@';

    const terrain::StreamerStats stats = moment.streamer.stats();
    const auto in = [&](terrain::ChunkState state) { return stats.in_state[static_cast<std::size_t>(state)]; };
    std::vector<std::string> right;
    right.push_back(fmt::format("{:.1f} s, at {:.0f} {:.0f} {:.0f}", moment.seconds, moment.viewer.position.x,
                                moment.viewer.position.y, moment.viewer.position.z));
    const double share = moment.last.total_us() / (options_.budget_ms * 1e3);
    right.push_back(fmt::format("budget  {} {:3.0f} %", look_.bar(std::min(share, 1.0), 20), 100 * share));
    const std::vector<double> shares = since.shares();
    for (std::size_t i = 0; i < shares.size(); ++i) {
        const std::string name = i < since.workers.size() ? fmt::format("worker {}", i) : "host";
        right.push_back(fmt::format("{:<8}{} {:3.0f} %", name, look_.bar(shares[i], 20), 100 * shares[i]));
    }
    for (std::size_t i = 0; i < terrain::kChunkStates; ++i) {
        const auto state = static_cast<terrain::ChunkState>(i);
        right.push_back(fmt::format("{:<12}{:>8}", name_of(state), grouped(in(state))));
    }
    std::string text;
    for (int row = 0; row < kRows; ++row) {
        const std::string line(map.begin() + row * kColumns, map.begin() + (row + 1) * kColumns);
        const auto beside = static_cast<std::size_t>(row);
        text += fmt::format("  {}   {}\033[K\n", line, beside < right.size() ? right[beside] : "");
    }
    return text;
}

}  // namespace quarry::app
