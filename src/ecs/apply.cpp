// How what systems have recorded changes the world: in the order (system, first entity, sequence).
#include <algorithm>

#include "ecs/command_limit.hpp"
#include "ecs/schedule_state.hpp"

namespace quarry::ecs::impl {
namespace {

bool comes_before(const Segment& a, const Segment& b) {
    return a.system != b.system ? a.system < b.system : a.first < b.first;
}

const char* kind_text(CommandKind kind) {
    switch (kind) {
        case CommandKind::spawn:
            return "spawn";
        case CommandKind::despawn:
            return "despawn";
        case CommandKind::add:
            return "add";
        case CommandKind::set:
            return "set";
        case CommandKind::remove:
            return "remove";
        case CommandKind::custom:
            return "custom";
    }
    return "";
}

}  // namespace

void ScheduleState::gather_segments(Part& part) {
    segments_.clear();
    const auto gather = [&](CommandBuffer& buffer) {
        segments_.insert(segments_.end(), buffer.segments().begin(), buffer.segments().end());
        // Until it is spawned, and if that fails, a spawned entity is none.
        buffer.resolved().assign(buffer.spawned(), static_cast<std::uint64_t>(-1));
    };
    for (const auto& buffer : buffers_) {
        if (buffer != nullptr) gather(*buffer);
    }
    for (std::uint32_t i = part.first; i < part.last; ++i) {
        BackgroundRun* const run = systems[i].background.get();
        if (run != nullptr && run->has_commands) gather(run->buffers[run->applicable]);
    }
    // On one thread they are in order already.
    if (!std::is_sorted(segments_.begin(), segments_.end(), comes_before)) {
        std::sort(segments_.begin(), segments_.end(), comes_before);
    }
}

// Each thread has looked at its own segments only.
void ScheduleState::check_limits() {
    for (std::size_t i = 0; i < segments_.size();) {
        PlannedSystem& system = systems[segments_[i].system];
        std::uint64_t commands = 0;
        for (; i < segments_.size() && segments_[i].system == system.number; ++i) commands += segments_[i].commands;
        report.systems[system.number].commands = commands;
        if (commands <= system.limit || system.failed) continue;
        system.failed = true;
        report.systems[system.number].outcome = NodeOutcome::failed;
        const TooManyCommands error(system.limit);
        report_error(system, {.system = system.number, .error = std::make_exception_ptr(error)}, error.what());
    }
}

void ScheduleState::apply_commands(Part& part, PhaseReport& phase) {
    const bool discard_all =
        part_failed_ && options.errors == ErrorPolicy::stop && options.failed_phase == FailedPhase::discard_commands;
    if (!discard_all && can_apply_by_storage()) {
        apply_by_storage(phase);
    } else {
        apply_in_order(discard_all, phase);
    }
    for (const auto& buffer : buffers_) {
        if (buffer != nullptr) buffer->forget();
    }
    for (std::uint32_t i = part.first; i < part.last; ++i) {
        BackgroundRun* const run = systems[i].background.get();
        if (run == nullptr || !run->has_commands) continue;
        run->buffers[run->applicable].forget();
        run->has_commands = false;
    }
}

void ScheduleState::apply_in_order(bool discard_all, PhaseReport& phase) {
    for (const Segment& segment : segments_) {
        if (segment.commands == 0) continue;
        if (discard_all || systems[segment.system].failed) {
            discard_segment(segment);
        } else {
            phase.commands += segment.commands;
            apply_segment(segment, phase);
        }
    }
}

void ScheduleState::discard_segment(const Segment& segment) noexcept {
    segment.buffer->for_each(segment, [](Command& command) {
        if (command.type->discard != nullptr) command.type->discard(command);
    });
}

void ScheduleState::apply_segment(const Segment& segment, PhaseReport& phase) {
    segment.buffer->for_each(segment, [&](Command& command) {
        try {
            apply_one(segment, command, phase);
        } catch (...) {
            report_failed_command(segment.system, std::current_exception());
        }
        if (command.type->discard != nullptr) command.type->discard(command);
    });
}

void ScheduleState::report_failed_command(std::uint32_t system, const std::exception_ptr& error) {
    std::string what = "while its commands were applied: ";
    try {
        std::rethrow_exception(error);
    } catch (const std::exception& thrown) {
        what += thrown.what();
    } catch (...) {
        what += "something that is no std::exception";
    }
    report_error(systems[system], {.system = system, .error = error}, std::move(what));
}

void ScheduleState::apply_one(const Segment& segment, Command& command, PhaseReport& phase) {
    std::uint64_t& entity = command.to_spawned ? segment.buffer->resolved()[command.entity] : command.entity;
    const Applied applied = command.type->apply(world_, command, entity);
    if (applied != Applied::yes) [[unlikely]]
        reject(segment, command, applied, phase);
}

void ScheduleState::reject(const Segment& segment, const Command& command, Applied why, PhaseReport& phase) {
    ++phase.rejected;
    if (options.rejected == RejectedCommand::count) return;
    const char* const reason =
        why == Applied::entity_is_gone ? " of an entity that is gone" : " of a component that the entity has not";
    report_error(systems[segment.system], {.system = segment.system, .error = nullptr},
                 std::string(kind_text(command.type->kind)) + reason + ", which was not applied");
}

}  // namespace quarry::ecs::impl
