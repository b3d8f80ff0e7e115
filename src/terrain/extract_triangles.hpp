#pragma once

#include "quarry/export.hpp"
#include "quarry/terrain/extract.hpp"

namespace quarry::terrain::impl {

// What extract_baked gives for mask 0, without normals and materials.
QUARRY_API BakedChunk extract_triangles(const Field& field, ChunkKey key, const ExtractOptions& options,
                                        ExtractScratch& scratch);

// What extract gives without transition cells: only mask 0 can be baked from it.
ChunkMesh extract_without_seams(const Field& field, ChunkKey key, const ExtractOptions& options);

}  // namespace quarry::terrain::impl
