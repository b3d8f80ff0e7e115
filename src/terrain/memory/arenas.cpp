#include <memory>
#include <mutex>
#include <new>
#include <vector>

#include "quarry/jobs/ext/fork.hpp"
#include "quarry/terrain/mesh_memory.hpp"
#include "terrain/memory/arena.hpp"

namespace quarry::terrain::impl {
namespace {

// All arenas there have ever been: as many as threads that made meshes at the same time. What a thread leaves behind
// when it ends is taken over by the next one, regions, meshes and all. Never destroyed: meshes in static variables
// outlive everything.
class Arenas {
  public:
    static Arenas& get() {
        static Arenas* const arenas = [] {
            ext::around_fork([] { get().lock_all(); }, [] { get().unlock_all(); });
            return new Arenas;
        }();
        return *arenas;
    }

    Arena& adopt() {
        const std::scoped_lock lock(mutex_);
        if (left_behind_.empty()) {
            all_.push_back(std::make_unique<Arena>());
            left_behind_.reserve(all_.size());  // leave_behind must not allocate
            return *all_.back();
        }
        Arena& arena = *left_behind_.back();
        left_behind_.pop_back();
        return arena;
    }

    void leave_behind(Arena& arena) noexcept {
        const std::scoped_lock lock(mutex_);
        left_behind_.push_back(&arena);
    }

    // For threads that make meshes while they end.
    Arena& common() noexcept { return common_; }

    MeshMemoryUse use() {
        const std::scoped_lock lock(mutex_);
        MeshMemoryUse total = common_.use();
        for (const std::unique_ptr<Arena>& arena : all_) {
            const MeshMemoryUse part = arena->use();
            total.reserved += part.reserved;
            total.used += part.used;
        }
        return total;
    }

  private:
    void lock_all() {
        mutex_.lock();
        common_.mutex().lock();
        for (const std::unique_ptr<Arena>& arena : all_) arena->mutex().lock();
    }
    void unlock_all() {
        for (const std::unique_ptr<Arena>& arena : all_) arena->mutex().unlock();
        common_.mutex().unlock();
        mutex_.unlock();
    }

    std::mutex mutex_;
    std::vector<std::unique_ptr<Arena>> all_;
    std::vector<Arena*> left_behind_;
    Arena common_;
};

// Null: none yet. Has no destructor, so it can be asked at any time.
[[gnu::tls_model("initial-exec")]] thread_local constinit Arena* t_arena = nullptr;

struct LeavesArenaBehind {
    Arena& arena;

    ~LeavesArenaBehind() {
        t_arena = &Arenas::get().common();
        Arenas::get().leave_behind(arena);
    }
};

Arena& adopt_arena() {
    thread_local LeavesArenaBehind own{Arenas::get().adopt()};
    t_arena = &own.arena;
    return own.arena;
}

}  // namespace

void* take_mesh_memory(std::size_t bytes) {
    if (bytes > kLargestInArena) return ::operator new(bytes);
    Arena& arena = t_arena != nullptr ? *t_arena : adopt_arena();
    return arena.take(bytes);
}

void give_back_mesh_memory(void* memory, std::size_t bytes) noexcept {
    if (bytes > kLargestInArena) {
        ::operator delete(memory);
    } else {
        Arena::give_back(memory, bytes);
    }
}

}  // namespace quarry::terrain::impl

namespace quarry::terrain {

MeshMemoryUse mesh_memory_use() {
    return impl::Arenas::get().use();
}

}  // namespace quarry::terrain
