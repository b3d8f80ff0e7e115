#include <string>

#include "quarry/jobs/error.hpp"
#include "quarry/terrain/export.hpp"
#include "terrain/export/content.hpp"
#include "terrain/export/glb_layout.hpp"
#include "terrain/export/output.hpp"

namespace quarry::terrain {
namespace impl {

GlbSizes glb_sizes(const Content& content) {
    GlbSizes sizes;
    for (const Part& part : content.parts()) sizes.binary += PartBytes(part, content.options().collision).total();
    Output count;
    write_glb_json(count, content, sizes.binary);
    count.pad(' ');
    sizes.json = count.size();
    return sizes;
}

void require_glb_length(std::uint64_t bytes) {
    if (bytes <= kLargestGlb) return;
    throw Error("a glb of " + std::to_string(bytes) + " bytes cannot be written; up to " + std::to_string(kLargestGlb) +
                " are allowed: export fewer chunks, or as ply");
}

namespace {

class GlbWriter {
  public:
    GlbWriter(Output& out, const Content& content)
        : out_(out), content_(content), has_normals_(!content.options().collision) {}

    void write() {
        const GlbSizes sizes = glb_sizes(content_);
        require_glb_length(sizes.file());
        out_.u32(kGlbMagic);
        out_.u32(kGlbVersion);
        out_.u32(static_cast<std::uint32_t>(sizes.file()));
        out_.u32(static_cast<std::uint32_t>(sizes.json));
        out_.u32(kGlbJson);
        write_glb_json(out_, content_, sizes.binary);
        out_.pad(' ');
        if (sizes.binary != 0) {
            out_.u32(static_cast<std::uint32_t>(sizes.binary));
            out_.u32(kGlbBinary);
            if (content_.options().welded) {
                write_welded(content_.parts().front());
            } else {
                write_chunks();
            }
        }
        out_.finish();
    }

  private:
    void write_chunks() {
        const Part* part = content_.parts().data();
        content_.for_each_piece([&](const Mesh& mesh, const Piece& piece) {
            write_indices(piece.triangles, part->has_short_indices());
            out_.pad(0);
            for (const std::uint32_t vertex : piece.vertices) out_.vector(mesh.positions[vertex]);
            if (has_normals_) write_normals(mesh, piece.vertices);
            if (part->has_materials) {
                write_colours(mesh, piece.vertices);
                write_materials(mesh, piece.vertices);
                if (part->has_material_indices) write_material_indices(mesh, piece.vertices);
            }
            ++part;
        });
    }

    void write_welded(const Part& part) {
        content_.for_each_piece(
            [&](const Mesh&, const Piece& piece) { write_indices(piece.triangles, part.has_short_indices()); });
        out_.pad(0);
        content_.for_each_vertices([&](const Mesh& mesh, std::span<const std::uint32_t> vertices) {
            const Place place(mesh, content_.options());
            for (const std::uint32_t vertex : vertices) {
                out_.vector(place.from(content_.welded_origin(), mesh.positions[vertex]));
            }
        });
        if (has_normals_) {
            content_.for_each_vertices(
                [&](const Mesh& mesh, std::span<const std::uint32_t> vertices) { write_normals(mesh, vertices); });
        }
        if (part.has_materials) {
            content_.for_each_vertices(
                [&](const Mesh& mesh, std::span<const std::uint32_t> vertices) { write_colours(mesh, vertices); });
            content_.for_each_vertices(
                [&](const Mesh& mesh, std::span<const std::uint32_t> vertices) { write_materials(mesh, vertices); });
        }
        if (part.has_material_indices) {
            content_.for_each_vertices([&](const Mesh& mesh, std::span<const std::uint32_t> vertices) {
                write_material_indices(mesh, vertices);
            });
        }
    }

    void write_indices(std::span<const std::uint32_t> indices, bool is_short) {
        if (is_short) {
            for (const std::uint32_t index : indices) out_.u16(static_cast<std::uint16_t>(index));
        } else {
            for (const std::uint32_t index : indices) out_.u32(index);
        }
    }

    void write_normals(const Mesh& mesh, std::span<const std::uint32_t> vertices) {
        for (const std::uint32_t vertex : vertices) out_.vector(mesh.normals[vertex]);
    }

    void write_colours(const Mesh& mesh, std::span<const std::uint32_t> vertices) {
        for (const std::uint32_t vertex : vertices) {
            for (const std::uint8_t part : colour_of(mesh, vertex, content_.options())) out_.u8(part);
            out_.u8(255);
        }
    }

    void write_materials(const Mesh& mesh, std::span<const std::uint32_t> vertices) {
        for (const std::uint32_t vertex : vertices) {
            const MaterialWeights weights = mesh.materials.empty() ? MaterialWeights{} : mesh.materials[vertex];
            for (const std::uint8_t weight : weights.of) out_.u8(weight);
        }
    }

    void write_material_indices(const Mesh& mesh, std::span<const std::uint32_t> vertices) {
        for (const std::uint32_t vertex : vertices) {
            const MaterialIndices which =
                mesh.material_indices.empty() ? MaterialIndices{} : mesh.material_indices[vertex];
            for (const std::uint8_t number : which.of) out_.u8(number);
        }
    }

    Output& out_;
    const Content& content_;
    const bool has_normals_;
};

}  // namespace
}  // namespace impl

void write_glb(std::ostream& out, std::span<const Mesh> meshes, const ExportOptions& options) {
    const impl::Content content(meshes, options);
    impl::Output output(out, options.stop_token, options.written);
    impl::GlbWriter(output, content).write();
}

std::uint64_t glb_size(std::span<const Mesh> meshes, const ExportOptions& options) {
    return impl::glb_sizes(impl::Content(meshes, options)).file();
}

}  // namespace quarry::terrain
