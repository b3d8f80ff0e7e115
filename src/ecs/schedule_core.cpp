#include "quarry/ecs/impl/schedule_core.hpp"

#include <algorithm>
#include <cstdio>
#include <exception>
#include <stdexcept>

#include "ecs/schedule_state.hpp"
#include "quarry/jobs/impl/ticks.hpp"
#include "quarry/jobs/scope.hpp"

namespace quarry::ecs::impl {

ScheduleState::ScheduleState(const ScheduleOptions& schedule_options, const IndependentStorages* of_world)
    : options(schedule_options), storages(of_world) {
    for (const std::string_view name :
         {phase::pre_update, phase::update, phase::post_update, phase::render, phase::network}) {
        phases.push_back({std::string(name)});
    }
}

ScheduleState::~ScheduleState() {
    if (running.load(std::memory_order_acquire)) {
        std::fputs("quarry: a schedule was destroyed while a tick of it ran\n", stderr);
        std::terminate();
    }
    for (PlannedSystem& system : systems) {
        if (system.background != nullptr && system.background->job.valid()) system.background->job.wait();
    }
}

void ScheduleState::require_idle(const char* what) const {
    if (running.load(std::memory_order_relaxed)) throw Error(std::string("Schedule: ") + what + " while a tick runs");
}

ScheduleCore::ScheduleCore(const ScheduleOptions& options, const IndependentStorages* storages)
    : state_(std::make_unique<ScheduleState>(options, storages)) {
    if (options.most_commands == 0) {
        throw std::invalid_argument("ScheduleOptions::most_commands is 0; it must be at least 1");
    }
}
ScheduleCore::~ScheduleCore() = default;

std::size_t ScheduleCore::add(std::string_view name, std::string_view phase) {
    state_->require_idle("no system can be added");
    state_->built = false;
    SystemSpec& spec = state_->specs.emplace_back();
    spec.name = name;
    spec.phase = phase;
    for (const PhaseSpec& known : state_->phases) {
        if (known.name == phase) spec.part = known.sync_points;
    }
    return state_->specs.size() - 1;
}

SystemSpec& ScheduleCore::to_change(std::size_t system) {
    state_->require_idle("no system can be changed");
    state_->built = false;
    return state_->specs[system];
}

void ScheduleCore::end_background(std::size_t system) {
    state_->require_idle("no system can be changed");
    for (PlannedSystem& planned : state_->systems) {
        if (planned.spec != &state_->specs[system] || planned.background == nullptr) continue;
        if (planned.background->job.valid()) planned.background->job.wait();
        planned.background = std::make_unique<BackgroundRun>();
    }
}

void ScheduleCore::add_phase(std::string_view name, std::string_view after) {
    state_->require_idle("no phase can be added");
    auto& phases = state_->phases;
    const auto named = [&](std::string_view wanted) {
        return std::find_if(phases.begin(), phases.end(), [&](const PhaseSpec& phase) { return phase.name == wanted; });
    };
    if (named(name) != phases.end()) throw Error("Schedule: there is a phase \"" + std::string(name) + "\" already");
    const auto before = named(after);
    if (before == phases.end()) throw Error("Schedule: there is no phase \"" + std::string(after) + "\"");
    phases.insert(before + 1, {std::string(name)});
    state_->built = false;
}

void ScheduleCore::add_sync_point(std::string_view phase) {
    state_->require_idle("no sync point can be added");
    for (PhaseSpec& known : state_->phases) {
        if (known.name != phase) continue;
        ++known.sync_points;
        state_->built = false;
        return;
    }
    throw Error("Schedule: there is no phase \"" + std::string(phase) + "\"");
}

void ScheduleCore::enable(std::string_view name, bool enabled) {
    state_->require_idle("no system can be enabled or disabled");
    bool found = false;
    for (SystemSpec& spec : state_->specs) {
        if (spec.name != name && std::find(spec.sets.begin(), spec.sets.end(), name) == spec.sets.end()) continue;
        spec.enabled = enabled;
        found = true;
    }
    for (PlannedSystem& system : state_->systems) system.enabled = system.spec->enabled;
    if (!found) throw Error("Schedule: there is no system and no set \"" + std::string(name) + "\"");
}

void ScheduleCore::build() {
    state_->require_idle("cannot be built");
    state_->build();
}

const std::vector<std::string>& ScheduleCore::warnings() const {
    return state_->warnings;
}

bool ScheduleCore::may_overlap(std::string_view a, std::string_view b) {
    build();
    const auto find = [&](std::string_view name) -> const PlannedSystem& {
        for (const PlannedSystem& system : state_->systems) {
            if (system.spec->name == name) return system;
        }
        throw Error("Schedule: there is no system \"" + std::string(name) + "\"");
    };
    const PlannedSystem& one = find(a);
    const PlannedSystem& other = find(b);
    if (one.part != other.part || &one == &other) return false;
    // Is the earlier one among the ancestors of the later?
    const PlannedSystem& later = one.number < other.number ? other : one;
    const std::uint32_t first = state_->parts[one.part].first;
    const std::uint32_t wanted = std::min(one.number, other.number) - first;
    std::vector<std::uint32_t> open = later.before;
    std::vector<bool> seen(later.number - first + 1);
    while (!open.empty()) {
        const std::uint32_t at = open.back();
        open.pop_back();
        if (at == wanted) return false;
        if (seen[at]) continue;
        seen[at] = true;
        const auto& before = state_->systems[first + at].before;
        open.insert(open.end(), before.begin(), before.end());
    }
    return true;
}

const TickReport& ScheduleCore::report() const noexcept {
    return state_->report;
}

namespace {

class TickRunning {
  public:
    explicit TickRunning(std::atomic<bool>& running) : running_(running) {
        if (running.exchange(true, std::memory_order_acquire)) {
            throw Error(
                "Schedule: a tick of it runs already; a system cannot run the schedule that it belongs to, nor can "
                "two threads run one schedule at a time");
        }
    }
    TickRunning(const TickRunning&) = delete;
    TickRunning& operator=(const TickRunning&) = delete;
    ~TickRunning() { running_.store(false, std::memory_order_release); }

  private:
    std::atomic<bool>& running_;
};

}  // namespace

const TickReport& ScheduleCore::tick(void* world, const TickMode& mode) {
    const TickRunning running(state_->running);
    state_->build();
    const std::uint64_t began = quarry::impl::ticks();
    state_->begin_tick(world, mode);
    const auto run_parts = [&] {
        for (Part& part : state_->parts) {
            if (!state_->report.stopped) {
                state_->run_part(part, ScheduleState::kAllSystems);
            } else {
                state_->leave_out(part);
            }
        }
    };
    if (mode.pool != nullptr) {
        // One entry for all parts: a thread from outside is a guest of the pool for the whole tick.
        mode.pool->scope([&](Scope&) { run_parts(); });
    } else {
        run_parts();
    }
    state_->end_tick(began);
    return state_->report;
}

std::size_t ScheduleCore::part_count() {
    build();
    return state_->parts.size();
}

std::size_t ScheduleCore::systems_in(std::size_t part) {
    return state_->parts.at(part).last - state_->parts.at(part).first;
}

const std::string& ScheduleCore::system_name(std::size_t part, std::size_t system) {
    return state_->systems.at(state_->parts.at(part).first + system).spec->name;
}

const std::string& ScheduleCore::part_name(std::size_t part) {
    return state_->parts.at(part).name;
}

void ScheduleCore::run_part(std::size_t part, void* world, const TickMode& mode, std::size_t most) {
    const TickRunning running(state_->running);
    state_->build();
    const std::uint64_t began = quarry::impl::ticks();
    const std::uint64_t tick = state_->report.tick;
    state_->begin_tick(world, mode);
    if (mode.pool != nullptr) {
        mode.pool->scope([&](Scope&) { state_->run_part(state_->parts.at(part), most); });
    } else {
        state_->run_part(state_->parts.at(part), most);
    }
    state_->end_tick(began);
    state_->report.tick = tick;  // it was none
}

}  // namespace quarry::ecs::impl
