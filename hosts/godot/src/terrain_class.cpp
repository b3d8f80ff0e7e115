// QuarryTerrain in Godot's class database.
#include <algorithm>

#include "engine_calls.hpp"
#include "registration.hpp"
#include "terrain_node.hpp"

namespace quarry::godot {
namespace {

constexpr std::int32_t kPostInitialize = 0;  // Object.NOTIFICATION_POSTINITIALIZE

using NodeMethod = MethodSpec<TerrainNode>;
using Arguments = std::span<const Variant>;

Vec3 to_vector(const Variant& value) {
    Vec3 vector;
    value.assign_to(GDEXTENSION_VARIANT_TYPE_VECTOR3, &vector);
    return vector;
}

GDExtensionObjectPtr create(void* /*class_data*/, GDExtensionBool notify) {
    const GDExtensionObjectPtr object = api.construct_object(Name("Node3D").ptr());
    api.object_set_instance(object, Name(TerrainNode::kClass).ptr(), new TerrainNode(object));
    if (notify != 0) engine().notify(object, std::int64_t{kPostInitialize}, GDExtensionBool{0});
    return object;
}

void destroy(void* /*class_data*/, GDExtensionClassInstancePtr instance) {
    delete static_cast<TerrainNode*>(instance);
}

void notify(GDExtensionClassInstancePtr instance, std::int32_t what, GDExtensionBool /*reversed*/) {
    static_cast<TerrainNode*>(instance)->notification(what);
}

constexpr auto kVector = GDEXTENSION_VARIANT_TYPE_VECTOR3;
constexpr auto kText = GDEXTENSION_VARIANT_TYPE_STRING;
constexpr auto kTable = GDEXTENSION_VARIANT_TYPE_DICTIONARY;
constexpr auto kNothing = GDEXTENSION_VARIANT_TYPE_NIL;

ValueSpec value(GDExtensionVariantType type, const char* name) {
    return {type, name, 0, {}};
}

void add_edits(std::vector<NodeMethod>& to) {
    using terrain::EditKind;
    const ValueSpec at = value(kVector, "position");
    const ValueSpec radius = value(kFloat, "radius");
    const ValueSpec strength = value(kFloat, "strength");
    for (const auto& [name, kind] : {std::pair("dig", EditKind::dig), std::pair("add", EditKind::add)}) {
        to.push_back({name, kBool, {at, radius}, [kind = kind](TerrainNode& node, Arguments of) {
                          return Variant(node.edit({.kind = kind}, to_vector(of[0]), of[1].to_double()));
                      }});
    }
    to.push_back({"smooth", kBool, {at, radius, strength}, [](TerrainNode& node, Arguments of) {
                      const auto by = static_cast<float>(of[2].to_double());
                      return Variant(
                          node.edit({.kind = EditKind::smooth, .strength = by}, to_vector(of[0]), of[1].to_double()));
                  }});
    to.push_back(
        {"flatten", kBool, {at, radius, value(kVector, "normal"), strength}, [](TerrainNode& node, Arguments of) {
             return Variant(node.flatten(to_vector(of[0]), of[1].to_double(), to_vector(of[2]), of[3].to_double()));
         }});
    to.push_back({"raise", kBool, {at, radius, value(kFloat, "amount")}, [](TerrainNode& node, Arguments of) {
                      return Variant(node.raise(to_vector(of[0]), of[1].to_double(), of[2].to_double()));
                  }});
    to.push_back({"paint", kBool, {at, radius, value(kInt, "material")}, [](TerrainNode& node, Arguments of) {
                      const auto material = static_cast<std::uint8_t>(std::clamp<std::int64_t>(of[2].to_int(), 0, 255));
                      return Variant(node.edit({.kind = EditKind::paint, .material = material}, to_vector(of[0]),
                                               of[1].to_double()));
                  }});
    to.push_back({"edit", kBool, {value(kTable, "brush")}, [](TerrainNode& node, Arguments of) {
                      return Variant(node.edit_with(of[0]));
                  }});
    to.push_back({"apply_edit",
                  kBool,
                  {value(GDEXTENSION_VARIANT_TYPE_PACKED_BYTE_ARRAY, "bytes")},
                  [](TerrainNode& node, Arguments of) { return Variant(node.apply_edit(of[0])); }});
    to.push_back({"remove_part", kBool, {at}, [](TerrainNode& node, Arguments of) {
                      return Variant(node.remove_part(to_vector(of[0])));
                  }});
    to.push_back(
        {"take_part", kTable, {at}, [](TerrainNode& node, Arguments of) { return node.take_part(to_vector(of[0])); }});
    to.push_back(
        {"begin_stroke", kNothing, {}, [](TerrainNode& node, Arguments) { return node.begin_stroke(), Variant(); }});
    // The next edit begins another stroke, whoever makes it.
    to.push_back(
        {"end_stroke", kNothing, {}, [](TerrainNode& node, Arguments) { return node.begin_stroke(), Variant(); }});
    to.push_back({"undo", kBool, {}, [](TerrainNode& node, Arguments) { return Variant(node.undo()); }});
    to.push_back({"redo", kBool, {}, [](TerrainNode& node, Arguments) { return Variant(node.redo()); }});
    to.push_back({"save", kBool, {}, [](TerrainNode& node, Arguments) { return Variant(node.save()); }});
    to.push_back({"load", kBool, {value(kText, "file")}, [](TerrainNode& node, Arguments of) {
                      return Variant(node.load(of[0].to_text()));
                  }});
}

void add_questions(std::vector<NodeMethod>& to) {
    const ValueSpec at = value(kVector, "position");
    const ValueSpec radius = value(kFloat, "radius");
    to.push_back({"is_ready_around", kBool, {at, radius}, [](TerrainNode& node, Arguments of) {
                      return Variant(node.is_ready_around(to_vector(of[0]), of[1].to_double()));
                  }});
    to.push_back(
        {"wait_ready_around", GDEXTENSION_VARIANT_TYPE_SIGNAL, {at, radius}, [](TerrainNode& node, Arguments of) {
             return node.wait_ready_around(to_vector(of[0]), of[1].to_double());
         }});
    to.push_back({"sample", kFloat, {at}, [](TerrainNode& node, Arguments of) {
                      return Variant(node.sample(to_vector(of[0])));
                  }});
    to.push_back({"raycast",
                  kTable,
                  {value(kVector, "from"), value(kVector, "direction"), value(kFloat, "reach")},
                  [](TerrainNode& node, Arguments of) {
                      return node.raycast(to_vector(of[0]), to_vector(of[1]), of[2].to_double());
                  }});
    to.push_back({"ground_below", kTable, {at, value(kFloat, "reach")}, [](TerrainNode& node, Arguments of) {
                      return node.raycast(to_vector(of[0]), {0, -1, 0}, of[1].to_double());
                  }});
    to.push_back({"add_viewer",
                  kNothing,
                  {value(GDEXTENSION_VARIANT_TYPE_OBJECT, "viewer")},
                  [](TerrainNode& node, Arguments of) { return node.add_viewer(of[0]), Variant(); }});
    to.push_back({"remove_viewer",
                  kNothing,
                  {value(GDEXTENSION_VARIANT_TYPE_OBJECT, "viewer")},
                  [](TerrainNode& node, Arguments of) { return node.remove_viewer(of[0]), Variant(); }});
    to.push_back({"get_monitor", kFloat, {value(kText, "name")}, [](TerrainNode& node, Arguments of) {
                      return Variant(node.monitor(of[0].to_text()));
                  }});
    to.push_back({"check_shown", kText, {}, [](TerrainNode& node, Arguments) { return Variant(node.check_shown()); }});
    to.push_back({"lose_chunk",
                  kBool,
                  {value(GDEXTENSION_VARIANT_TYPE_VECTOR3I, "key"), value(kInt, "lod"), value(kBool, "is_lost")},
                  [](TerrainNode& node, Arguments of) {
                      Vec3i key;
                      of[0].assign_to(GDEXTENSION_VARIANT_TYPE_VECTOR3I, &key);
                      return Variant(node.lose_chunk(key, of[1].to_int(), of[2].to_bool()));
                  }});
    to.push_back(
        {"fail_chunks", kNothing, {value(kText, "what"), value(kInt, "count")}, [](TerrainNode& node, Arguments of) {
             return node.fail_chunks(of[0].to_text(), of[1].to_int()), Variant();
         }});
    to.push_back({"get_chunks", GDEXTENSION_VARIANT_TYPE_PACKED_INT32_ARRAY, {}, [](TerrainNode& node, Arguments) {
                      return node.chunks();
                  }});
    to.push_back({"get_stats", kTable, {}, [](TerrainNode& node, Arguments) { return node.stats(); }});
}

// Resources are no numbers or texts, so they are no part of the settings.
struct ResourceProperty {
    const char* after;  // the property behind which it stands
    ValueSpec spec;
    std::function<Variant(const TerrainNode&)> get;
    std::function<void(TerrainNode&, const Variant&)> set;
};

const std::vector<ResourceProperty>& resource_properties() {
    constexpr std::uint32_t kResourceType = 17;  // PropertyHint
    constexpr auto kObject = GDEXTENSION_VARIANT_TYPE_OBJECT;
    static const std::vector<ResourceProperty> all = [] {
        std::vector<ResourceProperty> list;
        list.push_back({"description",
                        {kObject, "description_resource", kResourceType, "JSON"},
                        [](const TerrainNode& node) { return node.description_resource(); },
                        [](TerrainNode& node, const Variant& to) { node.set_description_resource(to); }});
        list.push_back({"texture_size",
                        {kObject, "material", kResourceType, "ShaderMaterial,BaseMaterial3D"},
                        [](const TerrainNode& node) { return node.material(); },
                        [](TerrainNode& node, const Variant& to) { node.set_material(to); }});
        for (std::size_t layer = 0; layer < 4; ++layer) {
            list.push_back({"texture_size",
                            {kObject, "texture_" + std::to_string(layer), kResourceType, "Texture2D"},
                            [layer](const TerrainNode& node) { return node.texture(layer); },
                            [layer](TerrainNode& node, const Variant& to) { node.set_texture(layer, to); }});
        }
        return list;
    }();
    return all;
}

void add_physics(std::vector<NodeMethod>& all) {
    constexpr auto kNode = GDEXTENSION_VARIANT_TYPE_OBJECT;
    all.push_back({"add_body", kNothing, {value(kNode, "body")}, [](TerrainNode& node, Arguments of) {
                       return node.add_body(of[0]), Variant();
                   }});
    all.push_back({"remove_body", kNothing, {value(kNode, "body")}, [](TerrainNode& node, Arguments of) {
                       return node.remove_body(of[0]), Variant();
                   }});
    all.push_back({"is_collision_ready_around",
                   kBool,
                   {value(kVector, "position"), value(kFloat, "radius")},
                   [](TerrainNode& node, Arguments of) {
                       return Variant(node.is_collision_ready_around(to_vector(of[0]), of[1].to_double()));
                   }});
}

std::vector<NodeMethod> make_functions() {
    std::vector<NodeMethod> all{
        {"regenerate", kNothing, {}, [](TerrainNode& node, Arguments) { return node.regenerate(), Variant(); }},
        {"clear", kNothing, {}, [](TerrainNode& node, Arguments) { return node.clear(), Variant(); }},
        {"export_mesh",
         kBool,
         {value(kText, "file")},
         [](TerrainNode& node, Arguments of) { return Variant(node.export_mesh(of[0].to_text())); }},
    };
    add_edits(all);
    add_questions(all);
    add_physics(all);
    return all;
}

std::vector<NodeMethod> make_accessors() {
    std::vector<NodeMethod> accessors;
    for (const Property& property : properties()) {
        accessors.push_back(
            {"set_" + property.value.name,
             GDEXTENSION_VARIANT_TYPE_NIL,
             {{property.value.type, property.value.name, 0, {}}},
             [&property](TerrainNode& node, Arguments of) { return node.set_property(property, of[0]), Variant(); }});
        accessors.push_back(
            {"get_" + property.value.name, property.value.type, {}, [&property](TerrainNode& node, Arguments) {
                 return node.get_property(property);
             }});
    }
    for (const ResourceProperty& property : resource_properties()) {
        accessors.push_back(
            {"set_" + property.spec.name, kNothing, {property.spec}, [&property](TerrainNode& node, Arguments of) {
                 return property.set(node, of[0]), Variant();
             }});
        accessors.push_back(
            {"get_" + property.spec.name, property.spec.type, {}, [&property](TerrainNode& node, Arguments) {
                 return property.get(node);
             }});
    }
    return accessors;
}

void register_properties() {
    const char* group = "";
    for (const Property& property : properties()) {
        if (std::string_view(group) != property.group) register_group(TerrainNode::kClass, property.group);
        group = property.group;
        register_property(TerrainNode::kClass, property.value);
        for (const ResourceProperty& resource : resource_properties()) {
            if (property.value.name == resource.after) register_property(TerrainNode::kClass, resource.spec);
        }
    }
}

void register_signals() {
    const std::vector<ValueSpec> chunk{{GDEXTENSION_VARIANT_TYPE_VECTOR3I, "key", 0, {}},
                                       {GDEXTENSION_VARIANT_TYPE_INT, "lod", 0, {}}};
    const std::vector<ValueSpec> message{{GDEXTENSION_VARIANT_TYPE_STRING, "message", 0, {}}};
    register_signal(TerrainNode::kClass, "terrain_ready", {});
    register_signal(TerrainNode::kClass, "chunk_shown", chunk);
    register_signal(TerrainNode::kClass, "chunk_hidden", chunk);
    const ValueSpec box = value(GDEXTENSION_VARIANT_TYPE_AABB, "box");
    register_signal(TerrainNode::kClass, "edited", std::array{box});
    register_signal(TerrainNode::kClass, "edit_made",
                    std::array{value(GDEXTENSION_VARIANT_TYPE_PACKED_BYTE_ARRAY, "bytes")});
    register_signal(TerrainNode::kClass, "part_loosened", std::array{box, value(kVector, "inside")});
    register_signal(TerrainNode::kClass, "saved", {});
    register_signal(TerrainNode::kClass, "failed", message);
}

}  // namespace

void TerrainNode::register_class() {
    Text icon("res://addons/quarry/icon.svg");
    GDExtensionClassCreationInfo5 info{};
    info.is_exposed = 1;
    info.icon_path = icon.ptr();
    info.create_instance_func = &create;
    info.free_instance_func = &destroy;
    info.notification_func = &notify;
    api.register_class(api.library, Name(kClass).ptr(), Name("Node3D").ptr(), &info);

    // Godot calls back with their addresses.
    static const std::vector<NodeMethod> functions = make_functions();
    static const std::vector<NodeMethod> accessors = make_accessors();
    for (const NodeMethod& method : functions) register_method(kClass, method);
    for (const NodeMethod& method : accessors) register_method(kClass, method);
    register_properties();
    register_signals();
    constexpr std::array<const char*, 3> kWorlds{"WORLD_NOISE", "WORLD_SHOWCASE", "WORLD_DESCRIPTION"};
    constexpr std::array<const char*, 5> kViews{"DEBUG_OFF", "DEBUG_LODS", "DEBUG_BORDERS", "DEBUG_WIREFRAME",
                                                "DEBUG_STATES"};
    register_enumeration(kClass, "World", kWorlds);
    register_enumeration(kClass, "DebugView", kViews);
}

}  // namespace quarry::godot
