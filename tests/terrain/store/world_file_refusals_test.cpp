#include <algorithm>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <memory>
#include <string>
#include <vector>

#include <gtest/gtest.h>
#include <sys/stat.h>
#include <unistd.h>

#include "quarry/jobs/pool.hpp"
#include "quarry/terrain/world_file.hpp"
#include "quarry/terrain/world_file_tools.hpp"
#include "terrain/store/world_database.hpp"
#include "tests/terrain/store/store_support.hpp"
#include "tests/terrain/support.hpp"
#include "tests/terrain/temporary_folder.hpp"

namespace quarry::terrain {
namespace {

using store::Access;
using store::Connection;
using test_support::edit_number;
using test_support::error_text;
using test_support::files_in;
using test_support::kGround;
using test_support::saved_hills;
using test_support::TemporaryFolder;

class WorldFileRefusals : public ::testing::Test {
  protected:
    void SetUp() override {
        EditWorld world(saved_hills());
        WorldFile file(pool, world, path, {.ground = kGround});
        for (std::uint64_t i = 0; i < 40; ++i) world.apply(edit_number(i));
        ASSERT_TRUE(file.save());
    }

    // Tries to open it in each way. The folder is as before. Says what was wrong, without the file's name.
    std::string refusal(const std::filesystem::path& file, std::uint64_t ground = kGround, double voxel_size = 1) {
        const auto before = files_in(folder.path());
        std::string text;
        for (const bool read_only : {false, true}) {
            EditWorld world(saved_hills(), {.lattice = {.voxel_size = voxel_size}});
            const WorldFileOptions options{.ground = ground, .read_only = read_only};
            const std::string error = error_text([&] { WorldFile(pool, world, file, options); });
            EXPECT_TRUE(error.starts_with(file.string() + ": ")) << error;
            EXPECT_EQ(error.find('\n'), std::string::npos);
            EXPECT_TRUE(text.empty() || error == text) << error << " but " << text;
            text = error;
        }
        EXPECT_EQ(files_in(folder.path()), before) << "after: " << text;
        return text.substr(std::min(text.size(), file.string().size() + 2));
    }

    std::filesystem::path changed(const std::string& statements) {
        Connection(path, Access::write).run(statements);
        return path;
    }

    TemporaryFolder folder;
    std::filesystem::path path = folder.path() / "world.db";
    Pool pool{PoolOptions{.workers = 1}};
};

TEST_F(WorldFileRefusals, WhatIsNoFileOfOursStaysAsItIs) {
    std::filesystem::create_directory(folder.path() / "folder");
    EXPECT_EQ(refusal(folder.path() / "folder"), "is a folder; a file is needed");
    ASSERT_EQ(::mkfifo((folder.path() / "pipe").c_str(), 0600), 0);
    EXPECT_EQ(refusal(folder.path() / "pipe"), "is a device, a pipe or a socket; a file is needed");
    EXPECT_EQ(refusal("/dev/null"), "is a device, a pipe or a socket; a file is needed");
    EXPECT_EQ(refusal(folder.write("text", "My notes, which nobody may overwrite.\n")),
              "is damaged, or not a file of edits: file is not a database");
    EXPECT_EQ(refusal(folder.write("empty", "")), "is not a file of edits");
    { Connection(folder.path() / "other", Access::create).run("CREATE TABLE mine(a); PRAGMA user_version = 1"); }
    EXPECT_EQ(refusal(folder.path() / "other"), "is not a file of edits");
}

TEST_F(WorldFileRefusals, APlaceWhereNoFileCanBeMadeIsNamed) {
    EditWorld world(saved_hills());
    const std::filesystem::path nowhere = folder.path() / "no" / "such" / "world.db";
    EXPECT_EQ(error_text([&] { WorldFile(pool, world, nowhere); }),
              nowhere.string() + ": cannot be made: there is no folder " + nowhere.parent_path().string());
    const std::filesystem::path proc = "/proc/world.db";
    EXPECT_EQ(error_text([&] { WorldFile(pool, world, proc); }).find("/proc/world.db: cannot be written to: "), 0u);
    const std::filesystem::path missing = folder.path() / "missing.db";
    EXPECT_EQ(error_text([&] { WorldFile(pool, world, missing, {.read_only = true}); }),
              missing.string() + ": is not there");
    EXPECT_EQ(error_text([&] { WorldFile(pool, world, nowhere, {.read_only = true}); }),
              nowhere.string() + ": is not there");
}

TEST_F(WorldFileRefusals, AnotherWorldOrFormatIsRefused) {
    EXPECT_EQ(refusal(path, 78), "is for ground 77, not 78");
    EXPECT_EQ(refusal(path, kGround, 0.5), "is for another lattice");
    EXPECT_EQ(refusal(changed("PRAGMA user_version = 2")), "has format 2; this program knows 1 to 1");
    EXPECT_EQ(refusal(changed("PRAGMA user_version = 0")), "is not a file of edits");
    EXPECT_EQ(refusal(changed("PRAGMA user_version = 1; PRAGMA application_id = 7")), "is not a file of edits");
}

TEST_F(WorldFileRefusals, AFileWithoutWhatItNeedsIsRefused) {
    EXPECT_EQ(refusal(changed("UPDATE contents SET edits = 41")), "is damaged: what it says it holds is wrong");
    EXPECT_EQ(refusal(changed("DELETE FROM contents")), "is damaged: it does not say what it holds");
    EXPECT_EQ(refusal(changed("DELETE FROM world")), "is damaged: it does not say which world it is for");
    EXPECT_EQ(refusal(changed("DROP TABLE world")), "is damaged, or not a file of edits: no such table: world");
}

TEST_F(WorldFileRefusals, ACutFileIsRefused) {
    const std::string whole = test_support::bytes_of_file(path);
    for (const std::size_t size : {std::size_t{1}, std::size_t{90}, std::size_t{4095}, std::size_t{4096},
                                   whole.size() / 2, whole.size() - 4096, whole.size() - 1}) {
        folder.write("world.db", std::string_view(whole).substr(0, size));
        EXPECT_NE(refusal(path), "") << size;
    }
    folder.write("world.db", whole);
    EXPECT_TRUE(check_world_file(path).problems.empty());
}

TEST_F(WorldFileRefusals, AFileThatAnotherProgramHasLockedIsRefused) {
    Connection other(path, Access::write);
    other.run("BEGIN IMMEDIATE; UPDATE contents SET edits = edits");
    EditWorld world(saved_hills());
    EXPECT_EQ(error_text([&] { WorldFile(pool, world, path, {.ground = kGround}); }),
              path.string() + ": is locked by another program");
    other.run("ROLLBACK");
    WorldFile file(pool, world, path, {.ground = kGround, .batch = std::chrono::milliseconds(0)});
    // While it is open, another program may still take the lock: then saving waits for it.
    other.run("BEGIN IMMEDIATE");
    world.apply(edit_number(40));
    EXPECT_FALSE(file.save());
    EXPECT_EQ(file.stats().problem, path.string() + ": is locked by another program");
    other.run("ROLLBACK");
    EXPECT_TRUE(file.save());
    EXPECT_EQ(file.stats().problem, "");
}

// Root may write everywhere, so somebody else tries.
void try_as_nobody(const std::filesystem::path& path) {
    if (::geteuid() == 0 && (::setgid(65'534) != 0 || ::setuid(65'534) != 0)) std::_Exit(9);
    Pool pool(PoolOptions{.workers = 1});
    EditWorld world(saved_hills());
    std::fprintf(stderr, "%s\n", error_text([&] { WorldFile(pool, world, path, {.ground = kGround}); }).c_str());
    EditWorld seen(saved_hills());
    WorldFile reader(pool, seen, path, {.ground = kGround, .read_only = true});
    reader.load_all();
    std::_Exit(reader.stats().edits == 40 && seen.stats().bricks > 0 ? 3 : 4);
}

TEST(WorldFileOfOthers, ThatMayNotBeWrittenCanStillBeRead) {
    const TemporaryFolder folder;
    const std::filesystem::path path = folder.path() / "world.db";
    {
        Pool pool(PoolOptions{.workers = 1});
        EditWorld world(saved_hills());
        WorldFile file(pool, world, path, {.ground = kGround});
        for (std::uint64_t i = 0; i < 40; ++i) world.apply(edit_number(i));
    }
    std::filesystem::permissions(path, std::filesystem::perms(0444));
    std::filesystem::permissions(folder.path(), std::filesystem::perms(0555));
    GTEST_FLAG_SET(death_test_style, "fast");
    EXPECT_EXIT(try_as_nobody(path), ::testing::ExitedWithCode(3), "world.db: cannot be written to");
    std::filesystem::permissions(folder.path(), std::filesystem::perms(0755));
}

TEST_F(WorldFileRefusals, ABrickThatIsDamagedIsNoticedAndNothingIsSavedAnyMore) {
    changed("UPDATE bricks SET data = zeroblob(length(data)) WHERE id = (SELECT max(id) FROM bricks)");
    const std::string before = test_support::bytes_of_file(path);
    {
        EditWorld world(saved_hills());
        WorldFile file(pool, world, path, {.ground = kGround, .batch = std::chrono::milliseconds(0)});
        const auto end = std::chrono::steady_clock::now() + std::chrono::seconds(60);
        while (file.stats().problem.empty() && std::chrono::steady_clock::now() < end) file.update({});
        EXPECT_EQ(file.stats().problem, path.string() + ": is damaged: a brick has an unknown encoding");
        EXPECT_TRUE(file.stats().is_damaged);
        EXPECT_FALSE(file.stats().is_loaded);
        EXPECT_NE(error_text([&] { file.load_all(); }), "");
        try {
            world.apply(edit_number(40));
        } catch (const Error&) {  // where the damage is
        }
        EXPECT_FALSE(file.save() && file.stats().edits > 40);
    }
    EXPECT_TRUE(test_support::bytes_of_file(path) == before);
    ASSERT_EQ(check_world_file(path).problems.size(), 1u);
    EXPECT_EQ(check_world_file(path).problems[0], path.string() + ": is damaged: a brick has an unknown encoding");
}

TEST_F(WorldFileRefusals, BricksThatAreMissingOrMovedAreFoundByTheCheck) {
    const std::string whole = test_support::bytes_of_file(path);
    changed("DELETE FROM bricks WHERE id = (SELECT max(id) FROM bricks)");
    ASSERT_EQ(check_world_file(path).problems.size(), 1u);
    EXPECT_EQ(check_world_file(path).problems[0].find("it should have "), 0u);
    folder.write("world.db", whole);
    changed("UPDATE bricks SET id = id + 2 WHERE id = (SELECT max(id) FROM bricks)");
    EXPECT_EQ(check_world_file(path).problems.at(0), path.string() + ": is damaged: a brick is in the wrong place");
    folder.write("world.db", whole);
    changed("DELETE FROM regions WHERE id = 1");
    EXPECT_NE(check_world_file(path).problems.at(0).find("bricks are nowhere"), std::string::npos);
}

TEST_F(WorldFileRefusals, BricksOutOfOrderDoNotKeepAReaderBusyForEver) {
    const auto root = static_cast<std::size_t>(
        Connection(path, Access::look).number("SELECT rootpage FROM sqlite_schema WHERE name = 'bricks'"));
    std::string bytes = test_support::bytes_of_file(path);
    // Pages behind the table's first one hold its rows: a byte 13, then the number of rows and where they are.
    int turned = 0;
    for (std::size_t page = root * 4096; page < bytes.size(); page += 4096) {
        if (bytes[page] != 13) continue;
        const std::size_t rows = static_cast<unsigned char>(bytes[page + 4]);
        for (std::size_t i = 0; i < rows / 2; ++i) {
            for (const std::size_t part : {std::size_t{0}, std::size_t{1}}) {
                std::swap(bytes[page + 8 + 2 * i + part], bytes[page + 8 + 2 * (rows - 1 - i) + part]);
            }
        }
        turned += rows > 1 ? 1 : 0;
    }
    ASSERT_GT(turned, 0);
    folder.write("world.db", bytes);
    EditWorld world(saved_hills());
    WorldFile file(pool, world, path, {.ground = kGround});
    EXPECT_NE(error_text([&] { file.load_all(); }), "");
    EXPECT_TRUE(file.stats().is_damaged);
}

TEST_F(WorldFileRefusals, BricksThatAreNotFoundAreMissed) {
    changed("DELETE FROM bricks WHERE id = (SELECT max(id) FROM bricks)");
    for (const bool at_once : {true, false}) {
        EditWorld world(saved_hills());
        WorldFile file(pool, world, path, {.ground = kGround});
        if (at_once) {
            EXPECT_EQ(error_text([&] { file.load_all(); }), path.string() + ": is damaged: 1 bricks are missing");
        }
        const auto end = std::chrono::steady_clock::now() + std::chrono::seconds(60);
        while (!file.stats().is_damaged && std::chrono::steady_clock::now() < end) file.update({});
        EXPECT_EQ(file.stats().problem, path.string() + ": is damaged: 1 bricks are missing");
    }
}

TEST_F(WorldFileRefusals, RandomDamageDoesNoHarm) {
    Random random(621);
    SCOPED_TRACE(seed_text());
    const std::string whole = test_support::bytes_of_file(path);
    EditWorld good(saved_hills());
    for (std::uint64_t i = 0; i < 40; ++i) good.apply(edit_number(i));
    int noticed = 0;
    const int rounds = test_support::rounds("QUARRY_STORE_DAMAGES", 60);
    for (int round = 0; round < rounds; ++round) {
        std::string bad = whole;
        const auto place = [&](std::size_t most) {
            return static_cast<std::size_t>(random.integer(0, static_cast<std::int32_t>(most) - 1));
        };
        for (int i = random.integer(1, 8); i > 0; --i) {
            // Half of it where SQLite keeps its own numbers.
            const std::size_t at = i % 2 == 0 ? place(bad.size()) : place(bad.size() / 4096) * 4096 + place(100);
            bad[std::min(at, bad.size() - 1)] = static_cast<char>(random.integer(0, 255));
        }
        folder.write("world.db", bad);
        bool is_noticed = false;
        std::uint64_t hash = 0;
        try {
            EditWorld world(saved_hills());
            WorldFile file(pool, world, path, {.ground = kGround});
            file.load_all();
            hash = world.content_hash();
        } catch (const Error&) {
            is_noticed = true;
        }
        // It is not written to, whether or not the damage was noticed.
        EXPECT_TRUE(test_support::bytes_of_file(path) == bad);
        try {
            is_noticed = !check_world_file(path).problems.empty() || is_noticed;
        } catch (const Error&) {
            is_noticed = true;
        }
        if (!is_noticed) {
            EXPECT_EQ(hash, good.content_hash());
        }
        noticed += is_noticed ? 1 : 0;
        for (const char* const end : {"-wal", "-shm", "-writer"}) std::filesystem::remove(path.string() + end);
    }
    EXPECT_GT(noticed, rounds / 2);
}

TEST_F(WorldFileRefusals, MigrationTakesEveryStepOrNone) {
    const std::vector<store::Migration> steps{{1, "CREATE TABLE first(a)"}, {2, "CREATE TABLE second(a)"}};
    {
        Connection connection(path, Access::write);
        EXPECT_THROW(migrate(connection, std::span(steps).first(1), 3), Error);
        EXPECT_EQ(connection.number("PRAGMA user_version"), 1);
        EXPECT_EQ(connection.number("SELECT count(*) FROM sqlite_schema WHERE name = 'first'"), 0);
        migrate(connection, steps, 3);
        EXPECT_EQ(connection.number("PRAGMA user_version"), 3);
        EXPECT_EQ(connection.number("SELECT count(*) FROM sqlite_schema WHERE name IN ('first', 'second')"), 2);
        connection.run("PRAGMA user_version = 1");
    }
    EXPECT_TRUE(check_world_file(path).problems.empty());
}

}  // namespace
}  // namespace quarry::terrain
