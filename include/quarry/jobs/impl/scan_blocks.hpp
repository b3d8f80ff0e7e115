#pragma once

#include <algorithm>
#include <concepts>
#include <cstddef>
#include <iterator>
#include <type_traits>
#include <utility>

namespace quarry::impl {

// The blocks of parallel_scan. Within a block b every result is carry(b) op prefix, where `prefix` starts
// anew at the block's first element, and carry(b + 1) is carry(b) op the block's last prefix. So a block can
// be scanned when its carry is known, and else be prepared without it; the results have the same bits either
// way.
template <class In, class Out, class T, class Op>
class ScanBlocks {
  public:
    ScanBlocks(In in, Out out, std::ptrdiff_t count, Op& op)
        : in_(in),
          out_(out),
          count_(count),
          block_(block_length(count)),
          blocks_((count + block_ - 1) / block_),
          op_(op) {}

    // Blocks that are swept together: that many chains of `op` hide each other's latency, and what one sweep leaves in
    // the cache the next one finds there.
    static constexpr std::ptrdiff_t kTogether = 4;

    // Blocks long enough to make their hand-over vanish, and some dozens of them for short ranges with a dear
    // op.
    static std::ptrdiff_t block_length(std::ptrdiff_t count) {
        return std::clamp<std::ptrdiff_t>(count / 64, 16, 4'096);
    }

    std::ptrdiff_t count() const { return blocks_; }

    // Scans the blocks [first, last). Returns the carry of the next block.
    T scan(std::ptrdiff_t first, std::ptrdiff_t last, T carry) {
        std::ptrdiff_t block = first;
        if constexpr (kPrefixesInPlace) {
            for (; block + kTogether <= last && is_full(block + kTogether - 1); block += kTogether) {
                write_four_prefixes(block);
                for (std::ptrdiff_t each = block; each < block + kTogether; ++each) carry = add_carry(each, carry);
            }
        }
        for (; block < last; ++block) carry = scan_block(block, std::move(carry));
        return carry;
    }

    // What can be done about [first, last) without a carry; calls total(block, its last prefix) for each block but the
    // last of all, of which nobody needs it.
    template <class Total>
    void prepare(std::ptrdiff_t first, std::ptrdiff_t last, Total total) {
        if constexpr (kPrefixesInPlace) {
            if (last - first == kTogether && is_full(last - 1)) {
                write_four_prefixes(first);
            } else {
                for (std::ptrdiff_t block = first; block < last; ++block) write_prefixes(block);
            }
            for (std::ptrdiff_t block = first; block < last; ++block) total(block, T(out_[end_of(block) - 1]));
        } else {
            for (std::ptrdiff_t block = first; block < std::min(last, blocks_ - 1); ++block) total(block, sum(block));
        }
    }

    // The rest for a block that was prepared.
    void finish(std::ptrdiff_t block, T carry) {
        if constexpr (kPrefixesInPlace) {
            add_carry(block, std::move(carry));
        } else {
            scan_block(block, std::move(carry));
        }
    }

  private:
    // Integers are not rounded, so the grouping makes no difference: one call of `op` an element will do.
    static constexpr bool kExact = std::integral<T> && std::integral<std::iter_value_t<In>>;
    // Prefixes can wait in the output for their carry, and a second sweep over them is cheap.
    static constexpr bool kPrefixesInPlace =
        !kExact && std::is_same_v<std::iter_reference_t<Out>, T&> && std::is_trivially_copyable_v<T> && sizeof(T) <= 16;

    using Written = std::iter_value_t<Out>;

    T scan_block(std::ptrdiff_t block, T carry) {
        if constexpr (kExact) {
            const std::ptrdiff_t end = end_of(block);
            for (std::ptrdiff_t i = block * block_; i < end; ++i) {
                carry = static_cast<T>(op_(std::as_const(carry), in_[i]));
                out_[i] = static_cast<Written>(carry);
            }
            return carry;
        } else {
            return scan_block_by_prefixes(block, std::move(carry));
        }
    }

    T scan_block_by_prefixes(std::ptrdiff_t block, T carry) {
        const std::ptrdiff_t end = end_of(block);
        std::ptrdiff_t i = block * block_;
        T prefix = static_cast<T>(in_[i]);
        while (true) {
            T result = static_cast<T>(op_(std::as_const(carry), std::as_const(prefix)));
            if (i + 1 == end) {
                out_[i] = static_cast<Written>(result);
                return result;
            }
            out_[i] = static_cast<Written>(std::move(result));
            ++i;
            prefix = static_cast<T>(op_(std::move(prefix), in_[i]));
        }
    }

    T sum(std::ptrdiff_t block) {
        const std::ptrdiff_t end = end_of(block);
        T prefix = static_cast<T>(in_[block * block_]);
        for (std::ptrdiff_t i = block * block_ + 1; i < end; ++i) {
            prefix = static_cast<T>(op_(std::move(prefix), in_[i]));
        }
        return prefix;
    }

    void write_prefixes(std::ptrdiff_t block) {
        const std::ptrdiff_t end = end_of(block);
        T prefix = static_cast<T>(in_[block * block_]);
        out_[block * block_] = prefix;
        for (std::ptrdiff_t i = block * block_ + 1; i < end; ++i) {
            prefix = static_cast<T>(op_(prefix, in_[i]));
            out_[i] = prefix;
        }
    }

    // Of full blocks. Four variables, because compilers keep those in registers; not inlined, because in the midst of
    // other code g++ 12 makes these loops a quarter slower.
    [[gnu::noinline]] void write_four_prefixes(std::ptrdiff_t block) {
        static_assert(kTogether == 4);
        const std::ptrdiff_t length = block_;
        const In in = in_ + block * length;
        const Out out = out_ + block * length;
        T a = static_cast<T>(in[0]);
        T b = static_cast<T>(in[length]);
        T c = static_cast<T>(in[2 * length]);
        T d = static_cast<T>(in[3 * length]);
        out[0] = a;
        out[length] = b;
        out[2 * length] = c;
        out[3 * length] = d;
        for (std::ptrdiff_t i = 1; i < length; ++i) {
            a = static_cast<T>(op_(a, in[i]));
            b = static_cast<T>(op_(b, in[length + i]));
            c = static_cast<T>(op_(c, in[2 * length + i]));
            d = static_cast<T>(op_(d, in[3 * length + i]));
            out[i] = a;
            out[length + i] = b;
            out[2 * length + i] = c;
            out[3 * length + i] = d;
        }
    }

    [[gnu::noinline]] T add_carry(std::ptrdiff_t block, T carry) {
        const Out out = out_ + block * block_;
        const std::ptrdiff_t length = end_of(block) - block * block_;
        for (std::ptrdiff_t i = 0; i < length; ++i) {
            out[i] = static_cast<T>(op_(std::as_const(carry), std::as_const(out[i])));
        }
        return out[length - 1];
    }

    bool is_full(std::ptrdiff_t block) const { return (block + 1) * block_ <= count_; }
    std::ptrdiff_t end_of(std::ptrdiff_t block) const { return std::min((block + 1) * block_, count_); }

    const In in_;
    const Out out_;
    const std::ptrdiff_t count_;
    const std::ptrdiff_t block_;
    const std::ptrdiff_t blocks_;
    Op& op_;
};

}  // namespace quarry::impl
