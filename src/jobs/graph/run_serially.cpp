// A run on one thread: in the order of the nodes, or in one drawn from a seed.
#include <algorithm>

#include "jobs/graph/graph_core.hpp"
#include "quarry/jobs/pool.hpp"

namespace quarry::impl {
namespace {

class SerialRun {
  public:
    explicit SerialRun(GraphCore& core) : core_(core) {}

    void run_in_order(const std::vector<std::uint32_t>& nodes) {
        for (const std::uint32_t index : nodes) run(index, RangeOrder::in_order);
    }

    void run_shuffled(const std::vector<std::uint32_t>& starters) {
        core_.ready.assign(starters.begin(), starters.end());
        // The result must not depend on what the ranking, which follows from measured times, has made of them.
        std::sort(core_.ready.begin(), core_.ready.end());
        while (!core_.ready.empty()) {
            const std::size_t chosen = core_.draw(state_, core_.ready.size());
            const std::uint32_t index = core_.ready[chosen];
            core_.ready.erase(core_.ready.begin() + static_cast<std::ptrdiff_t>(chosen));
            run(index, RangeOrder::shuffled);
            const std::size_t before = core_.ready.size();
            const HotNode& node = core_.hot[index];
            for (std::uint32_t i = node.first_successor; i < node.last_successor; ++i) {
                std::atomic<std::uint32_t>& pending = core_.hot[core_.successors[i]].pending;
                const std::uint32_t left = pending.load(std::memory_order_relaxed) - 1;
                pending.store(left, std::memory_order_relaxed);
                if (left == 0) core_.ready.push_back(core_.successors[i]);
            }
            std::sort(core_.ready.begin() + static_cast<std::ptrdiff_t>(before), core_.ready.end());
        }
    }

    const GraphTally& tally() const noexcept { return runner_.tally; }

  private:
    void run(std::uint32_t index, RangeOrder range_order) {
        core_.stamps[index].ready = runner_.now;
        const NodeOutcome outcome = core_.run_node(index, runner_, range_order);
        if (outcome == NodeOutcome::done) return;
        const HotNode& node = core_.hot[index];
        for (std::uint32_t i = node.first_successor; i < node.last_successor; ++i) {
            GraphCore::taint(core_.hot[core_.successors[i]], outcome);
        }
    }

    GraphCore& core_;
    GraphRunner runner_{ticks(), Pool::current_index()};
    std::uint64_t state_ = core_.shuffle_seed;
};

}  // namespace

void run_serially(GraphCore& core, bool shuffled) {
    if (!core.carried.empty()) {
        core.begin_carried();
        SerialRun run(core);
        if (shuffled) {
            run.run_shuffled(core.carried_start);
        } else {
            run.run_in_order(core.carried);
        }
        core.end_carried();
    }
    SerialRun run(core);
    if (shuffled) {
        run.run_shuffled(core.starters);
    } else {
        run.run_in_order(core.order);
    }
    core.take_tally(run.tally());
}

}  // namespace quarry::impl
