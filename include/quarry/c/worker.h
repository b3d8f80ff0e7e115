/* Worker processes: the worker's side. See quarry/c.h for what holds for all functions. */
#ifndef QUARRY_C_WORKER_H
#define QUARRY_C_WORKER_H

/* NOLINTBEGIN(modernize-*,readability-identifier-naming): this is C */
#include "quarry/c/base.h"

#if defined(__cplusplus)
extern "C" {
#endif

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

#if defined(__cplusplus)
}
#endif
/* NOLINTEND(modernize-*,readability-identifier-naming) */

#endif
