#include "tools/report_file.hpp"

#include <cerrno>
#include <filesystem>
#include <fstream>
#include <stdexcept>
#include <system_error>

#include <fmt/format.h>
#include <unistd.h>

#include "tools/input.hpp"

namespace quarry::app {
namespace {

namespace fs = std::filesystem;

std::string temporary_name(const std::string& path) {
    return fmt::format("{}.{}.tmp", path, getpid());
}

void write_file(const std::string& path, const std::string& text) {
    const std::string temporary = temporary_name(path);
    std::ofstream file(temporary);
    file << text;
    file.close();
    std::error_code failure;
    if (file) fs::rename(temporary, path, failure);
    if (!file || failure) {
        std::error_code ignored;
        fs::remove(temporary, ignored);
        throw std::runtime_error("cannot write " + path);
    }
}

}  // namespace

std::optional<std::string> why_not_writable(const std::string& path) {
    std::error_code ignored;
    if (fs::is_directory(path, ignored)) return "is a folder";
    const std::string temporary = temporary_name(path);
    errno = 0;
    const bool writable = std::ofstream(temporary).is_open();
    const int reason = errno;
    fs::remove(temporary, ignored);
    if (writable) return std::nullopt;
    return reason != 0 ? std::generic_category().message(reason) : "cannot be written";
}

void require_report_path(std::string_view option, const std::string& path) {
    if (path.empty() || path == "-") return;
    if (const std::optional<std::string> reason = why_not_writable(path)) {
        throw WrongInput(
            fmt::format("{} {}: {}; name a file in a folder that can be written to, or - for the standard output",
                        option, in_quotes(path), *reason));
    }
}

void write_report(const std::string& path, const std::string& text) {
    if (path == "-") {
        fmt::print("{}", text);
    } else if (!path.empty()) {
        write_file(path, text);
    }
}

}  // namespace quarry::app
