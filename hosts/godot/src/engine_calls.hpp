#pragma once

#include "values.hpp"

// The calls of Godot's that are made often: bound once, then called without looking anything up.
namespace quarry::godot {

class Method {
  public:
    // Null, and a line on the console, in a Godot whose method has another form.
    Method(const char* class_name, const char* method, std::int64_t hash);
    // Null, without a line, where the class has no such method.
    static Method if_there(const char* class_name, const char* method, std::int64_t hash);

    template <class... Arguments>
    void operator()(GDExtensionObjectPtr object, const Arguments&... arguments) const {
        const std::array<GDExtensionConstTypePtr, sizeof...(Arguments) + 1> pointers{&arguments..., nullptr};
        api.method_ptrcall(bind_, object, pointers.data(), nullptr);
    }
    template <class Result, class... Arguments>
    Result get(GDExtensionObjectPtr object, const Arguments&... arguments) const {
        Result result{};
        const std::array<GDExtensionConstTypePtr, sizeof...(Arguments) + 1> pointers{&arguments..., nullptr};
        api.method_ptrcall(bind_, object, pointers.data(), &result);
        return result;
    }
    bool is_bound() const noexcept { return bind_ != nullptr; }
    GDExtensionMethodBindPtr bind() const noexcept { return bind_; }

  private:
    explicit Method(GDExtensionMethodBindPtr bind) : bind_(bind) {}

    GDExtensionMethodBindPtr bind_;
};

struct EngineCalls {
    GDExtensionObjectPtr server;  // the RenderingServer
    void* node3d_tag;             // of class Node3D

    Method mesh_create{"RenderingServer", "mesh_create", 529393457};
    Method mesh_add_surface{"RenderingServer", "mesh_add_surface", 1217542888};
    Method mesh_clear{"RenderingServer", "mesh_clear", 2722037293};
    Method update_vertices{"RenderingServer", "mesh_surface_update_vertex_region", 2900195149};
    Method update_attributes{"RenderingServer", "mesh_surface_update_attribute_region", 2900195149};
    // Not in each Godot that can be used otherwise.
    Method update_indices = Method::if_there("RenderingServer", "mesh_surface_update_index_region", 2900195149);
    Method instance_create{"RenderingServer", "instance_create", 529393457};
    Method instance_set_base{"RenderingServer", "instance_set_base", 395945892};
    Method instance_set_scenario{"RenderingServer", "instance_set_scenario", 395945892};
    Method instance_set_transform{"RenderingServer", "instance_set_transform", 3935195649};
    Method instance_set_custom_aabb{"RenderingServer", "instance_set_custom_aabb", 3696536120};
    Method instance_set_visible{"RenderingServer", "instance_set_visible", 1265174801};
    Method set_material{"RenderingServer", "instance_geometry_set_material_override", 395945892};
    Method free_rid{"RenderingServer", "free_rid", 2722037293};
    Method global_transform{"Node3D", "get_global_transform", 3229777777};
    Method is_visible_in_tree{"Node3D", "is_visible_in_tree", 36873697};
    Method viewport{"Node", "get_viewport", 3596683776};
    Method camera{"Viewport", "get_camera_3d", 2285090890};
    Method notify{"Object", "notification", 4023243586};
    Method file_exists{"FileAccess", "file_exists", 2323990056};
    Method file_text{"FileAccess", "get_file_as_string", 1703090593};
    Method has_connections{"Object", "has_connections", 2619796661};

    EngineCalls();
    bool all_bound() const noexcept;
    // Whether the buffers of a surface can be written again.
    bool can_overwrite() const noexcept { return update_indices.is_bound(); }
};

// Null for anything else than a Node3D.
GDExtensionObjectPtr node3d_of(const Variant& value);

// Bound when first asked for, on the main thread, once the servers are there.
const EngineCalls& engine();

}  // namespace quarry::godot
