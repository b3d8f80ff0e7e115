#pragma once

#include <algorithm>
#include <cstddef>
#include <new>
#include <type_traits>
#include <utility>
#include <vector>

#include "quarry/export.hpp"

namespace quarry::terrain {

namespace impl {
// Memory from the calling thread's arena, aligned to 16 bytes; throws std::bad_alloc. Any thread may give it back, with
// the size that was asked for.
QUARRY_API void* take_mesh_memory(std::size_t bytes);
QUARRY_API void give_back_mesh_memory(void* memory, std::size_t bytes) noexcept;
}  // namespace impl

// What the arrays of meshes are allocated with. Arenas hold on to memory that the system has handed out once, so that
// after warm-up a mesh costs no page fault. Meshes may travel: any thread may destroy what another one has made.
template <class T>
class MeshAllocator {
  public:
    // What the standard asks of an allocator.
    using value_type = T;
    using is_always_equal = std::true_type;

    MeshAllocator() = default;
    // All are equal.
    template <class Other>
    MeshAllocator(const MeshAllocator<Other>&) noexcept {}  // NOLINT(google-explicit-constructor): as allocators do

    // From the arenas; throws std::bad_alloc.
    T* allocate(std::size_t count) {
        if (count > static_cast<std::size_t>(-1) / 2 / sizeof(T)) throw std::bad_array_new_length();
        return static_cast<T*>(impl::take_mesh_memory(count * sizeof(T)));
    }
    // Back to the arenas.
    void deallocate(T* items, std::size_t count) noexcept { impl::give_back_mesh_memory(items, count * sizeof(T)); }

    // resize(n) leaves what it adds as it is: it will be written once, not twice.
    template <class Item>
    void construct(Item* at) noexcept {
        static_assert(std::is_trivially_copyable_v<Item>);
        static_cast<void>(at);
    }
    // With arguments, as usual.
    template <class Item, class... Arguments>
    void construct(Item* at, Arguments&&... arguments) {
        ::new (static_cast<void*>(at)) Item(std::forward<Arguments>(arguments)...);
    }

    // Always.
    friend bool operator==(const MeshAllocator&, const MeshAllocator&) noexcept { return true; }
};

// Plain values. Those that resize(n) adds are not set to anything.
template <class T>
using MeshVector = std::vector<T, MeshAllocator<T>>;

// Arrays are equal to those that lie elsewhere.
template <class T>
bool operator==(const MeshVector<T>& mesh_array, const std::vector<T>& other) {
    return std::equal(mesh_array.begin(), mesh_array.end(), other.begin(), other.end());
}

// What the arenas hold.
struct MeshMemoryUse {
    std::size_t reserved = 0;  // bytes that arenas have from the system
    std::size_t used = 0;      // bytes of them that meshes have, with what bookkeeping and rounding add
};

// Of all threads together. Arrays of more than kLargestInArena bytes are not in it: they come from operator new.
QUARRY_API MeshMemoryUse mesh_memory_use();

// Larger arrays come from the system.
inline constexpr std::size_t kLargestInArena = std::size_t{512} * 1024;

}  // namespace quarry::terrain
