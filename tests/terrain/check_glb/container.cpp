#include "tests/terrain/check_glb/container.hpp"

#include <string>

#include "terrain/export/glb_layout.hpp"

namespace quarry::terrain::impl {
namespace {

// The chunk that begins at `at`, which is moved behind it; its data is empty, and `at` the end, where it is damaged.
struct GlbChunk {
    std::uint32_t kind = 0;
    std::span<const std::byte> data;
};

GlbChunk next_chunk(std::span<const std::byte> bytes, std::size_t& at, Findings& findings) {
    const std::string where = "chunk at byte " + std::to_string(at);
    const std::size_t left = bytes.size() - at;
    if (left < kGlbChunkHeader) {
        findings.add(where + ": " + std::to_string(left) + " bytes are left, 8 are needed for its header");
        at = bytes.size();
        return {};
    }
    const std::size_t length = little_endian(bytes, at, 4);
    const std::uint32_t kind = little_endian(bytes, at + 4, 4);
    if (length > left - kGlbChunkHeader) {
        findings.add(where + ": its length is " + std::to_string(length) + ", but " +
                     std::to_string(left - kGlbChunkHeader) + " bytes are left");
        at = bytes.size();
        return {kind, {}};
    }
    if (length % 4 != 0) findings.add(where + ": its length is " + std::to_string(length) + ", no multiple of 4");
    const std::size_t first = at + kGlbChunkHeader;
    at = first + length;
    return {kind, bytes.subspan(first, length)};
}

bool check_header(std::span<const std::byte> bytes, Findings& findings) {
    if (bytes.size() < kGlbHeader) {
        findings.add("the file has " + std::to_string(bytes.size()) + " bytes; a glb has at least 12");
        return false;
    }
    if (little_endian(bytes, 0, 4) != kGlbMagic) {
        findings.add("the file does not begin with glTF");
        return false;
    }
    const std::uint32_t version = little_endian(bytes, 4, 4);
    if (version != kGlbVersion) {
        findings.add("the container's version is " + std::to_string(version) + ", not 2");
        return false;
    }
    const std::uint32_t length = little_endian(bytes, 8, 4);
    if (length != bytes.size()) {
        findings.add("the header's length is " + std::to_string(length) + ", the file's " +
                     std::to_string(bytes.size()));
    }
    return true;
}

}  // namespace

Container open_container(std::span<const std::byte> bytes, Findings& findings) {
    Container container{Json(Json::value_t::discarded), {}};
    if (!check_header(bytes, findings)) return container;
    std::size_t at = kGlbHeader;
    const GlbChunk first = next_chunk(bytes, at, findings);
    if (first.kind != kGlbJson) {
        findings.add("the first chunk is not JSON");
        return container;
    }
    const auto* const text = reinterpret_cast<const char*>(first.data.data());
    container.json = Json::parse(text, text + first.data.size(), nullptr, false);
    if (!container.json.is_object()) {
        findings.add("the JSON chunk is not a JSON object");
        container.json = Json(Json::value_t::discarded);
        return container;
    }
    if (at == bytes.size()) return container;
    const GlbChunk second = next_chunk(bytes, at, findings);
    if (second.kind == kGlbBinary) {
        container.binary = second.data;
    } else {
        findings.add("the second chunk is not BIN");
    }
    if (at != bytes.size()) findings.add("there are bytes behind the second chunk");
    return container;
}

}  // namespace quarry::terrain::impl
