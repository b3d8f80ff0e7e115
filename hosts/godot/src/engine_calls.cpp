#include "engine_calls.hpp"

namespace quarry::godot {

Method::Method(const char* class_name, const char* method, std::int64_t hash)
    : bind_(api.method_bind(Name(class_name).ptr(), Name(method).ptr(), hash)) {}

Method Method::if_there(const char* class_name, const char* method, std::int64_t hash) {
    const Variant classes(api.singleton(Name("ClassDB").ptr()));
    if (!classes.call("class_has_method", class_name, method).to_bool()) return Method(nullptr);
    return {class_name, method, hash};
}

EngineCalls::EngineCalls()
    : server(api.singleton(Name("RenderingServer").ptr())), node3d_tag(api.class_tag(Name("Node3D").ptr())) {}

bool EngineCalls::all_bound() const noexcept {
    for (const Method* method : {&mesh_create,
                                 &mesh_add_surface,
                                 &mesh_clear,
                                 &update_vertices,
                                 &update_attributes,
                                 &instance_create,
                                 &instance_set_base,
                                 &instance_set_scenario,
                                 &instance_set_transform,
                                 &instance_set_visible,
                                 &instance_set_custom_aabb,
                                 &set_material,
                                 &free_rid,
                                 &global_transform,
                                 &is_visible_in_tree,
                                 &viewport,
                                 &camera,
                                 &notify,
                                 &file_exists,
                                 &file_text,
                                 &has_connections}) {
        if (!method->is_bound()) return false;
    }
    return server != nullptr;
}

const EngineCalls& engine() {
    static const EngineCalls calls;
    return calls;
}

GDExtensionObjectPtr node3d_of(const Variant& value) {
    const GDExtensionObjectPtr object = value.to_object();
    return object == nullptr ? nullptr : api.object_cast_to(object, engine().node3d_tag);
}

}  // namespace quarry::godot
