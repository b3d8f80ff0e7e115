// Fields made of fields: warped mountains with a tunnel dug through them.
#include <cstdio>
#include <memory>

#include <quarry/terrain/combined_field.hpp>
#include <quarry/terrain/ridged_field.hpp>
#include <quarry/terrain/shape_fields.hpp>
#include <quarry/terrain/warped_field.hpp>

namespace terrain = quarry::terrain;

int main() {
    // [begin docs]
    const auto mountains = std::make_shared<terrain::RidgedField>(
        terrain::NoiseOptions{.octaves = 6, .frequency = 0.004, .amplitude = 120});
    const auto warped = std::make_shared<terrain::WarpedField>(
        mountains, terrain::NoiseOptions{.octaves = 2, .frequency = 0.01, .amplitude = 25});
    const auto tunnel = std::make_shared<terrain::TorusField>(terrain::Position{0, 0, 0}, 80.0, 8.0);
    const terrain::CombinedField world(terrain::Combination::subtract, warped, tunnel, 4.0);
    // [end docs]
    const terrain::Position in_tunnel{80, 0, 0};
    std::printf("in the tunnel: %.2f\n", static_cast<double>(world.density_at(in_tunnel)));
    const bool dug = world.density_at(in_tunnel) > 7;
    const bool solid_below = world.density_at({80, -200, 0}) < 0;
    return dug && solid_below ? 0 : 1;
}
