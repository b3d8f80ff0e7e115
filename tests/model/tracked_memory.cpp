#include "tracked_memory.hpp"

#include <cstddef>
#include <cstdlib>
#include <new>
#include <unordered_set>
#include <utility>
#include <vector>

namespace model {

namespace {

thread_local bool t_inside = false;

struct Tracked {
    std::unordered_set<void*> allocated;
    std::vector<void*> freed;
};

Tracked& tracked() {
    static auto* instance = new Tracked;
    return *instance;
}

void* allocate(std::size_t size, std::size_t alignment) {
    const std::size_t rounded = (size + alignment - 1) / alignment * alignment;
    void* memory = alignment <= alignof(std::max_align_t) ? std::malloc(size == 0 ? 1 : size)
                                                          : std::aligned_alloc(alignment, rounded);
    if (memory == nullptr) throw std::bad_alloc();
    if (t_inside) {
        t_inside = false;
        tracked().allocated.insert(memory);
        t_inside = true;
    }
    return memory;
}

void release(void* memory) {
    if (memory == nullptr) return;
    if (!t_inside) return std::free(memory);
    t_inside = false;
    if (tracked().allocated.erase(memory) != 0) {
        tracked().freed.push_back(memory);
    } else {
        std::free(memory);
    }
    t_inside = true;
}

}  // namespace

bool ModelCode::exchange(bool inside) {
    return std::exchange(t_inside, inside);
}

std::size_t live_model_allocations() {
    return tracked().allocated.size();
}

void release_model_memory() {
    for (void* memory : tracked().freed) std::free(memory);
    tracked().freed.clear();
    for (void* memory : tracked().allocated) std::free(memory);
    tracked().allocated.clear();
}

}  // namespace model

void* operator new(std::size_t size) {
    return model::allocate(size, 1);
}
void* operator new[](std::size_t size) {
    return model::allocate(size, 1);
}
void* operator new(std::size_t size, std::align_val_t alignment) {
    return model::allocate(size, static_cast<std::size_t>(alignment));
}
void* operator new[](std::size_t size, std::align_val_t alignment) {
    return model::allocate(size, static_cast<std::size_t>(alignment));
}
void operator delete(void* memory) noexcept {
    model::release(memory);
}
void operator delete[](void* memory) noexcept {
    model::release(memory);
}
void operator delete(void* memory, std::size_t) noexcept {
    model::release(memory);
}
void operator delete[](void* memory, std::size_t) noexcept {
    model::release(memory);
}
void operator delete(void* memory, std::align_val_t) noexcept {
    model::release(memory);
}
void operator delete[](void* memory, std::align_val_t) noexcept {
    model::release(memory);
}
void operator delete(void* memory, std::size_t, std::align_val_t) noexcept {
    model::release(memory);
}
void operator delete[](void* memory, std::size_t, std::align_val_t) noexcept {
    model::release(memory);
}
