#include "jobs/os/os.hpp"

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstddef>
#include <ctime>
#include <limits>
#include <memory>
#include <thread>

#include <linux/futex.h>
#include <pthread.h>
#include <sched.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "jobs/os/cgroup.hpp"
#include "quarry/jobs/impl/context.hpp"

namespace quarry::impl::os {
namespace {

static_assert(sizeof(std::atomic<std::uint32_t>) == sizeof(std::uint32_t) &&
                  std::atomic<std::uint32_t>::is_always_lock_free,
              "the kernel reads the atomic as a plain word");

constexpr std::size_t kThreadNameBytes = 15;
constexpr std::uint64_t kCalibrationNanoseconds = 100'000;
constexpr int kMaskCpusAtFirst = 1024;
constexpr int kMaskCpusAtMost = 1 << 20;

std::uint64_t monotonic_nanoseconds() noexcept {
    timespec now{};
    clock_gettime(CLOCK_MONOTONIC, &now);
    return static_cast<std::uint64_t>(now.tv_sec) * 1'000'000'000 + static_cast<std::uint64_t>(now.tv_nsec);
}

}  // namespace

// Of a few tries the one in which the least time passed between the two reads, because a thread can lose its processor
// there.
ClockPair read_clocks() noexcept {
    constexpr int kTries = 5;
    ClockPair best{};
    std::uint64_t best_gap = std::numeric_limits<std::uint64_t>::max();
    for (int i = 0; i < kTries; ++i) {
        const std::uint64_t before = ticks();
        const std::uint64_t nanoseconds = monotonic_nanoseconds();
        const std::uint64_t gap = ticks() - before;
        if (gap < best_gap) {
            best_gap = gap;
            best = {before + gap / 2, nanoseconds};
        }
    }
    return best;
}

namespace {

std::uint64_t measure_ticks_per_microsecond() noexcept {
    const ClockPair start = read_clocks();
    while (monotonic_nanoseconds() - start.nanoseconds < kCalibrationNanoseconds) cpu_relax();
    const ClockPair end = read_clocks();
    const std::uint64_t elapsed = end.nanoseconds - start.nanoseconds;
    const std::uint64_t passed = end.ticks - start.ticks;
    return std::max<std::uint64_t>(1, (passed * 1000 + elapsed / 2) / elapsed);
}

std::atomic<std::uint64_t> forks{0};

void in_forked_child() noexcept {
    forks.fetch_add(1, std::memory_order_relaxed);
    current_context = nullptr;
}

struct FreeMask {
    void operator()(cpu_set_t* mask) const { CPU_FREE(mask); }
};

}  // namespace

void after_fork_in_child(void (*call)()) noexcept {
    pthread_atfork(nullptr, nullptr, call);
}

namespace {

constexpr std::size_t kBitsPerWord = 8 * sizeof(unsigned long);
constexpr std::size_t kSteerableCpus = 1024;

}  // namespace

void Placement::adopt_calling_thread() noexcept {
    allowed_.assign(kSteerableCpus / kBitsPerWord, 0);
    const long bytes = syscall(SYS_sched_getaffinity, 0, allowed_.size() * sizeof(unsigned long), allowed_.data());
    if (bytes <= 0) return;  // more CPUs than we steer for
    allowed_.resize(static_cast<std::size_t>(bytes) / sizeof(unsigned long));
    thread_.store(static_cast<int>(syscall(SYS_gettid)), std::memory_order_release);
}

void Placement::steer_away_from_caller() noexcept {
    const int thread = thread_.load(std::memory_order_acquire);
    const std::uint32_t rest = rests_.load(std::memory_order_relaxed);
    if (rest % 2 == 0) return;
    const int here = sched_getcpu();
    if (thread == 0 || here < 0 || static_cast<std::size_t>(here) >= allowed_.size() * kBitsPerWord) return;
    std::array<unsigned long, kSteerableCpus / kBitsPerWord> elsewhere{};
    std::copy(allowed_.begin(), allowed_.end(), elsewhere.begin());
    elsewhere[static_cast<std::size_t>(here) / kBitsPerWord] &=
        ~(1UL << (static_cast<std::size_t>(here) % kBitsPerWord));
    if (std::all_of(elsewhere.begin(), elsewhere.end(), [](unsigned long word) { return word == 0; })) return;
    steered_.store(true, std::memory_order_seq_cst);
    syscall(SYS_sched_setaffinity, thread, allowed_.size() * sizeof(unsigned long), elsewhere.data());
    if (rests_.load(std::memory_order_seq_cst) != rest) allow_all(thread);
}

void Placement::allow_all(int thread) noexcept {
    syscall(SYS_sched_setaffinity, thread, allowed_.size() * sizeof(unsigned long), allowed_.data());
}

// Only the thread itself changes the number.
void Placement::rest_begins() noexcept {
    rests_.store(rests_.load(std::memory_order_relaxed) + 1, std::memory_order_relaxed);
}

void Placement::rest_ends() noexcept {
    rests_.store(rests_.load(std::memory_order_relaxed) + 1, std::memory_order_seq_cst);
    if (!steered_.load(std::memory_order_seq_cst)) return;
    steered_.store(false, std::memory_order_relaxed);
    allow_all(0);
}

void yield_thread() noexcept {
    sched_yield();
}

void set_thread_name(const std::string& name) noexcept {
    char shortened[kThreadNameBytes + 1] = {};
    std::size_t length = std::min(name.size(), kThreadNameBytes);
    // A character of several bytes is kept whole or left out.
    while (length > 0 && length < name.size() && (static_cast<unsigned char>(name[length]) & 0xC0U) == 0x80U) --length;
    name.copy(shortened, length);
    pthread_setname_np(pthread_self(), shortened);
}

std::string process_name() {
    return program_invocation_short_name;
}

long process_number() noexcept {
    return getpid();
}

std::vector<int> affinity_cpus() {
    std::vector<int> cpus;
    // The kernel refuses a mask that is smaller than its own.
    for (int capacity = kMaskCpusAtFirst; capacity <= kMaskCpusAtMost; capacity *= 2) {
        const std::unique_ptr<cpu_set_t, FreeMask> mask(CPU_ALLOC(static_cast<std::size_t>(capacity)));
        if (!mask) break;
        const std::size_t bytes = CPU_ALLOC_SIZE(static_cast<std::size_t>(capacity));
        CPU_ZERO_S(bytes, mask.get());
        if (sched_getaffinity(0, bytes, mask.get()) == 0) {
            for (int cpu = 0; cpu < capacity; ++cpu) {
                if (CPU_ISSET_S(static_cast<std::size_t>(cpu), bytes, mask.get())) cpus.push_back(cpu);
            }
            break;
        }
        if (errno != EINVAL) break;
    }
    if (cpus.empty()) {
        const int count = std::max(1, static_cast<int>(std::thread::hardware_concurrency()));
        for (int cpu = 0; cpu < count; ++cpu) cpus.push_back(cpu);
    }
    return cpus;
}

int usable_cpus() {
    return usable_cpus("", 0);
}

int usable_cpus(const std::string& file_system_root, int affinity) {
    const int allowed = affinity > 0 ? affinity : static_cast<int>(affinity_cpus().size());
    return std::max(1, std::min(allowed, cgroup_cpu_limit(file_system_root).value_or(allowed)));
}

std::uint64_t ticks_per_microsecond() noexcept {
    static const std::uint64_t measured = measure_ticks_per_microsecond();
    return measured;
}

}  // namespace quarry::impl::os

namespace quarry::ext {

std::uint64_t fork_generation() noexcept {
    static const int registered = pthread_atfork(nullptr, nullptr, &impl::os::in_forked_child);
    static_cast<void>(registered);
    return impl::os::forks.load(std::memory_order_relaxed);
}

void around_fork(void (*before)(), void (*after)()) noexcept {
    pthread_atfork(before, after, after);
}

void sleep(std::atomic<std::uint32_t>& word, std::uint32_t expected) noexcept {
    syscall(SYS_futex, &word, FUTEX_WAIT_PRIVATE, expected, nullptr, nullptr, 0);
}

bool sleep_until(std::atomic<std::uint32_t>& word, std::uint32_t expected, std::int64_t deadline) noexcept {
    constexpr std::int64_t kSecond = 1'000'000'000;
    if (deadline <= 0) return false;
    timespec until{};
    until.tv_sec = static_cast<time_t>(deadline / kSecond);
    until.tv_nsec = static_cast<long>(deadline % kSecond);
    // Of the waits only the one with a bit set takes a moment and not a duration.
    const long result =
        syscall(SYS_futex, &word, FUTEX_WAIT_BITSET_PRIVATE, expected, &until, nullptr, FUTEX_BITSET_MATCH_ANY);
    return result == 0 || errno != ETIMEDOUT;
}

void wake_one(std::atomic<std::uint32_t>& word) noexcept {
    syscall(SYS_futex, &word, FUTEX_WAKE_PRIVATE, 1, nullptr, nullptr, 0);
}

void wake_all(std::atomic<std::uint32_t>& word) noexcept {
    syscall(SYS_futex, &word, FUTEX_WAKE_PRIVATE, std::numeric_limits<int>::max(), nullptr, nullptr, 0);
}

std::string thread_name() {
    char name[impl::os::kThreadNameBytes + 1] = {};
    pthread_getname_np(pthread_self(), name, sizeof name);
    return name;
}

}  // namespace quarry::ext
