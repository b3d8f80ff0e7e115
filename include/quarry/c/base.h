/* Codes, versions and errors of the C API. See quarry/c.h for what holds for all functions. */
#ifndef QUARRY_C_BASE_H
#define QUARRY_C_BASE_H

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
/* The time now, in nanoseconds of the monotonic clock that deadlines and waits are given in. */
QUARRY_C_API int64_t quarry_now_ns(void);
/* The number that stands for the name of a handler in quarry_result.type and quarry_job.type. */
QUARRY_C_API uint64_t quarry_type_hash(const char* name);

#if defined(__cplusplus)
}
#endif
/* NOLINTEND(modernize-*,readability-identifier-naming) */

#endif
