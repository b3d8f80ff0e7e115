#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "quarry/jobs/fwd.hpp"
#include "quarry/terrain/chunk_key.hpp"
#include "quarry/terrain/closedness.hpp"

namespace quarry::terrain {

// What a glb file is checked against.
struct GlbCheckOptions {
    // All chunks of the world, also those without a surface. Without them the file's own count: a surface that ends
    // where the file has no chunk is then taken for the rim. In a welded file it is one that ends at any border
    // between chunks.
    std::span<const ChunkKey> places{};
    Pool* pool = nullptr;
};

// What a check of a glb file has found.
struct GlbCheck {
    // No more findings than this are listed.
    static constexpr std::size_t kMostFindings = 100;

    std::vector<std::string> findings;  // one line each; the last one says if there are more
    // How much the file holds.
    std::uint64_t nodes = 0;
    std::uint64_t vertices = 0;
    std::uint64_t triangles = 0;
    std::optional<Closedness> closedness;  // of a file in which nothing was wrong up to there

    // Whether nothing was found.
    bool is_good() const noexcept { return findings.empty(); }
};

// Whether a file is what write_glb writes: lengths, offsets, alignment, names and places of nodes, exact bounds of
// positions, normals of length 1, weights that add up, numbers of vertices that exist, and no crack. Takes any bytes:
// what is wrong with them is in the findings.
GlbCheck check_glb(std::span<const std::byte> bytes, const GlbCheckOptions& options = {});

// Throws quarry::Error for a file that cannot be read.
GlbCheck check_glb(const std::filesystem::path& path, const GlbCheckOptions& options = {});

}  // namespace quarry::terrain
