#include "bench/choices.hpp"

#include <algorithm>

#include <fmt/format.h>
#include <quarry/jobs/pool.hpp>

#include "tools/input.hpp"

namespace quarry::app {

std::vector<std::size_t> chosen_rows(const std::string& filter, std::span<const std::string_view> names) {
    std::vector<std::size_t> rows;
    for (std::size_t i = 0; i < names.size(); ++i) {
        if (names[i] == filter) return {i};
        if (names[i].find(filter) != std::string_view::npos) rows.push_back(i);
    }
    if (rows.empty()) {
        throw WrongInput(
            fmt::format("--filter {} matches no row; there are {}", in_quotes(filter), fmt::join(names, ", ")));
    }
    return rows;
}

std::vector<int> worker_counts(const std::string& typed, int cores) {
    if (!typed.empty()) return {whole_number("--workers", typed, 1, Pool::kMostWorkers)};
    std::vector<int> counts{1, 2, cores};
    std::sort(counts.begin(), counts.end());
    counts.erase(std::unique(counts.begin(), counts.end()), counts.end());
    return counts;
}

int run_count(const std::string& typed, int otherwise) {
    constexpr int kMostRuns = 1'000;
    return typed.empty() ? otherwise : whole_number("--runs", typed, 1, kMostRuns);
}

}  // namespace quarry::app
