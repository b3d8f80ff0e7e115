#include "brush.hpp"

#include <algorithm>
#include <array>
#include <string>
#include <utility>

#include "quarry/jobs/error.hpp"
#include "transform_math.hpp"

namespace quarry::godot {
namespace {

constexpr std::array<std::pair<const char*, terrain::EditKind>, 6> kKinds{{{"dig", terrain::EditKind::dig},
                                                                           {"add", terrain::EditKind::add},
                                                                           {"smooth", terrain::EditKind::smooth},
                                                                           {"flatten", terrain::EditKind::flatten},
                                                                           {"raise", terrain::EditKind::raise},
                                                                           {"paint", terrain::EditKind::paint}}};
constexpr std::array<std::pair<const char*, terrain::BrushShape>, 3> kShapes{
    {{"sphere", terrain::BrushShape::sphere},
     {"box", terrain::BrushShape::box},
     {"capsule", terrain::BrushShape::capsule}}};
constexpr std::array kKeys{"kind",   "shape",    "position", "end",    "size",    "radius",
                           "normal", "strength", "falloff",  "amount", "material"};

template <class Choices>
auto chosen(const Choices& choices, const std::string& key, const std::string& name) {
    std::string all;
    for (const auto& [each, value] : choices) {
        if (name == each) return value;
        all += (all.empty() ? "" : ", ") + std::string(each);
    }
    throw Error("edit: " + key + " must be one of " + all + ", not \"" + name + "\"");
}

// Reads the values of a Dictionary.
class Reader {
  public:
    explicit Reader(const Variant& dictionary) : dictionary_(dictionary) {
        const Variant keys = dictionary.call("keys");
        for (std::int64_t left = keys.call("size").to_int(); left > 0; --left) {
            const std::string key = keys.call("pop_back").to_text();
            if (std::find(kKeys.begin(), kKeys.end(), key) == kKeys.end()) {
                throw Error("edit: there is no \"" + key + "\" in a brush");
            }
        }
    }

    bool has(const char* key) const { return dictionary_.call("has", key).to_bool(); }
    std::string text(const char* key, const char* otherwise) const {
        return has(key) ? value(key, GDEXTENSION_VARIANT_TYPE_STRING).to_text() : otherwise;
    }
    double number(const char* key, double otherwise) const {
        return has(key) ? value(key, GDEXTENSION_VARIANT_TYPE_FLOAT).to_double() : otherwise;
    }
    Vec3 vector(const char* key) const {
        Vec3 vector;
        value(key, GDEXTENSION_VARIANT_TYPE_VECTOR3).assign_to(GDEXTENSION_VARIANT_TYPE_VECTOR3, &vector);
        return vector;
    }

  private:
    Variant value(const char* key, GDExtensionVariantType type) const {
        Variant value = dictionary_.call("get", key);
        if (value.is_nil()) throw Error(std::string("edit: the brush needs \"") + key + "\"");
        if (api.variant_can_convert_strict(value.type(), type) == 0) {
            throw Error(std::string("edit: \"") + key + "\" is of a wrong type");
        }
        return value;
    }

    const Variant& dictionary_;
};

terrain::Vector3 to_vector3(const terrain::Position& p) {
    return {static_cast<float>(p.x), static_cast<float>(p.y), static_cast<float>(p.z)};
}

}  // namespace

terrain::Edit edit_from(const Variant& dictionary, const Transform& transform) {
    const Reader reader(dictionary);
    const double scale = scale_of(transform);
    const auto length = [&](const char* key, double otherwise) {
        return static_cast<float>(reader.number(key, otherwise * scale) / scale);
    };
    terrain::Edit edit;
    edit.kind = chosen(kKinds, "kind", reader.text("kind", ""));
    edit.shape = chosen(kShapes, "shape", reader.text("shape", "sphere"));
    const Vec3 position = reader.vector("position");
    edit.at = to_local(transform, position);
    edit.radius = length("radius", 1);
    edit.falloff = length("falloff", 0);
    edit.amount = length("amount", 0);
    edit.strength = static_cast<float>(reader.number("strength", 1));
    const double material = reader.number("material", 0);
    edit.material = material >= 0 && material < 255 ? static_cast<std::uint8_t>(material) : 255;
    if (edit.shape == terrain::BrushShape::box) {
        const Vec3 size = reader.vector("size");
        const auto half = [&](float whole) { return static_cast<float>(whole / scale / 2); };
        edit.extent = {half(size.x), half(size.y), half(size.z)};
    } else if (edit.shape == terrain::BrushShape::capsule) {
        const Vec3 end = reader.vector("end");
        edit.extent =
            to_vector3(vector_to_local(transform, {end.x - position.x, end.y - position.y, end.z - position.z}));
    }
    const Vec3 normal = reader.has("normal") ? reader.vector("normal") : Vec3{0, 1, 0};
    edit.normal = to_vector3(vector_to_local(transform, normal));
    return edit;
}

}  // namespace quarry::godot
