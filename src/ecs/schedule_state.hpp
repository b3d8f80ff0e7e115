#pragma once

#include <atomic>
#include <cstdint>
#include <deque>
#include <exception>
#include <memory>
#include <mutex>
#include <string>
#include <vector>

#include "quarry/ecs/impl/schedule_core.hpp"
#include "quarry/ecs/schedule.hpp"
#include "quarry/jobs/task.hpp"
#include "quarry/jobs/task_graph.hpp"

namespace quarry::ecs::impl {

struct PhaseSpec {
    std::string name;
    std::uint32_t sync_points = 0;
};

// A background system that may be under way.
struct BackgroundRun {
    CommandBuffer buffers[2];
    std::uint32_t which = 0;  // of them is in use, or was last
    bool under_way = false;
    bool has_commands = false;  // of `applicable`, for the end of this phase
    std::uint32_t applicable = 0;
    std::uint64_t due = 0;  // tick
    Task<void> job;
    std::exception_ptr error;
};

// A system in its place.
struct PlannedSystem {
    // What a tick needs of a plain system, on one cache line.
    void* object = nullptr;
    SystemFunction::Invoke invoke = nullptr;
    std::uint64_t limit = 0;   // commands
    std::uint32_t number = 0;  // in the order of the plan: the first part of the order of commands
    std::uint32_t part = 0;
    bool enabled = true;
    bool left_out = false;      // in this tick
    bool failed = false;        // in this tick
    bool beyond_limit = false;  // of commands, in this tick
    SystemSpec* spec = nullptr;
    std::unique_ptr<BackgroundRun> background;
    std::vector<std::uint32_t> before;  // systems of its part, by their place in it
    std::uint64_t recorded = 0;         // commands of its ranges that have ended; several threads add to it
};

// Systems between two points at which commands are applied.
struct Part {
    std::string name;
    std::uint32_t first = 0;  // number of its first system
    std::uint32_t last = 0;
    TaskGraph graph;  // a node for each system, in their order
};

// One thing that went wrong, while systems still run.
struct Failure {
    std::uint32_t system;
    bool has_range = false;
    bool has_entity = false;
    IndexRange range{};
    std::uint64_t entity = 0;
    std::exception_ptr error;
};

class ScheduleState {
  public:
    ScheduleState(const ScheduleOptions& schedule_options, const IndependentStorages* of_world);
    ScheduleState(const ScheduleState&) = delete;
    ScheduleState& operator=(const ScheduleState&) = delete;
    ~ScheduleState();

    void require_idle(const char* what) const;
    void build();
    void begin_tick(void* of_world, const TickMode& tick_mode);
    void run_part(Part& part, std::size_t most);
    // An error before it has stopped the tick.
    void leave_out(Part& part);
    void end_tick(std::uint64_t began);

    // Of a part: fewer are for the divergence checker, and then none in the background.
    static constexpr std::size_t kAllSystems = static_cast<std::size_t>(-1);

    const ScheduleOptions options;
    const IndependentStorages* const storages;  // null: the world has none
    std::deque<SystemSpec> specs;
    std::vector<PhaseSpec> phases;
    bool built = false;
    std::vector<std::string> warnings;
    std::vector<PlannedSystem> systems;  // in the order of the plan
    std::vector<Part> parts;
    std::atomic<bool> running{false};
    TickReport report;

  private:
    // Building: plan.cpp.
    struct Draft;
    void check_names(Draft& draft);
    void resolve_orders(Draft& draft);
    void order_part(Draft& draft, const std::vector<std::uint32_t>& members);
    void keep_background(std::vector<PlannedSystem>& planned);
    void make_graph(Part& part);

    // A tick: tick.cpp.
    void run_plain(PlannedSystem& system);
    void run_block(PlannedSystem& system, std::uint64_t first, std::uint64_t last);
    void run_background(PlannedSystem& system);
    void start_background(PlannedSystem& system);
    void forget_commands() noexcept;
    void choose_systems(Part& part, std::size_t most);
    CommandBuffer& buffer_of_thread();
    void note_failure(PlannedSystem& system, const Failure& failure) noexcept;
    void note_limit(PlannedSystem& system, const std::exception_ptr& error) noexcept;
    void report_failures(Part& part);
    void report_error(const PlannedSystem& system, const Failure& failure, std::string what);

    // Commands: apply.cpp.
    void gather_segments(Part& part);
    void check_limits();
    void apply_commands(Part& part, PhaseReport& phase);
    void apply_in_order(bool discard_all, PhaseReport& phase);
    bool can_apply_by_storage() const;
    void apply_by_storage(PhaseReport& phase);
    struct CommandCursor;
    struct StorageBatch;
    void sort_batch(CommandCursor& at, StorageBatch& batch, PhaseReport& phase);
    bool sort_one(CommandCursor& at, StorageBatch& batch, PhaseReport& phase);
    void change_storages(StorageBatch& batch);
    void change_storage(StorageBatch& batch, std::size_t storage);
    void report_batch(StorageBatch& batch, PhaseReport& phase);
    void apply_segment(const Segment& segment, PhaseReport& phase);
    void apply_one(const Segment& segment, Command& command, PhaseReport& phase);
    void report_failed_command(std::uint32_t system, const std::exception_ptr& error);
    void reject(const Segment& segment, const Command& command, Applied why, PhaseReport& phase);
    void discard_segment(const Segment& segment) noexcept;

    // report.cpp
    void report_part(Part& part, PhaseReport& phase, std::uint64_t began, std::uint64_t ended);

    // A command that is applied to one storage.
    struct StorageCommand {
        Command* command;
        std::uint64_t entity;
        std::uint32_t turn;  // within the batch
        std::uint32_t system;
    };
    struct EndedEntity {
        std::uint64_t entity;
        std::uint32_t turn;
    };
    struct FailedCommand {
        std::uint32_t turn;
        std::uint32_t system;
        std::exception_ptr error;
    };
    struct StorageWork {
        std::vector<StorageCommand> commands;
        std::uint64_t rejected = 0;
        std::vector<FailedCommand> failures;
    };
    // Commands that follow each other, by storage.
    struct StorageBatch {
        std::vector<StorageWork> storages;
        std::vector<EndedEntity> ended;
        std::vector<FailedCommand> failures;
        std::uint32_t turns = 0;
    };
    // How far the commands of a phase have been sorted.
    struct CommandCursor {
        std::size_t segment = 0;
        CommandPlace place{};
        std::uint64_t taken = 0;               // of the segment
        const CommandType* unknown = nullptr;  // of the next command: its storage may have to be made
    };

    void* world_ = nullptr;
    StorageBatch batches_[2];
    std::vector<std::pair<const CommandType*, std::size_t>> storage_of_;  // of the types met in this phase
    TickMode mode_;
    std::uint64_t began_ = 0;
    std::vector<std::unique_ptr<CommandBuffer>> buffers_;
    std::vector<Segment> segments_;
    std::vector<NodeError> node_errors_;
    std::mutex failures_mutex_;
    std::vector<Failure> failures_;
    bool part_failed_ = false;
    bool checking_ = false;           // for the divergence checker: background systems are none of its business
    std::vector<std::int64_t> path_;  // scratch: longest path to the end of each system, nanoseconds
};

// Whether two systems of a phase cannot run at the same time.
bool in_conflict(const SystemSpec& a, const SystemSpec& b);
// What they disagree about, for a message.
std::string conflict_text(const SystemSpec& a, const SystemSpec& b);

std::chrono::nanoseconds ticks_to_nanoseconds(std::uint64_t ticks) noexcept;
// Any pool's thread has a place below this in the buffers.
std::size_t places_in(const Pool& pool) noexcept;

}  // namespace quarry::ecs::impl
