#pragma once

#include <algorithm>
#include <cstddef>
#include <memory>
#include <new>
#include <type_traits>
#include <utility>
#include <vector>

#include "quarry/jobs/parallel_for.hpp"
#include "quarry/jobs/pool.hpp"

namespace quarry::impl {

// Room for results that are built in any order. They are built in runs of fixed length, each by one thread
// from front to back, so that one count a run tells what exists and has to be destroyed.
template <class R>
class RunBuffer {
  public:
    explicit RunBuffer(std::size_t count)
        : count_(count),
          run_length_(std::clamp<std::size_t>(count / 1'024, 1, 64)),
          built_((count + run_length_ - 1) / run_length_, 0),
          results_(std::allocator<R>().allocate(count)) {}
    RunBuffer(const RunBuffer&) = delete;
    RunBuffer& operator=(const RunBuffer&) = delete;
    ~RunBuffer() {
        for (std::size_t run = 0; run < built_.size(); ++run) std::destroy_n(results_ + run * run_length_, built_[run]);
        std::allocator<R>().deallocate(results_, count_);
    }

    std::size_t runs() const { return built_.size(); }
    R* begin() { return results_; }
    R* end() { return results_ + count_; }

    template <class Make>
    void build_run(std::size_t run, const Make& make) {
        const std::size_t first = run * run_length_;
        const std::size_t last = std::min(first + run_length_, count_);
        BuiltSoFar so_far(built_[run]);
        for (std::size_t i = first; i < last; ++i) {
            ::new (static_cast<void*>(results_ + i)) R(make(i));
            ++so_far.count;
        }
    }

  private:
    // Notes the count once, also on an exception: neighbouring counts belong to other threads' runs.
    struct BuiltSoFar {
        explicit BuiltSoFar(std::size_t& where) : noted(where) {}
        BuiltSoFar(const BuiltSoFar&) = delete;
        BuiltSoFar& operator=(const BuiltSoFar&) = delete;
        ~BuiltSoFar() { noted = count; }
        std::size_t& noted;
        std::size_t count = 0;
    };

    const std::size_t count_;
    const std::size_t run_length_;
    std::vector<std::size_t> built_;
    R* const results_;
};

// {make(0), make(1), ... make(count - 1)}
template <class Make>
auto map_indices(Pool& pool, std::size_t count, const Make& make) {
    using R = std::remove_cvref_t<std::invoke_result_t<const Make&, std::size_t>>;
    static_assert(std::is_move_constructible_v<R>, "results are kept in a std::vector: they must be movable values");
    // The elements of std::vector<bool> share bytes, so threads cannot write them one by one.
    if constexpr (std::is_trivially_default_constructible_v<R> && std::is_trivially_copyable_v<R> &&
                  std::is_copy_assignable_v<R> && !std::is_same_v<R, bool>) {
        std::vector<R> results(count);
        parallel_for(pool, std::size_t{0}, count, [&](std::size_t i) { results[i] = make(i); });
        return results;
    } else {
        RunBuffer<R> buffer(count);
        parallel_for(pool, std::size_t{0}, buffer.runs(), [&](std::size_t run) { buffer.build_run(run, make); });
        return std::vector<R>(std::move_iterator(buffer.begin()), std::move_iterator(buffer.end()));
    }
}

}  // namespace quarry::impl
