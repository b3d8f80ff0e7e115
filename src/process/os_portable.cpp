#include <atomic>
#include <cerrno>

#include <fcntl.h>
#include <poll.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include "process/os.hpp"

// Only what POSIX has. Shared memory has a name for as long as it takes to open it twice.
namespace quarry::process::os::portable {
namespace {

std::atomic<unsigned> memories_made{0};

}  // namespace

SharedMemory create_memory(std::size_t bytes) {
    const std::string name = "/quarry-" + std::to_string(getpid()) + "-" + std::to_string(memories_made.fetch_add(1));
    SharedMemory memory;
    memory.writable = Descriptor(shm_open(name.c_str(), O_RDWR | O_CREAT | O_EXCL, S_IRUSR | S_IWUSR));
    if (!memory.writable) fail("cannot make shared memory", errno);
    memory.read_only = Descriptor(shm_open(name.c_str(), O_RDONLY, 0));
    const int error = errno;
    shm_unlink(name.c_str());
    if (!memory.read_only) fail("cannot open shared memory", error);
    set_flags(memory.writable.get(), false);
    set_flags(memory.read_only.get(), false);
    if (ftruncate(memory.writable.get(), static_cast<off_t>(bytes)) != 0) {
        fail("cannot make " + std::to_string(bytes) + " bytes of shared memory", errno);
    }
    return memory;
}

Event create_event() {
    auto ends = create_pipe();
    return {std::move(ends.first), std::move(ends.second)};
}

bool sleep_on(int event, std::int64_t until) noexcept {
    pollfd wait{event, POLLIN, 0};
    constexpr std::int64_t kMillisecond = 1'000'000;
    const std::int64_t left = until - monotonic_ns();
    if (left <= 0) return false;
    const std::int64_t milliseconds = left / kMillisecond + 1;
    const int ready = ::poll(&wait, 1, milliseconds > 1'000 ? 1'000 : static_cast<int>(milliseconds));
    if (ready > 0) clear_event(event);
    return ready > 0 || monotonic_ns() < until;
}

}  // namespace quarry::process::os::portable
