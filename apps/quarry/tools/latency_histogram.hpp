#pragma once

#include <array>
#include <cstdint>
#include <limits>

namespace quarry::app {

// Durations in a fixed amount of memory, however many. Least, greatest and mean are exact; a percentile is too great by
// at most 1/64 of itself.
class LatencyHistogram {
  public:
    void record(std::int64_t latency_ns) noexcept;
    void add(const LatencyHistogram& other) noexcept;

    std::uint64_t count() const noexcept { return count_; }
    // NaN while there is nothing.
    double mean() const noexcept;
    double least() const noexcept;
    double greatest() const noexcept;
    // The value that a share of all, 0 to 1, do not exceed.
    double percentile(double share) const noexcept;

  private:
    static constexpr int kFineBits = 6;
    static constexpr std::size_t kBuckets = std::size_t{1} << (kFineBits + 6);

    static std::size_t bucket_of(std::uint64_t value) noexcept;
    static std::uint64_t greatest_in(std::size_t bucket) noexcept;

    std::array<std::uint64_t, kBuckets> buckets_{};
    std::uint64_t count_ = 0;
    double sum_ = 0;
    std::uint64_t least_ = std::numeric_limits<std::uint64_t>::max();
    std::uint64_t greatest_ = 0;
};

}  // namespace quarry::app
