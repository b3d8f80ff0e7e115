// Prints what fields cost on this machine: quarry_terrain_measure. No test: it has nothing to fail.
#include <algorithm>
#include <chrono>
#include <cstdint>
#include <cstdio>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "quarry/terrain/heightmap_field.hpp"
#include "quarry/terrain/noise_field.hpp"
#include "quarry/terrain/simd.hpp"

namespace {

using namespace quarry::terrain;
using Clock = std::chrono::steady_clock;

double seconds_since(Clock::time_point start) {
    return std::chrono::duration<double>(Clock::now() - start).count();
}

// The quickest of several runs, in seconds.
template <class Function>
double best_of(int runs, Function&& function) {
    double best = 1e30;
    for (int i = 0; i < runs; ++i) {
        const auto start = Clock::now();
        function();
        best = std::min(best, seconds_since(start));
    }
    return best;
}

void measure_samples(const Field& field) {
    std::vector<float> out(33 * 33 * 33);
    for (const SimdTarget target : simd_targets()) {
        force_simd_target(target);
        std::printf("%-7s ns a sample by step:", std::string(name_of(target)).c_str());
        for (std::int32_t step = 1; step <= kLargestStep; step *= 2) {
            const SampleBlock block{.first = {-16 * step, -16, 40 * step}, .step = step, .nx = 33, .ny = 33, .nz = 33};
            const double seconds = best_of(20, [&] { field.sample(block, out.data()); });
            std::printf(" %d: %.2f", step, seconds / static_cast<double>(block.size()) * 1e9);
        }
        std::vector<Position> points(1000);
        std::vector<Gradient> gradients(points.size());
        for (std::size_t i = 0; i < points.size(); ++i) points[i] = {0.37 * static_cast<double>(i), 3, 5};
        const double seconds = best_of(20, [&] { field.gradients(points, 1, gradients); });
        std::printf("; gradient %.1f ns\n", seconds * 1e6);
    }
}

void measure_world(const char* name, const Field& field) {
    std::vector<Box> boxes;
    for (int z = -32; z < 32; ++z) {
        for (int y = -32; y < 32; ++y) {
            for (int x = -32; x < 32; ++x) {
                const double cx = 32 * x + 16;
                const double cy = 32 * y + 16;
                const double cz = 32 * z + 16;
                if (cx * cx + cy * cy + cz * cz > 1024.0 * 1024.0) continue;
                boxes.push_back({{cx - 16, cy - 16, cz - 16}, {cx + 16, cy + 16, cz + 16}});
            }
        }
    }
    std::vector<Box> left;
    const double seconds = best_of(3, [&] {
        left.clear();
        for (const Box& box : boxes) {
            if (field.bounds(box).may_have_surface()) left.push_back(box);
        }
    });
    std::vector<float> out(33 * 33 * 33);
    std::size_t surface = 0;
    const auto start = Clock::now();
    for (const Box& box : left) {
        const SampleBlock block{.first = {static_cast<std::int32_t>(box.low.x), static_cast<std::int32_t>(box.low.y),
                                          static_cast<std::int32_t>(box.low.z)},
                                .nx = 33,
                                .ny = 33,
                                .nz = 33};
        field.sample(block, out.data());
        const auto [low, high] = std::minmax_element(out.begin(), out.end());
        surface += Interval{*low, *high}.may_have_surface() ? 1 : 0;
    }
    const double sampling = seconds_since(start);
    const std::size_t empty = boxes.size() - surface;
    const std::size_t rejected = boxes.size() - left.size();
    std::printf(
        "%s: %zu chunks, %zu surface; %.3f %% of %zu empty ones rejected; %.1f million rejected/s; %.0f ms sampling\n",
        name, boxes.size(), surface, 100.0 * static_cast<double>(rejected) / static_cast<double>(empty), empty,
        static_cast<double>(rejected) / seconds / 1e6, sampling * 1e3);
}

void measure_high_chunks(const Field& field) {
    constexpr int kChunks = 1'000'000;
    int may = 0;
    const double seconds = best_of(5, [&] {
        for (int i = 0; i < kChunks; ++i) {
            const double y = 64 + i % 100;
            const double x = i;
            may += field.bounds({{x, y, -x}, {x + 32, y + 32, 32 - x}}).may_have_surface() ? 1 : 0;
        }
    });
    std::printf("where y alone decides: %.0f million chunks/s (%d)\n", kChunks / seconds / 1e6, may);
}

// A picture of hills, 1,024 pixels a side.
HeightmapField heightmap() {
    constexpr std::int32_t kSide = 1024;
    const NoiseField hills({.frequency = 0.01, .amplitude = 30'000});
    std::vector<std::uint16_t> values;
    for (std::int32_t z = 0; z < kSide; ++z) {
        for (std::int32_t x = 0; x < kSide; ++x) {
            values.push_back(static_cast<std::uint16_t>(32'768 - hills.density_at({1.0 * x, 0, 1.0 * z})));
        }
    }
    return HeightmapField(std::make_shared<Heightmap>(kSide, kSide, std::move(values)),
                          {.height_scale = 64, .offset = -32, .origin_x = -kSide / 2, .origin_z = -kSide / 2});
}

}  // namespace

int main() {
    const NoiseField field;
    measure_high_chunks(field);
    measure_world("R3", field);
    measure_world("amplitude 256, frequency 0.005", NoiseField({.frequency = 0.005, .amplitude = 256}));
    measure_samples(field);
    const HeightmapField map = heightmap();
    measure_world("heightmap", map);
    measure_samples(map);
}
