#pragma once

#include <cstdint>

#include "terrain/export/content.hpp"
#include "terrain/export/output.hpp"

namespace quarry::terrain::impl {

inline constexpr std::uint32_t kGlbMagic = 0x46546C67;
inline constexpr std::uint32_t kGlbVersion = 2;
inline constexpr std::uint32_t kGlbJson = 0x4E4F534A;
inline constexpr std::uint32_t kGlbBinary = 0x004E4942;
inline constexpr std::uint64_t kGlbHeader = 12;
inline constexpr std::uint64_t kGlbChunkHeader = 8;
inline constexpr std::uint64_t kLargestGlb = 0xFFFF'FFFF;

// Bytes of a part's data: indices, positions, then normals, colours and weights if it has them, each padded to 4.
struct PartBytes {
    PartBytes(const Part& part, bool collision) noexcept
        : indices(part.indices * (part.has_short_indices() ? 2 : 4)),
          positions(part.vertices * 12),
          normals(collision ? 0 : part.vertices * 12),
          colours(part.has_materials ? part.vertices * 4 : 0),
          weights(colours),
          materials(part.has_material_indices ? part.vertices * 4 : 0) {}

    std::uint64_t padded_indices() const noexcept { return (indices + 3) / 4 * 4; }
    std::uint64_t total() const noexcept {
        return padded_indices() + positions + normals + colours + weights + materials;
    }

    std::uint64_t indices;
    std::uint64_t positions;
    std::uint64_t normals;
    std::uint64_t colours;
    std::uint64_t weights;    // of materials
    std::uint64_t materials;  // which these are
};

// What the lengths of a glb are before any of it is written.
struct GlbSizes {
    std::uint64_t json = 0;    // padded to 4
    std::uint64_t binary = 0;  // 0: the file has no such chunk

    std::uint64_t file() const noexcept {
        return kGlbHeader + kGlbChunkHeader + json + (binary != 0 ? kGlbChunkHeader + binary : 0);
    }
};

GlbSizes glb_sizes(const Content& content);

// Throws quarry::Error for a file that the format has no length for.
void require_glb_length(std::uint64_t bytes);

// The JSON chunk's data, not padded.
void write_glb_json(Output& out, const Content& content, std::uint64_t binary_bytes);

}  // namespace quarry::terrain::impl
