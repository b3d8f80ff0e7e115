// Applies commands to several storages at a time, with the result of applying them one after the other.
//
// Batch by batch, on one thread and in order: who is alive decides which commands hold; entities are spawned and ended,
// and each command goes to the list of its storage. Meanwhile the batch before is applied: each storage is changed by
// one worker, in the order of its list, and ended entities leave it at their turn. A storage is changed by nothing
// else, so it comes out the same. Storages are made only while none is changed.
#include <algorithm>
#include <limits>
#include <utility>

#include "ecs/schedule_state.hpp"
#include "quarry/jobs/join.hpp"
#include "quarry/jobs/parallel_for.hpp"

namespace quarry::ecs::impl {
namespace {

// Few enough for the processor's cache, many enough to be worth another worker.
constexpr std::uint32_t kCommandsInBatch = 16'384;

}  // namespace

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
    storage_of_.clear();
    CommandCursor at;
    StorageBatch* sorted = &batches_[0];
    StorageBatch* next = &batches_[1];
    sort_batch(at, *sorted, phase);
    while (sorted->turns != 0 || at.unknown != nullptr) {
        if (at.unknown != nullptr) {
            storage_of_.emplace_back(at.unknown, at.unknown->change->storage(world_));
            at.unknown = nullptr;
        }
        mode_.pool->join([&] { sort_batch(at, *next, phase); }, [&] { change_storages(*sorted); });
        report_batch(*sorted, phase);
        std::swap(sorted, next);
    }
}

// Up to a full batch, or a command whose storage is not known.
void ScheduleState::sort_batch(CommandCursor& at, StorageBatch& batch, PhaseReport& phase) {
    while (batch.turns < kCommandsInBatch && at.segment < segments_.size()) {
        const Segment& segment = segments_[at.segment];
        const bool failed = systems[segment.system].failed;
        if (at.taken == 0) at.place = segment.begin;
        if (!failed && at.taken < segment.commands) {
            if (!sort_one(at, batch, phase)) return;
            continue;
        }
        if (failed) {
            discard_segment(segment);
        } else {
            phase.commands += segment.commands;
        }
        ++at.segment;
        at.taken = 0;
    }
}

// False: it has to wait until its storage is made.
bool ScheduleState::sort_one(CommandCursor& at, StorageBatch& batch, PhaseReport& phase) {
    const Segment& segment = segments_[at.segment];
    CommandPlace place = at.place;
    Command& command = segment.buffer->next(place);
    const auto take = [&] {
        at.place = place;
        ++at.taken;
        ++batch.turns;
        return true;
    };
    std::uint64_t& entity = command.to_spawned ? segment.buffer->resolved()[command.entity] : command.entity;
    if (command.type->kind == CommandKind::spawn) {
        try {
            static_cast<void>(command.type->apply(world_, command, entity));
        } catch (...) {
            batch.failures.push_back({batch.turns, segment.system, std::current_exception()});
        }
        return take();
    }
    if (!storages->alive(world_, entity)) {
        ++phase.rejected;
        if (command.type->discard != nullptr) command.type->discard(command);
        return take();
    }
    if (command.type->kind == CommandKind::despawn) {
        storages->retire(world_, entity);
        batch.ended.push_back({entity, batch.turns});
        return take();
    }
    const auto known = std::find_if(storage_of_.begin(), storage_of_.end(),
                                    [&](const auto& entry) { return entry.first == command.type; });
    if (known == storage_of_.end()) {
        at.unknown = command.type;
        return false;
    }
    if (batch.storages.size() <= known->second) batch.storages.resize(known->second + 1);
    batch.storages[known->second].commands.push_back({&command, entity, batch.turns, segment.system});
    return take();
}

void ScheduleState::change_storages(StorageBatch& batch) {
    batch.storages.resize(std::max(batch.storages.size(), storages->count(world_)));
    parallel_for(*mode_.pool, std::size_t{0}, batch.storages.size(), [&](std::size_t i) { change_storage(batch, i); });
}

void ScheduleState::change_storage(StorageBatch& batch, std::size_t storage) {
    StorageWork& work = batch.storages[storage];
    auto ended = batch.ended.begin();
    const auto end_until = [&](std::uint32_t turn) {
        for (; ended != batch.ended.end() && ended->turn < turn; ++ended) {
            storages->erase(world_, storage, ended->entity);
        }
    };
    for (const StorageCommand& each : work.commands) {
        end_until(each.turn);
        const CommandType& type = *each.command->type;
        try {
            if (type.change->apply(world_, *each.command, each.entity) != Applied::yes) ++work.rejected;
        } catch (...) {
            work.failures.push_back({each.turn, each.system, std::current_exception()});
        }
        if (type.discard != nullptr) type.discard(*each.command);
    }
    end_until(std::numeric_limits<std::uint32_t>::max());
}

void ScheduleState::report_batch(StorageBatch& batch, PhaseReport& phase) {
    for (StorageWork& work : batch.storages) {
        phase.rejected += work.rejected;
        batch.failures.insert(batch.failures.end(), work.failures.begin(), work.failures.end());
        work.commands.clear();
        work.failures.clear();
        work.rejected = 0;
    }
    // In the order of the commands.
    std::sort(batch.failures.begin(), batch.failures.end(),
              [](const FailedCommand& a, const FailedCommand& b) { return a.turn < b.turn; });
    for (const FailedCommand& failed : batch.failures) report_failed_command(failed.system, failed.error);
    batch.failures.clear();
    batch.ended.clear();
    batch.turns = 0;
}

}  // namespace quarry::ecs::impl
