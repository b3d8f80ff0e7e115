#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <mutex>

#include "quarry/terrain/mesh_memory.hpp"

namespace quarry::terrain::impl {

inline constexpr std::size_t kRegionBytes = std::size_t{2} * 1024 * 1024;

// Blocks of memory in regions of kRegionBytes, which are aligned to their size: a block's address tells its region, and
// that its arena. One thread allocates, any thread frees; a lock that is nearly always free keeps them apart.
//
// A block has the smallest size that will do: free ones are listed by size, eight lists for each doubling, and what is
// left of one is split off. Free neighbours are joined at once, so there are never two side by side. A region that is
// one free block goes back to the system, unless fewer than kFreeRegionsKept others are free.
class Arena {
  public:
    Arena() = default;
    Arena(const Arena&) = delete;
    Arena& operator=(const Arena&) = delete;
    ~Arena();  // when all has been given back

    // Up to kLargestInArena bytes, aligned to 16. Throws std::bad_alloc.
    void* take(std::size_t bytes);

    static void give_back(void* memory, std::size_t bytes) noexcept;

    MeshMemoryUse use();

    std::mutex& mutex() noexcept { return mutex_; }

    // So many regions without any block in use are kept.
    static constexpr std::size_t kFreeRegionsKept = 8;

  private:
    struct Block;
    struct Region;

    static constexpr std::size_t kLists = 128;

    static std::size_t list_of(std::size_t size) noexcept;
    Block* find(std::size_t size) noexcept;
    Block* first_of_list_from(std::size_t list) noexcept;
    Block* add_region();
    void list(Block* block) noexcept;
    void unlist(Block* block) noexcept;
    void cut(Block* block, std::size_t size) noexcept;
    Block* join(Block* block) noexcept;
    Region* free_block(Block* block) noexcept;  // a region that is to go, or null

    std::mutex mutex_;
    std::array<Block*, kLists> lists_{};
    std::array<std::uint64_t, kLists / 64> has_blocks_{};  // a bit for each list
    std::size_t regions_ = 0;
    std::size_t free_regions_ = 0;
    std::size_t used_ = 0;
};

}  // namespace quarry::terrain::impl
