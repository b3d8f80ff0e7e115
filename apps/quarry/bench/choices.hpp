#pragma once

#include <cstddef>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "command.hpp"

namespace quarry::app {

// Indices of the rows that are meant: the one of that name, else all whose name holds it. Throws WrongInput.
std::vector<std::size_t> chosen_rows(const std::string& filter, std::span<const std::string_view> names);
// 1, 2 and all cores where nothing was typed.
std::vector<int> worker_counts(std::optional<int> typed, int cores);

// The options that benchmarks share.
void declare_workers(Options& options, std::optional<int>& workers);
void declare_runs(Options& options, std::optional<int>& runs, const char* help);

}  // namespace quarry::app
