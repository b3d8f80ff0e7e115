#pragma once

#include <cstdint>
#include <filesystem>
#include <functional>
#include <iosfwd>
#include <mutex>
#include <stop_token>
#include <string>
#include <string_view>
#include <vector>

#include <quarry/jobs/impl/output_file.hpp>

namespace quarry::app {

struct WrittenFile {
    std::string path;
    std::uint64_t bytes = 0;
};

// Files that appear together or not at all: until commit() whatever was there is untouched, and what has not been
// committed leaves nothing. Devices and pipes are written to directly.
class OutputFiles {
  public:
    OutputFiles() = default;
    OutputFiles(const OutputFiles&) = delete;
    OutputFiles& operator=(const OutputFiles&) = delete;
    ~OutputFiles();

    // Makes sure that a file can be made there, by making one. Throws WrongInput that names the option: for a folder
    // that is missing or cannot be written to, something that is no file, and a name that was added before. A pipe is
    // waited for until somebody reads it, or stop is requested (throws Cancelled).
    void add(std::string_view option, const std::string& path, const std::stop_token& stop_token = {});
    // Throws WrongInput if the path is one of those that were added; an input, which would be lost.
    void refuse_as_output(std::string_view option, const std::string& path) const;

    // Room for so many bytes in the folder of that file. Throws WrongInput where it is known to be missing.
    void require_room(const std::string& path, double bytes);
    // Fills the file of that path through a stream. Throws WrongInput if the system does not take it (a full disk), and
    // what fill throws.
    void write(const std::string& path, const std::function<void(std::ostream&)>& fill);

    // All get their names. Throws WrongInput, and then all is as it was before.
    void commit();
    // Whatever is there is removed; for the last moment before the process ends, from any thread.
    void abandon() noexcept;

    const std::vector<WrittenFile>& written() const { return written_; }

  private:
    struct File {
        std::string option;
        std::string path;
        quarry::impl::OutputFile output;
    };

    File& file_of(const std::string& path);
    const File* same_as(const std::filesystem::path& path) const;

    std::mutex mutex_;  // guards files_ against abandon()
    std::vector<File> files_;
    std::vector<WrittenFile> written_;
};

}  // namespace quarry::app
