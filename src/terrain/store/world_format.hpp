#pragma once

#include <cstdint>
#include <filesystem>
#include <string>
#include <system_error>

#include "terrain/store/world_database.hpp"

// How the file's numbers are made; for those who read and write it.
namespace quarry::terrain::store {

// "QrWd" in the file's head: which program's file it is.
inline constexpr std::int64_t kApplication = 0x51725764;

// A brick's number is that of its region of 64 x 64 x 64, its place in it (six bits a level of the tree: bricks of a
// cell are neighbours), and whether it is paint.
inline constexpr unsigned kCellBits = 7;
inline constexpr unsigned kRegionBits = 19;
inline constexpr std::int64_t kMostRegions = std::int64_t{1} << 40;

constexpr edits::BrickKey region_key(const edits::BrickKey& key) noexcept {
    return {key.z >> 6, key.y >> 6, key.x >> 6};
}
constexpr std::int64_t place_in_region(const edits::BrickKey& key) noexcept {
    std::int64_t place = 0;
    for (int shift = 4; shift >= 0; shift -= 2) {
        const auto part = [&](std::int32_t at) { return std::int64_t{at >> shift & 3}; };
        place = place << 6 | part(key.z) << 4 | part(key.y) << 2 | part(key.x);
    }
    return place;
}
constexpr edits::BrickKey key_at(const edits::BrickKey& region, std::int64_t place) noexcept {
    edits::BrickKey key{region.z, region.y, region.x};
    for (int shift = 12; shift >= 0; shift -= 6) {
        const auto part = static_cast<std::int32_t>(place >> shift & 63);
        key = {key.z * 4 + (part >> 4), key.y * 4 + (part >> 2 & 3), key.x * 4 + (part & 3)};
    }
    return key;
}
constexpr std::int64_t brick_number(std::int64_t region, const edits::BrickKey& key, bool is_paint) noexcept {
    return region << kRegionBits | place_in_region(key) << 1 | (is_paint ? 1 : 0);
}

std::int64_t checksum(const Contents& contents) noexcept;
// These throw SqliteError, and quarry::Error without the file's name.
Contents read_contents(Connection& connection);
Head read_head_by(Connection& connection);
// Whether there is a write-ahead log with anything in it.
bool has_log(const std::filesystem::path& file);

// Errors without the file's name get it.
template <class Work>
auto with_name(const std::filesystem::path& file, Work&& work) -> decltype(work()) {
    try {
        return work();
    } catch (const SqliteError& error) {
        throw file_error(file, error);
    } catch (const Error& error) {
        throw file_error(file, error.what());
    } catch (const std::system_error& error) {
        throw file_error(file, "cannot be written to: " + error.code().message());
    }
}

}  // namespace quarry::terrain::store
