#include "tests/terrain/check_glb/lattice_check.hpp"

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <set>
#include <string_view>

#include "quarry/terrain/extract.hpp"
#include "terrain/chunk_options.hpp"
#include "terrain/closedness/coverage.hpp"
#include "terrain/closedness/edges.hpp"
#include "terrain/closedness/open_edges.hpp"
#include "terrain/export/lattice_key.hpp"
#include "terrain/export/names.hpp"

namespace quarry::terrain::impl {
namespace {

std::optional<ChunkKey> key_of(std::string_view name) {
    const std::string_view prefix = "chunk_";
    if (!name.starts_with(prefix)) return std::nullopt;
    std::string_view rest = name.substr(prefix.size());
    std::array<std::int32_t, 4> numbers{};
    for (std::int32_t& number : numbers) {
        const auto [end, error] = std::from_chars(rest.data(), rest.data() + rest.size(), number);
        if (error != std::errc{}) return std::nullopt;
        rest.remove_prefix(static_cast<std::size_t>(end - rest.data()));
        if (rest.starts_with('_')) rest.remove_prefix(1);
    }
    const ChunkKey key{numbers[0], numbers[1], numbers[2], numbers[3]};
    // Also refuses other ways to write these numbers.
    return chunk_name(key) == name ? std::optional(key) : std::nullopt;
}

bool is_within_lattice(const ChunkKey& key, std::int32_t cells) {
    if (key.lod < 0 || key.lod > kCoarsestLod) return false;
    const std::int64_t width = static_cast<std::int64_t>(cells) << key.lod;
    const auto within = [width](std::int64_t place) {
        return place * width >= -kLatticeLimit && (place + 1) * width <= kLatticeLimit;
    };
    return within(key.x) && within(key.y) && within(key.z);
}

// Positions of chunks lie on the lattice and in the chunk; those of welded files are rounded, and may be anywhere
// where there are lattice points.
bool has_good_positions(const WrittenLattice& lattice, const NamedMesh& mesh) {
    const bool is_welded = lattice.welded_from.has_value();
    const float low = is_welded ? -2.0F * kLatticeLimit : 0;
    const float high = is_welded ? 2.0F * kLatticeLimit : static_cast<float>(lattice.cells);
    return std::all_of(mesh.data.positions.begin(), mesh.data.positions.end(), [&](const Vector3& at) {
        const auto within = [&](float coordinate) { return coordinate >= low && coordinate <= high; };
        return within(at.x) && within(at.y) && within(at.z) && (is_welded || is_on_lattice(at));
    });
}

// Triangles without area are left out for collisions, and their sides are then no cracks.
void judge(Closedness& closedness, std::span<const OpenEdge> cracks, bool collision, Findings& findings) {
    if (collision) closedness.cracks = edges_of_gaps(cracks);
    if (closedness.is_closed()) {
        closedness.first_crack.reset();
        return;
    }
    const Position at = closedness.first_crack.value_or(Position{});
    findings.add(std::to_string(closedness.cracks) + " cracks in " + std::to_string(closedness.edges) +
                 " edges, one at voxel " + std::to_string(at.x) + ", " + std::to_string(at.y) + ", " +
                 std::to_string(at.z));
}

// Vertices are those that have a number; their places only tell the rim.
Closedness check_welded(const WrittenLattice& lattice, const ReadMesh& mesh, std::span<const ChunkKey> places,
                        std::vector<OpenEdge>& cracks) {
    Closedness result;
    const LatticePoint from = lattice.welded_from.value_or(LatticePoint{});
    const LatticeKey corner{std::int64_t{from.x} << kLatticeBits, std::int64_t{from.y} << kLatticeBits,
                            std::int64_t{from.z} << kLatticeBits};
    const Coverage coverage(places, lattice.cells);
    const auto on_rim = [&](const LatticeKey& a, const LatticeKey& b) {
        if (!places.empty()) return coverage.is_on_rim(a, b);
        const std::int64_t width = static_cast<std::int64_t>(lattice.cells) << kLatticeBits;
        return (a.x == b.x && a.x % width == 0) || (a.y == b.y && a.y % width == 0) || (a.z == b.z && a.z % width == 0);
    };
    EdgeFinder finder;
    const MeshEdges found = finder.find(mesh.indices.size(), mesh.positions.size(),
                                        [&](std::size_t i) { return VertexId::own(mesh.indices[i]); });
    result.edges = found.edges;
    result.repeated = found.repeated;
    for (const OpenEnds& open : found.open) {
        const OpenEdge edge{lattice_key(corner, 0, mesh.positions[open.own]),
                            lattice_key(corner, 0, mesh.positions[open.other.number()]), open.times};
        if (on_rim(edge.from, edge.to)) {
            ++result.rim;
            continue;
        }
        if (++result.cracks == 1) result.first_crack = middle_of(edge);
        cracks.push_back(edge);
    }
    return result;
}

}  // namespace

std::optional<WrittenLattice> read_lattice(const Json& json, Findings& findings) {
    const Json* const asset = member(json, "asset");
    const Json* const extras = asset != nullptr ? member(*asset, "extras") : nullptr;
    const Json* const quarry = extras != nullptr ? member(*extras, "quarry") : nullptr;
    if (quarry == nullptr) {
        findings.add("asset.extras.quarry is missing: the file does not say how it lies on the lattice");
        return std::nullopt;
    }
    const std::optional<std::uint64_t> cells = whole(*quarry, "cells");
    const std::optional<double> voxel_size = number(*quarry, "voxel_size");
    const auto origin = three(*quarry, "origin");
    const Json* const collision = member(*quarry, "collision");
    bool is_right = cells && is_number_of_cells(static_cast<std::int64_t>(*cells)) && voxel_size && *voxel_size > 0 &&
                    std::isfinite(*voxel_size) && origin && collision != nullptr && collision->is_boolean();
    WrittenLattice lattice;
    if (is_right && member(*quarry, "welded_from") != nullptr) {
        const auto from = three(*quarry, "welded_from");
        is_right = from && std::all_of(from->begin(), from->end(),
                                       [](double at) { return at == std::floor(at) && std::abs(at) <= kLatticeLimit; });
        if (is_right) {
            lattice.welded_from = {static_cast<std::int32_t>((*from)[0]), static_cast<std::int32_t>((*from)[1]),
                                   static_cast<std::int32_t>((*from)[2])};
        }
    }
    if (!is_right) {
        findings.add("asset.extras.quarry does not say how the file lies on the lattice");
        return std::nullopt;
    }
    lattice.cells = static_cast<std::int32_t>(*cells);
    lattice.lattice = {*voxel_size, {(*origin)[0], (*origin)[1], (*origin)[2]}};
    lattice.collision = collision->get<bool>();
    return lattice;
}

void check_place(const WrittenLattice& lattice, const NamedMesh& mesh, Findings& findings) {
    Position corner{};
    double scale = lattice.lattice.voxel_size;
    if (lattice.welded_from) {
        if (mesh.name != kWeldedName) findings.add(mesh.where + ".name is not world, though the file is welded");
        corner = lattice.lattice.at(*lattice.welded_from);
    } else {
        const std::optional<ChunkKey> key = key_of(mesh.name);
        if (!key || !is_within_lattice(*key, lattice.cells)) {
            const Json name = mesh.name;
            findings.add(mesh.where + ".name is " + shown(&name) + ", not chunk_<lod>_<x>_<y>_<z>");
            return;
        }
        corner = world_corner(*key, lattice.cells, lattice.lattice);
        scale = world_scale(*key, lattice.lattice);
    }
    if (mesh.translation != corner) findings.add(mesh.where + ".translation is not the corner of its chunk");
    if (mesh.scale != scale) findings.add(mesh.where + ".scale is not the voxel size of its level");
    if (!has_good_positions(lattice, mesh)) {
        findings.add(mesh.where + ": a position is not on the lattice, or not in its chunk");
    }
}

Closedness check_edges(const WrittenLattice& lattice, std::vector<NamedMesh> meshes, const GlbCheckOptions& options,
                       Findings& findings) {
    Closedness result;
    std::vector<OpenEdge> cracks;
    if (lattice.welded_from) {
        if (meshes.size() > 1) findings.add("nodes: a welded file has one");
        if (meshes.size() == 1) result = check_welded(lattice, meshes.front().data, options.places, cracks);
        judge(result, cracks, lattice.collision, findings);
        return result;
    }
    std::vector<Mesh> chunks;
    std::vector<ChunkKey> places(options.places.begin(), options.places.end());
    std::set<std::string> names;
    for (NamedMesh& mesh : meshes) {
        Mesh chunk;
        chunk.key = key_of(mesh.name).value_or(ChunkKey{});
        chunk.indices = IndexList(mesh.data.indices, mesh.data.positions.size());
        chunk.positions.assign(mesh.data.positions.begin(), mesh.data.positions.end());
        chunk.normals.resize(chunk.positions.size());
        mesh.data = {};
        if (options.places.empty()) places.push_back(chunk.key);
        if (!names.insert(mesh.name).second) findings.add(mesh.where + ".name is that of another node");
        chunks.push_back(std::move(chunk));
    }
    result = find_cracks(chunks, places, lattice.cells, options.pool, cracks);
    judge(result, cracks, lattice.collision, findings);
    return result;
}

}  // namespace quarry::terrain::impl
