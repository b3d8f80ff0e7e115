#pragma once

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <optional>
#include <span>
#include <vector>

#include "process/segment.hpp"

namespace quarry::process::impl {

// What is put behind each other into one payload.
using Parts = std::span<const std::span<const std::byte>>;

inline std::size_t bytes_of(Parts parts) {
    std::size_t bytes = 0;
    for (const auto& part : parts) bytes += part.size();
    return bytes;
}

inline void copy_parts(Parts parts, std::byte* to) {
    for (const auto& part : parts) {
        if (!part.empty()) std::memcpy(to, part.data(), part.size());
        to += part.size();
    }
}

// Payloads of jobs and broadcast state, once for all workers, which can only read them. Only the host takes and gives
// back, so the bits are its own.
class JobArena {
  public:
    JobArena(os::Kind kind, std::size_t bytes)
        : bytes_(SegmentShape::round_up(bytes)),
          memory_(os::create_memory_for_readers(kind, bytes_, mapped_)),
          words_(BlockMap<Atomics>::words_for(bytes_ / kBlockBytes)),
          map_(words_, bytes_ / kBlockBytes) {}
    ~JobArena() { os::unmap_memory(mapped_, bytes_); }
    JobArena(const JobArena&) = delete;
    JobArena& operator=(const JobArena&) = delete;

    std::optional<std::uint32_t> store(Parts payload, std::size_t length) {
        const std::size_t count = Segment::blocks_for(length);
        const auto first = map_.take(count, first_free_);
        if (!first) return std::nullopt;
        if (*first == first_free_) first_free_ += count;
        used_ += count;
        copy_parts(payload, mapped_ + *first * kBlockBytes);
        return static_cast<std::uint32_t>(*first);
    }
    void give(std::uint32_t first, std::size_t length) {
        const std::size_t count = Segment::blocks_for(length);
        map_.give(first, count);
        used_ -= count;
        if (first < first_free_) first_free_ = first;
    }

    std::size_t bytes() const { return bytes_; }
    std::size_t used_bytes() const { return used_ * kBlockBytes; }
    int descriptor_for_workers() const { return memory_.read_only.get(); }

  private:
    std::size_t bytes_;
    std::byte* mapped_ = nullptr;
    os::SharedMemory memory_;
    std::vector<Segment::Word> words_;
    BlockMap<Atomics> map_;
    std::size_t first_free_ = 0;  // every block before it is taken
    std::size_t used_ = 0;
};

}  // namespace quarry::process::impl
