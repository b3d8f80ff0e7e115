#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string_view>

#include <png.h>

namespace quarry::terrain::impl {

// Reads a PNG from memory with libpng. libpng reports errors by longjmp, which must not skip a destructor, nor may an
// exception travel through its C frames. So each function below that calls into libpng is its own landing place, has
// nothing in it but numbers and pointers, calls back only functions of that kind, and returns false on an error, whose
// text is then in message(). What owns memory lives in the callers, outside of every jump.
class PngReader {
  public:
    explicit PngReader(std::span<const std::byte> bytes) noexcept : bytes_(bytes) {}
    PngReader(const PngReader&) = delete;
    PngReader& operator=(const PngReader&) = delete;
    ~PngReader();

    // Everything before the pixels.
    bool read_header() noexcept;
    // All rows, each with space for row_bytes(), and what comes after the pixels.
    bool read_rows(std::span<png_bytep> rows) noexcept;

    std::uint32_t width() const noexcept { return width_; }
    std::uint32_t height() const noexcept { return height_; }
    int bit_depth() const noexcept { return bit_depth_; }
    int colour_type() const noexcept { return colour_type_; }
    std::size_t row_bytes() const noexcept { return row_bytes_; }
    std::string_view message() const noexcept { return message_.data(); }

  private:
    [[noreturn]] static void fail(png_structp png, png_const_charp text);
    static void ignore_warning(png_structp png, png_const_charp text);
    static void read_bytes(png_structp png, png_bytep to, std::size_t count);

    std::span<const std::byte> bytes_;
    std::size_t next_ = 0;
    png_structp png_ = nullptr;
    png_infop info_ = nullptr;
    std::uint32_t width_ = 0;
    std::uint32_t height_ = 0;
    int bit_depth_ = 0;
    int colour_type_ = 0;
    std::size_t row_bytes_ = 0;
    std::array<char, 160> message_{};
};

}  // namespace quarry::terrain::impl
