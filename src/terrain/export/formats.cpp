// The formats: all that differs from one to the next beside the writers themselves.
#include <algorithm>
#include <array>
#include <cstdint>
#include <limits>
#include <stdexcept>

#include "quarry/terrain/export.hpp"
#include "terrain/export/glb_layout.hpp"
#include "terrain/export/sizes.hpp"

namespace quarry::terrain {
namespace {

struct Format {
    ExportFormatInfo info;
    void (*write)(std::ostream& out, std::span<const Mesh> meshes, const ExportOptions& options);
    std::uint64_t (*size)(std::span<const Mesh> meshes, const ExportOptions& options);
};

constexpr std::uint64_t kNoLimit = std::numeric_limits<std::uint64_t>::max();

constexpr std::array kFormats{
    Format{{ExportFormat::glb, ".glb", impl::kLargestGlb}, write_glb, glb_size},
    Format{{ExportFormat::obj, ".obj", kNoLimit}, write_obj, impl::estimated_obj_size},
    Format{{ExportFormat::ply, ".ply", kNoLimit}, write_ply, impl::ply_size},
    Format{{ExportFormat::stl, ".stl", kNoLimit}, write_stl, impl::stl_size},
};

constexpr auto kInfos = [] {
    std::array<ExportFormatInfo, kFormats.size()> infos{};
    for (std::size_t i = 0; i < infos.size(); ++i) infos[i] = kFormats[i].info;
    return infos;
}();

// A format's number is its place in the table.
constexpr bool is_in_order() {
    for (std::size_t i = 0; i < kInfos.size(); ++i) {
        if (static_cast<std::size_t>(kInfos[i].format) != i) return false;
    }
    return true;
}
static_assert(is_in_order());

const Format& format_numbered(ExportFormat format) {
    const auto number = static_cast<std::size_t>(format);
    if (number >= kFormats.size()) {
        throw std::invalid_argument("there is no format " + std::to_string(static_cast<int>(format)) +
                                    "; there are 0 to " + std::to_string(kFormats.size() - 1) + ": " +
                                    export_endings());
    }
    return kFormats[number];
}

bool equal_but_for_case(std::string_view left, std::string_view right) noexcept {
    const auto lower = [](char letter) {
        return letter >= 'A' && letter <= 'Z' ? static_cast<char>(letter - 'A' + 'a') : letter;
    };
    return std::equal(left.begin(), left.end(), right.begin(), right.end(),
                      [&](char a, char b) { return lower(a) == lower(b); });
}

}  // namespace

std::span<const ExportFormatInfo> export_formats() noexcept {
    return kInfos;
}

const ExportFormatInfo& info_of(ExportFormat format) {
    return format_numbered(format).info;
}

std::optional<ExportFormat> export_format_of(std::string_view file) noexcept {
    const std::size_t name = file.rfind('/') + 1;  // 0 without a folder
    const std::size_t dot = file.rfind('.');
    // A file that is called ".glb" has no ending.
    if (dot == std::string_view::npos || dot <= name) return std::nullopt;
    for (const ExportFormatInfo& info : kInfos) {
        if (equal_but_for_case(file.substr(dot), info.ending)) return info.format;
    }
    return std::nullopt;
}

std::string export_endings() {
    std::string text;
    for (const ExportFormatInfo& info : kInfos) {
        if (!text.empty()) text += &info == &kInfos.back() ? " or " : ", ";
        text += info.ending;
    }
    return text;
}

std::uint64_t estimated_size(ExportFormat format, std::span<const Mesh> meshes, const ExportOptions& options) {
    return format_numbered(format).size(meshes, options);
}

void write(ExportFormat format, std::ostream& out, std::span<const Mesh> meshes, const ExportOptions& options) {
    format_numbered(format).write(out, meshes, options);
}

}  // namespace quarry::terrain
