// How a QuarryTerrain's world is made and exchanged, and who looks at it.
#include <algorithm>
#include <cmath>
#include <cstring>
#include <exception>
#include <map>

#include "engine_calls.hpp"
#include "quarry/jobs/error.hpp"
#include "quarry/terrain/field.hpp"
#include "registration.hpp"
#include "terrain_node.hpp"
#include "transform_math.hpp"

namespace quarry::godot {
namespace {

// Terrains with an equal number of workers share them.
std::shared_ptr<Pool> pool_with(std::int64_t workers) {
    static std::map<std::int64_t, std::weak_ptr<Pool>> pools;
    std::shared_ptr<Pool> pool = pools[workers].lock();
    if (pool == nullptr) {
        PoolOptions options;
        options.workers = static_cast<int>(workers);
        options.io_threads = 1;  // for files of edits
        options.name = "quarry";
        pool = std::make_shared<Pool>(options);
        pools[workers] = pool;
    }
    return pool;
}

Rid rid_of(const Variant& resource) {
    return resource.to_object() == nullptr ? Rid() : resource.call("get_rid").to_rid();
}

std::string what_of(const std::exception_ptr& error) {
    try {
        std::rethrow_exception(error);
    } catch (const std::exception& known) {
        return known.what();
    } catch (...) {
        return "unknown error";
    }
}

// For Godot all numbers in a JSON are floats, so 42 comes back as 42.0.
std::string with_whole_numbers(const std::string& json) {
    std::string text;
    bool is_in_string = false;
    for (std::size_t i = 0; i < json.size(); ++i) {
        if (json[i] == '"' && (i == 0 || json[i - 1] != '\\')) is_in_string = !is_in_string;
        const bool ends = i + 2 >= json.size() || std::strchr(",]} \n\t", json[i + 2]) != nullptr;
        if (!is_in_string && json[i] == '.' && i + 1 < json.size() && json[i + 1] == '0' && ends) {
            ++i;
            continue;
        }
        text += json[i];
    }
    return text;
}

// Of a resource of class JSON: as it was written where Godot has kept that.
std::string text_of_json(const Variant& resource) {
    std::string text = resource.call("get_parsed_text").to_text();
    if (!text.empty()) return text;
    return with_whole_numbers(
        resource.call("stringify", resource.call("get_data"), std::string_view(), true, true).to_text());
}

}  // namespace

// A description that cannot be read leaves the last good world as it is.
void TerrainNode::build() {
    needs_build_ = false;
    try {
        const DescribedWorld below = described();
        const std::string file = settings_.save_file.empty() ? std::string()
                                                             : Variant(api.singleton(Name("ProjectSettings").ptr()))
                                                                   .call("globalize_path", settings_.save_file)
                                                                   .to_text();
        edits_.set_ground(below, streamer_options(settings_, below).lattice, file, pool_with(settings_.worker_threads));
        const DescribedWorld wanted = edits_.now();
        if (shading_ == nullptr) shading_ = std::make_unique<Shading>();
        if (world_ != nullptr) world_->instances.end_fades();
        if (world_ == nullptr) {
            world_ = new_world(wanted, false);
        } else if (needs_workers_) {
            std::unique_ptr<World> next = new_world(wanted, true);
            if (old_world_ == nullptr) old_world_ = std::move(world_);
            world_ = std::move(next);
        } else {
            world_->streamer->exchange(with_faults(wanted.field, faults_), options_for(wanted, *world_));
        }
        needs_workers_ = false;
        field_ = wanted.field;
        waits_for_ready_ = true;
        collision_is_behind_ = true;
        set_up_shading();
    } catch (const std::exception& error) {
        fail(error.what());
    }
}

std::unique_ptr<TerrainNode::World> TerrainNode::new_world(const DescribedWorld& wanted, bool is_hidden) {
    auto world = std::make_unique<World>(pool_with(settings_.worker_threads), *shading_);
    world->streamer = std::make_unique<terrain::Streamer>(*world->pool, with_faults(wanted.field, faults_),
                                                          options_for(wanted, *world));
    world->instances.set_scenario(scenario_);
    world->instances.set_transform(transform_);
    world->instances.set_visible(!is_hidden && engine().is_visible_in_tree.get<GDExtensionBool>(self_) != 0);
    world->instances.set_listener([this](const terrain::ChunkKey& key, bool is_shown) {
        if (!is_heard(is_shown ? "chunk_shown" : "chunk_hidden")) return;
        happened_.push_back({is_shown ? Happened::Kind::shown : Happened::Kind::hidden, key, {}});
    });
    return world;
}

void TerrainNode::fail_chunk(const terrain::ChunkError& error) {
    const terrain::ChunkKey& key = error.key;
    fail("chunk (" + std::to_string(key.x) + ", " + std::to_string(key.y) + ", " + std::to_string(key.z) +
         ") of level " + std::to_string(key.lod) + ": " + what_of(error.error));
}

terrain::StreamerOptions TerrainNode::options_for(const DescribedWorld& wanted, World& world) {
    terrain::StreamerOptions options = streamer_options(settings_, wanted);
    options.prepare = [pack = options.prepare, faults = faults_](const terrain::Mesh& mesh) {
        faults->strike(Faults::Kind::worker);
        faults->strike(Faults::Kind::memory);
        return pack(mesh);
    };
    options.on_transition = [&world](const terrain::ChunkTransition& step) { world.states.note(step); };
    options.on_error = [this](const terrain::ChunkError& error) { fail_chunk(error); };
    return options;
}

DescribedWorld TerrainNode::described() const {
    if (static_cast<WorldKind>(settings_.world) != WorldKind::description) return make_world(settings_, {}, {});
    std::string folder = "res://";
    const std::string text = description_text(folder);
    return make_world(settings_, text,
                      Variant(api.singleton(Name("ProjectSettings").ptr())).call("globalize_path", folder).to_text());
}

// The first there is of the text, the resource and the file. Heightmaps are looked for in the folder.
std::string TerrainNode::description_text(std::string& folder) const {
    if (!settings_.description.empty()) return settings_.description;
    if (description_.to_object() != nullptr) return text_of_json(description_);
    const std::string& file = settings_.description_file;
    if (file.empty()) {
        throw Error("the world is a description, but description, description_resource and description_file are empty");
    }
    // Godot's own functions know res:// and packed projects.
    const Text path(file);
    const std::array<GDExtensionConstTypePtr, 1> arguments{path.ptr()};
    GDExtensionBool is_there = 0;
    api.method_ptrcall(engine().file_exists.bind(), nullptr, arguments.data(), &is_there);
    if (is_there == 0) throw Error(file + ": there is no such file");
    Text json;
    api.method_ptrcall(engine().file_text.bind(), nullptr, arguments.data(), json.ptr());
    folder = Variant(file).call("get_base_dir").to_text();
    return json.utf8();
}

void TerrainNode::set_up_shading() {
    if (shading_ != nullptr) {
        const auto view = static_cast<DebugView>(settings_.debug_view);
        // A debug view needs the built-in materials.
        shading_->set_up(view, settings_.chunk_cells, view == DebugView::off ? rid_of(material_) : Rid());
        shading_->set_textures({rid_of(textures_[0]), rid_of(textures_[1]), rid_of(textures_[2]), rid_of(textures_[3])},
                               settings_.texture_size);
        for (World* const world : {world_.get(), old_world_.get()}) {
            if (world != nullptr) world->instances.renew_materials();
        }
    }
}

GDExtensionObjectPtr TerrainNode::editor_camera() const {
    const Variant editor(api.singleton(Name("EditorInterface").ptr()));
    return editor.call("get_editor_viewport_3d", std::int64_t{0}).call("get_camera_3d").to_object();
}

GDExtensionObjectPtr TerrainNode::viewer_node() {
    if (is_in_editor_) return editor_camera();
    if (!settings_.viewer.empty()) {
        GDExtensionObjectPtr node = viewer_id_ == 0 ? nullptr : api.object_from_id(viewer_id_);
        if (node == nullptr) {
            node = Variant(self_).call("get_node_or_null", settings_.viewer).to_object();
            if (node != nullptr) {
                node = api.object_cast_to(node, engine().node3d_tag);
            }
            viewer_id_ = node == nullptr ? 0 : api.id_of_object(node);
        }
        if (node != nullptr) return Variant(node).call("is_inside_tree").to_bool() ? node : nullptr;
    }
    const auto viewport = engine().viewport.get<GDExtensionObjectPtr>(self_);
    return viewport == nullptr ? nullptr : engine().camera.get<GDExtensionObjectPtr>(viewport);
}

std::vector<terrain::Viewer> TerrainNode::find_viewers() {
    std::vector<terrain::Viewer> viewers;
    if (const std::optional<terrain::Viewer> first = find_viewer()) viewers.push_back(*first);
    std::erase_if(more_viewers_, [](GDObjectInstanceID id) { return api.object_from_id(id) == nullptr; });
    for (const GDObjectInstanceID id : more_viewers_) {
        const GDExtensionObjectPtr node = api.object_from_id(id);
        if (!Variant(node).call("is_inside_tree").to_bool()) continue;
        const terrain::Viewer viewer = viewer_at(node);
        // One that is in no place must not keep the others from their ground.
        if (std::isfinite(viewer.position.x + viewer.position.y + viewer.position.z)) viewers.push_back(viewer);
    }
    return viewers;
}

void TerrainNode::add_viewer(const Variant& node) {
    const GDExtensionObjectPtr viewer = node3d_of(node);
    if (viewer == nullptr) return fail("add_viewer: a node of class Node3D is needed");
    const GDObjectInstanceID id = api.id_of_object(viewer);
    if (std::find(more_viewers_.begin(), more_viewers_.end(), id) != more_viewers_.end()) return;
    if (more_viewers_.size() + 1 >= terrain::Streamer::kMostViewers) {
        return fail("add_viewer: there are " + std::to_string(more_viewers_.size()) +
                    " viewers already; remove_viewer makes room");
    }
    more_viewers_.push_back(id);
}

void TerrainNode::remove_viewer(const Variant& node) {
    const GDExtensionObjectPtr viewer = node3d_of(node);
    if (viewer == nullptr) return fail("remove_viewer: a node of class Node3D is needed");
    std::erase(more_viewers_, api.id_of_object(viewer));
}

std::optional<terrain::Viewer> TerrainNode::find_viewer() {
    const GDExtensionObjectPtr node = viewer_node();
    if (node == nullptr) {
        if (!warned_of_viewer_ && frames_ > 1) {
            warned_of_viewer_ = true;
            report_warning("there is neither a viewer nor a camera: nothing new is shown until there is one");
        }
        return std::nullopt;
    }
    warned_of_viewer_ = false;
    return viewer_at(node);
}

terrain::Viewer TerrainNode::viewer_at(GDExtensionObjectPtr node) const {
    const auto place = engine().global_transform.get<Transform>(node);
    terrain::Viewer viewer;
    viewer.position = to_local(place.origin);
    // A camera looks along its negative z axis.
    const Vec3 ahead{place.origin.x - place.rows[0].z, place.origin.y - place.rows[1].z,
                     place.origin.z - place.rows[2].z};
    const terrain::Position end = to_local(ahead);
    viewer.direction = {end.x - viewer.position.x, end.y - viewer.position.y, end.z - viewer.position.z};
    return viewer;
}

terrain::Position TerrainNode::to_local(const Vec3& global) const {
    return godot::to_local(transform_, global);
}

}  // namespace quarry::godot
