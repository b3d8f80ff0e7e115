#include "tests/terrain/check_glb/check_glb.hpp"

#include <string>
#include <utility>

#include "quarry/terrain/extract.hpp"
#include "quarry/terrain/lattice.hpp"
#include "terrain/export/glb_layout.hpp"
#include "terrain/files.hpp"
#include "tests/terrain/check_glb/lattice_check.hpp"
#include "tests/terrain/check_glb/mesh_reader.hpp"

namespace quarry::terrain {
namespace {

using namespace impl;  // NOLINT(google-build-using-namespace): all of this is about the parts of the check

class GlbChecker {
  public:
    GlbChecker(std::span<const std::byte> bytes, const GlbCheckOptions& options)
        : options_(options), container_(open_container(bytes, findings_)), accessors_(container_, findings_) {}

    GlbCheck run() {
        if (container_.json.is_object()) check_json();
        result_.findings = findings_.take();
        return std::move(result_);
    }

  private:
    void check_json() {
        const Json* const asset = member(container_.json, "asset");
        if (asset == nullptr || text(*asset, "version") != "2.0") findings_.add("asset.version is not 2.0");
        accessors_.check_buffer();
        const std::optional<WrittenLattice> lattice = read_lattice(container_.json, findings_);
        check_scene();
        const std::size_t nodes = length(container_.json, "nodes");
        if (nodes != length(container_.json, "meshes")) findings_.add("there are not as many meshes as nodes");
        result_.nodes = nodes;
        std::vector<NamedMesh> meshes;
        for (std::size_t i = 0; i < nodes; ++i) {
            if (std::optional<NamedMesh> mesh = read_node(i, lattice && lattice->collision)) {
                result_.vertices += mesh->data.positions.size();
                result_.triangles += mesh->data.indices.size() / 3;
                if (lattice) check_place(*lattice, *mesh, findings_);
                meshes.push_back(std::move(*mesh));
            }
        }
        // Edges of a file that is wrong elsewhere would only repeat what was found.
        if (!lattice || !findings_.empty()) return;
        result_.closedness = check_edges(*lattice, std::move(meshes), options_, findings_);
    }

    // Each node once, in order.
    void check_scene() {
        const std::size_t nodes = length(container_.json, "nodes");
        if (nodes == 0) return;
        const Json* const scene =
            whole(container_.json, "scene") == std::uint64_t{0} ? element(container_.json, "scenes", 0) : nullptr;
        bool is_right = scene != nullptr && length(*scene, "nodes") == nodes;
        for (std::size_t i = 0; is_right && i < nodes; ++i) {
            const Json& node = *element(*scene, "nodes", i);
            is_right = node.is_number_unsigned() && node.get<std::uint64_t>() == i;
        }
        if (!is_right) findings_.add("scenes[0].nodes are not all nodes of the file");
    }

    std::optional<NamedMesh> read_node(std::size_t number, bool collision) {
        const std::string where = "nodes[" + std::to_string(number) + "]";
        const Json& node = *element(container_.json, "nodes", number);
        NamedMesh mesh;
        mesh.where = where;
        mesh.name = text(node, "name").value_or("");
        const auto translation = three(node, "translation");
        const auto scale = member(node, "scale") == nullptr ? std::array<double, 3>{1, 1, 1} : three(node, "scale");
        const bool is_simple = member(node, "matrix") == nullptr && member(node, "rotation") == nullptr &&
                               member(node, "children") == nullptr;
        if (!translation || !scale || (*scale)[0] != (*scale)[1] || (*scale)[1] != (*scale)[2] || !is_simple) {
            findings_.add(where + " is not moved by a translation and scaled evenly");
            return std::nullopt;
        }
        mesh.translation = {(*translation)[0], (*translation)[1], (*translation)[2]};
        mesh.scale = (*scale)[0];
        if (whole(node, "mesh") != std::uint64_t{number}) {
            findings_.add(where + ".mesh is " + shown(member(node, "mesh")) + ", not " + std::to_string(number));
            return std::nullopt;
        }
        std::optional<ReadMesh> read = read_mesh(container_, number, collision, accessors_, findings_);
        if (!read) return std::nullopt;
        mesh.data = std::move(*read);
        return mesh;
    }

    const GlbCheckOptions& options_;
    Findings findings_{GlbCheck::kMostFindings};
    const Container container_;
    AccessorReader accessors_;
    GlbCheck result_;
};

}  // namespace

GlbCheck check_glb(std::span<const std::byte> bytes, const GlbCheckOptions& options) {
    return GlbChecker(bytes, options).run();
}

GlbCheck check_glb(const std::filesystem::path& path, const GlbCheckOptions& options) {
    return check_glb(read_file(path, kLargestGlb), options);
}

}  // namespace quarry::terrain
