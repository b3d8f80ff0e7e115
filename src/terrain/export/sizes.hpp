#pragma once

#include <cstdint>
#include <span>

#include "quarry/terrain/export.hpp"

// Bytes that the writers would write: exactly, but for obj. That of glb is public.
namespace quarry::terrain::impl {

std::uint64_t estimated_obj_size(std::span<const Mesh> meshes, const ExportOptions& options);
std::uint64_t ply_size(std::span<const Mesh> meshes, const ExportOptions& options);
std::uint64_t stl_size(std::span<const Mesh> meshes, const ExportOptions& options);

}  // namespace quarry::terrain::impl
