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

std::vector<NodeMethod> make_functions() {
    constexpr auto kVector = GDEXTENSION_VARIANT_TYPE_VECTOR3;
    constexpr auto kFloat = GDEXTENSION_VARIANT_TYPE_FLOAT;
    constexpr auto kInt = GDEXTENSION_VARIANT_TYPE_INT;
    const auto nothing = GDEXTENSION_VARIANT_TYPE_NIL;
    return {
        {"regenerate", nothing, {}, [](TerrainNode& node, Arguments) { return node.regenerate(), Variant(); }},
        {"clear", nothing, {}, [](TerrainNode& node, Arguments) { return node.clear(), Variant(); }},
        {"is_ready_around",
         GDEXTENSION_VARIANT_TYPE_BOOL,
         {{kVector, "position", 0, {}}, {kFloat, "radius", 0, {}}},
         [](TerrainNode& node, Arguments of) {
             return Variant(node.is_ready_around(to_vector(of[0]), of[1].to_double()));
         }},
        {"sample",
         kFloat,
         {{kVector, "position", 0, {}}},
         [](TerrainNode& node, Arguments of) { return Variant(node.sample(to_vector(of[0]))); }},
        {"dig",
         GDEXTENSION_VARIANT_TYPE_BOOL,
         {{kVector, "position", 0, {}}, {kFloat, "radius", 0, {}}},
         [](TerrainNode& node, Arguments of) {
             return Variant(node.edit({.kind = terrain::EditKind::dig}, to_vector(of[0]), of[1].to_double()));
         }},
        {"add",
         GDEXTENSION_VARIANT_TYPE_BOOL,
         {{kVector, "position", 0, {}}, {kFloat, "radius", 0, {}}},
         [](TerrainNode& node, Arguments of) {
             return Variant(node.edit({.kind = terrain::EditKind::add}, to_vector(of[0]), of[1].to_double()));
         }},
        {"smooth",
         GDEXTENSION_VARIANT_TYPE_BOOL,
         {{kVector, "position", 0, {}}, {kFloat, "radius", 0, {}}, {kFloat, "strength", 0, {}}},
         [](TerrainNode& node, Arguments of) {
             const auto strength = static_cast<float>(of[2].to_double());
             return Variant(node.edit({.kind = terrain::EditKind::smooth, .strength = strength}, to_vector(of[0]),
                                      of[1].to_double()));
         }},
        {"paint",
         GDEXTENSION_VARIANT_TYPE_BOOL,
         {{kVector, "position", 0, {}}, {kFloat, "radius", 0, {}}, {kInt, "material", 0, {}}},
         [](TerrainNode& node, Arguments of) {
             const auto material = static_cast<std::uint8_t>(std::clamp<std::int64_t>(of[2].to_int(), 0, 255));
             return Variant(node.edit({.kind = terrain::EditKind::paint, .material = material}, to_vector(of[0]),
                                      of[1].to_double()));
         }},
        {"begin_stroke", nothing, {}, [](TerrainNode& node, Arguments) { return node.begin_stroke(), Variant(); }},
        {"undo", GDEXTENSION_VARIANT_TYPE_BOOL, {}, [](TerrainNode& node, Arguments) { return Variant(node.undo()); }},
        {"redo", GDEXTENSION_VARIANT_TYPE_BOOL, {}, [](TerrainNode& node, Arguments) { return Variant(node.redo()); }},
        {"save", GDEXTENSION_VARIANT_TYPE_BOOL, {}, [](TerrainNode& node, Arguments) { return Variant(node.save()); }},
        {"raycast",
         GDEXTENSION_VARIANT_TYPE_DICTIONARY,
         {{kVector, "from", 0, {}}, {kVector, "direction", 0, {}}, {kFloat, "reach", 0, {}}},
         [](TerrainNode& node, Arguments of) {
             return node.raycast(to_vector(of[0]), to_vector(of[1]), of[2].to_double());
         }},
        {"check_shown",
         GDEXTENSION_VARIANT_TYPE_STRING,
         {},
         [](TerrainNode& node, Arguments) { return Variant(node.check_shown()); }},
        {"get_stats",
         GDEXTENSION_VARIANT_TYPE_DICTIONARY,
         {},
         [](TerrainNode& node, Arguments) { return node.stats(); }},
    };
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
    return accessors;
}

void register_properties() {
    const char* group = "";
    for (const Property& property : properties()) {
        if (std::string_view(group) != property.group) register_group(TerrainNode::kClass, property.group);
        group = property.group;
        register_property(TerrainNode::kClass, property.value);
    }
}

void register_signals() {
    const std::vector<ValueSpec> chunk{{GDEXTENSION_VARIANT_TYPE_VECTOR3I, "key", 0, {}},
                                       {GDEXTENSION_VARIANT_TYPE_INT, "lod", 0, {}}};
    const std::vector<ValueSpec> message{{GDEXTENSION_VARIANT_TYPE_STRING, "message", 0, {}}};
    register_signal(TerrainNode::kClass, "terrain_ready", {});
    register_signal(TerrainNode::kClass, "chunk_shown", chunk);
    register_signal(TerrainNode::kClass, "chunk_hidden", chunk);
    register_signal(TerrainNode::kClass, "ground_changed", {{{GDEXTENSION_VARIANT_TYPE_AABB, "box", 0, {}}}});
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
    constexpr std::array<const char*, 4> kViews{"DEBUG_OFF", "DEBUG_LODS", "DEBUG_BORDERS", "DEBUG_WIREFRAME"};
    register_enumeration(kClass, "World", kWorlds);
    register_enumeration(kClass, "DebugView", kViews);
}

}  // namespace quarry::godot
