#include "harness/report.hpp"

#include <cerrno>
#include <filesystem>
#include <fstream>
#include <stdexcept>
#include <system_error>

#include <fmt/format.h>
#include <nlohmann/json.hpp>
#include <unistd.h>

#include "harness/report_head.hpp"

namespace quarry::bench {
namespace {

std::string temporary_name(const std::string& path) {
    return fmt::format("{}.{}.tmp", path, getpid());
}

}  // namespace

std::string format_report(std::string_view program, const Machine& machine, const nlohmann::ordered_json& options,
                          std::span<const Result> results, bool (*higher_is_better)(std::string_view unit)) {
    nlohmann::ordered_json json = report_head(program, machine);
    json["options"] = options;
    json["results"] = nlohmann::ordered_json::array();
    for (const Result& result : results) {
        json["results"].push_back({{"name", result.name},
                                   {"engine", result.engine},
                                   {"workers", result.workers},
                                   {"value", result.value},
                                   {"unit", result.unit},
                                   {"better", higher_is_better(result.unit) ? "higher" : "lower"},
                                   {"runs", result.runs},
                                   {"spread", result.spread}});
    }
    return json.dump(2) + "\n";
}

std::string format_json(const RunReport& report, const RunOptions& run, const ReportOptions& options,
                        const Machine& machine) {
    const nlohmann::ordered_json chosen{{"filter", options.filter},
                                        {"workers", run.workers},
                                        {"peers", options.peers},
                                        {"quick", run.quick},
                                        {"runs", run.runs}};
    return format_report("quarry bench jobs", machine, chosen, report.results, [](std::string_view) { return false; });
}

std::optional<std::string> why_not_writable(const std::string& path) {
    std::error_code ignored;
    if (std::filesystem::is_directory(path, ignored)) return "is a folder";
    const std::string temporary = temporary_name(path);
    errno = 0;
    const bool writable = std::ofstream(temporary).is_open();
    const int reason = errno;
    std::filesystem::remove(temporary, ignored);
    if (writable) return std::nullopt;
    return reason != 0 ? std::generic_category().message(reason) : "can not be written";
}

void write_file(const std::string& path, const std::string& text) {
    const std::string temporary = temporary_name(path);
    std::ofstream file(temporary);
    file << text;
    file.close();
    std::error_code failure;
    if (file) std::filesystem::rename(temporary, path, failure);
    if (!file || failure) {
        std::error_code ignored;
        std::filesystem::remove(temporary, ignored);
        throw std::runtime_error("can not write " + path);
    }
}

}  // namespace quarry::bench
