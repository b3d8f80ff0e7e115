#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <iosfwd>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "quarry/ecs/access.hpp"
#include "quarry/ecs/impl/command_buffer.hpp"
#include "quarry/ecs/tick_report.hpp"
#include "quarry/export.hpp"
#include "quarry/jobs/fwd.hpp"
#include "quarry/jobs/impl/erased_function.hpp"

// The part of a schedule that does not know its world; schedule.hpp is a thin typed front over it.
namespace quarry::ecs {
struct ScheduleOptions;
}
namespace quarry::ecs::impl {

// (world, commands, first, last): a body; or with the last three unused a count or a condition.
using SystemFunction = quarry::impl::ErasedFunction<void*, CommandBuffer&, std::uint64_t, std::uint64_t>;

// A system that takes several ticks: `capture` runs in the tick in which it starts and keeps what it needs, `body` runs
// beside the ticks that follow. Two of each, since one starts when the one before is applied.
struct BackgroundParts {
    std::uint32_t ticks = 0;  // 0: not in the background
    SystemFunction capture;   // first: which of the two
    SystemFunction body;
};

struct SystemSpec {
    std::string name;
    std::string phase;
    std::vector<AccessKey> reads;
    std::vector<AccessKey> writes;
    std::vector<AccessKey> with;
    std::vector<AccessKey> without;
    std::vector<std::string> before;
    std::vector<std::string> after;
    std::vector<std::string> sets;
    bool exclusive = false;
    bool enabled = true;
    std::uint32_t part = 0;  // sync points of its phase that come before it
    SystemFunction run;
    SystemFunction each;
    SystemFunction count;
    SystemFunction condition;
    std::size_t grain = 0;
    std::optional<std::uint64_t> command_limit;  // none: that of the schedule
    BackgroundParts background;
};

// How a tick is run.
struct TickMode {
    Pool* pool = nullptr;  // null: on the calling thread
    bool shuffled = false;
    std::uint64_t seed = 0;
    const GraphChoice* choose = nullptr;  // makes every choice of a shuffled run
};

class ScheduleState;

class ScheduleCore {
  public:
    // storages: null where commands can only be applied one after the other.
    QUARRY_API ScheduleCore(const ScheduleOptions& options, const IndependentStorages* storages);
    ScheduleCore(const ScheduleCore&) = delete;
    ScheduleCore& operator=(const ScheduleCore&) = delete;
    QUARRY_API ~ScheduleCore();

    QUARRY_API std::size_t add(std::string_view name, std::string_view phase);
    QUARRY_API SystemSpec& to_change(std::size_t system);
    // Waits for it if it is under way, and drops what it found.
    QUARRY_API void end_background(std::size_t system);
    QUARRY_API void add_phase(std::string_view name, std::string_view after);
    QUARRY_API void add_sync_point(std::string_view phase);
    // Of a system or of all in a set.
    QUARRY_API void enable(std::string_view name, bool enabled);

    QUARRY_API void build();
    QUARRY_API const std::vector<std::string>& warnings() const;
    // Whether the plan lets them run at the same time.
    QUARRY_API bool may_overlap(std::string_view a, std::string_view b);
    QUARRY_API void write_text(std::ostream& out);
    QUARRY_API void write_dot(std::ostream& out);
    QUARRY_API void write_mermaid(std::ostream& out);

    QUARRY_API const TickReport& tick(void* world, const TickMode& mode);
    QUARRY_API const TickReport& report() const noexcept;

    // For the divergence checker: one part of the plan at a time, and of that the first `most` systems only.
    QUARRY_API std::size_t part_count();
    QUARRY_API std::size_t systems_in(std::size_t part);
    QUARRY_API const std::string& system_name(std::size_t part, std::size_t system);
    QUARRY_API const std::string& part_name(std::size_t part);
    QUARRY_API void run_part(std::size_t part, void* world, const TickMode& mode, std::size_t most);

  private:
    std::unique_ptr<ScheduleState> state_;
};

}  // namespace quarry::ecs::impl
