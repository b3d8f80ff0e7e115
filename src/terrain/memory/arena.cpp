#include "terrain/memory/arena.hpp"

#include <algorithm>
#include <bit>
#include <new>

#include "terrain/memory/poison.hpp"
#include "terrain/os.hpp"

namespace quarry::terrain::impl {
namespace {

constexpr std::size_t kHeader = 16;
constexpr std::size_t kSmallestBlock = 64;
constexpr std::size_t kRegionHeader = 64;
constexpr std::uint32_t kInUse = 1;

}  // namespace

// What is handed out follows the header; in a free block the links lie there.
struct Arena::Block {
    std::uint32_t size_and_use;  // bytes with the header, a multiple of 16; the lowest bit says whether it is in use
    std::uint32_t before;        // bytes of the block before; 0 in a region's first
    std::uint64_t unused;        // what follows is aligned to 16
    Block* next;
    Block* previous;

    std::size_t size() const noexcept { return size_and_use & ~kInUse; }
    bool in_use() const noexcept { return (size_and_use & kInUse) != 0; }
    std::byte* memory() noexcept { return reinterpret_cast<std::byte*>(this) + kHeader; }
    Block* after() noexcept { return at(static_cast<std::ptrdiff_t>(size())); }
    Block* at(std::ptrdiff_t offset) noexcept {
        return reinterpret_cast<Block*>(reinterpret_cast<std::byte*>(this) + offset);
    }
    static Block* of(void* memory) noexcept {
        return reinterpret_cast<Block*>(static_cast<std::byte*>(memory) - kHeader);
    }
};

// At its end a region has a header without a block, which counts as in use.
struct Arena::Region {
    static constexpr std::size_t kWholeBlock = kRegionBytes - kRegionHeader - kHeader;

    Arena* arena;

    Block* first() noexcept { return reinterpret_cast<Block*>(reinterpret_cast<std::byte*>(this) + kRegionHeader); }
    static Region* of(void* memory) noexcept {
        const auto offset = reinterpret_cast<std::uintptr_t>(memory) & (kRegionBytes - 1);
        return reinterpret_cast<Region*>(static_cast<std::byte*>(memory) - offset);
    }
};

Arena::~Arena() {
    // All blocks are free, hence each region is one block.
    for (Block* block = first_of_list_from(0); block != nullptr; block = first_of_list_from(0)) {
        unlist(block);
        unpoison(Region::of(block), kRegionBytes);
        os::unmap(Region::of(block), kRegionBytes);
    }
}

void* Arena::take(std::size_t bytes) {
    const std::size_t size = std::max(kSmallestBlock, (bytes + kHeader + 15) & ~std::size_t{15});
    const std::scoped_lock lock(mutex_);
    Block* block = find(size);
    if (block == nullptr) block = add_region();
    unlist(block);
    if (block->size() == Region::kWholeBlock) --free_regions_;
    cut(block, size);
    block->size_and_use |= kInUse;
    used_ += block->size();
    unpoison(block->memory(), bytes);
    return block->memory();
}

void Arena::give_back(void* memory, std::size_t bytes) noexcept {
    Region* const region = Region::of(memory);
    poison(memory, bytes);
    Region* to_go = nullptr;
    {
        const std::scoped_lock lock(region->arena->mutex_);
        to_go = region->arena->free_block(Block::of(memory));
    }
    if (to_go != nullptr) {
        unpoison(to_go, kRegionBytes);
        os::unmap(to_go, kRegionBytes);
    }
}

MeshMemoryUse Arena::use() {
    const std::scoped_lock lock(mutex_);
    return {regions_ * kRegionBytes, used_};
}

// Eight lists for each doubling, from kSmallestBlock up.
std::size_t Arena::list_of(std::size_t size) noexcept {
    const auto doubling = static_cast<std::size_t>(std::bit_width(size)) - 1;
    return (doubling - 6) * 8 + (size >> (doubling - 3) & 7);
}

Arena::Block* Arena::find(std::size_t size) noexcept {
    // Of its own list some blocks may be too small; a few are looked at, as equal sizes come again and again.
    const std::size_t own = list_of(size);
    int tries = 4;
    for (Block* block = lists_[own]; block != nullptr && tries > 0; block = block->next, --tries) {
        if (block->size() >= size) return block;
    }
    return first_of_list_from(own + 1);
}

Arena::Block* Arena::first_of_list_from(std::size_t list) noexcept {
    for (std::size_t word = list / 64; word < has_blocks_.size(); ++word) {
        const std::uint64_t from = word == list / 64 ? ~std::uint64_t{0} << list % 64 : ~std::uint64_t{0};
        const std::uint64_t found = has_blocks_[word] & from;
        if (found != 0) return lists_[word * 64 + static_cast<std::size_t>(std::countr_zero(found))];
    }
    return nullptr;
}

Arena::Block* Arena::add_region() {
    void* const memory = os::map_aligned(kRegionBytes);
    if (memory == nullptr) throw std::bad_alloc();
    auto* const region = new (memory) Region{this};
    Block* const block = region->first();
    block->size_and_use = Region::kWholeBlock;
    block->before = 0;
    block->after()->size_and_use = kInUse;
    block->after()->before = Region::kWholeBlock;
    poison(block->memory() + sizeof(Block) - kHeader, Region::kWholeBlock - sizeof(Block));
    list(block);
    ++regions_;
    ++free_regions_;
    return block;
}

void Arena::list(Block* block) noexcept {
    const std::size_t list = list_of(block->size());
    unpoison(&block->next, 2 * sizeof(Block*));
    block->next = lists_[list];
    block->previous = nullptr;
    if (block->next != nullptr) block->next->previous = block;
    lists_[list] = block;
    has_blocks_[list / 64] |= std::uint64_t{1} << list % 64;
}

void Arena::unlist(Block* block) noexcept {
    const std::size_t list = list_of(block->size());
    if (block->next != nullptr) block->next->previous = block->previous;
    if (block->previous != nullptr) {
        block->previous->next = block->next;
        return;
    }
    lists_[list] = block->next;
    if (block->next == nullptr) has_blocks_[list / 64] &= ~(std::uint64_t{1} << list % 64);
}

// Makes what is more than size a free block of its own, where that is worth it.
void Arena::cut(Block* block, std::size_t size) noexcept {
    const std::size_t rest = block->size() - size;
    if (rest < kSmallestBlock) return;
    Block* const after = block->after();
    block->size_and_use = static_cast<std::uint32_t>(size);
    Block* const left = block->after();
    unpoison(left, kHeader);
    left->size_and_use = static_cast<std::uint32_t>(rest);
    left->before = static_cast<std::uint32_t>(size);
    after->before = static_cast<std::uint32_t>(rest);
    list(left);
}

// With the free neighbours, which are no longer listed then.
Arena::Block* Arena::join(Block* block) noexcept {
    Block* const after = block->after();
    std::size_t size = block->size();
    if (!after->in_use()) {
        unlist(after);
        size += after->size();
        poison(after, sizeof(Block));
    }
    if (block->before != 0) {
        Block* const before = block->at(-static_cast<std::ptrdiff_t>(block->before));
        if (!before->in_use()) {
            unlist(before);
            size += before->size();
            poison(block, kHeader);
            block = before;
        }
    }
    block->size_and_use = static_cast<std::uint32_t>(size);
    block->after()->before = block->size_and_use;
    return block;
}

Arena::Region* Arena::free_block(Block* block) noexcept {
    used_ -= block->size();
    block->size_and_use &= ~kInUse;
    block = join(block);
    if (block->size() == Region::kWholeBlock) {
        if (free_regions_ == kFreeRegionsKept) {
            --regions_;
            return Region::of(block);
        }
        ++free_regions_;
    }
    list(block);
    return nullptr;
}

}  // namespace quarry::terrain::impl
