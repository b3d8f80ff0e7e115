#include "quarry/terrain/loose_parts.hpp"

#include <algorithm>
#include <array>
#include <chrono>
#include <cmath>
#include <memory>
#include <optional>
#include <thread>
#include <vector>

#include <gtest/gtest.h>

#include "quarry/jobs/pool.hpp"
#include "quarry/terrain/chunk_mesh.hpp"
#include "quarry/terrain/closedness.hpp"
#include "quarry/terrain/edit_world.hpp"
#include "quarry/terrain/edited_field.hpp"
#include "quarry/terrain/extract.hpp"
#include "quarry/terrain/shape_fields.hpp"
#include "tests/terrain/edits/dense_world.hpp"
#include "tests/terrain/support.hpp"

namespace quarry::terrain {
namespace {

// Pieces of a plain array that do not reach its border.
class DenseParts {
  public:
    static constexpr std::int32_t kHalf = 22;
    static constexpr std::int32_t kSide = 2 * kHalf + 1;

    struct Part {
        std::vector<std::size_t> points;
        LatticePoint low{kHalf, kHalf, kHalf};
        LatticePoint high{-kHalf, -kHalf, -kHalf};
    };

    explicit DenseParts(const Field& field) : densities_(sampled(field, block())) {
        std::vector<bool> seen(densities_.size());
        for (std::size_t i = 0; i < densities_.size(); ++i) {
            if (seen[i] || !(densities_[i] < 0)) continue;
            Part part;
            bool is_inside = true;
            part.points.push_back(i);
            seen[i] = true;
            for (std::size_t next = 0; next < part.points.size(); ++next) {
                const LatticePoint p = point(part.points[next]);
                part.low = {std::min(part.low.x, p.x), std::min(part.low.y, p.y), std::min(part.low.z, p.z)};
                part.high = {std::max(part.high.x, p.x), std::max(part.high.y, p.y), std::max(part.high.z, p.z)};
                is_inside = is_inside && std::max({std::abs(p.x), std::abs(p.y), std::abs(p.z)}) < kHalf;
                for (const auto& [x, y, z] : std::array<std::array<std::int32_t, 3>, 6>{
                         {{1, 0, 0}, {-1, 0, 0}, {0, 1, 0}, {0, -1, 0}, {0, 0, 1}, {0, 0, -1}}}) {
                    const std::optional<std::size_t> other = index({p.x + x, p.y + y, p.z + z});
                    if (!other || seen[*other] || !(densities_[*other] < 0)) continue;
                    seen[*other] = true;
                    part.points.push_back(*other);
                }
            }
            std::sort(part.points.begin(), part.points.end());
            if (is_inside) parts.push_back(std::move(part));
        }
    }

    static SampleBlock block() { return {.first = {-kHalf, -kHalf, -kHalf}, .nx = kSide, .ny = kSide, .nz = kSide}; }
    static LatticePoint point(std::size_t i) {
        const auto at = static_cast<std::int32_t>(i);
        return {at % kSide - kHalf, at / kSide % kSide - kHalf, at / (kSide * kSide) - kHalf};
    }
    static std::optional<std::size_t> index(LatticePoint p) {
        if (std::max({std::abs(p.x), std::abs(p.y), std::abs(p.z)}) > kHalf) return std::nullopt;
        return static_cast<std::size_t>(((p.z + kHalf) * kSide + p.y + kHalf) * kSide + p.x + kHalf);
    }
    const std::vector<float>& densities() const { return densities_; }

    std::vector<Part> parts;  // by their first point

  private:
    std::vector<float> densities_;
};

bool touches(const DenseParts::Part& part, const Box& box) {
    return std::any_of(part.points.begin(), part.points.end(), [&](std::size_t i) {
        const LatticePoint p = DenseParts::point(i);
        return p.x >= box.low.x - 1 && p.x <= box.high.x + 1 && p.y >= box.low.y - 1 && p.y <= box.high.y + 1 &&
               p.z >= box.low.z - 1 && p.z <= box.high.z + 1;
    });
}

std::shared_ptr<const Field> plain() {
    return std::make_shared<PlaneField>(Position{0, 0.3, 0}, Position{0, 1, 0});
}

Edit ball(Position at, float radius, EditKind kind = EditKind::add) {
    return {.kind = kind, .stroke = 7, .at = at, .radius = radius};
}

void expect_equal(const std::vector<LoosePart>& found, const DenseParts& dense, const Box& changed) {
    std::vector<const DenseParts::Part*> expected;
    for (const DenseParts::Part& part : dense.parts) {
        if (touches(part, changed)) expected.push_back(&part);
    }
    ASSERT_EQ(found.size(), expected.size());
    for (std::size_t i = 0; i < found.size(); ++i) {
        const DenseParts::Part& part = *expected[i];
        const Lattice lattice;
        EXPECT_EQ(found[i].samples, part.points.size());
        EXPECT_EQ(found[i].inside, lattice.at(DenseParts::point(part.points.front())));
        EXPECT_EQ(found[i].box.low, lattice.at(part.low));
        EXPECT_EQ(found[i].box.high, lattice.at(part.high));
        // Alone, it is solid in the same points and nowhere else.
        const std::vector<float> alone = sampled(*found[i].field, DenseParts::block());
        std::vector<std::size_t> solid;
        for (std::size_t at = 0; at < alone.size(); ++at) {
            if (alone[at] < 0) solid.push_back(at);
        }
        EXPECT_EQ(solid, part.points);
    }
}

TEST(LooseParts, AreThoseThatAPlainArrayHas) {
    Random random(701);
    SCOPED_TRACE(seed_text());
    std::size_t met = 0;
    for (int round = 0; round < 2; ++round) {
        EditWorld world(plain());
        for (int i = 0; i < 6; ++i) {
            Edit edit = test_support::random_edit(random, 8, 1);
            if (random.integer(0, 3) != 0) edit.kind = i % 2 == 0 ? EditKind::add : EditKind::dig;
            // One is sure to be there.
            if (i == 0) edit = ball({random.real(-6, 6), 12, random.real(-6, 6)}, 2.5F);
            const EditReport report = world.apply(edit);
            if (!report.any()) continue;
            const DenseParts dense(*world.field());
            const std::vector<LoosePart> found = find_loose_parts(*world.field(), {&report.changed, 1});
            ASSERT_NO_FATAL_FAILURE(expect_equal(found, dense, report.changed)) << "round " << round << ", edit " << i;
            met += found.size();
        }
    }
    EXPECT_GE(met, 2u);
}

TEST(LooseParts, ARemovalTakesOutThePartAndNothingElse) {
    EditWorld world(plain());
    world.apply(ball({0, 9, 0}, 4));
    world.apply(ball({9, 9, 0}, 3));
    world.apply(ball({0, 9, 0}, 2, EditKind::dig));  // hollow: the inner side is not ground either
    const std::uint64_t before = world.content_hash();
    const DenseParts dense(*world.field());
    ASSERT_EQ(dense.parts.size(), 2u);
    const Box all{{-10, 3, -10}, {15, 15, 10}};
    const std::vector<LoosePart> parts = find_loose_parts(*world.field(), {&all, 1});
    ASSERT_EQ(parts.size(), 2u);
    const Edit removal = parts[0].removal(3, 99);
    const EditReport report = world.apply(removal);
    EXPECT_TRUE(report.done);
    EXPECT_EQ(report.samples, parts[0].samples);
    EXPECT_EQ(report.changed.low, parts[0].box.low);
    const std::vector<float> after = sampled(*world.field(), DenseParts::block());
    for (std::size_t i = 0; i < after.size(); ++i) {
        const auto& points = dense.parts[0].points;
        if (std::binary_search(points.begin(), points.end(), i)) {
            ASSERT_GT(after[i], 0);
        } else {
            ASSERT_EQ(after[i], dense.densities()[i]);
        }
    }
    EXPECT_FALSE(world.apply(removal).done);                                        // it is gone
    EXPECT_FALSE(world.apply({.kind = EditKind::remove, .at = {0, -20, 0}}).done);  // ground
    EXPECT_FALSE(world.apply({.kind = EditKind::remove, .at = {0, 40, 0}}).done);   // air
    EXPECT_TRUE(world.apply({.kind = EditKind::undo, .editor = 3, .stroke = 99}).done);
    EXPECT_EQ(world.content_hash(), before);
}

TEST(LooseParts, ALargePieceCountsAsGround) {
    EditWorld world(plain());
    world.apply(ball({0, 100, 0}, 30));  // 113,081 points
    world.apply(ball({200, 100, 0}, 45));
    const std::array<Box, 2> boxes{Box{{-2, 69, -2}, {2, 73, 2}}, Box{{198, 54, -2}, {202, 58, 2}}};
    const std::vector<LoosePart> parts = find_loose_parts(*world.field(), boxes);
    ASSERT_EQ(parts.size(), 1u);
    EXPECT_NEAR(static_cast<double>(parts[0].samples), 4.0 / 3 * 3.14159265 * 27'000, 500);
    EXPECT_FALSE(world.apply({.kind = EditKind::remove, .at = {200, 100, 0}}).done);
    const Box huge{{-1e6, -1e6, -1e6}, {1e6, 1e6, 1e6}};
    EXPECT_NE(refusal_of([&] { find_loose_parts(*world.field(), {&huge, 1}); }), "");
}

TEST(LooseParts, CanBeMeshedAlone) {
    EditWorld world(plain());
    world.apply(ball({30, 12, 31}, 5));
    const Box box{{20, 5, 20}, {40, 20, 40}};
    const std::vector<LoosePart> parts = find_loose_parts(*world.field(), {&box, 1});
    ASSERT_EQ(parts.size(), 1u);
    const std::vector<Mesh> meshes = mesh_loose_part(parts[0], {});
    ASSERT_EQ(meshes.size(), 4u);  // a ball across the corner of four chunks
    std::vector<ChunkKey> keys;
    std::size_t vertices = 0;
    for (const Mesh& mesh : meshes) {
        keys.push_back(mesh.key);
        for (const Vector3& p : mesh.positions) {
            const double x = double{p.x} + mesh.key.x * 32 - 30;
            const double y = double{p.y} + mesh.key.y * 32 - 12;
            const double z = double{p.z} + mesh.key.z * 32 - 31;
            ASSERT_NEAR(std::hypot(x, y, z), 5, 0.1);
            ++vertices;
        }
    }
    EXPECT_GT(vertices, 200u);
    EXPECT_TRUE(check_closedness(meshes, keys, 32).is_closed());
}

TEST(LooseParts, AreFoundBehindEditsByJobs) {
    Pool pool(2);
    EditWorld world(plain());
    LoosePartFinder finder(pool);
    EXPECT_FALSE(finder.is_busy());
    std::vector<LoosePart> found;
    // A bridge between two towers, then cut at both ends.
    const auto edit = [&](const Edit& next) {
        const EditReport report = world.apply(next);
        finder.look(world.field(), report.changed);
        for (LoosePart& part : finder.take()) found.push_back(std::move(part));
    };
    edit({.kind = EditKind::add, .shape = BrushShape::box, .at = {-12, 6, 0}, .extent = {2, 8, 2}});
    edit({.kind = EditKind::add, .shape = BrushShape::box, .at = {12, 6, 0}, .extent = {2, 8, 2}});
    edit({.kind = EditKind::add, .shape = BrushShape::box, .at = {0, 12, 0}, .extent = {12, 1.2F, 1.2F}});
    edit(ball({-8, 12, 0}, 2, EditKind::dig));
    const auto end = std::chrono::steady_clock::now() + std::chrono::seconds(60);
    const auto wait = [&] {
        while (finder.is_busy() && std::chrono::steady_clock::now() < end) {
            for (LoosePart& part : finder.take()) found.push_back(std::move(part));
            std::this_thread::yield();
        }
    };
    wait();
    EXPECT_TRUE(found.empty());
    edit(ball({8, 12, 0}, 2, EditKind::dig));
    wait();
    ASSERT_EQ(found.size(), 1u);
    EXPECT_GT(found[0].samples, 50u);
    EXPECT_GT(found[0].box.low.y, 10);
    EXPECT_TRUE(world.apply(found[0].removal(0, 50)).done);
}

}  // namespace
}  // namespace quarry::terrain
