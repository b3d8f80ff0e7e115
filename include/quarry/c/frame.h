/* Frames: fixed steps, and which job belongs to which frame. See quarry/c.h for what holds for all functions. */
#ifndef QUARRY_C_FRAME_H
#define QUARRY_C_FRAME_H

/* NOLINTBEGIN(modernize-*,readability-identifier-naming): this is C */
#include "quarry/c/base.h"

#if defined(__cplusplus)
extern "C" {
#endif

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

#if defined(__cplusplus)
}
#endif
/* NOLINTEND(modernize-*,readability-identifier-naming) */

#endif
