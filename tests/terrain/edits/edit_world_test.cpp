#include "quarry/terrain/edit_world.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <memory>
#include <span>
#include <vector>

#include <gtest/gtest.h>

#include "quarry/terrain/edited_field.hpp"
#include "quarry/terrain/noise_field.hpp"
#include "quarry/terrain/shape_fields.hpp"
#include "quarry/terrain/simd.hpp"
#include "tests/terrain/edits/dense_world.hpp"
#include "tests/terrain/support.hpp"

namespace quarry::terrain {
namespace {

using test_support::DenseWorld;
using test_support::random_edit;

std::shared_ptr<const Field> hills() {
    return std::make_shared<NoiseField>(NoiseOptions{.seed = 7, .amplitude = 20, .offset = 1});
}

Edit dig(Position at, float radius, std::uint32_t stroke = 0) {
    return {.kind = EditKind::dig, .stroke = stroke, .at = at, .radius = radius};
}

// Both have the same bits at every point.
::testing::AssertionResult agree(EditWorld& world, const DenseWorld& dense) {
    const std::vector<float> got = sampled(*world.field(), dense.block());
    const std::vector<float> expected = dense.densities();
    for (std::size_t i = 0; i < got.size(); ++i) {
        if (got[i] != expected[i])
            return ::testing::AssertionFailure() << "point " << i << ": " << got[i] << " for " << expected[i];
    }
    return ::testing::AssertionSuccess();
}

TEST(EditWorld, AgreesWithAPlainArrayAfterEveryEdit) {
    for (const double voxel : {1.0, 0.3}) {
        Random random(voxel == 1 ? 501 : 502);
        SCOPED_TRACE(seed_text());
        const auto ground = hills();
        EditWorld world(ground, {.lattice = {.voxel_size = voxel}});
        DenseWorld dense(*ground, 20, voxel);
        for (int i = 0; i < 60; ++i) {
            const Edit edit = random_edit(random, 8 * voxel, static_cast<std::uint32_t>(random.integer(0, 5)), voxel);
            const EditReport report = world.apply(edit);
            dense.apply(edit);
            ASSERT_TRUE(agree(world, dense))
                << "edit " << i << " of kind " << static_cast<int>(edit.kind) << ", shape "
                << static_cast<int>(edit.shape) << ", strength " << edit.strength << ", falloff " << edit.falloff;
            ASSERT_TRUE(report.done);
        }
        EXPECT_GT(dense.touched(), 1000u);
    }
}

TEST(EditWorld, HasTheSameBitsOnEverySimdTarget) {
    for (const double voxel : {0.5, 0.7}) {
        std::vector<Edit> edits;
        Random random(511);
        SCOPED_TRACE(seed_text());
        for (int i = 0; i < 60; ++i) {
            Edit edit = random_edit(random, 12 * voxel, 0, voxel);
            if (i % 4 == 0) edit.shape = BrushShape::stamp;
            if (i % 10 == 9) edit.kind = EditKind::paint;
            edits.push_back(edit);
        }
        const auto stamp = std::make_shared<BoxField>(Position{0, 0, 0}, Position{0.7, 0.5, 0.6});
        std::vector<std::uint64_t> hashes;
        for (const SimdTarget target : simd_targets()) {
            force_simd_target(target);
            EditWorld world(hills(), {.lattice = {.voxel_size = voxel}});
            world.add_stamp(stamp, 1);
            for (const Edit& edit : edits) world.apply(edit);
            EXPECT_GT(world.stats().bricks, 7u);
            EXPECT_GT(world.stats().paint_bricks, 0u);
            hashes.push_back(world.content_hash());
            EXPECT_EQ(hashes.back(), hashes.front()) << name_of(target);
        }
        force_simd_target(simd_targets().back());
    }
}

TEST(EditWorld, WhereTheFieldHasNoNumberOnlyEditsThatDoNotStartFromItSetOne) {
    class Nowhere final : public Field {
      public:
        void densities(std::span<const Position> /*points*/, std::span<float> out) const override {
            std::fill(out.begin(), out.end(), std::numeric_limits<float>::quiet_NaN());
        }
        Interval bounds(const Box& /*box*/) const override { return {-1e9F, 1e9F}; }
        void gradients(std::span<const Position> /*points*/, double /*spacing*/,
                       std::span<Gradient> out) const override {
            std::fill(out.begin(), out.end(), Gradient{});
        }
    };
    for (const SimdTarget target : simd_targets()) {
        force_simd_target(target);
        EditWorld world(std::make_shared<Nowhere>());
        for (const EditKind kind : {EditKind::add, EditKind::dig, EditKind::smooth, EditKind::raise}) {
            EXPECT_FALSE(world.apply({.kind = kind, .at = {1, 2, 3}, .radius = 3}).any()) << name_of(target);
        }
        EXPECT_TRUE(world.apply({.kind = EditKind::flatten, .at = {1, 2, 3}, .radius = 3}).any()) << name_of(target);
        EXPECT_EQ(world.field()->density_at({1, 4, 3}), 2) << name_of(target);
    }
    force_simd_target(simd_targets().back());
}

// Samples of the field are kept from one edit to the next while they lie in one block.
TEST(EditWorld, EditsOfOtherKindsInBetweenDoNotChangeWhatADigFinds) {
    const auto ground = hills();
    EditWorld world(ground);
    DenseWorld dense(*ground, 20, 1);
    for (std::uint32_t i = 0; i < 12; ++i) {
        Edit edit = dig({0.01 * i, 1, 0}, 4, i / 5);
        if (i % 3 == 1) edit.kind = EditKind::smooth;
        if (i % 3 == 2) edit.kind = EditKind::add;
        if (i == 6) edit = {.kind = EditKind::undo, .stroke = 0};
        world.apply(edit);
        dense.apply(edit);
        ASSERT_TRUE(agree(world, dense)) << "edit " << i;
    }
}

TEST(EditWorld, UndoAndRedoInAnyOrderAgreeWithAPlainArray) {
    Random random(503);
    SCOPED_TRACE(seed_text());
    const auto ground = hills();
    EditWorld world(ground);
    DenseWorld dense(*ground, 20, 1);
    std::vector<std::optional<bool>> undone(6);  // none: there is no such stroke yet
    for (int i = 0; i < 120; ++i) {
        const auto stroke = static_cast<std::uint32_t>(random.integer(0, 5));
        const int what = random.integer(0, 5);
        Edit edit = random_edit(random, 6, stroke);
        if (what < 2) edit = {.kind = EditKind::undo, .editor = edit.editor, .stroke = stroke};
        if (what == 2) edit = {.kind = EditKind::redo, .editor = edit.editor, .stroke = stroke};
        const bool is_possible = what > 2 || undone[stroke] == (what == 2);
        ASSERT_EQ(world.apply(edit).done, is_possible) << "edit " << i;
        if (!is_possible) continue;
        undone[stroke] = what < 2;
        dense.apply(edit);
        ASSERT_TRUE(agree(world, dense)) << "edit " << i;
    }
}

TEST(EditWorld, UndoneInAnyOrderARandomHistoryGivesTheFirstBitsBack) {
    Random random(504);
    SCOPED_TRACE(seed_text());
    EditWorld world(hills());
    const std::uint64_t first = world.content_hash();
    std::vector<std::uint32_t> strokes;
    for (std::uint32_t stroke = 0; stroke < 30; ++stroke) {
        for (int i = 0; i < 5; ++i) {
            Edit edit = random_edit(random, 40, stroke);
            if (i == 4) edit.kind = EditKind::paint;
            edit.editor = 0;
            world.apply(edit);
        }
        strokes.push_back(stroke);
    }
    EXPECT_NE(world.content_hash(), first);
    EXPECT_GT(world.stats().bricks, 10u);
    EXPECT_GT(world.stats().paint_bricks, 10u);
    while (!strokes.empty()) {
        const auto at = static_cast<std::size_t>(random.integer(0, static_cast<std::int32_t>(strokes.size()) - 1));
        EXPECT_TRUE(world.apply({.kind = EditKind::undo, .stroke = strokes[at]}).done);
        strokes.erase(strokes.begin() + static_cast<std::ptrdiff_t>(at));
    }
    EXPECT_EQ(world.content_hash(), first);
    EXPECT_EQ(world.stats().bricks, 0u);
    EXPECT_EQ(world.stats().paint_bricks, 0u);
}

TEST(EditWorld, TheLastStrokeOfAnEditorIsOfferedForUndoAndThenForRedo) {
    EditWorld world(hills());
    EXPECT_EQ(world.undo_of(0), std::nullopt);
    world.apply(dig({0, 0, 0}, 3, 5));
    Edit other = dig({0, 0, 0}, 3, 9);
    other.editor = 4;
    world.apply(other);
    ASSERT_TRUE(world.undo_of(0).has_value());
    EXPECT_EQ(world.undo_of(0)->stroke, 5u);
    EXPECT_EQ(world.undo_of(4)->stroke, 9u);
    EXPECT_EQ(world.redo_of(0), std::nullopt);
    EXPECT_TRUE(world.apply(*world.undo_of(0)).done);
    EXPECT_EQ(world.undo_of(0), std::nullopt);
    ASSERT_TRUE(world.redo_of(0).has_value());
    EXPECT_EQ(world.redo_of(0)->stroke, 5u);
    world.apply(dig({9, 0, 0}, 3, 6));
    EXPECT_EQ(world.redo_of(0), std::nullopt);
}

TEST(EditWorld, HistoryIsBoundedAndWhatIsForgottenStaysAsItIs) {
    constexpr std::size_t kMost = 300'000;
    EditWorld world(hills(), {.undo_bytes = kMost});
    for (std::uint32_t stroke = 0; stroke < 100; ++stroke) {
        world.apply(dig({8.0 * (stroke % 10), 0, 8.0 * (stroke / 10)}, 5, stroke));
        ASSERT_LE(world.stats().undo_bytes, kMost);
    }
    const std::uint64_t all = world.content_hash();
    EXPECT_FALSE(world.apply({.kind = EditKind::undo, .stroke = 0}).done);
    EXPECT_EQ(world.content_hash(), all);
    int undone = 0;
    while (const std::optional<Edit> undo = world.undo_of(0)) {
        ASSERT_TRUE(world.apply(*undo).done);
        ++undone;
    }
    EXPECT_GT(undone, 2);
    EXPECT_LT(undone, 100);
    // What is left are the strokes that were forgotten.
    EditWorld first(hills(), {.undo_bytes = kMost});
    for (std::uint32_t stroke = 0; stroke + static_cast<std::uint32_t>(undone) < 100; ++stroke) {
        first.apply(dig({8.0 * (stroke % 10), 0, 8.0 * (stroke / 10)}, 5, stroke));
    }
    EXPECT_EQ(world.content_hash(), first.content_hash());
}

TEST(EditWorld, AStrokeThatWasUndoneWhenItWasForgottenStaysUndone) {
    // Stroke 1 is undone before stroke 2 comes, and redone after: 2 has found other values than lie below it in the
    // end.
    const auto play = [](std::size_t undo_bytes, bool undo_last) {
        EditWorld world(std::make_shared<PlaneField>(Position{}, Position{0, 1, 0}), {.undo_bytes = undo_bytes});
        world.apply(dig({0, 0, 0}, 4, 1));
        world.apply({.kind = EditKind::undo, .stroke = 1});
        Edit half = dig({0, 0, 0}, 4, 2);
        half.strength = 0.5;
        world.apply(half);
        world.apply({.kind = EditKind::redo, .stroke = 1});
        for (std::uint32_t i = 0; i < 6; ++i) world.apply(dig({100.0 + 40 * i, 0, 0}, 8, 10 + i));
        const bool forgotten = !world.apply({.kind = EditKind::undo, .stroke = 1}).done;
        if (!forgotten) world.apply({.kind = EditKind::redo, .stroke = 1});
        bool undone = false;
        if (undo_last) undone = world.apply({.kind = EditKind::undo, .stroke = 2}).done;
        return std::tuple(forgotten, undone, world.field()->density_at({0, -1, 0}));
    };
    const auto [kept, kept_undone, expected] = play(std::size_t{64} << 20, true);
    ASSERT_FALSE(kept);
    ASSERT_TRUE(kept_undone);
    // Some bound drops stroke 1 and keeps stroke 2.
    bool met = false;
    for (std::size_t bound = 65'536; bound < 400'000 && !met; bound += 1'500) {
        const auto [forgotten, undone, density] = play(bound, true);
        if (!forgotten || !undone) continue;
        met = true;
        EXPECT_EQ(density, expected) << bound;
    }
    EXPECT_TRUE(met);
}

TEST(EditWorld, PointsThatNoEditHasChangedKeepTheBitsOfTheField) {
    const auto ground = hills();
    EditWorld world(ground);
    world.apply(dig({0, 0, 0}, 3));
    const SampleBlock block{.first = {-16, -16, -16}, .nx = 32, .ny = 32, .nz = 32};
    const std::vector<float> before = sampled(*ground, block);
    const std::vector<float> after = sampled(*world.field(), block);
    std::size_t changed = 0;
    for (std::int32_t z = 0; z < 32; ++z) {
        for (std::int32_t y = 0; y < 32; ++y) {
            for (std::int32_t x = 0; x < 32; ++x) {
                const std::size_t i = block.index(x, y, z);
                const Position p = block.at(x, y, z);
                if (before[i] != after[i]) ++changed;
                if (std::hypot(p.x, p.y, p.z) > 5.01) {
                    ASSERT_EQ(before[i], after[i]);
                }
            }
        }
    }
    EXPECT_GT(changed, 50u);
    EXPECT_LT(changed, 600u);
}

TEST(EditWorld, ASnapshotDoesNotChangeAnyMore) {
    EditWorld world(hills());
    world.apply(dig({0, 0, 0}, 6, 1));
    const std::shared_ptr<const EditedField> then = world.field();
    const SampleBlock block{.first = {-20, -20, -20}, .nx = 41, .ny = 41, .nz = 41};
    const std::vector<float> before = sampled(*then, block);
    world.apply(dig({2, 1, 0}, 6, 1));
    world.apply({.kind = EditKind::undo, .stroke = 1});
    EXPECT_TRUE(same_bits(sampled(*then, block), before));
    EXPECT_FALSE(same_bits(sampled(*world.field(), block), before));
}

TEST(EditWorld, TakesLessThanThreeBytesForEachPointOfTouchedBricks) {
    EditWorld world(hills());
    Random random(505);
    for (int i = 0; i < 300; ++i) {
        Edit edit = dig({random.real(-200, 200), random.real(-20, 20), random.real(-200, 200)}, 8);
        world.apply(edit);
        edit.kind = EditKind::paint;
        world.apply(edit);
    }
    const EditWorldStats stats = world.stats();
    const double points = 4096.0 * static_cast<double>(std::max(stats.bricks, stats.paint_bricks));
    RecordProperty("bytes_a_point", std::to_string(static_cast<double>(stats.brick_bytes) / points));
    EXPECT_GT(stats.bricks, 100u);
    EXPECT_LT(static_cast<double>(stats.brick_bytes), 3 * points);
}

TEST(EditWorld, ThousandsOfEditsAtOnePlaceTakeNoMoreThanOne) {
    EditWorld world(hills());
    world.apply(dig({0, 0, 0}, 3));
    const std::size_t bricks = world.stats().brick_bytes;
    const std::size_t undo = world.stats().undo_bytes;
    for (int i = 0; i < 2'000; ++i) world.apply(dig({0, 0, 0}, 3));
    EXPECT_EQ(world.stats().brick_bytes, bricks);
    EXPECT_EQ(world.stats().undo_bytes, undo);
    EXPECT_EQ(world.stats().applied, 2'001u);
}

TEST(EditWorld, AStampDigsItsOwnShape) {
    EditWorld world(std::make_shared<PlaneField>(Position{}, Position{0, 1, 0}));
    const std::uint16_t ring = world.add_stamp(std::make_shared<TorusField>(Position{}, 6.0, 2.0), 8.5);
    Edit edit{.kind = EditKind::dig, .shape = BrushShape::stamp, .stamp = ring, .at = {10, -8, 0}, .radius = 17};
    world.apply(edit);
    const auto field = world.field();
    EXPECT_GT(field->density_at({22, -8, 0}), 0);  // in the tube, twice as large
    EXPECT_LT(field->density_at({10, -8, 0}), 0);  // the ring's hole
    EXPECT_LT(field->density_at({27, -8, 0}), 0);  // beyond it
}

TEST(EditWorld, FlattenRaiseAndSmoothDoWhatTheySay) {
    EditWorld world(std::make_shared<PlaneField>(Position{}, Position{0, 1, 0}));
    world.apply({.kind = EditKind::raise, .at = {0, 0, 0}, .radius = 10, .amount = 2});
    EXPECT_NEAR(world.field()->density_at({0, 2, 0}), 0, 0.01);
    world.apply({.kind = EditKind::flatten, .at = {0, 1, 0}, .radius = 6});
    EXPECT_NEAR(world.field()->density_at({0, 1, 0}), 0, 0.01);
    world.apply({.kind = EditKind::add, .shape = BrushShape::box, .at = {40, 0, 0}, .extent = {3, 5, 3}});
    const float corner = world.field()->density_at({43, 5, 3});
    for (int i = 0; i < 10; ++i) world.apply({.kind = EditKind::smooth, .at = {40, 0, 0}, .radius = 9});
    EXPECT_GT(world.field()->density_at({43, 5, 3}), corner + 0.2F);
}

std::string refusal(const Edit& edit) {
    EditWorld world(hills());
    world.add_stamp(std::make_shared<SphereField>(Position{}, 1.0), 1);
    const std::uint64_t before = world.content_hash();
    std::string text = refusal_of([&] { world.apply(edit); });
    EXPECT_EQ(world.content_hash(), before);
    EXPECT_EQ(world.stats().applied, 0u);
    return text;
}

TEST(EditWorld, RefusesWhatIsOutOfRangeWithOneLine) {
    constexpr auto kNone = static_cast<float>(kNan);
    EXPECT_EQ(refusal({.radius = 1e9F}), "the edit's brush spans 8.00002e+27 samples; at most 16777216 are allowed");
    EXPECT_NE(refusal({.radius = 2e9F}).find("Edit.radius is 2e+09"), std::string::npos);
    EXPECT_NE(refusal({.radius = kNone}).find("Edit.radius is nan"), std::string::npos);
    EXPECT_NE(refusal({.radius = 0}).find("Edit.radius"), std::string::npos);
    EXPECT_NE(refusal({.at = {kNan, 0, 0}}).find("Edit.at.x is nan"), std::string::npos);
    EXPECT_NE(refusal({.at = {0, 0, kInfinite}}).find("Edit.at.z is inf"), std::string::npos);
    EXPECT_EQ(refusal({.strength = 1.5F}), "Edit.strength is 1.5; 0 to 1 is allowed");
    EXPECT_NE(refusal({.strength = -0.1F}).find("Edit.strength"), std::string::npos);
    EXPECT_NE(refusal({.falloff = -1}).find("Edit.falloff"), std::string::npos);
    EXPECT_NE(refusal({.kind = EditKind::paint, .material = 4}).find("Edit.material is 4"), std::string::npos);
    EXPECT_NE(refusal({.kind = EditKind::raise, .amount = kNone}).find("Edit.amount"), std::string::npos);
    EXPECT_NE(refusal({.kind = EditKind::flatten, .normal = {0, 0, 0}}).find("the length of Edit.normal"),
              std::string::npos);
    EXPECT_NE(refusal({.shape = BrushShape::box, .extent = {1, kNone, 1}}).find("Edit.extent.y"), std::string::npos);
    EXPECT_NE(refusal({.shape = BrushShape::capsule, .extent = {1, 1, kNone}}).find("Edit.extent.z"),
              std::string::npos);
    EXPECT_EQ(refusal({.shape = BrushShape::stamp, .stamp = 1}), "Edit.stamp is 1; there are 1 stamps, counted from 0");
    EXPECT_NE(refusal({.kind = static_cast<EditKind>(9)}).find("Edit.kind is 9"), std::string::npos);
    EXPECT_NE(refusal({.shape = static_cast<BrushShape>(9)}).find("Edit.shape is 9"), std::string::npos);
    EXPECT_NE(refusal_of([] { EditWorld(hills(), {.lattice = {.voxel_size = 0}}); }).find("voxel_size"),
              std::string::npos);
    EXPECT_NE(refusal_of([] { EditWorld(hills(), {.undo_bytes = 1}); }).find("undo_bytes"), std::string::npos);
    EXPECT_NE(refusal_of([] { EditWorld(nullptr); }).find("needs a field"), std::string::npos);
}

// The same edits, whatever else goes on: an interleaved reader, another processor, another rounding mode.
TEST(EditWorld, TheSameEditsGiveTheSameBits) {
    const KeepSimdTarget keep;
    const auto play = [](bool with_snapshots) {
        EditWorld world(std::make_shared<NoiseField>(NoiseOptions{.seed = 3}));
        for (std::uint32_t i = 0; i < 40; ++i) {
            const double t = 0.7 * i;
            world.apply({.kind = static_cast<EditKind>(i % 6),
                         .shape = static_cast<BrushShape>(i % 3),
                         .material = 2,
                         .stroke = i / 4,
                         .at = {t, 0.3 * t - 4, -t},
                         .extent = {3, 4, 5},
                         .radius = 6,
                         .strength = 0.7F,
                         .falloff = 2,
                         .amount = 1});
            if (with_snapshots) world.field();
        }
        world.apply({.kind = EditKind::undo, .stroke = 4});
        return world.content_hash();
    };
    force_simd_target(SimdTarget::scalar);
    const std::uint64_t expected = play(false);
    for (const SimdTarget target : simd_targets()) {
        force_simd_target(target);
        EXPECT_EQ(play(true), expected) << name_of(target);
    }
}

}  // namespace
}  // namespace quarry::terrain
