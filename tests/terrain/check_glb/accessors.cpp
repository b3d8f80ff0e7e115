#include "tests/terrain/check_glb/accessors.hpp"

#include <array>
#include <string_view>

namespace quarry::terrain::impl {
namespace {

constexpr std::uint64_t kU8 = 5121;
constexpr std::uint64_t kU16 = 5123;
constexpr std::uint64_t kU32 = 5125;
constexpr std::uint64_t kF32 = 5126;
constexpr std::uint64_t kVertexTarget = 34962;
constexpr std::uint64_t kIndexTarget = 34963;

// Above all sizes here, so that sums of them do not wrap.
constexpr std::uint64_t kFar = std::uint64_t{1} << 40;

}  // namespace

void AccessorReader::check_buffer() {
    const std::size_t buffers = length(container_.json, "buffers");
    if (buffers == 0 && container_.binary.empty()) return;
    const Json* const buffer = element(container_.json, "buffers", 0);
    if (buffers != 1 || member(*buffer, "uri") != nullptr) {
        findings_.add("buffers: the file's own one, and no other, is allowed");
        return;
    }
    const std::optional<std::uint64_t> bytes = whole(*buffer, "byteLength");
    if (!bytes || *bytes > container_.binary.size() || container_.binary.size() - *bytes > 3) {
        findings_.add("buffers[0].byteLength is " + shown(member(*buffer, "byteLength")) + ", the BIN chunk's length " +
                      std::to_string(container_.binary.size()));
    }
}

std::optional<Elements> AccessorReader::fail(const std::string& where, const std::string& what) {
    findings_.add(where + what);
    return std::nullopt;
}

bool AccessorReader::check_type(const Json& accessor, Use use, const std::string& where, std::size_t& width) {
    const std::optional<std::uint64_t> component = whole(accessor, "componentType");
    const std::optional<std::string> type = text(accessor, "type");
    const Json* const normalized = member(accessor, "normalized");
    const bool is_normalized = normalized != nullptr && *normalized == true;
    bool is_right = component && type && is_normalized == (use == Use::colours);
    switch (use) {
        case Use::indices:
            is_right = is_right && (*component == kU16 || *component == kU32) && *type == "SCALAR";
            width = component == kU32 ? 4 : 2;
            break;
        case Use::positions:
        case Use::normals:
            is_right = is_right && *component == kF32 && *type == "VEC3";
            width = 12;
            break;
        case Use::colours:
        case Use::material_numbers:
            is_right = is_right && *component == kU8 && *type == "VEC4";
            width = 4;
            break;
    }
    if (!is_right) findings_.add(where + ": componentType, type or normalized are not those of its use");
    return is_right;
}

std::optional<Elements> AccessorReader::read(std::uint64_t number, Use use) {
    const std::string where = "accessors[" + std::to_string(number) + "]";
    const Json* const accessor = element(container_.json, "accessors", number);
    if (accessor == nullptr) return fail(where, " does not exist");
    if (member(*accessor, "sparse") != nullptr) return fail(where, ".sparse is not expected");
    std::size_t width = 0;
    if (!check_type(*accessor, use, where, width)) return std::nullopt;
    const std::optional<std::uint64_t> count = whole(*accessor, "count");
    if (!count || *count == 0 || *count > kFar) return fail(where, ".count is " + shown(member(*accessor, "count")));
    const auto bytes = view(*accessor, use, where, static_cast<std::size_t>(*count) * width);
    if (!bytes) return std::nullopt;
    return Elements{*bytes, static_cast<std::size_t>(*count), width, accessor};
}

std::optional<std::span<const std::byte>> AccessorReader::view(const Json& accessor, Use use, const std::string& where,
                                                               std::size_t bytes) {
    const std::optional<std::uint64_t> number = whole(accessor, "bufferView");
    const Json* const view = number ? element(container_.json, "bufferViews", *number) : nullptr;
    if (view == nullptr) {
        findings_.add(where + ".bufferView is " + shown(member(accessor, "bufferView")));
        return std::nullopt;
    }
    used_views_.resize(length(container_.json, "bufferViews"));
    const std::string its = "bufferViews[" + std::to_string(*number) + "]";
    if (used_views_[static_cast<std::size_t>(*number)]) {
        findings_.add(its + " is used more than once");
        return std::nullopt;
    }
    used_views_[static_cast<std::size_t>(*number)] = true;
    const std::optional<std::uint64_t> offset = whole_or_0(*view, "byteOffset");
    const std::optional<std::uint64_t> view_bytes = whole(*view, "byteLength");
    const std::optional<std::uint64_t> within = whole_or_0(accessor, "byteOffset");
    const std::uint64_t file = container_.binary.size();
    if (whole(*view, "buffer") != std::uint64_t{0} || !offset || !view_bytes || !within || *offset > file ||
        *view_bytes > file - *offset || *within > *view_bytes || bytes > *view_bytes - *within) {
        findings_.add(where + " does not lie within its view, or " + its + " not within the BIN chunk");
        return std::nullopt;
    }
    if ((*offset + *within) % 4 != 0) findings_.add(where + " begins at a byte that is no multiple of 4");
    if (member(*view, "byteStride") != nullptr) {
        findings_.add(its + ".byteStride is not expected");
        return std::nullopt;
    }
    if (whole(*view, "target") != (use == Use::indices ? kIndexTarget : kVertexTarget)) {
        findings_.add(its + ".target is " + shown(member(*view, "target")));
    }
    return container_.binary.subspan(static_cast<std::size_t>(*offset + *within), bytes);
}

}  // namespace quarry::terrain::impl
