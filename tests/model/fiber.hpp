#pragma once

#include <cstddef>
#include <memory>

#if !defined(__x86_64__)
#include <ucontext.h>
#endif

namespace model {

// A stack and a place to go on from. All threads of a model are fibers of one operating system thread: a
// switch costs nanoseconds and the order of events is the checker's alone. Default-constructed: the stack of
// whoever switches away.
class Fiber {
  public:
    using Entry = void (*)();

    Fiber() = default;
    explicit Fiber(std::size_t stack_size);
    Fiber(const Fiber&) = delete;
    Fiber& operator=(const Fiber&) = delete;

    // The next switch to this fiber calls entry, which must not return. What the stack held is dropped, not
    // unwound.
    void restart(Entry entry);
    static void switch_to(Fiber& from, Fiber& to);

  private:
    std::unique_ptr<std::byte[]> stack_;
    std::size_t size_ = 0;
#if defined(__x86_64__)
    void* pointer_ = nullptr;
#else
    ucontext_t context_{};
#endif
    // For the address sanitizer, which must be told of each switch.
    [[maybe_unused]] void* fake_stack_ = nullptr;
    [[maybe_unused]] const void* known_bottom_ = nullptr;
    [[maybe_unused]] std::size_t known_size_ = 0;
    friend void finish_switch(Fiber& arrived);
};

// Must be the first thing an entry does.
void fiber_entered();

}  // namespace model
