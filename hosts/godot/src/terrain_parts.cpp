// Pieces of ground that become bodies of their own.
#include <algorithm>
#include <array>
#include <cmath>
#include <exception>
#include <optional>
#include <span>
#include <utility>
#include <vector>

#include "quarry/terrain/extract.hpp"
#include "quarry/terrain/loose_parts.hpp"
#include "registration.hpp"
#include "terrain_node.hpp"
#include "transform_math.hpp"

namespace quarry::godot {
namespace {

// Mesh.ArrayType and Mesh.PrimitiveType
constexpr std::size_t kVertexArray = 0;
constexpr std::size_t kNormalArray = 1;
constexpr std::size_t kColorArray = 3;
constexpr std::size_t kIndexArray = 12;
constexpr std::size_t kArrays = 13;
constexpr std::int64_t kTriangles = 3;

Variant new_resource(const char* class_name) {
    return Variant(api.singleton(Name("ClassDB").ptr())).call("instantiate", class_name);
}

Vec3 cross(const Vec3& a, const Vec3& b) noexcept {
    return {a.y * b.z - a.z * b.y, a.z * b.x - a.x * b.z, a.x * b.y - a.y * b.x};
}

float dot(const Vec3& a, const Vec3& b) noexcept {
    return a.x * b.x + a.y * b.y + a.z * b.z;
}

Vec3 difference(const Vec3& a, const Vec3& b) noexcept {
    return {a.x - b.x, a.y - b.y, a.z - b.z};
}

// Normals stay at right angles to their surface, however the node is turned and scaled.
class NormalMap {
  public:
    explicit NormalMap(const Transform& transform)
        : rows_{cross(transform.rows[1], transform.rows[2]), cross(transform.rows[2], transform.rows[0]),
                cross(transform.rows[0], transform.rows[1])},
          is_mirrored_(dot(transform.rows[0], rows_[0]) < 0) {}

    bool is_mirrored() const noexcept { return is_mirrored_; }
    Vec3 operator()(const terrain::Vector3& normal) const noexcept {
        const float sign = is_mirrored_ ? -1.0F : 1.0F;
        const Vec3 local{normal.x * sign, normal.y * sign, normal.z * sign};
        const Vec3 turned{dot(rows_[0], local), dot(rows_[1], local), dot(rows_[2], local)};
        const float length = std::sqrt(std::max(dot(turned, turned), 1e-30F));
        return {turned.x / length, turned.y / length, turned.z / length};
    }

  private:
    std::array<Vec3, 3> rows_;
    bool is_mirrored_;
};

// A piece in Godot's space, around its own middle.
struct Piece {
    std::vector<Vec3> places;
    std::vector<Vec3> normals;
    std::vector<Color> weights;  // none, or one for each place
    std::vector<std::uint32_t> indices;
};

void append(Piece& piece, const terrain::Mesh& mesh, const terrain::ExtractOptions& options, const Transform& transform,
            const Vec3& middle) {
    const NormalMap normal_of(transform);
    const double voxel = options.lattice.voxel_size;
    const auto first = static_cast<std::uint32_t>(piece.places.size());
    const auto along = [&](float at, std::int32_t chunk) {
        return (static_cast<double>(at) + static_cast<double>(chunk) * options.cells) * voxel;
    };
    for (std::size_t i = 0; i < mesh.positions.size(); ++i) {
        const terrain::Vector3& at = mesh.positions[i];
        const terrain::Position local{along(at.x, mesh.key.x), along(at.y, mesh.key.y), along(at.z, mesh.key.z)};
        piece.places.push_back(difference(to_global(transform, local), middle));
        piece.normals.push_back(normal_of(mesh.normals[i]));
    }
    for (const terrain::MaterialWeights& weights : mesh.materials) {
        const auto share = [&](std::size_t of) { return static_cast<float>(weights.of[of]) / 255; };
        piece.weights.push_back({share(0), share(1), share(2), share(3)});
    }
    // Godot's front faces are clockwise.
    const std::size_t second = normal_of.is_mirrored() ? 1 : 2;
    for (std::size_t i = 0; i + 2 < mesh.indices.size(); i += 3) {
        piece.indices.push_back(first + mesh.indices[i]);
        piece.indices.push_back(first + mesh.indices[i + second]);
        piece.indices.push_back(first + mesh.indices[i + 3 - second]);
    }
}

Variant vectors_of(const std::vector<Vec3>& list) {
    Vectors vectors(list.size());
    std::copy(list.begin(), list.end(), vectors.data());
    return Variant(vectors);
}

template <class Value>
Bytes bytes_of(const std::vector<Value>& list) {
    return Bytes(std::as_bytes(std::span(list)));
}

// An ArrayMesh.
Variant mesh_of(const Piece& piece, const Variant& material) {
    Variant arrays = Variant::empty_array();
    for (std::size_t i = 0; i < kArrays; ++i) {
        Variant content;
        if (i == kVertexArray) content = vectors_of(piece.places);
        if (i == kNormalArray) content = vectors_of(piece.normals);
        if (i == kColorArray && !piece.weights.empty()) {
            content = Variant(bytes_of(piece.weights)).call("to_color_array");
        }
        if (i == kIndexArray) content = Variant(bytes_of(piece.indices)).call("to_int32_array");
        arrays.call("append", content);
    }
    Variant mesh = new_resource("ArrayMesh");
    mesh.call("add_surface_from_arrays", kTriangles, arrays);
    mesh.call("surface_set_material", std::int64_t{0}, material);
    return mesh;
}

}  // namespace

// The built-in material with a pattern that moves with the piece, or the host's own.
Variant TerrainNode::material_of_part(const Vec3& middle) {
    if (material_.to_object() != nullptr) return material_;
    if (loose_shader_.is_nil()) {
        loose_shader_ = new_resource("Shader");
        loose_shader_.call("set_code", Shading::code_of_loose_ground());
    }
    Variant material = new_resource("ShaderMaterial");
    material.call("set_shader", loose_shader_);
    material.call("set_shader_parameter", "origin", middle);
    material.call("set_shader_parameter", "texture_size", settings_.texture_size);
    std::int64_t textured = 0;
    for (std::size_t i = 0; i < textures_.size(); ++i) {
        if (textures_[i].to_object() == nullptr) continue;
        material.call("set_shader_parameter", "layer_" + std::to_string(i), textures_[i]);
        textured |= std::int64_t{1} << i;
    }
    material.call("set_shader_parameter", "textured", textured);
    return material;
}

Variant TerrainNode::take_part(const Vec3& position) {
    Dictionary taken;
    if (!can_edit()) return Variant(taken);
    try {
        const std::optional<terrain::LoosePart> part = edits_.loose_part_at(to_local(position));
        if (!part) return Variant(taken);
        const DescribedWorld now = edits_.now();
        const terrain::StreamerOptions streaming = streamer_options(settings_, now);
        const terrain::ExtractOptions options{
            .cells = streaming.cells, .lattice = streaming.lattice, .materials = now.materials.get()};
        const Aabb box = to_global(transform_, part->box);
        const Vec3 middle{box.position.x + box.size.x / 2, box.position.y + box.size.y / 2,
                          box.position.z + box.size.z / 2};
        Piece piece;
        for (const terrain::Mesh& mesh : terrain::mesh_loose_part(*part, options)) {
            append(piece, mesh, options, transform_, middle);
        }
        if (piece.indices.empty()) return Variant(taken);
        if (!remove_loose(part->inside)) return Variant(taken);
        const Variant mesh = mesh_of(piece, material_of_part(middle));
        const double side = settings_.voxel_size * scale_of(transform_);
        taken.set("position", middle);
        taken.set_variant("mesh", mesh);
        taken.set_variant("shape", mesh.call("create_convex_shape", true, false));
        taken.set("volume", static_cast<double>(part->samples) * side * side * side);
    } catch (const std::exception& error) {
        fail(std::string("take_part: ") + error.what());
    }
    return Variant(taken);
}

}  // namespace quarry::godot
