#include "quarry/terrain/materials.hpp"

#include <cmath>
#include <string>

#include "quarry/terrain/covers.hpp"
#include "terrain/description/build.hpp"

namespace quarry::terrain::impl {
namespace {

using CoverPointer = std::shared_ptr<const Cover>;

int material(const Node& node) {
    return static_cast<int>(node.integer(0, kMostMaterials - 1));
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

// "#rrggbb", as pictures have it.
MaterialColour read_colour(const Node& node) {
    const std::string text = node.text();
    const bool is_colour =
        text.size() == 7 && text[0] == '#' && text.find_first_not_of("0123456789abcdefABCDEF", 1) == std::string::npos;
    if (!is_colour) node.refuse_wanting("a colour such as \"#b0a080\"");
    const auto part = [&](std::size_t at) {
        const auto value = static_cast<float>(std::stoi(text.substr(at, 2), nullptr, 16)) / 255;
        return value <= 0.04045F ? value / 12.92F : std::pow((value + 0.055F) / 1.055F, 2.4F);
    };
    return {part(1), part(3), part(5)};
}

MaterialLook read_look(const Node& node) {
    Object object(node, "a look");
    MaterialLook look;
    if (const auto name = object.optional("name")) look.name = name->text();
    look.colour = read_colour(object.required("colour"));
    object.done();
    return look;
}

}  // namespace

std::shared_ptr<const Materials> build_materials(const Node& node, std::vector<MaterialLook>& looks) {
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
    if (const auto given = object.optional("looks")) {
        for (const Node& each : given->list(kMostMaterials)) looks.push_back(read_look(each));
    }
    object.done();
    return node.build([&]() -> std::shared_ptr<const Materials> {
        auto layered = std::make_shared<const LayeredMaterials>(ground, std::move(layers));
        if (strokes.empty()) return layered;
        return std::make_shared<const PaintedMaterials>(std::move(layered), std::move(strokes));
    });
}

}  // namespace quarry::terrain::impl
