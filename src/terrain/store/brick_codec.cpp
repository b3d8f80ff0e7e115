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

// 16 x 16 x 16 numbers with a border of zeros at the low ends. What a number would be if all were linear follows from
// seven before it; numbers wrap around.
class Neighbours {
  public:
    static constexpr std::size_t at(std::size_t i) noexcept {
        return ((i >> 8U) + 1) * kLayer + ((i >> 4U & 15U) + 1) * kRow + (i & 15U) + 1;
    }
    std::uint32_t expected(std::size_t place) const noexcept {
        const std::uint16_t* const v = values_.data() + place;
        return static_cast<std::uint32_t>(*(v - 1)) + *(v - kRow) + *(v - kLayer) - *(v - kRow - 1) -
               *(v - kLayer - 1) - *(v - kLayer - kRow) + *(v - kLayer - kRow - 1);
    }
    void set(std::size_t place, std::uint32_t value) noexcept { values_[place] = static_cast<std::uint16_t>(value); }

  private:
    static constexpr std::size_t kRow = 17;
    static constexpr std::size_t kLayer = 17 * 17;

    std::array<std::uint16_t, 17 * 17 * 17> values_{};
};

// Numbers from their differences from what was expected: sums along each axis in turn.
void sum_up(std::array<std::uint16_t, DensityBrick::kValues>& numbers) noexcept {
    const auto add = [&](std::size_t to, std::size_t from) {
        numbers[to] = static_cast<std::uint16_t>(numbers[to] + numbers[from]);
    };
    for (std::size_t i = 256; i < numbers.size(); ++i) add(i, i - 256);
    for (std::size_t layer = 0; layer < numbers.size(); layer += 256) {
        for (std::size_t i = layer + 16; i < layer + 256; ++i) add(i, i - 16);
    }
    for (std::size_t i = 0; i < numbers.size(); ++i) {
        if ((i & 15U) != 0) add(i, i - 1);
    }
}

// Small differences of either sign have small numbers.
std::uint16_t folded(std::uint32_t difference) noexcept {
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
        const std::size_t here = Neighbours::at(i);
        const std::uint32_t expected = neighbours.expected(here);
        // What was not edited is taken for what was expected: it costs nothing.
        neighbours.set(here, expected);
        if (brick.values[i] == DensityBrick::kUntouched) continue;
        mask[i / 8] |= std::byte{1} << (i & 7U);
        const auto value = static_cast<std::uint32_t>(static_cast<std::uint16_t>(brick.values[i]));
        neighbours.set(here, value);
        const std::uint16_t number = folded((value - expected) & 0xffffU);
        low[i] = static_cast<std::byte>(number & 255U);
        high[i] = static_cast<std::byte>(number >> 8U);
    }
    return compress();
}

std::span<const std::byte> BrickCodec::encode(const BrickKey& key, const PaintBrick& brick) {
    plain_.resize(kPaintBytes);
    const auto here = bytes_of(key);
    std::copy(here.begin(), here.end(), plain_.begin());
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
    std::array<std::uint16_t, DensityBrick::kValues> numbers{};
    for (std::size_t i = 0; i < DensityBrick::kValues; ++i) {
        numbers[i] = unfolded(static_cast<std::uint32_t>(low[i]) | static_cast<std::uint32_t>(high[i]) << 8U);
    }
    sum_up(numbers);
    for (std::size_t i = 0; i < DensityBrick::kValues; ++i) {
        const bool is_edited = (static_cast<std::uint32_t>(mask[i / 8]) >> (i & 7U) & 1U) != 0;
        brick->values[i] = is_edited ? static_cast<std::int16_t>(numbers[i]) : DensityBrick::kUntouched;
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
