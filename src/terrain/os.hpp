#pragma once

#include <chrono>
#include <cstddef>
#include <filesystem>
#include <utility>

// What is tied to an operating system, behind one small interface (os_linux.cpp implements it).
namespace quarry::terrain::impl::os {

// Memory of that size, aligned to it (a power of two), ready to be written without a page fault where the system can do
// that. Null: there is none.
void* map_aligned(std::size_t bytes) noexcept;
void unmap(void* memory, std::size_t bytes) noexcept;

// What the calling thread has computed so far.
std::chrono::nanoseconds thread_time() noexcept;

// A file that one process at a time, and one owner in it, holds. The system lets go of it when the process ends,
// however that happens.
class LockFile {
  public:
    LockFile() = default;
    LockFile(LockFile&& other) noexcept
        : path_(std::move(other.path_)), descriptor_(std::exchange(other.descriptor_, -1)) {}
    LockFile& operator=(LockFile&& other) noexcept;
    ~LockFile();

    // Makes the file and holds it. False: somebody else does. Throws std::system_error where it cannot be made.
    bool take(const std::filesystem::path& path);

  private:
    void let_go() noexcept;

    std::filesystem::path path_;
    int descriptor_ = -1;
};

// The names in that folder are on the disk. False: they may not be.
bool sync_folder(const std::filesystem::path& folder) noexcept;

}  // namespace quarry::terrain::impl::os
