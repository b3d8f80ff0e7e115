#pragma once

// QUARRY_API marks what the shared library shows; everything else in it is hidden. The static library defines
// QUARRY_STATIC for its users, so that a plugin that contains Quarry does not show it to its host.
#if defined(QUARRY_STATIC)
#define QUARRY_API
#else
#define QUARRY_API __attribute__((visibility("default")))
#endif
