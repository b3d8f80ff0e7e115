#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <span>
#include <string>
#include <vector>

#include "quarry/export.hpp"

namespace quarry::terrain {

// What a heightmap may have at most. Half a gigabyte is what the largest one takes while it is read.
inline constexpr std::int32_t kMostHeightmapSide = 32'768;
inline constexpr std::size_t kMostHeightmapPixels = std::size_t{1} << 26;
inline constexpr std::size_t kMostHeightmapBytes = std::size_t{1} << 28;  // of a file

// A picture of heights, 0 to 65,535, with what makes it quick to ask for the range of a part and for the mean of a
// neighbourhood. Never changes.
class QUARRY_API Heightmap {
  public:
    // Lowest and highest value of some pixels.
    struct Range {
        // Values of the image, 0 to 65,535.
        std::uint16_t low = 0;
        std::uint16_t high = 0;

        friend constexpr bool operator==(const Range&, const Range&) = default;
    };

    // Pixels that each stand for 2^n x 2^n of the picture's, n being the level's number; rows one after the other.
    struct Level {
        // In pixels.
        std::int32_t width = 0;
        std::int32_t height = 0;
        std::vector<std::uint16_t> values;  // means
        std::vector<Range> ranges;          // none at level 0, where the values are the ranges

        // Where the value of that pixel lies in `values`.
        std::size_t index(std::int32_t x, std::int32_t z) const noexcept {
            return static_cast<std::size_t>(z) * static_cast<std::size_t>(width) + static_cast<std::size_t>(x);
        }
    };

    // values: width * height of them, in rows. Throws std::invalid_argument for sizes that do not fit each other or
    // exceed the limits above.
    Heightmap(std::int32_t width, std::int32_t height, std::vector<std::uint16_t> values);

    // Size in pixels, and the value of one.
    std::int32_t width() const noexcept { return levels_.front().width; }
    std::int32_t height() const noexcept { return levels_.front().height; }
    std::uint16_t at(std::int32_t x, std::int32_t z) const noexcept {
        return levels_.front().values[levels_.front().index(x, z)];
    }

    // The picture itself first, a single pixel last.
    std::span<const Level> levels() const noexcept { return levels_; }

    // Holds all pixels from (x0, z0) to (x1, z1), both included and within the picture; and perhaps some around them.
    Range range(std::int32_t x0, std::int32_t z0, std::int32_t x1, std::int32_t z1) const noexcept;

  private:
    std::vector<Level> levels_;
};

// A greyscale PNG of 8 or 16 bits; of 8 bits each value counts 257-fold, so that white is 65,535 in both. Gamma and
// colour profiles are not applied. Throws quarry::Error with the file's name and what is wrong with it.
QUARRY_API Heightmap read_png_heightmap(const std::filesystem::path& file);

// Reads a PNG from memory; name is what errors call it.
QUARRY_API Heightmap parse_png_heightmap(std::span<const std::byte> png, const std::string& name);

// A file that holds width * height unsigned 16-bit numbers, low byte first, and nothing else. Throws quarry::Error with
// the file's name and what is wrong with it.
QUARRY_API Heightmap read_raw_heightmap(const std::filesystem::path& file, std::int32_t width, std::int32_t height);

// Reads such numbers from memory; name is what errors call them.
QUARRY_API Heightmap parse_raw_heightmap(std::span<const std::byte> raw, std::int32_t width, std::int32_t height,
                                         const std::string& name);

}  // namespace quarry::terrain
