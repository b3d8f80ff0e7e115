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

std::vector<int> worker_counts(std::optional<int> typed, int cores) {
    if (typed) return {*typed};
    std::vector<int> counts{1, 2, cores};
    std::sort(counts.begin(), counts.end());
    counts.erase(std::unique(counts.begin(), counts.end()), counts.end());
    return counts;
}

void declare_workers(Options& options, std::optional<int>& workers) {
    options.whole("--workers", workers, {1, Pool::kMostWorkers}, "N",
                  "Only this number of workers (default: 1, 2 and all cores)");
}

void declare_runs(Options& options, std::optional<int>& runs, const char* help) {
    options.whole("--runs", runs, {1, 1'000}, "N", help);
}

}  // namespace quarry::app
