#pragma once

#include <cstddef>
#include <memory>
#include <new>
#include <type_traits>
#include <utility>

#include "quarry/export.hpp"

// What inlined code needs to know of a job: where its closure lives and how to run it. The rest of the node (claim,
// references, lineage) is private to the library.
namespace quarry::impl {

inline constexpr std::size_t kInlineClosureBytes = 80;

struct Job {
    // run: call the closure, then destroy it. discard: destroy it without calling. destroy: the job has ended and
    // nobody can ask for its result any more: destroy what is left. No operation lets an exception out.
    enum class Operation { run, discard, destroy };
    using Operate = void (*)(Job&, Operation);

    Operate operate;
};

// The bytes in which the closure is built: the last ones of the node that the job is the first part of.
inline constexpr std::size_t kClosureOffset = 48;
inline void* closure_storage(Job& job) noexcept {
    return reinterpret_cast<std::byte*>(&job) + kClosureOffset;
}

// A node with no references that is not queued anywhere. Throws std::bad_alloc.
QUARRY_API Job& allocate_job();
QUARRY_API void free_job(Job& job) noexcept;
// The handle to the job's result is gone.
QUARRY_API void drop_handle(Job& job) noexcept;

// A closure that is too big for the node lives on the heap; both look alike through get().
// Offset: bytes at the beginning of the storage that are used otherwise.
template <class Payload, std::size_t Offset = 0>
struct PayloadIn {
    static constexpr bool kInline =
        sizeof(Payload) <= kInlineClosureBytes - Offset && alignof(Payload) <= (Offset % 16 == 0 ? 16 : 8);

    template <class... Arguments>
    static Payload& emplace(Job& job, Arguments&&... arguments) {
        void* bytes = static_cast<std::byte*>(closure_storage(job)) + Offset;
        if constexpr (kInline) {
            return *::new (bytes) Payload(std::forward<Arguments>(arguments)...);
        } else {
            auto* payload = new Payload(std::forward<Arguments>(arguments)...);
            ::new (bytes) Payload*(payload);
            return *payload;
        }
    }
    static Payload& get(Job& job) noexcept {
        void* bytes = static_cast<std::byte*>(closure_storage(job)) + Offset;
        if constexpr (kInline) {
            return *std::launder(static_cast<Payload*>(bytes));
        } else {
            return **std::launder(static_cast<Payload**>(bytes));
        }
    }
    static void destroy(Job& job) noexcept {
        if constexpr (kInline) {
            std::destroy_at(&get(job));
        } else {
            delete &get(job);
        }
    }
};

// Gives the node back when building the closure throws.
class JobUnderConstruction {
  public:
    explicit JobUnderConstruction(Job& job) noexcept : job_(&job) {}
    JobUnderConstruction(const JobUnderConstruction&) = delete;
    JobUnderConstruction& operator=(const JobUnderConstruction&) = delete;
    ~JobUnderConstruction() {
        if (job_ != nullptr) free_job(*job_);
    }
    Job& get() const noexcept { return *job_; }
    Job& complete(Job::Operate operate) noexcept {
        job_->operate = operate;
        return *std::exchange(job_, nullptr);
    }

  private:
    Job* job_;
};

}  // namespace quarry::impl
