#include "terrain/real_worlds.hpp"

#include <cmath>
#include <random>
#include <stdexcept>
#include <utility>

#include <quarry/terrain/combined_field.hpp>
#include <quarry/terrain/compile.hpp>
#include <quarry/terrain/extract.hpp>
#include <quarry/terrain/height_field.hpp>
#include <quarry/terrain/heightmap_field.hpp>
#include <quarry/terrain/materials.hpp>
#include <quarry/terrain/noise_field.hpp>
#include <quarry/terrain/ridged_field.hpp>
#include <quarry/terrain/shape_fields.hpp>
#include <quarry/terrain/surface_samples.hpp>
#include <quarry/terrain/warped_field.hpp>

#include "terrain/extract_triangles.hpp"
#include "terrain/stopwatch.hpp"

namespace quarry::bench {
namespace {

using namespace terrain;
using FieldPointer = std::shared_ptr<const Field>;

constexpr double kRealWorldSeconds = 0.05;
constexpr std::size_t kMostRealChunks = 60;
constexpr int kSpheres = 10'000;
constexpr double kSpheresReach = 1'024;

// Uniformly in a ball, or in the layer up to `height` above and below 0.
FieldPointer noise_without_spheres(double height) {
    std::mt19937_64 random(5);
    const auto real = [&](double reach) {
        return (static_cast<double>(random() >> 11) / 4503599627370496.0 - 1) * reach;
    };
    FieldPointer field = std::make_shared<NoiseField>();
    for (int i = 0; i < kSpheres;) {
        const Position at{real(kSpheresReach), real(height), real(kSpheresReach)};
        if (at.x * at.x + at.y * at.y + at.z * at.z > kSpheresReach * kSpheresReach) continue;
        auto sphere = std::make_shared<SphereField>(at, 9 + real(7));
        field = std::make_shared<CombinedField>(Combination::subtract, std::move(field), std::move(sphere));
        ++i;
    }
    return field;
}

struct Subject {
    FieldPointer field;
    std::shared_ptr<const Materials> materials;
    std::vector<ChunkKey> keys;
};

Subject with_surface_chunks(Subject subject) {
    ExtractScratch scratch;
    // Spread over 21 x 21 columns of chunks, by a step that shares no factor with their number.
    constexpr int kColumns = 21;
    for (int i = 0; i < kColumns * kColumns && subject.keys.size() < kMostRealChunks; ++i) {
        const int column = i * 89 % (kColumns * kColumns);
        for (std::int32_t y = -10; y <= 10; ++y) {
            const ChunkKey key{0, column % kColumns - kColumns / 2, y, column / kColumns - kColumns / 2};
            if (extract_baked(*subject.field, key, 0, {}, scratch).content == ChunkContent::surface) {
                subject.keys.push_back(key);
            }
        }
    }
    if (subject.keys.empty()) throw std::runtime_error("no surface chunk in this world");
    return subject;
}

class RealWorld {
  public:
    RealWorld(std::string name, FieldPointer field, std::shared_ptr<const Materials> materials)
        : name_(std::move(name)),
          world_(with_surface_chunks({std::move(field), std::move(materials), {}})),
          noise_(with_surface_chunks({std::make_shared<NoiseField>(), nullptr, {}})) {}

    void measure(RowContext& context) const;

  private:
    std::string name_;
    Subject world_;
    Subject noise_;
};

void RealWorld::measure(RowContext& context) const {
    ExtractScratch scratch;
    std::vector<float> samples(33 * 33 * 33);
    const auto extract_all = [&](const Subject& subject, const Materials* materials) {
        ExtractOptions options;
        options.materials = materials;
        for (const ChunkKey& key : subject.keys) {
            std::size_t vertices = extract_baked(*subject.field, key, 0, options, scratch).mesh.positions.size();
            keep(vertices);
        }
    };
    Stopwatch all, bare, triangles, bounds, sampling, plain;
    int rounds = 0;
    // In turns, so that a noisy moment does not end up in a difference.
    for (; rounds == 0 || all.seconds() < kRealWorldSeconds; ++rounds) {
        all.time([&] { extract_all(world_, world_.materials.get()); });
        bare.time([&] { extract_all(world_, nullptr); });
        plain.time([&] { extract_all(noise_, nullptr); });
        triangles.time([&] {
            for (const ChunkKey& key : world_.keys) {
                std::size_t vertices =
                    terrain::impl::extract_triangles(*world_.field, key, {}, scratch).mesh.positions.size();
                keep(vertices);
            }
        });
        bounds.time([&] {
            for (const ChunkKey& key : world_.keys) {
                Interval interval = world_.field->bounds(box_of(samples_of(key, {})));
                keep(interval.low);
            }
        });
        sampling.time([&] {
            for (const ChunkKey& key : world_.keys) {
                // As extract does: what matters in the chunk, then its samples.
                const SampleBlock block = samples_of(key, {});
                const FieldPointer here = compile(world_.field, box_of(block));
                std::size_t rows = sample_near_surface(*here, block, samples.data());
                keep(rows);
            }
        });
    }
    const double chunks = rounds * static_cast<double>(world_.keys.size());
    const double plain_seconds = plain.seconds() / (rounds * static_cast<double>(noise_.keys.size()));
    const auto each = [&](double seconds) { return seconds / chunks * 1e6; };
    context.add(name_, chunks / all.seconds());
    context.answer.add(name_ + "_bounds", "us", each(bounds.seconds()));
    context.answer.add(name_ + "_sampling", "us", each(sampling.seconds()));
    context.answer.add(name_ + "_meshing", "us", each(triangles.seconds() - bounds.seconds() - sampling.seconds()));
    context.answer.add(name_ + "_normals", "us", each(bare.seconds() - triangles.seconds()));
    context.answer.add(name_ + "_materials", "us", each(all.seconds() - bare.seconds()));
    context.answer.add(name_ + "_to_noise", "times", all.seconds() / chunks / plain_seconds);
}

}  // namespace

TerrainMeasure measure_real_world(std::string name, FieldPointer field, std::shared_ptr<const Materials> materials) {
    const auto world = std::make_shared<const RealWorld>(std::move(name), std::move(field), std::move(materials));
    return [=](RowContext& context) { world->measure(context); };
}

FieldPointer noise_without_spheres_in_a_ball() {
    return noise_without_spheres(kSpheresReach);
}

FieldPointer noise_without_spheres_in_a_layer() {
    return noise_without_spheres(48);
}

FieldPointer heightmap_with_caves() {
    constexpr std::int32_t kPixels = 512;
    std::vector<std::uint16_t> heights;
    for (int z = 0; z < kPixels; ++z) {
        for (int x = 0; x < kPixels; ++x) {
            heights.push_back(static_cast<std::uint16_t>(32'768 + 9'000 * std::sin(x * 0.05) * std::cos(z * 0.037) +
                                                         2'000 * std::sin(x * 0.31 + z * 0.17)));
        }
    }
    const auto ground = std::make_shared<HeightmapField>(
        std::make_shared<Heightmap>(kPixels, kPixels, std::move(heights)),
        HeightmapOptions{.pixel_size = 2, .height_scale = 160, .offset = -80, .origin_x = -512, .origin_z = -512});
    const auto holes = [](std::uint64_t seed) {
        return std::make_shared<NoiseField>(
            NoiseOptions{.seed = seed, .octaves = 2, .frequency = 0.02, .amplitude = 400});
    };
    const auto caves = std::make_shared<CombinedField>(Combination::intersect, holes(1), holes(2));
    return std::make_shared<CombinedField>(Combination::subtract, ground, caves, 4);
}

FieldPointer planet() {
    return std::make_shared<WarpedField>(std::make_shared<SphereField>(Position{}, 300),
                                         NoiseOptions{.seed = 3, .octaves = 5, .frequency = 0.008, .amplitude = 40});
}

// Ridges of three dimensions, warped: every sample is at a place of its own, off the lattice. With summits cut off and
// valleys united, as the showcase has them.
FieldPointer overhanging_mountains() {
    const auto ridges = std::make_shared<RidgedField>(NoiseOptions{
        .octaves = 5, .frequency = 0.0006, .amplitude = 1150, .offset = -660, .lacunarity = 2.2, .persistence = 0.42});
    const auto warped = std::make_shared<WarpedField>(
        ridges, NoiseOptions{.seed = 44, .octaves = 1, .frequency = 0.009, .amplitude = 20});
    const auto summits = std::make_shared<HeightField>(
        NoiseOptions{.seed = 45, .octaves = 2, .frequency = 0.007, .amplitude = 60, .offset = 335});
    const auto valleys = std::make_shared<HeightField>(
        NoiseOptions{.seed = 43, .frequency = 0.0035, .amplitude = 55, .offset = -14, .persistence = 0.4});
    const auto mountains = std::make_shared<CombinedField>(Combination::intersect, warped, summits, 40);
    return std::make_shared<CombinedField>(Combination::unite, mountains, valleys, 80);
}

}  // namespace quarry::bench
