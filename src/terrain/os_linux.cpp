#include "terrain/os.hpp"

#include <cerrno>
#include <cstdint>
#include <ctime>
#include <system_error>

#include <fcntl.h>
#include <sys/file.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

namespace quarry::terrain::impl::os {

void* map_aligned(std::size_t bytes) noexcept {
    void* const mapped = ::mmap(nullptr, 2 * bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (mapped == MAP_FAILED) return nullptr;
    auto* const first = static_cast<std::byte*>(mapped);
    const std::size_t ahead = -reinterpret_cast<std::uintptr_t>(mapped) & (bytes - 1);
    if (ahead > 0) unmap(first, ahead);
    if (ahead < bytes) unmap(first + ahead + bytes, bytes - ahead);
#if defined(MADV_POPULATE_WRITE)
    // All pages in one call take half the time of a fault each. Only a wish: older systems do not know it.
    static_cast<void>(::madvise(first + ahead, bytes, MADV_POPULATE_WRITE));
#endif
    return first + ahead;
}

void unmap(void* memory, std::size_t bytes) noexcept {
    static_cast<void>(::munmap(memory, bytes));
}

std::chrono::nanoseconds thread_time() noexcept {
    timespec time{};
    static_cast<void>(::clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time));
    return std::chrono::seconds(time.tv_sec) + std::chrono::nanoseconds(time.tv_nsec);
}

LockFile& LockFile::operator=(LockFile&& other) noexcept {
    let_go();
    path_ = std::move(other.path_);
    descriptor_ = std::exchange(other.descriptor_, -1);
    return *this;
}

LockFile::~LockFile() {
    let_go();
}

bool LockFile::take(const std::filesystem::path& path) {
    for (;;) {
        const int descriptor = ::open(path.c_str(), O_CREAT | O_RDWR | O_CLOEXEC | O_NOFOLLOW, 0666);
        if (descriptor < 0) throw std::system_error(errno, std::generic_category());
        if (::flock(descriptor, LOCK_EX | LOCK_NB) != 0) {
            const int error = errno;
            ::close(descriptor);
            if (error == EWOULDBLOCK) return false;
            throw std::system_error(error, std::generic_category());
        }
        // Whoever held it before may have removed it since it was opened: then another one counts.
        struct stat opened {};
        struct stat named {};
        if (::fstat(descriptor, &opened) == 0 && ::stat(path.c_str(), &named) == 0 && opened.st_ino == named.st_ino &&
            opened.st_dev == named.st_dev) {
            let_go();
            path_ = path;
            descriptor_ = descriptor;
            return true;
        }
        ::close(descriptor);
    }
}

void LockFile::let_go() noexcept {
    if (descriptor_ < 0) return;
    static_cast<void>(::unlink(path_.c_str()));
    ::close(std::exchange(descriptor_, -1));
}

bool sync_folder(const std::filesystem::path& folder) noexcept {
    const int descriptor = ::open(folder.empty() ? "." : folder.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    if (descriptor < 0) return false;
    const bool is_done = ::fsync(descriptor) == 0;
    ::close(descriptor);
    return is_done;
}

}  // namespace quarry::terrain::impl::os
