#include "quarry/terrain/extract.hpp"

#include <memory>
#include <optional>
#include <span>
#include <sstream>
#include <stdexcept>
#include <string>
#include <utility>

#include "quarry/terrain/field.hpp"
#include "quarry/terrain/materials.hpp"
#include "quarry/terrain/surface_samples.hpp"
#include "terrain/chunk_options.hpp"
#include "terrain/extract_triangles.hpp"
#include "terrain/memory/copy_into.hpp"
#include "terrain/nearest_rounding.hpp"
#include "terrain/rounding.hpp"
#include "terrain/transvoxel/chunk_edges.hpp"
#include "terrain/transvoxel/memory.hpp"
#include "terrain/transvoxel/shrink.hpp"
#include "terrain/transvoxel/slopes.hpp"
#include "terrain/transvoxel/surface.hpp"
#include "terrain/vertices.hpp"

namespace quarry::terrain {
namespace {

void check_options(ChunkKey key, const ExtractOptions& options) {
    impl::require_cells(options.cells);
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

void check_reach(const Field& field, const SampleBlock& block) {
    const double farthest = impl::farthest(box_of(block));
    if (farthest <= field.reach()) return;
    std::ostringstream message;
    message << "a chunk reaches " << farthest
            << " units from 0, where the field has more than 2^36 of its finest waves; at most " << field.reach()
            << " units are allowed";
    throw std::invalid_argument(message.str());
}

class Extraction {
  public:
    Extraction(const Field& field, ChunkKey key, const ExtractOptions& options, impl::ExtractMemory& memory)
        : field_(field),
          block_(samples_of(key, options)),
          grid_(static_cast<std::size_t>(options.cells)),
          materials_(options.materials),
          memory_(memory) {
        check_reach(field, block_);
        mesh_.key = key;
        mesh_.cells = options.cells;
    }

    // All that any mask needs, or only what mask 0 does.
    enum class Seams { any, none };
    ChunkMesh run(Seams seams = Seams::any) {
        mesh_.content = look();
        if (mesh_.content != ChunkContent::surface) return std::move(mesh_);
        memory_.border.clear();
        mesh_own_cells();
        if (seams == Seams::any) {
            mesh_transitions();
            find_border();
        }
        fill_normals();
        if (materials_ != nullptr) fill_materials();
        impl::copy_into(mesh_.positions, std::span(memory_.positions.data(), memory_.positions.size()));
        mesh_.indices = IndexList({memory_.indices.data(), memory_.indices.size()}, memory_.positions.size());
        impl::copy_into(mesh_.border, std::span(memory_.border));
        mesh_.bounds = bounds_of({memory_.positions.data(), mesh_.full_vertices});
        return std::move(mesh_);
    }

    // Only what is drawn where no side is active: the chunk's own cells. Physics needs no normals.
    enum class Vertices { complete, places_only };
    BakedChunk run_own_cells(Vertices vertices = Vertices::complete) {
        BakedChunk baked;
        baked.mesh.key = mesh_.key;
        baked.content = look();
        if (baked.content != ChunkContent::surface) return baked;
        mesh_own_cells();
        if (vertices == Vertices::complete) {
            fill_normals();
            if (materials_ != nullptr) fill_materials();
        }
        Mesh& mesh = baked.mesh;
        impl::copy_into(mesh.positions, std::span(memory_.positions.data(), memory_.positions.size()));
        mesh.normals = std::move(mesh_.normals);
        mesh.materials = std::move(mesh_.materials);
        mesh.material_indices = std::move(mesh_.material_indices);
        mesh.indices = IndexList({memory_.indices.data(), memory_.indices.size()}, mesh.positions.size());
        mesh.regular_indices = mesh_.regular.count;
        mesh.bounds = bounds_of(mesh.positions);
        return baked;
    }

  private:
    // Leaves samples and signs in the memory where there is a surface.
    ChunkContent look() {
        if (!field_.bounds(box_of(block_)).may_have_surface()) return ChunkContent::rejected;
        here_ = field_.within(box_with_neighbours());
        memory_.samples.resize(grid_.volume + transvoxel::kSamplePadding);
        // Layers without surface get signs only. A layer is an even number of cells high from the chunk's lower side
        // up, so the edges of half-resolution cells too have both ends in layers that are sampled.
        if (sample_near_surface(field(), block_, memory_.samples.data()) == 0) return ChunkContent::rejected;
        return transvoxel::find_signs(grid_, memory_) ? ChunkContent::surface : ChunkContent::empty;
    }

    // Normals look at samples up to two cells beyond the chunk's sides.
    Box box_with_neighbours() const {
        const SampleBlock& b = block_;
        return {b.at(-2, -2, -2), b.at(b.nx + 1, b.ny + 1, b.nz + 1)};
    }

    void mesh_own_cells() {
        memory_.positions.clear();
        memory_.edges.clear();
        memory_.indices.clear();
        transvoxel::mesh_regular_cells(grid_, memory_);
        transvoxel::settle_own_vertices(grid_, block_, field(), memory_);
        mesh_.full_vertices = static_cast<std::uint32_t>(memory_.positions.size());
        mesh_.regular = range_from(0);
    }

    void mesh_transitions() {
        transvoxel::add_half_vertices(grid_, memory_);
        transvoxel::settle_half_vertices(grid_, block_, memory_);
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
        const auto cells = static_cast<float>(grid_.cells);
        for (std::uint32_t vertex = 0; vertex < mesh_.full_vertices; ++vertex) {
            const std::uint32_t near = transvoxel::near_sides(memory_.positions[vertex], cells);
            if (near != 0) memory_.border.push_back({vertex, near});
        }
    }

    // Half-resolution vertices have those of the coarser chunk.
    void fill_normals() {
        const std::span<const Vector3> vertices(memory_.positions.data(), memory_.positions.size());
        const std::size_t full = mesh_.full_vertices;
        const std::size_t half = vertices.size() - full;
        memory_.gradients.resize(vertices.size() + transvoxel::kSlopePadding);
        fill_gradients(vertices.first(full), 1, memory_.gradients.data());
        if (half > 0) fill_gradients(vertices.last(half), 2, memory_.gradients.data() + full);
        mesh_.normals.resize(vertices.size());
        impl::to_normals(std::span(memory_.gradients).first(vertices.size()), mesh_.normals.data());
    }

    // The way depends on the whole field and the vertices' own level, so that all chunks that share a vertex go the
    // same.
    void fill_gradients(std::span<const Vector3> vertices, std::size_t level_step, Gradient* out) {
        const double spacing = static_cast<double>(level_step) * block_.step * block_.lattice.voxel_size;
        if (!field_.prefers_gradients(spacing)) {
            transvoxel::add_slopes(grid_, block_, field(), level_step, vertices, memory_, out);
            return;
        }
        memory_.points.resize(vertices.size());
        impl::to_world(vertices, block_, memory_.points.data());
        field().gradients(memory_.points, spacing, {out, vertices.size()});
    }

    // Where the vertices are before any of them moves: of a half-resolution vertex that is the place which the coarser
    // chunk has for it.
    void fill_materials() {
        const std::span<const Vector3> vertices(memory_.positions.data(), memory_.positions.size());
        memory_.points.resize(vertices.size());
        impl::to_world(vertices, block_, memory_.points.data());
        mesh_.materials.resize(vertices.size());
        if (materials_->count() <= kMaterials) {
            materials_->weights(memory_.points, mesh_.normals, mesh_.materials);
            return;
        }
        std::vector<MaterialMix> mixes(vertices.size());
        materials_->mixes(memory_.points, mesh_.normals, mixes);
        mesh_.material_indices.resize(vertices.size());
        for (std::size_t i = 0; i < mixes.size(); ++i) {
            mesh_.material_indices[i] = mixes[i].indices;
            mesh_.materials[i] = mixes[i].weights;
        }
    }

    const Field& field() const noexcept { return here_ == nullptr ? field_ : *here_; }

    const Field& field_;
    std::shared_ptr<const Field> here_;  // what of the field matters in this chunk, if that is less
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
    const impl::NearestRounding nearest;
    return Extraction(field, key, options, scratch.memory()).run();
}

BakedChunk extract_baked(const Field& field, ChunkKey key, std::uint32_t mask, const ExtractOptions& options,
                         ExtractScratch& scratch) {
    const impl::NearestRounding nearest;
    Extraction extraction(field, key, options, scratch.memory());
    if (mask == 0) return extraction.run_own_cells();
    const ChunkMesh mesh = extraction.run();
    return {mesh.content, bake(mesh, mask)};
}

namespace {

// Each thread keeps one. Taken out while it is in use: a field that runs jobs may get back here on this thread.
class ScratchOfThread {
  public:
    ScratchOfThread() : scratch_(std::exchange(kept(), std::nullopt)) {
        if (!scratch_) scratch_.emplace();
    }
    ScratchOfThread(const ScratchOfThread&) = delete;
    ScratchOfThread& operator=(const ScratchOfThread&) = delete;
    ~ScratchOfThread() { kept() = std::move(scratch_); }

    ExtractScratch& operator*() { return *scratch_; }
    ExtractScratch* operator->() { return &*scratch_; }

  private:
    static std::optional<ExtractScratch>& kept() {
        thread_local std::optional<ExtractScratch> scratch;
        return scratch;
    }

    std::optional<ExtractScratch> scratch_;
};

}  // namespace

namespace impl {

ChunkMesh extract_without_seams(const Field& field, ChunkKey key, const ExtractOptions& options) {
    const NearestRounding nearest;
    ScratchOfThread scratch;
    return Extraction(field, key, options, scratch->memory()).run(Extraction::Seams::none);
}

BakedChunk extract_triangles(const Field& field, ChunkKey key, const ExtractOptions& options, ExtractScratch& scratch) {
    const NearestRounding nearest;
    return Extraction(field, key, options, scratch.memory()).run_own_cells(Extraction::Vertices::places_only);
}

}  // namespace impl

ChunkMesh extract(const Field& field, ChunkKey key, const ExtractOptions& options) {
    ScratchOfThread scratch;
    return extract(field, key, options, *scratch);
}

}  // namespace quarry::terrain
