// The row of commands: what merging and applying them costs, recording apart.
#include <algorithm>
#include <random>
#include <vector>

#include <quarry/ecs/sparse_world.hpp>

#include "ecs/support.hpp"

namespace quarry::bench {
namespace {

constexpr std::size_t kCommands = 1'000'000;
constexpr std::size_t kEntities = 400'000;

struct Position {
    float x, y, z;
};
struct Velocity {
    float x, y, z;
};

enum class Kind : std::uint8_t { set, spawn, despawn, add };

// One command of the flat array, and the plan that the system records.
struct Change {
    Kind kind;
    ecs::SparseEntity entity;
    Position position;
};

struct CommandWorld : ecs::SparseWorld {
    std::vector<Change> plan;
};

// Random entities; no two despawns of one.
std::vector<Change> make_plan(const std::vector<ecs::SparseEntity>& entities) {
    std::mt19937 random(5);
    std::vector<Change> plan;
    std::vector<bool> doomed(entities.size());
    while (plan.size() < kCommands) {
        const auto draw = random() % 10;
        const std::size_t at = random() % entities.size();
        const Position position{static_cast<float>(plan.size()), 1, 2};
        if (draw < 5) {
            plan.push_back({Kind::set, entities[at], position});
        } else if (draw < 7) {
            plan.push_back({Kind::spawn, {}, position});
        } else if (draw < 9) {
            if (doomed[at]) continue;
            doomed[at] = true;
            plan.push_back({Kind::despawn, entities[at], position});
        } else {
            plan.push_back({Kind::add, entities[at], position});
        }
    }
    return plan;
}

CommandWorld make_world() {
    CommandWorld world;
    std::vector<ecs::SparseEntity> entities;
    for (std::size_t i = 0; i < kEntities; ++i) {
        entities.push_back(world.spawn());
        world.add(entities.back(), Position{});
        if (i % 2 == 0) world.add(entities.back(), Velocity{});
    }
    world.plan = make_plan(entities);
    return world;
}

void apply_flat(CommandWorld& world) {
    for (const Change& change : world.plan) {
        switch (change.kind) {
            case Kind::set:
                if (world.alive(change.entity)) world.set(change.entity, change.position);
                break;
            case Kind::spawn:
                world.spawn();
                break;
            case Kind::despawn:
                if (world.alive(change.entity)) world.despawn(change.entity);
                break;
            case Kind::add:
                if (world.alive(change.entity)) {
                    world.add(change.entity, Velocity{change.position.x, change.position.y, change.position.z});
                }
                break;
        }
    }
}

void record(CommandWorld& world, IndexRange range, ecs::Commands<CommandWorld>& commands) {
    for (std::size_t i = range.first; i < range.last; ++i) {
        const Change& change = world.plan[i];
        switch (change.kind) {
            case Kind::set:
                commands.set(change.entity, change.position);
                break;
            case Kind::spawn:
                commands.spawn();
                break;
            case Kind::despawn:
                commands.despawn(change.entity);
                break;
            case Kind::add:
                commands.add(change.entity, Velocity{change.position.x, change.position.y, change.position.z});
                break;
        }
    }
}

// One tick is over in some 40 ms: the median of a few, each in a world of its own.
template <class Measure>
double median_of_worlds(const CommandWorld& original, Measure measure) {
    constexpr std::size_t kWorlds = 5;
    std::vector<double> seconds;
    for (std::size_t i = 0; i < kWorlds; ++i) {
        CommandWorld world = original;
        seconds.push_back(measure(world));
    }
    std::sort(seconds.begin(), seconds.end());
    return seconds[kWorlds / 2] / kCommands;
}

}  // namespace

void measure_commands(EcsEngine engine, RowContext& context) {
    static const CommandWorld original = make_world();
    if (engine == EcsEngine::bare) {
        context.add_time("commands", median_of_worlds(original, [](CommandWorld& world) {
                             const std::int64_t start = now_ns();
                             apply_flat(world);
                             return static_cast<double>(now_ns() - start) / 1e9;
                         }));
        return;
    }
    ecs::Schedule<CommandWorld> schedule;
    schedule.add("record").each([](const CommandWorld& world) { return world.plan.size(); }, record);
    Ticker<CommandWorld> ticker(engine, context.workers);
    // The first tick makes the buffers.
    CommandWorld warm = original;
    ticker.tick(schedule, warm);
    std::vector<double> recording;
    context.add_time("commands", median_of_worlds(original, [&](CommandWorld& world) {
                         const ecs::PhaseReport& phase = ticker.tick(schedule, world).phases[0];
                         recording.push_back(std::chrono::duration<double>(phase.ended - phase.started).count());
                         return std::chrono::duration<double>(phase.applying).count();
                     }));
    std::sort(recording.begin(), recording.end());
    context.add_time("commands_record", recording[recording.size() / 2] / kCommands);
}

}  // namespace quarry::bench
