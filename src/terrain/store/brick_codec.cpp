#include "terrain/store/brick_codec.hpp"

#include <array>
#include <cstdint>
#include <new>

#include <zstd.h>

#include "quarry/jobs/error.hpp"

namespace quarry::terrain::store {
namespace {

using edits::BrickKey;
using edits::DensityBrick;
using edits::PaintBrick;

// The first byte of what is stored: how the rest is to be read.
constexpr std::byte kEncoding{1};
constexpr int kLevel = 3;

// Plain bytes: the key, then
//   densities: one bit a value that says whether it was edited; low bytes; high bytes
//   paint: first, second, third and fourth bytes
constexpr std::size_t kKeyBytes = 12;
constexpr std::size_t kMaskBytes = DensityBrick::kValues / 8;
constexpr std::size_t kDensityBytes = kKeyBytes + kMaskBytes + 2 * DensityBrick::kValues;
constexpr std::size_t kPaintBytes = kKeyBytes + 4 * PaintBrick::kValues;

std::array<std::byte, kKeyBytes> bytes_of(const BrickKey& key) noexcept {
    std::array<std::byte, kKeyBytes> bytes{};
    std::size_t at = 0;
    for (const std::int32_t number : {key.x, key.y, key.z}) {
        for (unsigned shift = 0; shift < 32; shift += 8) {
            bytes[at++] = static_cast<std::byte>(static_cast<std::uint32_t>(number) >> shift);
        }
    }
    return bytes;
}

// What a value would be if densities were linear, from those before it; 16-bit numbers wrap around.
struct Neighbours {
    std::array<std::uint16_t, DensityBrick::kValues> values{};

    std::uint16_t expected(std::size_t i) const noexcept {
        const bool x = (i & 15U) != 0;
        const bool y = (i & 240U) != 0;
        const bool z = i >= 256;
        const auto at = [&](bool there, std::size_t back) -> std::uint32_t { return there ? values[i - back] : 0U; };
        // Where a side is missing, the sum is that of fewer dimensions.
        return static_cast<std::uint16_t>(at(x, 1) + at(y, 16) + at(z, 256) - at(x && y, 17) - at(x && z, 257) -
                                          at(y && z, 272) + at(x && y && z, 273));
    }
};

// Small differences of either sign have small numbers.
std::uint16_t folded(std::uint16_t difference) noexcept {
    return static_cast<std::uint16_t>(difference << 1U ^ ((difference & 0x8000U) != 0 ? 0xffffU : 0U));
}
std::uint16_t unfolded(std::uint32_t number) noexcept {
    return static_cast<std::uint16_t>(number >> 1U ^ ((number & 1U) != 0 ? 0xffffU : 0U));
}

[[noreturn]] void refuse(const char* what) {
    throw Error(what);
}

}  // namespace

void BrickCodec::Free::operator()(ZSTD_CCtx_s* context) const noexcept {
    ZSTD_freeCCtx(context);
}
void BrickCodec::Free::operator()(ZSTD_DCtx_s* context) const noexcept {
    ZSTD_freeDCtx(context);
}

BrickCodec::BrickCodec() : compressor_(ZSTD_createCCtx()), decompressor_(ZSTD_createDCtx()) {
    if (compressor_ == nullptr || decompressor_ == nullptr) throw std::bad_alloc();
    ZSTD_CCtx_setParameter(compressor_.get(), ZSTD_c_compressionLevel, kLevel);
    ZSTD_CCtx_setParameter(compressor_.get(), ZSTD_c_checksumFlag, 1);
}

std::span<const std::byte> BrickCodec::compress() {
    packed_.resize(1 + ZSTD_compressBound(plain_.size()));
    packed_[0] = kEncoding;
    const std::size_t size =
        ZSTD_compress2(compressor_.get(), packed_.data() + 1, packed_.size() - 1, plain_.data(), plain_.size());
    if (ZSTD_isError(size) != 0) refuse(ZSTD_getErrorName(size));
    return std::span<const std::byte>(packed_).first(1 + size);
}

std::span<const std::byte> BrickCodec::encode(const BrickKey& key, const DensityBrick& brick) {
    plain_.assign(kDensityBytes, std::byte{0});
    const auto place = bytes_of(key);
    std::copy(place.begin(), place.end(), plain_.begin());
    std::byte* const mask = plain_.data() + kKeyBytes;
    std::byte* const low = mask + kMaskBytes;
    std::byte* const high = low + DensityBrick::kValues;
    Neighbours neighbours;
    for (std::size_t i = 0; i < DensityBrick::kValues; ++i) {
        const std::uint16_t expected = neighbours.expected(i);
        // What was not edited is taken for what was expected: it costs nothing.
        neighbours.values[i] = expected;
        if (brick.values[i] == DensityBrick::kUntouched) continue;
        mask[i / 8] |= std::byte{1} << (i & 7U);
        neighbours.values[i] = static_cast<std::uint16_t>(brick.values[i]);
        const std::uint16_t number = folded(static_cast<std::uint16_t>(neighbours.values[i] - expected));
        low[i] = static_cast<std::byte>(number & 255U);
        high[i] = static_cast<std::byte>(number >> 8U);
    }
    return compress();
}

std::span<const std::byte> BrickCodec::encode(const BrickKey& key, const PaintBrick& brick) {
    plain_.resize(kPaintBytes);
    const auto place = bytes_of(key);
    std::copy(place.begin(), place.end(), plain_.begin());
    for (std::size_t i = 0; i < PaintBrick::kValues; ++i) {
        for (std::size_t part = 0; part < 4; ++part) {
            plain_[kKeyBytes + part * PaintBrick::kValues + i] = static_cast<std::byte>(brick.values[i] >> 8 * part);
        }
    }
    return compress();
}

void BrickCodec::decompress(const BrickKey& key, std::span<const std::byte> bytes, std::size_t size) {
    if (bytes.empty() || bytes[0] != kEncoding) refuse("a brick has an unknown encoding");
    plain_.resize(size);
    const std::size_t got =
        ZSTD_decompressDCtx(decompressor_.get(), plain_.data(), size, bytes.data() + 1, bytes.size() - 1);
    if (ZSTD_isError(got) != 0 || got != size) refuse("a brick cannot be read");
    const auto place = bytes_of(key);
    if (!std::equal(place.begin(), place.end(), plain_.begin())) refuse("a brick is in the wrong place");
}

template <>
std::shared_ptr<DensityBrick> BrickCodec::decode(const BrickKey& key, std::span<const std::byte> bytes) {
    decompress(key, bytes, kDensityBytes);
    auto brick = std::make_shared<DensityBrick>();
    const std::byte* const mask = plain_.data() + kKeyBytes;
    const std::byte* const low = mask + kMaskBytes;
    const std::byte* const high = low + DensityBrick::kValues;
    Neighbours neighbours;
    for (std::size_t i = 0; i < DensityBrick::kValues; ++i) {
        const std::uint16_t expected = neighbours.expected(i);
        neighbours.values[i] = expected;
        if ((mask[i / 8] >> (i & 7U) & std::byte{1}) == std::byte{0}) continue;
        const std::uint32_t number = static_cast<std::uint32_t>(low[i]) | static_cast<std::uint32_t>(high[i]) << 8U;
        neighbours.values[i] = static_cast<std::uint16_t>(expected + unfolded(number));
        brick->values[i] = static_cast<std::int16_t>(neighbours.values[i]);
    }
    if (!brick->look_through()) refuse("a brick is empty");
    return brick;
}

template <>
std::shared_ptr<PaintBrick> BrickCodec::decode(const BrickKey& key, std::span<const std::byte> bytes) {
    decompress(key, bytes, kPaintBytes);
    auto brick = std::make_shared<PaintBrick>();
    for (std::size_t i = 0; i < PaintBrick::kValues; ++i) {
        std::uint32_t value = 0;
        std::uint32_t sum = 0;
        for (std::size_t part = 0; part < 4; ++part) {
            const auto share = static_cast<std::uint32_t>(plain_[kKeyBytes + part * PaintBrick::kValues + i]);
            value |= share << 8 * part;
            sum += share;
        }
        if (sum > 255) refuse("a brick of paint has more than all of it");
        brick->values[i] = value;
    }
    if (!brick->look_through()) refuse("a brick is empty");
    return brick;
}

}  // namespace quarry::terrain::store
