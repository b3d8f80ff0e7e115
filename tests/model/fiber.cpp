#include "fiber.hpp"

#include <cstdint>

#if defined(__SANITIZE_ADDRESS__)
#define MODEL_ADDRESS_SANITIZER 1
#elif defined(__has_feature)
#if __has_feature(address_sanitizer)
#define MODEL_ADDRESS_SANITIZER 1
#endif
#endif

#if defined(MODEL_ADDRESS_SANITIZER)
#include <sanitizer/asan_interface.h>
#include <sanitizer/common_interface_defs.h>
#endif

namespace model {

namespace {
Fiber* g_from = nullptr;
Fiber* g_to = nullptr;
}  // namespace

Fiber::Fiber(std::size_t stack_size) : stack_(new std::byte[stack_size]), size_(stack_size) {}

// Tells the address sanitizer which stack we are on now, and learns from it where the one we left lies.
void finish_switch([[maybe_unused]] Fiber& arrived) {
#if defined(MODEL_ADDRESS_SANITIZER)
    const void* bottom = nullptr;
    std::size_t size = 0;
    __sanitizer_finish_switch_fiber(arrived.fake_stack_, &bottom, &size);
    if (g_from->size_ == 0) {
        g_from->known_bottom_ = bottom;
        g_from->known_size_ = size;
    }
#endif
}

void fiber_entered() {
    finish_switch(*g_to);
}

#if defined(__x86_64__)

extern "C" void quarry_model_switch(void** from, void* to);

// Saves what the calling convention says a callee keeps, and continues where `to` was left.
asm(R"(
.text
.type quarry_model_switch,@function
quarry_model_switch:
    pushq %rbp
    pushq %rbx
    pushq %r12
    pushq %r13
    pushq %r14
    pushq %r15
    movq %rsp, (%rdi)
    movq %rsi, %rsp
    popq %r15
    popq %r14
    popq %r13
    popq %r12
    popq %rbx
    popq %rbp
    ret
.size quarry_model_switch,.-quarry_model_switch
)");

void Fiber::restart(Entry entry) {
#if defined(MODEL_ADDRESS_SANITIZER)
    __asan_unpoison_memory_region(stack_.get(), size_);
    fake_stack_ = nullptr;
#endif
    const auto end = reinterpret_cast<std::uintptr_t>(stack_.get() + size_) & ~std::uintptr_t{15};
    auto* top = reinterpret_cast<void**>(end);
    // Above the entry's address lies a zero in place of a return address, so that the stack is aligned as
    // after a call.
    *--top = nullptr;
    *--top = reinterpret_cast<void*>(entry);
    for (int i = 0; i < 6; ++i) *--top = nullptr;
    pointer_ = top;
}

#else

void Fiber::restart(Entry entry) {
#if defined(MODEL_ADDRESS_SANITIZER)
    __asan_unpoison_memory_region(stack_.get(), size_);
    fake_stack_ = nullptr;
#endif
    getcontext(&context_);
    context_.uc_stack.ss_sp = stack_.get();
    context_.uc_stack.ss_size = size_;
    context_.uc_link = nullptr;
    makecontext(&context_, entry, 0);
}

#endif

void Fiber::switch_to(Fiber& from, Fiber& to) {
    g_from = &from;
    g_to = &to;
#if defined(MODEL_ADDRESS_SANITIZER)
    const void* bottom = to.size_ != 0 ? to.stack_.get() : to.known_bottom_;
    __sanitizer_start_switch_fiber(&from.fake_stack_, bottom, to.size_ != 0 ? to.size_ : to.known_size_);
#endif
#if defined(__x86_64__)
    quarry_model_switch(&from.pointer_, to.pointer_);
#else
    swapcontext(&from.context_, &to.context_);
#endif
    finish_switch(from);
}

}  // namespace model
