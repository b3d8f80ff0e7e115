#pragma once

#include <span>

#include "command.hpp"

namespace quarry::app {

// What commands that begin with the same word have in common.
struct CommandGroup {
    const char* name;
    const char* summary;
};

// Runs the command that was typed and gives the program's status. Wrong input is one line on the standard error output.
int run_command_line(int count, char** words, std::span<const CommandGroup> groups, std::span<const Command> commands);

}  // namespace quarry::app
