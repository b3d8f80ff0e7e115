#include <stdexcept>

#include "quarry/terrain/export.hpp"
#include "terrain/export/content.hpp"
#include "terrain/export/output.hpp"
#include "terrain/export/sizes.hpp"

namespace quarry::terrain {
namespace {

std::uint64_t ply_size(const impl::Content& content) {
    impl::Output header;
    write_ply_header(header, content);
    const std::uint64_t vertex = 12u + (content.options().collision ? 0u : 12u) + (content.has_materials() ? 4u : 0u);
    return header.size() + content.vertices() * vertex + content.indices() / 3 * 13;
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
            return estimated_obj_size(meshes, impl::Content(meshes, options));
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
