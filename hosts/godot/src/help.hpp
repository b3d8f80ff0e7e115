#pragma once

namespace quarry::godot {

// The pages of the editor's help, as XML of Godot's class reference.
extern const char* const kHelp;

}  // namespace quarry::godot
