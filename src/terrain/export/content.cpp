#include "terrain/export/content.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <stdexcept>
#include <string>

#include "quarry/jobs/error.hpp"
#include "quarry/terrain/extract.hpp"
#include "terrain/options.hpp"

namespace quarry::terrain::impl {
namespace {

constexpr std::uint32_t kNone = std::numeric_limits<std::uint32_t>::max();

// Wide, but such that no place of a world is infinite in a float.
constexpr double kSmallestVoxel = 1e-20;
constexpr double kLargestVoxel = 1e20;
constexpr double kFurthestOrigin = 1e30;

void require_within_lattice(const Mesh& mesh, std::size_t number, std::int32_t cells) {
    const std::int64_t width = static_cast<std::int64_t>(cells) << mesh.key.lod;
    for (const std::int32_t place : {mesh.key.x, mesh.key.y, mesh.key.z}) {
        if (place * width < -kLatticeLimit || (place + std::int64_t{1}) * width > kLatticeLimit) {
            throw std::invalid_argument("mesh " + std::to_string(number) + " is of chunk " + std::to_string(place) +
                                        " along an axis; chunks within +-" + std::to_string(kLatticeLimit) +
                                        " lattice units are allowed");
        }
    }
}

void require_on_lattice(const Mesh& mesh, std::size_t number, std::int32_t cells) {
    const auto within = [limit = static_cast<float>(cells)](float at) { return at >= 0 && at <= limit; };
    for (const Vector3& at : mesh.positions) {
        if (within(at.x) && within(at.y) && within(at.z) && is_on_lattice(at)) continue;
        throw std::invalid_argument(
            "mesh " + std::to_string(number) + " has a position that cannot be welded; multiples of 1/" +
            std::to_string(1 << kLatticeBits) + " from 0 to " + std::to_string(cells) + " are allowed");
    }
}

}  // namespace

void require_weldable(const Mesh& mesh, std::size_t number, std::int32_t cells) {
    require_whole(mesh, number);
    require_within_lattice(mesh, number, cells);
    require_on_lattice(mesh, number, cells);
}

std::array<std::uint8_t, 3> colour_of(const Mesh& mesh, std::size_t vertex, const ExportOptions& options) {
    const MaterialWeights weights = mesh.materials.empty() ? MaterialWeights{} : mesh.materials[vertex];
    const MaterialIndices which = mesh.material_indices.empty() ? MaterialIndices{} : mesh.material_indices[vertex];
    float red = 0, green = 0, blue = 0;
    for (std::size_t i = 0; i < kMaterials; ++i) {
        const auto weight = static_cast<float>(weights.of[i]);
        const std::size_t number = which.of[i];
        const MaterialColour colour = number < options.colours.size() ? options.colours[number] : MaterialColour{};
        red += weight * colour.red;
        green += weight * colour.green;
        blue += weight * colour.blue;
    }
    const auto byte = [](float part) { return static_cast<std::uint8_t>(std::lround(std::clamp(part, 0.0F, 255.0F))); };
    return {byte(red), byte(green), byte(blue)};
}

Content::Content(std::span<const Mesh> meshes, const ExportOptions& options) : meshes_(meshes), options_(&options) {
    check_options();
    std::vector<Kept> kept(meshes.size());
    for_each_index(options.pool, meshes.size(), [&](std::size_t i) {
        require_whole(meshes_[i], i);
        require_within_lattice(meshes_[i], i, options.cells);
        if (options.welded) require_on_lattice(meshes_[i], i, options.cells);
        kept[i] = count_kept(meshes_[i], options.collision);
    });
    if (options.welded) {
        weld(kept);
    } else {
        add_parts(kept);
    }
}

void Content::check_options() const {
    require_cells(options_->cells);
    const Position& origin = options_->lattice.origin;
    require_range("Lattice.voxel_size", options_->lattice.voxel_size, kSmallestVoxel, kLargestVoxel);
    require_range("Lattice.origin.x", origin.x, -kFurthestOrigin, kFurthestOrigin);
    require_range("Lattice.origin.y", origin.y, -kFurthestOrigin, kFurthestOrigin);
    require_range("Lattice.origin.z", origin.z, -kFurthestOrigin, kFurthestOrigin);
}

void Content::add_parts(std::span<const Kept> kept) {
    for (std::size_t i = 0; i < kept.size(); ++i) {
        if (kept[i].indices == 0) continue;
        const bool has_materials = !options_->collision && !meshes_[i].materials.empty();
        parts_.push_back({&meshes_[i], kept[i].vertices, kept[i].indices, kept[i].bounds, has_materials,
                          has_materials && !meshes_[i].material_indices.empty()});
    }
}

void Content::weld(std::span<const Kept> kept) {
    Part part;
    std::size_t vertices = 0;
    for (std::size_t i = 0; i < kept.size(); ++i) {
        first_vertex_.push_back(vertices);
        vertices += meshes_[i].positions.size();
        part.indices += kept[i].indices;
        if (options_->collision || kept[i].indices == 0) continue;
        part.has_materials |= !meshes_[i].materials.empty();
        part.has_material_indices |= !meshes_[i].material_indices.empty();
    }
    first_vertex_.push_back(vertices);
    if (part.indices == 0) return;

    numbers_.resize(vertices, kNone);
    PlaceNumbers places;
    std::vector<std::uint32_t> number_at;
    first_number_.push_back(0);
    for (std::size_t i = 0; i < meshes_.size(); ++i) number_vertices(i, places, number_at);
    part.vertices = first_number_.back();
    part.bounds = welded_bounds(kept);
    parts_.push_back(part);
}

void Content::number_vertices(std::size_t mesh, PlaceNumbers& places, std::vector<std::uint32_t>& number_at) {
    const auto& positions = meshes_[mesh].positions;
    const std::span<std::uint32_t> numbers = std::span(numbers_).subspan(first_vertex_[mesh], positions.size());
    Piece piece;
    make_piece(meshes_[mesh], options_->collision, false, piece);
    if (std::uint64_t{first_number_.back()} + piece.vertices.size() >= kNone) {
        throw Error("one mesh would have more than " + std::to_string(kNone - 1) + " vertices: export without welding");
    }
    const LatticeKey corner = corner_of(meshes_[mesh].key, options_->cells);
    const auto cells = static_cast<float>(options_->cells);
    std::uint32_t next = first_number_.back();
    for (const std::uint32_t vertex : piece.vertices) {
        if (!is_on_side(positions[vertex], cells)) {
            numbers[vertex] = next++;
            continue;
        }
        const std::uint32_t place = places.number_of(lattice_key(corner, meshes_[mesh].key.lod, positions[vertex]));
        if (place == number_at.size()) number_at.push_back(next++);
        numbers[vertex] = number_at[place];
    }
    first_number_.push_back(next);
}

MeshBounds Content::welded_bounds(std::span<const Kept> kept) {
    constexpr float kInfinity = std::numeric_limits<float>::infinity();
    // Going to the other frame and rounding keep the order, so corners of boxes are enough.
    const auto joined = [&](const LatticePoint& origin) {
        MeshBounds all{{kInfinity, kInfinity, kInfinity}, {-kInfinity, -kInfinity, -kInfinity}};
        auto& [low, high] = all;
        for (std::size_t i = 0; i < kept.size(); ++i) {
            if (kept[i].indices == 0) continue;
            const Place place(meshes_[i], *options_);
            const Vector3 a = place.from(origin, kept[i].bounds.low), b = place.from(origin, kept[i].bounds.high);
            low = {std::min(low.x, a.x), std::min(low.y, a.y), std::min(low.z, a.z)};
            high = {std::max(high.x, b.x), std::max(high.y, b.y), std::max(high.z, b.z)};
        }
        return all;
    };
    const auto middle = [](float low, float high) {
        return static_cast<std::int32_t>(std::floor((static_cast<double>(low) + high) / 2));
    };
    const auto [low, high] = joined({});
    welded_origin_ = {middle(low.x, high.x), middle(low.y, high.y), middle(low.z, high.z)};
    return joined(welded_origin_);
}

void Content::fill(std::size_t mesh, Piece& piece) const {
    if (!options_->welded) {
        make_piece(meshes_[mesh], options_->collision, options_->optimise, piece);
        return;
    }
    kept_triangles(meshes_[mesh], options_->collision, piece.triangles);
    if (piece.triangles.empty()) return;
    if (options_->optimise) optimise_order(piece.triangles, meshes_[mesh].positions.size());
    for (std::uint32_t& index : piece.triangles) index = numbers_[first_vertex_[mesh] + index];
    fill_welded_vertices(mesh, piece.vertices);
}

void Content::fill_welded_vertices(std::size_t mesh, std::vector<std::uint32_t>& vertices) const {
    vertices.clear();
    if (numbers_.empty()) return;
    std::uint32_t next = first_number_[mesh];
    const std::size_t count = meshes_[mesh].positions.size();
    for (std::uint32_t vertex = 0; vertex < count; ++vertex) {
        if (numbers_[first_vertex_[mesh] + vertex] != next || next == first_number_[mesh + 1]) continue;
        vertices.push_back(vertex);
        ++next;
    }
}

bool Content::has_materials() const noexcept {
    return std::any_of(parts_.begin(), parts_.end(), [](const Part& part) { return part.has_materials; });
}

std::uint64_t Content::vertices() const noexcept {
    std::uint64_t sum = 0;
    for (const Part& part : parts_) sum += part.vertices;
    return sum;
}

std::uint64_t Content::indices() const noexcept {
    std::uint64_t sum = 0;
    for (const Part& part : parts_) sum += part.indices;
    return sum;
}

}  // namespace quarry::terrain::impl
