#include "quarry/ecs/impl/command_buffer.hpp"

#include <algorithm>
#include <atomic>
#include <new>
#include <string>

#include "ecs/command_limit.hpp"
#include "quarry/jobs/error.hpp"

namespace quarry::ecs::impl {
namespace {

constexpr std::size_t kChunkBytes = std::size_t{256} << 10;
constexpr std::size_t kChunkAlignment = 64;

}  // namespace

void ChunkDelete::operator()(std::byte* memory) const noexcept {
    ::operator delete[](memory, std::align_val_t{kChunkAlignment});
}

CommandBuffer::CommandBuffer() {
    // Room for more blocks than a program opens in years.
    constexpr int kBlockBits = 40;
    static std::atomic<std::uint64_t> buffers{0};
    call_ = buffers.fetch_add(1, std::memory_order_relaxed) << kBlockBits;
}

CommandBuffer::~CommandBuffer() {
    clear();
}

void CommandBuffer::begin_block(std::uint32_t system, std::uint64_t first, std::uint64_t last, bool always) {
    block_spawned_ = spawned_;
    inside_ = true;
    thread_ = this_thread();
    ++call_;
    if (open_ && always && segments_.back().system == system && segments_.back().last == first) {
        segments_.back().last = last;
        return;
    }
    open_ = false;
    system_ = system;
    first_ = first;
    last_ = last;
    if (always) open_segment();
}

void CommandBuffer::end_block() noexcept {
    inside_ = false;
    thread_ = nullptr;  // the segment stays open for the next block, but nobody may record
    if (!chunks_.empty()) chunks_[chunk_].used = static_cast<std::size_t>(cursor_ - chunks_[chunk_].memory.get());
}

CommandPlace CommandBuffer::place() const noexcept {
    if (chunks_.empty()) return {};
    return {chunk_, static_cast<std::size_t>(cursor_ - chunks_[chunk_].memory.get())};
}

void CommandBuffer::begin_recording() {
    if (!inside_) throw Error("Commands: can be used only while the system that they were handed to is called");
    if (thread_ != this_thread()) {
        throw Error("Commands: can be used only on the thread that calls the system, for the sake of their order");
    }
    open_segment();
}

void CommandBuffer::open_segment() {
    constexpr std::size_t kFirstSegments = 64;  // steals differ from tick to tick
    if (segments_.capacity() == 0) segments_.reserve(kFirstSegments);
    segments_.push_back({system_, worker_, first_, last_, this, place(), 0, 0});
    open_ = true;
}

void CommandBuffer::enter_chunk(std::size_t index) noexcept {
    chunk_ = index;
    chunks_[index].used = 0;
    cursor_ = chunks_[index].memory.get();
    end_ = cursor_ + chunks_[index].size;
}

void CommandBuffer::next_chunk(std::size_t bytes) {
    std::size_t index = 0;
    if (!chunks_.empty()) {
        chunks_[chunk_].used = static_cast<std::size_t>(cursor_ - chunks_[chunk_].memory.get());
        index = chunk_ + 1;
    }
    if (index == chunks_.size() || chunks_[index].size < bytes) {
        const std::size_t size = std::max(bytes, kChunkBytes);
        Chunk chunk;
        chunk.memory.reset(static_cast<std::byte*>(::operator new[](size, std::align_val_t{kChunkAlignment})));
        chunk.size = size;
        chunks_.insert(chunks_.begin() + static_cast<std::ptrdiff_t>(index), std::move(chunk));
    }
    enter_chunk(index);
}

void CommandBuffer::throw_full() const {
    throw TooManyCommands(told_limit_);
}

std::uint64_t CommandBuffer::spawned_number(std::uint64_t in_block, std::uint64_t call) const {
    if (!inside_ || call != call_ || in_block >= spawned_in_block()) {
        throw Error("Commands: an entity to be spawned can be used only in the call of the system that spawned it");
    }
    return block_spawned_ + in_block;
}

void CommandBuffer::clear() noexcept {
    for (const Segment& segment : segments_) {
        for_each(segment, [](Command& command) {
            if (command.type->discard != nullptr) command.type->discard(command);
        });
    }
    forget();
}

void CommandBuffer::forget() noexcept {
    segments_.clear();
    spawned_ = 0;
    block_spawned_ = 0;
    open_ = false;
    if (!chunks_.empty()) enter_chunk(0);
}

}  // namespace quarry::ecs::impl
