#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <string>
#include <vector>

#include "preview/vector.hpp"
#include "quarry/jobs/error.hpp"

namespace quarry::app::preview {

struct Pixel {
    std::uint8_t red = 0;
    std::uint8_t green = 0;
    std::uint8_t blue = 0;

    friend constexpr bool operator==(const Pixel&, const Pixel&) = default;
};

// Rows from the top down, pixels from the left, in sRGB.
struct Image {
    int width = 0;
    int height = 0;
    std::vector<Pixel> pixels;

    Image() = default;
    Image(int wide, int high)
        : width(wide), height(high), pixels(static_cast<std::size_t>(wide) * static_cast<std::size_t>(high)) {}

    Pixel& at(int x, int y) { return pixels[index(x, y)]; }
    const Pixel& at(int x, int y) const { return pixels[index(x, y)]; }

    friend bool operator==(const Image&, const Image&) = default;

  private:
    std::size_t index(int x, int y) const {
        return static_cast<std::size_t>(y) * static_cast<std::size_t>(width) + static_cast<std::size_t>(x);
    }
};

// A linear colour, 1 being white, as sRGB with 8 bits; values outside 0 .. 1 are clipped.
Pixel to_srgb(Vec linear) noexcept;

// A number that depends on every pixel.
std::uint64_t hash_of(const Image& image) noexcept;

// The image with fewer pixels, each the mean (in linear light) of those it covers. Throws std::invalid_argument unless
// the size is at least 1 x 1 and no larger than the image.
Image shrunk(const Image& image, int width, int height);

// A picture that could not be written; the message is one line with path and reason.
class PictureError : public Error {
  public:
    using Error::Error;
};

// Writes a PNG under a temporary name beside the path, then renames it: the file is there whole or not at all. Throws
// PictureError.
void write_png(const std::filesystem::path& path, const Image& image);

// The bytes of that file.
std::string png_bytes(const Image& image);

}  // namespace quarry::app::preview
