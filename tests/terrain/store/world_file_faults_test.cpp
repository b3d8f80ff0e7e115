#include <chrono>
#include <csignal>
#include <cstdlib>
#include <string>
#include <thread>
#include <vector>

#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include "quarry/jobs/pool.hpp"
#include "quarry/terrain/world_file.hpp"
#include "quarry/terrain/world_file_tools.hpp"
#include "tests/terrain/store/faulty_disk.hpp"
#include "tests/terrain/store/store_support.hpp"
#include "tests/terrain/support.hpp"
#include "tests/terrain/temporary_folder.hpp"

namespace quarry::terrain {
namespace {

using test_support::edit_number;
using test_support::FaultyDisk;
using test_support::kGround;
using test_support::PlainWorld;
using test_support::rounds;
using test_support::saved_hills;
using test_support::TemporaryFolder;

constexpr WorldFileOptions kAtOnce{.ground = kGround, .batch = std::chrono::milliseconds(0)};

// The file is whole, has at least so many edits, and is what its first edits give. Says how many it has.
std::uint64_t expect_whole(const std::filesystem::path& path, std::uint64_t reported, PlainWorld& plain) {
    const WorldFileCheck check = check_world_file(path);
    EXPECT_TRUE(check.problems.empty()) << check.problems.front();
    Pool pool(PoolOptions{.workers = 1});
    EditWorld world(saved_hills());
    WorldFile file(pool, world, path, kAtOnce);
    file.load_all();
    const std::uint64_t edits = file.stats().edits;
    EXPECT_GE(edits, reported);
    EXPECT_EQ(world.content_hash(), plain.hash_after(edits)) << edits << " edits";
    return edits;
}

TEST(WorldFileFaults, WhileTheDiskIsFullEditsStayInMemoryAndAreSavedLater) {
    const TemporaryFolder folder;
    const std::filesystem::path path = folder.path() / "world.db";
    Pool pool(PoolOptions{.workers = 1});
    PlainWorld plain;
    {
        { WorldFile(pool, *std::make_unique<EditWorld>(saved_hills()), path, kAtOnce); }
        FaultyDisk disk;
        EditWorld world(saved_hills());
        WorldFile file(pool, world, path, kAtOnce);
        for (std::uint64_t i = 0; i < 20; ++i) world.apply(edit_number(i));
        ASSERT_TRUE(file.save());
        disk.set_full(true);
        for (std::uint64_t i = 20; i < 60; ++i) world.apply(edit_number(i));
        EXPECT_FALSE(file.save());
        EXPECT_EQ(file.stats().problem, path.string() + ": database or disk is full");
        EXPECT_EQ(file.stats().saved, 20u);
        EXPECT_EQ(file.stats().edits, 60u);
        EXPECT_GE(file.stats().failures, 1u);
        EXPECT_EQ(world.content_hash(), plain.hash_after(60));
        // The file goes on without being asked to, once there is room.
        file.update({});
        world.apply(edit_number(60));
        disk.set_full(false);
        const auto end = std::chrono::steady_clock::now() + std::chrono::seconds(60);
        while (file.stats().saved != 61 && std::chrono::steady_clock::now() < end) {
            file.update({});
            std::this_thread::sleep_for(std::chrono::milliseconds(5));
        }
        EXPECT_EQ(file.stats().saved, 61u);
        EXPECT_EQ(file.stats().problem, "");
    }
    EXPECT_EQ(expect_whole(path, 61, plain), 61u);
}

// Edits over a disk whose power is cut at some moment. Says what was reported as saved.
std::uint64_t edit_until_the_cut(Pool& pool, const std::filesystem::path& path, FaultyDisk& disk, Random& random) {
    EditWorld world(saved_hills());
    WorldFile file(pool, world, path, kAtOnce);
    disk.cut_after(static_cast<std::uint64_t>(random.integer(1, 90)),
                   static_cast<std::uint64_t>(random.integer(0, 1 << 30)));
    std::uint64_t next = file.stats().edits;
    while (!disk.is_cut()) {
        for (int i = random.integer(1, 4); i > 0; --i) {
            try {
                world.apply(edit_number(next));
                ++next;
            } catch (const Error&) {  // what is there could not be read any more
                return file.stats().saved;
            }
        }
        if (random.integer(0, 2) == 0) {
            file.save();
        } else {
            file.update({});
        }
    }
    // What was under way may or may not be saved.
    file.save();
    return file.stats().saved;
}

TEST(WorldFileFaults, WhatWasReportedSavedSurvivesAPowerCutAtAnyMoment) {
    Random random(611);
    SCOPED_TRACE(seed_text());
    Pool pool(PoolOptions{.workers = 1});
    std::uint64_t reported = 0;
    std::uint64_t more = 0;
    const TemporaryFolder folder;
    const std::filesystem::path path = folder.path() / "world.db";
    { WorldFile(pool, *std::make_unique<EditWorld>(saved_hills()), path, kAtOnce); }
    PlainWorld plain;
    for (int round = rounds("QUARRY_POWER_CUTS", 20); round > 0; --round) {
        {
            FaultyDisk disk;
            reported = edit_until_the_cut(pool, path, disk, random);
        }
        const std::uint64_t edits = expect_whole(path, reported, plain);
        ASSERT_FALSE(HasFailure()) << round << " rounds before the end";
        more += edits > reported ? 1 : 0;
    }
    EXPECT_GT(reported, 20u);
    RecordProperty("rounds_with_more_than_was_reported", static_cast<int>(more));
}

// In a process of its own. Reports through a pipe what was saved.
[[noreturn]] void edit_until_killed(const std::filesystem::path& path, int report) {
    Pool pool(PoolOptions{.workers = 1});
    EditWorld world(saved_hills());
    WorldFile file(pool, world, path, kAtOnce);
    std::uint64_t reported = file.stats().saved;
    for (std::uint64_t next = file.stats().edits;; ++next) {
        world.apply(edit_number(next));
        file.update({});
        const std::uint64_t saved = file.stats().saved;
        if (saved != reported && ::write(report, &saved, sizeof saved) != sizeof saved) std::_Exit(1);
        reported = saved;
    }
}

TEST(WorldFileFaults, WhatWasReportedSavedSurvivesAKillAtAnyMoment) {
    Random random(612);
    SCOPED_TRACE(seed_text());
    const TemporaryFolder folder;
    const std::filesystem::path path = folder.path() / "world.db";
    PlainWorld plain;
    std::uint64_t last = 0;
    int with_reports = 0;
    for (int round = rounds("QUARRY_STORE_KILLS", 10); round > 0; --round) {
        int pipe[2];
        ASSERT_EQ(::pipe(pipe), 0);
        const pid_t child = ::fork();
        if (child == 0) {
            ::close(pipe[0]);
            edit_until_killed(path, pipe[1]);
        }
        ::close(pipe[1]);
        // By turns at any time from the start, and at any time after something was saved.
        std::uint64_t reported = last;
        if (round % 2 == 0 && ::read(pipe[0], &reported, sizeof reported) != sizeof reported) {
            ADD_FAILURE() << "nothing was saved";
        }
        std::this_thread::sleep_for(std::chrono::microseconds(random.integer(0, 30'000)));
        ::kill(child, SIGKILL);
        int status = 0;
        ::waitpid(child, &status, 0);
        EXPECT_TRUE(WIFSIGNALED(status));
        std::uint64_t got = 0;
        while (::read(pipe[0], &got, sizeof got) == sizeof got) reported = got;
        ::close(pipe[0]);
        with_reports += reported != last ? 1 : 0;
        // It may have been killed before there was a file.
        if (std::filesystem::exists(path)) last = expect_whole(path, reported, plain);
        ASSERT_FALSE(HasFailure()) << round << " rounds before the end";
    }
    EXPECT_GT(with_reports, 1);
    EXPECT_GT(last, 0u);
}

}  // namespace
}  // namespace quarry::terrain
