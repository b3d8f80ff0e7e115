#include "quarry/terrain/edit_log.hpp"

#include <algorithm>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "quarry/jobs/error.hpp"
#include "quarry/terrain/edit_world.hpp"
#include "quarry/terrain/shape_fields.hpp"
#include "tests/terrain/edits/dense_world.hpp"
#include "tests/terrain/support.hpp"

namespace quarry::terrain {
namespace {

constexpr EditLogWorld kWorld{.lattice = {.voxel_size = 0.5}, .undo_bytes = 1 << 20, .ground = 42};

std::vector<Edit> some_edits(Random& random, int count) {
    std::vector<Edit> edits;
    for (int i = 0; i < count; ++i) {
        Edit edit = test_support::random_edit(random, 20, static_cast<std::uint32_t>(i / 3));
        edit.kind = static_cast<EditKind>(i % 9);
        if (i % 5 == 0) edit.shape = BrushShape::stamp;
        edit.material = static_cast<std::uint8_t>(i % 4);
        edits.push_back(edit);
    }
    return edits;
}

// As it comes out of a log: without what its kind and shape have no use for.
Edit as_sent(const Edit& edit) {
    Edit sent{.kind = edit.kind, .shape = edit.shape, .editor = edit.editor, .stroke = edit.stroke};
    if (edit.kind == EditKind::remove) sent.at = edit.at;
    if (edit.kind == EditKind::remove || edit.kind == EditKind::undo || edit.kind == EditKind::redo) return sent;
    sent.at = edit.at;
    sent.radius = edit.radius;
    sent.strength = edit.strength;
    sent.falloff = edit.falloff;
    if (edit.shape == BrushShape::box || edit.shape == BrushShape::capsule) sent.extent = edit.extent;
    if (edit.shape == BrushShape::stamp) sent.stamp = edit.stamp;
    if (edit.kind == EditKind::paint) sent.material = edit.material;
    if (edit.kind == EditKind::raise) sent.amount = edit.amount;
    if (edit.kind == EditKind::flatten) sent.normal = edit.normal;
    return sent;
}

std::string error_of(std::span<const std::byte> bytes, const EditLogWorld& world = kWorld) {
    EditLog log(world);
    log.feed(bytes);
    try {
        while (log.next()) {
        }
    } catch (const Error& error) {
        return error.what();
    }
    return log.at_end() ? "" : "cut";
}

TEST(EditLog, GivesBackWhatWasWrittenHoweverItIsCut) {
    Random random(521);
    SCOPED_TRACE(seed_text());
    const std::vector<Edit> edits = some_edits(random, 200);
    EditLog sender(kWorld, 17);
    EditLog receiver(kWorld);
    std::vector<NumberedEdit> got;
    std::size_t bytes = 0;
    for (const Edit& edit : edits) {
        sender.write(edit);
        if (random.integer(0, 2) != 0) continue;
        const std::vector<std::byte> part = sender.take();
        bytes += part.size();
        for (std::size_t at = 0; at < part.size();) {
            const std::size_t count = std::min(part.size() - at, static_cast<std::size_t>(random.integer(1, 40)));
            receiver.feed(std::span(part).subspan(at, count));
            at += count;
            while (const auto next = receiver.next()) got.push_back(*next);
        }
    }
    const std::vector<std::byte> rest = sender.take();
    receiver.feed(rest);
    while (const auto next = receiver.next()) got.push_back(*next);
    ASSERT_EQ(got.size(), edits.size());
    for (std::size_t i = 0; i < edits.size(); ++i) {
        EXPECT_EQ(got[i].number, 17 + i);
        EXPECT_EQ(got[i].edit, as_sent(edits[i])) << i;
    }
    EXPECT_TRUE(receiver.at_end());
    EXPECT_LT((bytes + rest.size()) / edits.size(), 80u);
}

TEST(EditLog, AnyChangedByteIsNoticed) {
    Random random(522);
    EditLog sender(kWorld);
    for (const Edit& edit : some_edits(random, 5)) sender.write(edit);
    const std::vector<std::byte> good = sender.take();
    ASSERT_EQ(error_of(good), "");
    for (std::size_t i = 0; i < good.size(); ++i) {
        std::vector<std::byte> bad = good;
        bad[i] ^= std::byte{1} << random.integer(0, 7);
        ASSERT_NE(error_of(bad), "") << i;
    }
}

TEST(EditLog, ACutLogIsNeitherWholeNorAnError) {
    Random random(523);
    EditLog sender(kWorld);
    for (const Edit& edit : some_edits(random, 3)) sender.write(edit);
    const std::vector<std::byte> good = sender.take();
    std::size_t whole = 0;
    for (std::size_t i = 0; i < good.size(); ++i) {
        const std::string error = error_of(std::span(good).first(i));
        ASSERT_TRUE(error.empty() || error == "cut") << error;
        whole += error.empty() ? 1 : 0;
    }
    EXPECT_EQ(whole, 3u);  // after the head and after two edits
}

TEST(EditLog, RefusesWhatIsForAnotherWorldOrVersionOrOutOfOrder) {
    EditLog sender(kWorld);
    sender.write({});
    const std::vector<std::byte> good = sender.take();
    EditLogWorld other = kWorld;
    other.ground = 43;
    EXPECT_EQ(error_of(good, other), "the edit log is for ground 42, not 43");
    other = kWorld;
    other.lattice.voxel_size = 1;
    EXPECT_EQ(error_of(good, other), "the edit log is for another lattice");
    other = kWorld;
    other.undo_bytes = 7;
    EXPECT_EQ(error_of(good, other), "the edit log is for a world with 1048576 bytes for undo, not 7");
    std::vector<std::byte> newer = good;
    newer[6] = std::byte{2};
    EXPECT_EQ(error_of(newer), "the edit log has version 2; version 1 is needed");
    EXPECT_EQ(error_of(std::vector<std::byte>(200)), "the edit log does not begin as one");

    sender.write({});
    const std::vector<std::byte> second = sender.take();
    sender.write({});
    const std::vector<std::byte> third = sender.take();
    EditLog receiver(kWorld);
    receiver.feed(good);
    ASSERT_TRUE(receiver.next().has_value());
    receiver.feed(third);
    for (int i = 0; i < 2; ++i) {
        try {
            receiver.next();
            FAIL();
        } catch (const Error& error) {
            EXPECT_STREQ(error.what(), "the edit log has edit 3 in place of 2");
        }
    }
}

TEST(EditLog, RandomBytesDoNoHarm) {
    Random random(524);
    SCOPED_TRACE(seed_text());
    EditLog sender(kWorld);
    for (const Edit& edit : some_edits(random, 20)) sender.write(edit);
    const std::vector<std::byte> good = sender.take();
    for (int round = 0; round < 3'000; ++round) {
        std::vector<std::byte> bad = good;
        for (int i = random.integer(1, 6); i > 0; --i) {
            const auto at = static_cast<std::size_t>(random.integer(0, static_cast<std::int32_t>(bad.size()) - 1));
            switch (random.integer(0, 2)) {
                case 0:
                    bad[at] = static_cast<std::byte>(random.integer(0, 255));
                    break;
                case 1:
                    bad.erase(bad.begin() + static_cast<std::ptrdiff_t>(at));
                    break;
                default:
                    bad.insert(bad.begin() + static_cast<std::ptrdiff_t>(at), std::byte{7});
                    break;
            }
        }
        const std::string error = error_of(bad);
        ASSERT_EQ(error.find('\n'), std::string::npos);
    }
}

TEST(EditLog, TwoWorldsThatApplyTheSameLogAreTheSame) {
    Random random(525);
    SCOPED_TRACE(seed_text());
    const auto ground = std::make_shared<PlaneField>(Position{}, Position{0.2, 1, 0.1});
    const EditWorldOptions options{.lattice = kWorld.lattice, .undo_bytes = kWorld.undo_bytes};
    EditWorld here(ground, options);
    EditWorld there(ground, options);
    EditLog sender(kWorld);
    EditLog receiver(kWorld);
    for (int i = 0; i < 200; ++i) {
        Edit edit = test_support::random_edit(random, 10, static_cast<std::uint32_t>(i / 10));
        if (i % 17 == 16) edit = here.undo_of(0).value_or(edit);
        if (i % 23 == 22) edit = here.redo_of(0).value_or(edit);
        here.apply(edit);
        sender.write(edit);
    }
    receiver.feed(sender.take());
    while (const auto next = receiver.next()) there.apply(next->edit);
    EXPECT_EQ(there.content_hash(), here.content_hash());
    EXPECT_EQ(there.stats().undo_bytes, here.stats().undo_bytes);
}

}  // namespace
}  // namespace quarry::terrain
