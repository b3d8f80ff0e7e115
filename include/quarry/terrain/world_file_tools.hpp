#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "quarry/export.hpp"
#include "quarry/terrain/field.hpp"
#include "quarry/terrain/lattice.hpp"

// What can be asked of files that a WorldFile has made. All may be open elsewhere meanwhile, but for compact. All throw
// quarry::Error, one line with the file's name, for what is no such file or cannot be read.
namespace quarry::terrain {

// What a file says of itself.
struct WorldFileInfo {
    int format = 0;                  // of the file
    Lattice lattice{};               // where its samples lie
    std::uint64_t ground = 0;        // the host's number for field and stamps
    std::uint64_t edits = 0;         // that were made
    std::uint64_t bricks = 0;        // of 16 x 16 x 16 densities
    std::uint64_t paint_bricks = 0;  // over as much space
    std::uint64_t brick_bytes = 0;   // of both, compressed
    std::uint64_t file_bytes = 0;    // with what has not yet been moved from the write-ahead log
    std::optional<Box> edited{};     // holds all bricks, in cells of 64 x 64 x 64 voxels
};
// Reads the sizes of all bricks, but not the bricks.
QUARRY_API WorldFileInfo world_file_info(const std::filesystem::path& file);

// What is wrong with a file.
struct WorldFileCheck {
    std::vector<std::string> problems;  // one line each; empty: nothing is
    std::uint64_t bricks = 0;           // that were read, of both kinds
};
// Reads all of it: SQLite's own check of the file, then every brick with its checksum.
QUARRY_API WorldFileCheck check_world_file(const std::filesystem::path& file);

// Bytes of a file on the disk.
struct WorldFileSizes {
    // As it was, and as it is.
    std::uint64_t before = 0;
    std::uint64_t after = 0;
};
// Rewrites the file without gaps. Refused while it is open for writing.
QUARRY_API WorldFileSizes compact_world_file(const std::filesystem::path& file);

// How two files differ.
struct WorldFileDifference {
    bool same_world = true;      // ground and lattice; if not, nothing else was compared
    std::uint64_t samples = 0;   // densities that differ, or are edited in one of both only
    std::uint64_t painted = 0;   // samples of paint that differ
    std::uint64_t bricks = 0;    // with any such
    std::optional<Box> where{};  // holds all of them

    // Whether they differ at all.
    bool any() const noexcept { return !same_world || samples + painted != 0; }
};
// Reads both, brick by brick.
QUARRY_API WorldFileDifference diff_world_files(const std::filesystem::path& one, const std::filesystem::path& other);

}  // namespace quarry::terrain
