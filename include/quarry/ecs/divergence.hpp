#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <string>

#include "quarry/ecs/schedule.hpp"
#include "quarry/jobs/fwd.hpp"

namespace quarry::ecs {

// Where two ways of running a schedule part.
struct Divergence {
    std::string phase;   // of that system
    std::string system;  // the first one, in the order of the plan, after which the worlds differ
    std::uint64_t seed;  // of the shuffled run that shows it; 0: of a parallel run
};

// Looks for systems whose result depends on what runs when: because they touch what they have not declared, or because
// they keep something in themselves. Each phase runs from a copy of the same world, once in the order of the plan and
// once for each seed in a shuffled order, and hash(const World&) must give the same; if it does not, systems are added
// one by one until it differs. Systems run many times, so they should have no effects outside the world.
template <class World>
class DivergenceChecker {
  public:
    // Must tell worlds apart that differ.
    using Hash = std::function<std::uint64_t(const World&)>;

    // The schedule must outlive it.
    DivergenceChecker(Schedule<World>& schedule, Hash hash) : core_(schedule.core()), hash_(std::move(hash)) {}

    // Runs one tick, which changes the world as usual, in as many orders as there are seeds. Nothing: all agreed.
    std::optional<Divergence> check(World& world, std::uint64_t first_seed, std::uint64_t seeds) {
        return check_with(world, seeds, [&](std::uint64_t i) {
            return impl::TickMode{nullptr, true, first_seed + i, nullptr};
        });
    }
    // Runs one tick, and compares it with so many runs on a pool. Nothing: all agreed.
    std::optional<Divergence> check(World& world, Pool& pool, std::uint64_t runs) {
        return check_with(world, runs, [&](std::uint64_t) { return impl::TickMode{&pool, false, 0, nullptr}; });
    }

  private:
    template <class Mode>
    std::optional<Divergence> check_with(World& world, std::uint64_t times, Mode mode) {
        for (std::size_t part = 0; part < core_.part_count(); ++part) {
            const World before = world;
            const std::size_t all = core_.systems_in(part);
            core_.run_part(part, &world, {}, all);
            const std::uint64_t expected = hash_(world);
            for (std::uint64_t i = 0; i < times; ++i) {
                if (after(before, part, mode(i), all) == expected) continue;
                return first_difference(before, part, mode(i));
            }
        }
        return std::nullopt;
    }

    std::uint64_t after(const World& before, std::size_t part, const impl::TickMode& mode, std::size_t most) {
        World copy = before;
        core_.run_part(part, &copy, mode, most);
        return hash_(copy);
    }

    Divergence first_difference(const World& before, std::size_t part, const impl::TickMode& mode) {
        const std::size_t all = core_.systems_in(part);
        for (std::size_t most = 1; most < all; ++most) {
            if (after(before, part, {}, most) != after(before, part, mode, most)) {
                return {core_.part_name(part), core_.system_name(part, most - 1), mode.seed};
            }
        }
        return {core_.part_name(part), core_.system_name(part, all - 1), mode.seed};
    }

    impl::ScheduleCore& core_;
    Hash hash_;
};

}  // namespace quarry::ecs
