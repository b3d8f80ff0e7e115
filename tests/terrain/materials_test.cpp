#include "quarry/terrain/materials.hpp"

#include <array>
#include <cmath>
#include <limits>
#include <memory>
#include <numeric>
#include <span>
#include <vector>

#include <gtest/gtest.h>

#include "quarry/terrain/covers.hpp"
#include "quarry/terrain/simd.hpp"
#include "tests/terrain/support.hpp"

namespace {

using namespace quarry::terrain;

int sum_of(const MaterialWeights& weights) {
    return std::accumulate(weights.of.begin(), weights.of.end(), 0);
}

float share_at(const Cover& cover, Position place, Vector3 normal = {0, 1, 0}) {
    float share = -1;
    cover.shares(std::span(&place, 1), std::span(&normal, 1), std::span(&share, 1));
    return share;
}

MaterialWeights weights_at(const Materials& materials, Position place, Vector3 normal = {0, 1, 0}) {
    MaterialWeights weights;
    materials.weights(std::span(&place, 1), std::span(&normal, 1), std::span(&weights, 1));
    return weights;
}

Vector3 tilted(double degrees) {
    const double angle = degrees / 180 * 3.14159265358979;
    return {static_cast<float>(std::sin(angle)), static_cast<float>(std::cos(angle)), 0};
}

TEST(MaterialWeights, AlwaysAddUpTo255AndAreWithinOneOfTheirShare) {
    Random random(201);
    SCOPED_TRACE("QUARRY_TEST_SEED=" + std::to_string(random.seed()));
    for (int i = 0; i < 50'000; ++i) {
        std::array<float, kMaterials> shares{};
        for (float& share : shares) {
            share = random.integer(0, 3) == 0 ? 0 : static_cast<float>(random.real(0, random.integer(1, 1000)));
        }
        const MaterialWeights weights = to_weights(shares);
        ASSERT_EQ(sum_of(weights), 255);
        const double sum = double{shares[0]} + shares[1] + shares[2] + shares[3];
        if (sum == 0) continue;
        for (std::size_t m = 0; m < kMaterials; ++m) ASSERT_NEAR(weights.of[m], 255 * shares[m] / sum, 1.0001);
    }
}

TEST(MaterialWeights, RestsGoToTheLargestAndOfEqualOnesToTheFirst) {
    EXPECT_EQ(to_weights({1, 1, 0, 0}), (MaterialWeights{{128, 127, 0, 0}}));
    EXPECT_EQ(to_weights({1, 1, 1, 1}), (MaterialWeights{{64, 64, 64, 63}}));
    EXPECT_EQ(to_weights({0, 100.7F, 100.2F, 54.1F}), (MaterialWeights{{0, 101, 100, 54}}));
    EXPECT_EQ(to_weights({0, 0, 0, 1e-29F}), (MaterialWeights{{0, 0, 0, 255}}));
}

TEST(MaterialWeights, AreTheFirstMaterialWhereSharesAreNone) {
    const auto nan = std::numeric_limits<float>::quiet_NaN();
    const auto infinite = std::numeric_limits<float>::infinity();
    const MaterialWeights first{{255, 0, 0, 0}};
    EXPECT_EQ(to_weights({0, 0, 0, 0}), first);
    EXPECT_EQ(to_weights({0, 1e-40F, 1e-40F, 1e-45F}), first);
    EXPECT_EQ(to_weights({nan, nan, -1, -infinite}), first);
    EXPECT_EQ(to_weights({nan, 1, 0, 0}), (MaterialWeights{{0, 255, 0, 0}}));
    EXPECT_EQ(to_weights({infinite, 0, infinite, 0}), (MaterialWeights{{128, 0, 127, 0}}));
}

// Paint turns weights into shares and back; a vertex that no stroke reaches must not notice which batch it was in.
TEST(MaterialWeights, SurviveTheWayThroughShares) {
    for (int a = 0; a <= 255; ++a) {
        for (int b = 0; a + b <= 255; b += 3) {
            for (int c = 0; a + b + c <= 255; ++c) {
                const int d = 255 - a - b - c;
                const MaterialWeights back = to_weights({static_cast<float>(a) / 255, static_cast<float>(b) / 255,
                                                         static_cast<float>(c) / 255, static_cast<float>(d) / 255});
                ASSERT_EQ((std::array<int, 4>{back.of[0], back.of[1], back.of[2], back.of[3]}),
                          (std::array{a, b, c, d}));
            }
        }
    }
}

TEST(HeightCover, BlendsAroundBothEnds) {
    const HeightCover cover({.from = 10, .to = 50, .blend = 4});
    for (const double y : {-1e9, 0.0, 8.0, 52.0, 1e9}) EXPECT_EQ(share_at(cover, {3, y, 5}), 0) << y;
    for (const double y : {12.0, 30.0, 48.0}) EXPECT_EQ(share_at(cover, {3, y, 5}), 1) << y;
    for (const double y : {10.0, 50.0}) EXPECT_EQ(share_at(cover, {3, y, 5}), 0.5F) << y;
    EXPECT_FLOAT_EQ(share_at(cover, {3, 9, 5}), 0.15625F);  // a quarter of the way: 3 / 16 - 2 / 64
    EXPECT_EQ(share_at(cover, {0, kNan, 0}), 0);
}

TEST(HeightCover, WithoutBlendHoldsItsLowerEndButNotItsUpperOne) {
    const HeightCover cover({.from = 10, .to = 50});
    EXPECT_EQ(share_at(cover, {0, std::nextafter(10, 0), 0}), 0);
    EXPECT_EQ(share_at(cover, {0, 10, 0}), 1);
    EXPECT_EQ(share_at(cover, {0, std::nextafter(50, 0), 0}), 1);
    EXPECT_EQ(share_at(cover, {0, 50, 0}), 0);
}

TEST(HeightCover, ARaggedBorderFollowsTheNoise) {
    const NoiseOptions noise{.seed = 9, .octaves = 3, .frequency = 0.1, .amplitude = 8, .offset = 20};
    const HeightCover cover({.from = 0}, noise);
    const NoiseField field(noise);
    int above = 0;
    for (int i = 0; i < 1000; ++i) {
        const Position at{0.7 * i, 20 + i % 7 - 3.0, -0.3 * i};
        const float share = share_at(cover, at);
        above += share > 0 ? 1 : 0;
        ASSERT_EQ(share, field.density_at(at) >= 0 ? 1 : 0);
    }
    EXPECT_GT(above, 200);
    EXPECT_LT(above, 800);
}

TEST(SlopeCover, BlendsAroundBothEnds) {
    const SlopeCover cover({.from = 30, .to = 100, .blend = 10});
    for (const double degrees : {0.0, 10.0, 24.9, 105.1, 180.0}) EXPECT_EQ(share_at(cover, {}, tilted(degrees)), 0);
    for (const double degrees : {35.1, 60.0, 90.0, 94.9}) EXPECT_EQ(share_at(cover, {}, tilted(degrees)), 1);
    EXPECT_NEAR(share_at(cover, {}, tilted(30)), 0.5, 0.07);
    EXPECT_NEAR(share_at(cover, {}, tilted(100)), 0.5, 0.07);
    EXPECT_LT(share_at(cover, {}, tilted(28)), share_at(cover, {}, tilted(32)));
    EXPECT_GT(share_at(cover, {}, tilted(98)), share_at(cover, {}, tilted(102)));
}

TEST(SlopeCover, AnEndAtFlatGroundOrAtTheCeilingIsNone) {
    const SlopeCover flat({.from = 0, .to = 45, .blend = 20});
    EXPECT_EQ(share_at(flat, {}, {0, 1, 0}), 1);
    EXPECT_EQ(share_at(flat, {}, tilted(56)), 0);
    const SlopeCover steep({.from = 45, .to = 180, .blend = 20});
    EXPECT_EQ(share_at(steep, {}, {0, -1, 0}), 1);
    EXPECT_EQ(share_at(SlopeCover({}), {}, {0, 1, 0}), 1);
}

TEST(SlopeCover, WithoutBlendIsAllOrNothing) {
    const SlopeCover cover({.from = 45, .to = 90});
    EXPECT_EQ(share_at(cover, {}, tilted(44.99)), 0);
    EXPECT_EQ(share_at(cover, {}, tilted(45.01)), 1);
    EXPECT_EQ(share_at(cover, {}, tilted(89.99)), 1);
    EXPECT_EQ(share_at(cover, {}, tilted(90.01)), 0);
}

TEST(NoiseCover, HasItsShareOfTheWorldAndTheSameBitsOnEveryTarget) {
    const KeepSimdTarget keep;
    Random random(202);
    SCOPED_TRACE("QUARRY_TEST_SEED=" + std::to_string(random.seed()));
    std::vector<Position> places(1001);
    for (Position& at : places) at = random.position(500);
    const std::vector<Vector3> normals(places.size(), Vector3{0, 1, 0});
    // Neither amplitude nor offset is used.
    const NoiseCover cover({.seed = 4, .amplitude = 1e5, .offset = 77}, {.from = 0, .blend = 0.3});
    std::vector<float> expected(places.size());
    force_simd_target(SimdTarget::scalar);
    cover.shares(places, normals, expected);
    const float sum = std::accumulate(expected.begin(), expected.end(), 0.0F);
    EXPECT_GT(sum, 350);
    EXPECT_LT(sum, 650);
    for (const SimdTarget target : simd_targets()) {
        force_simd_target(target);
        std::vector<float> shares(places.size());
        cover.shares(places, normals, shares);
        EXPECT_TRUE(same_bits(shares, expected)) << name_of(target);
        for (std::size_t i = 0; i < 50; ++i) ASSERT_EQ(share_at(cover, places[i]), expected[i]);
    }
}

std::shared_ptr<const LayeredMaterials> hills() {
    const auto high = std::make_shared<HeightCover>(CoverRange{.from = 40, .blend = 10});
    const auto flat = std::make_shared<SlopeCover>(CoverRange{.to = 40, .blend = 10});
    const auto steep = std::make_shared<SlopeCover>(CoverRange{.from = 50, .blend = 10});
    return std::make_shared<LayeredMaterials>(
        0, std::vector<MaterialLayer>{{.material = 2, .where = {steep}}, {.material = 3, .where = {high, flat}}});
}

TEST(LayeredMaterials, LaterLayersLieOverEarlierOnesWhereAllTheirCoversAre) {
    EXPECT_EQ(weights_at(*hills(), {0, 0, 0}), (MaterialWeights{{255, 0, 0, 0}}));
    EXPECT_EQ(weights_at(*hills(), {0, 0, 0}, tilted(70)), (MaterialWeights{{0, 0, 255, 0}}));
    EXPECT_EQ(weights_at(*hills(), {0, 90, 0}), (MaterialWeights{{0, 0, 0, 255}}));
    EXPECT_EQ(weights_at(*hills(), {0, 90, 0}, tilted(70)), (MaterialWeights{{0, 0, 255, 0}}));
    EXPECT_EQ(weights_at(*hills(), {0, 40, 0}), (MaterialWeights{{128, 0, 0, 127}}));
}

TEST(LayeredMaterials, StrengthLetsThroughWhatIsBelow) {
    const LayeredMaterials thin(1, {{.material = 0, .strength = 0.25}});
    EXPECT_EQ(weights_at(thin, {}), (MaterialWeights{{64, 191, 0, 0}}));
}

TEST(LayeredMaterials, AVertexHasItsWeightsInWhateverCompany) {
    Random random(203);
    SCOPED_TRACE("QUARRY_TEST_SEED=" + std::to_string(random.seed()));
    const auto patches =
        std::make_shared<NoiseCover>(NoiseOptions{.frequency = 0.1}, CoverRange{.from = 0, .blend = 0.2});
    const auto grass = std::make_shared<LayeredMaterials>(0, std::vector<MaterialLayer>{{1, {patches}}});
    const PaintedMaterials painted(grass, {{.centre = {10, 0, 0}, .radius = 40, .soft = 30, .material = 2}});
    std::vector<Position> places(517);
    std::vector<Vector3> normals(places.size());
    for (std::size_t i = 0; i < places.size(); ++i) {
        places[i] = random.position(100);
        normals[i] = tilted(random.real(0, 180));
    }
    std::vector<MaterialWeights> together(places.size());
    painted.weights(places, normals, together);
    for (std::size_t i = 0; i < places.size(); ++i) {
        ASSERT_EQ(weights_at(painted, places[i], normals[i]), together[i]) << i;
        ASSERT_EQ(sum_of(together[i]), 255);
    }
}

TEST(PaintedMaterials, StrokesHaveASoftEdgeAndTheLastIsOnTop) {
    const auto ground = std::make_shared<LayeredMaterials>(0);
    const PaintedMaterials painted(ground, {{.centre = {0, 0, 0}, .radius = 10, .soft = 4, .material = 1},
                                            {.centre = {0, 0, 20}, .radius = 2, .material = 2, .strength = 0.5},
                                            {.centre = {0, 0, 0}, .radius = 1, .material = 3}});
    EXPECT_EQ(weights_at(painted, {0, 0, 0.5}), (MaterialWeights{{0, 0, 0, 255}}));
    EXPECT_EQ(weights_at(painted, {6, 0, 0}), (MaterialWeights{{0, 255, 0, 0}}));
    EXPECT_EQ(weights_at(painted, {0, 8, 0}), (MaterialWeights{{128, 127, 0, 0}}));
    EXPECT_EQ(weights_at(painted, {0, 0, -10}), (MaterialWeights{{255, 0, 0, 0}}));
    EXPECT_EQ(weights_at(painted, {0, 0, 20}), (MaterialWeights{{128, 0, 127, 0}}));
}

MaterialMix mix_at(const Materials& materials, Position place, Vector3 normal = {0, 1, 0}) {
    MaterialMix mix;
    materials.mixes({&place, 1}, {&normal, 1}, {&mix, 1});
    return mix;
}

TEST(MaterialMix, HasTheFourLargestSharesInAscendingOrder) {
    std::vector<float> shares(256);
    shares[200] = 0.4F;
    shares[3] = 0.2F;
    shares[255] = 0.2F;
    shares[17] = 0.15F;
    shares[90] = 0.05F;
    EXPECT_EQ(to_mix(shares), (MaterialMix{{{3, 17, 200, 255}}, to_weights({0.2F, 0.15F, 0.4F, 0.2F})}));
    shares.assign(9, 0.1F);
    EXPECT_EQ(to_mix(shares).indices, (MaterialIndices{{0, 1, 2, 3}})) << "of equal ones the first";
    shares.assign(9, 0);
    shares[8] = 2;
    EXPECT_EQ(to_mix(shares), (MaterialMix{{{8, 0, 0, 0}}, {{255, 0, 0, 0}}}));
    EXPECT_EQ(to_mix({}), (MaterialMix{{{0, 0, 0, 0}}, {{255, 0, 0, 0}}}));
}

TEST(MaterialMix, OfAtMostFourMaterialsIsTheirWeights) {
    const auto high = std::make_shared<HeightCover>(CoverRange{.from = 0, .blend = 10});
    const auto layered =
        std::make_shared<LayeredMaterials>(1, std::vector<MaterialLayer>{{.material = 3, .where = {high}}});
    const PaintedMaterials painted(layered, {{.radius = 4, .soft = 3, .material = 2}});
    for (int i = -8; i < 8; ++i) {
        const Position place{0.25 * i, 1.0 * i, 0};
        EXPECT_EQ(mix_at(*layered, place), (MaterialMix{{}, weights_at(*layered, place)}));
        EXPECT_EQ(mix_at(painted, place), (MaterialMix{{}, weights_at(painted, place)}));
    }
    EXPECT_EQ(painted.count(), 4u);
}

TEST(MaterialMix, KnowsLayersAndStrokesOfAny256Materials) {
    std::vector<MaterialLayer> layers;
    for (int i = 0; i < 6; ++i) {
        const auto band = std::make_shared<HeightCover>(CoverRange{.from = 10.0 * i, .to = 10.0 * i + 10, .blend = 4});
        layers.push_back({.material = 40 * i + 55, .where = {band}});
    }
    const auto layered = std::make_shared<LayeredMaterials>(7, layers);
    EXPECT_EQ(layered->count(), 256u);
    EXPECT_EQ(mix_at(*layered, {0, -9, 0}), (MaterialMix{{{7, 0, 0, 0}}, {{255, 0, 0, 0}}}));
    EXPECT_EQ(mix_at(*layered, {0, 55, 0}), (MaterialMix{{{255, 0, 0, 0}}, {{255, 0, 0, 0}}}));
    const MaterialMix border = mix_at(*layered, {0, 20, 0});
    EXPECT_EQ(border.indices, (MaterialIndices{{7, 95, 135, 0}}));
    EXPECT_NEAR(border.weights.of[2], 128, 1);
    const PaintedMaterials painted(layered, {{.centre = {0, 20, 0}, .radius = 2, .material = 1, .strength = 0.5}});
    const MaterialMix mixed = mix_at(painted, {0, 20, 0});
    EXPECT_EQ(mixed.indices, (MaterialIndices{{1, 7, 95, 135}}));
    EXPECT_NEAR(mixed.weights.of[0], 128, 1);
    EXPECT_EQ(mix_at(painted, {0, 30, 0}), mix_at(*layered, {0, 30, 0}));
    // Only the first four count for those who ask for weights alone; with none of them it is all the first.
    EXPECT_EQ(weights_at(painted, {0, 20, 0}), (MaterialWeights{{128, 127, 0, 0}}));
}

TEST(Materials, RefuseOptionsOutOfRange) {
    const auto expect_refusal = [](const std::string& what, auto&& function) {
        EXPECT_NE(refusal_of(function).find(what), std::string::npos) << what;
    };
    expect_refusal("from must be below to", [] { const HeightCover cover({.from = 3, .to = 3}); });
    expect_refusal("from must be below to", [] { const HeightCover cover({.from = kNan}); });
    for (const double blend : {-1.0, kNan, kInfinite}) {
        expect_refusal("CoverRange.blend", [&] { const SlopeCover cover({.blend = blend}); });
        expect_refusal("CoverRange.blend", [&] { const NoiseCover cover({}, {.blend = blend}); });
    }
    expect_refusal("CoverRange.blend of a slope", [] { const SlopeCover cover({.from = 5, .blend = 181}); });
    expect_refusal("NoiseOptions.octaves", [] { const NoiseCover cover({.octaves = 17}, {}); });
    expect_refusal("NoiseOptions.frequency", [] { const HeightCover cover({}, NoiseOptions{.frequency = 0}); });
    expect_refusal("LayeredMaterials.ground is 256; 0 to 255 is allowed", [] { const LayeredMaterials layered(256); });
    expect_refusal("MaterialLayer.material", [] { const LayeredMaterials layered(0, {{.material = -1}}); });
    expect_refusal("MaterialLayer.strength",
                   [] { const LayeredMaterials layered(0, {{.material = 0, .strength = 1.1}}); });
    expect_refusal("null", [] { const LayeredMaterials layered(0, {{.material = 0, .where = {nullptr}}}); });
    expect_refusal("up to 64", [] { const LayeredMaterials layered(0, std::vector<MaterialLayer>(65)); });
    const auto ground = std::make_shared<LayeredMaterials>(0);
    const auto painted = [&](const Stroke& stroke) { const PaintedMaterials materials(ground, {stroke}); };
    expect_refusal("needs materials", [] { const PaintedMaterials materials(nullptr, {}); });
    expect_refusal("Stroke.radius", [&] { painted({.radius = 0}); });
    expect_refusal("Stroke.soft", [&] { painted({.radius = 2, .soft = 2.5}); });
    expect_refusal("Stroke.centre.y", [&] { painted({.centre = {0, kNan, 0}}); });
    expect_refusal("Stroke.material", [&] { painted({.material = 256}); });
    expect_refusal("Stroke.strength", [&] { painted({.strength = -0.1}); });
    expect_refusal("up to 100000", [&] { const PaintedMaterials many(ground, std::vector<Stroke>(100'001)); });
}

}  // namespace
