#include "terrain/rows.hpp"

#include <algorithm>
#include <array>

namespace quarry::bench {
namespace {

constexpr TerrainRow field_row(std::string_view name, std::string_view what) {
    return {RowInfo{.name = name, .what = what}, TerrainPart::field};
}

constexpr TerrainRow chunk_row(std::string_view name, std::string_view what) {
    return {RowInfo{.name = name, .what = what}, TerrainPart::chunk};
}

constexpr TerrainRow real_row(std::string_view name, std::string_view what) {
    return {RowInfo{.name = name, .what = what}, TerrainPart::real};
}

constexpr std::array kRows{
    field_row("noise", "hills with overhangs, 4 octaves (the field of the benchmark world)"),
    field_row("height", "hills without overhangs, 4 octaves"),
    field_row("ridged", "mountains, 4 octaves"),
    field_row("sphere", "a sphere"),
    field_row("box", "a box"),
    field_row("torus", "a torus"),
    field_row("plane", "a plane"),
    field_row("combined", "noise without a sphere, blended"),
    field_row("warp", "noise, warped by noise of 2 octaves"),
    field_row("translated", "noise, moved"),
    chunk_row("lod0", "surface chunks of the benchmark world at LOD 0: extract, with normals and transition ranges"),
    chunk_row("lod1", "the same at LOD 1"),
    chunk_row("lod2", "the same at LOD 2"),
    chunk_row("lod3", "the same at LOD 3"),
    chunk_row("lod4", "the same at LOD 4"),
    chunk_row("lod5", "the same at LOD 5"),
    real_row("showcase", "surface chunks of the showcase at LOD 0, with materials"),
    real_row("spheres", "noise without 10,000 spheres, in a ball of radius 1,024"),
    real_row("slab", "noise without 10,000 spheres, in the layer up to 48 units above and below 0"),
    real_row("caves", "a heightmap with caves"),
    real_row("planet", "a planet: a warped ball"),
    real_row("overhangs", "mountains of warped ridges in three dimensions"),
    TerrainRow{RowInfo{.name = "chunks",
                       .what = "64 chunks of the benchmark world, by each engine in its own way (needs --peers)"},
               TerrainPart::chunks},
    TerrainRow{RowInfo{.name = "reject", .what = "empty chunks that bounds prove empty: how many of them, how fast"},
               TerrainPart::bounds},
    TerrainRow{RowInfo{.name = "reject_hilly", .what = "the same in a world of amplitude 256 and frequency 0.005"},
               TerrainPart::bounds},
    TerrainRow{RowInfo{.name = "world",
                       .what = "the benchmark world, every chunk at full resolution, all meshes kept, in a new process",
                       .cold = true},
               TerrainPart::world},
};

constexpr std::array kAims{
    TerrainAim{.name = "lod0", .value = 8'000, .for_avx512 = true},
    TerrainAim{.name = "lod1", .value = 8'000, .for_avx512 = true},
    TerrainAim{.name = "lod2", .value = 8'000, .for_avx512 = true},
    TerrainAim{.name = "lod3", .value = 4'000, .for_avx512 = true},
    TerrainAim{.name = "lod4", .value = 4'000, .for_avx512 = true},
    TerrainAim{.name = "lod5", .value = 4'000, .for_avx512 = true},
    TerrainAim{.name = "showcase", .value = 3'000, .for_avx512 = true},
    TerrainAim{.name = "spheres_to_noise", .value = 1.5},
    TerrainAim{.name = "slab_to_noise", .value = 3},
    TerrainAim{.name = "chunks_times", .value = 40, .workers = 1},
    TerrainAim{.name = "reject_share", .value = 99.9},
    TerrainAim{.name = "reject", .value = 20'000'000},
    TerrainAim{.name = "reject_hilly_share", .value = 90},
    TerrainAim{.name = "reject_hilly", .value = 2'000'000},
    TerrainAim{.name = "world", .value = 0.5, .workers = 2},
    TerrainAim{.name = "world_efficiency", .value = 95, .workers = 2},
    TerrainAim{.name = "world_beyond", .value = 64},
};

}  // namespace

std::span<const TerrainRow> terrain_rows() {
    return kRows;
}

const TerrainRow* find_terrain_row(std::string_view name) {
    const auto found = std::find_if(kRows.begin(), kRows.end(), [&](const auto& row) { return row.info.name == name; });
    return found == kRows.end() ? nullptr : &*found;
}

std::optional<TerrainAim> terrain_aim(std::string_view name, int workers, bool avx512) {
    for (const TerrainAim& aim : kAims) {
        const bool applies = (aim.workers == 0 || aim.workers == workers) && (avx512 || !aim.for_avx512);
        if (aim.name == name && applies) return aim;
    }
    return std::nullopt;
}

bool higher_is_better(std::string_view unit) {
    return unit.ends_with("/s") || unit == "%" || unit == "x";
}

}  // namespace quarry::bench
