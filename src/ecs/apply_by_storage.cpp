// Applies commands to several storages at a time, with the result of applying them one after the other.
//
// First, on one thread and in order: who is alive decides which commands hold; entities are spawned and ended, and each
// command goes to the list of its storage. Then each storage is changed by one worker, in the order of its list. Ended
// entities leave every storage at their turn. A storage is changed by nothing else, so it comes out the same.
#include <algorithm>
#include <limits>
#include <string>

#include "ecs/schedule_state.hpp"
#include "quarry/jobs/parallel_for.hpp"

namespace quarry::ecs::impl {

bool ScheduleState::can_apply_by_storage() const {
    if (storages == nullptr || mode_.pool == nullptr || mode_.pool->worker_count() < 2) return false;
    // Rejected commands are told in their order.
    if (options.rejected != RejectedCommand::count) return false;
    std::uint64_t commands = 0;
    for (const Segment& segment : segments_) {
        if (segment.custom != 0) return false;  // may touch anything
        commands += segment.commands;
    }
    return commands >= options.parallel_commands && commands < std::numeric_limits<std::uint32_t>::max();
}

void ScheduleState::apply_by_storage(PhaseReport& phase) {
    sort_by_storage(phase);
    parallel_for(*mode_.pool, std::size_t{0}, storage_work_.size(), [this](std::size_t i) { change_storage(i); });
    for (StorageWork& work : storage_work_) {
        phase.rejected += work.rejected;
        for (const Failure& failure : work.failures) {
            report_error(systems[failure.system], failure, "an exception while its commands were applied");
        }
        work.commands.clear();
        work.failures.clear();
        work.rejected = 0;
    }
    ended_.clear();
}

void ScheduleState::sort_by_storage(PhaseReport& phase) {
    std::uint32_t turn = 0;
    const CommandType* last_type = nullptr;
    std::size_t last_storage = 0;
    const auto sort_one = [&](const Segment& segment, Command& command) {
        ++turn;
        std::uint64_t& entity = command.to_spawned ? segment.buffer->resolved()[command.entity] : command.entity;
        if (command.type->kind == CommandKind::spawn) {
            static_cast<void>(command.type->apply(world_, command, entity));
            return;
        }
        if (!storages->alive(world_, entity)) {
            ++phase.rejected;
            if (command.type->discard != nullptr) command.type->discard(command);
            return;
        }
        if (command.type->kind == CommandKind::despawn) {
            storages->retire(world_, entity);
            ended_.push_back({entity, turn});
            return;
        }
        if (command.type != last_type) {
            last_type = command.type;
            last_storage = command.type->change->storage(world_);
            if (storage_work_.size() <= last_storage) storage_work_.resize(last_storage + 1);
        }
        storage_work_[last_storage].commands.push_back({&command, entity, turn, segment.system});
    };
    for (const Segment& segment : segments_) {
        if (segment.commands == 0) continue;
        if (systems[segment.system].failed) {
            discard_segment(segment);
            continue;
        }
        phase.commands += segment.commands;
        segment.buffer->for_each(segment, [&](Command& command) { sort_one(segment, command); });
    }
    storage_work_.resize(std::max(storage_work_.size(), storages->count(world_)));
}

void ScheduleState::change_storage(std::size_t storage) {
    StorageWork& work = storage_work_[storage];
    auto ended = ended_.begin();
    const auto end_until = [&](std::uint32_t turn) {
        for (; ended != ended_.end() && ended->turn < turn; ++ended) storages->erase(world_, storage, ended->entity);
    };
    for (const StorageCommand& each : work.commands) {
        end_until(each.turn);
        const CommandType& type = *each.command->type;
        try {
            if (type.change->apply(world_, *each.command, each.entity) != Applied::yes) ++work.rejected;
        } catch (...) {
            work.failures.push_back({.system = each.system, .error = std::current_exception()});
        }
        if (type.discard != nullptr) type.discard(*each.command);
    }
    end_until(std::numeric_limits<std::uint32_t>::max());
}

}  // namespace quarry::ecs::impl
