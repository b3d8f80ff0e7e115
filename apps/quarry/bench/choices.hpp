#pragma once

#include <cstddef>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace quarry::app {

// What was typed for a benchmark, checked; all of them throw WrongInput.

// Indices of the rows that are meant: the one of that name, else all whose name holds it.
std::vector<std::size_t> chosen_rows(const std::string& filter, std::span<const std::string_view> names);
// 1, 2 and all cores where nothing was typed.
std::vector<int> worker_counts(const std::string& typed, int cores);
int run_count(const std::string& typed, int otherwise);

}  // namespace quarry::app
