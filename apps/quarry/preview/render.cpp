#include "preview/render.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>
#include <limits>
#include <vector>

#include "preview/atmosphere.hpp"
#include "preview/ground.hpp"
#include "preview/light.hpp"
#include "preview/noise.hpp"
#include "preview/scene.hpp"
#include "quarry/jobs/parallel_for.hpp"
#include "quarry/jobs/worker_local.hpp"

namespace quarry::app::preview {
namespace {

constexpr float kExposure = 1.5F;
constexpr float kNoWater = std::numeric_limits<float>::lowest();

// Maps as fine as the picture can show, so that small pictures are quick.
int map_size(const RenderOptions& options, int most) {
    const int wanted = std::max(options.width, options.height);
    return std::clamp(wanted * 5 / 4, 64, most);
}

class Painter {
  public:
    Painter(Pool& pool, std::span<const terrain::Mesh> meshes, const RenderOptions& options)
        : pool_(pool),
          options_(options),
          scene_(pool, meshes, options),
          level_(options.water_level ? static_cast<float>(*options.water_level - scene_.geometry.origin.y) : kNoWater),
          has_water_(level_ != kNoWater && scene_.view.eye().y > level_),
          air_(scene_.to_sun, std::max(scene_.geometry.low.y, has_water_ ? level_ : kNoWater),
               scene_.geometry.radius() * 1.6F, static_cast<float>(options.haze)),
          colours_(options.palette, scene_.geometry, static_cast<float>(options.lattice.voxel_size)),
          mirror_(scene_.view.coarser(options.samples).mirrored(has_water_ ? level_ : 0)),
          seen_(project(pool, scene_.view, scene_.geometry)),
          shadow_(pool, scene_.geometry, scene_.to_sun, scene_.view.eye(), scene_.view.forward(),
                  map_size(options, 2048)) {
        if (has_water_) mirrored_ = project(pool, mirror_, scene_.geometry);
        std::vector<bool> wanted(scene_.geometry.meshes.size());
        for (std::size_t i = 0; i < wanted.size(); ++i) {
            wanted[i] = seen_[i].is_visible() || (has_water_ && mirrored_[i].is_visible());
        }
        sky_ = sky_light(pool, scene_.geometry, air_, scene_.view.eye(), scene_.view.forward(), wanted,
                         map_size(options, 640));
    }

    Image paint() {
        if (has_water_) paint_reflection();
        Image image(options_.width, options_.height);
        const TileGrid tiles(scene_.view);
        WorkerLocal<Tile> local(pool_);
        parallel_for(pool_, 0, tiles.count(), [&](int i) {
            Tile& tile = local.local();
            tile.draw(scene_.view, scene_.geometry, seen_, tiles.x(i), tiles.y(i));
            for_each_pixel(tile, options_.samples,
                           [&](int x, int y, int column, int row) { image.at(x, y) = pixel(tile, column, row); });
        });
        return image;
    }

  private:
    enum class Shown { sky, ground, water };

    Pixel pixel(const Tile& tile, int column, int row) const {
        const int samples = options_.samples;
        if (is_even(tile, column, row)) {
            const int middle = samples / 2;
            const Vec light = sample(scene_.view, seen_, tile, column + middle, row + middle, has_water_, samples);
            return to_srgb(tone_mapped(light * kExposure));
        }
        Vec sum;
        for (int j = 0; j < samples; ++j) {
            for (int i = 0; i < samples; ++i) {
                // Toned before they are averaged, or a bright sample would outshine an edge.
                const Vec light = sample(scene_.view, seen_, tile, column + i, row + j, has_water_, 1);
                sum += tone_mapped(light * kExposure);
            }
        }
        return to_srgb(sum * (1.0F / static_cast<float>(samples * samples)));
    }

    // Whether all samples of a pixel show one piece of the world, so that one of them can stand for all.
    bool is_even(const Tile& tile, int column, int row) const {
        const Seen& first = tile.at(column, row);
        const Shown shown = shown_at(tile, column, row);
        const Vec normal = first.is_sky() ? Vec{} : normal_of(first);
        for (int j = 0; j < options_.samples; ++j) {
            for (int i = 0; i < options_.samples; ++i) {
                if (shown_at(tile, column + i, row + j) != shown) return false;
                const Seen& other = tile.at(column + i, row + j);
                if (first.is_sky() || other.is_sky()) {
                    if (first.is_sky() != other.is_sky()) return false;
                    continue;
                }
                if (std::abs(other.distance - first.distance) > 0.02F * first.distance) return false;
                if (shown == Shown::ground && dot(normal_of(other), normal) < 0.97F) return false;
            }
        }
        return true;
    }

    Vec normal_of(const Seen& seen) const {
        const PlacedMesh& placed = scene_.geometry.meshes[seen.mesh];
        const terrain::Vector3& n = placed.mesh->normals[placed.indices[3 * static_cast<std::size_t>(seen.triangle)]];
        return {n.x, n.y, n.z};
    }

    Shown shown_at(const Tile& tile, int column, int row) const {
        const Seen& seen = tile.at(column, row);
        if (has_water_) {
            const Vec ray = scene_.view.ray(static_cast<float>(tile.x() + column) + 0.5F,
                                            static_cast<float>(tile.y() + row) + 0.5F);
            if (is_water(scene_.view, seen, ray)) return Shown::water;
        }
        return seen.is_sky() ? Shown::sky : Shown::ground;
    }

    float distance_to_water(const View& view, Vec ray) const { return (level_ - view.eye().y) / ray.y; }

    bool is_water(const View& view, const Seen& seen, Vec ray) const {
        if (ray.y >= 0) return false;
        const float surface = distance_to_water(view, ray);
        return surface < seen.distance && surface < scene_.geometry.radius() * 4;
    }

    void paint_reflection() {
        const auto size = static_cast<std::size_t>(mirror_.columns()) * static_cast<std::size_t>(mirror_.rows());
        reflection_.assign(size, Vec{});
        const TileGrid tiles(mirror_);
        WorkerLocal<Tile> local(pool_);
        parallel_for(pool_, 0, tiles.count(), [&](int i) {
            Tile& tile = local.local();
            tile.draw(mirror_, scene_.geometry, mirrored_, tiles.x(i), tiles.y(i), level_);
            for (int row = 0; row < tile.rows(); ++row) {
                for (int column = 0; column < tile.columns(); ++column) {
                    const float y = static_cast<float>(tile.y() + row) + 0.5F;
                    const float x = static_cast<float>(tile.x() + column) + 0.5F;
                    // Only where the picture itself looks down.
                    if (mirror_.ray(x, y).y <= 0) continue;
                    reflection_[reflection_index(tile.x() + column, tile.y() + row)] =
                        sample(mirror_, mirrored_, tile, column, row, false, 1);
                }
            }
        });
    }

    std::size_t reflection_index(int x, int y) const {
        return static_cast<std::size_t>(y) * static_cast<std::size_t>(mirror_.columns()) + static_cast<std::size_t>(x);
    }

    // wide: how many samples it stands for, along each axis.
    Vec sample(const View& view, const std::vector<ProjectedMesh>& projected, const Tile& tile, int column, int row,
               bool water, int wide) const {
        const float x = static_cast<float>(tile.x() + column) + 0.5F;
        const float y = static_cast<float>(tile.y() + row) + 0.5F;
        const Vec ray = view.ray(x, y);
        const float stretch = length(ray);
        const Vec direction = ray * (1 / stretch);
        const Seen& seen = tile.at(column, row);
        if (water && is_water(view, seen, ray)) return water_light(view, projected, seen, ray, x, y, wide);
        if (seen.is_sky()) return air_.sky_with_clouds(direction);
        const Vec light = ground_light(view, projected, seen, ray, x, y, wide);
        return air_.through_air(light, view.eye(), direction, seen.distance * stretch);
    }

    Vec ground_light(const View& view, const std::vector<ProjectedMesh>& projected, const Seen& seen, Vec ray, float x,
                     float y, int wide) const {
        const PlacedMesh& placed = scene_.geometry.meshes[seen.mesh];
        const terrain::Mesh& mesh = *placed.mesh;
        const std::size_t first = 3 * static_cast<std::size_t>(seen.triangle);
        const std::array<std::uint32_t, 3> corner{placed.indices[first], placed.indices[first + 1],
                                                  placed.indices[first + 2]};
        const std::vector<Projected>& vertices = projected[seen.mesh].vertices;
        const Shares at = shares_at(vertices[corner[0]], vertices[corner[1]], vertices[corner[2]], x, y);
        const std::array<float, 3> share{at.a, at.b, at.c};
        Ground ground;
        ground.place = view.eye() + ray * seen.distance;
        std::array<GroundColours::Share, GroundColours::kMostShares> materials{};
        std::size_t listed = 0;
        for (std::size_t i = 0; i < 3; ++i) {
            const terrain::Vector3& n = mesh.normals[corner[i]];
            ground.smooth += Vec{n.x, n.y, n.z} * share[i];
            ground.sky += sky_[seen.mesh][corner[i]] * share[i];
            if (mesh.materials.empty()) continue;
            for (std::size_t m = 0; m < terrain::kMaterials; ++m) {
                const float weight = static_cast<float>(mesh.materials[corner[i]].of[m]) * (share[i] / 255);
                if (mesh.material_indices.empty()) {
                    materials[m].material = m;
                    materials[m].share += weight;
                } else {
                    materials[listed++] = {mesh.material_indices[corner[i]].of[m], weight};
                }
            }
        }
        ground.smooth = normalised(ground.smooth);
        if (mesh.materials.empty()) {
            const auto natural = colours_.natural(ground.place, ground.smooth);
            std::copy(natural.begin(), natural.end(), materials.begin());
        }
        // The side that is seen, where a cut-off world shows its inside.
        if (dot(ground.smooth, ray) > 0.35F * length(ray)) ground.smooth = ground.smooth * -1.0F;
        colours_.colour(ground, materials, seen.distance * view.spread() * static_cast<float>(wide));
        const float facing = dot(ground.normal, air_.to_sun());
        const float facing_smooth = dot(ground.smooth, air_.to_sun());
        Vec light = ground.sky;
        if (facing > 0 && facing_smooth > -0.05F) {
            const float edge = smooth_step(-0.05F, 0.1F, facing_smooth);
            light += air_.sunlight() * (facing * edge * shadow_.light_at(ground.place, ground.smooth) * 0.75F);
        }
        return ground.albedo * light;
    }

    Vec water_light(const View& view, const std::vector<ProjectedMesh>& projected, const Seen& seen, Vec ray, float x,
                    float y, int wide) const {
        const float surface = distance_to_water(view, ray);
        const float stretch = length(ray);
        const Vec direction = ray * (1 / stretch);
        const Vec place = view.eye() + ray * surface;
        const float width = surface * view.spread() * static_cast<float>(wide);
        const float voxel = static_cast<float>(options_.lattice.voxel_size);
        // Two sets of small waves; finer than a sample they only blur.
        Vec slope;
        for (const float wave : {9.0F * voxel, 3.1F * voxel}) {
            const float shown = 1 - smooth_step(wave * 0.15F, wave * 0.5F, width);
            if (shown > 0) slope += noise_at(place * (1 / wave) + Vec{0, wave, 0}).slope * (0.012F * shown);
        }
        const Vec normal = normalised({-slope.x, 1, -slope.z});
        const float cosine = std::max(-dot(direction, normal), 0.02F);
        const float mirrored = 0.02F + 0.98F * std::pow(1 - cosine, 5.0F);

        // What is reflected, moved as the waves turn the surface: never towards the shore, for beyond it the mirror
        // shows the inside of the land.
        const float per_slope = 0.35F / view.spread();
        const auto in_mirror = [&](float sample, int end) {
            return std::clamp(static_cast<int>(sample) / options_.samples, 0, end - 1);
        };
        const int column = in_mirror(x + slope.x * per_slope, mirror_.columns());
        const int row = in_mirror(y + std::abs(slope.z) * per_slope, mirror_.rows());
        const Vec above = reflection_[reflection_index(column, row)];

        const float under = seen.is_sky() ? 1e9F : (seen.distance - surface) * stretch / voxel;
        const Vec clear{std::exp(-0.16F * under), std::exp(-0.065F * under), std::exp(-0.055F * under)};
        const Vec bottom = seen.is_sky() ? Vec{} : ground_light(view, projected, seen, ray, x, y, wide) * 0.6F;
        const Vec deep{0.012F, 0.045F, 0.055F};
        const Vec below = bottom * clear + deep * (Vec{1, 1, 1} - clear);
        return air_.through_air(mix(below, above, mirrored), view.eye(), direction, surface * stretch);
    }

    Pool& pool_;
    RenderOptions options_;
    Scene scene_;
    float level_;
    bool has_water_;
    Atmosphere air_;
    GroundColours colours_;
    View mirror_;
    std::vector<ProjectedMesh> seen_;
    std::vector<ProjectedMesh> mirrored_;
    SunShadow shadow_;
    std::vector<std::vector<Vec>> sky_;
    std::vector<Vec> reflection_;  // light, one for each pixel
};

}  // namespace

Image render(Pool& pool, std::span<const terrain::Mesh> meshes, const RenderOptions& options) {
    return Painter(pool, meshes, options).paint();
}

}  // namespace quarry::app::preview
