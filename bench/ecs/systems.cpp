// Rows without commands: what systems and ranges cost.
#include <algorithm>
#include <random>
#include <set>

#include "boids_model.hpp"
#include "ecs/support.hpp"

namespace quarry::bench {
namespace {

struct Nothing {};

// ---- empty

void run_empty(EcsEngine engine, RowContext& context, std::size_t systems) {
    Nothing world;
    ecs::Schedule<Nothing> schedule;
    for (std::size_t i = 0; i < systems; ++i) schedule.add("system " + std::to_string(i)).run([](Nothing&) {});
    Ticker<Nothing> ticker(engine, context.workers);
    // After that many ticks costs are known, and paths are measured anew seldom.
    for (int i = 0; i < 70; ++i) ticker.tick(schedule, world);
    const double seconds = seconds_per_call(context.min_seconds(), [&] { ticker.tick(schedule, world); });
    context.add_time("empty", seconds / static_cast<double>(systems));
}

void run_empty_bare(RowContext& context, std::size_t systems) {
    const std::vector<std::function<void()>> calls(systems, [] {});
    const double seconds = seconds_per_call(context.min_seconds(), [&] {
        for (const auto& call : calls) call();
    });
    context.add_time("empty", seconds / static_cast<double>(systems));
}

// ---- conflicts

struct Load {
    std::vector<double> microseconds;
    std::vector<std::set<int>> reads;
    std::vector<std::set<int>> writes;
};

// Always the same systems: 100 of 20 to 200 us, each with three things out of thirty that it reads and one that it
// writes.
Load make_load() {
    std::mt19937 random(7);
    Load load;
    for (int i = 0; i < 100; ++i) {
        load.microseconds.push_back(20 + static_cast<double>(random() % 181));
        std::set<int> reads;
        for (int k = 0; k < 2; ++k) reads.insert(static_cast<int>(random() % 40));
        load.reads.push_back(reads);
        load.writes.push_back({static_cast<int>(random() % 40)});
    }
    return load;
}

bool meets(const std::set<int>& a, const std::set<int>& b) {
    return std::any_of(a.begin(), a.end(), [&](int x) { return b.count(x) != 0; });
}

// The makespan of list scheduling with random priorities, in the order of adding for conflicts.
double simulate(const Load& load, int workers, std::mt19937& random) {
    const std::size_t count = load.microseconds.size();
    std::vector<std::vector<std::size_t>> after(count);
    std::vector<int> pending(count);
    for (std::size_t j = 0; j < count; ++j) {
        for (std::size_t i = 0; i < j; ++i) {
            if (!meets(load.writes[i], load.writes[j]) && !meets(load.writes[i], load.reads[j]) &&
                !meets(load.reads[i], load.writes[j])) {
                continue;
            }
            after[i].push_back(j);
            ++pending[j];
        }
    }
    std::vector<std::size_t> ready;
    for (std::size_t i = 0; i < count; ++i) {
        if (pending[i] == 0) ready.push_back(i);
    }
    std::vector<std::pair<double, std::size_t>> running;  // end, system
    double now = 0;
    while (!ready.empty() || !running.empty()) {
        while (!ready.empty() && running.size() < static_cast<std::size_t>(workers)) {
            const std::size_t chosen = random() % ready.size();
            running.emplace_back(now + load.microseconds[ready[chosen]], ready[chosen]);
            ready.erase(ready.begin() + static_cast<std::ptrdiff_t>(chosen));
        }
        const auto first = std::min_element(running.begin(), running.end());
        now = first->first;
        const std::size_t ended = first->second;
        running.erase(first);
        for (const std::size_t next : after[ended]) {
            if (--pending[next] == 0) ready.push_back(next);
        }
    }
    return now;
}

void run_conflicts(EcsEngine engine, RowContext& context, const Load& load) {
    Nothing world;
    ecs::Schedule<Nothing> schedule;
    const auto key = [](int thing) { return ecs::AccessKey::named("thing " + std::to_string(thing)); };
    for (std::size_t i = 0; i < load.microseconds.size(); ++i) {
        const auto steps = static_cast<std::uint64_t>(load.microseconds[i] * static_cast<double>(chain_steps_per_us()));
        auto system = schedule.add("system " + std::to_string(i)).run([steps] {
            std::uint64_t busy = chain(steps, 1);
            keep(busy);
        });
        for (const int thing : load.reads[i]) system.reads(key(thing));
        for (const int thing : load.writes[i]) system.writes(key(thing));
    }
    Ticker<Nothing> ticker(engine, context.workers);
    for (int i = 0; i < 3; ++i) ticker.tick(schedule, world);
    const double seconds = seconds_per_call(context.min_seconds(), [&] { ticker.tick(schedule, world); });
    context.add_time("conflicts", seconds);
}

// ---- ranges

// Entities that each cost so many steps of chain().
struct Entities {
    std::vector<std::uint32_t> steps;
    std::vector<std::uint64_t> values;

    void visit(std::size_t first, std::size_t last) {
        for (std::size_t i = first; i < last; ++i) values[i] = chain(steps[i], values[i]);
    }
};

void run_ranges(const char* name, EcsEngine engine, RowContext& context, Entities entities) {
    if (engine == EcsEngine::bare) {
        BareThreads threads(context.workers);
        const auto visit = [&](std::size_t first, std::size_t last) { entities.visit(first, last); };
        threads.run(entities.steps.size(), visit);
        const double seconds =
            seconds_per_call(context.min_seconds(), [&] { threads.run(entities.steps.size(), visit); });
        context.add_time(name, seconds);
        return;
    }
    ecs::Schedule<Entities> schedule;
    schedule.add("visit").each([](const Entities& world) { return world.steps.size(); },
                               [](Entities& world, IndexRange range) { world.visit(range.first, range.last); });
    Ticker<Entities> ticker(engine, context.workers);
    for (int i = 0; i < 2; ++i) ticker.tick(schedule, entities);
    const double seconds = seconds_per_call(context.min_seconds(), [&] { ticker.tick(schedule, entities); });
    context.add_time(name, seconds);
}

}  // namespace

void measure_empty_systems(EcsEngine engine, RowContext& context) {
    constexpr std::size_t kSystems = 6000;
    if (engine == EcsEngine::bare) return run_empty_bare(context, kSystems);
    run_empty(engine, context, kSystems);
}

void measure_conflicts(EcsEngine engine, RowContext& context) {
    const Load load = make_load();
    if (engine != EcsEngine::bare) return run_conflicts(engine, context, load);
    std::mt19937 random(1);
    double best = simulate(load, context.workers, random);
    for (int i = 1; i < 1000; ++i) best = std::min(best, simulate(load, context.workers, random));
    context.add_time("conflicts", best / 1e6);
}

void measure_heavy(EcsEngine engine, RowContext& context) {
    constexpr std::size_t kEntities = 1'000'000;
    const auto steps = static_cast<std::uint32_t>(std::max<std::uint64_t>(1, chain_steps_per_us() / 20));
    run_ranges("heavy", engine, context,
               {std::vector<std::uint32_t>(kEntities, steps), std::vector<std::uint64_t>(kEntities)});
}

void measure_skewed(EcsEngine engine, RowContext& context) {
    constexpr std::size_t kEntities = 20'000;
    const auto light = static_cast<std::uint32_t>(std::max<std::uint64_t>(1, chain_steps_per_us() / 20));
    Entities entities{std::vector<std::uint32_t>(kEntities, light), std::vector<std::uint64_t>(kEntities)};
    // As many heavy ones in each half: else equal parts would not be equal.
    std::mt19937 random(3);
    for (std::size_t i = 0; i < kEntities / 100; ++i) {
        const std::size_t half = i % 2 * (kEntities / 2);
        entities.steps[half + random() % (kEntities / 2)] = light * 1000;
    }
    run_ranges("skewed", engine, context, std::move(entities));
}

void measure_boids(EcsEngine engine, RowContext& context) {
    constexpr std::size_t kBoids = 100'000;
    boids::Flock flock(kBoids);
    if (engine == EcsEngine::bare) {
        BareThreads threads(context.workers);
        const auto each = [&](auto visit) {
            threads.run(kBoids, [&](std::size_t first, std::size_t last) {
                for (std::size_t i = first; i < last; ++i) visit(flock, i);
            });
        };
        const auto tick = [&] {
            each(boids::find_cell);
            boids::sort_by_cell(flock);
            each(boids::steer);
            each(boids::move);
        };
        tick();
        context.add_time("boids", seconds_per_call(context.min_seconds(), tick));
        return;
    }
    ecs::Schedule<boids::Flock> schedule;
    boids::add_systems(schedule);
    Ticker<boids::Flock> ticker(engine, context.workers);
    ticker.tick(schedule, flock);
    const double seconds = seconds_per_call(context.min_seconds(), [&] { ticker.tick(schedule, flock); });
    context.add_time("boids", seconds);
}

}  // namespace quarry::bench
