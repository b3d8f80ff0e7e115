/* Worker processes: the host's side. See quarry/c.h for what holds for all functions. */
#ifndef QUARRY_C_ENGINE_H
#define QUARRY_C_ENGINE_H

/* NOLINTBEGIN(modernize-*,readability-identifier-naming): this is C */
#include "quarry/c/base.h"

#if defined(__cplusplus)
extern "C" {
#endif

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
    int spin_us;                    /* microseconds a worker or a waiting host looks on before it sleeps; default 50 */
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
 * can still be polled. `report` may be NULL. A call while another thread is in one can shorten that one's timeout, and
 * returns at once. */
QUARRY_C_API quarry_code quarry_engine_shutdown(quarry_engine* engine, int64_t timeout_ns,
                                                quarry_shutdown_report* report);

#if defined(__cplusplus)
}
#endif
/* NOLINTEND(modernize-*,readability-identifier-naming) */

#endif
