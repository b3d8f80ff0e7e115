#include "tools/latency_histogram.hpp"

#include <algorithm>
#include <bit>
#include <cmath>

namespace quarry::app {

// Below 2^(kFineBits + 1) every value has its bucket; above, each power of two is cut into 2^kFineBits of them.
std::size_t LatencyHistogram::bucket_of(std::uint64_t value) noexcept {
    const int shift = std::max(0, static_cast<int>(std::bit_width(value)) - kFineBits - 1);
    return (static_cast<std::size_t>(shift) << kFineBits) + static_cast<std::size_t>(value >> shift);
}

std::uint64_t LatencyHistogram::greatest_in(std::size_t bucket) noexcept {
    const std::size_t group = bucket >> kFineBits;
    if (group < 2) return bucket;
    const std::size_t shift = group - 1;
    const std::uint64_t mantissa = bucket - (shift << kFineBits);
    return ((mantissa + 1) << shift) - 1;
}

void LatencyHistogram::record(std::int64_t latency_ns) noexcept {
    const auto value = static_cast<std::uint64_t>(std::max<std::int64_t>(latency_ns, 0));
    ++buckets_[bucket_of(value)];
    ++count_;
    sum_ += static_cast<double>(value);
    least_ = std::min(least_, value);
    greatest_ = std::max(greatest_, value);
}

void LatencyHistogram::add(const LatencyHistogram& other) noexcept {
    for (std::size_t bucket = 0; bucket < kBuckets; ++bucket) buckets_[bucket] += other.buckets_[bucket];
    count_ += other.count_;
    sum_ += other.sum_;
    least_ = std::min(least_, other.least_);
    greatest_ = std::max(greatest_, other.greatest_);
}

double LatencyHistogram::mean() const noexcept {
    return count_ == 0 ? std::nan("") : sum_ / static_cast<double>(count_);
}

double LatencyHistogram::least() const noexcept {
    return count_ == 0 ? std::nan("") : static_cast<double>(least_);
}

double LatencyHistogram::greatest() const noexcept {
    return count_ == 0 ? std::nan("") : static_cast<double>(greatest_);
}

double LatencyHistogram::percentile(double share) const noexcept {
    if (count_ == 0) return std::nan("");
    const double place = std::ceil(share * static_cast<double>(count_));
    const auto wanted = static_cast<std::uint64_t>(std::clamp(place, 1.0, static_cast<double>(count_)));
    std::uint64_t seen = 0;
    for (std::size_t bucket = 0; bucket < kBuckets; ++bucket) {
        seen += buckets_[bucket];
        if (seen >= wanted) return static_cast<double>(std::min(greatest_in(bucket), greatest_));
    }
    return static_cast<double>(greatest_);
}

}  // namespace quarry::app
