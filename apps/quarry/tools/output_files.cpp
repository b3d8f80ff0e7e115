#include "tools/output_files.hpp"

#include <algorithm>
#include <ostream>
#include <system_error>

#include <fmt/format.h>
#include <quarry/jobs/error.hpp>

#include "tools/input.hpp"

namespace quarry::app {
namespace {

namespace fs = std::filesystem;

[[noreturn]] void refuse_output(std::string_view option, const std::string& path, std::string_view why) {
    throw WrongInput(fmt::format("{} {}: {}", option, in_quotes(path), why));
}

fs::path folder_of_output(const std::string& path) {
    const fs::path folder = fs::path(path).parent_path();
    return folder.empty() ? fs::path(".") : folder;
}

void require_file_place(std::string_view option, const std::string& path) {
    std::error_code failure;
    const fs::file_status folder = fs::status(folder_of_output(path), failure);
    if (!fs::exists(folder)) refuse_output(option, path, "the folder does not exist");
    if (!fs::is_directory(folder)) refuse_output(option, path, "what should be its folder is none");
    const fs::file_status there = fs::status(path, failure);
    if (there.type() == fs::file_type::none) refuse_output(option, path, failure.message());
    if (fs::is_directory(there)) refuse_output(option, path, "is a folder");
}

quarry::impl::OutputFile opened(std::string_view option, const std::string& path, const std::stop_token& stop_token) {
    try {
        return quarry::impl::OutputFile(path, stop_token);
    } catch (const Cancelled&) {
        throw;
    } catch (const Error& failure) {
        refuse_output(option, path, fmt::format("cannot be written: {}", failure.what()));
    }
}

// Equal for names of one file, whether it exists or not.
fs::path plain(const fs::path& path) {
    std::error_code ignored;
    const fs::path full = fs::weakly_canonical(fs::absolute(path), ignored);
    return full.empty() ? path : full;
}

}  // namespace

OutputFiles::~OutputFiles() {
    abandon();
}

const OutputFiles::File* OutputFiles::same_as(const fs::path& path) const {
    for (const File& file : files_) {
        std::error_code ignored;
        const fs::path& target = file.output.target();
        if (plain(target) == plain(path) || fs::equivalent(target, path, ignored)) return &file;
    }
    return nullptr;
}

void OutputFiles::add(std::string_view option, const std::string& path, const std::stop_token& stop_token) {
    require_file_place(option, path);
    quarry::impl::OutputFile output = opened(option, path, stop_token);
    if (const File* other = same_as(output.target())) {
        refuse_output(option, path,
                      fmt::format("is the file that {} {} names too", other->option, in_quotes(other->path)));
    }
    const std::lock_guard lock(mutex_);
    files_.push_back({std::string(option), path, std::move(output)});
}

void OutputFiles::refuse_as_output(std::string_view option, const std::string& path) const {
    if (const File* other = same_as(path)) {
        refuse_output(other->option, other->path, fmt::format("is the file that {} reads", option));
    }
}

OutputFiles::File& OutputFiles::file_of(const std::string& path) {
    return *std::find_if(files_.begin(), files_.end(), [&](const File& file) { return file.path == path; });
}

void OutputFiles::require_room(const std::string& path, double bytes) {
    const File& file = file_of(path);
    if (!file.output.is_regular()) return;
    std::error_code failure;
    const fs::space_info space = fs::space(folder_of_output(file.output.target().string()), failure);
    if (failure || static_cast<double>(space.available) >= bytes) return;
    refuse_output(file.option, path,
                  fmt::format("would have about {:.1f} MB; its folder has room for {:.1f} MB", bytes / 1e6,
                              static_cast<double>(space.available) / 1e6));
}

void OutputFiles::write(const std::string& path, const std::function<void(std::ostream&)>& fill) {
    File& file = file_of(path);
    // What fill throws may be an Error too; the one about the file has no more than the system's reason.
    bool filled = false;
    try {
        file.output.write([&](std::ostream& out) {
            try {
                fill(out);
            } catch (...) {
                filled = static_cast<bool>(out.flush());
                throw;
            }
        });
    } catch (const Error& failure) {
        if (filled) throw;
        refuse_output(file.option, path, fmt::format("cannot be written: {}", failure.what()));
    }
    written_.push_back({path, file.output.written()});
}

void OutputFiles::commit() {
    const std::lock_guard lock(mutex_);
    for (File& file : files_) {
        try {
            file.output.take_name();
        } catch (const Error& failure) {
            for (File& each : files_) each.output.give_name_back();
            refuse_output(file.option, file.path, fmt::format("cannot be written: {}", failure.what()));
        }
    }
    for (File& file : files_) file.output.forget_old();
    files_.clear();
}

void OutputFiles::abandon() noexcept {
    const std::lock_guard lock(mutex_);
    for (File& file : files_) file.output.abandon();
}

}  // namespace quarry::app
