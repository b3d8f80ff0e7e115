#pragma once

#include <array>
#include <bit>
#include <cstdint>

#include "jobs/trace/ring.hpp"

namespace quarry::impl {

// What a ring holds, and how it is packed into four words.
struct Event {
    enum class Kind : std::uint8_t {
        span,     // `count` jobs that ran back to back, or one span of the program
        sampled,  // one job of about `count` that were run at once by the thread that spawned them
        instant,  // by name
        steal,    // `count` jobs from the worker number `detail`
        counter   // by name
    };

    std::uint64_t begin = 0;  // ticks
    std::uint64_t end = 0;    // ticks; of a counter the bits of its value
    const char* name = nullptr;
    Kind kind = Kind::instant;
    std::uint8_t lane = 0;
    std::uint16_t detail = 0;
    std::uint32_t count = 0;

    static constexpr std::size_t kWords = 4;
    using Words = std::array<std::uint64_t, kWords>;

    Words pack() const noexcept {
        return {begin, end, reinterpret_cast<std::uintptr_t>(name),
                static_cast<std::uint64_t>(kind) | static_cast<std::uint64_t>(lane) << 8 |
                    static_cast<std::uint64_t>(detail) << 16 | static_cast<std::uint64_t>(count) << 32};
    }
    static Event unpack(const Words& words) noexcept {
        return {words[0],
                words[1],
                reinterpret_cast<const char*>(static_cast<std::uintptr_t>(words[2])),
                static_cast<Kind>(words[3] & 0xff),
                static_cast<std::uint8_t>(words[3] >> 8),
                static_cast<std::uint16_t>(words[3] >> 16),
                static_cast<std::uint32_t>(words[3] >> 32)};
    }

    bool is_span() const noexcept { return kind == Kind::span || kind == Kind::sampled; }
    double value() const noexcept { return std::bit_cast<double>(end); }
};

using TraceRing = EventRing<DefaultAtomics, Event::kWords>;

}  // namespace quarry::impl
