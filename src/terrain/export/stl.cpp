#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <string>
#include <string_view>

#include "quarry/jobs/error.hpp"
#include "quarry/terrain/export.hpp"
#include "terrain/export/content.hpp"
#include "terrain/export/output.hpp"
#include "terrain/export/sizes.hpp"

namespace quarry::terrain {
namespace {

constexpr std::size_t kStlTitle = 80;
constexpr std::uint64_t kStlHeader = kStlTitle + 4;
constexpr std::uint64_t kStlTriangle = 50;

// Of the triangle itself; all zero, which readers take for "not given", where rounding leaves it no area.
Vector3 normal_of(const std::array<Vector3, 3>& at) {
    const double ux = static_cast<double>(at[1].x) - at[0].x, vx = static_cast<double>(at[2].x) - at[0].x;
    const double uy = static_cast<double>(at[1].y) - at[0].y, vy = static_cast<double>(at[2].y) - at[0].y;
    const double uz = static_cast<double>(at[1].z) - at[0].z, vz = static_cast<double>(at[2].z) - at[0].z;
    const double x = uy * vz - uz * vy, y = uz * vx - ux * vz, z = ux * vy - uy * vx;
    const double length = std::hypot(x, y, z);
    if (!(length > 0)) return {};
    return {static_cast<float>(x / length), static_cast<float>(y / length), static_cast<float>(z / length)};
}

// Triangles that share nothing gain nothing by their order.
ExportOptions simple(ExportOptions options) {
    options.welded = false;
    options.optimise = false;
    return options;
}

}  // namespace

std::uint64_t impl::stl_size(std::span<const Mesh> meshes, const ExportOptions& options) {
    const ExportOptions own = simple(options);
    return kStlHeader + Content(meshes, own).indices() / 3 * kStlTriangle;
}

void write_stl(std::ostream& out, std::span<const Mesh> meshes, const ExportOptions& options) {
    const ExportOptions own = simple(options);
    const impl::Content content(meshes, own);
    const std::uint64_t triangles = content.indices() / 3;
    if (triangles > std::numeric_limits<std::uint32_t>::max()) {
        throw Error("an stl of " + std::to_string(triangles) +
                    " triangles cannot be written; up to 4294967295 are allowed");
    }
    impl::Output output(out, options.stop_token, options.written);
    // A header that began with "solid" would be taken for text.
    constexpr std::string_view title = "Quarry terrain, world units";
    output.text(title);
    for (std::size_t i = title.size(); i < kStlTitle; ++i) output.u8(0);
    output.u32(static_cast<std::uint32_t>(triangles));
    content.for_each_piece([&](const Mesh& mesh, const impl::Piece& piece) {
        const impl::Place place(mesh, options);
        for (std::size_t i = 0; i < piece.triangles.size(); i += 3) {
            std::array<Vector3, 3> corners;
            for (std::size_t corner = 0; corner < 3; ++corner) {
                corners[corner] = place.in_world(piece.vertices[piece.triangles[i + corner]]);
            }
            output.vector(normal_of(corners));
            for (const Vector3& corner : corners) output.vector(corner);
            output.u16(0);
        }
    });
    output.finish();
}

}  // namespace quarry::terrain
