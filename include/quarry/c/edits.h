/* Edits: ground that can be changed. See quarry/c.h for what holds for all functions. */
#ifndef QUARRY_C_EDITS_H
#define QUARRY_C_EDITS_H

/* NOLINTBEGIN(modernize-*,readability-identifier-naming): this is C */
#include "quarry/c/terrain.h"

#if defined(__cplusplus)
extern "C" {
#endif

/* Ground that can be changed: edits over a field, kept at points voxel_size apart. One thread at a time. */
typedef struct quarry_edits quarry_edits;

/* What an edit does to the ground within its brush. */
typedef enum quarry_edit_kind {
    QUARRY_EDIT_ADD = 0,     /* fills the brush */
    QUARRY_EDIT_DIG = 1,     /* empties it */
    QUARRY_EDIT_SMOOTH = 2,  /* moves each sample towards the mean of its neighbours */
    QUARRY_EDIT_FLATTEN = 3, /* towards the plane through (x, y, z) with that normal */
    QUARRY_EDIT_RAISE = 4,   /* by `amount`; lowers if that is negative */
    QUARRY_EDIT_PAINT = 5,   /* with `material` */
    QUARRY_EDIT_UNDO = 6,    /* all edits of `editor` with that `stroke`; has no brush */
    QUARRY_EDIT_REDO = 7,    /* what was undone; has no brush */
    QUARRY_EDIT_REMOVE = 8   /* the loose part at (x, y, z); has no brush */
} quarry_edit_kind;
/* The shape in which an edit works, around (x, y, z). */
typedef enum quarry_brush {
    QUARRY_BRUSH_SPHERE = 0,  /* all within `radius` */
    QUARRY_BRUSH_BOX = 1,     /* with sides along the axes */
    QUARRY_BRUSH_CAPSULE = 2, /* all within `radius` of a line */
    QUARRY_BRUSH_STAMP = 3    /* a field: see quarry_edits_add_stamp */
} quarry_brush;

/* A change of the ground; quarry::terrain::Edit in C++. Lengths are in world units. Edits with equal editor and stroke
 * are undone together. */
typedef struct quarry_edit {
    size_t size;     /* of this struct, as the caller knows it */
    int kind;        /* quarry_edit_kind: what is done */
    int shape;       /* quarry_brush: where it is done */
    int material;    /* of paint: 0 to 3 */
    uint32_t stamp;  /* of the brush stamp: what quarry_edits_add_stamp answered */
    uint32_t editor; /* who edits, 0 to 65,535 */
    uint32_t stroke; /* number of the editor's stroke */
    double x;        /* the middle; of a capsule one end of its line */
    double y;        /* of the middle */
    double z;        /* of the middle */
    float extent_x;  /* of a box: half of its size; of a capsule: from the middle to the other end */
    float extent_y;  /* of the extent */
    float extent_z;  /* of the extent */
    float normal_x;  /* of flatten: out of the ground, of any length */
    float normal_y;  /* of the normal */
    float normal_z;  /* of the normal */
    float radius;    /* above 0; not used by a box; of a stamp the size to which it is scaled */
    float strength;  /* 0 to 1: how far to go in one edit */
    float falloff;   /* length from the brush's surface inwards over which the effect grows to full strength */
    float amount;    /* of raise */
} quarry_edit;
/* Sets the size and makes it a dig by a sphere of radius 1 at (0, 0, 0) with full strength. */
QUARRY_C_API void quarry_edit_init(quarry_edit* edit);

/* What an edit has changed. Low and high are the corners of a box around all of it, in world units. */
typedef struct quarry_edit_report {
    size_t size;      /* of this struct, as the caller knows it */
    int done;         /* 0: there was nothing to undo or redo */
    uint64_t samples; /* densities that have changed */
    uint64_t painted; /* samples of paint that have changed */
    double low_x;     /* of the box's low corner */
    double low_y;     /* of the box's low corner */
    double low_z;     /* of the box's low corner */
    double high_x;    /* of the box's high corner */
    double high_y;    /* of the box's high corner */
    double high_z;    /* of the box's high corner */
} quarry_edit_report;
/* What the edits hold. */
typedef struct quarry_edits_stats {
    size_t size;           /* of this struct, as the caller knows it */
    uint64_t applied;      /* edits that were applied */
    uint64_t bricks;       /* blocks of 16 x 16 x 16 densities that have changed */
    uint64_t paint_bricks; /* blocks of that size in which paint has changed */
    uint64_t brick_bytes;  /* memory of both kinds, and of what finds them */
    uint64_t undo_bytes;   /* memory of what can be undone and redone */
    uint64_t strokes;      /* strokes that are remembered */
} quarry_edits_stats;

/* Edits over a field, at points voxel_size apart. undo_bytes: 64 KiB to 64 GiB of what undo needs; 0: 64 MiB. The field
 * may be freed before the edits are. */
QUARRY_C_API quarry_edits* quarry_edits_new(const quarry_field* field, double voxel_size, uint64_t undo_bytes);
/* Gives the edits back. Fields that quarry_edits_field gave stay valid. */
QUARRY_C_API void quarry_edits_free(quarry_edits* edits);
/* Makes an edit. `report` may be NULL. QUARRY_INVALID: nothing has changed. */
QUARRY_C_API quarry_code quarry_edits_apply(quarry_edits* edits, const quarry_edit* edit, quarry_edit_report* report);
/* The edit that undoes the last stroke of an editor, to be applied here and wherever the edits are shared. QUARRY_NONE:
 * there is none. */
QUARRY_C_API quarry_code quarry_edits_undo_of(const quarry_edits* edits, uint32_t editor, quarry_edit* edit);
/* The edit that redoes what the editor has undone last. QUARRY_NONE: there is none. */
QUARRY_C_API quarry_code quarry_edits_redo_of(const quarry_edits* edits, uint32_t editor, quarry_edit* edit);
/* A field as a brush that reaches `radius` from (0, 0, 0): its number for quarry_edit.stamp; -1: it cannot be one. */
QUARRY_C_API int quarry_edits_add_stamp(quarry_edits* edits, const quarry_field* stamp, double radius);
/* The ground as it is now, to be freed; later edits do not change it, and other threads may read it. Its chunks are
 * extracted with the voxel_size of the edits. */
QUARRY_C_API quarry_field* quarry_edits_field(quarry_edits* edits);
/* Copies the figures. Set stats->size to sizeof *stats first. */
QUARRY_C_API quarry_code quarry_edits_get_stats(const quarry_edits* edits, quarry_edits_stats* stats);
/* A number for all that edits have changed: equal for equal edits over equal fields, on any machine. */
QUARRY_C_API uint64_t quarry_edits_hash(const quarry_edits* edits);

#if defined(__cplusplus)
}
#endif
/* NOLINTEND(modernize-*,readability-identifier-naming) */

#endif
