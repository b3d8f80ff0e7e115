#include "process/bare.hpp"

#include <algorithm>
#include <array>
#include <atomic>
#include <climits>
#include <csignal>
#include <cstring>
#include <stdexcept>
#include <thread>
#include <vector>

#include <linux/futex.h>
#include <spawn.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include "jobs/measure.hpp"

extern char** environ;  // NOLINT(readability-redundant-declaration): POSIX has no header declare it

namespace quarry::bench {
namespace {

constexpr std::uint64_t kSlots = 512;
constexpr std::size_t kLine = 128;

struct Word {
    alignas(kLine) std::atomic<std::uint64_t> value{0};
};
struct Slot {
    std::array<std::uint64_t, 16> words{};
};

struct Page {
    Word jobs;
    Word results;
    std::array<Slot, kSlots> job_slots;
    std::array<Slot, kSlots> result_slots;
};

// Shared with a child that runs `serve` until it is killed.
template <class Shared>
class WithChild {
  public:
    template <class Serve>
    explicit WithChild(Serve serve) {
        void* memory = mmap(nullptr, sizeof(Shared), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
        if (memory == MAP_FAILED) throw std::runtime_error("no shared memory for the baseline");
        shared_ = new (memory) Shared();
        child_ = fork();
        if (child_ == 0) {
            serve(*shared_);
            _exit(0);
        }
    }
    ~WithChild() {
        kill(child_, SIGKILL);
        waitpid(child_, nullptr, 0);
        munmap(shared_, sizeof(Shared));
    }
    WithChild(const WithChild&) = delete;
    WithChild& operator=(const WithChild&) = delete;
    Shared& operator*() { return *shared_; }

  private:
    Shared* shared_ = nullptr;
    pid_t child_ = -1;
};

void relax() {
    __builtin_ia32_pause();
}

void serve_rings(Page& page) {
    for (std::uint64_t done = 0;;) {
        const std::uint64_t jobs = page.jobs.value.load(std::memory_order_acquire);
        if (done == jobs) relax();
        for (; done != jobs; ++done) {
            page.result_slots[done % kSlots].words[0] = page.job_slots[done % kSlots].words[0];
            page.results.value.store(done + 1, std::memory_order_release);
        }
    }
}

struct Pair {
    alignas(kLine) std::atomic<std::uint32_t> ask{0};
    alignas(kLine) std::atomic<std::uint32_t> answer{0};
};

void futex(std::atomic<std::uint32_t>& word, int operation, std::uint32_t value) {
    syscall(SYS_futex, &word, operation, value, nullptr, nullptr, 0);
}

void await_change(std::atomic<std::uint32_t>& word, std::uint32_t old, bool parked) {
    while (word.load(std::memory_order_acquire) == old) parked ? futex(word, FUTEX_WAIT, old) : relax();
}

void tell(std::atomic<std::uint32_t>& word, std::uint32_t value, bool parked) {
    word.store(value, std::memory_order_release);
    if (parked) futex(word, FUTEX_WAKE, INT_MAX);
}

double median(std::vector<double> values) {
    std::nth_element(values.begin(), values.begin() + static_cast<std::ptrdiff_t>(values.size() / 2), values.end());
    return values[values.size() / 2];
}

}  // namespace

double bare_rings(int jobs) {
    WithChild<Page> child(serve_rings);
    Page& page = *child;
    std::uint64_t sent = 0;
    std::uint64_t taken = 0;
    std::uint64_t sum = 0;
    const auto all = static_cast<std::uint64_t>(jobs);
    const std::int64_t start = now_ns();
    while (taken != all) {
        while (sent != all && sent - taken < kSlots) {
            page.job_slots[sent % kSlots].words[0] = sent;
            ++sent;
        }
        page.jobs.value.store(sent, std::memory_order_release);
        const std::uint64_t results = page.results.value.load(std::memory_order_acquire);
        for (; taken != results; ++taken) sum += page.result_slots[taken % kSlots].words[0];
    }
    keep(sum);
    return static_cast<double>(jobs) * 1e3 / static_cast<double>(now_ns() - start);
}

double bare_there_and_back(int rounds, bool parked) {
    WithChild<Pair> child([parked](Pair& pair) {
        for (std::uint32_t i = 0;; ++i) {
            await_change(pair.ask, i, parked);
            tell(pair.answer, i + 1, parked);
        }
    });
    Pair& pair = *child;
    std::vector<double> times;
    for (std::uint32_t i = 0; i < static_cast<std::uint32_t>(rounds); ++i) {
        if (parked) std::this_thread::sleep_for(std::chrono::milliseconds(1));
        const std::int64_t start = now_ns();
        tell(pair.ask, i + 1, parked);
        await_change(pair.answer, i, parked);
        times.push_back(static_cast<double>(now_ns() - start) / 1e3);
    }
    return median(times);
}

double bare_copy(std::size_t bytes, int rounds) {
    std::vector<char> from(bytes, 'x');
    std::vector<char> to(bytes, 'y');
    std::vector<double> times;
    for (int i = 0; i < rounds; ++i) {
        const std::int64_t start = now_ns();
        std::memcpy(to.data(), from.data(), bytes);
        asm volatile("" : : "r"(to.data()) : "memory");
        times.push_back(static_cast<double>(now_ns() - start) / 1e3);
    }
    return median(times);
}

double bare_start(int rounds) {
    std::vector<double> times;
    for (int i = 0; i < rounds; ++i) {
        const std::int64_t start = now_ns();
        std::array<int, 2> ends{};
        if (pipe(ends.data()) != 0) throw std::runtime_error("no pipe for the baseline");
        posix_spawn_file_actions_t actions;
        posix_spawn_file_actions_init(&actions);
        posix_spawn_file_actions_adddup2(&actions, ends[1], STDOUT_FILENO);
        std::string program = "/proc/self/exe";
        std::string word = "worker";
        std::string option = "--list";
        std::array<char*, 4> words{program.data(), word.data(), option.data(), nullptr};
        pid_t child = -1;
        posix_spawn(&child, program.c_str(), &actions, nullptr, words.data(), environ);
        posix_spawn_file_actions_destroy(&actions);
        close(ends[1]);
        char letter = 0;
        [[maybe_unused]] const auto got = read(ends[0], &letter, 1);
        times.push_back(static_cast<double>(now_ns() - start) / 1e6);
        close(ends[0]);
        waitpid(child, nullptr, 0);
    }
    return median(times);
}

}  // namespace quarry::bench
