#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "preview/image.hpp"
#include "quarry/jobs/pool.hpp"
#include "quarry/terrain/lattice.hpp"
#include "quarry/terrain/material_look.hpp"
#include "quarry/terrain/mesh.hpp"

namespace quarry::app::preview {

struct Camera {
    terrain::Position eye{};
    terrain::Position target{};
    double field_of_view = 45;  // of the picture's height, in degrees; 1 .. 150
};

// How a material varies from place to place.
enum class Texture { even, grass, rock, snow };

struct PaletteEntry {
    Vec colour{0.8F, 0.8F, 0.8F};  // share of red, green and blue light that it sends back: 0 .. 1, linear
    Texture texture = Texture::even;
};

// What each material looks like.
struct Palette {
    std::vector<PaletteEntry> of{
        {{0.082F, 0.110F, 0.034F}, Texture::grass},
        {{0.150F, 0.138F, 0.126F}, Texture::rock},
        {{0.800F, 0.810F, 0.830F}, Texture::snow},
        {{0.260F, 0.190F, 0.115F}, Texture::even},  // earth
    };

    // Materials beyond the list are grey.
    PaletteEntry at(std::size_t material) const { return material < of.size() ? of[material] : PaletteEntry{}; }
};

// Of a world's own materials; the default where it says nothing about them.
Palette palette_of(std::span<const terrain::MaterialLook> looks);

struct RenderOptions {
    int width = 1920;  // 1 .. 16,384, as is height
    int height = 1080;
    int samples = 2;          // of a pixel along each axis; 1, 2 or 4
    std::int32_t cells = 32;  // of the meshes
    terrain::Lattice lattice{};
    std::optional<Camera> camera{};             // none: chosen by choose_camera
    std::optional<terrain::Position> to_sun{};  // a direction; none: low, from the left
    double haze = 0.5;                          // what is lost of a colour across the world; 0 .. 0.99
    std::optional<double> water_level{};        // height of a lake that the meshes do not have; none: no water
    Palette palette{};
};

// Throws std::invalid_argument that names the option and its range.
void check(const RenderOptions& options);

// A place to look from, for any meshes: landscapes from a stand with a wide view, single things from outside.
Camera choose_camera(Pool& pool, std::span<const terrain::Mesh> meshes, const RenderOptions& options);

// The meshes as a place in the evening sun. Materials are the mesh's own; meshes without any are grass, rock where they
// are steep and snow on the heights. The same pixels for any number of workers. Throws as check does.
Image render(Pool& pool, std::span<const terrain::Mesh> meshes, const RenderOptions& options = {});

// The same view with all edges: each level of detail in a colour of its own, transition cells in red.
Image render_lods(Pool& pool, std::span<const terrain::Mesh> meshes, const RenderOptions& options = {});

}  // namespace quarry::app::preview
