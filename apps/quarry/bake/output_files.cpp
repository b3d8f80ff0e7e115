#include "bake/output_files.hpp"

#include <algorithm>
#include <cerrno>
#include <filesystem>
#include <ostream>
#include <system_error>

#include <fcntl.h>
#include <fmt/format.h>
#include <unistd.h>

#include "bake/file_buffer.hpp"
#include "tools/input.hpp"

namespace quarry::app {
namespace {

namespace fs = std::filesystem;

std::string reason(int error) {
    return std::generic_category().message(error);
}

[[noreturn]] void refuse(std::string_view option, const std::string& path, std::string_view why) {
    throw WrongInput(fmt::format("{} {}: {}", option, in_quotes(path), why));
}

fs::path folder_of(const std::string& path) {
    const fs::path folder = fs::path(path).parent_path();
    return folder.empty() ? fs::path(".") : folder;
}

void require_file_place(std::string_view option, const std::string& path) {
    std::error_code failure;
    const fs::file_status folder = fs::status(folder_of(path), failure);
    if (!fs::exists(folder)) refuse(option, path, "the folder does not exist");
    if (!fs::is_directory(folder)) refuse(option, path, "what should be its folder is none");
    const fs::file_status there = fs::status(path, failure);
    if (there.type() == fs::file_type::none) refuse(option, path, failure.message());
    if (fs::is_directory(there)) refuse(option, path, "is a folder");
    if (fs::exists(there) && !fs::is_regular_file(there)) refuse(option, path, "is not a regular file");
}

std::string make_temporary(std::string_view option, const std::string& path) {
    for (int number = 0; number < 1000; ++number) {
        std::string name = (folder_of(path) / fmt::format(".quarry-{}-{}.tmp", getpid(), number)).string();
        const int file = open(name.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0666);
        if (file >= 0) {
            close(file);
            return name;
        }
        if (errno != EEXIST) refuse(option, path, fmt::format("cannot be written: {}", reason(errno)));
    }
    refuse(option, path, "its folder is full of temporary files");
}

// Equal for names of one file, whether it exists or not.
fs::path plain(const std::string& path) {
    std::error_code ignored;
    const fs::path full = fs::weakly_canonical(fs::absolute(path), ignored);
    return full.empty() ? fs::path(path) : full;
}

}  // namespace

OutputFiles::~OutputFiles() {
    abandon();
}

const OutputFiles::File* OutputFiles::same_as(const std::string& path) const {
    for (const File& file : files_) {
        std::error_code ignored;
        if (plain(file.path) == plain(path) || fs::equivalent(file.path, path, ignored)) return &file;
    }
    return nullptr;
}

void OutputFiles::add(std::string_view option, const std::string& path) {
    require_file_place(option, path);
    if (const File* other = same_as(path)) {
        refuse(option, path, fmt::format("is the file that {} {} names too", other->option, in_quotes(other->path)));
    }
    const std::lock_guard lock(mutex_);
    files_.push_back({std::string(option), path, make_temporary(option, path)});
}

void OutputFiles::refuse_as_output(std::string_view option, const std::string& path) const {
    if (const File* other = same_as(path)) {
        refuse(other->option, other->path, fmt::format("is the file that {} reads", option));
    }
}

const OutputFiles::File& OutputFiles::file_of(const std::string& path) const {
    return *std::find_if(files_.begin(), files_.end(), [&](const File& file) { return file.path == path; });
}

void OutputFiles::require_room(const std::string& path, double bytes) const {
    std::error_code failure;
    const fs::space_info space = fs::space(folder_of(path), failure);
    if (failure || static_cast<double>(space.available) >= bytes) return;
    refuse(file_of(path).option, path,
           fmt::format("would have about {:.1f} MB; its folder has room for {:.1f} MB", bytes / 1e6,
                       static_cast<double>(space.available) / 1e6));
}

void OutputFiles::write(const std::string& path, const std::function<void(std::ostream&)>& fill) {
    const File& file = file_of(path);
    FileBuffer buffer(file.temporary);
    std::ostream out(&buffer);
    const auto check = [&] {
        if (buffer.error() != 0) {
            refuse(file.option, path, fmt::format("cannot be written: {}", reason(buffer.error())));
        }
    };
    try {
        fill(out);
    } catch (...) {
        check();
        throw;
    }
    buffer.close();
    check();
    written_.push_back({path, buffer.written()});
}

void OutputFiles::commit() {
    const std::lock_guard lock(mutex_);
    for (File& file : files_) {
        std::error_code failure;
        fs::rename(file.temporary, file.path, failure);
        if (failure) refuse(file.option, file.path, fmt::format("cannot be written: {}", failure.message()));
        file.has_its_name = true;
    }
    files_.clear();
}

void OutputFiles::abandon() noexcept {
    const std::lock_guard lock(mutex_);
    for (const File& file : files_) unlink(file.has_its_name ? file.path.c_str() : file.temporary.c_str());
    files_.clear();
}

}  // namespace quarry::app
