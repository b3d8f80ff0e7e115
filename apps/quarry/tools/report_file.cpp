#include "tools/report_file.hpp"

#include <optional>

#include <fmt/format.h>

#include "harness/report.hpp"
#include "tools/input.hpp"

namespace quarry::app {

void require_report_path(std::string_view option, const std::string& path) {
    if (path.empty() || path == "-") return;
    if (const std::optional<std::string> reason = bench::why_not_writable(path)) {
        throw WrongInput(
            fmt::format("{} {}: {}; name a file in a folder that can be written to, or - for the standard output",
                        option, in_quotes(path), *reason));
    }
}

void write_report(const std::string& path, const std::string& text) {
    if (path == "-") {
        fmt::print("{}", text);
    } else if (!path.empty()) {
        bench::write_file(path, text);
    }
}

}  // namespace quarry::app
