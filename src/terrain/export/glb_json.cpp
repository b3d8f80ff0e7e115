#include <cstdint>
#include <string>
#include <string_view>

#include "quarry/terrain/chunk_key.hpp"
#include "quarry/version.hpp"
#include "terrain/export/glb_layout.hpp"
#include "terrain/export/names.hpp"

namespace quarry::terrain::impl {
namespace {

enum class Target : std::uint64_t { vertices = 34962, indices = 34963 };
enum class Component : std::uint64_t { u8 = 5121, u16 = 5123, u32 = 5125, f32 = 5126 };

class GlbJson {
  public:
    GlbJson(Output& out, const Content& content) : out_(out), content_(content) {}

    void write(std::uint64_t binary_bytes) {
        out_.text(R"({"asset":{"version":"2.0","generator":"Quarry )");
        out_.text(kVersion);
        out_.text(R"(","extras":)");
        write_extras();
        out_.text("}");
        // The format allows no empty lists.
        if (!content_.parts().empty()) {
            write_scene();
            list("nodes", [&](const Part& part, std::uint64_t i) { write_node(part, i); });
            std::uint64_t accessor = 0;
            list("meshes", [&](const Part& part, std::uint64_t) { write_mesh(part, accessor); });
            out_.text(R"(,"materials":[{"name":"terrain","pbrMetallicRoughness":{"metallicFactor":0}}])");
            std::uint64_t view = 0;
            list("accessors", [&](const Part& part, std::uint64_t) { write_accessors(part, view); });
            std::uint64_t offset = 0;
            list("bufferViews", [&](const Part& part, std::uint64_t) { write_views(part, offset); });
            out_.text(R"(,"buffers":[{"byteLength":)");
            out_.decimal(binary_bytes);
            out_.text("}]");
        }
        out_.text("}");
    }

  private:
    template <class Write>
    void list(std::string_view name, Write write) {
        out_.text(",\"");
        out_.text(name);
        out_.text("\":[");
        std::uint64_t i = 0;
        for (const Part& part : content_.parts()) {
            if (i > 0) out_.text(",");
            write(part, i++);
        }
        out_.text("]");
    }

    void numbers(double x, double y, double z) {
        out_.text("[");
        out_.decimal(x);
        out_.text(",");
        out_.decimal(y);
        out_.text(",");
        out_.decimal(z);
        out_.text("]");
    }

    void numbers(const Vector3& at) { numbers(at.x, at.y, at.z); }

    void key(std::string_view name, std::uint64_t value) {
        out_.text(name);
        out_.decimal(value);
    }

    // What a reader needs to find the lattice again: glTF's own numbers are floats to most readers.
    void write_extras() {
        const ExportOptions& options = content_.options();
        key(R"({"quarry":{"cells":)", static_cast<std::uint64_t>(options.cells));
        out_.text(R"(,"voxel_size":)");
        out_.decimal(options.lattice.voxel_size);
        out_.text(R"(,"origin":)");
        numbers(options.lattice.origin.x, options.lattice.origin.y, options.lattice.origin.z);
        out_.text(options.collision ? R"(,"collision":true)" : R"(,"collision":false)");
        if (options.welded) {
            out_.text(R"(,"welded_from":)");
            numbers(content_.welded_origin().x, content_.welded_origin().y, content_.welded_origin().z);
        }
        out_.text("}}");
    }

    void write_scene() {
        out_.text(R"(,"scene":0,"scenes":[{"nodes":[)");
        for (std::uint64_t i = 0; i < content_.parts().size(); ++i) {
            if (i > 0) out_.text(",");
            out_.decimal(i);
        }
        out_.text("]}]");
    }

    void write_node(const Part& part, std::uint64_t number) {
        const ExportOptions& options = content_.options();
        const Position at = part.mesh != nullptr ? world_corner(part.mesh->key, options.cells, options.lattice)
                                                 : options.lattice.at(content_.welded_origin());
        const double scale =
            part.mesh != nullptr ? world_scale(part.mesh->key, options.lattice) : options.lattice.voxel_size;
        out_.text(R"({"name":")");
        out_.text(part_name(part));
        key(R"(","mesh":)", number);
        out_.text(R"(,"translation":)");
        numbers(at.x, at.y, at.z);
        if (scale != 1) {
            out_.text(R"(,"scale":)");
            numbers(scale, scale, scale);
        }
        out_.text("}");
    }

    void write_mesh(const Part& part, std::uint64_t& accessor) {
        out_.text(R"({"name":")");
        out_.text(part_name(part));
        key(R"(","primitives":[{"indices":)", accessor++);
        key(R"(,"attributes":{"POSITION":)", accessor++);
        if (!content_.options().collision) key(R"(,"NORMAL":)", accessor++);
        if (part.has_materials) {
            key(R"(,"COLOR_0":)", accessor++);
            key(R"(,"_WEIGHTS_0":)", accessor++);
            if (part.has_material_indices) key(R"(,"_MATERIALS_0":)", accessor++);
        }
        out_.text(R"(},"material":0}]})");
    }

    void write_accessor(std::uint64_t view, Component component, std::uint64_t count, std::string_view type) {
        key(R"({"bufferView":)", view);
        key(R"(,"componentType":)", static_cast<std::uint64_t>(component));
        key(R"(,"count":)", count);
        out_.text(R"(,"type":")");
        out_.text(type);
        out_.text("\"");
    }

    void write_accessors(const Part& part, std::uint64_t& view) {
        write_accessor(view++, part.has_short_indices() ? Component::u16 : Component::u32, part.indices, "SCALAR");
        out_.text("},");
        write_accessor(view++, Component::f32, part.vertices, "VEC3");
        out_.text(R"(,"min":)");
        numbers(part.bounds.low);
        out_.text(R"(,"max":)");
        numbers(part.bounds.high);
        out_.text("}");
        if (!content_.options().collision) {
            out_.text(",");
            write_accessor(view++, Component::f32, part.vertices, "VEC3");
            out_.text("}");
        }
        for (int i = 0; i < (part.has_materials ? 2 : 0); ++i) {
            out_.text(",");
            write_accessor(view++, Component::u8, part.vertices, "VEC4");
            out_.text(R"(,"normalized":true})");
        }
        if (part.has_material_indices) {
            out_.text(",");
            write_accessor(view++, Component::u8, part.vertices, "VEC4");
            out_.text("}");
        }
    }

    void write_view(std::uint64_t offset, std::uint64_t bytes, Target target) {
        key(R"({"buffer":0,"byteOffset":)", offset);
        key(R"(,"byteLength":)", bytes);
        key(R"(,"target":)", static_cast<std::uint64_t>(target));
        out_.text("}");
    }

    void write_views(const Part& part, std::uint64_t& offset) {
        const PartBytes bytes(part, content_.options().collision);
        write_view(offset, bytes.indices, Target::indices);
        offset += bytes.padded_indices();
        for (const std::uint64_t length :
             {bytes.positions, bytes.normals, bytes.colours, bytes.weights, bytes.materials}) {
            if (length == 0) continue;
            out_.text(",");
            write_view(offset, length, Target::vertices);
            offset += length;
        }
    }

    Output& out_;
    const Content& content_;
};

}  // namespace

void write_glb_json(Output& out, const Content& content, std::uint64_t binary_bytes) {
    GlbJson(out, content).write(binary_bytes);
}

}  // namespace quarry::terrain::impl
