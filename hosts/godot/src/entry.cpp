// Where Godot enters the extension.
#include <cstdio>
#include <string>

#include "help.hpp"
#include "interface.hpp"
#include "registration.hpp"
#include "terrain_node.hpp"

namespace {

namespace godot = quarry::godot;

constexpr std::uint32_t kOldestMajor = 4;
constexpr std::uint32_t kOldestMinor = 5;

using LoadHelp = GDExtensionsInterfaceEditorHelpLoadXmlFromUtf8Chars;
LoadHelp load_help = nullptr;  // in the editor only

void initialize(void* /*data*/, GDExtensionInitializationLevel level) {
    if (level == GDEXTENSION_INITIALIZATION_EDITOR && load_help != nullptr) load_help(godot::kHelp);
    if (level != GDEXTENSION_INITIALIZATION_SCENE) return;
    godot::TerrainNode::register_class();
}

void deinitialize(void* /*data*/, GDExtensionInitializationLevel level) {
    if (level != GDEXTENSION_INITIALIZATION_SCENE) return;
    godot::api.unregister_class(godot::api.library, godot::Name(godot::TerrainNode::kClass).ptr());
}

// An old Godot lacks the functions that this extension needs, so its version is asked for in the oldest way.
bool is_supported(GDExtensionInterfaceGetProcAddress find) {
    const auto version_of = reinterpret_cast<GDExtensionInterfaceGetGodotVersion>(find("get_godot_version"));
    if (version_of == nullptr) return true;
    GDExtensionGodotVersion version{};
    version_of(&version);
    if (version.major > kOldestMajor || (version.major == kOldestMajor && version.minor >= kOldestMinor)) return true;
    std::fprintf(stderr, "Quarry needs Godot %u.%u or later; this is Godot %u.%u\n", kOldestMajor, kOldestMinor,
                 version.major, version.minor);
    return false;
}

}  // namespace

extern "C" __attribute__((visibility("default"))) GDExtensionBool quarry_godot_init(
    GDExtensionInterfaceGetProcAddress find, GDExtensionClassLibraryPtr library, GDExtensionInitialization* out) {
    if (!is_supported(find)) return 0;
    const char* missing = nullptr;
    if (!godot::load_interface(find, library, missing)) {
        std::fprintf(stderr, "Quarry cannot be used with this Godot: it has no function %s\n", missing);
        return 0;
    }
    load_help = reinterpret_cast<LoadHelp>(find("editor_help_load_xml_from_utf8_chars"));
    out->minimum_initialization_level = GDEXTENSION_INITIALIZATION_SCENE;
    out->initialize = &initialize;
    out->deinitialize = &deinitialize;
    return 1;
}
