#include "interface.hpp"

namespace quarry::godot {

Interface api;

bool load_interface(GDExtensionInterfaceGetProcAddress find, GDExtensionClassLibraryPtr library, const char*& missing) {
    api.library = library;
#define QUARRY_GODOT_LOAD(type, member, name)        \
    api.member = reinterpret_cast<type>(find(name)); \
    if (api.member == nullptr) {                     \
        missing = name;                              \
        return false;                                \
    }
    QUARRY_GODOT_FUNCTIONS(QUARRY_GODOT_LOAD)
#undef QUARRY_GODOT_LOAD
    return true;
}

}  // namespace quarry::godot
