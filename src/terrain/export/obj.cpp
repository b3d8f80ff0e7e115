#include <algorithm>
#include <numeric>
#include <string>
#include <string_view>
#include <vector>

#include "quarry/terrain/export.hpp"
#include "terrain/export/content.hpp"
#include "terrain/export/names.hpp"
#include "terrain/export/output.hpp"
#include "terrain/export/sizes.hpp"

namespace quarry::terrain {
namespace {

class ObjWriter {
  public:
    ObjWriter(impl::Output& out, const impl::Content& content)
        : out_(out), content_(content), has_normals_(!content.options().collision) {}

    void write() {
        out_.text("# Quarry terrain, world units\n");
        const bool is_welded = content_.options().welded;
        if (is_welded && !content_.parts().empty()) {
            write_name(impl::kWeldedName);
            content_.for_each_vertices(
                [&](const Mesh& mesh, std::span<const std::uint32_t> vertices) { write_vertices(mesh, vertices); });
        }
        std::uint64_t first = 1;
        content_.for_each_piece([&](const Mesh& mesh, const impl::Piece& piece) {
            if (!is_welded) {
                write_name(impl::chunk_name(mesh.key));
                write_vertices(mesh, piece.vertices);
            }
            write_faces(piece.triangles, first);
            if (!is_welded) first += piece.vertices.size();
        });
        out_.finish();
    }

    void write_vertices(const Mesh& mesh, std::span<const std::uint32_t> vertices) {
        const impl::Place place(mesh, content_.options());
        for (const std::uint32_t vertex : vertices) write_line("v", place.in_world(vertex));
        if (!has_normals_) return;
        for (const std::uint32_t vertex : vertices) write_line("vn", mesh.normals[vertex]);
    }

  private:
    void write_name(std::string_view name) {
        out_.text("o ");
        out_.text(name);
        out_.text("\n");
    }

    void write_line(std::string_view what, const Vector3& at) {
        out_.text(what);
        for (const float coordinate : {at.x, at.y, at.z}) {
            out_.u8(' ');
            out_.decimal(coordinate);
        }
        out_.u8('\n');
    }

    void write_faces(std::span<const std::uint32_t> triangles, std::uint64_t first) {
        for (std::size_t i = 0; i < triangles.size(); ++i) {
            out_.text(i % 3 == 0 ? "f " : " ");
            const std::uint64_t number = first + triangles[i];
            out_.decimal(number);
            if (has_normals_) {
                out_.text("//");
                out_.decimal(number);
            }
            if (i % 3 == 2) out_.u8('\n');
        }
    }

    impl::Output& out_;
    const impl::Content& content_;
    const bool has_normals_;
};

}  // namespace

// From the digits that some of the vertices take.
std::uint64_t impl::estimated_obj_size(std::span<const Mesh> meshes, const ExportOptions& options) {
    const Content content(meshes, options);
    constexpr std::size_t kMeshes = 64;
    constexpr std::size_t kVertices = 64;
    Output count;
    std::uint64_t looked_at = 0;
    for (std::size_t i = 0; i < meshes.size(); i += meshes.size() / kMeshes + 1) {
        std::vector<std::uint32_t> vertices(std::min(kVertices, meshes[i].positions.size()));
        std::iota(vertices.begin(), vertices.end(), 0u);
        ObjWriter(count, content).write_vertices(meshes[i], vertices);
        looked_at += vertices.size();
    }
    const double bytes = looked_at == 0 ? 0 : static_cast<double>(count.size()) / static_cast<double>(looked_at);
    const std::uint64_t digits = std::to_string(content.vertices()).size();
    const std::uint64_t number = content.options().collision ? digits : 2 * digits + 2;
    return static_cast<std::uint64_t>(bytes * static_cast<double>(content.vertices())) +
           content.indices() / 3 * (2 + 3 * (number + 1));
}

void write_obj(std::ostream& out, std::span<const Mesh> meshes, const ExportOptions& options) {
    const impl::Content content(meshes, options);
    impl::Output output(out, options.stop_token, options.written);
    ObjWriter(output, content).write();
}

}  // namespace quarry::terrain
