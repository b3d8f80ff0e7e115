#include "process/os.hpp"

#include <cerrno>
#include <climits>
#include <csignal>
#include <ctime>

#include <fcntl.h>
#include <linux/futex.h>
#include <sched.h>
#include <spawn.h>
#include <sys/eventfd.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <unistd.h>

namespace quarry::process::os::native {
namespace {

constexpr std::int64_t kBillion = 1'000'000'000;

}  // namespace

Descriptor create_memory(std::size_t bytes) {
    Descriptor memory(memfd_create("quarry", MFD_CLOEXEC | MFD_ALLOW_SEALING));
    if (!memory) fail("cannot make shared memory", errno);
    if (ftruncate(memory.get(), static_cast<off_t>(bytes)) != 0) {
        fail("cannot make " + std::to_string(bytes) + " bytes of shared memory", errno);
    }
    // A worker that shortened it would make the host fault.
    fcntl(memory.get(), F_ADD_SEALS, F_SEAL_SHRINK | F_SEAL_GROW);
    return memory;
}

Descriptor read_only(int writable) {
    // Mappings that exist stay writable; new ones, and those of others, are not.
    fcntl(writable, F_ADD_SEALS, F_SEAL_FUTURE_WRITE | F_SEAL_SEAL);
    return Descriptor(fcntl(writable, F_DUPFD_CLOEXEC, 0));
}

Event create_event() {
    Event event;
    event.wait = Descriptor(eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK));
    if (!event.wait) fail("cannot make an eventfd", errno);
    event.ring = Descriptor(fcntl(event.wait.get(), F_DUPFD_CLOEXEC, 0));
    if (!event.ring) fail("cannot copy an eventfd", errno);
    return event;
}

// Not the private kind: the word is in memory of several processes.
bool sleep_on(std::atomic<std::uint32_t>& word, std::uint32_t value, std::int64_t until) noexcept {
    timespec moment{};
    moment.tv_sec = static_cast<time_t>(until / kBillion);
    moment.tv_nsec = static_cast<long>(until % kBillion);
    const long result = syscall(SYS_futex, &word, FUTEX_WAIT_BITSET, value, &moment, nullptr, FUTEX_BITSET_MATCH_ANY);
    return result == 0 || errno != ETIMEDOUT;
}

void wake(std::atomic<std::uint32_t>& word) noexcept {
    syscall(SYS_futex, &word, FUTEX_WAKE, INT_MAX, nullptr, nullptr, 0);
}

Descriptor exit_of(int child) {
    Descriptor exit(static_cast<int>(syscall(SYS_pidfd_open, child, 0)));
    if (!exit) fail("cannot watch a worker process", errno);
    set_flags(exit.get(), false);
    return exit;
}

void close_others_in_child(void* file_actions, int first) {
    posix_spawn_file_actions_addclosefrom_np(static_cast<posix_spawn_file_actions_t*>(file_actions), first);
}

void drop_pages(std::byte* memory, std::size_t bytes) noexcept {
    madvise(memory, bytes, MADV_REMOVE);
}

void continue_when_parent_dies() noexcept {
    prctl(PR_SET_PDEATHSIG, SIGCONT);
}

std::uint32_t this_cpu() noexcept {
    const int cpu = sched_getcpu();
    return cpu < 0 ? kNoCpu : static_cast<std::uint32_t>(cpu);
}

// The set of processors is made smaller for an instant.
void leave_cpu(std::uint32_t cpu) noexcept {
    cpu_set_t allowed;
    // Fails on machines with more processors than the set has room for: then nothing is moved.
    if (cpu >= CPU_SETSIZE || sched_getaffinity(0, sizeof allowed, &allowed) != 0) return;
    cpu_set_t others = allowed;
    CPU_CLR(cpu, &others);
    if (CPU_COUNT(&others) == 0) return;
    if (sched_setaffinity(0, sizeof others, &others) == 0) sched_setaffinity(0, sizeof allowed, &allowed);
}

}  // namespace quarry::process::os::native
