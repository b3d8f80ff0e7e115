// Combinations of many fields: the list that they become has the bits of the plain fold, in every box and at every
// point, and needs no deep stack.
#include <algorithm>
#include <cmath>
#include <memory>
#include <vector>

#include <gtest/gtest.h>

#include "quarry/terrain/combined_field.hpp"
#include "quarry/terrain/compile.hpp"
#include "quarry/terrain/extract.hpp"
#include "quarry/terrain/noise_field.hpp"
#include "quarry/terrain/shape_fields.hpp"
#include "quarry/terrain/translated_field.hpp"
#include "quarry/terrain/warped_field.hpp"
#include "terrain/combination/join.hpp"
#include "tests/terrain/support.hpp"

namespace {

using namespace quarry::terrain;
using FieldPointer = std::shared_ptr<const Field>;

// A tree of combinations, and the same written down as it is defined: one field after the other.
struct Tree {
    FieldPointer field;
    std::shared_ptr<const Tree> first, second;
    Combination how = Combination::unite;
    float blend = 0;

    float density(Position p) const {
        if (first == nullptr) return field->density_at(p);
        const float a = first->density(p), b = second->density(p);
        switch (how) {
            case Combination::unite:
                return impl::smooth_minimum(a, b, blend);
            case Combination::intersect:
                return -impl::smooth_minimum(-a, -b, blend);
            default:
                return -impl::smooth_minimum(-a, b, blend);
        }
    }
};

FieldPointer random_leaf(Random& random) {
    const Position centre = random.position(40);
    switch (random.integer(0, 5)) {
        case 0:
            return std::make_shared<BoxField>(centre,
                                              Position{random.real(1, 12), random.real(1, 12), random.real(1, 12)});
        case 1:
            return std::make_shared<TorusField>(centre, random.real(4, 12), random.real(1, 4));
        case 2:
            return std::make_shared<NoiseField>(
                NoiseOptions{.seed = static_cast<std::uint64_t>(random.integer(0, 99)), .octaves = 2, .amplitude = 20});
        case 3:
            return std::make_shared<WarpedField>(std::make_shared<SphereField>(centre, random.real(2, 12)),
                                                 NoiseOptions{.octaves = 1, .frequency = 0.05, .amplitude = 4});
        default:
            return std::make_shared<SphereField>(centre, random.real(1, 12));
    }
}

std::shared_ptr<const Tree> random_tree(Random& random, int leaves, bool blended) {
    auto tree = std::make_shared<Tree>();
    if (leaves == 1) {
        tree->field = random_leaf(random);
        return tree;
    }
    // Chains to either side and balanced trees.
    const int kind = random.integer(0, 2);
    const int left = kind == 0 ? 1 : kind == 1 ? leaves - 1 : random.integer(1, leaves - 1);
    tree->first = random_tree(random, left, blended);
    tree->second = random_tree(random, leaves - left, blended);
    tree->how = static_cast<Combination>(std::min(random.integer(0, 4), 2));
    tree->blend = blended && random.integer(0, 1) == 1 ? static_cast<float>(random.integer(1, 8)) : 0;
    tree->field = std::make_shared<CombinedField>(tree->how, tree->first->field, tree->second->field, tree->blend);
    return tree;
}

SampleBlock block_near(Random& random) {
    return {.first = random.point(50),
            .step = 1 << random.integer(0, 2),
            .nx = random.integer(1, 33),
            .ny = random.integer(1, 20),
            .nz = random.integer(1, 20)};
}

// Equal, with either sign of zero.
void expect_tree_values(const Tree& tree, const SampleBlock& block, const std::vector<float>& values) {
    for (std::int32_t z = 0; z < block.nz; z += 3) {
        for (std::int32_t y = 0; y < block.ny; y += 2) {
            for (std::int32_t x = 0; x < block.nx; x += 3) {
                ASSERT_EQ(values[block.index(x, y, z)], tree.density(block.at(x, y, z))) << x << " " << y << " " << z;
            }
        }
    }
}

class RandomCombinations : public testing::TestWithParam<bool> {};

TEST_P(RandomCombinations, HaveTheDensitiesOfThePlainFoldInBlocksAndAtPoints) {
    Random random(31);
    SCOPED_TRACE("QUARRY_TEST_SEED=" + std::to_string(random.seed()));
    for (int round = 0; round < 60; ++round) {
        const auto tree = random_tree(random, random.integer(2, round % 4 == 0 ? 60 : 12), GetParam());
        SCOPED_TRACE("round " + std::to_string(round));
        for (int i = 0; i < 3; ++i) {
            const SampleBlock block = block_near(random);
            const std::vector<float> samples = sampled(*tree->field, block);
            expect_tree_values(*tree, block, samples);
            ASSERT_TRUE(same_bits(samples, sampled_by_points(*tree->field, block)));
            // Scattered points, which have nothing in common.
            std::vector<Position> points(70);
            for (Position& point : points) point = random.position(80);
            std::vector<float> densities(points.size());
            tree->field->densities(points, densities);
            for (std::size_t k = 0; k < points.size(); ++k) ASSERT_EQ(densities[k], tree->density(points[k]));
        }
    }
}

TEST_P(RandomCombinations, CompiledForABoxHaveTheSameBitsBoundsAndGradientsThere) {
    Random random(32);
    SCOPED_TRACE("QUARRY_TEST_SEED=" + std::to_string(random.seed()));
    int smaller = 0;
    for (int round = 0; round < 60; ++round) {
        const auto tree = random_tree(random, random.integer(2, 30), GetParam());
        const SampleBlock block = block_near(random);
        const Box box = box_of(block);
        const FieldPointer here = compile(tree->field, box);
        smaller += here != tree->field ? 1 : 0;
        ASSERT_TRUE(same_bits(sampled(*tree->field, block), sampled(*here, block))) << "round " << round;
        std::vector<Position> points(50);
        for (Position& p : points) {
            p = {random.real(box.low.x, std::nextafter(box.high.x, 1e9)),
                 random.real(box.low.y, std::nextafter(box.high.y, 1e9)),
                 random.real(box.low.z, std::nextafter(box.high.z, 1e9))};
        }
        std::vector<Gradient> expected(points.size()), gradients(points.size());
        tree->field->gradients(points, 0.1, expected);
        here->gradients(points, 0.1, gradients);
        ASSERT_EQ(gradients, expected) << "round " << round;
        const Interval bounds = tree->field->bounds(box), less = here->bounds(box);
        for (const Position& p : points) {
            const float density = tree->density(p);
            ASSERT_TRUE(bounds.low <= density && density <= bounds.high) << "round " << round;
            ASSERT_TRUE(less.low <= density && density <= less.high) << "round " << round;
        }
    }
    EXPECT_GT(smaller, 20);
}

TEST_P(RandomCombinations, AnExtentIsNoNearerThanTheDensitySays) {
    Random random(33);
    SCOPED_TRACE("QUARRY_TEST_SEED=" + std::to_string(random.seed()));
    int with_extent = 0;
    for (int round = 0; round < 400; ++round) {
        const auto tree = random_tree(random, random.integer(1, 6), GetParam());
        const std::optional<Box> extent = tree->field->extent();
        if (!extent) continue;
        ++with_extent;
        for (int i = 0; i < 50; ++i) {
            const Position p = random.position(100);
            const auto out = [](double at, double low, double high) { return std::max({low - at, at - high, 0.0}); };
            const double distance =
                std::hypot(out(p.x, extent->low.x, extent->high.x), out(p.y, extent->low.y, extent->high.y),
                           out(p.z, extent->low.z, extent->high.z));
            if (distance == 0) continue;  // inside, anything goes
            ASSERT_GE(tree->field->density_at(p), distance - 1e-4) << "round " << round;
        }
    }
    EXPECT_GT(with_extent, 50);
}

INSTANTIATE_TEST_SUITE_P(Blends, RandomCombinations, testing::Bool(),
                         [](const auto& each) { return each.param ? "Blended" : "Sharp"; });

constexpr int kManyShapes = 100'000;

FieldPointer sphere_number(int i) {
    return std::make_shared<SphereField>(Position{(i % 317) * 30.0, (i / 317) * 30.0, 0}, 9);
}

// Chains to the left, to the right, and with a blend: bounded, meshed and destroyed.
TEST(ManyShapes, AChainOfAHundredThousandNeedsNoDeepStack) {
    for (const bool to_the_left : {true, false}) {
        for (const double blend : {0.0, 2.0}) {
            FieldPointer field = sphere_number(0);
            for (int i = 1; i < kManyShapes; ++i) {
                FieldPointer next = sphere_number(i);
                if (to_the_left) {
                    field =
                        std::make_shared<CombinedField>(Combination::unite, std::move(field), std::move(next), blend);
                } else {
                    field =
                        std::make_shared<CombinedField>(Combination::unite, std::move(next), std::move(field), blend);
                }
            }
            EXPECT_FALSE(field->bounds({{-9, -9, 40}, {9, 9, 50}}).may_have_surface());
            const ChunkMesh mesh = extract(*field, {.lod = 0, .x = 0, .y = 0, .z = 0});
            EXPECT_EQ(mesh.content, ChunkContent::surface);
            EXPECT_EQ(field->density_at({30, 0, 0}), -9);
        }
    }
}

TEST(ManyShapes, ATreeThatSharesItsPartsEndsAtOnce) {
    FieldPointer field = sphere_number(0);
    for (int i = 0; i < 200; ++i) field = std::make_shared<CombinedField>(Combination::unite, field, field);
    EXPECT_EQ(field->density_at({0, 0, 0}), -9);
    EXPECT_TRUE(field->bounds({{0, 0, 0}, {32, 32, 32}}).may_have_surface());
}

// Counts how often it is asked for densities.
class CountedSphere final : public Field {
  public:
    explicit CountedSphere(Position centre, std::size_t& asked) : sphere_(centre, 5), asked_(&asked) {}
    void densities(std::span<const Position> points, std::span<float> out) const override {
        *asked_ += points.size();
        sphere_.densities(points, out);
    }
    Interval bounds(const Box& box) const override { return sphere_.bounds(box); }
    void gradients(std::span<const Position> points, double spacing, std::span<Gradient> out) const override {
        sphere_.gradients(points, spacing, out);
    }
    std::optional<Box> extent() const override { return sphere_.extent(); }

  private:
    SphereField sphere_;
    std::size_t* asked_;
};

TEST(ManyShapes, OnlyShapesNearThePlaceAreAskedForDensities) {
    std::size_t asked = 0;
    FieldPointer field = std::make_shared<NoiseField>();
    for (int i = 0; i < 1000; ++i) {
        const Position centre{(i % 10) * 40.0 - 200, (i / 100) * 40.0 - 200, (i / 10 % 10) * 40.0 - 200};
        field = std::make_shared<CombinedField>(Combination::subtract, std::move(field),
                                                std::make_shared<CountedSphere>(centre, asked));
    }
    // One sphere in each cube of 40 units, up to ten with the noise's depth: far fewer than one a sample and sphere.
    const SampleBlock block{.first = {0, -16, 0}, .nx = 33, .ny = 33, .nz = 33};
    (void)sampled(*field, block);
    EXPECT_GT(asked, 0U);
    EXPECT_LT(asked, 12 * block.size());
}

}  // namespace
