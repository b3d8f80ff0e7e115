#include "surface.hpp"

#include <cmath>
#include <cstring>
#include <span>

namespace quarry::godot {
namespace {

// RenderingServer.ArrayFormat
constexpr std::int64_t kVertex = 1;
constexpr std::int64_t kNormal = 2;
constexpr std::int64_t kColor = 8;
constexpr std::int64_t kIndex = 4096;
constexpr std::int64_t kFormatVersion = std::int64_t{1} << 35;
constexpr std::int64_t kTriangles = 3;  // RenderingServer.PRIMITIVE_TRIANGLES
constexpr std::size_t kMostShort = 65'536;

std::uint16_t to_unorm16(float value) {
    return static_cast<std::uint16_t>(std::lround((value * 0.5F + 0.5F) * 65535.0F));
}

// Octahedral: the sphere unfolded onto a square.
std::array<std::uint16_t, 2> pack_normal(const terrain::Vector3& normal) {
    const float sum = std::abs(normal.x) + std::abs(normal.y) + std::abs(normal.z);
    if (!(sum > 0)) return {32768, 65535};
    const float x = normal.x / sum;
    const float y = normal.y / sum;
    if (normal.z >= 0) return {to_unorm16(x), to_unorm16(y)};
    return {to_unorm16(std::copysign(1 - std::abs(y), x)), to_unorm16(std::copysign(1 - std::abs(x), y))};
}

void pack_vertices(const terrain::Mesh& mesh, std::uint8_t* out) {
    const std::size_t count = mesh.positions.size();
    static_assert(sizeof(terrain::Vector3) == 12);
    std::memcpy(out, mesh.positions.data(), count * sizeof(terrain::Vector3));
    out += count * sizeof(terrain::Vector3);
    for (std::size_t i = 0; i < count; ++i) {
        const auto packed = pack_normal(mesh.normals[i]);
        std::memcpy(out + i * sizeof(packed), packed.data(), sizeof(packed));
    }
}

// Godot's front faces are clockwise.
template <class From, class To>
void turn_triangles(std::span<const From> indices, To* out) {
    for (std::size_t i = 0; i + 2 < indices.size(); i += 3) {
        out[i] = static_cast<To>(indices[i]);
        out[i + 1] = static_cast<To>(indices[i + 2]);
        out[i + 2] = static_cast<To>(indices[i + 1]);
    }
}

Bytes pack_indices(const terrain::Mesh& mesh) {
    const terrain::IndexList& indices = mesh.indices;
    // Godot decides by the number of vertices how it reads them.
    if (mesh.positions.size() <= kMostShort) {
        Bytes bytes(indices.size() * sizeof(std::uint16_t));
        auto* const out = reinterpret_cast<std::uint16_t*>(bytes.data());
        if (indices.is_short()) {
            turn_triangles(indices.short_indices(), out);
        } else {
            turn_triangles(indices.long_indices(), out);
        }
        return bytes;
    }
    Bytes bytes(indices.size() * sizeof(std::uint32_t));
    turn_triangles(indices.long_indices(), reinterpret_cast<std::uint32_t*>(bytes.data()));
    return bytes;
}

}  // namespace

std::shared_ptr<Surface> pack_surface(const terrain::Mesh& mesh, const ChunkFrame& frame) {
    auto surface = std::make_shared<Surface>();
    surface->frame = frame;
    const std::size_t count = mesh.positions.size();
    surface->vertices = count;
    const bool has_weights = !mesh.materials.empty();

    Bytes vertices(count * 16);
    pack_vertices(mesh, vertices.data());
    const terrain::Vector3& low = mesh.bounds.low;
    const terrain::Vector3& high = mesh.bounds.high;
    const Aabb box{{low.x, low.y, low.z}, {high.x - low.x, high.y - low.y, high.z - low.z}};

    Dictionary& data = surface->data;
    data.set("primitive", kTriangles);
    data.set("format", kVertex | kNormal | kIndex | kFormatVersion | (has_weights ? kColor : 0));
    data.set("vertex_data", vertices);
    data.set("vertex_count", static_cast<std::int64_t>(count));
    data.set("index_data", pack_indices(mesh));
    data.set("index_count", static_cast<std::int64_t>(mesh.indices.size()));
    data.set("aabb", box);
    if (has_weights) {
        Bytes weights(count * sizeof(terrain::MaterialWeights));
        std::memcpy(weights.data(), mesh.materials.data(), count * sizeof(terrain::MaterialWeights));
        data.set("attribute_data", weights);
    }
    return surface;
}

}  // namespace quarry::godot
