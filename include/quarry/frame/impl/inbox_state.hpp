#pragma once

#include <cstddef>
#include <cstdint>
#include <exception>
#include <functional>
#include <memory>
#include <new>
#include <optional>
#include <type_traits>
#include <utility>

#include "quarry/frame/impl/inbox_core.hpp"
#include "quarry/jobs/ext/permits.hpp"
#include "quarry/jobs/pool.hpp"

namespace quarry::impl {

// One slot's place. Not more than one worker to a cache line, so that they do not disturb each other.
template <class T>
struct alignas(64) InboxCell {
    enum class Content : std::uint8_t { none, value, error };

    Content content = Content::none;
    double importance = 0;
    union {
        T value;
        std::exception_ptr error;
    };

    InboxCell() noexcept {}  // NOLINT(modernize-use-equals-default): nothing is alive yet
    InboxCell(const InboxCell&) = delete;
    InboxCell& operator=(const InboxCell&) = delete;
    ~InboxCell() { clear(); }

    void clear() noexcept {
        if (content == Content::value) std::destroy_at(&value);
        if (content == Content::error) std::destroy_at(&error);
        content = Content::none;
    }
    template <class... Arguments>
    void set_value(Arguments&&... arguments) {
        ::new (static_cast<void*>(&value)) T(std::forward<Arguments>(arguments)...);
        content = Content::value;
    }
    // Builds the value where f returns it.
    template <class F>
    void set_result_of(F& f) {
        ::new (static_cast<void*>(&value)) T(std::invoke(f));
        content = Content::value;
    }
    void set_error(std::exception_ptr thrown) noexcept {
        ::new (static_cast<void*>(&error)) std::exception_ptr(std::move(thrown));
        content = Content::error;
    }
};

template <class T>
struct InboxState {
    explicit InboxState(const InboxOptions& options)
        : core(options, this, [](void* state) noexcept { delete static_cast<InboxState*>(state); }),
          cells(make_cells(core)) {}

    // Whoever has filled the cell.
    void put(std::uint32_t slot, double importance) noexcept {
        cells[slot].importance = importance;
        core.put(slot);
    }
    // The host's thread, or whoever is last.
    void give_back(std::uint32_t slot) noexcept {
        cells[slot].clear();
        ext::give_permit_back(core.gate(), slot);
    }

    InboxCore core;
    const std::unique_ptr<InboxCell<T>[]> cells;

  private:
    static std::unique_ptr<InboxCell<T>[]> make_cells(InboxCore& core) {
        try {
            return std::make_unique<InboxCell<T>[]>(core.slots());
        } catch (...) {
            ext::abandon_permit_gate(core.gate());
            throw;
        }
    }
};

// A job's closure with an importance of its own; without one that of its priority counts.
template <class F>
struct WithImportance {
    F function;
    double importance;
};
template <class F>
struct ImportanceOf {
    static F& function(F& f) noexcept { return f; }
    static double get(const F&) noexcept { return static_cast<double>(Pool::current_priority()); }
};
template <class F>
struct ImportanceOf<WithImportance<F>> {
    static F& function(WithImportance<F>& f) noexcept { return f.function; }
    static double get(const WithImportance<F>& f) noexcept { return f.importance; }
};

template <class T>
inline constexpr bool kIsOptional = false;
template <class T>
inline constexpr bool kIsOptional<std::optional<T>> = true;

// The body of a job whose result goes into the slot that it has when it starts. F returns a T, or an optional T:
// nothing gives the slot back.
template <class T, class F>
struct InboxBody {
    template <class Closure>
    explicit InboxBody(Closure&& f) : closure(std::forward<Closure>(f)) {}

    ClosureUntilRun<F> closure;

    static void operate(Job& job, Job::Operation operation) {
        InboxBody& body = ext::GatedBodyIn<InboxBody>::get(job);
        if (operation == Job::Operation::destroy) return ext::GatedBodyIn<InboxBody>::destroy(job);
        if (operation == Job::Operation::run) {
            body.run(job);
            std::destroy_at(&body.closure.function);
            ext::leave_gate(job);
        } else {
            std::destroy_at(&body.closure.function);
            ext::leave_gate_unused(job);
        }
    }

  private:
    void run(Job& job) noexcept {
        auto& state = *static_cast<InboxState<T>*>(ext::gate_owner(job));
        const std::uint32_t slot = ext::permit_of(job);
        InboxCell<T>& cell = state.cells[slot];
        const double importance = ImportanceOf<F>::get(closure.function);
        try {
            if (!fill(cell)) return state.give_back(slot);
        } catch (...) {
            cell.set_error(std::current_exception());
            ext::gated_job_failed();
        }
        state.put(slot, importance);
    }
    bool fill(InboxCell<T>& cell) {
        auto& function = ImportanceOf<F>::function(closure.function);
        using Result = std::remove_cvref_t<std::invoke_result_t<decltype(function)>>;
        if constexpr (kIsOptional<Result> && !std::is_same_v<Result, T>) {
            auto result = std::invoke(function);
            if (!result) return false;
            cell.set_value(*std::move(result));
        } else {
            cell.set_result_of(function);
        }
        return true;
    }
};

}  // namespace quarry::impl
