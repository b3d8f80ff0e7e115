#include <stdexcept>
#include <string>

#include "quarry/terrain/export.hpp"
#include "terrain/export/content.hpp"
#include "terrain/export/output.hpp"
#include "terrain/export/ply_header.hpp"

namespace quarry::terrain {
namespace {

std::uint64_t ply_size(const impl::Content& content) {
    impl::Output header;
    write_ply_header(header, content);
    const std::uint64_t vertex = 12u + (content.options().collision ? 0u : 12u) + (content.has_materials() ? 4u : 0u);
    return header.size() + content.vertices() * vertex + content.indices() / 3 * 13;
}

// Typical lines: positions of 3 x 9 characters, normals of 3 x 11, and numbers of vertices as long as the last.
std::uint64_t obj_size(const impl::Content& content) {
    const bool has_normals = !content.options().collision;
    const std::uint64_t digits = std::to_string(content.vertices()).size();
    const std::uint64_t number = has_normals ? 2 * digits + 2 : digits;
    return content.vertices() * (32u + (has_normals ? 39u : 0u)) + content.indices() / 3 * (2 + 3 * (number + 1));
}

std::uint64_t stl_size(std::span<const Mesh> meshes, ExportOptions options) {
    options.welded = false;
    return 84 + impl::Content(meshes, options).indices() / 3 * 50;
}

}  // namespace

std::uint64_t estimated_size(ExportFormat format, std::span<const Mesh> meshes, const ExportOptions& options) {
    switch (format) {
        case ExportFormat::glb:
            return glb_size(meshes, options);
        case ExportFormat::obj:
            return obj_size(impl::Content(meshes, options));
        case ExportFormat::ply:
            return ply_size(impl::Content(meshes, options));
        case ExportFormat::stl:
            return stl_size(meshes, options);
    }
    throw std::invalid_argument("the format must be glb, obj, ply or stl");
}

void write(ExportFormat format, std::ostream& out, std::span<const Mesh> meshes, const ExportOptions& options) {
    switch (format) {
        case ExportFormat::glb:
            return write_glb(out, meshes, options);
        case ExportFormat::obj:
            return write_obj(out, meshes, options);
        case ExportFormat::ply:
            return write_ply(out, meshes, options);
        case ExportFormat::stl:
            return write_stl(out, meshes, options);
    }
    throw std::invalid_argument("the format must be glb, obj, ply or stl");
}

}  // namespace quarry::terrain
