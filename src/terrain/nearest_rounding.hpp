#pragma once

#include <cfenv>
#include <cstdint>

#if defined(__SSE2__)
#include <xmmintrin.h>
#endif

namespace quarry::terrain::impl {

// While it lives, this thread rounds to nearest and keeps numbers below the smallest normal one: hosts change both, and
// every bit that terrain promises depends on them. Costs a nanosecond where nothing has to be changed.
class NearestRounding {
  public:
#if defined(__SSE2__)
    NearestRounding() noexcept : before_(_mm_getcsr()) {
        if ((before_ & kNotOurs) != 0) set(before_ & ~kNotOurs);
    }
    ~NearestRounding() {
        if ((before_ & kNotOurs) != 0) set(before_);
    }
#elif defined(__aarch64__)
    NearestRounding() noexcept {
        asm volatile("mrs %0, fpcr" : "=r"(before_));
        if ((before_ & kNotOurs) != 0) set(before_ & ~kNotOurs);
    }
    ~NearestRounding() {
        if ((before_ & kNotOurs) != 0) set(before_);
    }
#else
    NearestRounding() noexcept : before_(std::fegetround()) {
        if (before_ != FE_TONEAREST) std::fesetround(FE_TONEAREST);
    }
    ~NearestRounding() {
        if (before_ != FE_TONEAREST) std::fesetround(before_);
    }
#endif
    NearestRounding(const NearestRounding&) = delete;
    NearestRounding& operator=(const NearestRounding&) = delete;

    // The value, as computed up to here. The fences below hold memory that others can see; what is passed or returned
    // by value, the compiler may compute with ahead of the change of mode, or behind the change back. (Clang does.)
    template <class Value>
    Value here(Value value) const noexcept {
        asm volatile("" : "+m"(value));
        return value;
    }

  private:
    // The fences keep the compiler from reading operands ahead of the change, or writing results behind it.
#if defined(__SSE2__)
    // The rounding mode, flush to zero, denormals are zero.
    static constexpr std::uint32_t kNotOurs = 0x6000U | 0x8000U | 0x0040U;

    static void set(std::uint32_t mode) noexcept {
        asm volatile("" ::: "memory");
        _mm_setcsr(mode);
        asm volatile("" ::: "memory");
    }
    std::uint32_t before_;
#elif defined(__aarch64__)
    // The rounding mode, flush to zero.
    static constexpr std::uint64_t kNotOurs = std::uint64_t{7} << 22;

    static void set(std::uint64_t mode) noexcept {
        asm volatile("msr fpcr, %0" ::"r"(mode) : "memory");
    }
    std::uint64_t before_ = 0;
#else
    int before_;
#endif
};

}  // namespace quarry::terrain::impl
