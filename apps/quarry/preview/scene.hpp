#pragma once

#include <cstddef>
#include <span>

#include "preview/atmosphere.hpp"
#include "preview/geometry.hpp"
#include "preview/render.hpp"
#include "preview/vector.hpp"
#include "preview/view.hpp"

namespace quarry::app::preview {

// What both kinds of pictures begin with.
struct Scene {
    Geometry geometry;
    View view;  // in samples
    Vec to_sun;

    Scene(Pool& pool, std::span<const terrain::Mesh> meshes, const RenderOptions& options);
};

Camera choose_camera(Pool& pool, const Geometry& geometry, const RenderOptions& options);

// Calls visit(pixel x, y, first sample's column and row in the tile) for all pixels of a tile.
template <class Visit>
void for_each_pixel(const Tile& tile, int samples, Visit visit) {
    for (int row = 0; row + samples <= tile.rows(); row += samples) {
        for (int column = 0; column + samples <= tile.columns(); column += samples) {
            visit((tile.x() + column) / samples, (tile.y() + row) / samples, column, row);
        }
    }
}

// Brings light of any strength to 0 .. 1, as film does: dark parts keep their contrast, bright ones fade out softly.
Vec tone_mapped(Vec light) noexcept;

}  // namespace quarry::app::preview
