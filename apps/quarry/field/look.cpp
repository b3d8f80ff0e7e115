#include "field/look.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>

#include <quarry/terrain/field.hpp>
#include <quarry/terrain/materials.hpp>

#include "preview/render.hpp"
#include "preview/vector.hpp"

namespace quarry::app {
namespace {

// Gradients leave out what meshes of LOD 0 do not show.
constexpr double kSpacing = 1;

terrain::Vector3 direction_of(const terrain::Gradient& gradient) {
    const double length = std::hypot(gradient.x, gradient.y, gradient.z);
    if (!(length > 0) || !std::isfinite(length)) return {0, 1, 0};
    return {static_cast<float>(gradient.x / length), static_cast<float>(gradient.y / length),
            static_cast<float>(gradient.z / length)};
}

// A row of a picture: places, and what the field is there.
struct SliceRow {
    std::vector<terrain::Position> places;
    std::vector<float> densities;
    std::vector<terrain::MaterialMix> materials;  // empty: the field has none
};

terrain::Position place_on(const SliceOptions& options, double right, double up) {
    terrain::Position at = options.centre;
    switch (options.plane) {
        case SlicePlane::xy:
            at.x += right;
            at.y += up;
            break;
        case SlicePlane::xz:
            at.x += right;
            at.z += up;
            break;
        case SlicePlane::zy:
            at.z += right;
            at.y += up;
            break;
    }
    return at;
}

// With one place more to the left, which lines need.
SliceRow row_of(const terrain::Described& described, const SliceOptions& options, int row) {
    const double step = options.size / options.pixels;
    SliceRow out;
    for (int column = -1; column < options.pixels; ++column) {
        out.places.push_back(
            place_on(options, (column + 0.5) * step - options.size / 2, options.size / 2 - (row + 0.5) * step));
    }
    out.densities.resize(out.places.size());
    described.field->densities(out.places, out.densities);
    if (described.materials == nullptr) return out;
    std::vector<terrain::Gradient> gradients(out.places.size());
    described.field->gradients(out.places, std::max(step, kSpacing), gradients);
    std::vector<terrain::Vector3> normals;
    for (const terrain::Gradient& gradient : gradients) normals.push_back(direction_of(gradient));
    out.materials.resize(out.places.size());
    described.materials->mixes(out.places, normals, out.materials);
    return out;
}

preview::Vec colour_of(const SliceRow& row, std::size_t index, double size, const preview::Palette& palette) {
    const float density = row.densities[index];
    if (!std::isfinite(density)) return {1, 0, 1};
    const auto depth = static_cast<float>(std::abs(density) / size);
    if (density >= 0) {
        const float far = 1 - std::exp(-6 * depth);
        return {0.75F - 0.55F * far, 0.85F - 0.45F * far, 0.95F - 0.2F * far};
    }
    preview::Vec colour = palette.at(1).colour;
    if (!row.materials.empty()) {
        colour = {0, 0, 0};
        for (std::size_t i = 0; i < terrain::kMaterials; ++i) {
            const terrain::MaterialMix& mix = row.materials[index];
            const float share = static_cast<float>(mix.weights.of[i]) / 255;
            colour = colour + palette.at(mix.indices.of[i]).colour * share;
        }
    }
    // As in sunlight near the surface.
    return colour * (0.6F + 1.6F * std::exp(-5 * depth));
}

// Whether two neighbours lie on different sides of a line.
bool parts(float one, float other, double step) {
    return std::isfinite(one) && std::isfinite(other) && std::floor(one / step) != std::floor(other / step);
}

}  // namespace

FieldPoint look_at_point(const terrain::Described& described, const terrain::Position& at) {
    FieldPoint point{
        .at = at, .density = described.field->density_at(at), .gradient = described.field->gradient_at(at, kSpacing)};
    if (described.materials == nullptr) return point;
    const terrain::Vector3 normal = direction_of(point.gradient);
    terrain::MaterialMix mix;
    described.materials->mixes({&at, 1}, {&normal, 1}, {&mix, 1});
    point.materials = mix;
    return point;
}

FieldBox look_at_box(const terrain::Described& described, const terrain::Box& box) {
    FieldBox found{.box = box, .bounds = described.field->bounds(box)};
    std::vector<terrain::Position> places;
    const auto along = [](double low, double high, int i) {
        return i + 1 == kBoxPoints ? high : low + (high - low) * i / (kBoxPoints - 1);
    };
    for (int z = 0; z < kBoxPoints; ++z) {
        for (int y = 0; y < kBoxPoints; ++y) {
            for (int x = 0; x < kBoxPoints; ++x) {
                places.push_back({along(box.low.x, box.high.x, x), along(box.low.y, box.high.y, y),
                                  along(box.low.z, box.high.z, z)});
            }
        }
    }
    std::vector<float> densities(places.size());
    described.field->densities(places, densities);
    const auto [least, most] = std::minmax_element(densities.begin(), densities.end());
    found.sampled = {*least, *most};
    return found;
}

double line_step(const SliceOptions& options) {
    return std::pow(10, std::ceil(std::log10(options.size / 64)));
}

preview::Image draw_slice(const terrain::Described& described, const SliceOptions& options) {
    const preview::Palette palette = preview::palette_of(described.looks);
    preview::Image image(options.pixels, options.pixels);
    const double step = line_step(options);
    SliceRow above = row_of(described, options, -1);
    for (int y = 0; y < options.pixels; ++y) {
        SliceRow row = row_of(described, options, y);
        for (int x = 0; x < options.pixels; ++x) {
            const auto here = static_cast<std::size_t>(x) + 1;
            const std::array beside{row.densities[here - 1], above.densities[here]};
            preview::Vec colour = colour_of(row, here, options.size, palette);
            for (const float other : beside) {
                if (parts(row.densities[here], other, step)) colour = colour * 0.8F;
            }
            for (const float other : beside) {
                if ((row.densities[here] < 0) != (other < 0)) colour = {0.005F, 0.005F, 0.005F};
            }
            image.at(x, y) = preview::to_srgb(colour);
        }
        above = std::move(row);
    }
    return image;
}

}  // namespace quarry::app
