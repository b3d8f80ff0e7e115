#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>

#include <gtest/gtest.h>

#include "checker.hpp"
#include "model_atomics.hpp"
#include "model_test.hpp"
#include "process/arena/block_map.hpp"
#include "process/ring/bell.hpp"
#include "process/ring/claim.hpp"
#include "process/ring/ring.hpp"

// The rings between the host and a worker process: each job arrives whole, each result arrives whole and once, nobody
// sleeps beside work, and a job is either started or withdrawn.
namespace {

using model::ModelAtomics;
using model::Mutant;
using model::Program;
using quarry::impl::Mutation;
using quarry::process::impl::Arrivals;

using Words = quarry::process::impl::RingWords<ModelAtomics>;
using Host = quarry::process::impl::HostEnd<ModelAtomics>;
using Worker = quarry::process::impl::WorkerEnd<ModelAtomics>;
using Bell = quarry::process::impl::Bell<ModelAtomics>;
using Claim = quarry::process::impl::Claim<ModelAtomics>;
using Blocks = quarry::process::impl::BlockMap<ModelAtomics>;

struct Rings {
    explicit Rings(std::size_t count) : slots(count), host(words, count), worker(words) {}

    std::size_t slots;
    Words words;
    std::array<model::ModelPlain<int>, 2> jobs;
    std::array<model::ModelPlain<int>, 2> results;
    Host host;
    Worker worker;
    Bell worker_bell;
    Bell host_bell;

    bool submit() {
        if (!host.has_room()) return false;
        jobs[host.next() % slots].set(static_cast<int>(host.next()) + 10);
        host.fill();
        host.publish();
        if (worker_bell.ring()) ModelAtomics::futex_wake_one(worker_bell.word());
        return true;
    }
    bool poll() {
        const Arrivals found = host.look();
        model::require(found != Arrivals::corrupt, "an honest worker looks corrupt");
        if (found == Arrivals::none) return false;
        const auto place = host.oldest();
        model::require(results[place % slots].get() == static_cast<int>(place) + 20, "a result arrived damaged");
        host.take();
        return true;
    }
    bool serve() {
        if (!worker.has_job()) return false;
        const auto place = worker.next();
        model::require(jobs[place % slots].get() == static_cast<int>(place) + 10, "a job arrived damaged");
        results[place % slots].set(static_cast<int>(place) + 20);
        worker.publish();
        if (host_bell.ring()) ModelAtomics::futex_wake_one(host_bell.word());
        return true;
    }
};

bool wait_on(model::ModelAtomic<std::uint32_t>& word, std::uint32_t value) {
    ModelAtomics::futex_wait(word, value);
    return true;
}

// Both sides try as often as there are jobs, and the rest is served afterwards: every place is used again.
void laps(std::size_t slots, int jobs) {
    auto rings = std::make_shared<Rings>(slots);
    auto sent = std::make_shared<int>(0);
    auto back = std::make_shared<int>(0);
    model::thread([=] {
        for (int i = 0; i < jobs; ++i) {
            *sent += rings->submit() ? 1 : 0;
            *back += rings->poll() ? 1 : 0;
        }
    });
    model::thread([=] {
        for (int i = 0; i < jobs; ++i) rings->serve();
    });
    model::after([=] {
        while (rings->serve()) {
        }
        while (rings->poll()) ++*back;
        model::require(*sent == *back, "a job has no result, or two");
    });
}

// The worker sleeps while there is no job, the host while there is no result.
void both_sleep() {
    auto rings = std::make_shared<Rings>(1);
    constexpr int kJobs = 2;
    model::thread([=] {
        for (int i = 0; i < kJobs; ++i) {
            rings->submit();
            rings->host_bell.sleep_until([&] { return rings->host.look() == Arrivals::some; }, wait_on);
            rings->poll();
        }
    });
    model::thread([=] {
        for (int i = 0; i < kJobs; ++i) {
            rings->worker_bell.sleep_until([&] { return rings->worker.has_job(); }, wait_on);
            rings->serve();
        }
    });
}

// Two workers ring one host.
void two_ring_one() {
    struct State {
        Bell bell;
        std::array<model::ModelAtomic<int>, 2> done;
    };
    auto state = std::make_shared<State>();
    for (std::size_t i = 0; i < 2; ++i) {
        model::thread([=] {
            state->done[i].store(1, std::memory_order_relaxed);
            if (state->bell.ring()) ModelAtomics::futex_wake_one(state->bell.word());
        });
    }
    model::thread([=] {
        state->bell.sleep_until(
            [&] {
                return state->done[0].load(std::memory_order_relaxed) +
                           state->done[1].load(std::memory_order_relaxed) ==
                       2;
            },
            wait_on);
    });
}

void start_or_withdraw() {
    struct State {
        Claim claim;
        bool started = false;
        bool withdrawn = false;
    };
    auto state = std::make_shared<State>();
    model::thread([=] { state->started = state->claim.start(); });
    model::thread([=] { state->withdrawn = state->claim.withdraw(); });
    model::after([=] { model::require(state->started != state->withdrawn, "a job was decided twice, or not at all"); });
}

// The worker reuses a block that the host has given back, while the host gives back the neighbour.
void blocks_go_round() {
    struct State {
        std::array<model::ModelAtomic<std::uint64_t>, 1> words;
        Blocks blocks{words, 2};
        std::array<model::ModelPlain<int>, 2> content;
    };
    auto state = std::make_shared<State>();
    model::require(state->blocks.take(1) == std::size_t{0} && state->blocks.take(1) == std::size_t{1},
                   "an empty arena has no room");
    state->content[0].set(1);
    state->content[1].set(2);
    model::thread([=] {
        for (const std::size_t block : {1U, 0U}) {
            model::require(state->content[block].get() == static_cast<int>(block) + 1, "a result changed while held");
            state->blocks.give(block, 1);
        }
    });
    model::thread([=] {
        for (int i = 0; i < 2; ++i) {
            const auto block = state->blocks.take(1);
            if (block) state->content[*block].set(30);
        }
    });
}

const Program kLapsOfOne{"laps_of_one", [] { laps(1, 3); }};
const Program kLapsOfTwo{"laps_of_two", [] { laps(2, 3); }};
const Program kBothSleep{"both_sleep", both_sleep};
const Program kTwoRing{"two_ring_one", two_ring_one};
const Program kStartOrWithdraw{"start_or_withdraw", start_or_withdraw};
const Program kBlocks{"blocks_go_round", blocks_go_round};

const auto kNameOf = [](const auto& info) { return std::string(info.param.name); };

class ProcessRingModel : public testing::TestWithParam<Program> {};

TEST_P(ProcessRingModel, Holds) {
    EXPECT_TRUE(model::holds(GetParam()));
}

INSTANTIATE_TEST_SUITE_P(Programs, ProcessRingModel,
                         testing::Values(kLapsOfOne, kLapsOfTwo, kBothSleep, kTwoRing, kStartOrWithdraw, kBlocks),
                         kNameOf);

class ProcessRingMutation : public testing::TestWithParam<Mutant> {};

TEST_P(ProcessRingMutation, IsCaught) {
    EXPECT_TRUE(model::is_caught(GetParam()));
}

INSTANTIATE_TEST_SUITE_P(
    Mutants, ProcessRingMutation,
    testing::Values(Mutant{"bell_fence", Mutation::process_bell_fence, kBothSleep, "deadlock"},
                    Mutant{"bell_recheck", Mutation::process_bell_recheck, kBothSleep, "deadlock"},
                    Mutant{"blocks_give", Mutation::process_blocks_give, kBlocks, "data race"},
                    Mutant{"blocks_look", Mutation::process_blocks_look, kBlocks, "data race"},
                    Mutant{"claim_by_store", Mutation::process_claim_by_store, kStartOrWithdraw, "decided twice"},
                    Mutant{"jobs_publish", Mutation::process_jobs_publish, kLapsOfTwo, "data race"},
                    Mutant{"jobs_seen", Mutation::process_jobs_seen, kLapsOfTwo, "data race"},
                    Mutant{"lap", Mutation::process_lap, kLapsOfOne, "arrived damaged"},
                    Mutant{"results_publish", Mutation::process_results_publish, kLapsOfTwo, "data race"},
                    Mutant{"results_seen", Mutation::process_results_seen, kLapsOfTwo, "data race"},
                    Mutant{"ring_fence", Mutation::process_ring_fence, kBothSleep, "deadlock"},
                    Mutant{"ring_once", Mutation::process_ring_once, kBothSleep, "deadlock"}),
    kNameOf);

}  // namespace
