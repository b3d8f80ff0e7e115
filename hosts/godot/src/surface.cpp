#include "surface.hpp"

#include <algorithm>
#include <cmath>
#include <cstring>
#include <span>
#include <stdexcept>

namespace quarry::godot {
namespace {

// RenderingServer.ArrayFormat
constexpr std::int64_t kVertex = 1;
constexpr std::int64_t kNormal = 2;
constexpr std::int64_t kColor = 8;
constexpr std::int64_t kIndex = 4096;
constexpr std::int64_t kFormatVersion = std::int64_t{1} << 35;
constexpr std::int64_t kTriangles = 3;  // RenderingServer.PRIMITIVE_TRIANGLES

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

void pack_vertices(const terrain::Mesh& mesh, std::size_t room, std::uint8_t* out) {
    const std::size_t count = mesh.positions.size();
    static_assert(sizeof(terrain::Vector3) == 12);
    std::memcpy(out, mesh.positions.data(), count * sizeof(terrain::Vector3));
    std::memset(out + count * sizeof(terrain::Vector3), 0, (room - count) * sizeof(terrain::Vector3));
    out += room * sizeof(terrain::Vector3);
    for (std::size_t i = 0; i < count; ++i) {
        const auto packed = pack_normal(mesh.normals[i]);
        std::memcpy(out + i * sizeof(packed), packed.data(), sizeof(packed));
    }
    std::memset(out + count * 4, 0, (room - count) * 4);
}

// Godot's front faces are clockwise. Behind the last triangle come some without an area.
template <class From, class To>
void turn_triangles(std::span<const From> indices, std::span<To> out) {
    for (std::size_t i = 0; i + 2 < indices.size(); i += 3) {
        out[i] = static_cast<To>(indices[i]);
        out[i + 1] = static_cast<To>(indices[i + 2]);
        out[i + 2] = static_cast<To>(indices[i + 1]);
    }
    std::fill(out.begin() + static_cast<std::ptrdiff_t>(indices.size()), out.end(), To{0});
}

template <class To>
Bytes pack_indices_as(const terrain::IndexList& indices, std::size_t room) {
    Bytes bytes(room * sizeof(To));
    const std::span out(reinterpret_cast<To*>(bytes.data()), room);
    if (indices.is_short()) {
        turn_triangles(indices.short_indices(), out);
    } else {
        turn_triangles(indices.long_indices(), out);
    }
    return bytes;
}

Bytes pack_indices(const terrain::IndexList& indices, const SurfaceRoom& room) {
    return room.has_short_indices() ? pack_indices_as<std::uint16_t>(indices, room.indices())
                                    : pack_indices_as<std::uint32_t>(indices, room.indices());
}

Bytes packed_vertices(const terrain::Mesh& mesh, const SurfaceRoom& room) {
    Bytes bytes(room.vertices() * 16);
    pack_vertices(mesh, room.vertices(), bytes.data());
    return bytes;
}

Bytes packed_weights(const terrain::Mesh& mesh, const SurfaceRoom& room) {
    constexpr std::size_t kEach = sizeof(terrain::MaterialWeights);
    Bytes bytes(room.vertices() * kEach);
    const std::size_t used = mesh.materials.size() * kEach;
    std::memcpy(bytes.data(), mesh.materials.data(), used);
    std::memset(bytes.data() + used, 0, room.vertices() * kEach - used);
    return bytes;
}

}  // namespace

SurfaceRoom SurfaceRoom::of(std::size_t vertices, std::size_t indices, bool has_weights) {
    const std::size_t wanted = std::max(vertices, (indices + 5) / 6);
    SurfaceRoom room{0, has_weights};
    while (room.vertices() < wanted) {
        if (++room.size == kSizes) throw std::length_error("a mesh is too large for the RenderingServer");
    }
    return room;
}

std::size_t SurfaceRoom::bytes() const noexcept {
    return vertices() * (16 + (has_weights ? sizeof(terrain::MaterialWeights) : 0)) +
           indices() * (has_short_indices() ? sizeof(std::uint16_t) : sizeof(std::uint32_t));
}

std::shared_ptr<Surface> pack_surface(const terrain::Mesh& mesh, const ChunkFrame& frame) {
    const std::size_t count = mesh.positions.size();
    const SurfaceRoom room = SurfaceRoom::of(count, mesh.indices.size(), !mesh.materials.empty());
    const terrain::Vector3& low = mesh.bounds.low;
    const terrain::Vector3& high = mesh.bounds.high;
    const Aabb box{{low.x, low.y, low.z}, {high.x - low.x, high.y - low.y, high.z - low.z}};
    std::shared_ptr<Surface> surface(
        new Surface{frame, room, box, packed_vertices(mesh, room), pack_indices(mesh.indices, room), {}, {}, count});
    Dictionary& data = surface->data;
    data.set("primitive", kTriangles);
    data.set("format", kVertex | kNormal | kIndex | kFormatVersion | (room.has_weights ? kColor : 0));
    data.set("vertex_data", surface->vertex_data);
    data.set("vertex_count", static_cast<std::int64_t>(room.vertices()));
    data.set("index_data", surface->index_data);
    data.set("index_count", static_cast<std::int64_t>(room.indices()));
    data.set("aabb", surface->box);
    if (room.has_weights) {
        surface->weights.emplace(packed_weights(mesh, room));
        data.set("attribute_data", *surface->weights);
    }
    return surface;
}

}  // namespace quarry::godot
