/* Terrain: fields, chunks and meshes. See quarry/c.h for what holds for all functions. */
#ifndef QUARRY_C_TERRAIN_H
#define QUARRY_C_TERRAIN_H

/* NOLINTBEGIN(modernize-*,readability-identifier-naming): this is C */
#include "quarry/c/base.h"

#if defined(__cplusplus)
extern "C" {
#endif

/* A density for every place in the world; negative is solid. */
typedef struct quarry_field quarry_field;
/* The surface of a field in one chunk. */
typedef struct quarry_chunk quarry_chunk;
/* Vertices and triangles of a chunk, ready to be drawn. */
typedef struct quarry_mesh quarry_mesh;

/* A world from its JSON description; heightmaps are looked for in `folder`. */
QUARRY_C_API quarry_field* quarry_field_from_json(const char* json, const char* folder);
/* Hills with overhangs. octaves: 1 to 16; frequency: waves per world unit, 1e-6 to 1e3; amplitude: world units, 0 to
 * 1e6. */
QUARRY_C_API quarry_field* quarry_field_noise(uint64_t seed, int octaves, double frequency, double amplitude);
/* The world of the pictures: mountains, valleys and caves, with materials. */
QUARRY_C_API quarry_field* quarry_field_showcase(uint64_t seed);
/* Gives the field back. Chunks and edits that were made of it stay valid. */
QUARRY_C_API void quarry_field_free(quarry_field* field);
/* Densities at `count` places of three doubles each; negative is solid. */
QUARRY_C_API quarry_code quarry_field_densities(const quarry_field* field, const double* places, size_t count,
                                                float* out);

/* Which chunk: its level of detail, and its place counted in chunks of that level. */
typedef struct quarry_chunk_key {
    int32_t lod; /* level of detail, 0 (finest) to 7 */
    int32_t x;   /* along the x axis */
    int32_t y;   /* along the y axis, which points up */
    int32_t z;   /* along the z axis */
} quarry_chunk_key;

/* The surface of one chunk, from which any of the 64 side masks can be baked. cells along each axis: even, 4 to 62.
 * voxel_size: world units of a cell at LOD 0. */
QUARRY_C_API quarry_chunk* quarry_extract(const quarry_field* field, quarry_chunk_key key, int cells,
                                          double voxel_size);
/* Gives the chunk back. */
QUARRY_C_API void quarry_chunk_free(quarry_chunk* chunk);
/* What a chunk holds. 0: no surface, as the field's bounds prove; 1: no surface, as samples show; 2: a surface. */
QUARRY_C_API int quarry_chunk_content(const quarry_chunk* chunk);
/* The mesh of a chunk whose neighbours on the sides of `mask` are one level coarser; 0 to 63, bits as in
 * quarry/terrain/chunk_key.hpp. */
QUARRY_C_API quarry_mesh* quarry_bake(const quarry_chunk* chunk, uint32_t mask);
/* Gives the mesh back. */
QUARRY_C_API void quarry_mesh_free(quarry_mesh* mesh);

/* Extracts and bakes `count` chunks on `workers` threads (0: one for each usable processor) while this call lasts.
 * meshes[i] is the mesh of keys[i] with the sides of masks[i] (NULL: none), to be freed; NULL: it has no surface. On
 * failure all are NULL. */
QUARRY_C_API quarry_code quarry_mesh_chunks(const quarry_field* field, const quarry_chunk_key* keys,
                                            const uint32_t* masks, size_t count, int cells, double voxel_size,
                                            int workers, quarry_mesh** meshes);

/* A mesh's arrays, where they lie, valid until it is freed. Positions are in lattice units of the chunk's LOD. */
typedef struct quarry_mesh_view {
    quarry_chunk_key key;          /* the chunk that it is of */
    size_t vertices;               /* how many */
    const float* positions;        /* three for each vertex */
    const float* normals;          /* three for each vertex */
    const uint8_t* materials;      /* four weights for each vertex; NULL: none */
    size_t indices;                /* how many: three for each triangle */
    const uint16_t* short_indices; /* the indices if they fit 16 bits, else NULL */
    const uint32_t* long_indices;  /* the indices if they do not, else NULL */
} quarry_mesh_view;
/* Fills the view of a mesh. */
QUARRY_C_API quarry_code quarry_mesh_get(const quarry_mesh* mesh, quarry_mesh_view* view);

#if defined(__cplusplus)
}
#endif
/* NOLINTEND(modernize-*,readability-identifier-naming) */

#endif
