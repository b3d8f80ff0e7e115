#include "terrain/os.hpp"

#include <cstdint>

#include <pthread.h>
#include <sys/mman.h>

namespace quarry::terrain::impl::os {

void* map_aligned(std::size_t bytes) noexcept {
    void* const mapped = ::mmap(nullptr, 2 * bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (mapped == MAP_FAILED) return nullptr;
    auto* const first = static_cast<std::byte*>(mapped);
    const std::size_t ahead = -reinterpret_cast<std::uintptr_t>(mapped) & (bytes - 1);
    if (ahead > 0) unmap(first, ahead);
    if (ahead < bytes) unmap(first + ahead + bytes, bytes - ahead);
#if defined(MADV_POPULATE_WRITE)
    // All pages in one call take half the time of a fault each. Only a wish: older systems do not know it.
    static_cast<void>(::madvise(first + ahead, bytes, MADV_POPULATE_WRITE));
#endif
    return first + ahead;
}

void unmap(void* memory, std::size_t bytes) noexcept {
    static_cast<void>(::munmap(memory, bytes));
}

void around_fork(void (*before)(), void (*after)()) noexcept {
    static_cast<void>(::pthread_atfork(before, after, after));
}

}  // namespace quarry::terrain::impl::os
