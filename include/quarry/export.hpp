#pragma once

#if __cplusplus < 202002L && !(defined(_MSVC_LANG) && _MSVC_LANG >= 202002L)
#error \
    "Quarry needs C++20: compile with -std=c++20, or in CMake: target_compile_features(your_target PUBLIC cxx_std_20)"
#endif

// QUARRY_API marks what the shared library shows; everything else in it is hidden. The static library defines
// QUARRY_STATIC for its users, so that a plugin that contains Quarry does not show it to its host.
#if defined(QUARRY_STATIC)
#define QUARRY_API
#else
#define QUARRY_API __attribute__((visibility("default")))
#endif
