#pragma once

#include <array>
#include <atomic>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <iosfwd>
#include <span>
#include <stop_token>
#include <string_view>

#include "quarry/terrain/mesh.hpp"

namespace quarry::terrain::impl {

// Bytes on their way to a stream, or only counted. Numbers are written in little-endian order on every machine.
class Output {
  public:
    Output() = default;
    Output(std::ostream& out, std::stop_token stop_token, std::atomic<std::uint64_t>* written)
        : out_(&out), stop_token_(std::move(stop_token)), written_(written) {}
    Output(const Output&) = delete;
    Output& operator=(const Output&) = delete;

    std::uint64_t size() const noexcept { return flushed_ + used_; }

    void u8(std::uint8_t value) { *room(1) = static_cast<char>(value); }
    void u16(std::uint16_t value) { put<2>(value); }
    void u32(std::uint32_t value) { put<4>(value); }
    void f32(float value) { u32(std::bit_cast<std::uint32_t>(value)); }
    void vector(const Vector3& value) {
        f32(value.x);
        f32(value.y);
        f32(value.z);
    }

    void text(std::string_view text);
    // The shortest decimal numbers that are read back with the same bits.
    void decimal(double value);
    void decimal(float value);
    void decimal(std::uint64_t value);
    void decimal(std::int64_t value);

    // Padded to a multiple of 4 of all that was written.
    void pad(std::uint8_t value) {
        while (size() % 4 != 0) u8(value);
    }

    // All that was written is in the stream afterwards. Throws quarry::Error when the stream fails.
    void finish();

  private:
    static constexpr std::size_t kBuffer = std::size_t{1} << 16;
    static constexpr std::size_t kLongestNumber = 32;

    char* room(std::size_t bytes) {
        if (used_ + bytes > kBuffer) flush();
        char* const at = buffer_.data() + used_;
        used_ += bytes;
        return at;
    }

    template <std::size_t Bytes>
    void put(std::uint32_t value) {
        char* const at = room(Bytes);
        for (std::size_t i = 0; i < Bytes; ++i) at[i] = static_cast<char>(static_cast<std::uint8_t>(value >> 8 * i));
    }

    template <class Number>
    void put_decimal(Number value);
    void flush();

    std::ostream* out_ = nullptr;
    std::stop_token stop_token_{};
    std::atomic<std::uint64_t>* written_ = nullptr;
    std::uint64_t flushed_ = 0;
    std::size_t used_ = 0;
    std::array<char, kBuffer> buffer_;
};

}  // namespace quarry::terrain::impl
