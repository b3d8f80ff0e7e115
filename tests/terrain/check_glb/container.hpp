#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

#include "tests/terrain/check_glb/findings.hpp"
#include "tests/terrain/check_glb/json.hpp"

namespace quarry::terrain::impl {

inline std::uint32_t little_endian(std::span<const std::byte> bytes, std::size_t at, std::size_t width) noexcept {
    std::uint32_t value = 0;
    for (std::size_t i = 0; i < width; ++i) value |= std::to_integer<std::uint32_t>(bytes[at + i]) << 8 * i;
    return value;
}

// The two parts of a glb.
struct Container {
    Json json;                          // an object; discarded if there is none
    std::span<const std::byte> binary;  // empty if there is none
};

Container open_container(std::span<const std::byte> bytes, Findings& findings);

}  // namespace quarry::terrain::impl
