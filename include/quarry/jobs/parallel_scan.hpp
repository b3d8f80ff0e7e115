#pragma once

#include <concepts>
#include <ranges>
#include <stdexcept>
#include <string>
#include <utility>

#include "quarry/export.hpp"
#include "quarry/jobs/fwd.hpp"
#include "quarry/jobs/impl/scan_shared.hpp"

namespace quarry {

// Inclusive prefix: out[i] = identity op in[0] op ... op in[i]. `out` may be `in` itself, but not overlap it
// otherwise; it may be longer than `in`, and what is beyond is left alone.
//
// `op` must be associative (up to rounding; on integers: exactly) but need not be commutative, and may be called
// from several threads at once. The range is cut into blocks by its length alone, so that floating-point results
// have the same bits for any number of workers. About two calls of `op` an element on one worker, or one on
// integers; up to three on several. T need only be copyable. When `op` throws, `out` holds valid elements of which some
// have been written.
template <std::ranges::random_access_range In, std::ranges::random_access_range Out, std::copyable T, class Op>
void parallel_scan(Pool& pool, In&& in, Out&& out, T identity, Op op) {
    const std::ptrdiff_t count = std::ranges::distance(in);
    const std::ptrdiff_t room = std::ranges::distance(out);
    if (room < count) {
        throw std::invalid_argument("parallel_scan: out has " + std::to_string(room) +
                                    " elements; it must have at least as many as in, which has " +
                                    std::to_string(count));
    }
    impl::scan_on(pool, std::ranges::begin(in), std::ranges::begin(out), count, std::move(identity), op);
}

}  // namespace quarry
