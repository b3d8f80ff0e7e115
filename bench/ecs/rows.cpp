#include "ecs/rows.hpp"

#include <optional>
#include <stdexcept>
#include <string>

#include "jobs/engine_host.hpp"

namespace quarry::bench {
namespace {

constexpr EcsRow kEcsRows[] = {
    {{.name = "empty", .unit = "ns", .what = "6,000 systems that do nothing, in one phase: time per system"},
     &measure_empty_systems,
     "6,000 calls by pointer"},
    {{.name = "conflicts",
      .unit = "us",
      .what = "100 systems of 20 to 200 us with random conflicts: time of a tick",
      .heavy = true},
     &measure_conflicts,
     "the best of 1,000 simulated list schedules"},
    {{.name = "heavy",
      .unit = "us",
      .what = "one system over 1,000,000 entities of 50 ns: time of a tick",
      .heavy = true},
     &measure_heavy,
     "threads on equal parts"},
    {{.name = "skewed",
      .unit = "us",
      .what = "20,000 entities, one in a hundred costs 1,000 times as much",
      .heavy = true},
     &measure_skewed,
     "threads on equal parts"},
    {{.name = "commands",
      .unit = "ns",
      .what = "1,000,000 commands (50 % set, 20 % spawn, 20 % despawn, 10 % add): merge and apply, per command",
      .heavy = true},
     &measure_commands,
     "one flat array, applied serially"},
    {{.name = "boids", .unit = "us", .what = "100,000 boids, one tick of 1/60 s", .heavy = true},
     &measure_boids,
     "threads on equal parts"},
};

class EcsHost final : public EngineHost {
  public:
    explicit EcsHost(EcsEngine engine) : engine_(engine) {}
    const RowInfo* find(std::string_view row) const override {
        const EcsRow* const found = find_ecs_row(row);
        return found == nullptr ? nullptr : &found->info;
    }
    bool tells_memory() const override { return false; }
    const char* unsupported(std::string_view, int workers) const override {
        return engine_ == EcsEngine::blocking && workers != 1 ? "runs on one thread" : nullptr;
    }

  private:
    void measure(std::string_view row, RowContext& context) override { find_ecs_row(row)->measure(engine_, context); }

    const EcsEngine engine_;
};

}  // namespace

std::span<const EcsRow> ecs_rows() {
    return kEcsRows;
}

const EcsRow* find_ecs_row(std::string_view name) {
    for (const EcsRow& row : kEcsRows) {
        if (row.info.name == name) return &row;
    }
    return nullptr;
}

int serve_ecs_engine(std::string_view name) {
    std::optional<EcsEngine> engine;
    if (name == "parallel") engine = EcsEngine::parallel;
    if (name == "blocking") engine = EcsEngine::blocking;
    if (name == "bare") engine = EcsEngine::bare;
    if (!engine) return 2;
    EcsHost host(*engine);
    return serve(host);
}

}  // namespace quarry::bench
