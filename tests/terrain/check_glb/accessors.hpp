#pragma once

#include <bit>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "quarry/terrain/mesh.hpp"
#include "tests/terrain/check_glb/container.hpp"
#include "tests/terrain/check_glb/findings.hpp"
#include "tests/terrain/check_glb/json.hpp"

namespace quarry::terrain::impl {

// Elements of an accessor, all of them within the file.
struct Elements {
    std::span<const std::byte> bytes;
    std::size_t count = 0;
    std::size_t width = 0;  // of an element
    const Json* json = nullptr;

    std::uint32_t u8(std::size_t i, std::size_t part) const noexcept {
        return std::to_integer<std::uint32_t>(bytes[i * width + part]);
    }
    std::uint32_t index(std::size_t i) const noexcept { return little_endian(bytes, i * width, width); }
    float f32(std::size_t i, std::size_t part) const noexcept {
        return std::bit_cast<float>(little_endian(bytes, i * width + 4 * part, 4));
    }
    Vector3 vector(std::size_t i) const noexcept { return {f32(i, 0), f32(i, 1), f32(i, 2)}; }
};

// What an accessor is used for decides what it has to be.
enum class Use { indices, positions, normals, colours, material_numbers };

class AccessorReader {
  public:
    AccessorReader(const Container& container, Findings& findings) : container_(container), findings_(findings) {}

    void check_buffer();

    // Nothing, and a finding, where the accessor is not what the use wants. Each byte of the file is given out once.
    std::optional<Elements> read(std::uint64_t number, Use use);

  private:
    std::optional<Elements> fail(const std::string& where, const std::string& what);
    bool check_type(const Json& accessor, Use use, const std::string& where, std::size_t& width);
    std::optional<std::span<const std::byte>> view(const Json& accessor, Use use, const std::string& where,
                                                   std::size_t bytes);

    const Container& container_;
    Findings& findings_;
    std::vector<bool> used_views_;
};

}  // namespace quarry::terrain::impl
