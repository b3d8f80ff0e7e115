#pragma once

#include <cstdint>
#include <span>

#include "terrain/export/content.hpp"
#include "terrain/export/output.hpp"

namespace quarry::terrain::impl {

void write_ply_header(Output& out, const Content& content);

// From the digits that some of the vertices take.
std::uint64_t estimated_obj_size(std::span<const Mesh> meshes, const Content& content);

}  // namespace quarry::terrain::impl
