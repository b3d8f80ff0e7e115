#include <algorithm>
#include <array>
#include <cmath>
#include <set>
#include <vector>

#include "preview/legend.hpp"
#include "preview/render.hpp"
#include "preview/scene.hpp"
#include "quarry/jobs/parallel_for.hpp"
#include "quarry/jobs/worker_local.hpp"

namespace quarry::app::preview {
namespace {

// Linear. From warm and near to cold and far; none is close to the red of transition cells.
constexpr std::array<Vec, 8> kLevels{Vec{0.80F, 0.62F, 0.12F}, Vec{0.30F, 0.58F, 0.10F}, Vec{0.05F, 0.48F, 0.28F},
                                     Vec{0.04F, 0.42F, 0.55F}, Vec{0.08F, 0.22F, 0.62F}, Vec{0.22F, 0.12F, 0.55F},
                                     Vec{0.45F, 0.12F, 0.48F}, Vec{0.35F, 0.35F, 0.38F}};
constexpr Vec kTransition{0.85F, 0.03F, 0.05F};
constexpr Vec kLine{0.01F, 0.012F, 0.02F};

const Vec& level_colour(std::int32_t lod) {
    return kLevels[static_cast<std::size_t>(std::clamp(lod, 0, 7))];
}

class LodPainter {
  public:
    LodPainter(Pool& pool, std::span<const terrain::Mesh> meshes, const RenderOptions& options)
        : pool_(pool),
          samples_(options.samples),
          scene_(pool, meshes, options),
          projected_(project(pool, scene_.view, scene_.geometry)),
          image_(options.width, options.height) {}

    Image paint() && {
        const TileGrid tiles(scene_.view);
        WorkerLocal<Tile> local(pool_);
        parallel_for(pool_, 0, tiles.count(), [&](int i) {
            Tile& tile = local.local();
            tile.draw(scene_.view, scene_.geometry, projected_, tiles.x(i), tiles.y(i));
            for_each_pixel(tile, samples_, [&](int x, int y, int column, int row) {
                Vec sum;
                for (int j = 0; j < samples_; ++j) {
                    for (int k = 0; k < samples_; ++k) sum += sample(tile, column + k, row + j);
                }
                image_.at(x, y) = to_srgb(sum * (1.0F / static_cast<float>(samples_ * samples_)));
            });
        });
        draw_legend(image_, legend());
        return std::move(image_);
    }

  private:
    Vec sample(const Tile& tile, int column, int row) const {
        const float x = static_cast<float>(tile.x() + column) + 0.5F;
        const float y = static_cast<float>(tile.y() + row) + 0.5F;
        const Seen& seen = tile.at(column, row);
        if (seen.is_sky()) {
            const float up = clamp01(normalised(scene_.view.ray(x, y)).y * 2);
            return mix(Vec{0.62F, 0.68F, 0.76F}, Vec{0.30F, 0.40F, 0.56F}, up);
        }
        const PlacedMesh& placed = scene_.geometry.meshes[seen.mesh];
        const terrain::Mesh& mesh = *placed.mesh;
        const std::size_t first = 3 * static_cast<std::size_t>(seen.triangle);
        const std::array<std::uint32_t, 3> corner{placed.indices[first], placed.indices[first + 1],
                                                  placed.indices[first + 2]};
        const std::vector<Projected>& vertices = projected_[seen.mesh].vertices;
        // Flat shading: triangles are what this picture is about.
        const Vec a = placed.positions[corner[0]];
        const Vec across = cross(placed.positions[corner[1]] - a, placed.positions[corner[2]] - a);
        const float facing = dot(normalised(across), scene_.to_sun);
        const bool is_transition = first >= mesh.regular_indices;
        const Vec base = is_transition ? kTransition : level_colour(mesh.key.lod);
        // Thin as they are, transition cells are to be seen.
        const float least_light = is_transition ? 0.6F : 0.3F;
        const Vec colour = base * (least_light + 0.85F * std::max(facing, 0.0F) + 0.12F * std::max(-facing, 0.0F));
        // Where cells are smaller than a few pixels, lines would cover everything.
        const float pixels = placed.cell / (seen.distance * scene_.view.spread() * static_cast<float>(samples_));
        const float line = smooth_step(2.5F, 9.0F, pixels) * (is_transition ? 0.3F : 1.0F);
        const float away = distance_to_edge(vertices[corner[0]], vertices[corner[1]], vertices[corner[2]], x, y) /
                           static_cast<float>(samples_);
        return mix(colour, kLine, line * 0.8F * (1 - smooth_step(0.35F, 0.9F, away)));
    }

    std::vector<LegendEntry> legend() const {
        std::set<std::int32_t> levels;
        bool has_transitions = false;
        for (const PlacedMesh& placed : scene_.geometry.meshes) {
            levels.insert(std::clamp(placed.mesh->key.lod, 0, 7));
            has_transitions |= placed.mesh->regular_indices < placed.mesh->indices.size();
        }
        std::vector<LegendEntry> entries;
        for (const std::int32_t lod : levels) {
            entries.push_back({static_cast<char>('0' + lod), to_srgb(level_colour(lod) * 0.8F)});
        }
        if (has_transitions) entries.push_back({'T', to_srgb(kTransition * 0.8F)});
        return entries;
    }

    Pool& pool_;
    int samples_;
    Scene scene_;
    std::vector<ProjectedMesh> projected_;
    Image image_;
};

}  // namespace

Image render_lods(Pool& pool, std::span<const terrain::Mesh> meshes, const RenderOptions& options) {
    return LodPainter(pool, meshes, options).paint();
}

}  // namespace quarry::app::preview
