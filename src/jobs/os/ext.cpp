// What layers that stand on jobs get of the operating system.
#include "jobs/os/os.hpp"
#include "quarry/jobs/ext/fork.hpp"
#include "quarry/jobs/ext/sleep.hpp"
#include "quarry/jobs/ext/thread_name.hpp"

namespace quarry::ext {

std::uint64_t fork_generation() noexcept {
    return impl::os::fork_generation();
}

void around_fork(void (*before)(), void (*after)()) noexcept {
    impl::os::around_fork(before, after);
}

void sleep(std::atomic<std::uint32_t>& word, std::uint32_t expected) noexcept {
    impl::os::futex_wait(word, expected);
}

bool sleep_until(std::atomic<std::uint32_t>& word, std::uint32_t expected, std::int64_t deadline) noexcept {
    return impl::os::futex_wait_until(word, expected, deadline);
}

void wake_one(std::atomic<std::uint32_t>& word) noexcept {
    impl::os::futex_wake_one(word);
}

void wake_all(std::atomic<std::uint32_t>& word) noexcept {
    impl::os::futex_wake_all(word);
}

std::string thread_name() {
    return impl::os::thread_name();
}

}  // namespace quarry::ext
