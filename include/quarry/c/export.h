/* Files of meshes. See quarry/c.h for what holds for all functions. */
#ifndef QUARRY_C_EXPORT_H
#define QUARRY_C_EXPORT_H

/* NOLINTBEGIN(modernize-*,readability-identifier-naming): this is C */
#include "quarry/c/terrain.h"

#if defined(__cplusplus)
extern "C" {
#endif

/* Formats of files that quarry_export writes. */
typedef enum quarry_format {
    QUARRY_FORMAT_GLB = 0, /* binary glTF 2.0 */
    QUARRY_FORMAT_OBJ = 1, /* Wavefront, text */
    QUARRY_FORMAT_PLY = 2, /* Stanford polygons, binary */
    QUARRY_FORMAT_STL = 3  /* triangles without shared vertices, binary */
} quarry_format;
/* Writes meshes to a file: whole, or not at all. cells and voxel_size as the meshes were extracted with; welded 1: one
 * mesh in which chunks share vertices. */
QUARRY_C_API quarry_code quarry_export(const quarry_mesh* const* meshes, size_t count, int format, int cells,
                                       double voxel_size, int welded, const char* path);

#if defined(__cplusplus)
}
#endif
/* NOLINTEND(modernize-*,readability-identifier-naming) */

#endif
