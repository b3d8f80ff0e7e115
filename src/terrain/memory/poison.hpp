#pragma once

#include <cstddef>

#if defined(__SANITIZE_ADDRESS__)
#define QUARRY_ADDRESS_SANITIZER 1
#elif defined(__has_feature)
#if __has_feature(address_sanitizer)
#define QUARRY_ADDRESS_SANITIZER 1
#endif
#endif

#if defined(QUARRY_ADDRESS_SANITIZER)
#include <sanitizer/asan_interface.h>
#endif

namespace quarry::terrain::impl {

// Tells the address sanitizer what nobody may touch, so that it finds uses after free in arenas too.
inline void poison([[maybe_unused]] void* memory, [[maybe_unused]] std::size_t bytes) noexcept {
#if defined(QUARRY_ADDRESS_SANITIZER)
    __asan_poison_memory_region(memory, bytes);
#endif
}

inline void unpoison([[maybe_unused]] void* memory, [[maybe_unused]] std::size_t bytes) noexcept {
#if defined(QUARRY_ADDRESS_SANITIZER)
    __asan_unpoison_memory_region(memory, bytes);
#endif
}

}  // namespace quarry::terrain::impl
