#pragma once

#include <type_traits>
#include <utility>

#include "quarry/jobs/impl/join_frame.hpp"
#include "quarry/jobs/impl/shared_pool.hpp"
#include "quarry/jobs/pool.hpp"

namespace quarry {

namespace impl {

template <class F, class G>
[[gnu::cold, gnu::noinline]] auto join_in_shared_pool(F f, G g) {
    const SharedPoolUse use;
    return join_as_guest<Passed<F>, Passed<G>>(use.pool(), std::forward<F>(f), std::forward<G>(g));
}

}  // namespace impl

// Runs f and g, at the same time if another worker is free, and returns both results as a pair (void becomes
// std::monostate). Within a job or scope it uses the current pool, elsewhere Pool::shared().
//
// If f throws, g is not run unless it has started; if both throw, f's exception is the one that gets out. g runs on
// the calling thread or on another one; f always on the calling thread. The cost where nobody is free is a few
// instructions, so there is no need for a cut-off in a recursion.
template <class F, class G>
auto join(F&& f, G&& g) {
    if constexpr (impl::check_join<F, G>()) {
        if (impl::WorkerContext* const context = impl::current_context) [[likely]] {
            return impl::join_on<F, G>(*context, f, g);
        }
        return impl::join_in_shared_pool<impl::Passed<F>, impl::Passed<G>>(std::forward<F>(f), std::forward<G>(g));
    } else {
        return impl::Misused{};
    }
}

// Offers the oldest closure that waits on this worker to idle workers. Closures of `join` are offered when the
// worker passes another join, loop or poll_point: a long serial stretch inside one hides the older ones meanwhile.
inline void poll_point() noexcept {
    if (impl::WorkerContext* const context = impl::current_context) impl::poll(*context);
}

}  // namespace quarry
