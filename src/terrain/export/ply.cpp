#include <limits>
#include <string>

#include "quarry/jobs/error.hpp"
#include "quarry/terrain/export.hpp"
#include "terrain/export/content.hpp"
#include "terrain/export/output.hpp"
#include "terrain/export/sizes.hpp"

namespace quarry::terrain {
namespace {

void write_ply_header(impl::Output& out, const impl::Content& content) {
    out.text("ply\nformat binary_little_endian 1.0\ncomment Quarry terrain, world units\nelement vertex ");
    out.decimal(content.vertices());
    out.text("\nproperty float x\nproperty float y\nproperty float z\n");
    if (!content.options().collision) out.text("property float nx\nproperty float ny\nproperty float nz\n");
    if (content.has_materials()) {
        out.text("property uchar red\nproperty uchar green\nproperty uchar blue\nproperty uchar alpha\n");
    }
    out.text("element face ");
    out.decimal(content.indices() / 3);
    out.text("\nproperty list uchar uint vertex_indices\nend_header\n");
}

}  // namespace

std::uint64_t impl::ply_size(std::span<const Mesh> meshes, const ExportOptions& options) {
    const Content content(meshes, options);
    Output header;
    write_ply_header(header, content);
    const std::uint64_t vertex = 12u + (options.collision ? 0u : 12u) + (content.has_materials() ? 4u : 0u);
    return header.size() + content.vertices() * vertex + content.indices() / 3 * 13;
}

void write_ply(std::ostream& out, std::span<const Mesh> meshes, const ExportOptions& options) {
    const impl::Content content(meshes, options);
    if (content.vertices() > std::numeric_limits<std::uint32_t>::max()) {
        throw Error("a ply of " + std::to_string(content.vertices()) +
                    " vertices cannot be written; up to 4294967295 are allowed");
    }
    impl::Output output(out, options.stop_token, options.written);
    write_ply_header(output, content);
    const bool has_materials = content.has_materials();
    content.for_each_vertices([&](const Mesh& mesh, std::span<const std::uint32_t> vertices) {
        const impl::Place place(mesh, options);
        for (const std::uint32_t vertex : vertices) {
            output.vector(place.in_world(vertex));
            if (!options.collision) output.vector(mesh.normals[vertex]);
            if (!has_materials) continue;
            if (!mesh.material_indices.empty()) {
                for (const std::uint8_t part : impl::colour_of(mesh, vertex, options)) output.u8(part);
                output.u8(255);
                continue;
            }
            const MaterialWeights weights = mesh.materials.empty() ? MaterialWeights{} : mesh.materials[vertex];
            for (const std::uint8_t weight : weights.of) output.u8(weight);
        }
    });
    std::uint32_t first = 0;
    content.for_each_piece([&](const Mesh&, const impl::Piece& piece) {
        for (std::size_t i = 0; i < piece.triangles.size(); ++i) {
            if (i % 3 == 0) output.u8(3);
            output.u32(first + piece.triangles[i]);
        }
        if (!options.welded) first += static_cast<std::uint32_t>(piece.vertices.size());
    });
    output.finish();
}

}  // namespace quarry::terrain
