#include "bench/stream_peer.hpp"

#include <array>
#include <chrono>
#include <cstdint>
#include <fstream>
#include <map>
#include <utility>
#include <vector>

#include <fmt/format.h>
#include <quarry/jobs/error.hpp>
#include <unistd.h>

#include "harness/peers.hpp"

namespace quarry::app {
namespace {

constexpr std::chrono::seconds kPeerPatience{60};

using Place = std::array<std::int32_t, 4>;

Place place_of(const terrain::ChunkKey& key) {
    return {key.lod, key.x, key.y, key.z};
}

// The chunk of the next coarser level across a side.
Place coarser_beyond(const terrain::ChunkKey& key, std::uint32_t side) {
    Place place = place_of(key);
    place[1 + side / 2] += side % 2 == 0 ? -1 : 1;
    ++place[0];
    for (std::size_t axis = 1; axis < place.size(); ++axis) place[axis] >>= 1;
    return place;
}

bench::EngineCommand with_list(bench::EngineCommand peer, const std::filesystem::path& list) {
    peer.command.push_back(list.string());
    return peer;
}

}  // namespace

std::string chunk_list(std::span<const terrain::PlacedChunk> surface) {
    std::map<Place, std::uint32_t> finer;
    for (const terrain::PlacedChunk& chunk : surface) finer[place_of(chunk.key)] = 0;
    for (const terrain::PlacedChunk& chunk : surface) {
        for (std::uint32_t side = 0; side < terrain::side::count; ++side) {
            if ((chunk.mask >> side & 1) == 0) continue;
            const auto coarse = finer.find(coarser_beyond(chunk.key, side));
            if (coarse != finer.end()) coarse->second |= 1u << (side ^ 1);
        }
    }
    std::string text;
    for (const terrain::PlacedChunk& chunk : surface) {
        const terrain::ChunkKey& key = chunk.key;
        text += fmt::format("{} {} {} {} {}\n", key.lod, key.x, key.y, key.z, finer[place_of(key)]);
    }
    return text;
}

std::unique_ptr<StreamPeer> StreamPeer::find() {
    const bench::Peers peers = bench::find_terrain_peers();
    for (const std::string& note : peers.notes) fmt::print(stderr, "{}\n", note);
    return peers.engines.empty() ? nullptr : std::make_unique<StreamPeer>(peers.engines.front());
}

StreamPeer::StreamPeer(const bench::EngineCommand& peer)
    : list_path_(std::filesystem::temp_directory_path() / fmt::format("quarry-chunks-{}", getpid())),
      process_(peer.name, with_list(peer, list_path_).command) {}

StreamPeer::~StreamPeer() {
    std::error_code failure;
    std::filesystem::remove(list_path_, failure);
}

StreamPeer::Figures StreamPeer::mesh(std::span<const terrain::PlacedChunk> surface, int workers) {
    std::string list = chunk_list(surface);
    if (list != list_) {
        process_.stop();
        list_ = std::move(list);
        std::ofstream(list_path_) << list_;
    }
    const bench::Reply reply = process_.ask(fmt::format("run world {} full", workers), kPeerPatience);
    if (reply.status != bench::Reply::Status::done) throw Error(process_.name() + ": " + reply.text);
    process_.settle();
    Figures figures;
    for (const bench::Answer::Value& value : reply.answer.values) {
        if (value.name == "triangles") figures.triangles = value.value;
        if (value.name == "world") figures.ms = value.value;
        if (value.name == "world_meshing") figures.meshing_ms = value.value;
    }
    return figures;
}

}  // namespace quarry::app
