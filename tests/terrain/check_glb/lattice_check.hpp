#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "quarry/terrain/lattice.hpp"
#include "tests/terrain/check_glb/check_glb.hpp"
#include "tests/terrain/check_glb/findings.hpp"
#include "tests/terrain/check_glb/json.hpp"
#include "tests/terrain/check_glb/mesh_reader.hpp"

namespace quarry::terrain::impl {

// asset.extras.quarry: how the file's numbers lie on the lattice.
struct WrittenLattice {
    std::int32_t cells = 0;
    Lattice lattice{};
    bool collision = false;
    std::optional<LatticePoint> welded_from;  // of a welded file
};

// A node and its mesh.
struct NamedMesh {
    std::string where;
    std::string name;
    Position translation{};
    double scale = 1;
    ReadMesh data;
};

std::optional<WrittenLattice> read_lattice(const Json& json, Findings& findings);

// The node's name, translation and scale, and that its positions lie on the lattice.
void check_place(const WrittenLattice& lattice, const NamedMesh& mesh, Findings& findings);

// Meshes for which the check above has found nothing.
Closedness check_edges(const WrittenLattice& lattice, std::vector<NamedMesh> meshes, const GlbCheckOptions& options,
                       Findings& findings);

}  // namespace quarry::terrain::impl
