#include "terrain/world/candidates.hpp"

#include <algorithm>
#include <cstdint>
#include <limits>
#include <memory>
#include <stdexcept>

#include "quarry/jobs/parallel_for.hpp"
#include "quarry/jobs/pool.hpp"
#include "quarry/terrain/field.hpp"
#include "quarry/terrain/world.hpp"
#include "terrain/chunk_options.hpp"

namespace quarry::terrain::impl {
namespace {

// Consecutive places of one level that lie in one block of 4 x 4 x 4 chunks.
struct Group {
    std::size_t first;
    std::uint32_t count;
    std::uint64_t candidates;  // a bit for each place that bounds do not exclude
};

constexpr std::uint32_t kMostInGroup = std::numeric_limits<std::uint64_t>::digits;

bool share_a_block(const ChunkKey& a, const ChunkKey& b) {
    return a.lod == b.lod && a.x >> 2 == b.x >> 2 && a.y >> 2 == b.y >> 2 && a.z >> 2 == b.z >> 2;
}

std::vector<Group> groups_of(std::span<const PlacedChunk> places) {
    std::vector<Group> groups;
    for (std::size_t i = 0; i < places.size(); ++i) {
        require_mask(places[i].mask);
        if (i == 0 || groups.back().count == kMostInGroup || !share_a_block(places[i].key, places[i - 1].key)) {
            groups.push_back({i, 0, 0});
        }
        ++groups.back().count;
    }
    return groups;
}

// The smallest box around all chunks of a group. Throws if one is out of range.
Box box_around(std::span<const PlacedChunk> places, const ExtractOptions& options) {
    ChunkKey low = places.front().key;
    ChunkKey high = low;
    for (const PlacedChunk& place : places) {
        low = {low.lod, std::min(low.x, place.key.x), std::min(low.y, place.key.y), std::min(low.z, place.key.z)};
        high = {high.lod, std::max(high.x, place.key.x), std::max(high.y, place.key.y), std::max(high.z, place.key.z)};
    }
    return {box_of(samples_of(low, options)).low, box_of(samples_of(high, options)).high};
}

bool may_have_surface(const Field& field, const Box& box) {
    return field.bounds(box).may_have_surface();
}

void look_at(const Field& field, std::span<const PlacedChunk> places, const ExtractOptions& options, Group& group) {
    const std::span<const PlacedChunk> own = places.subspan(group.first, group.count);
    const Box around = box_around(own, options);
    if (!may_have_surface(field, around)) return;
    const std::shared_ptr<const Field> less = own.size() == 1 ? nullptr : field.within(around);
    const Field& here = less == nullptr ? field : *less;
    for (std::size_t i = 0; i < own.size(); ++i) {
        const bool may = own.size() == 1 || may_have_surface(here, box_of(samples_of(own[i].key, options)));
        group.candidates |= std::uint64_t{may} << i;
    }
}

}  // namespace

std::vector<std::size_t> find_candidates(Pool& pool, const Field& field, std::span<const PlacedChunk> places,
                                         const WorldOptions& options) {
    std::vector<Group> groups = groups_of(places);
    parallel_for(pool, std::size_t{0}, groups.size(), [&](std::size_t i) {
        if (!options.stop_token.stop_requested()) look_at(field, places, options.extract, groups[i]);
    });
    std::vector<std::size_t> candidates;
    for (const Group& group : groups) {
        for (std::uint32_t i = 0; i < group.count; ++i) {
            if ((group.candidates >> i & 1) != 0) candidates.push_back(group.first + i);
        }
    }
    return candidates;
}

}  // namespace quarry::terrain::impl
