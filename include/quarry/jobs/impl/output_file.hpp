#pragma once

#include <cstdint>
#include <filesystem>
#include <functional>
#include <iosfwd>
#include <memory>
#include <stop_token>

#include "quarry/export.hpp"

namespace quarry::impl {

// A file that is written, whatever its name stands for. A regular file is made anew in the folder of the old one, and
// takes its place in one step, with the mode of the old one; until then the old one is untouched, and nothing is left
// of the new one if the program ends. Symbolic links are followed. Devices, pipes, sockets and the process's own
// descriptors (/dev/fd/N) are written to directly. Not for several threads at once.
//
// Errors are quarry::Error with the bare reason ("Permission denied"): who calls knows what the file is for.
class OutputFile {
  public:
    // Makes sure that the file can be written. A pipe is waited for until somebody reads it, or the stop token is used
    // (throws Cancelled).
    QUARRY_API explicit OutputFile(const std::filesystem::path& path, const std::stop_token& stop_token = {});
    QUARRY_API OutputFile(OutputFile&&) noexcept;
    QUARRY_API OutputFile& operator=(OutputFile&&) noexcept;
    QUARRY_API ~OutputFile();

    // Lets `fill` write to a stream, from the beginning, and waits for what the system says to it. Throws what fill
    // throws, unless the system has refused something before.
    QUARRY_API void write(const std::function<void(std::ostream&)>& fill);
    QUARRY_API std::uint64_t written() const noexcept;
    // Not a device, a pipe or the like.
    QUARRY_API bool is_regular() const noexcept;

    // The name at the end of all links.
    QUARRY_API const std::filesystem::path& target() const noexcept;

    // The file gets its name, for good.
    QUARRY_API void replace();
    // The file gets its name. After that the old one can be brought back, until it is forgotten.
    QUARRY_API void take_name();
    QUARRY_API void give_name_back() noexcept;
    QUARRY_API void forget_old() noexcept;

    // What has not got its name is gone, what can be brought back is; also while another thread is in write(), for the
    // last moment before the process ends.
    QUARRY_API void abandon() noexcept;

  private:
    class State;
    std::unique_ptr<State> state_;
};

// Fills one file and gives it its name.
QUARRY_API void write_whole_file(const std::filesystem::path& path, const std::function<void(std::ostream&)>& fill);

}  // namespace quarry::impl
