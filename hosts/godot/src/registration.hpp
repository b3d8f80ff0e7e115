#pragma once

#include <functional>
#include <span>
#include <string>
#include <vector>

#include "values.hpp"

// Classes, methods, properties and signals for Godot's class database.
namespace quarry::godot {

// A value of a class's interface.
struct ValueSpec {
    GDExtensionVariantType type = GDEXTENSION_VARIANT_TYPE_NIL;
    std::string name;
    std::uint32_t hint = 0;  // PropertyHint
    std::string hint_text;
};

template <class Node>
struct MethodSpec {
    std::string name;
    GDExtensionVariantType result = GDEXTENSION_VARIANT_TYPE_NIL;
    std::vector<ValueSpec> arguments;
    std::function<Variant(Node& node, std::span<const Variant> arguments)> body;
};

// Whoever made the class stays the owner of the specs; Godot calls back with their addresses.
void register_method_with(const char* class_name, const std::string& name, GDExtensionVariantType result,
                          std::span<const ValueSpec> arguments, void* spec, GDExtensionClassMethodCall call,
                          GDExtensionClassMethodPtrCall ptrcall);
void register_property(const char* class_name, const ValueSpec& value);  // with set_<name> and get_<name>
void register_group(const char* class_name, const std::string& name);
void register_signal(const char* class_name, const std::string& name, std::span<const ValueSpec> arguments);
void register_enumeration(const char* class_name, const char* enumeration, std::span<const char* const> names);

// Says on Godot's console what a body threw.
void report_error(const std::string& method, const std::string& what);
void report_warning(const std::string& what);

// Converts the arguments, or says in `error` which one has a wrong type. All by the spec.
bool take_arguments(std::span<const ValueSpec> specs, const GDExtensionConstVariantPtr* arguments, GDExtensionInt count,
                    GDExtensionCallError& error, std::vector<Variant>& values);

template <class Node>
Variant run_method(const MethodSpec<Node>& spec, void* instance, std::span<const Variant> arguments) noexcept {
    try {
        if (!static_cast<Node*>(instance)->may_be_called()) {
            report_error(spec.name, "a node in the tree may be called on the main thread only");
            return {};
        }
        return spec.body(*static_cast<Node*>(instance), arguments);
    } catch (const std::exception& error) {
        report_error(spec.name, error.what());
    } catch (...) {
        report_error(spec.name, "unknown error");
    }
    return {};
}

template <class Node>
void call_method(void* spec_pointer, void* instance, const GDExtensionConstVariantPtr* arguments, GDExtensionInt count,
                 GDExtensionVariantPtr result, GDExtensionCallError* error) {
    const auto& spec = *static_cast<const MethodSpec<Node>*>(spec_pointer);
    std::vector<Variant> values;
    if (!take_arguments(spec.arguments, arguments, count, *error, values)) return;
    *static_cast<Variant*>(result) = run_method(spec, instance, values);
}

template <class Node>
void ptrcall_method(void* spec_pointer, void* instance, const GDExtensionConstTypePtr* arguments,
                    GDExtensionTypePtr result) {
    const auto& spec = *static_cast<const MethodSpec<Node>*>(spec_pointer);
    std::vector<Variant> values;
    values.reserve(spec.arguments.size());
    for (std::size_t i = 0; i < spec.arguments.size(); ++i) {
        values.push_back(Variant::from_type(spec.arguments[i].type, arguments[i]));
    }
    const Variant value = run_method(spec, instance, values);
    if (spec.result != GDEXTENSION_VARIANT_TYPE_NIL && !value.is_nil()) value.assign_to(spec.result, result);
}

template <class Node>
void register_method(const char* class_name, const MethodSpec<Node>& spec) {
    register_method_with(class_name, spec.name, spec.result, spec.arguments, const_cast<MethodSpec<Node>*>(&spec),
                         &call_method<Node>, &ptrcall_method<Node>);
}

}  // namespace quarry::godot
