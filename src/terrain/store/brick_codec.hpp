#pragma once

#include <cstddef>
#include <memory>
#include <span>
#include <vector>

#include "terrain/edits/brick.hpp"

struct ZSTD_CCtx_s;
struct ZSTD_DCtx_s;

namespace quarry::terrain::store {

// Bricks as bytes. Densities are stored as differences from what their neighbours let one expect, low and high bytes
// apart, then compressed by zstd with its checksum, which covers the brick's place too. Not for several threads at
// once.
class BrickCodec {
  public:
    BrickCodec();

    // Until the next call.
    std::span<const std::byte> encode(const edits::BrickKey& key, const edits::DensityBrick& brick);
    std::span<const std::byte> encode(const edits::BrickKey& key, const edits::PaintBrick& brick);

    // A brick as it was, with its ranges; its epoch is 0. Throws quarry::Error for bytes that encode did not make, and
    // for those of another place.
    template <class Brick>
    std::shared_ptr<Brick> decode(const edits::BrickKey& key, std::span<const std::byte> bytes);

  private:
    struct Free {
        void operator()(ZSTD_CCtx_s* context) const noexcept;
        void operator()(ZSTD_DCtx_s* context) const noexcept;
    };

    std::span<const std::byte> compress();
    void decompress(const edits::BrickKey& key, std::span<const std::byte> bytes, std::size_t size);

    std::unique_ptr<ZSTD_CCtx_s, Free> compressor_;
    std::unique_ptr<ZSTD_DCtx_s, Free> decompressor_;
    std::vector<std::byte> plain_;
    std::vector<std::byte> packed_;
};

template <>
std::shared_ptr<edits::DensityBrick> BrickCodec::decode(const edits::BrickKey& key, std::span<const std::byte> bytes);
template <>
std::shared_ptr<edits::PaintBrick> BrickCodec::decode(const edits::BrickKey& key, std::span<const std::byte> bytes);

}  // namespace quarry::terrain::store
