#pragma once

#include <atomic>
#include <cstdint>
#include <iosfwd>
#include <optional>
#include <span>
#include <stop_token>
#include <string>
#include <string_view>
#include <vector>

#include "quarry/export.hpp"
#include "quarry/jobs/fwd.hpp"
#include "quarry/terrain/lattice.hpp"
#include "quarry/terrain/material_look.hpp"
#include "quarry/terrain/mesh.hpp"

namespace quarry::terrain {

// How meshes are written.
struct ExportOptions {
    std::int32_t cells = 32;  // of the chunks, along each axis, and their lattice: as they were extracted
    Lattice lattice{};        // that the meshes were extracted on
    bool welded = false;      // one mesh: vertices of several chunks at one lattice place are one
    bool collision = false;   // positions and indices only; triangles without area are left out
    bool optimise = true;     // triangles and vertices in an order that suits caches; 0.07 ms a chunk
    // What materials look like where a format shows them: grass, rock, snow, earth, unless said otherwise. Those beyond
    // the list are white.
    std::vector<MaterialColour> colours{
        {0.082F, 0.11F, 0.034F}, {0.15F, 0.138F, 0.126F}, {0.8F, 0.81F, 0.83F}, {0.26F, 0.19F, 0.115F}};
    Pool* pool = nullptr;                           // takes part in optimising; null: the calling thread alone
    std::stop_token stop_token{};                   // once requested, Cancelled is thrown
    std::atomic<std::uint64_t>* written = nullptr;  // bytes so far, to show progress
};

// The writers below write all meshes, in their order and always with the same bytes, to a binary stream. No more than a
// few chunks (welded: 4 bytes a vertex, and what the vertices on chunks' sides take) are held in memory beyond the
// meshes. A mesh without triangles, a vertex that no triangle uses and a triangle with two corners in one place are
// left out. Meshes are of chunks that do not overlap.
//
// Where vertices are merged the first mesh's normal and materials are kept. Across seams normals are equal; where a
// transition cell has no width a full-resolution and a half-resolution vertex meet whose normals differ by what the
// coarser level cannot show.
//
// All throw std::invalid_argument for options out of range and meshes that are not whole (a number of normals or
// materials that is not that of positions, an index beyond them, positions that are not finite; welded: not on the
// lattice), quarry::Error when the stream does not take what is written, Cancelled when stop was requested.

// glTF 2.0, binary. One node a chunk, named chunk_<lod>_<x>_<y>_<z>, moved to the chunk's corner in world units and
// scaled by the voxel size times 2^LOD: positions have the bits of the mesh. Welded: one node named world, positions in
// voxels of LOD 0 from a lattice point in the middle, exact up to 1,024 voxels away from it, then rounded once to
// float. Vertices with materials have their colour as
// COLOR_0, blended by weight, and the weights themselves as _WEIGHTS_0; with more than four materials their numbers are
// in _MATERIALS_0. Throws quarry::Error, before anything is
// written, for a file of more than 4 GiB.
QUARRY_API void write_glb(std::ostream& out, std::span<const Mesh> meshes, const ExportOptions& options = {});

// Wavefront text: one object a chunk, or one named world. Here and in the formats below positions are in world units,
// rounded once to float. No materials.
QUARRY_API void write_obj(std::ostream& out, std::span<const Mesh> meshes, const ExportOptions& options = {});

// Binary, little endian; all chunks in one list of vertices. Weights of materials are red, green, blue, alpha; with
// more than four materials these are the colour. Throws quarry::Error, before anything is written, for more than 2^32 -
// 1 vertices.
QUARRY_API void write_ply(std::ostream& out, std::span<const Mesh> meshes, const ExportOptions& options = {});

// Binary; three positions a triangle, and the triangle's own normal. The format has no vertices that could be shared:
// `welded` changes nothing. Throws quarry::Error, before anything is written, for more than 2^32 - 1 triangles.
QUARRY_API void write_stl(std::ostream& out, std::span<const Mesh> meshes, const ExportOptions& options = {});

// The formats that can be written.
enum class ExportFormat { glb, obj, ply, stl };

// What is known of a format.
struct ExportFormatInfo {
    ExportFormat format;      // which one
    std::string_view ending;  // of its files: ".glb"
    std::uint64_t largest;    // bytes that a file can have
};

// All formats, in the order of their numbers.
QUARRY_API std::span<const ExportFormatInfo> export_formats() noexcept;

// Of one of them. Throws std::invalid_argument for a number that is no format's.
QUARRY_API const ExportFormatInfo& info_of(ExportFormat format);

// The format of a file, by the ending of its name: ".GLB" is a glb, too. Nothing for any other ending.
QUARRY_API std::optional<ExportFormat> export_format_of(std::string_view file) noexcept;

// ".glb, .obj, .ply or .stl", for messages.
QUARRY_API std::string export_endings();

// Writes in that format, as the function of its name does.
QUARRY_API void write(ExportFormat format, std::ostream& out, std::span<const Mesh> meshes,
                      const ExportOptions& options = {});

// Bytes that write_glb would write, exactly, even if that is more than it accepts.
QUARRY_API std::uint64_t glb_size(std::span<const Mesh> meshes, const ExportOptions& options = {});

// The size of a file in any format; exact but for obj, whose numbers have as many digits as they need.
QUARRY_API std::uint64_t estimated_size(ExportFormat format, std::span<const Mesh> meshes,
                                        const ExportOptions& options = {});

}  // namespace quarry::terrain
