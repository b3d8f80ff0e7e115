#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <span>
#include <string_view>
#include <vector>

// PNG files made by hand, so that tests can have every kind and every defect, with right checksums or wrong ones.
namespace quarry::terrain::test_support {

using Bytes = std::vector<std::byte>;

inline void append(Bytes& to, std::span<const std::byte> bytes) {
    for (const std::byte byte : bytes) to.push_back(byte);
}

inline void append(Bytes& to, std::string_view text) {
    append(to, std::as_bytes(std::span(text)));
}

inline void append_number(Bytes& to, std::uint32_t number) {
    for (const int shift : {24, 16, 8, 0}) to.push_back(static_cast<std::byte>(number >> shift));
}

inline std::uint32_t crc_of(std::span<const std::byte> bytes) {
    std::uint32_t crc = 0xFFFFFFFFU;
    for (const std::byte byte : bytes) {
        crc ^= std::to_integer<std::uint32_t>(byte);
        for (int bit = 0; bit < 8; ++bit) crc = (crc & 1) != 0 ? crc >> 1 ^ 0xEDB88320U : crc >> 1;
    }
    return ~crc;
}

inline void append_chunk(Bytes& to, std::string_view type, std::span<const std::byte> content) {
    append_number(to, static_cast<std::uint32_t>(content.size()));
    const std::size_t first = to.size();
    append(to, type);
    append(to, content);
    append_number(to, crc_of(std::span(to).subspan(first)));
}

// A zlib stream that stores its content without packing it.
inline Bytes stored(std::span<const std::byte> content) {
    constexpr std::size_t kMostStored = 65'535;
    Bytes out;
    append(out, "\x78\x01");
    std::uint32_t a = 1;
    std::uint32_t b = 0;
    for (std::size_t at = 0; at == 0 || at < content.size(); at += kMostStored) {
        const std::size_t count = std::min(kMostStored, content.size() - at);
        out.push_back(static_cast<std::byte>(at + count == content.size() ? 1 : 0));
        for (const std::size_t number : {count, ~count}) {
            out.push_back(static_cast<std::byte>(number));
            out.push_back(static_cast<std::byte>(number >> 8));
        }
        append(out, content.subspan(at, count));
    }
    for (const std::byte byte : content) {
        a = (a + std::to_integer<std::uint32_t>(byte)) % 65'521;
        b = (b + a) % 65'521;
    }
    append_number(out, b << 16 | a);
    return out;
}

struct PngKind {
    int bits = 16;
    int colour_type = 0;  // 0 grey, 2 colour, 3 palette, 4 grey and alpha, 6 colour and alpha
    bool interlaced = false;
};

inline Bytes png_of_scanlines(std::uint32_t width, std::uint32_t height, const PngKind& kind,
                              std::span<const std::byte> scanlines) {
    Bytes png;
    append(png, "\x89PNG\r\n\x1A\n");
    Bytes header;
    append_number(header, width);
    append_number(header, height);
    for (const int each : {kind.bits, kind.colour_type, 0, 0, kind.interlaced ? 1 : 0}) {
        header.push_back(static_cast<std::byte>(each));
    }
    append_chunk(png, "IHDR", header);
    if (kind.colour_type == 3) append_chunk(png, "PLTE", Bytes(6));
    append_chunk(png, "IDAT", stored(scanlines));
    append_chunk(png, "IEND", {});
    return png;
}

// A greyscale picture of 8 or 16 bits; values are given as bytes of rows, high byte first.
inline Bytes grey_png(std::uint32_t width, std::uint32_t height, const PngKind& kind,
                      std::span<const std::uint16_t> values) {
    struct Pass {
        std::uint32_t x, y, step_x, step_y;
    };
    constexpr std::array<Pass, 7> adam7{
        {{0, 0, 8, 8}, {4, 0, 8, 8}, {0, 4, 4, 8}, {2, 0, 4, 4}, {0, 2, 2, 4}, {1, 0, 2, 2}, {0, 1, 1, 2}}};
    constexpr std::array<Pass, 1> plain{{{0, 0, 1, 1}}};
    Bytes lines;
    for (const Pass& pass : kind.interlaced ? std::span<const Pass>(adam7) : std::span<const Pass>(plain)) {
        if (pass.x >= width) continue;
        for (std::uint32_t y = pass.y; y < height; y += pass.step_y) {
            lines.push_back(std::byte{0});
            for (std::uint32_t x = pass.x; x < width; x += pass.step_x) {
                const std::uint16_t value = values[std::size_t{y} * width + x];
                if (kind.bits == 16) lines.push_back(static_cast<std::byte>(value >> 8));
                lines.push_back(static_cast<std::byte>(value));
            }
        }
    }
    return png_of_scanlines(width, height, kind, lines);
}

// Makes the checksum of every chunk right again, as far as lengths still lead from one chunk to the next.
inline void mend_checksums(Bytes& png) {
    std::size_t at = 8;
    while (at + 12 <= png.size()) {
        std::size_t length = 0;
        for (std::size_t i = 0; i < 4; ++i) length = length << 8 | std::to_integer<std::size_t>(png[at + i]);
        if (length > png.size() - at - 12) return;
        Bytes crc;
        append_number(crc, crc_of(std::span(png).subspan(at + 4, length + 4)));
        std::copy(crc.begin(), crc.end(), png.begin() + static_cast<std::ptrdiff_t>(at + 8 + length));
        at += 12 + length;
    }
}

}  // namespace quarry::terrain::test_support
