#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

// What is tied to an operating system: shared memory, doorbells, processes. Two implementations: os_linux.cpp (memfd,
// futex, eventfd, pidfd) and os_portable.cpp (shm_open, pipes, waitpid), which any POSIX system has. os_posix.cpp
// holds what both have in common. docs/guide/processes.md says what each call would be on Windows and macOS.
namespace quarry::process::os {

enum class Kind : std::uint32_t { native = 0, portable = 1 };

// Owns a descriptor.
class Descriptor {
  public:
    Descriptor() = default;
    explicit Descriptor(int number) : number_(number) {}
    Descriptor(Descriptor&& other) noexcept : number_(std::exchange(other.number_, -1)) {}
    Descriptor& operator=(Descriptor&& other) noexcept {
        if (this != &other) {
            close();
            number_ = std::exchange(other.number_, -1);
        }
        return *this;
    }
    ~Descriptor() { close(); }

    int get() const { return number_; }
    explicit operator bool() const { return number_ >= 0; }
    void close() noexcept;

  private:
    int number_ = -1;
};

// Memory that has no name in any file system. A worker gets it by descriptor. Throws quarry::Error.
struct SharedMemory {
    Descriptor writable;
    Descriptor read_only;  // a worker that has only this one cannot write
};
// Where it is to be read-only for workers the calling process must map it before it makes the read-only descriptor.
Descriptor create_memory(Kind kind, std::size_t bytes);
std::byte* map_memory(int descriptor, std::size_t bytes, bool writable);
void unmap_memory(const std::byte* memory, std::size_t bytes) noexcept;
// The memory that create_memory made and this process has mapped: with a descriptor through which it cannot be written.
SharedMemory create_memory_for_readers(Kind kind, std::size_t bytes, std::byte*& mapped);
// Gives whole pages of shared memory back to the system; they read as zeros afterwards.
void drop_pages(std::byte* memory, std::size_t bytes) noexcept;

// A descriptor that becomes readable when rung, for poll(). Ringing never blocks.
struct Event {
    Descriptor wait;
    Descriptor ring;
};
Event create_event(Kind kind);
void ring_event(int ring) noexcept;
void clear_event(int wait) noexcept;

// Sleeps while the word in shared memory has that value, until woken or until a moment of the monotonic clock in
// nanoseconds. False: that has passed. The portable kind sleeps on the event instead of on the word.
bool sleep_on(Kind kind, std::atomic<std::uint32_t>& word, std::uint32_t value, int event, std::int64_t until) noexcept;
void wake(Kind kind, std::atomic<std::uint32_t>& word, int event) noexcept;

std::int64_t monotonic_ns() noexcept;

// The processor on which the calling thread runs; kNoCpu: the portable kind does not know.
inline constexpr std::uint32_t kNoCpu = ~std::uint32_t{0};
std::uint32_t this_cpu(Kind kind) noexcept;
// Moves the calling thread to another of its processors, if it has any other. It may be moved back at any time.
void leave_cpu(std::uint32_t cpu) noexcept;

struct SpawnOptions {
    std::vector<std::string> command;      // an executable's path, or its name in PATH, and its arguments
    std::vector<int> descriptors;          // become 3, 4, ... in the child; it gets no others but 0, 1, 2
    std::vector<std::string> environment;  // NAME=VALUE, on top of this process's own
    int output = -1;                       // standard output and error go there; -1: where those of this process go
};
struct Child {
    int number = -1;
    Descriptor exit;  // readable once it has ended; the portable kind may be late, so ask reap() now and then
};
// Starts a process, in a process group of its own, without a copy of this one. Throws quarry::Error.
Child spawn(Kind kind, const SpawnOptions& options);

struct ExitStatus {
    bool by_signal = false;
    int code = 0;  // the signal, or what it returned
};
// Never waits. Nothing: it still runs. Kills what is left of its group before its number becomes free.
std::optional<ExitStatus> reap(int child) noexcept;
void kill_group(int child) noexcept;
std::string signal_name(int signal);
// The one that a process cannot send itself by a mistake: somebody wanted its end.
bool is_kill(int signal) noexcept;

// Waits until one of the descriptors is readable or the time has passed; -1 entries are skipped. Marks those that are.
void wait_for_any(const std::vector<int>& descriptors, std::vector<bool>& readable, std::int64_t timeout_ns) noexcept;

// Worker: a stopped process must go on when the host dies, to see that it has.
void continue_when_parent_dies() noexcept;
int parent_process() noexcept;
int this_process() noexcept;
bool limit_memory(std::uint64_t bytes) noexcept;
// Worker: ends this process and its group at once.
[[noreturn]] void end_group() noexcept;
// Whether the other end of the pipe still stands, after waiting up to that long for it to close.
enum class Pipe { open, closed, not_there };
Pipe watch_pipe(int read_end, std::int64_t timeout_ns) noexcept;
std::pair<Descriptor, Descriptor> create_pipe();  // to read, to write
int usable_cpus() noexcept;

// The two kinds, chosen from by the functions above.
namespace native {
Descriptor create_memory(std::size_t bytes);
Descriptor read_only(int writable);
Event create_event();
bool sleep_on(std::atomic<std::uint32_t>& word, std::uint32_t value, std::int64_t until) noexcept;
void wake(std::atomic<std::uint32_t>& word) noexcept;
Descriptor exit_of(int child);
void close_others_in_child(void* file_actions, int first);
void drop_pages(std::byte* memory, std::size_t bytes) noexcept;
void continue_when_parent_dies() noexcept;
std::uint32_t this_cpu() noexcept;
void leave_cpu(std::uint32_t cpu) noexcept;
}  // namespace native
namespace portable {
SharedMemory create_memory(std::size_t bytes);
Event create_event();
bool sleep_on(int event, std::int64_t until) noexcept;
}  // namespace portable

[[noreturn]] void fail(const std::string& what, int error);
void set_flags(int descriptor, bool non_blocking);

}  // namespace quarry::process::os
