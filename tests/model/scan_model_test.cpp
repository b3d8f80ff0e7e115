#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "checker.hpp"
#include "model_atomics.hpp"
#include "model_test.hpp"
#include "quarry/jobs/impl/scan_sweep.hpp"

// The sweep of parallel_scan under C++'s memory model: every block is scanned once with the right carry, and nobody
// reads a carry or a prefix that another thread is writing.
namespace {

using model::Mutant;
using model::Program;
using quarry::impl::Mutation;

// A carry whose every use the checker sees.
class Sum {
  public:
    explicit Sum(int value) : value_(value) {}
    Sum(const Sum& other) : value_(other.get()) {}
    Sum& operator=(const Sum& other) {
        value_.set(other.get());
        return *this;
    }
    int get() const { return value_.get(); }

  private:
    model::ModelPlain<int> value_;
};

struct Add {
    Sum operator()(const Sum& a, const Sum& b) const { return Sum(a.get() + b.get()); }
};

// Blocks of one element each; element i is i + 1.
class Blocks {
  public:
    explicit Blocks(std::size_t count) : out_(count) {}

    std::ptrdiff_t count() const { return static_cast<std::ptrdiff_t>(out_.size()); }
    Sum scan(std::ptrdiff_t first, std::ptrdiff_t last, Sum carry) {
        for (std::ptrdiff_t block = first; block < last; ++block) {
            carry = Add()(carry, Sum(element(block)));
            out(block).set(carry.get());
        }
        return carry;
    }
    template <class Total>
    void prepare(std::ptrdiff_t first, std::ptrdiff_t last, Total total) {
        for (std::ptrdiff_t block = first; block < last; ++block) {
            out(block).set(element(block));
            total(block, Sum(element(block)));
        }
    }
    void finish(std::ptrdiff_t block, const Sum& carry) { out(block).set(carry.get() + out(block).get()); }

    void require_prefixes() {
        int expected = 0;
        for (std::ptrdiff_t block = 0; block < count(); ++block) {
            expected += element(block);
            model::require(out(block).get() == expected, "a block was scanned with a wrong carry, or twice");
        }
    }

  private:
    static int element(std::ptrdiff_t block) { return static_cast<int>(block) + 1; }
    model::ModelPlain<int>& out(std::ptrdiff_t block) { return out_[static_cast<std::size_t>(block)]; }

    std::vector<model::ModelPlain<int>> out_;
};

// As share_sweep, with the pool's threads given.
void sweep(std::size_t threads, std::size_t blocks, std::ptrdiff_t group_length) {
    struct State {
        State(std::size_t count, std::ptrdiff_t length) : data(count), sweep(data, 0, length, Sum(0), add) {}
        Blocks data;
        Add add;
        quarry::impl::ScanSweep<model::ModelAtomics, Blocks, Sum, Add> sweep;
    };
    auto state = std::make_shared<State>(blocks, group_length);
    for (std::size_t i = 0; i < threads; ++i) {
        model::thread([=] { state->sweep.work([] {}); });
    }
    model::after([=] {
        state->sweep.carry_to_end();
        for (std::ptrdiff_t group = 0; group < state->sweep.groups(); ++group) state->sweep.finish_left_over(group);
        state->data.require_prefixes();
    });
}

const Program kTwoGroups{"two_groups", [] { sweep(2, 2, 1); }};
const Program kThreeGroups{"three_groups", [] { sweep(2, 3, 1); }, 2};
const Program kGroupsOfTwo{"groups_of_two", [] { sweep(2, 4, 2); }, 2};
const Program kThreeWorkers{"three_workers", [] { sweep(3, 3, 1); }, 1};
// One worker has prepared more groups than it keeps in mind.
const Program kCrowdedOut{"crowded_out", [] { sweep(2, 6, 1); }, 1};

constexpr auto kRace = "data race";
const auto kNameOf = [](const auto& info) { return std::string(info.param.name); };

class ScanModel : public testing::TestWithParam<Program> {};

TEST_P(ScanModel, ScansEachBlockOnceWithItsCarry) {
    EXPECT_TRUE(model::holds(GetParam()));
}

INSTANTIATE_TEST_SUITE_P(Programs, ScanModel,
                         testing::Values(kTwoGroups, kThreeGroups, kGroupsOfTwo, kThreeWorkers, kCrowdedOut), kNameOf);

class ScanMutation : public testing::TestWithParam<Mutant> {};

TEST_P(ScanMutation, IsCaught) {
    EXPECT_TRUE(model::is_caught(GetParam()));
}

INSTANTIATE_TEST_SUITE_P(Mutants, ScanMutation,
                         testing::Values(Mutant{"carry_lock", Mutation::scan_carry_lock, kThreeGroups, kRace},
                                         Mutant{"known", Mutation::scan_known, kThreeGroups, kRace},
                                         Mutant{"prepared", Mutation::scan_prepared, kThreeGroups, kRace},
                                         Mutant{"see_known", Mutation::scan_see_known, kThreeGroups, kRace},
                                         Mutant{"see_prepared", Mutation::scan_see_prepared, kThreeGroups, kRace}),
                         kNameOf);

}  // namespace
