#include "tests/terrain/check_glb/mesh_reader.hpp"

#include <cmath>
#include <cstddef>
#include <limits>
#include <string>

namespace quarry::terrain::impl {
namespace {

// Rounding a normal to float changes its length by less.
constexpr double kNormalTolerance = 1e-5;

class MeshReader {
  public:
    MeshReader(std::string where, AccessorReader& accessors, Findings& findings)
        : where_(std::move(where)), accessors_(accessors), findings_(findings) {}

    std::optional<ReadMesh> read(const Json& primitive, bool collision) {
        const Json* const attributes = member(primitive, "attributes");
        const Json none = Json::object();
        const Json& given = attributes != nullptr ? *attributes : none;
        if (whole(primitive, "mode").value_or(4) != 4) findings_.add(where_ + ".mode is not that of triangles");
        if (whole(primitive, "material") != std::uint64_t{0}) findings_.add(where_ + ".material is not 0");
        const std::optional<Elements> positions = accessor(given, "POSITION", Use::positions, true);
        const std::optional<Elements> normals = accessor(given, "NORMAL", Use::normals, !collision);
        const std::optional<Elements> colours = accessor(given, "COLOR_0", Use::colours, false);
        const std::optional<Elements> weights = accessor(given, "_WEIGHTS_0", Use::colours, colours.has_value());
        const std::optional<Elements> indices = accessor(primitive, "indices", Use::indices, true);
        const std::optional<Elements> numbers = accessor(given, "_MATERIALS_0", Use::material_numbers, false);
        if (!positions || !indices) return std::nullopt;
        const auto differs = [&](const std::optional<Elements>& from) {
            return from && from->count != positions->count;
        };
        if (differs(normals) || differs(colours) || differs(weights) || differs(numbers)) {
            findings_.add(where_ + ": its attributes are of different counts");
        }
        if (normals) check_normals(*normals);
        if (weights) check_weights(*weights);
        ReadMesh mesh;
        if (!read_positions(*positions, mesh) || !read_indices(*indices, positions->count, mesh)) return std::nullopt;
        return mesh;
    }

  private:
    std::optional<Elements> accessor(const Json& object, const char* name, Use use, bool is_needed) {
        const std::optional<std::uint64_t> number = whole(object, name);
        if (number) return accessors_.read(*number, use);
        if (is_needed || member(object, name) != nullptr) {
            findings_.add(where_ + "." + name + " is " + shown(member(object, name)));
        }
        return std::nullopt;
    }

    void check_normals(const Elements& normals) {
        for (std::size_t i = 0; i < normals.count; ++i) {
            const Vector3 at = normals.vector(i);
            const double length = std::sqrt(double{at.x} * at.x + double{at.y} * at.y + double{at.z} * at.z);
            if (std::abs(length - 1) <= kNormalTolerance) continue;
            findings_.add(where_ + ": normal " + std::to_string(i) + " has length " + std::to_string(length));
            return;
        }
    }

    void check_weights(const Elements& colours) {
        for (std::size_t i = 0; i < colours.count; ++i) {
            const std::uint32_t sum = colours.u8(i, 0) + colours.u8(i, 1) + colours.u8(i, 2) + colours.u8(i, 3);
            if (sum == 255) continue;
            findings_.add(where_ + ": material weights of vertex " + std::to_string(i) + " add up to " +
                          std::to_string(sum) + ", not 255");
            return;
        }
    }

    bool read_positions(const Elements& positions, ReadMesh& mesh) {
        mesh.positions.resize(positions.count);
        for (std::size_t i = 0; i < positions.count; ++i) {
            const Vector3 at = positions.vector(i);
            if (!std::isfinite(at.x) || !std::isfinite(at.y) || !std::isfinite(at.z)) {
                findings_.add(where_ + ": position " + std::to_string(i) + " is not finite");
                return false;
            }
            mesh.positions[i] = at;
        }
        const auto [low, high] = bounds_of(mesh.positions);
        if (three(*positions.json, "min") != std::array<double, 3>{low.x, low.y, low.z} ||
            three(*positions.json, "max") != std::array<double, 3>{high.x, high.y, high.z}) {
            findings_.add(where_ + ": min and max of POSITION are not those of the positions");
        }
        return true;
    }

    bool read_indices(const Elements& indices, std::size_t vertices, ReadMesh& mesh) {
        if (indices.count % 3 != 0) {
            findings_.add(where_ + ": " + std::to_string(indices.count) + " indices are no whole triangles");
            return false;
        }
        const std::uint32_t restart = indices.width == 2 ? 0xFFFF : std::numeric_limits<std::uint32_t>::max();
        mesh.indices.resize(indices.count);
        for (std::size_t i = 0; i < indices.count; ++i) {
            const std::uint32_t index = indices.index(i);
            if (index >= vertices || index == restart) {
                findings_.add(where_ + ": index " + std::to_string(i) + " is " + std::to_string(index) + " of " +
                              std::to_string(vertices) + " vertices");
                return false;
            }
            mesh.indices[i] = index;
        }
        return true;
    }

    const std::string where_;
    AccessorReader& accessors_;
    Findings& findings_;
};

}  // namespace

std::optional<ReadMesh> read_mesh(const Container& container, std::uint64_t mesh, bool collision,
                                  AccessorReader& accessors, Findings& findings) {
    const std::string where = "meshes[" + std::to_string(mesh) + "].primitives";
    const Json* const json = element(container.json, "meshes", mesh);
    if (json == nullptr || length(*json, "primitives") != 1) {
        findings.add(where + ": one is needed");
        return std::nullopt;
    }
    return MeshReader(where + "[0]", accessors, findings).read(*element(*json, "primitives", 0), collision);
}

}  // namespace quarry::terrain::impl
