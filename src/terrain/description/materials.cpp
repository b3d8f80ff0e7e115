#include "quarry/terrain/materials.hpp"

#include "quarry/terrain/covers.hpp"
#include "terrain/description/build.hpp"

namespace quarry::terrain::impl {
namespace {

using CoverPointer = std::shared_ptr<const Cover>;

int material(const Node& node) {
    return static_cast<int>(node.integer(0, kMaterials - 1));
}

CoverRange read_range(Object& object, double limit, double most_blend) {
    CoverRange range;
    range.from = object.number("from", -limit, limit, range.from);
    range.to = object.number("to", -limit, limit, range.to);
    range.blend = object.number("blend", 0, most_blend, range.blend);
    return range;
}

CoverPointer build_height(const Node& node) {
    Object object(node, "a cover by height");
    const CoverRange range = read_range(object, kFarthestPlace, 1e6);
    std::optional<NoiseOptions> ragged;
    if (const auto inner = object.optional("ragged")) {
        Object noise(*inner, "a ragged border");
        ragged = read_noise(noise, NoiseKeys::all);
        noise.done();
    }
    object.done();
    return node.build([&] { return std::make_shared<const HeightCover>(range, ragged); });
}

CoverPointer build_slope(const Node& node) {
    Object object(node, "a cover by slope");
    const CoverRange range = read_range(object, 180, 180);
    object.done();
    return node.build([&] { return std::make_shared<const SlopeCover>(range); });
}

CoverPointer build_noise(const Node& node) {
    Object object(node, "a cover by noise");
    const CoverRange range = read_range(object, 1, 2);
    const NoiseOptions noise = read_noise(object, NoiseKeys::shape_only);
    object.done();
    return node.build([&] { return std::make_shared<const NoiseCover>(noise, range); });
}

MaterialLayer read_layer(const Node& node) {
    Object object(node, "a layer");
    MaterialLayer layer;
    layer.material = material(object.required("material"));
    layer.strength = object.number("strength", 0, 1, 1);
    if (const auto height = object.optional("height")) layer.where.push_back(build_height(*height));
    if (const auto slope = object.optional("slope")) layer.where.push_back(build_slope(*slope));
    if (const auto noise = object.optional("noise")) layer.where.push_back(build_noise(*noise));
    object.done();
    return layer;
}

Stroke read_stroke(const Node& node) {
    Object object(node, "a stroke");
    Stroke stroke;
    stroke.centre = object.required("centre").position(-kFarthestPlace, kFarthestPlace);
    stroke.radius = object.number("radius", 1e-6, kFarthestPlace);
    stroke.soft = object.number("soft", 0, stroke.radius, 0);
    stroke.material = material(object.required("material"));
    stroke.strength = object.number("strength", 0, 1, 1);
    object.done();
    return stroke;
}

}  // namespace

std::shared_ptr<const Materials> build_materials(const Node& node) {
    Object object(node, "the materials");
    int ground = 0;
    std::vector<MaterialLayer> layers;
    std::vector<Stroke> strokes;
    if (const auto given = object.optional("ground")) ground = material(*given);
    if (const auto given = object.optional("layers")) {
        for (const Node& each : given->list(kMostLayers)) layers.push_back(read_layer(each));
    }
    if (const auto given = object.optional("strokes")) {
        for (const Node& each : given->list(kMostStrokes)) strokes.push_back(read_stroke(each));
    }
    object.done();
    return node.build([&]() -> std::shared_ptr<const Materials> {
        auto layered = std::make_shared<const LayeredMaterials>(ground, std::move(layers));
        if (strokes.empty()) return layered;
        return std::make_shared<const PaintedMaterials>(std::move(layered), std::move(strokes));
    });
}

}  // namespace quarry::terrain::impl
