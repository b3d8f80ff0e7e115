#pragma once

#include <cstdint>

#include "jobs/rows/context.hpp"
#include "jobs/rows/fork.hpp"

// A chain of jobs, each of which continues the one before with its value. A thread outside the pool makes link by link
// while the first ones run already, then waits for the last. An engine that can has
//   std::uint64_t then_chain(std::uint64_t links)
// which gives what chain_link makes of 0, link by link.
namespace quarry::bench {

inline constexpr std::uint64_t kThenLinks = 1'000'000;

// Another value if a link is left out, called twice or called out of order.
inline std::uint64_t chain_link(std::uint64_t value, std::uint64_t link) {
    return value * 6'364'136'223'846'793'005u + link;
}

inline std::uint64_t chain_value(std::uint64_t links) {
    std::uint64_t value = 0;
    for (std::uint64_t link = 0; link < links; ++link) value = chain_link(value, link);
    return value;
}

template <class E>
void run_then(E& engine, RowContext& context) {
    const std::uint64_t expected = chain_value(kThenLinks);
    engine.outside([&] {
        const double seconds = seconds_per_call(context.min_seconds(),
                                                [&] { require(engine.then_chain(kThenLinks) == expected, "then"); });
        context.add_time("then", seconds / static_cast<double>(kThenLinks));
    });
}

}  // namespace quarry::bench
