#include "registration.hpp"

#include <deque>

namespace quarry::godot {
namespace {

constexpr std::uint32_t kDefaultUsage = 6;  // PROPERTY_USAGE_STORAGE | PROPERTY_USAGE_EDITOR

// A ValueSpec in Godot's form, which points into it.
struct SpecForGodot {
    explicit SpecForGodot(const ValueSpec& spec) : name(spec.name), class_name(""), hint_text(spec.hint_text) {
        info = {spec.type, name.ptr(), class_name.ptr(), spec.hint, hint_text.ptr(), kDefaultUsage};
    }
    Name name;
    Name class_name;
    Text hint_text;
    GDExtensionPropertyInfo info{};
};

struct SpecsForGodot {
    explicit SpecsForGodot(std::span<const ValueSpec> specs) {
        for (const ValueSpec& spec : specs) infos.push_back(all.emplace_back(spec).info);
    }
    std::deque<SpecForGodot> all;
    std::vector<GDExtensionPropertyInfo> infos;
};

}  // namespace

void register_method_with(const char* class_name, const std::string& name, GDExtensionVariantType result,
                          std::span<const ValueSpec> arguments, void* spec, GDExtensionClassMethodCall call,
                          GDExtensionClassMethodPtrCall ptrcall) {
    Name method_name(name);
    SpecForGodot result_info(ValueSpec{result, {}, 0, {}});
    SpecsForGodot argument_infos(arguments);
    std::vector<GDExtensionClassMethodArgumentMetadata> metadata(arguments.size(),
                                                                 GDEXTENSION_METHOD_ARGUMENT_METADATA_NONE);
    GDExtensionClassMethodInfo info{};
    info.name = method_name.ptr();
    info.method_userdata = spec;
    info.call_func = call;
    info.ptrcall_func = ptrcall;
    info.method_flags = GDEXTENSION_METHOD_FLAGS_DEFAULT;
    info.has_return_value = result != GDEXTENSION_VARIANT_TYPE_NIL ? 1 : 0;
    info.return_value_info = &result_info.info;
    info.argument_count = static_cast<std::uint32_t>(arguments.size());
    info.arguments_info = argument_infos.infos.data();
    info.arguments_metadata = metadata.data();
    api.register_method(api.library, Name(class_name).ptr(), &info);
}

void register_property(const char* class_name, const ValueSpec& value) {
    SpecForGodot info(value);
    api.register_property(api.library, Name(class_name).ptr(), &info.info, Name("set_" + value.name).ptr(),
                          Name("get_" + value.name).ptr());
}

void register_group(const char* class_name, const std::string& name) {
    api.register_group(api.library, Name(class_name).ptr(), Text(name).ptr(), Text().ptr());
}

void register_signal(const char* class_name, const std::string& name, std::span<const ValueSpec> arguments) {
    SpecsForGodot infos(arguments);
    api.register_signal(api.library, Name(class_name).ptr(), Name(name).ptr(), infos.infos.data(),
                        static_cast<GDExtensionInt>(infos.infos.size()));
}

void register_enumeration(const char* class_name, const char* enumeration, std::span<const char* const> names) {
    for (std::size_t i = 0; i < names.size(); ++i) {
        api.register_constant(api.library, Name(class_name).ptr(), Name(enumeration).ptr(), Name(names[i]).ptr(),
                              static_cast<GDExtensionInt>(i), 0);
    }
}

void report_error(const std::string& method, const std::string& what) {
    api.print_error("QuarryTerrain", what.c_str(), method.c_str(), "QuarryTerrain", 0, 0);
}

void report_warning(const std::string& what) {
    api.print_warning("QuarryTerrain", what.c_str(), "QuarryTerrain", "QuarryTerrain", 0, 0);
}

bool take_arguments(std::span<const ValueSpec> specs, const GDExtensionConstVariantPtr* arguments, GDExtensionInt count,
                    GDExtensionCallError& error, std::vector<Variant>& values) {
    error.error = GDEXTENSION_CALL_OK;
    if (static_cast<std::size_t>(count) != specs.size()) {
        error.error = static_cast<std::size_t>(count) < specs.size() ? GDEXTENSION_CALL_ERROR_TOO_FEW_ARGUMENTS
                                                                     : GDEXTENSION_CALL_ERROR_TOO_MANY_ARGUMENTS;
        error.expected = static_cast<std::int32_t>(specs.size());
        return false;
    }
    values.reserve(specs.size());
    for (std::size_t i = 0; i < specs.size(); ++i) {
        values.push_back(Variant::copy_of(arguments[i]));
        if (api.variant_can_convert_strict(values[i].type(), specs[i].type) == 0) {
            error.error = GDEXTENSION_CALL_ERROR_INVALID_ARGUMENT;
            error.argument = static_cast<std::int32_t>(i);
            error.expected = static_cast<std::int32_t>(specs[i].type);
            return false;
        }
    }
    return true;
}

}  // namespace quarry::godot
