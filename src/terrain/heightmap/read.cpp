#include <utility>

#include "quarry/jobs/error.hpp"
#include "quarry/terrain/heightmap.hpp"
#include "terrain/files.hpp"
#include "terrain/heightmap/png_reader.hpp"

namespace quarry::terrain {
namespace {

[[noreturn]] void refuse(const std::string& name, const std::string& what) {
    throw Error(impl::on_one_line(name) + ": " + impl::on_one_line(what));
}

std::string size_text(std::int64_t width, std::int64_t height) {
    return std::to_string(width) + " x " + std::to_string(height) + " pixels";
}

void check_size(std::int64_t width, std::int64_t height, const std::string& name) {
    if (width < 1 || height < 1 || width > kMostHeightmapSide || height > kMostHeightmapSide ||
        width * height > std::int64_t{kMostHeightmapPixels}) {
        refuse(name, "a heightmap must have 1 to " + std::to_string(kMostHeightmapSide) +
                         " pixels a side and at most " + std::to_string(kMostHeightmapPixels) + " in all, not " +
                         size_text(width, height));
    }
}

std::string kind_of(const impl::PngReader& reader) {
    const std::string bits = " of " + std::to_string(reader.bit_depth()) + " bits";
    switch (reader.colour_type()) {
        case PNG_COLOR_TYPE_GRAY:
            return "greyscale" + bits;
        case PNG_COLOR_TYPE_GRAY_ALPHA:
            return "greyscale with alpha" + bits;
        case PNG_COLOR_TYPE_PALETTE:
            return "a palette" + bits;
        case PNG_COLOR_TYPE_RGB:
            return "colour" + bits;
        default:
            return "colour with alpha" + bits;
    }
}

void check_header(const impl::PngReader& reader, std::size_t file_size, const std::string& name) {
    check_size(reader.width(), reader.height(), name);
    if (reader.colour_type() != PNG_COLOR_TYPE_GRAY || reader.bit_depth() < 8) {
        refuse(name, "a heightmap must be greyscale of 8 or 16 bits, not " + kind_of(reader));
    }
    // Deflate never packs more than 1,032 bytes into one. Found before memory is taken for what cannot be there.
    constexpr std::size_t kMostPacking = 1032;
    if (reader.row_bytes() * reader.height() / kMostPacking > file_size) {
        refuse(name, "the file ends too early for " + size_text(reader.width(), reader.height()));
    }
}

}  // namespace

Heightmap parse_png_heightmap(std::span<const std::byte> png, const std::string& name) {
    constexpr std::size_t kSignature = 8;
    if (png.size() < kSignature ||
        png_sig_cmp(reinterpret_cast<png_const_bytep>(png.data()), 0, kSignature) != 0) {  // NOLINT
        refuse(name, "is no PNG file");
    }
    impl::PngReader reader(png);
    if (!reader.read_header()) refuse(name, "damaged PNG: " + std::string(reader.message()));
    check_header(reader, png.size(), name);
    std::vector<png_byte> bytes(reader.row_bytes() * reader.height());
    std::vector<png_bytep> rows(reader.height());
    for (std::size_t z = 0; z < rows.size(); ++z) rows[z] = bytes.data() + z * reader.row_bytes();
    if (!reader.read_rows(rows)) refuse(name, "damaged PNG: " + std::string(reader.message()));
    std::vector<std::uint16_t> values(std::size_t{reader.width()} * reader.height());
    const bool wide = reader.bit_depth() == 16;
    for (std::size_t i = 0; i < values.size(); ++i) {
        const int value = wide ? bytes[2 * i] << 8 | bytes[2 * i + 1] : bytes[i] * 257;
        values[i] = static_cast<std::uint16_t>(value);
    }
    return {static_cast<std::int32_t>(reader.width()), static_cast<std::int32_t>(reader.height()), std::move(values)};
}

Heightmap read_png_heightmap(const std::filesystem::path& file) {
    return parse_png_heightmap(impl::read_file(file, kMostHeightmapBytes), file.string());
}

Heightmap parse_raw_heightmap(std::span<const std::byte> raw, std::int32_t width, std::int32_t height,
                              const std::string& name) {
    check_size(width, height, name);
    const std::size_t pixels = static_cast<std::size_t>(width) * static_cast<std::size_t>(height);
    if (raw.size() != 2 * pixels) {
        refuse(name, "has " + std::to_string(raw.size()) + " bytes; " + size_text(width, height) + " of 16 bits are " +
                         std::to_string(2 * pixels));
    }
    std::vector<std::uint16_t> values(pixels);
    for (std::size_t i = 0; i < pixels; ++i) {
        values[i] =
            static_cast<std::uint16_t>(std::to_integer<int>(raw[2 * i]) | std::to_integer<int>(raw[2 * i + 1]) << 8);
    }
    return {width, height, std::move(values)};
}

Heightmap read_raw_heightmap(const std::filesystem::path& file, std::int32_t width, std::int32_t height) {
    return parse_raw_heightmap(impl::read_file(file, kMostHeightmapBytes), width, height, file.string());
}

}  // namespace quarry::terrain
