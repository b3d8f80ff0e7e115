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

/* Marks what the shared library exports. */
#define QUARRY_C_API __attribute__((visibility("default")))

/* The version of this header. */
#define QUARRY_C_VERSION 1

/* What a function answers: how it went. */
typedef enum quarry_code {
    QUARRY_OK = 0,       /* done */
    QUARRY_INVALID = 1,  /* an argument that is not allowed */
    QUARRY_FAILED = 2,   /* the system or the library refused */
    QUARRY_REFUSED = 3,  /* a job was not accepted; see quarry_refusal */
    QUARRY_TIMEOUT = 4,  /* the moment came first */
    QUARRY_NONE = 5,     /* there is no such thing */
    QUARRY_NO_MEMORY = 6 /* memory ran out */
} quarry_code;

/* The version that the library was built with: compare with QUARRY_C_VERSION. */
QUARRY_C_API int quarry_c_version(void);
/* The version of the library as text, such as "0.1.0". */
QUARRY_C_API const char* quarry_version(void);
/* What the last failed call of this thread said; "" if there was none. */
QUARRY_C_API const char* quarry_last_error(void);

/* ---- Worker processes: the host ---- */

/* Worker processes and the queues to and from them. */
typedef struct quarry_engine quarry_engine;
/* Results that quarry_engine_poll has taken out of an engine. */
typedef struct quarry_results quarry_results;

/* How an engine is made; the defaults suit most programs, but for `command`. */
typedef struct quarry_engine_options {
    size_t size;                    /* of this struct, as the caller knows it */
    int workers;                    /* worker processes, 1 to 256; default 4 */
    size_t job_queue;               /* jobs that may wait for a worker, 1 to 1,000,000; default 10,000 */
    size_t result_queue;            /* results that may wait for poll, 1 to 1,000,000; default 10,000 */
    int heartbeat_ms;               /* silence after which a worker counts as hung, 50 to 3,600,000; default 1,000 */
    int shutdown_timeout_ms;        /* time that quarry_engine_free gives to jobs, 0 to 3,600,000; default 2,000 */
    int start_timeout_ms;           /* time for a worker to become ready, 1 to 3,600,000; default 30,000 */
    const char* const* command;     /* what a worker is: its executable and arguments, ended by NULL */
    const char* const* environment; /* NAME=VALUE for workers, ended by NULL; or NULL */
    int output;                     /* descriptor for what workers print; -1 (default): where this process prints */
    int spares;                     /* started workers that wait to replace a dead one, 0 to 64; default 0 */
    int wait;                       /* 1 (default): quarry_engine_new waits until workers are ready or have failed */
    size_t ring_slots;              /* jobs that a worker may hold: a power of two, 2 to 65,536; default 512 */
    size_t max_payload;             /* bytes of a job or a broadcast state, at most; default 64 MiB */
    size_t job_arena;               /* bytes for the payloads of all jobs and states; default 128 MiB */
    size_t result_arena;            /* bytes for the results of each worker; default 64 MiB */
    size_t max_states;              /* keys of broadcast states, 1 to 1,000,000; default 256 */
    uint64_t memory_limit;          /* bytes a worker may allocate; 0 (default): no limit */
    int work_ahead_us;              /* microseconds of work to hand to a worker in advance; default 100 */
    int spin_us;                    /* microseconds a worker looks for its next job before it sleeps; default 50 */
    int portable;                   /* 1: only what every POSIX system has; default 0 */
} quarry_engine_options;

/* Sets the size and all defaults. */
QUARRY_C_API void quarry_engine_options_init(quarry_engine_options* options);
/* Starts the workers. NULL: quarry_last_error says why, with what a worker said. */
QUARRY_C_API quarry_engine* quarry_engine_new(const quarry_engine_options* options);
/* Shuts down within shutdown_timeout_ms and frees. Results that were taken stay valid. */
QUARRY_C_API void quarry_engine_free(quarry_engine* engine);

/* Which of the waiting jobs is started first. */
typedef enum quarry_priority {
    QUARRY_PRIORITY_LOW = 0,    /* after all others */
    QUARRY_PRIORITY_NORMAL = 1, /* the default */
    QUARRY_PRIORITY_HIGH = 2,   /* before normal jobs */
    QUARRY_PRIORITY_URGENT = 3  /* before all others */
} quarry_priority;

/* Why a job was not accepted. */
typedef enum quarry_refusal {
    QUARRY_REFUSAL_NONE = 0,              /* it was accepted */
    QUARRY_REFUSAL_QUEUE_FULL = 1,        /* job_queue jobs wait already */
    QUARRY_REFUSAL_ARENA_FULL = 2,        /* no room for its payload until others have ended */
    QUARRY_REFUSAL_PAYLOAD_TOO_LARGE = 3, /* more than max_payload bytes */
    QUARRY_REFUSAL_UNKNOWN_TYPE = 4,      /* no worker has a handler of that name */
    QUARRY_REFUSAL_NO_SUCH_WORKER = 5,    /* quarry_job_options.worker is out of range */
    QUARRY_REFUSAL_SHUT_DOWN = 6,         /* the engine has been shut down */
    QUARRY_REFUSAL_FAILED = 7             /* no worker is left, and none can be started */
} quarry_refusal;
/* A refusal in words, with what is allowed. */
QUARRY_C_API const char* quarry_refusal_text(int refusal);

/* How a job is to be run; without options all have their defaults. */
typedef struct quarry_job_options {
    size_t size;         /* of this struct, as the caller knows it */
    int64_t deadline_ns; /* of the monotonic clock (quarry_now_ns); 0 (default): none */
    int priority;        /* quarry_priority; default normal */
    int worker;          /* number of the only worker that may run it, from 0; -1 (default): any */
    int has_frame;       /* 1: frame_tag is set */
    uint32_t frame_tag;  /* from quarry_ledger_submitted */
} quarry_job_options;
/* Sets the size and all defaults. */
QUARRY_C_API void quarry_job_options_init(quarry_job_options* options);

/* The time now, in nanoseconds of the monotonic clock that deadlines and waits are given in. */
QUARRY_C_API int64_t quarry_now_ns(void);

/* Submits a job for the handler called `type` and sets *id. Never waits. Copies the payload. QUARRY_REFUSED: *refusal
 * says why. `options` and `refusal` may be NULL. Any thread, also at the same time. */
QUARRY_C_API quarry_code quarry_engine_submit(quarry_engine* engine, const char* type, const void* payload,
                                              size_t length, const quarry_job_options* options, uint64_t* id,
                                              int* refusal);
/* Submits `count` jobs of one type, payload i at payloads[i] with lengths[i] bytes. *accepted is how many
 * were accepted: the first ones, with ids[i]. QUARRY_REFUSED unless all were. */
QUARRY_C_API quarry_code quarry_engine_submit_many(quarry_engine* engine, const char* type, size_t count,
                                                   const void* const* payloads, const size_t* lengths,
                                                   const quarry_job_options* options, uint64_t* ids, size_t* accepted,
                                                   int* refusal);

/* As quarry_engine_submit, for languages in which a place for an answer is dear: answers the job's id. 0: it was not
 * accepted; quarry_last_refusal says why. */
QUARRY_C_API uint64_t quarry_engine_send(quarry_engine* engine, const char* type, const void* payload, size_t length,
                                         const quarry_job_options* options);
/* As quarry_engine_send, with a payload of `count` parts, which are joined without a copy in between. */
QUARRY_C_API uint64_t quarry_engine_send_parts(quarry_engine* engine, const char* type, const void* const* parts,
                                               const size_t* lengths, size_t count, const quarry_job_options* options);
/* Why the last quarry_engine_send of this thread answered 0: a quarry_refusal. QUARRY_REFUSAL_NONE: it was called with
 * what is not allowed, see quarry_last_error. */
QUARRY_C_API int quarry_last_refusal(void);

/* How a job ended. */
typedef enum quarry_status {
    QUARRY_STATUS_OK = 0,         /* the handler answered */
    QUARRY_STATUS_ERROR = 1,      /* the handler failed: text and traceback say how */
    QUARRY_STATUS_CANCELLED = 2,  /* before it started, or because the handler heeded the request */
    QUARRY_STATUS_DEADLINE = 3,   /* it had not finished by its deadline */
    QUARRY_STATUS_WORKER_LOST = 4 /* its worker died while it ran */
} quarry_status;

/* How one job ended, and what it answered. Strings and payload belong to the quarry_results that it is part of. */
typedef struct quarry_result {
    uint64_t id;           /* as given by quarry_engine_submit */
    int status;            /* quarry_status */
    int poison;            /* 1: two workers died of this job */
    int worker;            /* number of the worker that answered or was lost; -1: none */
    int has_frame;         /* 1: frame_tag is set */
    uint32_t frame_tag;    /* as in quarry_job_options */
    uint64_t type;         /* quarry_type_hash of its name */
    int64_t run_ns;        /* nanoseconds in the handler */
    int64_t latency_ns;    /* nanoseconds from submit until the engine had the result */
    const void* payload;   /* valid until its quarry_results are freed, or it is detached and that freed */
    size_t length;         /* of the payload, in bytes */
    const char* text;      /* of any status but ok: what happened */
    const char* traceback; /* of an error: where it happened, if the handler's language says so; else "" */
} quarry_result;

/* Takes the results that have come, at most `most` and within budget_ns (negative: no limit). Never waits. NULL: there
 * is nothing, with *count 0. */
QUARRY_C_API quarry_results* quarry_engine_poll(quarry_engine* engine, size_t most, int64_t budget_ns, size_t* count);
/* The results in order, as an array that is valid until quarry_results_free. */
QUARRY_C_API const quarry_result* quarry_results_get(const quarry_results* results);
/* How many there are. */
QUARRY_C_API size_t quarry_results_count(const quarry_results* results);
/* Gives back the results and every payload that was not detached. */
QUARRY_C_API void quarry_results_free(quarry_results* results);
/* A payload that was taken out of its results. */
typedef struct quarry_payload quarry_payload;
/* Takes the payload of one result out, so that it lives on after quarry_results_free: for views that keep their memory
 * alive, after the worker's and the engine's end. NULL: it is small, copy it. */
QUARRY_C_API quarry_payload* quarry_results_detach(quarry_results* results, size_t index);
/* Gives back the memory of a detached payload. Any thread. */
QUARRY_C_API void quarry_payload_free(quarry_payload* payload);

/* Cancels a job. 0: it will not run. 1: it runs and has been asked to stop. 2: there is no such job. */
QUARRY_C_API int quarry_engine_cancel(quarry_engine* engine, uint64_t id);
/* Waits until all of these jobs have results, or until that moment (quarry_now_ns): then QUARRY_TIMEOUT. */
QUARRY_C_API quarry_code quarry_engine_wait(quarry_engine* engine, const uint64_t* ids, size_t count, int64_t until_ns);
/* Waits until every accepted job has a result, or until that moment: then QUARRY_TIMEOUT. */
QUARRY_C_API quarry_code quarry_engine_drain(quarry_engine* engine, int64_t until_ns);
/* Gives every worker a state under a key, in place of the last one of that key. Jobs that are submitted later find it
 * by quarry_worker_state. QUARRY_REFUSED: *refusal, which may be NULL, says why. */
QUARRY_C_API quarry_code quarry_engine_broadcast(quarry_engine* engine, const char* key, const void* payload,
                                                 size_t length, int* refusal);
/* Takes the state of a key from all workers. QUARRY_NONE: no such key. */
QUARRY_C_API quarry_code quarry_engine_forget(quarry_engine* engine, const char* key);
/* Whether a job of that type may be run again when its worker dies (1), or is run at most once (0, the default). */
QUARRY_C_API quarry_code quarry_engine_set_idempotent(quarry_engine* engine, const char* type, int idempotent);
/* A descriptor for event loops. It becomes readable when there are results; quarry_engine_poll clears it. */
QUARRY_C_API int quarry_engine_descriptor(quarry_engine* engine);
/* The number that stands for the name of a handler in quarry_result.type and quarry_job.type. */
QUARRY_C_API uint64_t quarry_type_hash(const char* name);

/* Whether workers serve. 0: all do. 1: some do. 2: none does, and none can be started. */
QUARRY_C_API int quarry_engine_ready(const quarry_engine* engine);

/* What an engine has done since it was made, and what it holds now.
 * accepted = ok + errors + cancelled + deadline + lost + waiting + running. */
typedef struct quarry_engine_stats {
    size_t size;               /* of this struct, as the caller knows it */
    uint64_t accepted;         /* jobs that were accepted */
    uint64_t refused;          /* jobs that were not */
    uint64_t ok;               /* jobs that were answered */
    uint64_t errors;           /* jobs whose handler failed */
    uint64_t cancelled;        /* jobs that were cancelled */
    uint64_t deadline;         /* jobs that did not finish in time */
    uint64_t lost;             /* jobs whose worker died */
    uint64_t poison;           /* of these, the ones that took two workers with them */
    uint64_t polled;           /* results that the host has taken */
    uint64_t reruns;           /* jobs given to another worker because theirs died */
    uint64_t restarts;         /* workers that replaced another */
    uint64_t corrupt;          /* of these, because the other one wrote nonsense */
    uint64_t hung;             /* of these, because the other one was silent */
    uint64_t late;             /* of these, because the other one ran a job beyond its deadline */
    size_t waiting;            /* jobs in the queue */
    size_t running;            /* jobs that a worker has */
    size_t results;            /* results that wait for poll */
    size_t waiting_high_water; /* the most jobs that have waited at once */
    size_t job_arena_used;     /* bytes of payloads in the job arena */
    size_t memory_bound;       /* bytes of shared memory that the engine can take at most */
    int job_queue_level;       /* how full job_queue is: 0 normal, 1 from 80 %, 2 from 90 % */
    int result_queue_level;    /* how full result_queue is: 0 normal, 1 from 80 %, 2 from 90 % */
} quarry_engine_stats;
/* Copies the figures. Set stats->size to sizeof *stats first. */
QUARRY_C_API quarry_code quarry_engine_get_stats(const quarry_engine* engine, quarry_engine_stats* stats);

/* How one worker is. */
typedef struct quarry_worker_health {
    int process;                /* id of the process; -1: none at the moment */
    int alive;                  /* 1: ready, and neither hung nor dying */
    int busy;                   /* 1: has a job */
    int lacks_room;             /* 1: waits until the host frees results */
    uint64_t jobs;              /* ended by this worker and those before it */
    uint64_t restarts;          /* how often it has been replaced */
    int64_t since_heartbeat_ns; /* nanoseconds since it last gave a sign of life */
} quarry_worker_health;
/* Copies the health of up to `capacity` workers to `workers`; answers how many workers there are. */
QUARRY_C_API size_t quarry_engine_get_health(const quarry_engine* engine, quarry_worker_health* workers,
                                             size_t capacity);

/* Why a worker could not be started, written to `text` with a final 0; *length is what it takes without it, 0: none has
 * failed. QUARRY_INVALID: capacity is less. */
QUARRY_C_API quarry_code quarry_engine_failure(const quarry_engine* engine, char* text, size_t capacity,
                                               size_t* length);

/* How a shutdown went. */
typedef struct quarry_shutdown_report {
    uint64_t cancelled; /* jobs that had not started */
    uint64_t finished;  /* jobs that ended in time */
    uint64_t lost;      /* jobs that were running when their worker was killed */
    int exited;         /* workers that ended by themselves */
    int killed;         /* workers that did not */
} quarry_shutdown_report;
/* Refuses further jobs, cancels those that have not started, gives the others until the timeout, then kills. Results
 * can still be polled. `report` may be NULL. */
QUARRY_C_API quarry_code quarry_engine_shutdown(quarry_engine* engine, int64_t timeout_ns,
                                                quarry_shutdown_report* report);

/* ---- Worker processes: the worker ---- */

/* A process that an engine has started, serving its handlers in any language. All calls from one thread. */
typedef struct quarry_worker quarry_worker;

/* A job that a worker has taken. */
typedef struct quarry_job {
    uint64_t id;         /* as the host knows it */
    uint64_t type;       /* quarry_type_hash of a handler's name */
    const void* payload; /* valid until the job is ended */
    size_t length;       /* of the payload, in bytes */
} quarry_job;

/* Connects to the engine that started this process. NULL: none has. */
QUARRY_C_API quarry_worker* quarry_worker_open(void);
/* Ends the connection. */
QUARRY_C_API void quarry_worker_close(quarry_worker* worker);
/* Names the handlers that this worker has; jobs come from now on. */
QUARRY_C_API quarry_code quarry_worker_ready(quarry_worker* worker, const char* const* names, size_t count);
/* Says that this worker cannot serve: quarry_engine_new fails with this text. */
QUARRY_C_API quarry_code quarry_worker_refuse(quarry_worker* worker, const char* why);
/* Waits for the next job, until that moment (quarry_now_ns): then QUARRY_TIMEOUT. QUARRY_NONE: the engine wants no
 * more. */
QUARRY_C_API quarry_code quarry_worker_take(quarry_worker* worker, int64_t until_ns, quarry_job* job);
/* Room for the answer to the job that was taken, where the host will read it. Waits while the host holds so many
 * results that there is none. */
QUARRY_C_API void* quarry_worker_reply(quarry_worker* worker, size_t length);
/* Ends the job that was taken with the answer in quarry_worker_reply. */
QUARRY_C_API quarry_code quarry_worker_finish(quarry_worker* worker);
/* Ends it with an error. `traceback` says where it happened, if the language knows; both texts may be NULL. */
QUARRY_C_API quarry_code quarry_worker_fail(quarry_worker* worker, const char* text, const char* traceback);
/* Ends it as cancelled: the handler has heeded a request to stop. */
QUARRY_C_API quarry_code quarry_worker_cancelled(quarry_worker* worker);
/* 1: the host has asked for the job to be cancelled, or for the worker to end. */
QUARRY_C_API int quarry_worker_stop_requested(const quarry_worker* worker);
/* Ends the job that was taken, if there is one, with a copy of these bytes as its answer, and takes the next one. */
QUARRY_C_API quarry_code quarry_worker_next(quarry_worker* worker, const void* answer, size_t length, int64_t until_ns,
                                            quarry_job* job);
/* A broadcast state, valid until the next take. Its version changes with each broadcast of the key; `version` may be
 * NULL. QUARRY_NONE: no such key. */
QUARRY_C_API quarry_code quarry_worker_state(const quarry_worker* worker, const char* key, const void** data,
                                             size_t* length, uint64_t* version);

/* ---- Frames ---- */

/* Says how many fixed steps of a simulation are due. */
typedef struct quarry_clock quarry_clock;
/* Counts which job belongs to which frame, and how many frames later its result came back. */
typedef struct quarry_ledger quarry_ledger;

/* A clock of `hertz` steps a second, 1 to 1000, that runs at most `max_catch_up` steps at once, 1 to 1000. */
QUARRY_C_API quarry_clock* quarry_clock_new(double hertz, int max_catch_up);
/* Gives the clock back. */
QUARRY_C_API void quarry_clock_free(quarry_clock* clock);
/* How many steps to run now; *dropped (may be NULL) are never to be run. The first call starts the clock. */
QUARRY_C_API int quarry_clock_advance(quarry_clock* clock, int64_t now_ns, int64_t* dropped);
/* How far time has gone from the latest step towards the next: 0 to below 1. */
QUARRY_C_API double quarry_clock_interpolation(const quarry_clock* clock);
/* When the next step is due, in the time of quarry_now_ns: what a host may sleep until. */
QUARRY_C_API int64_t quarry_clock_next_step_ns(const quarry_clock* clock);

/* A ledger for the thread that makes it. hertz: frames a second, 1 to 1000; 0: no deadline. drop_older_than: results
 * that are more frames old than this are not to be applied; below 0: all are applied, late ones are only counted. */
QUARRY_C_API quarry_ledger* quarry_ledger_new(double hertz, int drop_older_than);
/* Gives the ledger back. */
QUARRY_C_API void quarry_ledger_free(quarry_ledger* ledger);
/* Begins the next frame; *frame (may be NULL) is its number, from 1. */
QUARRY_C_API quarry_code quarry_ledger_begin_frame(quarry_ledger* ledger, uint64_t* frame);
/* Ends the frame that has begun. */
QUARRY_C_API quarry_code quarry_ledger_end_frame(quarry_ledger* ledger);
/* Counts a job that is submitted in the current frame; answers its tag, for quarry_job_options. Any thread. */
QUARRY_C_API uint32_t quarry_ledger_submitted(quarry_ledger* ledger);
/* Says that a job that was counted will not return. Any thread. */
QUARRY_C_API void quarry_ledger_withdrawn(quarry_ledger* ledger, uint32_t tag);
/* Counts a result: *apply is 1 if it is to be used, 0 if it is too old. */
QUARRY_C_API quarry_code quarry_ledger_returned(quarry_ledger* ledger, uint32_t tag, int* apply);

/* The figures of a ledger since it was made. */
typedef struct quarry_ledger_stats {
    size_t size;             /* of this struct, as the caller knows it */
    uint64_t frames;         /* frames that have begun */
    uint64_t submitted;      /* jobs that were counted */
    uint64_t returned;       /* results that came back */
    uint64_t withdrawn;      /* jobs that will not come back */
    uint64_t stale;          /* results that came back too old */
    uint64_t dropped;        /* of these, the ones not to be applied */
    uint64_t latency_max;    /* the most frames after its own that a result came back */
    uint64_t missed_frames;  /* deadlines that passed before their frame ended */
    uint64_t overrun_frames; /* frames that took longer than they should */
    double mean_latency;     /* frames from submit to return; 0 where nothing has returned */
    double stale_percent;    /* of the results, 0 to 100; 0 where nothing has returned */
} quarry_ledger_stats;
/* Copies the figures. Set stats->size to sizeof *stats first. */
QUARRY_C_API quarry_code quarry_ledger_get_stats(const quarry_ledger* ledger, quarry_ledger_stats* stats);
/* All figures as JSON, written to `text` with a final 0; *length is what it takes without it. QUARRY_INVALID: capacity
 * is less. */
QUARRY_C_API quarry_code quarry_ledger_json(const quarry_ledger* ledger, char* text, size_t capacity, size_t* length);

/* ---- Terrain ---- */

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

/* ---- Edits ---- */

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

/* ---- Files ---- */

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
