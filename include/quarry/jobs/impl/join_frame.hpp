#pragma once

#include <exception>
#include <functional>
#include <new>
#include <type_traits>
#include <utility>
#include <variant>

#include "quarry/export.hpp"
#include "quarry/jobs/fwd.hpp"
#include "quarry/jobs/impl/context.hpp"
#include "quarry/jobs/impl/job.hpp"
#include "quarry/jobs/impl/misuse.hpp"

// How `join` works; join.hpp has the public names.
//
// The second closure waits in a frame on the caller's stack, linked into the worker's private list. In the common case
// the caller comes back from the first closure, finds the frame still private, unlinks it and runs the second closure
// itself: no atomic read-modify-write, no fence, no allocation. Only when somebody is hungry is the frame promoted.
namespace quarry::impl {

template <class R>
using NonVoid = std::conditional_t<std::is_void_v<R>, std::monostate, R>;

template <class F>
decltype(auto) invoke_non_void(F& f) {
    if constexpr (std::is_void_v<std::invoke_result_t<F&>>) {
        std::invoke(f);
        return std::monostate{};
    } else {
        return std::invoke(f);
    }
}

// What the library knows of a join frame. The node is set when the boundary has passed it: null if it was only kept in
// view, and not promoted.
struct JoinFrameBase : Frame {
    Job* job;
};

// Makes the frame's second closure claimable by others: called by the owner, from offer_work.
QUARRY_API Frame::Offer promote_join(WorkerContext& context, JoinFrameBase& frame, Job::Operate operate) noexcept;
// The frame of a promoted job.
QUARRY_API JoinFrameBase& join_frame_of(Job& job) noexcept;

// A thief's closure threw: counted where it ran.
QUARRY_API void join_closure_failed() noexcept;

enum class SecondClosure { taken_back, finished_elsewhere };
// The first closure of a promoted join has ended: takes the second one back, or waits until its thief is done.
// `wanted`: whether the caller will run it when it is taken back.
QUARRY_API SecondClosure settle_join(WorkerContext& context, JoinFrameBase& frame, bool wanted) noexcept;

// A small closure that the caller made for this join alone is kept in the frame, any other one by its address. Copying
// such a one cannot be observed, and saves the caller from having to put it into memory twice.
template <class G>
inline constexpr bool kCopiedIntoFrame = std::is_trivially_copyable_v<G> && sizeof(G) <= 2 * sizeof(void*);
template <class G>
inline constexpr bool kCopiedIntoFrame<G&> = false;  // a function, for one, has no size

template <class G>
class ClosureInFrame {
  public:
    explicit ClosureInFrame(std::remove_reference_t<G>& g) noexcept : held_(hold(g)) {}
    std::remove_reference_t<G>& get() noexcept {
        if constexpr (kCopiedIntoFrame<G>) {
            return held_;
        } else {
            return *held_;
        }
    }

  private:
    static auto hold(std::remove_reference_t<G>& g) noexcept {
        if constexpr (kCopiedIntoFrame<G>) {
            return g;
        } else {
            return std::addressof(g);
        }
    }
    std::conditional_t<kCopiedIntoFrame<G>, std::remove_reference_t<G>, std::remove_reference_t<G>*> held_;
};

// G: the type of join's second argument as deduced for a forwarding reference.
template <class G>
struct JoinFrame : JoinFrameBase {
    using Result = NonVoid<std::invoke_result_t<G&>>;
    static constexpr bool kReference = std::is_reference_v<Result>;
    using Stored = std::conditional_t<kReference, std::remove_reference_t<Result>*, Result>;

    ClosureInFrame<G> closure;
    // Only a thief constructs one of these: `failed` says which.
    bool failed;
    union {
        Stored result;
        std::exception_ptr error;
    };

    // Most fields are set on promotion only: an unpromoted join must not pay for them.
    explicit JoinFrame(std::remove_reference_t<G>& g) noexcept : closure(g) {
        promote = &promote_this;
    }  // NOLINT: members left open
    JoinFrame(const JoinFrame&) = delete;
    JoinFrame& operator=(const JoinFrame&) = delete;
    ~JoinFrame() {}  // NOLINT(modernize-use-equals-default): the union

    // After SecondClosure::finished_elsewhere: the thief's result, or its exception.
    Result take_result() {
        if (failed) {
            const std::exception_ptr thrown = std::move(error);
            error.~exception_ptr();
            std::rethrow_exception(thrown);
        }
        if constexpr (kReference) {
            return static_cast<Result>(*result);
        } else {
            struct DestroyAfterwards {
                JoinFrame& frame;
                ~DestroyAfterwards() { frame.result.~Stored(); }
            } const destroy{*this};
            return std::move(result);
        }
    }
    void drop_result() noexcept {
        if (failed) {
            error.~exception_ptr();
        } else {
            result.~Stored();
        }
    }

  private:
    static Offer promote_this(WorkerContext& context, Frame& frame) {
        return promote_join(context, static_cast<JoinFrameBase&>(frame), &operate);
    }
    // On the thief. A discarded closure needs nothing: it lives on its owner's stack.
    static void operate(Job& job, Job::Operation operation) {
        if (operation != Job::Operation::run) return;
        auto& frame = static_cast<JoinFrame&>(join_frame_of(job));
        try {
            if constexpr (kReference) {
                ::new (static_cast<void*>(&frame.result)) Stored(&invoke_non_void(frame.closure.get()));
            } else {
                ::new (static_cast<void*>(&frame.result)) Stored(invoke_non_void(frame.closure.get()));
            }
            frame.failed = false;
        } catch (...) {
            ::new (static_cast<void*>(&frame.error)) std::exception_ptr(std::current_exception());
            frame.failed = true;
            join_closure_failed();
        }
    }
};

// The first closure threw. The second one is not run if it has not started, else it is waited for.
template <class G>
[[gnu::cold, gnu::noinline]] void abandon_join(WorkerContext& context, JoinFrame<G>& frame, Frame* previous) noexcept {
    context.newest = previous;
    if (context.boundary != &frame) return;
    context.boundary = previous;
    if (settle_join(context, frame, false) == SecondClosure::finished_elsewhere) frame.drop_result();
}

// Says in one line what is wrong with two closures, before anything else is compiled with them.
template <class F, class G>
constexpr bool check_join() {
    constexpr bool kCallable = std::is_invocable_v<F&> && std::is_invocable_v<G&>;
    static_assert(kCallable, "join: both functions must be callable without arguments");
    if constexpr (kCallable) {
        constexpr bool kMovable = kMovesOut<std::invoke_result_t<F&>> && kMovesOut<std::invoke_result_t<G&>>;
        static_assert(kMovable, "join: a result can neither be moved nor copied; return a std::unique_ptr to it");
        return kMovable;
    } else {
        return false;
    }
}

// How a closure goes on to a function that is not inlined: by value if that costs nothing, so that the closures of the
// common case need not have an address.
template <class T>
using Passed = std::conditional_t<std::is_trivially_copyable_v<T> && !std::is_lvalue_reference_v<T>, T, T&&>;

// F and G as deduced for forwarding references.
template <class F, class G>
[[gnu::always_inline]] inline auto join_on(WorkerContext& context, std::remove_reference_t<F>& f,
                                           std::remove_reference_t<G>& g) {
    using A = NonVoid<std::invoke_result_t<F&>>;
    using B = NonVoid<std::invoke_result_t<G&>>;

    JoinFrame<G> frame(g);
    Frame* const previous = context.newest;
    previous->next = &frame;
    context.newest = &frame;
    poll(context);

    A a = [&]() -> A {
        try {
            return invoke_non_void(f);
        } catch (...) {
            abandon_join(context, frame, previous);
            throw;
        }
    }();

    context.newest = previous;
    if (context.boundary == &frame) [[unlikely]] {
        context.boundary = previous;
        if (settle_join(context, frame, true) == SecondClosure::finished_elsewhere) {
            return std::pair<A, B>(std::forward<A>(a), frame.take_result());
        }
    }
    return std::pair<A, B>(std::forward<A>(a), invoke_non_void(frame.closure.get()));
}

// Whether a thread that comes into a pool as a guest is known to compute from then on.
enum class GuestComputes { at_once, not_yet };

// The calling thread's worker in a pool: the one it is, or a guest for as long as this lives.
class JoinEntry {
  public:
    QUARRY_API explicit JoinEntry(Pool& pool);
    explicit JoinEntry(PoolCore& core, GuestComputes computes = GuestComputes::at_once);
    JoinEntry(const JoinEntry&) = delete;
    JoinEntry& operator=(const JoinEntry&) = delete;
    QUARRY_API ~JoinEntry();

    WorkerContext& context() const noexcept { return *context_; }
    bool is_guest() const noexcept { return guest_; }

  private:
    WorkerContext* context_;
    bool guest_;
};

// By a thread that is not in that pool. F and G are Passed.
template <class F, class G>
[[gnu::cold, gnu::noinline]] auto join_as_guest(Pool& pool, F f, G g) {
    const JoinEntry entry(pool);
    using DeducedF = std::conditional_t<std::is_lvalue_reference_v<F>, F, std::remove_reference_t<F>>;
    using DeducedG = std::conditional_t<std::is_lvalue_reference_v<G>, G, std::remove_reference_t<G>>;
    return join_on<DeducedF, DeducedG>(entry.context(), f, g);
}

}  // namespace quarry::impl
