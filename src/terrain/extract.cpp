#include "quarry/terrain/extract.hpp"

#include <cmath>
#include <optional>
#include <span>
#include <stdexcept>
#include <string>
#include <utility>

#include "quarry/terrain/field.hpp"
#include "quarry/terrain/materials.hpp"
#include "quarry/terrain/surface_samples.hpp"
#include "terrain/memory/copy_into.hpp"
#include "terrain/transvoxel/memory.hpp"
#include "terrain/transvoxel/shrink.hpp"
#include "terrain/transvoxel/surface.hpp"

namespace quarry::terrain {
namespace {

void check_options(ChunkKey key, const ExtractOptions& options) {
    if (options.cells < kFewestCells || options.cells > kMostCells || options.cells % 2 != 0) {
        throw std::invalid_argument("cells must be an even number from " + std::to_string(kFewestCells) + " to " +
                                    std::to_string(kMostCells) + ", not " + std::to_string(options.cells));
    }
    if (key.lod < 0 || key.lod > kCoarsestLod) {
        throw std::invalid_argument("lod must be 0 to " + std::to_string(kCoarsestLod) + ", not " +
                                    std::to_string(key.lod));
    }
}

std::int32_t first_sample(const char* axis, std::int32_t place, std::int64_t width) {
    const std::int64_t first = place * width;
    if (first < -kLatticeLimit || first + width > kLatticeLimit) {
        throw std::invalid_argument(std::string("chunk coordinate ") + axis + " must keep the chunk within " +
                                    std::to_string(kLatticeLimit) + " lattice units of 0, not " +
                                    std::to_string(place));
    }
    return static_cast<std::int32_t>(first);
}

// A gradient that has no direction gives a normal that points up.
Vector3 normal_of_odd_gradient(const Gradient& gradient) noexcept {
    const double x = gradient.x, y = gradient.y, z = gradient.z;
    const double length = std::sqrt(x * x + y * y + z * z);
    if (!(length > 0) || !std::isfinite(length)) return {0, 1, 0};
    return {static_cast<float>(x / length), static_cast<float>(y / length), static_cast<float>(z / length)};
}

inline Vector3 normal_from(const Gradient& gradient) noexcept {
    // Squares between these have kept all their digits in a float.
    constexpr float kSmallest = 1e-20f;
    constexpr float kLargest = 1e30f;
    const float square = gradient.x * gradient.x + gradient.y * gradient.y + gradient.z * gradient.z;
    if (!(square > kSmallest && square < kLargest)) return normal_of_odd_gradient(gradient);
    const float scale = 1 / std::sqrt(square);
    return {gradient.x * scale, gradient.y * scale, gradient.z * scale};
}

class Extraction {
  public:
    Extraction(const Field& field, ChunkKey key, const ExtractOptions& options, impl::ExtractMemory& memory)
        : field_(field),
          block_(samples_of(key, options)),
          grid_(static_cast<std::size_t>(options.cells)),
          materials_(options.materials),
          memory_(memory) {
        mesh_.key = key;
        mesh_.cells = options.cells;
    }

    ChunkMesh run() {
        if (!field_.bounds(box_of(block_)).may_have_surface()) return std::move(mesh_);
        memory_.samples.resize(grid_.volume + transvoxel::kSamplePadding);
        // Layers without surface get signs only. A layer is an even number of cells high from the chunk's lower side
        // up, so the edges of half-resolution cells too have both ends in layers that are sampled.
        if (sample_near_surface(field_, block_, memory_.samples.data()) == 0) return std::move(mesh_);
        mesh_.content = ChunkContent::empty;
        if (!transvoxel::find_signs(grid_, memory_)) return std::move(mesh_);
        mesh_.content = ChunkContent::surface;
        mesh_cells();
        find_border();
        fill_normals();
        if (materials_ != nullptr) fill_materials();
        impl::copy_into(mesh_.positions, std::span(memory_.positions.data(), memory_.positions.size()));
        mesh_.indices = IndexList({memory_.indices.data(), memory_.indices.size()}, memory_.positions.size());
        impl::copy_into(mesh_.border, std::span(memory_.border));
        impl::copy_into(mesh_.moved_positions, std::span(memory_.moved_positions));
        mesh_.bounds = bounds_of({memory_.positions.data(), mesh_.full_vertices});
        return std::move(mesh_);
    }

  private:
    void mesh_cells() {
        memory_.positions.clear();
        memory_.indices.clear();
        transvoxel::mesh_regular_cells(grid_, memory_);
        mesh_.full_vertices = static_cast<std::uint32_t>(memory_.positions.size());
        mesh_.regular = range_from(0);
        transvoxel::add_half_vertices(grid_, memory_);
        for (std::size_t side = 0; side < side::count; ++side) {
            const std::size_t first = memory_.indices.size();
            transvoxel::mesh_transition_cells(grid_, side, memory_);
            mesh_.transitions[side] = range_from(first);
        }
    }

    IndexRange range_from(std::size_t first) const {
        return {static_cast<std::uint32_t>(first), static_cast<std::uint32_t>(memory_.indices.size() - first)};
    }

    void find_border() {
        memory_.border.clear();
        memory_.moved_positions.clear();
        const auto cells = static_cast<float>(grid_.cells);
        for (std::uint32_t vertex = 0; vertex < mesh_.full_vertices; ++vertex) {
            const Vector3 at = memory_.positions[vertex];
            const std::uint32_t near = transvoxel::near_sides(at, cells);
            if (near == 0) continue;
            memory_.border.push_back({vertex, near, static_cast<std::uint32_t>(memory_.moved_positions.size())});
            // Counts through the parts of near from the lowest bits up, which is the order of rank_of_choice.
            for (std::uint32_t active = near & (~near + 1); active != 0; active = (active - near) & near) {
                memory_.moved_positions.push_back(transvoxel::moved(at, active, near, cells));
            }
        }
    }

    Position in_world(Vector3 at) const noexcept {
        const auto coordinate = [&](std::int32_t first, float local, double origin) {
            return (first + static_cast<double>(local) * block_.step) * block_.lattice.voxel_size + origin;
        };
        const Position& origin = block_.lattice.origin;
        return {coordinate(block_.first.x, at.x, origin.x), coordinate(block_.first.y, at.y, origin.y),
                coordinate(block_.first.z, at.z, origin.z)};
    }

    // At their final places, which the chunk beyond a seam computes with the same bits; half-resolution vertices as the
    // coarser chunk sees them.
    void fill_normals() {
        const std::size_t own = mesh_.full_vertices + memory_.moved_positions.size();
        const std::size_t half = memory_.positions.size() - mesh_.full_vertices;
        memory_.points.resize(own + half);
        memory_.gradients.resize(own + half);
        std::size_t next = 0;
        for (std::size_t i = 0; i < mesh_.full_vertices; ++i) memory_.points[next++] = in_world(memory_.positions[i]);
        for (const Vector3& at : memory_.moved_positions) memory_.points[next++] = in_world(at);
        for (std::size_t i = mesh_.full_vertices; i < memory_.positions.size(); ++i) {
            memory_.points[next++] = in_world(memory_.positions[i]);
        }
        const std::span<const Position> points(memory_.points);
        const std::span<Gradient> gradients(memory_.gradients);
        const double spacing = block_.step * block_.lattice.voxel_size;
        field_.gradients(points.first(own), spacing, gradients.first(own));
        if (half > 0) field_.gradients(points.last(half), 2 * spacing, gradients.last(half));
        const std::size_t moved = memory_.moved_positions.size();
        copy_normals(gradients.first(mesh_.full_vertices), gradients.last(half), mesh_.normals);
        copy_normals(gradients.subspan(mesh_.full_vertices, moved), {}, mesh_.moved_normals);
    }

    // Where the vertices are before any of them moves, with the normals found above: of a half-resolution vertex that
    // is the place and the normal which the coarser chunk has for it.
    void fill_materials() {
        const std::size_t full = mesh_.full_vertices;
        const std::size_t half = memory_.positions.size() - full;
        mesh_.materials.resize(full + half);
        const std::span<const Position> points(memory_.points);
        const std::span<const Vector3> normals(mesh_.normals);
        const std::span<MaterialWeights> weights(mesh_.materials);
        materials_->weights(points.first(full), normals.first(full), weights.first(full));
        if (half > 0) materials_->weights(points.last(half), normals.last(half), weights.last(half));
    }

    static void copy_normals(std::span<const Gradient> first, std::span<const Gradient> second,
                             MeshVector<Vector3>& normals) {
        normals.resize(first.size() + second.size());
        for (std::size_t i = 0; i < first.size(); ++i) normals[i] = normal_from(first[i]);
        for (std::size_t i = 0; i < second.size(); ++i) normals[first.size() + i] = normal_from(second[i]);
    }

    const Field& field_;
    const SampleBlock block_;
    const transvoxel::ChunkGrid grid_;
    const Materials* const materials_;
    impl::ExtractMemory& memory_;
    ChunkMesh mesh_;
};

}  // namespace

ExtractScratch::ExtractScratch() : memory_(std::make_unique<impl::ExtractMemory>()) {}
ExtractScratch::ExtractScratch(ExtractScratch&&) noexcept = default;
ExtractScratch& ExtractScratch::operator=(ExtractScratch&&) noexcept = default;
ExtractScratch::~ExtractScratch() = default;

SampleBlock samples_of(ChunkKey key, const ExtractOptions& options) {
    check_options(key, options);
    const std::int64_t width = std::int64_t{options.cells} << key.lod;
    SampleBlock block;
    block.first = {first_sample("x", key.x, width), first_sample("y", key.y, width), first_sample("z", key.z, width)};
    block.step = std::int32_t{1} << key.lod;
    block.nx = block.ny = block.nz = options.cells + 1;
    block.lattice = options.lattice;
    check(block);
    return block;
}

ChunkMesh extract(const Field& field, ChunkKey key, const ExtractOptions& options, ExtractScratch& scratch) {
    return Extraction(field, key, options, scratch.memory()).run();
}

ChunkMesh extract(const Field& field, ChunkKey key, const ExtractOptions& options) {
    // Taken out while it is in use: a field that runs jobs may get back here on this thread.
    thread_local std::optional<ExtractScratch> kept;
    std::optional<ExtractScratch> scratch = std::exchange(kept, std::nullopt);
    if (!scratch) scratch.emplace();
    ChunkMesh mesh = extract(field, key, options, *scratch);
    kept = std::move(scratch);
    return mesh;
}

}  // namespace quarry::terrain
