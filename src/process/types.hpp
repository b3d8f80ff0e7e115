#pragma once

#include <cstdint>
#include <string>
#include <unordered_map>
#include <vector>

#include "quarry/process/job.hpp"
#include "quarry/process/stats.hpp"

namespace quarry::process::impl {

struct TypeEntry {
    std::uint64_t hash = 0;
    Retry retry = Retry::at_most_once;
    std::uint64_t estimate = 0;  // nanoseconds of a run, moving average; 0: not measured
    TypeStats stats;
};

class Types {
  public:
    static constexpr std::uint32_t kUnknown = 0xffff'ffff;

    // kUnknown: another name has that hash.
    std::uint32_t find_or_add(JobType type) {
        if (last_ < entries_.size() && entries_[last_].hash == type.hash()) return checked(last_, type);
        const auto [found, is_new] = by_hash_.try_emplace(type.hash(), static_cast<std::uint32_t>(entries_.size()));
        if (is_new) {
            TypeEntry entry;
            entry.hash = type.hash();
            entry.stats.name = std::string(type.name());
            entries_.push_back(std::move(entry));
        }
        last_ = found->second;
        return checked(last_, type);
    }
    TypeEntry& operator[](std::uint32_t index) { return entries_[index]; }
    const std::vector<TypeEntry>& all() const { return entries_; }

  private:
    std::uint32_t checked(std::uint32_t index, JobType type) const {
        return entries_[index].stats.name == type.name() ? index : kUnknown;
    }

    std::vector<TypeEntry> entries_;
    std::unordered_map<std::uint64_t, std::uint32_t> by_hash_;
    std::uint32_t last_ = 0;
};

}  // namespace quarry::process::impl
