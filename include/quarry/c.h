/* The C API of Quarry: worker processes, frames and terrain for other languages.
 *
 * Every function that can fail answers a quarry_code: QUARRY_OK, or what went wrong; quarry_last_error() has it in
 * words, for the calling thread, until its next call. Functions that answer a pointer answer NULL on failure. No
 * exception leaves the library. A pointer to something made here is given back with the matching ..._free, once;
 * ..._free(NULL) does nothing.
 *
 * Structs that the caller fills begin with their size, so that a later version can add fields: set it by the
 * ..._init function, which also sets every default. The same major version keeps all functions and fields.
 *
 * Unless a function says otherwise it may be called from any thread, but not for the same object at the same time. */
#ifndef QUARRY_C_H
#define QUARRY_C_H

/* NOLINTBEGIN(modernize-*,readability-identifier-naming): this is C */
#include <stddef.h>
#include <stdint.h>

#if defined(__cplusplus)
extern "C" {
#endif

#define QUARRY_C_API __attribute__((visibility("default")))

/* The version of this header. */
#define QUARRY_C_VERSION 1

typedef enum quarry_code {
    QUARRY_OK = 0,
    QUARRY_INVALID = 1, /* an argument that is not allowed */
    QUARRY_FAILED = 2,  /* the system or the library refused */
    QUARRY_REFUSED = 3, /* a job was not accepted; see quarry_refusal */
    QUARRY_TIMEOUT = 4, /* the moment came first */
    QUARRY_NONE = 5,    /* there is no such thing */
    QUARRY_NO_MEMORY = 6
} quarry_code;

/* The version that the library was built with: compare with QUARRY_C_VERSION. */
QUARRY_C_API int quarry_c_version(void);
/* "0.1.0" */
QUARRY_C_API const char* quarry_version(void);
/* What the last failed call of this thread said; "" if there was none. */
QUARRY_C_API const char* quarry_last_error(void);

/* ---- Worker processes: the host ---- */

typedef struct quarry_engine quarry_engine;
typedef struct quarry_results quarry_results;

typedef struct quarry_engine_options {
    size_t size;                    /* of this struct, as the caller knows it */
    int workers;                    /* 1 to 256; default 4 */
    size_t job_queue;               /* default 10,000 */
    size_t result_queue;            /* default 10,000 */
    int heartbeat_ms;               /* default 1,000 */
    int shutdown_timeout_ms;        /* default 2,000 */
    int start_timeout_ms;           /* default 30,000 */
    const char* const* command;     /* what a worker is: its executable and arguments, ended by NULL */
    const char* const* environment; /* NAME=VALUE for workers, ended by NULL; or NULL */
    int output;                     /* descriptor for what workers print; -1 (default): where this process prints */
    int spares;                     /* default 0 */
    int wait;                       /* 1 (default): quarry_engine_new waits until workers are ready or have failed */
    size_t ring_slots;              /* default 512 */
    size_t max_payload;             /* bytes; default 64 MiB */
    size_t job_arena;               /* bytes; default 128 MiB */
    size_t result_arena;            /* bytes for each worker; default 64 MiB */
    size_t max_states;              /* default 256 */
    uint64_t memory_limit;          /* bytes a worker may allocate; 0 (default): no limit */
    int work_ahead_us;              /* default 100 */
    int spin_us;                    /* default 50 */
    int portable;                   /* 1: only what every POSIX system has; default 0 */
} quarry_engine_options;

/* Sets the size and all defaults. */
QUARRY_C_API void quarry_engine_options_init(quarry_engine_options* options);
/* Starts the workers. NULL: quarry_last_error says why, with what a worker said. */
QUARRY_C_API quarry_engine* quarry_engine_new(const quarry_engine_options* options);
/* Shuts down within shutdown_timeout_ms and frees. Results that were taken stay valid. */
QUARRY_C_API void quarry_engine_free(quarry_engine* engine);

typedef enum quarry_priority {
    QUARRY_PRIORITY_LOW = 0,
    QUARRY_PRIORITY_NORMAL = 1,
    QUARRY_PRIORITY_HIGH = 2,
    QUARRY_PRIORITY_URGENT = 3
} quarry_priority;

typedef enum quarry_refusal {
    QUARRY_REFUSAL_NONE = 0,
    QUARRY_REFUSAL_QUEUE_FULL = 1,
    QUARRY_REFUSAL_ARENA_FULL = 2,
    QUARRY_REFUSAL_PAYLOAD_TOO_LARGE = 3,
    QUARRY_REFUSAL_UNKNOWN_TYPE = 4,
    QUARRY_REFUSAL_NO_SUCH_WORKER = 5,
    QUARRY_REFUSAL_SHUT_DOWN = 6,
    QUARRY_REFUSAL_FAILED = 7
} quarry_refusal;
/* In words, with what is allowed. */
QUARRY_C_API const char* quarry_refusal_text(int refusal);

typedef struct quarry_job_options {
    size_t size;
    int64_t deadline_ns; /* of the monotonic clock (quarry_now_ns); 0 (default): none */
    int priority;        /* quarry_priority; default normal */
    int worker;          /* only this one; -1 (default): any */
    int has_frame;       /* 1: frame_tag is set */
    uint32_t frame_tag;  /* from quarry_ledger_submitted */
} quarry_job_options;
QUARRY_C_API void quarry_job_options_init(quarry_job_options* options);

/* The monotonic clock that deadlines and waits are given in. */
QUARRY_C_API int64_t quarry_now_ns(void);

/* Never waits. Copies the payload. QUARRY_REFUSED: *refusal says why. `options` and `refusal` may be NULL. Any thread,
 * also at the same time. */
QUARRY_C_API quarry_code quarry_engine_submit(quarry_engine* engine, const char* type, const void* payload,
                                              size_t length, const quarry_job_options* options, uint64_t* id,
                                              int* refusal);
/* `count` jobs of one type, payload i at payloads[i] with lengths[i] bytes. *accepted: the first so many, with ids[i].
 * QUARRY_REFUSED unless all were. */
QUARRY_C_API quarry_code quarry_engine_submit_many(quarry_engine* engine, const char* type, size_t count,
                                                   const void* const* payloads, const size_t* lengths,
                                                   const quarry_job_options* options, uint64_t* ids, size_t* accepted,
                                                   int* refusal);

/* As quarry_engine_submit, for languages in which a place for an answer is dear: answers the job's id. 0: it was not
 * accepted; quarry_last_refusal says why. */
QUARRY_C_API uint64_t quarry_engine_send(quarry_engine* engine, const char* type, const void* payload, size_t length,
                                         const quarry_job_options* options);
/* The payload is `count` parts, which are put behind each other without a copy in between. */
QUARRY_C_API uint64_t quarry_engine_send_parts(quarry_engine* engine, const char* type, const void* const* parts,
                                               const size_t* lengths, size_t count, const quarry_job_options* options);
/* Why the last quarry_engine_send of this thread answered 0: a quarry_refusal. QUARRY_REFUSAL_NONE: it was called with
 * what is not allowed, see quarry_last_error. */
QUARRY_C_API int quarry_last_refusal(void);

typedef enum quarry_status {
    QUARRY_STATUS_OK = 0,
    QUARRY_STATUS_ERROR = 1,
    QUARRY_STATUS_CANCELLED = 2,
    QUARRY_STATUS_DEADLINE = 3,
    QUARRY_STATUS_WORKER_LOST = 4
} quarry_status;

typedef struct quarry_result {
    uint64_t id;
    int status; /* quarry_status */
    int poison; /* 1: its worker died twice of it */
    int worker; /* -1: none */
    int has_frame;
    uint32_t frame_tag;
    uint64_t type; /* quarry_type_hash of its name */
    int64_t run_ns;
    int64_t latency_ns;
    const void* payload; /* valid until its quarry_results are freed, or it is detached and that freed */
    size_t length;
    const char* text; /* of any status but ok: what happened */
    const char* traceback;
} quarry_result;

/* What has come, at most `most` and within budget_ns (negative: no limit). Never waits. NULL: there is nothing, with
 * *count 0. */
QUARRY_C_API quarry_results* quarry_engine_poll(quarry_engine* engine, size_t most, int64_t budget_ns, size_t* count);
/* The results in order, `count` of them, valid until quarry_results_free. */
QUARRY_C_API const quarry_result* quarry_results_get(const quarry_results* results);
QUARRY_C_API size_t quarry_results_count(const quarry_results* results);
QUARRY_C_API void quarry_results_free(quarry_results* results);
/* Takes the payload of one result out, so that it lives on after quarry_results_free: for views that keep their memory
 * alive, after the worker's and the engine's end. NULL: it is small, copy it. Any thread may free it. */
typedef struct quarry_payload quarry_payload;
QUARRY_C_API quarry_payload* quarry_results_detach(quarry_results* results, size_t index);
QUARRY_C_API void quarry_payload_free(quarry_payload* payload);

/* 0: it will not run. 1: it runs and has been asked to stop. 2: there is no such job. */
QUARRY_C_API int quarry_engine_cancel(quarry_engine* engine, uint64_t id);
/* Until all have results, or until that moment: QUARRY_TIMEOUT. */
QUARRY_C_API quarry_code quarry_engine_wait(quarry_engine* engine, const uint64_t* ids, size_t count, int64_t until_ns);
QUARRY_C_API quarry_code quarry_engine_drain(quarry_engine* engine, int64_t until_ns);
QUARRY_C_API quarry_code quarry_engine_broadcast(quarry_engine* engine, const char* key, const void* payload,
                                                 size_t length, int* refusal);
/* QUARRY_NONE: no such key. */
QUARRY_C_API quarry_code quarry_engine_forget(quarry_engine* engine, const char* key);
/* 1: may be run again when its worker dies; 0, the default: at most once. */
QUARRY_C_API quarry_code quarry_engine_set_idempotent(quarry_engine* engine, const char* type, int idempotent);
/* Becomes readable when there are results; quarry_engine_poll clears it. */
QUARRY_C_API int quarry_engine_descriptor(quarry_engine* engine);
QUARRY_C_API uint64_t quarry_type_hash(const char* name);

/* 0 ready, 1 degraded, 2 failed. */
QUARRY_C_API int quarry_engine_ready(const quarry_engine* engine);

typedef struct quarry_engine_stats {
    size_t size;
    uint64_t accepted, refused, ok, errors, cancelled, deadline, lost, poison, polled, reruns, restarts, corrupt, hung,
        late;
    size_t waiting, running, results, waiting_high_water, job_arena_used, memory_bound;
    int job_queue_level; /* 0 normal, 1 80 % full, 2 90 % full */
    int result_queue_level;
} quarry_engine_stats;
/* Set `size` first. */
QUARRY_C_API quarry_code quarry_engine_get_stats(const quarry_engine* engine, quarry_engine_stats* stats);

typedef struct quarry_worker_health {
    int process; /* -1: none at the moment */
    int alive;
    int busy;
    int lacks_room;
    uint64_t jobs;
    uint64_t restarts;
    int64_t since_heartbeat_ns;
} quarry_worker_health;
/* Up to `capacity` of them into `workers`; answers how many there are. */
QUARRY_C_API size_t quarry_engine_get_health(const quarry_engine* engine, quarry_worker_health* workers,
                                             size_t capacity);

/* Why a worker could not be started, written to `text` with a final 0; *length is what it takes without it, 0: none has
 * failed. QUARRY_INVALID: capacity is less. */
QUARRY_C_API quarry_code quarry_engine_failure(const quarry_engine* engine, char* text, size_t capacity,
                                               size_t* length);

typedef struct quarry_shutdown_report {
    uint64_t cancelled, finished, lost;
    int exited, killed;
} quarry_shutdown_report;
/* `report` may be NULL. */
QUARRY_C_API quarry_code quarry_engine_shutdown(quarry_engine* engine, int64_t timeout_ns,
                                                quarry_shutdown_report* report);

/* ---- Worker processes: the worker ---- */

/* A process that an engine has started, serving its handlers in any language. All calls from one thread. */
typedef struct quarry_worker quarry_worker;

typedef struct quarry_job {
    uint64_t id;
    uint64_t type; /* quarry_type_hash of a handler's name */
    const void* payload;
    size_t length;
} quarry_job;

/* NULL: no engine has started this process. */
QUARRY_C_API quarry_worker* quarry_worker_open(void);
QUARRY_C_API void quarry_worker_close(quarry_worker* worker);
/* What it can do; jobs come from now on. */
QUARRY_C_API quarry_code quarry_worker_ready(quarry_worker* worker, const char* const* names, size_t count);
/* It cannot serve: quarry_engine_new fails with this text. */
QUARRY_C_API quarry_code quarry_worker_refuse(quarry_worker* worker, const char* why);
/* The next job. QUARRY_TIMEOUT: that moment has come. QUARRY_NONE: the engine wants no more. */
QUARRY_C_API quarry_code quarry_worker_take(quarry_worker* worker, int64_t until_ns, quarry_job* job);
/* Room for the answer to the job, where the host will read it. Waits while the host holds too many. */
QUARRY_C_API void* quarry_worker_reply(quarry_worker* worker, size_t length);
/* One of these ends the job: the answer stands; an error; it heeded a request to stop. */
QUARRY_C_API quarry_code quarry_worker_finish(quarry_worker* worker);
QUARRY_C_API quarry_code quarry_worker_fail(quarry_worker* worker, const char* text, const char* traceback);
QUARRY_C_API quarry_code quarry_worker_cancelled(quarry_worker* worker);
QUARRY_C_API int quarry_worker_stop_requested(const quarry_worker* worker);
/* Ends the job that was taken, if there is one, with a copy of these bytes as its answer, and takes the next one. */
QUARRY_C_API quarry_code quarry_worker_next(quarry_worker* worker, const void* answer, size_t length, int64_t until_ns,
                                            quarry_job* job);
/* A broadcast state, valid until the next take. QUARRY_NONE: no such key. */
QUARRY_C_API quarry_code quarry_worker_state(const quarry_worker* worker, const char* key, const void** data,
                                             size_t* length, uint64_t* version);

/* ---- Frames ---- */

typedef struct quarry_clock quarry_clock;
typedef struct quarry_ledger quarry_ledger;

/* Fixed steps: 1 to 1000 Hz, at most 1 to 1000 steps at once. */
QUARRY_C_API quarry_clock* quarry_clock_new(double hertz, int max_catch_up);
QUARRY_C_API void quarry_clock_free(quarry_clock* clock);
/* How many steps to run now; *dropped (may be NULL) how many are never to be run. */
QUARRY_C_API int quarry_clock_advance(quarry_clock* clock, int64_t now_ns, int64_t* dropped);
QUARRY_C_API double quarry_clock_interpolation(const quarry_clock* clock);
QUARRY_C_API int64_t quarry_clock_next_step_ns(const quarry_clock* clock);

/* Which job belongs to which frame, for the thread that makes it. hertz 0: no deadline. drop_older_than < 0: late
 * results are applied, only counted. */
QUARRY_C_API quarry_ledger* quarry_ledger_new(double hertz, int drop_older_than);
QUARRY_C_API void quarry_ledger_free(quarry_ledger* ledger);
QUARRY_C_API quarry_code quarry_ledger_begin_frame(quarry_ledger* ledger, uint64_t* frame);
QUARRY_C_API quarry_code quarry_ledger_end_frame(quarry_ledger* ledger);
/* A job is submitted in the current frame. Any thread. */
QUARRY_C_API uint32_t quarry_ledger_submitted(quarry_ledger* ledger);
/* It will not return. Any thread. */
QUARRY_C_API void quarry_ledger_withdrawn(quarry_ledger* ledger, uint32_t tag);
/* Its result is here: *apply says whether to use it. */
QUARRY_C_API quarry_code quarry_ledger_returned(quarry_ledger* ledger, uint32_t tag, int* apply);

typedef struct quarry_ledger_stats {
    size_t size;
    uint64_t frames, submitted, returned, withdrawn, stale, dropped, latency_max, missed_frames, overrun_frames;
    double mean_latency;
    double stale_percent;
} quarry_ledger_stats;
QUARRY_C_API quarry_code quarry_ledger_get_stats(const quarry_ledger* ledger, quarry_ledger_stats* stats);
/* All figures as JSON, written to `text` with a final 0; *length is what it takes without it. QUARRY_INVALID: capacity
 * is less. */
QUARRY_C_API quarry_code quarry_ledger_json(const quarry_ledger* ledger, char* text, size_t capacity, size_t* length);

/* ---- Terrain ---- */

typedef struct quarry_field quarry_field;
typedef struct quarry_chunk quarry_chunk;
typedef struct quarry_mesh quarry_mesh;

/* A world from its JSON description; heightmaps are looked for in `folder`. */
QUARRY_C_API quarry_field* quarry_field_from_json(const char* json, const char* folder);
QUARRY_C_API quarry_field* quarry_field_noise(uint64_t seed, int octaves, double frequency, double amplitude);
QUARRY_C_API quarry_field* quarry_field_showcase(uint64_t seed);
QUARRY_C_API void quarry_field_free(quarry_field* field);
/* Densities at `count` places of three doubles each; negative is solid. */
QUARRY_C_API quarry_code quarry_field_densities(const quarry_field* field, const double* places, size_t count,
                                                float* out);

typedef struct quarry_chunk_key {
    int32_t lod, x, y, z;
} quarry_chunk_key;

/* The surface of one chunk, from which any of the 64 side masks can be baked. cells: even, 4 to 62. */
QUARRY_C_API quarry_chunk* quarry_extract(const quarry_field* field, quarry_chunk_key key, int cells,
                                          double voxel_size);
QUARRY_C_API void quarry_chunk_free(quarry_chunk* chunk);
/* 0 rejected by bounds, 1 no surface, 2 a surface. */
QUARRY_C_API int quarry_chunk_content(const quarry_chunk* chunk);
QUARRY_C_API quarry_mesh* quarry_bake(const quarry_chunk* chunk, uint32_t mask);
QUARRY_C_API void quarry_mesh_free(quarry_mesh* mesh);

/* Extracts and bakes `count` chunks on `workers` threads (0: one for each usable processor) while this call lasts.
 * meshes[i] is the mesh of keys[i] with the sides of masks[i] (NULL: none), to be freed; NULL: it has no surface. On
 * failure all are NULL. */
QUARRY_C_API quarry_code quarry_mesh_chunks(const quarry_field* field, const quarry_chunk_key* keys,
                                            const uint32_t* masks, size_t count, int cells, double voxel_size,
                                            int workers, quarry_mesh** meshes);

/* A mesh's arrays, where they lie, valid until it is freed. Positions are in lattice units of the chunk's LOD. */
typedef struct quarry_mesh_view {
    quarry_chunk_key key;
    size_t vertices;
    const float* positions;   /* three each */
    const float* normals;     /* three each */
    const uint8_t* materials; /* four each; NULL: none */
    size_t indices;
    const uint16_t* short_indices; /* one of the two is NULL, unless there are no indices */
    const uint32_t* long_indices;
} quarry_mesh_view;
QUARRY_C_API quarry_code quarry_mesh_get(const quarry_mesh* mesh, quarry_mesh_view* view);

/* ---- Edits ---- */

/* Ground that can be changed: edits over a field, kept at points voxel_size apart. One thread at a time. */
typedef struct quarry_edits quarry_edits;

typedef enum quarry_edit_kind {
    QUARRY_EDIT_ADD = 0,
    QUARRY_EDIT_DIG = 1,
    QUARRY_EDIT_SMOOTH = 2,
    QUARRY_EDIT_FLATTEN = 3,
    QUARRY_EDIT_RAISE = 4,
    QUARRY_EDIT_PAINT = 5,
    QUARRY_EDIT_UNDO = 6,
    QUARRY_EDIT_REDO = 7,
    QUARRY_EDIT_REMOVE = 8 /* the loose part at (x, y, z) */
} quarry_edit_kind;
typedef enum quarry_brush {
    QUARRY_BRUSH_SPHERE = 0,
    QUARRY_BRUSH_BOX = 1,
    QUARRY_BRUSH_CAPSULE = 2,
    QUARRY_BRUSH_STAMP = 3
} quarry_brush;

/* What quarry::terrain::Edit is in C++. Edits with the same editor and stroke are undone together. */
typedef struct quarry_edit {
    size_t size;
    int kind, shape;
    int material; /* of paint: 0 to 3 */
    uint32_t stamp, editor, stroke;
    double x, y, z;                     /* the middle; of a capsule one end of its line */
    float extent_x, extent_y, extent_z; /* of a box half of its size; of a capsule from there to the other end */
    float normal_x, normal_y, normal_z; /* of flatten: out of the ground */
    float radius, strength, falloff;
    float amount; /* of raise */
} quarry_edit;
/* A dig by a sphere of radius 1 at (0, 0, 0) with full strength. */
QUARRY_C_API void quarry_edit_init(quarry_edit* edit);

typedef struct quarry_edit_report {
    size_t size;
    int done;                   /* 0: there was nothing to undo or redo */
    uint64_t samples, painted;  /* how many have changed */
    double low_x, low_y, low_z; /* a box that holds all of them, if there are any */
    double high_x, high_y, high_z;
} quarry_edit_report;
typedef struct quarry_edits_stats {
    size_t size;
    uint64_t applied, bricks, paint_bricks, brick_bytes, undo_bytes, strokes;
} quarry_edits_stats;

/* undo_bytes: 64 KiB to 64 GiB of what undo needs; 0: 64 MiB. The field may be freed before the edits are. */
QUARRY_C_API quarry_edits* quarry_edits_new(const quarry_field* field, double voxel_size, uint64_t undo_bytes);
QUARRY_C_API void quarry_edits_free(quarry_edits* edits);
/* report may be NULL. QUARRY_INVALID: nothing has changed. */
QUARRY_C_API quarry_code quarry_edits_apply(quarry_edits* edits, const quarry_edit* edit, quarry_edit_report* report);
/* The edit that undoes or redoes the last stroke of an editor, to be applied, here and wherever the same edits are.
 * QUARRY_NONE: there is none. */
QUARRY_C_API quarry_code quarry_edits_undo_of(const quarry_edits* edits, uint32_t editor, quarry_edit* edit);
QUARRY_C_API quarry_code quarry_edits_redo_of(const quarry_edits* edits, uint32_t editor, quarry_edit* edit);
/* A field as a brush that reaches `radius` from (0, 0, 0): its number for quarry_edit.stamp; -1: it cannot be one. */
QUARRY_C_API int quarry_edits_add_stamp(quarry_edits* edits, const quarry_field* stamp, double radius);
/* The ground as it is now, to be freed; later edits do not change it, and other threads may read it. Its chunks are
 * extracted with the voxel_size of the edits. */
QUARRY_C_API quarry_field* quarry_edits_field(quarry_edits* edits);
QUARRY_C_API quarry_code quarry_edits_get_stats(const quarry_edits* edits, quarry_edits_stats* stats);
/* Equal for equal edits over equal fields, on any machine. */
QUARRY_C_API uint64_t quarry_edits_hash(const quarry_edits* edits);

/* ---- Files ---- */

typedef enum quarry_format {
    QUARRY_FORMAT_GLB = 0,
    QUARRY_FORMAT_OBJ = 1,
    QUARRY_FORMAT_PLY = 2,
    QUARRY_FORMAT_STL = 3
} quarry_format;
/* Writes meshes to a file: whole, or not at all. */
QUARRY_C_API quarry_code quarry_export(const quarry_mesh* const* meshes, size_t count, int format, int cells,
                                       double voxel_size, int welded, const char* path);

#if defined(__cplusplus)
}
#endif
/* NOLINTEND(modernize-*,readability-identifier-naming) */

#endif
