#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <map>
#include <numeric>
#include <span>
#include <utility>
#include <vector>

#include "quarry/jobs/fwd.hpp"
#include "quarry/terrain/closedness.hpp"
#include "quarry/terrain/mesh.hpp"
#include "terrain/export/lattice_key.hpp"

namespace quarry::terrain::impl {

// An edge that is walked so many times more from `from` to `to` than back; negative: the other way round.
struct OpenEdge {
    LatticeKey from;
    LatticeKey to;
    std::int64_t times = 0;
};

inline Position middle_of(const OpenEdge& edge) noexcept {
    const auto middle = [](std::int64_t low, std::int64_t high) {
        return static_cast<double>(low + high) / (2 * kLatticeUnits);
    };
    return {middle(edge.from.x, edge.to.x), middle(edge.from.y, edge.to.y), middle(edge.from.z, edge.to.z)};
}

// check_closedness, with the edges that it counts as cracks.
Closedness find_cracks(std::span<const Mesh> meshes, std::span<const ChunkKey> places, std::int32_t cells, Pool* pool,
                       std::vector<OpenEdge>& cracks);

// How many of the edges are part of a gap. Where a triangle without area was left out, its three sides are open; they
// lie in one line, and along it as many walks go one way as the other, so there is no gap. Lines are compared by
// direction and moment, in numbers that wrap: without error for worlds up to 2^26 voxels wide.
inline std::size_t edges_of_gaps(std::span<const OpenEdge> edges) {
    struct Line {
        std::size_t edges = 0;
        std::map<std::int64_t, std::int64_t> changes;  // of the sum of walks, at places along the line
    };
    std::map<std::array<std::uint64_t, 6>, Line> lines;
    for (const OpenEdge& edge : edges) {
        if (edge.from == edge.to) continue;  // rounding has put both ends in one place
        std::array<std::int64_t, 3> from{edge.from.x, edge.from.y, edge.from.z};
        std::array<std::int64_t, 3> to{edge.to.x, edge.to.y, edge.to.z};
        std::size_t axis = 0;
        while (axis < 2 && from[axis] == to[axis]) ++axis;
        std::int64_t times = edge.times;
        if (from[axis] > to[axis]) {
            std::swap(from, to);
            times = -times;
        }
        const std::array<std::int64_t, 3> along{to[0] - from[0], to[1] - from[1], to[2] - from[2]};
        const std::int64_t common = std::gcd(std::gcd(along[0], along[1]), along[2]);
        std::array<std::uint64_t, 6> key{};
        for (std::size_t i = 0; i < 3; ++i) key[i] = static_cast<std::uint64_t>(along[i] / common);
        for (std::size_t i = 0; i < 3; ++i) {
            const std::size_t j = (i + 1) % 3, k = (i + 2) % 3;
            key[3 + i] = static_cast<std::uint64_t>(from[j]) * key[k] - static_cast<std::uint64_t>(from[k]) * key[j];
        }
        Line& line = lines[key];
        ++line.edges;
        line.changes[from[axis]] += times;
        line.changes[to[axis]] -= times;
    }
    std::size_t gaps = 0;
    for (const auto& [key, line] : lines) {
        for (const auto& [at, change] : line.changes) {
            if (change == 0) continue;
            gaps += line.edges;
            break;
        }
    }
    return gaps;
}

}  // namespace quarry::terrain::impl
