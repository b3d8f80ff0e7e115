#pragma once

#include <concepts>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <iosfwd>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>
#include <vector>

#include "quarry/ecs/commands.hpp"
#include "quarry/ecs/impl/schedule_core.hpp"
#include "quarry/export.hpp"
#include "quarry/jobs/error.hpp"
#include "quarry/jobs/parallel_for.hpp"

namespace quarry::ecs {

// The phases that every schedule has, in their order. Schedule::add_phase adds others.
namespace phase {
// Names of phases.
inline constexpr std::string_view pre_update = "pre_update";
inline constexpr std::string_view update = "update";
inline constexpr std::string_view post_update = "post_update";
inline constexpr std::string_view render = "render";
inline constexpr std::string_view network = "network";
}  // namespace phase

enum class ErrorPolicy : std::uint8_t {
    stop,     // no further system starts
    collect,  // the others go on, in later phases, too
};
// What happens to the commands of a phase in which a system has failed. Those of the failed system are never applied.
enum class FailedPhase : std::uint8_t { discard_commands, apply_commands };
// A command for an entity that is gone by then, or for a component that it has not, is never applied.
enum class RejectedCommand : std::uint8_t { count, error };

// How a schedule treats errors and commands.
struct ScheduleOptions {
    // What follows an error, and a command that cannot be applied.
    ErrorPolicy errors = ErrorPolicy::stop;
    FailedPhase failed_phase = FailedPhase::discard_commands;
    RejectedCommand rejected = RejectedCommand::count;
    std::size_t most_errors = 16;  // kept in a TickReport; further ones are counted
    // Two systems that touch the same thing without a stated order: an error instead of a warning.
    bool unordered_conflicts_are_errors = false;
    std::uint64_t most_commands = 16'000'000;  // of one system in one tick
    // From so many commands on they are applied by several workers, where the world has independent storages.
    std::uint64_t parallel_commands = 50'000;
};

// A schedule cannot be built. The message has all that is wrong, by name.
class QUARRY_API ScheduleError : public Error {
  public:
    // One line for each problem.
    explicit ScheduleError(std::vector<std::string> problems);
    const std::vector<std::string>& problems() const noexcept { return problems_; }

  private:
    std::vector<std::string> problems_;
};

namespace impl {

template <class F, class World>
void call_system(F& f, World& world, CommandBuffer& buffer) {
    if constexpr (std::is_invocable_v<F&, World&, Commands<World>&>) {
        Commands<World> commands(buffer);
        std::invoke(f, world, commands);
    } else if constexpr (std::is_invocable_v<F&, World&>) {
        std::invoke(f, world);
    } else {
        static_assert(std::is_invocable_v<F&>, "a system is called with (World&, Commands<World>&), (World&) or ()");
        std::invoke(f);
    }
}

template <class F, class World>
void call_each(F& f, World& world, CommandBuffer& buffer, std::uint64_t first, std::uint64_t last) {
    [[maybe_unused]] Commands<World> commands(buffer);
    const IndexRange range{static_cast<std::size_t>(first), static_cast<std::size_t>(last)};
    if constexpr (std::is_invocable_v<F&, World&, IndexRange, Commands<World>&>) {
        std::invoke(f, world, range, commands);
    } else if constexpr (std::is_invocable_v<F&, World&, IndexRange>) {
        std::invoke(f, world, range);
    } else {
        std::size_t at = range.first;
        try {
            if constexpr (std::is_invocable_v<F&, World&, std::size_t, Commands<World>&>) {
                for (; at < range.last; ++at) std::invoke(f, world, at, commands);
            } else {
                static_assert(std::is_invocable_v<F&, World&, std::size_t>,
                              "each is called with (World&, IndexRange or std::size_t[, Commands<World>&])");
                for (; at < range.last; ++at) std::invoke(f, world, at);
            }
        } catch (...) {
            buffer.failed_at = at;
            throw;
        }
    }
}

}  // namespace impl

// A system that is being described. Copies mean the same system; valid as long as the schedule.
template <class World>
class System {
  public:
    // Component types that the system looks at, or changes.
    template <class... T>
    System& reads() {
        (spec().reads.push_back(AccessKey::component<T>()), ...);
        return *this;
    }
    template <class... T>
    System& writes() {
        (spec().writes.push_back(AccessKey::component<T>()), ...);
        return *this;
    }
    template <class... T>
    System& reads_resource() {
        (spec().reads.push_back(AccessKey::resource<T>()), ...);
        return *this;
    }
    template <class... T>
    System& writes_resource() {
        (spec().writes.push_back(AccessKey::resource<T>()), ...);
        return *this;
    }
    // By keys that are known at run time only.
    System& reads(AccessKey key) {
        spec().reads.push_back(std::move(key));
        return *this;
    }
    System& writes(AccessKey key) {
        spec().writes.push_back(std::move(key));
        return *this;
    }
    // The system visits only entities that have, or have not, such a component. One with and one without never meet.
    template <class... T>
    System& with() {
        (spec().with.push_back(AccessKey::component<T>()), ...);
        return *this;
    }
    template <class... T>
    System& without() {
        (spec().without.push_back(AccessKey::component<T>()), ...);
        return *this;
    }
    System& with(AccessKey key) {
        spec().with.push_back(std::move(key));
        return *this;
    }
    System& without(AccessKey key) {
        spec().without.push_back(std::move(key));
        return *this;
    }
    // Nothing else runs meanwhile.
    System& exclusive() {
        spec().exclusive = true;
        return *this;
    }
    // Names of systems or sets.
    System& before(std::string_view name) {
        spec().before.emplace_back(name);
        return *this;
    }
    System& after(std::string_view name) {
        spec().after.emplace_back(name);
        return *this;
    }
    System& in_set(std::string_view name) {
        spec().sets.emplace_back(name);
        return *this;
    }
    // condition(const World&), asked when the system could start; it may read what the system reads.
    template <class F>
    System& run_if(F&& condition) {
        spec().condition = impl::SystemFunction::make(
            std::forward<F>(condition), [](auto& f, void* world, impl::CommandBuffer&, std::uint64_t, std::uint64_t) {
                return static_cast<bool>(std::invoke(f, *static_cast<const World*>(world)));
            });
        return *this;
    }
    // Commands that the system may record in a tick; 0: none.
    System& most_commands(std::uint64_t most) {
        spec().command_limit = most;
        return *this;
    }

    // What the system does: f(World&, Commands<World>&), f(World&) or f().
    template <class F>
    System& run(F&& f) {
        spec().run = impl::SystemFunction::make(
            std::forward<F>(f), [](auto& g, void* world, impl::CommandBuffer& commands, std::uint64_t, std::uint64_t) {
                impl::call_system(g, *static_cast<World*>(world), commands);
            });
        return *this;
    }
    // Makes it a system over [0, count), split among workers: count is a number or count(const World&); f is called
    // with (World&, IndexRange), (World&, std::size_t), or these and Commands<World>&.
    template <class Count, class F>
    System& each(Count&& count, F&& f) {
        if constexpr (std::is_integral_v<std::decay_t<Count>>) {
            spec().count = impl::SystemFunction::make(
                static_cast<std::uint64_t>(count),
                [](std::uint64_t& fixed, void*, impl::CommandBuffer&, std::uint64_t, std::uint64_t) { return fixed; });
        } else {
            spec().count = impl::SystemFunction::make(
                std::forward<Count>(count),
                [](auto& g, void* world, impl::CommandBuffer&, std::uint64_t, std::uint64_t) {
                    return static_cast<std::uint64_t>(std::invoke(g, *static_cast<const World*>(world)));
                });
        }
        spec().each = impl::SystemFunction::make(
            std::forward<F>(f),
            [](auto& g, void* world, impl::CommandBuffer& commands, std::uint64_t first, std::uint64_t last) {
                impl::call_each(g, *static_cast<World*>(world), commands, first, last);
            });
        return *this;
    }
    // Entities in one call of a range's function. The default makes about 4,096 calls, whatever the number of workers.
    System& grain(std::size_t entities) {
        spec().grain = entities;
        return *this;
    }

    // A system that takes several ticks. capture(const World&) runs in the phase, reading what is declared, and returns
    // what body needs; body(that&, Commands<World>&) runs beside the next ticks. Its commands are applied `ticks` ticks
    // later, at the end of the same phase, which waits for it; then it starts again. Systems that are added meanwhile
    // change nothing about that. To define it anew waits for it, and drops what it found.
    template <class Capture, class Body>
    System& background(std::uint32_t ticks, Capture&& capture, Body&& body);

  private:
    template <class>
    friend class Schedule;
    System(impl::ScheduleCore& core, std::size_t index) noexcept : core_(&core), index_(index) {}
    impl::SystemSpec& spec() { return core_->to_change(index_); }

    impl::ScheduleCore* core_;
    std::size_t index_;
};

// See the declaration.
template <class World>
template <class Capture, class Body>
System<World>& System<World>::background(std::uint32_t ticks, Capture&& capture, Body&& body) {
    using Value = std::invoke_result_t<std::decay_t<Capture>&, const World&>;
    // Two at a time: the next one is captured before the commands of the last one are applied.
    struct Parts {
        std::decay_t<Capture> capture;
        std::decay_t<Body> body;
        std::optional<Value> values[2];
    };
    core_->end_background(index_);
    auto parts = std::make_shared<Parts>(Parts{std::forward<Capture>(capture), std::forward<Body>(body), {}});
    impl::BackgroundParts& made = spec().background;
    made.ticks = ticks;
    made.capture = impl::SystemFunction::make(
        parts, [](auto& p, void* world, impl::CommandBuffer&, std::uint64_t which, std::uint64_t) {
            p->values[which].emplace(std::invoke(p->capture, *static_cast<const World*>(world)));
        });
    made.body = impl::SystemFunction::make(
        parts, [](auto& p, void*, impl::CommandBuffer& buffer, std::uint64_t which, std::uint64_t) {
            Commands<World> commands(buffer);
            std::invoke(p->body, *p->values[which], commands);
            p->values[which].reset();
        });
    return *this;
}

// Systems and the order among them. What may run at the same time is decided when it is built: two systems of a phase
// that touch the same thing, one of them writing, run one after the other: in the stated order, or else in the order in
// which they were added, which is a warning. Executors run it, tick by tick; a schedule is used by one thread at a
// time. One that is destroyed while a tick runs ends the program with a message.
template <class World>
class Schedule {
  public:
    // Without systems, with the phases of namespace phase.
    explicit Schedule(const ScheduleOptions& options = {})
        : core_(std::make_unique<impl::ScheduleCore>(options, impl::independent_storages<World>())) {}

    // Throws quarry::Error while a tick runs.
    System<World> add(std::string_view name, std::string_view phase = phase::update) {
        return {core(), core().add(name, phase)};
    }
    // A phase of the program's own, right after another one.
    void add_phase(std::string_view name, std::string_view after) { core().add_phase(name, after); }
    // Commands of the systems that this phase has so far are applied before those added later start.
    void add_sync_point(std::string_view phase) { core().add_sync_point(phase); }
    // A system, or all of a set, from the next tick on. No new build.
    void enable(std::string_view name, bool enabled = true) { core().enable(name, enabled); }
    void disable(std::string_view name) { core().enable(name, false); }

    // Finds conflicts and checks everything; the first tick does it when it was not done. Throws ScheduleError.
    void build() { core().build(); }
    const std::vector<std::string>& warnings() const { return core().warnings(); }
    bool may_overlap(std::string_view a, std::string_view b) { return core().may_overlap(a, b); }

    // The plan as text, for Graphviz, or for Mermaid.
    void write_text(std::ostream& out) { core().write_text(out); }
    void write_dot(std::ostream& out) { core().write_dot(out); }
    void write_mermaid(std::ostream& out) { core().write_mermaid(out); }

    // What the last tick did.
    const TickReport& report() const { return core().report(); }
    // For executors.
    impl::ScheduleCore& core() const {
        if (core_ == nullptr) throw Error("Schedule: was moved from");
        return *core_;
    }

  private:
    std::unique_ptr<impl::ScheduleCore> core_;
};

}  // namespace quarry::ecs
