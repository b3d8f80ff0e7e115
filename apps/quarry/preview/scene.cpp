#include "preview/scene.hpp"

#include <cmath>
#include <numbers>
#include <stdexcept>
#include <string>

namespace quarry::app::preview {
namespace {

void require(bool holds, const char* what) {
    if (!holds) throw std::invalid_argument(std::string("RenderOptions.") + what);
}

bool is_finite(const terrain::Position& p) {
    return std::isfinite(p.x) && std::isfinite(p.y) && std::isfinite(p.z);
}

Vec direction_of(const terrain::Position& p) {
    return normalised({static_cast<float>(p.x), static_cast<float>(p.y), static_cast<float>(p.z)});
}

View view_of(const Geometry& geometry, const Camera& camera, const RenderOptions& options) {
    const terrain::Position towards{camera.target.x - camera.eye.x, camera.target.y - camera.eye.y,
                                    camera.target.z - camera.eye.z};
    return {geometry.local(camera.eye), direction_of(towards),
            static_cast<float>(camera.field_of_view * std::numbers::pi / 180), options.width * options.samples,
            options.height * options.samples};
}

// From the left, a little behind the eye: slopes show their shape, and shadows fall across the picture.
Vec evening_sun(Vec forward) {
    const Vec ahead = normalised({forward.x, 0, forward.z});
    const Vec left{ahead.z, 0, -ahead.x};
    return normalised(left * 0.95F - ahead * 0.12F + Vec{0, 0.32F, 0});
}

}  // namespace

void check(const RenderOptions& options) {
    require(options.width >= 1 && options.width <= 16'384, "width must be 1 .. 16384");
    require(options.height >= 1 && options.height <= 16'384, "height must be 1 .. 16384");
    require(options.samples == 1 || options.samples == 2 || options.samples == 4, "samples must be 1, 2 or 4");
    require(options.cells >= 1 && options.cells <= 1024, "cells must be 1 .. 1024");
    require(options.lattice.voxel_size > 0 && std::isfinite(options.lattice.voxel_size) &&
                is_finite(options.lattice.origin),
            "lattice must be finite, with a voxel size above 0");
    require(options.haze >= 0 && options.haze <= 0.99, "haze must be 0 .. 0.99");
    require(!options.water_level || std::isfinite(*options.water_level), "water_level must be finite");
    require(!options.to_sun || is_finite(*options.to_sun), "to_sun must be finite");
    if (!options.camera) return;
    require(is_finite(options.camera->eye) && is_finite(options.camera->target), "camera must be finite");
    require(options.camera->eye != options.camera->target, "camera must look at a target away from the eye");
    require(options.camera->field_of_view >= 1 && options.camera->field_of_view <= 150,
            "camera.field_of_view must be 1 .. 150");
}

Scene::Scene(Pool& pool, std::span<const terrain::Mesh> meshes, const RenderOptions& options)
    : geometry((check(options), place_meshes(pool, meshes, options.cells, options.lattice))),
      view(view_of(geometry, options.camera ? *options.camera : choose_camera(pool, geometry, options), options)),
      to_sun(options.to_sun ? direction_of(*options.to_sun) : evening_sun(view.forward())) {}

Camera choose_camera(Pool& pool, std::span<const terrain::Mesh> meshes, const RenderOptions& options) {
    check(options);
    return choose_camera(pool, place_meshes(pool, meshes, options.cells, options.lattice), options);
}

Vec tone_mapped(Vec light) noexcept {
    const auto film = [](float x) {
        const float bent = std::max(x, 0.0F) * (1 + std::max(x, 0.0F) * 0.8F);
        return bent / (1 + bent);
    };
    const Vec shown{film(light.x), film(light.y), film(light.z)};
    // The curve takes colour from what is bright; a part of it is given back.
    const float grey = dot(shown, {0.2126F, 0.7152F, 0.0722F});
    return greatest(mix({grey, grey, grey}, shown, 1.1F), {0, 0, 0});
}

}  // namespace quarry::app::preview
