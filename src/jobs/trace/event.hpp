#pragma once

#include <array>
#include <bit>
#include <cstdint>

#include "jobs/trace/ring.hpp"

namespace quarry::impl {

// What a ring holds, and how it is packed into four words.
struct Event {
    enum class Kind : std::uint8_t {
        span,      // `count` jobs that ran back to back, or one span of the program
        sampled,   // one job of about `count` that were run at once by the thread that spawned them
        numbered,  // a span of the program, number `job`
        instant,   // by name
        steal,     // `count` jobs from the thread `end`, as TraceOwner::pack has it
        submit,    // the job `job` was queued
        counter    // by name
    };

    std::uint64_t begin = 0;  // ticks
    std::uint64_t end = 0;    // ticks; of a counter the bits of its value
    const char* name = nullptr;
    Kind kind = Kind::instant;
    std::uint8_t lane = 0;
    std::uint16_t count = 0;
    std::uint64_t job = 0;  // which submitted job a span is of, the first of several; 0: none; or a number

    static constexpr std::size_t kWords = 4;
    using Words = std::array<std::uint64_t, kWords>;
    static constexpr unsigned kJobBits = 40;
    static constexpr std::uint64_t kMostJob = (std::uint64_t{1} << kJobBits) - 1;

    Words pack() const noexcept {
        return {begin, end, reinterpret_cast<std::uintptr_t>(name),
                static_cast<std::uint64_t>(kind) | static_cast<std::uint64_t>(lane) << 4 |
                    static_cast<std::uint64_t>(count) << 8 | job << (64 - kJobBits)};
    }
    static Event unpack(const Words& words) noexcept {
        return {words[0],
                words[1],
                reinterpret_cast<const char*>(static_cast<std::uintptr_t>(words[2])),
                static_cast<Kind>(words[3] & 0xf),
                static_cast<std::uint8_t>(words[3] >> 4 & 0xf),
                static_cast<std::uint16_t>(words[3] >> 8),
                words[3] >> (64 - kJobBits)};
    }

    bool is_span() const noexcept { return kind == Kind::span || kind == Kind::sampled || kind == Kind::numbered; }
    double value() const noexcept { return std::bit_cast<double>(end); }
};

using TraceRing = EventRing<DefaultAtomics, Event::kWords>;

}  // namespace quarry::impl
