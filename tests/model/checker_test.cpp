#include "checker.hpp"

#include <memory>
#include <string>

#include <gtest/gtest.h>

#include "model_atomics.hpp"

// The checker's own behaviour, apart from the memory model (litmus_test.cpp): what it reports, and when it
// ends.
namespace {

using model::ModelAtomic;
using model::ModelAtomics;
using model::ModelPlain;
constexpr auto kRelaxed = std::memory_order_relaxed;
constexpr auto kAcquire = std::memory_order_acquire;
constexpr auto kRelease = std::memory_order_release;
constexpr auto kAcqRel = std::memory_order_acq_rel;

testing::AssertionResult fails_with(const model::Result& result, const std::string& what) {
    if (result.ok) return testing::AssertionFailure() << "no failure in " << result.executions << " executions";
    if (result.failure.find(what) == std::string::npos) return testing::AssertionFailure() << result.failure;
    return testing::AssertionSuccess();
}

testing::AssertionResult passes(const model::Result& result) {
    if (!result.ok) return testing::AssertionFailure() << result.failure;
    if (!result.complete) return testing::AssertionFailure() << "stopped after " << result.executions << " executions";
    return testing::AssertionSuccess();
}

struct Mailbox {
    ModelPlain<int> letter{0};
    ModelAtomic<std::uint32_t> flag{0};
};

model::Result send_a_letter(std::memory_order store, std::memory_order load) {
    return model::check({.name = "letter"}, [=] {
        auto box = std::make_shared<Mailbox>();
        model::name(box->letter, "letter");
        model::name(box->flag, "flag");
        model::thread([=] {
            box->letter.set(7);
            box->flag.store(1, store);
        });
        model::thread([=] {
            if (box->flag.load(load) == 1) model::require(box->letter.get() == 7, "letter lost");
        });
    });
}

TEST(Checker, ReportsARaceOnAPlainField) {
    EXPECT_TRUE(passes(send_a_letter(kRelease, kAcquire)));
    EXPECT_TRUE(fails_with(send_a_letter(kRelaxed, kAcquire), "data race: letter is read"));
    EXPECT_TRUE(fails_with(send_a_letter(kRelease, kRelaxed), "data race: letter is read"));
}

TEST(Checker, TraceNamesThreadOperationLocationValueAndOrder) {
    const model::Result result = send_a_letter(kRelaxed, kAcquire);
    EXPECT_NE(result.failure.find("thread 1: store flag = 1 relaxed"), std::string::npos) << result.failure;
    EXPECT_NE(result.failure.find("thread 2: load flag = 1 acquire"), std::string::npos) << result.failure;
}

TEST(Checker, ReportsARaceOfTwoWrites) {
    EXPECT_TRUE(fails_with(model::check({.name = "writes"},
                                        [] {
                                            auto box = std::make_shared<Mailbox>();
                                            for (int i = 0; i < 2; ++i) model::thread([=] { box->letter.set(i); });
                                        }),
                           "data race"));
}

// A reference count; the last one to leave destroys the object.
model::Result leave_and_destroy(std::memory_order order) {
    return model::check({.name = "count"}, [=] {
        struct Object {
            ModelPlain<int> value{0};
            ModelAtomic<int> other{0};
        };
        struct State {
            Object* object = new Object;
            ModelAtomic<int> users{2};
        };
        auto state = std::make_shared<State>();
        for (int i = 0; i < 2; ++i) {
            model::thread([=] {
                state->object->other.load(kRelaxed);
                if (state->users.fetch_sub(1, order) == 1) delete state->object;
            });
        }
    });
}

TEST(Checker, ReportsDestructionThatIsNotOrderedAfterEveryAccess) {
    EXPECT_TRUE(passes(leave_and_destroy(kAcqRel)));
    EXPECT_TRUE(fails_with(leave_and_destroy(kRelease), "destroyed"));
    EXPECT_TRUE(fails_with(leave_and_destroy(kAcquire), "destroyed"));
}

TEST(Checker, ReportsUseAfterDestruction) {
    const auto result = model::check({.name = "late", .preemptions = 0}, [] {
        struct State {
            Mailbox* box = new Mailbox;
            ModelAtomic<int> gone{0};
        };
        auto state = std::make_shared<State>();
        model::thread([=] {
            delete state->box;
            state->gone.store(1, kRelease);
            new Mailbox;  // would take the freed address if it were free
        });
        model::thread([=] {
            if (state->gone.load(kAcquire) == 1) state->box->flag.load(kRelaxed);
        });
    });
    EXPECT_TRUE(fails_with(result, "used after its destruction"));
}

TEST(Checker, ReportsUseOfAnObjectWhoseConstructionIsNotOrderedBefore) {
    const auto publish = [](std::memory_order order) {
        return model::check({.name = "publish"}, [=] {
            auto pointer = std::make_shared<ModelAtomic<Mailbox*>>(nullptr);
            model::thread([=] { pointer->store(new Mailbox, order); });
            model::thread([=] {
                if (Mailbox* box = pointer->load(kAcquire)) box->flag.load(kRelaxed);
            });
            model::after([=] { delete pointer->load(kRelaxed); });
        });
    };
    EXPECT_TRUE(passes(publish(kRelease)));
    EXPECT_TRUE(fails_with(publish(kRelaxed), "construction"));
}

TEST(Checker, ReportsMemoryThatIsNeverFreed) {
    const auto result = model::check({.name = "leak"}, [] {
        auto last = std::make_shared<ModelAtomic<int*>>(nullptr);
        model::thread([=] { last->store(new int(1), kRelaxed); });
    });
    EXPECT_TRUE(fails_with(result, "memory leak: 1"));
}

TEST(Checker, SpinningThreadWaitsForAsLongAsItTakes) {
    EXPECT_TRUE(passes(model::check({.name = "spin"}, [] {
        auto box = std::make_shared<Mailbox>();
        model::thread([=] {
            box->letter.set(3);
            box->flag.store(1, kRelaxed);
            box->flag.store(2, kRelease);
        });
        for (int i = 0; i < 2; ++i) {
            model::thread([=] {
                while (box->flag.load(kAcquire) != 2) ModelAtomics::cpu_relax();
                model::require(box->letter.get() == 3, "letter lost");
            });
        }
    })));
}

TEST(Checker, ReportsALivelock) {
    EXPECT_TRUE(fails_with(model::check({.name = "never", .max_steps = 100},
                                        [] {
                                            auto box = std::make_shared<Mailbox>();
                                            model::thread([=] {
                                                while (box->flag.load(kAcquire) == 0) ModelAtomics::cpu_relax();
                                            });
                                        }),
                           "livelock"));
}

// The waker must change the word before it wakes: otherwise a waiter that comes in between sleeps for ever.
model::Result wake_a_waiter(bool right_order) {
    return model::check({.name = "wake"}, [=] {
        auto box = std::make_shared<Mailbox>();
        model::name(box->flag, "flag");
        model::thread([=] {
            while (box->flag.load(kAcquire) == 0) ModelAtomics::futex_wait(box->flag, 0);
        });
        model::thread([=] {
            if (!right_order) ModelAtomics::futex_wake_one(box->flag);
            box->flag.store(1, kRelease);
            if (right_order) ModelAtomics::futex_wake_one(box->flag);
        });
    });
}

TEST(Checker, ReportsALostWakeUpAsADeadlock) {
    EXPECT_TRUE(passes(wake_a_waiter(true)));
    EXPECT_TRUE(fails_with(wake_a_waiter(false), "deadlock, no thread can wake another: thread 1 waits on flag"));
}

TEST(Checker, WakingTriesEveryWaiter) {
    const auto result = model::check({.name = "who"}, [] {
        struct State {
            ModelAtomic<std::uint32_t> word{0};
            ModelAtomic<int> first{0};
        };
        auto state = std::make_shared<State>();
        for (int i = 1; i <= 2; ++i) {
            model::thread([=] {
                ModelAtomics::futex_wait(state->word, 0);
                int nobody = 0;
                state->first.compare_exchange_strong(nobody, i, kRelaxed, kRelaxed);
                ModelAtomics::futex_wake_one(state->word);
            });
        }
        model::thread([=] {
            state->word.store(1, kRelaxed);
            ModelAtomics::futex_wake_one(state->word);
        });
        model::after([=] { model::observe(std::to_string(state->first.load(kRelaxed))); });
    });
    EXPECT_TRUE(passes(result));
    EXPECT_EQ(result.outcomes, (std::set<std::string>{"1", "2"}));
}

TEST(Checker, PreemptionBoundLimitsTheSearch) {
    const auto increments = [](unsigned preemptions) {
        return model::check({.name = "increments", .preemptions = preemptions}, [] {
            auto value = std::make_shared<ModelAtomic<int>>(0);
            for (int i = 0; i < 2; ++i) {
                model::thread([=] { value->store(value->load(kRelaxed) + 1, std::memory_order_seq_cst); });
            }
            model::after([=] { model::observe(std::to_string(value->load(kRelaxed))); });
        });
    };
    // With no preemption the second thread starts after the first; it may still read the old value.
    EXPECT_LT(increments(0).executions, increments(1).executions);
    EXPECT_LE(increments(1).executions, increments(2).executions);
    EXPECT_EQ(increments(3).outcomes, (std::set<std::string>{"1", "2"}));
}

TEST(Checker, SaysWhenABoundEndedTheSearch) {
    const auto result = model::check({.name = "short", .max_executions = 2}, [] {
        auto box = std::make_shared<Mailbox>();
        for (int i = 0; i < 3; ++i) model::thread([=] { box->flag.fetch_add(1, kRelaxed); });
    });
    EXPECT_TRUE(result.ok);
    EXPECT_FALSE(result.complete);
    EXPECT_EQ(result.executions, 2U);
}

TEST(Checker, ReportsAModelThatDoesNotRepeatItself) {
    int run = 0;
    const auto result = model::check({.name = "moody"}, [&run] {
        auto box = std::make_shared<Mailbox>();
        const int extra = run++ % 2;
        for (int i = 0; i < 2 + extra; ++i) model::thread([=] { box->flag.fetch_add(1, kRelaxed); });
    });
    EXPECT_TRUE(fails_with(result, "does not repeat itself"));
}

TEST(Checker, ReportsAnExceptionThatLeavesAThread) {
    const auto result =
        model::check({.name = "throws"}, [] { model::thread([] { throw std::runtime_error("broken"); }); });
    EXPECT_TRUE(fails_with(result, "an exception left the model: broken"));
}

}  // namespace
