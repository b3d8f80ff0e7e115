#pragma once

#include <optional>
#include <string>
#include <string_view>

namespace quarry::app {

// Why a file cannot be written there, found out before hours are spent on a run; nothing if it can.
std::optional<std::string> why_not_writable(const std::string& path);

// Where a report goes: nowhere (""), to the standard output ("-"), or to a file.

// Refuses a path that cannot be written to, before time is spent on a run. Throws WrongInput.
void require_report_path(std::string_view option, const std::string& path);
// A file is either written whole or not at all. Throws std::runtime_error.
void write_report(const std::string& path, const std::string& text);

}  // namespace quarry::app
