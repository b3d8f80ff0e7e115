#include "harness/engine_process.hpp"

#include <chrono>
#include <string>

#include <gtest/gtest.h>

namespace quarry::bench {
namespace {

using namespace std::chrono_literals;

// An engine made of a line of shell.
EngineProcess engine(const std::string& script) {
    return EngineProcess("fake", {"/bin/sh", "-c", script});
}

TEST(EngineProcess, ValuesAndSamplesOfAReplyAreRead) {
    EngineProcess fake = engine("read request; echo value $request ns 1.5; echo samples wake us 1 2 3; echo done");
    const Reply reply = fake.ask("fib", 10s);
    ASSERT_EQ(reply.status, Reply::Status::done);
    ASSERT_EQ(reply.answer.values.size(), 1u);
    EXPECT_EQ(reply.answer.values[0].name, "fib");
    EXPECT_EQ(reply.answer.values[0].unit, "ns");
    EXPECT_EQ(reply.answer.values[0].value, 1.5);
    ASSERT_EQ(reply.answer.samples.size(), 1u);
    EXPECT_EQ(reply.answer.samples[0].values, (std::vector<double>{1, 2, 3}));
}

TEST(EngineProcess, ReasonOfARefusalIsKept) {
    EngineProcess fake = engine("read request; echo unsupported has no sort; read end");
    const Reply reply = fake.ask("run sort 1 quick", 10s);
    EXPECT_EQ(reply.status, Reply::Status::unsupported);
    EXPECT_EQ(reply.text, "has no sort");
}

TEST(EngineProcess, EngineThatDiesIsReportedWithTheWayItEnded) {
    EngineProcess crashes = engine("read request; kill -SEGV $$");
    const Reply crashed = crashes.ask("run", 10s);
    EXPECT_EQ(crashed.status, Reply::Status::died);
    EXPECT_EQ(crashed.text, "killed by signal 11");
    EngineProcess leaves = engine("read request; echo value fib ns 1; exit 3");
    const Reply left = leaves.ask("run", 10s);
    EXPECT_EQ(left.status, Reply::Status::died);
    EXPECT_EQ(left.text, "ended with status 3");
}

TEST(EngineProcess, EngineThatHangsIsStoppedInTime) {
    EngineProcess fake = engine("read request; echo value fib ns 1; exec sleep 100");
    const auto start = std::chrono::steady_clock::now();
    EXPECT_EQ(fake.ask("run", 100ms).status, Reply::Status::hung);
    EXPECT_LT(std::chrono::steady_clock::now() - start, 20s);
}

TEST(EngineProcess, EngineThatDiedIsStartedAgainForTheNextRequest) {
    EngineProcess fake = engine("read request; [ $request = die ] && exit 1; echo done; read end");
    EXPECT_EQ(fake.ask("die", 10s).status, Reply::Status::died);
    EXPECT_EQ(fake.ask("live", 10s).status, Reply::Status::done);
}

TEST(EngineProcess, ProgramThatIsNotThereIsReportedAsDied) {
    EngineProcess missing("missing", {"/nowhere/at/all"});
    const Reply reply = missing.ask("run", 10s);
    EXPECT_EQ(reply.status, Reply::Status::died);
    EXPECT_EQ(reply.text, "ended with status 127");
}

}  // namespace
}  // namespace quarry::bench
