#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "quarry/terrain/mesh.hpp"
#include "tests/terrain/check_glb/accessors.hpp"
#include "tests/terrain/check_glb/container.hpp"
#include "tests/terrain/check_glb/findings.hpp"

namespace quarry::terrain::impl {

// One mesh of a file: positions and indices, with all of the file's data of it checked. Nothing where there is so much
// wrong that these cannot be read; what is wrong is in the findings.
struct ReadMesh {
    std::vector<Vector3> positions;
    std::vector<std::uint32_t> indices;
};

std::optional<ReadMesh> read_mesh(const Container& container, std::uint64_t mesh, bool collision,
                                  AccessorReader& accessors, Findings& findings);

}  // namespace quarry::terrain::impl
