#pragma once

#include <algorithm>
#include <concepts>
#include <cstddef>
#include <functional>
#include <iterator>
#include <memory>
#include <ranges>
#include <span>
#include <stdexcept>
#include <type_traits>

#include "quarry/jobs/fwd.hpp"
#include "quarry/jobs/impl/map_indices.hpp"
#include "quarry/jobs/impl/misuse.hpp"

namespace quarry {

namespace impl {

// Says in one line what is wrong with the result of a function that maps.
template <class R>
constexpr bool check_mapped() {
    constexpr bool kGivesSomething = !std::is_void_v<R>;
    constexpr bool kMovable = !kGivesSomething || std::is_move_constructible_v<std::remove_cvref_t<R>>;
    static_assert(kGivesSomething, "parallel_map: the function returns nothing; use parallel_for");
    static_assert(kMovable, "parallel_map: a result can neither be moved nor copied; return a std::unique_ptr to it");
    return kGivesSomething && kMovable;
}

}  // namespace impl

// {f(range[0]), f(range[1]), ...}, in order. `f` may be called from several threads at once. Results need
// only be movable. When `f` throws, all results that exist are destroyed before the error is rethrown.
template <std::ranges::random_access_range Range, class F>
requires std::invocable<F&, std::ranges::range_reference_t<Range>>
auto parallel_map(Pool& pool, Range&& range, F f) {
    using Difference = std::ranges::range_difference_t<Range>;
    if constexpr (impl::check_mapped<std::invoke_result_t<F&, std::ranges::range_reference_t<Range>>>()) {
        const auto first = std::ranges::begin(range);
        return impl::map_indices(
            pool, static_cast<std::size_t>(std::ranges::distance(range)),
            [&f, first](std::size_t i) -> decltype(auto) { return std::invoke(f, first[static_cast<Difference>(i)]); });
    } else {
        return impl::Misused{};
    }
}

// Consecutive elements of a range whose elements do not lie in one piece.
template <std::random_access_iterator I>
class ChunkView {
  public:
    // So many elements from there on, as a range.
    ChunkView(I first, std::iter_difference_t<I> count) : first_(first), count_(count) {}
    I begin() const { return first_; }
    I end() const { return first_ + count_; }
    std::size_t size() const { return static_cast<std::size_t>(count_); }
    std::iter_reference_t<I> operator[](std::size_t i) const {
        return first_[static_cast<std::iter_difference_t<I>>(i)];
    }

  private:
    I first_;
    std::iter_difference_t<I> count_;
};

namespace impl {

template <std::random_access_iterator I>
auto chunk_at(I first, std::iter_difference_t<I> count) {
    if constexpr (std::contiguous_iterator<I>) {
        return std::span(std::to_address(first), static_cast<std::size_t>(count));
    } else {
        return ChunkView<I>(first, count);
    }
}

}  // namespace impl

// One result for every `chunk` consecutive elements, in order; the last chunk may be shorter. `f` gets a
// std::span, or a ChunkView when the elements are not contiguous. As parallel_map otherwise.
template <std::ranges::random_access_range Range, class F>
auto chunk_map(Pool& pool, Range&& range, std::size_t chunk, F f) {
    if (chunk == 0) throw std::invalid_argument("chunk_map: chunk is 0; it must be at least 1");
    const auto first = std::ranges::begin(range);
    using Difference = std::ranges::range_difference_t<Range>;
    const auto count = static_cast<std::size_t>(std::ranges::distance(range));
    const std::size_t chunks = count / chunk + (count % chunk != 0);
    using Chunk = decltype(impl::chunk_at(first, Difference{}));
    if constexpr (impl::check_mapped<std::invoke_result_t<F&, Chunk>>()) {
        return impl::map_indices(pool, chunks, [&f, first, chunk, count](std::size_t i) -> decltype(auto) {
            const std::size_t length = std::min(chunk, count - i * chunk);
            return std::invoke(
                f, impl::chunk_at(first + static_cast<Difference>(i * chunk), static_cast<Difference>(length)));
        });
    } else {
        return impl::Misused{};
    }
}

}  // namespace quarry
