/* Files that keep edits. See quarry/c.h for what holds for all functions. */
#ifndef QUARRY_C_WORLD_FILE_H
#define QUARRY_C_WORLD_FILE_H

/* NOLINTBEGIN(modernize-*,readability-identifier-naming): this is C */
#include "quarry/c/edits.h"

#if defined(__cplusplus)
extern "C" {
#endif

/* A file in which edits are saved as they are made: an SQLite database. What was reported as saved survives a crash and
 * a power cut. Used by the thread that edits. */
typedef struct quarry_world_file quarry_world_file;

/* How a file of edits is opened. */
typedef struct quarry_world_file_options {
    size_t size;     /* of this struct, as the caller knows it */
    uint64_t ground; /* the caller's number for field and stamps; a file for another one is refused; default 0 */
    int batch_ms;    /* edits are collected for so long, then saved together; 0 to 60,000; default 200 */
    int read_only;   /* 1: nothing is saved, and others may write the file meanwhile; default 0 */
} quarry_world_file_options;
/* Sets the size and all defaults. */
QUARRY_C_API void quarry_world_file_options_init(quarry_world_file_options* options);

/* Opens the file, or makes it if there is none, for edits of which none has been applied. `options` may be NULL. NULL:
 * quarry_last_error says why; whatever is there stays as it is. Ground of the file appears by and by, or at once by
 * quarry_world_file_load; edits load what they reach. Undo does not go back beyond this moment. */
QUARRY_C_API quarry_world_file* quarry_world_file_open(quarry_edits* edits, const char* path,
                                                       const quarry_world_file_options* options);
/* Saves what is left, waits for that, and closes the file. The edits stay, and may have been freed before. */
QUARRY_C_API void quarry_world_file_close(quarry_world_file* file);

/* A box along the axes, in world units. */
typedef struct quarry_box {
    double low_x;  /* of its low corner */
    double low_y;  /* of its low corner */
    double low_z;  /* of its low corner */
    double high_x; /* of its high corner */
    double high_y; /* of its high corner */
    double high_z; /* of its high corner */
} quarry_box;

/* Once a frame: takes in what was loaded, and has edits saved. Never waits. What is near these `count` places of three
 * doubles each is loaded first. *boxes are those in which ground of the file has appeared since the last call, valid
 * until the next one; `boxes` and `found` may be NULL. */
QUARRY_C_API quarry_code quarry_world_file_update(quarry_world_file* file, const double* places, size_t count,
                                                  const quarry_box** boxes, size_t* found);
/* Loads what the file has in a box now. NULL: all of it. */
QUARRY_C_API quarry_code quarry_world_file_load(quarry_world_file* file, const quarry_box* box);
/* Waits until all edits are in the file. QUARRY_FAILED: they could not be saved; quarry_last_error says why. They stay
 * in memory, and saving is tried again. */
QUARRY_C_API quarry_code quarry_world_file_save(quarry_world_file* file);

/* What has become of edits. */
typedef struct quarry_world_file_stats {
    size_t size;            /* of this struct, as the caller knows it */
    uint64_t edits;         /* made in this world, in all sessions */
    uint64_t saved;         /* of these, the first so many are in the file, as of the last update or save */
    uint64_t batches;       /* saved in this session */
    uint64_t failures;      /* batches that could not be saved; each was tried again */
    uint64_t loaded_bricks; /* blocks of both kinds that were loaded in this session */
    int is_loaded;          /* 1: all of the file has been loaded */
    int is_damaged;         /* 1: part of the file cannot be read; nothing is saved any more, the file stays as it is */
} quarry_world_file_stats;
/* Copies the figures. Set stats->size to sizeof *stats first. */
QUARRY_C_API quarry_code quarry_world_file_get_stats(const quarry_world_file* file, quarry_world_file_stats* stats);
/* Why nothing can be saved or loaded just now, valid until the next call for this file; "": all is well. */
QUARRY_C_API const char* quarry_world_file_problem(quarry_world_file* file);

/* What a file says of itself. */
typedef struct quarry_world_file_info {
    size_t size;           /* of this struct, as the caller knows it */
    int format;            /* of the file */
    double voxel_size;     /* of the edits that it keeps */
    uint64_t ground;       /* as in quarry_world_file_options */
    uint64_t edits;        /* that were made */
    uint64_t bricks;       /* blocks of 16 x 16 x 16 densities */
    uint64_t paint_bricks; /* blocks of that size with paint */
    uint64_t brick_bytes;  /* of both, compressed */
    uint64_t file_bytes;   /* on the disk */
} quarry_world_file_info;
/* Reads the sizes of all blocks, but not the blocks. Set info->size to sizeof *info first. */
QUARRY_C_API quarry_code quarry_world_file_get_info(const char* path, quarry_world_file_info* info);
/* Reads all of a file. What is wrong with it is written to `text`, one line for each problem, with a final 0, as far as
 * there is room; *length is what all of it takes without that 0, so 0 means that nothing is wrong. *bricks (may be
 * NULL) is how many blocks were read. QUARRY_FAILED: it is no such file, or cannot be read. */
QUARRY_C_API quarry_code quarry_world_file_check(const char* path, char* text, size_t capacity, size_t* length,
                                                 uint64_t* bricks);

#if defined(__cplusplus)
}
#endif
/* NOLINTEND(modernize-*,readability-identifier-naming) */

#endif
