#include <algorithm>
#include <array>
#include <cerrno>
#include <climits>
#include <csignal>
#include <cstring>
#include <ctime>
#include <system_error>
#include <tuple>

#include <fcntl.h>
#include <poll.h>
#include <sched.h>
#include <spawn.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include "process/os.hpp"
#include "quarry/jobs/error.hpp"

extern char** environ;  // NOLINT(readability-redundant-declaration): POSIX has no header declare it

namespace quarry::process::os {
namespace {

constexpr std::int64_t kMillion = 1'000'000;
// Above what a child may get, so that a number is never overwritten before it has been copied.
constexpr int kParkedDescriptors = 64;

int to_poll_timeout(std::int64_t nanoseconds) {
    return static_cast<int>(std::clamp<std::int64_t>((nanoseconds + kMillion - 1) / kMillion, 0, INT_MAX));
}

class FileActions {
  public:
    FileActions() { posix_spawn_file_actions_init(&actions_); }
    ~FileActions() { posix_spawn_file_actions_destroy(&actions_); }
    FileActions(const FileActions&) = delete;
    FileActions& operator=(const FileActions&) = delete;
    posix_spawn_file_actions_t* get() { return &actions_; }

  private:
    posix_spawn_file_actions_t actions_{};
};

class Attributes {
  public:
    Attributes() {
        posix_spawnattr_init(&attributes_);
        sigset_t none;
        sigset_t all;
        sigemptyset(&none);
        sigfillset(&all);
        posix_spawnattr_setsigmask(&attributes_, &none);
        posix_spawnattr_setsigdefault(&attributes_, &all);
        posix_spawnattr_setpgroup(&attributes_, 0);
        posix_spawnattr_setflags(&attributes_, POSIX_SPAWN_SETSIGMASK | POSIX_SPAWN_SETSIGDEF | POSIX_SPAWN_SETPGROUP);
    }
    ~Attributes() { posix_spawnattr_destroy(&attributes_); }
    Attributes(const Attributes&) = delete;
    Attributes& operator=(const Attributes&) = delete;
    posix_spawnattr_t* get() { return &attributes_; }

  private:
    posix_spawnattr_t attributes_{};
};

std::vector<char*> pointers_to(std::vector<std::string>& words) {
    std::vector<char*> pointers;
    for (std::string& word : words) pointers.push_back(word.data());
    pointers.push_back(nullptr);
    return pointers;
}

std::vector<std::string> environment_with(const std::vector<std::string>& extra) {
    std::vector<std::string> all = extra;
    for (char** each = environ; each != nullptr && *each != nullptr; ++each) {
        const std::string line(*each);
        const std::string name = line.substr(0, line.find('=') + 1);
        const bool replaced = std::any_of(extra.begin(), extra.end(), [&](const std::string& own) {
            return !name.empty() && own.compare(0, name.size(), name) == 0;
        });
        if (!replaced) all.push_back(line);
    }
    return all;
}

}  // namespace

void fail(const std::string& what, int error) {
    throw Error(what + ": " + std::generic_category().message(error));
}

void Descriptor::close() noexcept {
    if (number_ >= 0) ::close(number_);
    number_ = -1;
}

void set_flags(int descriptor, bool non_blocking) {
    fcntl(descriptor, F_SETFD, FD_CLOEXEC);
    if (non_blocking) fcntl(descriptor, F_SETFL, fcntl(descriptor, F_GETFL) | O_NONBLOCK);
}

Descriptor create_memory(Kind kind, std::size_t bytes) {
    if (kind == Kind::native) return native::create_memory(bytes);
    return std::move(portable::create_memory(bytes).writable);
}

SharedMemory create_memory_for_readers(Kind kind, std::size_t bytes, std::byte*& mapped) {
    SharedMemory memory;
    if (kind == Kind::native) {
        memory.writable = native::create_memory(bytes);
    } else {
        memory = portable::create_memory(bytes);
    }
    mapped = map_memory(memory.writable.get(), bytes, true);
    if (kind == Kind::native) memory.read_only = native::read_only(memory.writable.get());
    return memory;
}

std::byte* map_memory(int descriptor, std::size_t bytes, bool writable) {
    void* memory = mmap(nullptr, bytes, writable ? PROT_READ | PROT_WRITE : PROT_READ, MAP_SHARED, descriptor, 0);
    if (memory == MAP_FAILED) fail("cannot map " + std::to_string(bytes) + " bytes of shared memory", errno);
    return static_cast<std::byte*>(memory);
}

void unmap_memory(const std::byte* memory, std::size_t bytes) noexcept {
    munmap(const_cast<std::byte*>(memory), bytes);
}

void drop_pages(std::byte* memory, std::size_t bytes) noexcept {
    native::drop_pages(memory, bytes);
}

Event create_event(Kind kind) {
    return kind == Kind::native ? native::create_event() : portable::create_event();
}

// An eventfd takes eight bytes at a time and a pipe any number: both are happy with eight.
void ring_event(int ring) noexcept {
    const std::uint64_t one = 1;
    [[maybe_unused]] const auto written = write(ring, &one, sizeof one);
}

void clear_event(int wait) noexcept {
    std::array<char, 4096> bytes{};
    while (read(wait, bytes.data(), bytes.size()) == static_cast<ssize_t>(bytes.size())) {
    }
}

bool sleep_on(Kind kind, std::atomic<std::uint32_t>& word, std::uint32_t value, int event,
              std::int64_t until) noexcept {
    if (kind == Kind::native) return native::sleep_on(word, value, until);
    if (word.load(std::memory_order_relaxed) != value) return true;
    return portable::sleep_on(event, until);
}

void wake(Kind kind, std::atomic<std::uint32_t>& word, int event) noexcept {
    if (kind == Kind::native) {
        native::wake(word);
    } else {
        ring_event(event);
    }
}

std::int64_t monotonic_ns() noexcept {
    timespec now{};
    clock_gettime(CLOCK_MONOTONIC, &now);
    return static_cast<std::int64_t>(now.tv_sec) * 1'000'000'000 + now.tv_nsec;
}

std::uint32_t this_cpu(Kind kind) noexcept {
    return kind == Kind::native ? native::this_cpu() : kNoCpu;
}

void leave_cpu(std::uint32_t cpu) noexcept {
    if (cpu != kNoCpu) native::leave_cpu(cpu);
}

std::pair<Descriptor, Descriptor> create_pipe() {
    std::array<int, 2> ends{};
    if (pipe(ends.data()) != 0) fail("cannot make a pipe", errno);
    set_flags(ends[0], true);
    set_flags(ends[1], true);
    return {Descriptor(ends[0]), Descriptor(ends[1])};
}

Child spawn(Kind kind, const SpawnOptions& options) {
    std::vector<std::string> command = options.command;
    std::vector<std::string> environment = environment_with(options.environment);
    FileActions actions;
    Attributes attributes;
    posix_spawn_file_actions_addopen(actions.get(), STDIN_FILENO, "/dev/null", O_RDONLY, 0);
    if (options.output >= 0) {
        posix_spawn_file_actions_adddup2(actions.get(), options.output, STDOUT_FILENO);
        posix_spawn_file_actions_adddup2(actions.get(), options.output, STDERR_FILENO);
    }
    std::vector<int> given = options.descriptors;
    Descriptor exit_read;
    Descriptor exit_write;
    if (kind == Kind::portable) {
        std::tie(exit_read, exit_write) = create_pipe();
        given.push_back(exit_write.get());
    }
    std::vector<Descriptor> parked;
    int number = STDERR_FILENO + 1;
    for (const int each : given) {
        parked.emplace_back(fcntl(each, F_DUPFD_CLOEXEC, kParkedDescriptors));
        if (!parked.back()) {
            fail("cannot start a worker: this process may not open more files (ulimit -n is too low)", errno);
        }
        posix_spawn_file_actions_adddup2(actions.get(), parked.back().get(), number++);
    }
    if (kind == Kind::native) native::close_others_in_child(actions.get(), number);
    Child child;
    const int error = posix_spawnp(&child.number, command.at(0).c_str(), actions.get(), attributes.get(),
                                   pointers_to(command).data(), pointers_to(environment).data());
    if (error != 0) fail("cannot start the worker " + command[0], error);
    child.exit = kind == Kind::native ? native::exit_of(child.number) : std::move(exit_read);
    return child;
}

std::optional<ExitStatus> reap(int child) noexcept {
    siginfo_t info{};
    // First without taking the number away from the dead one, which keeps its group's number from being used again.
    if (waitid(P_PID, static_cast<id_t>(child), &info, WEXITED | WNOHANG | WNOWAIT) != 0) return ExitStatus{};
    if (info.si_pid == 0) return std::nullopt;
    kill_group(child);
    waitid(P_PID, static_cast<id_t>(child), &info, WEXITED | WNOHANG);
    return ExitStatus{info.si_code != CLD_EXITED, info.si_status};
}

void kill_group(int child) noexcept {
    kill(-child, SIGKILL);
    kill(child, SIGKILL);
}

bool is_kill(int signal) noexcept {
    return signal == SIGKILL;
}

std::string signal_name(int signal) {
    switch (signal) {
        case SIGKILL:
            return "SIGKILL";
        case SIGSEGV:
            return "SIGSEGV";
        case SIGABRT:
            return "SIGABRT";
        case SIGBUS:
            return "SIGBUS";
        case SIGILL:
            return "SIGILL";
        case SIGFPE:
            return "SIGFPE";
        case SIGTERM:
            return "SIGTERM";
        case SIGINT:
            return "SIGINT";
        case SIGHUP:
            return "SIGHUP";
        default:
            return "signal " + std::to_string(signal);
    }
}

void wait_for_any(const std::vector<int>& descriptors, std::vector<bool>& readable, std::int64_t timeout_ns) noexcept {
    std::vector<pollfd> waits;
    waits.reserve(descriptors.size());
    for (const int each : descriptors) waits.push_back({each, POLLIN, 0});
    const int ready = ::poll(waits.data(), waits.size(), to_poll_timeout(timeout_ns));
    readable.assign(descriptors.size(), false);
    if (ready <= 0) return;
    bool any = false;
    for (std::size_t i = 0; i < waits.size(); ++i) {
        readable[i] = waits[i].revents != 0 && (waits[i].revents & POLLNVAL) == 0;
        any = any || readable[i];
    }
    // The host has closed descriptors that are not its own. Without them there is nothing to wait for but the time.
    constexpr std::int64_t kLook = 50'000'000;
    if (!any) ::poll(nullptr, 0, to_poll_timeout(std::min(timeout_ns, kLook)));
}

void continue_when_parent_dies() noexcept {
    native::continue_when_parent_dies();
}

int parent_process() noexcept {
    return getppid();
}

int this_process() noexcept {
    return getpid();
}

bool limit_memory(std::uint64_t bytes) noexcept {
    const rlimit limit{bytes, bytes};
    return setrlimit(RLIMIT_DATA, &limit) == 0;
}

void end_group() noexcept {
    // Only a group that this process leads is its own.
    if (getpgrp() == getpid()) kill(0, SIGKILL);
    _exit(1);
}

Pipe watch_pipe(int read_end, std::int64_t timeout_ns) noexcept {
    pollfd wait{read_end, POLLIN, 0};
    if (::poll(&wait, 1, to_poll_timeout(timeout_ns)) <= 0) return Pipe::open;
    if ((wait.revents & POLLNVAL) != 0) return Pipe::not_there;
    char byte = 0;
    const auto got = read(read_end, &byte, 1);
    return got == 0 ? Pipe::closed : Pipe::open;
}

int usable_cpus() noexcept {
    cpu_set_t cpus;
    if (sched_getaffinity(0, sizeof cpus, &cpus) != 0) return 1;
    return std::max(1, CPU_COUNT(&cpus));
}

}  // namespace quarry::process::os
