// A field of noise: its densities on a block of the lattice, its bounds, its slope, and a ray into it.
#include <cstdio>
#include <optional>
#include <vector>

#include <quarry/terrain/noise_field.hpp>
#include <quarry/terrain/raycast.hpp>

namespace terrain = quarry::terrain;

int main() {
    // [begin docs]
    const terrain::NoiseField hills({.seed = 7, .amplitude = 32});

    // The corners of the 32 x 32 x 32 cells of a chunk; every second lattice point, so LOD 1.
    const terrain::SampleBlock block{.first = {0, -32, 0}, .step = 2, .nx = 33, .ny = 33, .nz = 33};
    std::vector<float> densities(block.size());
    if (hills.bounds(box_of(block)).may_have_surface()) hills.sample(block, densities.data());

    const std::optional<double> ground = terrain::highest_ground_below(hills, 10, 100, 20);
    const terrain::Gradient slope = hills.gradient_at({10, ground.value(), 20}, 1.0);
    std::printf("ground at %.2f, slope %.2f %.2f %.2f\n", *ground, slope.x, slope.y, slope.z);
    // [end docs]
    const bool same = densities[block.index(5, 6, 7)] == hills.density_at(block.at(5, 6, 7));
    const float at_ground = hills.density_at({10, *ground, 20});
    return same && at_ground < 1e-3F && at_ground > -1e-3F ? 0 : 1;
}
