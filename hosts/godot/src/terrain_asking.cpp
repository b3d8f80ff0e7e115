// What a QuarryTerrain is asked for beside edits: files, meshes, looks, and to say when the ground is there.
#include <exception>
#include <utility>

#include "quarry/jobs/error.hpp"
#include "quarry/jobs/impl/output_file.hpp"
#include "quarry/terrain/export.hpp"
#include "quarry/terrain/world.hpp"
#include "registration.hpp"
#include "terrain_node.hpp"

namespace quarry::godot {
namespace {

std::string real_path(const std::string& path) {
    return Variant(api.singleton(Name("ProjectSettings").ptr())).call("globalize_path", path).to_text();
}

terrain::ExportFormat format_of(const std::string& file) {
    if (const auto format = terrain::export_format_of(file)) return *format;
    throw Error("the name must end with " + terrain::export_endings());
}

}  // namespace

bool TerrainNode::load(const std::string& file) {
    const std::string last = std::exchange(settings_.save_file, file);
    const std::size_t before = happened_.size();
    if (!is_in_world_ || is_cleared_) {
        needs_build_ = true;
        return true;
    }
    build();
    for (std::size_t i = before; i < happened_.size(); ++i) {
        if (happened_[i].kind != Happened::Kind::failed) continue;
        // What is changed later is for the world that stays.
        settings_.save_file = last;
        return false;
    }
    return true;
}

Variant TerrainNode::wait_ready_around(const Vec3& position, double radius) {
    const std::string signal = "ready_around_" + std::to_string(++awaited_before_);
    Variant(self_).call("add_user_signal", signal);
    awaited_.push_back({position, radius, signal});
    return Variant::signal(self_, signal.c_str());
}

void TerrainNode::look_for_awaited() {
    std::erase_if(awaited_, [&](const Awaited& awaited) {
        if (!is_ready_around(awaited.position, awaited.radius)) return false;
        happened_.push_back({Happened::Kind::ready_around, {}, awaited.signal});
        return true;
    });
}

// Meshed anew, with the levels of detail that are planned around the viewer.
bool TerrainNode::export_mesh(const std::string& file) {
    try {
        const terrain::ExportFormat format = format_of(file);
        if (world_ == nullptr || needs_build_ || !last_viewer_) throw Error("there is no world to export yet");
        const terrain::StreamerOptions options = streamer_options(settings_, edits_.now());
        const terrain::OctreeOptions octree{.viewer = last_viewer_->position,
                                            .radius = options.radius,
                                            .lod_distance = options.lod_distance,
                                            .max_lod = options.max_lod,
                                            .cells = options.cells,
                                            .lattice = options.lattice};
        const DescribedWorld now = edits_.now();
        const terrain::WorldMesh mesh = terrain::mesh_world(
            *world_->pool, *now.field, terrain::octree_world(octree),
            {.extract = {.cells = options.cells, .lattice = options.lattice, .materials = now.materials.get()}});
        quarry::impl::write_whole_file(real_path(file),
                                       [&](std::ostream& out) { terrain::write(format, out, mesh.meshes); });
        return true;
    } catch (const std::exception& error) {
        fail("export_mesh(\"" + file + "\"): " + error.what());
        return false;
    }
}

void TerrainNode::set_description_resource(const Variant& resource) {
    description_ = resource;
    needs_build_ = true;
    field_.reset();
}

void TerrainNode::set_material(const Variant& material) {
    material_ = material;
    set_up_shading();
}

void TerrainNode::set_texture(std::size_t layer, const Variant& texture) {
    textures_[layer] = texture;
    set_up_shading();
}

}  // namespace quarry::godot
