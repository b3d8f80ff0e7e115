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

#include "quarry/c/base.h"
#include "quarry/c/edits.h"
#include "quarry/c/engine.h"
#include "quarry/c/export.h"
#include "quarry/c/frame.h"
#include "quarry/c/terrain.h"
#include "quarry/c/worker.h"
#include "quarry/c/world_file.h"

#endif
