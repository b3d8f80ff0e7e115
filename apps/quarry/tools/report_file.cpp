#include "tools/report_file.hpp"

#include <cerrno>
#include <cstdio>
#include <filesystem>
#include <ostream>
#include <stdexcept>
#include <system_error>
#include <utility>

#include <fmt/format.h>
#include <quarry/jobs/error.hpp>
#include <unistd.h>

#include "tools/input.hpp"

namespace quarry::app {
namespace {

namespace fs = std::filesystem;

[[noreturn]] void refuse_report(std::string_view option, const std::string& path, const std::string& reason,
                                const char* or_else) {
    throw WrongInput(fmt::format("{} {}: {}; name a file in a folder that can be written to{}", option, in_quotes(path),
                                 reason, or_else));
}

[[noreturn]] void refuse_standard_output(int error) {
    throw std::runtime_error(fmt::format("cannot write to the standard output: {}",
                                         std::generic_category().message(error != 0 ? error : EIO)));
}

}  // namespace

ReportFile::ReportFile(std::string_view option, std::string path) : path_(std::move(path)) {
    if (path_.empty() || is_standard_output()) return;
    try {
        file_.emplace(path_);
    } catch (const Error& failure) {
        refuse_report(option, path_, failure.what(), ", or - for the standard output");
    }
}

void ReportFile::write(const std::string& text) {
    if (is_standard_output()) {
        errno = 0;
        if (std::fwrite(text.data(), 1, text.size(), stdout) != text.size()) refuse_standard_output(errno);
        flush_standard_output();
    } else if (file_) {
        try {
            file_->write([&](std::ostream& out) { out << text; });
            file_->replace();
        } catch (const Error& failure) {
            throw std::runtime_error(fmt::format("cannot write {}: {}", path_, failure.what()));
        }
    }
}

void require_output_path(std::string_view option, const std::string& path) {
    std::error_code ignored;
    // A pipe must not be opened here: who reads it would take its end for that of the file.
    if (fs::is_other(fs::status(path, ignored))) {
        if (access(path.c_str(), W_OK) != 0) {
            refuse_report(option, path, std::generic_category().message(errno), "");
        }
        return;
    }
    try {
        const quarry::impl::OutputFile file(path);
    } catch (const Error& failure) {
        refuse_report(option, path, failure.what(), "");
    }
}

void flush_standard_output() {
    errno = 0;
    if (std::fflush(stdout) == 0 && std::ferror(stdout) == 0) return;
    refuse_standard_output(errno);
}

}  // namespace quarry::app
