#include "quarry/terrain/world_file.hpp"

#include <algorithm>
#include <chrono>
#include <cstdlib>
#include <memory>
#include <set>
#include <string>
#include <thread>
#include <vector>

#include <gtest/gtest.h>

#include "quarry/jobs/pool.hpp"
#include "quarry/terrain/edited_field.hpp"
#include "terrain/store/brick_codec.hpp"
#include "tests/terrain/store/store_support.hpp"
#include "tests/terrain/support.hpp"
#include "tests/terrain/temporary_folder.hpp"

namespace quarry::terrain {
namespace {

using test_support::edit_number;
using test_support::error_text;
using test_support::kGround;
using test_support::PlainWorld;
using test_support::saved_hills;
using test_support::TemporaryFolder;

constexpr WorldFileOptions kOptions{.ground = kGround, .batch = std::chrono::milliseconds(0)};
constexpr Position kHere{};

class WorldFiles : public ::testing::Test {
  protected:
    // A file with the first so many edits.
    void make(std::uint64_t edits, double reach = 60) {
        EditWorld world(saved_hills());
        WorldFile file(pool, world, path, kOptions);
        for (std::uint64_t i = 0; i < edits; ++i) world.apply(edit_number(i, reach));
        ASSERT_TRUE(file.save());
    }
    std::uint64_t hash_of_file(std::uint64_t expected_edits) {
        EditWorld world(saved_hills());
        WorldFile file(pool, world, path, kOptions);
        file.load_all();
        EXPECT_EQ(file.stats().edits, expected_edits);
        return world.content_hash();
    }

    TemporaryFolder folder;
    std::filesystem::path path = folder.path() / "world.db";
    Pool pool{PoolOptions{.workers = 1}};
};

TEST_F(WorldFiles, WhatWasSavedIsThereAgain) {
    make(200);
    PlainWorld plain;
    EXPECT_EQ(hash_of_file(200), plain.hash_after(200));
    // All is in the one file.
    EXPECT_EQ(test_support::files_in(folder.path()).size(), 1u);
}

TEST_F(WorldFiles, EditsAreSavedWhileTheHostGoesOn) {
    EditWorld world(saved_hills());
    WorldFile file(pool, world, path, kOptions);
    EXPECT_TRUE(file.stats().is_loaded);
    std::uint64_t made = 0;
    while (file.stats().batches < 5) {
        world.apply(edit_number(made++));
        file.update({&kHere, 1});
        const WorldFileStats stats = file.stats();
        ASSERT_EQ(stats.edits, made);
        ASSERT_LE(stats.saved, made);
        ASSERT_EQ(stats.problem, "");
    }
    EXPECT_GT(file.stats().saved, 0u);
    // Without anything new nothing is written.
    ASSERT_TRUE(file.save());
    const std::uint64_t batches = file.stats().batches;
    for (int i = 0; i < 20; ++i) file.update({&kHere, 1});
    ASSERT_TRUE(file.save());
    EXPECT_EQ(file.stats().batches, batches);
    EXPECT_EQ(file.stats().saved, made);
}

TEST_F(WorldFiles, ManyEditsGoIntoOneBatch) {
    EditWorld world(saved_hills());
    WorldFile file(pool, world, path, {.ground = kGround, .batch = std::chrono::seconds(60)});
    world.apply(edit_number(0));
    file.update({});  // the first one goes at once
    for (std::uint64_t i = 1; i < 100; ++i) {
        world.apply(edit_number(i));
        file.update({});
    }
    ASSERT_TRUE(file.save());
    EXPECT_EQ(file.stats().batches, 2u);
    EXPECT_EQ(file.stats().saved, 100u);
}

TEST_F(WorldFiles, WhatIsUndoneIsGoneFromTheFile) {
    EditWorld world(saved_hills());
    {
        WorldFile file(pool, world, path, kOptions);
        for (std::uint64_t i = 0; i < 30; ++i) {
            Edit edit = edit_number(i);
            edit.stroke = i < 10 ? 1 : 2;
            world.apply(edit);
        }
        ASSERT_TRUE(file.save());
        world.apply({.kind = EditKind::undo, .stroke = 2});
        ASSERT_TRUE(file.save());
    }
    EXPECT_EQ(hash_of_file(31), world.content_hash());
    EditWorld again(saved_hills());
    WorldFile file(pool, again, path, kOptions);
    file.load_all();
    EXPECT_EQ(again.stats().bricks, world.stats().bricks);
    EXPECT_EQ(again.stats().paint_bricks, world.stats().paint_bricks);
    // Strokes of an earlier session cannot be undone.
    EXPECT_EQ(again.undo_of(0), std::nullopt);
    EXPECT_FALSE(again.apply({.kind = EditKind::undo, .stroke = 1}).done);
}

TEST_F(WorldFiles, EditsBeforeAllIsLoadedGiveTheSameWorld) {
    make(150);
    {
        EditWorld world(saved_hills());
        WorldFile file(pool, world, path, kOptions);
        EXPECT_FALSE(file.stats().is_loaded);
        for (std::uint64_t i = 150; i < 300; ++i) {
            world.apply(edit_number(i));
            if (i % 7 == 0) file.update({&kHere, 1});
        }
        ASSERT_TRUE(file.save());
    }
    PlainWorld plain;
    EXPECT_EQ(hash_of_file(300), plain.hash_after(300));
}

TEST_F(WorldFiles, ALoosePartThatIsNotLoadedYetIsRemovedAllTheSame) {
    // It reaches into several of the parts that are read at once.
    const Edit ball{.kind = EditKind::add, .at = {64, 60, 64}, .radius = 20};
    {
        EditWorld world(saved_hills());
        WorldFile file(pool, world, path, kOptions);
        world.apply(ball);
        ASSERT_TRUE(file.save());
    }
    EditWorld world(saved_hills());
    WorldFile file(pool, world, path, kOptions);
    const Edit removal{.kind = EditKind::remove, .stroke = 5, .at = {64, 60, 64}};
    EXPECT_GT(world.apply(removal).samples, 30'000u);
    EditWorld plain(saved_hills());
    plain.apply(ball);
    plain.apply(removal);
    file.load_all();
    EXPECT_EQ(world.content_hash(), plain.content_hash());
}

TEST_F(WorldFiles, WhatIsNearIsLoadedFirstAndEachBoxIsReportedOnce) {
    make(600, 2'000);
    EditWorld world(saved_hills());
    WorldFile file(pool, world, path, kOptions);
    const Position viewer{900, 0, -700};
    const auto away = [&](const Box& box) {
        const auto along = [](double at, double low, double high) { return std::max({low - at, at - high, 0.0}); };
        return std::hypot(along(viewer.x, box.low.x, box.high.x), along(viewer.y, box.low.y, box.high.y),
                          along(viewer.z, box.low.z, box.high.z));
    };
    double farthest = 0;
    std::set<std::pair<double, double>> seen;
    int frames = 0;
    while (!file.stats().is_loaded) {
        double nearest = 1e9;
        double most = 0;
        for (const Box& box : file.update({&viewer, 1})) {
            nearest = std::min(nearest, away(box));
            most = std::max(most, away(box));
            seen.insert({box.low.x * 1e6 + box.low.z, box.low.y});
        }
        if (most > 0) {
            EXPECT_GE(nearest + 1e-9, farthest);
            farthest = most;
            ++frames;
        }
        std::this_thread::yield();
    }
    EXPECT_GT(frames, 3);
    EXPECT_GT(seen.size(), 300u);
    PlainWorld plain;
    EditWorld all(saved_hills());
    for (std::uint64_t i = 0; i < 600; ++i) all.apply(edit_number(i, 2'000));
    EXPECT_EQ(world.content_hash(), all.content_hash());
    EXPECT_TRUE(file.update({&viewer, 1}).empty());
}

TEST_F(WorldFiles, ABoxIsLoadedAtOnce) {
    make(300, 500);
    EditWorld all(saved_hills());
    for (std::uint64_t i = 0; i < 300; ++i) all.apply(edit_number(i, 500));
    EditWorld world(saved_hills());
    WorldFile file(pool, world, path, kOptions);
    file.load({{-100, -50, -100}, {100, 50, 100}});
    const SampleBlock block{.first = {-100, -20, -100}, .nx = 200, .ny = 40, .nz = 200};
    EXPECT_TRUE(same_bits(sampled(*world.field(), block), sampled(*all.field(), block)));
    EXPECT_LT(world.stats().bricks, all.stats().bricks);
    file.load({{-1e9, -1e9, -1e9}, {1e9, 1e9, 1e9}});
    EXPECT_EQ(world.content_hash(), all.content_hash());
    EXPECT_FALSE(file.update({}).empty());
}

TEST_F(WorldFiles, OneWritesAndManyRead) {
    EditWorld world(saved_hills());
    WorldFile file(pool, world, path, kOptions);
    EditWorld other(saved_hills());
    EXPECT_EQ(error_text([&] { WorldFile(pool, other, path, kOptions); }),
              path.string() + ": is being written by another program");
    PlainWorld plain;
    const WorldFileOptions reading{.ground = kGround, .read_only = true};
    std::uint64_t last = 0;
    for (std::uint64_t i = 0; i < 60; ++i) {
        world.apply(edit_number(i));
        file.update({});
        if (i % 10 != 9) continue;
        EditWorld seen(saved_hills());
        WorldFile reader(pool, seen, path, reading);
        EditWorld seen_too(saved_hills());
        WorldFile second(pool, seen_too, path, reading);
        reader.load_all();
        EXPECT_GE(reader.stats().edits, last);
        last = reader.stats().edits;
        seen.apply(edit_number(999));
        EXPECT_FALSE(reader.save());
        EXPECT_EQ(reader.stats().problem, path.string() + ": was opened to be read only");
    }
    ASSERT_TRUE(file.save());
    EditWorld seen(saved_hills());
    WorldFile reader(pool, seen, path, reading);
    reader.load_all();
    EXPECT_EQ(seen.content_hash(), plain.hash_after(60));
}

TEST_F(WorldFiles, RefusesOptionsOutOfRangeAndAWorldThatHasEdits) {
    EditWorld world(saved_hills());
    EXPECT_EQ(refusal_of([&] { WorldFile(pool, world, path, {.batch = std::chrono::milliseconds(-1)}); }),
              "WorldFileOptions.batch is -1 ms; 0 to 60000 is allowed");
    Pool without(PoolOptions{.workers = 1, .io_threads = 0});
    EXPECT_NE(error_text([&] { WorldFile(without, world, path, kOptions); }).find("I/O lane"), std::string::npos);
    world.apply(edit_number(0));
    EXPECT_EQ(refusal_of([&] { WorldFile(pool, world, path, kOptions); }),
              "WorldFile needs a world without edits; this one has 1");
    EXPECT_FALSE(std::filesystem::exists(path));
}

template <class Brick>
void expect_comes_back(store::BrickCodec& codec, const edits::BrickKey& key, Brick brick) {
    brick.look_through();
    const auto bytes = codec.encode(key, brick);
    const std::vector<std::byte> copy(bytes.begin(), bytes.end());
    const std::shared_ptr<Brick> back = codec.decode<Brick>(key, copy);
    EXPECT_EQ(back->values, brick.values);
    EXPECT_EQ(back->range.low, brick.range.low);
    EXPECT_EQ(back->range.high, brick.range.high);
    EXPECT_EQ(back->epoch, 0u);
    edits::BrickKey other = key;
    ++other.y;
    EXPECT_EQ(error_text([&] { codec.decode<Brick>(other, copy); }), "a brick is in the wrong place");
    for (std::size_t i = 0; i < copy.size(); i += 1 + copy.size() / 50) {
        std::vector<std::byte> bad = copy;
        bad[i] ^= std::byte{4};
        // Some bits of a compressed block mean nothing.
        std::shared_ptr<Brick> read;
        const std::string error = error_text([&] { read = codec.decode<Brick>(key, bad); });
        EXPECT_TRUE(!error.empty() || read->values == brick.values) << i;
        EXPECT_NE(error_text([&] { codec.decode<Brick>(key, std::span(copy).first(i)); }), "") << i;
    }
}

TEST(BrickCodec, GivesEveryValueBackAndNoticesEveryDamage) {
    Random random(601);
    SCOPED_TRACE(seed_text());
    store::BrickCodec codec;
    for (int round = 0; round < 20; ++round) {
        const edits::BrickKey key{random.integer(-1 << 26, 1 << 26), random.integer(-99, 99), 1 << 26};
        edits::DensityBrick brick;
        edits::PaintBrick paint;
        for (auto& value : brick.values) {
            const int what = random.integer(0, round % 4);
            if (what == 0) value = static_cast<std::int16_t>(random.integer(-32767, 32767));
            if (what == 1) value = static_cast<std::int16_t>(random.integer(0, 1) == 0 ? 32767 : -32767);
        }
        for (auto& value : paint.values) {
            const auto share = static_cast<std::uint32_t>(random.integer(0, 255));
            value = share << 8U * static_cast<unsigned>(random.integer(0, 3));
        }
        brick.values[77] = 5;
        paint.values[3] = 255;
        expect_comes_back(codec, key, brick);
        expect_comes_back(codec, key, paint);
    }
}

}  // namespace
}  // namespace quarry::terrain
