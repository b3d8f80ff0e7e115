#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <vector>

#include "quarry/export.hpp"
#include "quarry/jobs/impl/context.hpp"

// How commands are kept until they are applied; commands.hpp has the public names.
//
// Each thread that runs systems has one buffer: a list of chunks of memory in which commands follow each other, each
// with its payload behind it. What one system recorded for a run of neighbouring entities is a segment. Applying takes
// the segments in the order (system, first entity), so who recorded what where leaves no trace.
namespace quarry::ecs::impl {

enum class CommandKind : std::uint8_t { spawn, despawn, add, set, remove, custom };

struct Command;

// What became of a command.
enum class Applied : std::uint8_t { yes, entity_is_gone, has_no_component };

// How a command changes one storage of a world whose storages do not depend on each other. Whether the entity is alive
// was decided before.
struct StorageChange {
    std::size_t (*storage)(void* world);  // its number; makes it where it is missing
    Applied (*apply)(void* world, Command& command, std::uint64_t entity);
};

// What such a world can do without the types of its components.
struct IndependentStorages {
    bool (*alive)(const void* world, std::uint64_t entity);
    void (*retire)(void* world, std::uint64_t entity);  // ends the entity; its components stay
    std::size_t (*count)(const void* world);
    void (*erase)(void* world, std::size_t storage, std::uint64_t entity);
};

struct CommandType {
    CommandKind kind;
    // entity: resolved already; for a spawn it is where the new one goes.
    Applied (*apply)(void* world, Command& command, std::uint64_t& entity);
    // Destroys the payload; null: there is nothing to destroy.
    void (*discard)(Command& command) noexcept;
    const StorageChange* change;  // null: it changes no single storage, or the world has none
};

struct Command {
    const CommandType* type;
    std::uint64_t entity;  // or the number of a spawned one
    std::uint32_t bytes;   // to the next command
    bool to_spawned;       // the entity is one that this buffer spawned
    std::uint8_t payload;  // from the start of the command
};
static_assert(sizeof(Command) == 24);

struct ChunkDelete {
    QUARRY_API void operator()(std::byte* memory) const noexcept;
};

struct Chunk {
    std::unique_ptr<std::byte[], ChunkDelete> memory;  // aligned for any payload
    std::size_t size = 0;
    std::size_t used = 0;
};

// A place between two commands.
struct CommandPlace {
    std::size_t chunk = 0;
    std::size_t offset = 0;
};

class CommandBuffer;

// What one system recorded for [first, last) on one thread.
struct Segment {
    std::uint32_t system;
    std::uint32_t worker;
    std::uint64_t first;
    std::uint64_t last;
    CommandBuffer* buffer;
    CommandPlace begin;
    std::uint64_t commands;
    std::uint64_t custom;  // of them, commands that may touch anything
};

class CommandBuffer {
  public:
    QUARRY_API CommandBuffer();
    CommandBuffer(const CommandBuffer&) = delete;
    CommandBuffer& operator=(const CommandBuffer&) = delete;
    QUARRY_API ~CommandBuffer();

    // From here on commands are those of the system for [first, last). `always`: it is a segment even if empty.
    QUARRY_API void begin_block(std::uint32_t system, std::uint64_t first, std::uint64_t last, bool always);
    QUARRY_API void end_block() noexcept;

    // Room for a command with a payload of that size; the type is still to be set, when the payload was made.
    // Throws quarry::Error outside of a system, and beyond the limit.
    Command& append(std::size_t payload_bytes, std::size_t alignment) {
        if (!open_ || thread_ != this_thread()) [[unlikely]]
            begin_recording();
        if (segments_.back().commands >= limit_) [[unlikely]]
            throw_full();
        const std::size_t bytes =
            (sizeof(Command) + payload_bytes + (alignment > 8 ? alignment : 0) + 7) & ~std::size_t{7};
        if (end_ - cursor_ < static_cast<std::ptrdiff_t>(bytes)) [[unlikely]]
            next_chunk(bytes);
        auto& command = *reinterpret_cast<Command*>(cursor_);
        command.bytes = static_cast<std::uint32_t>(bytes);
        return command;
    }
    // The command is whole.
    void commit(const Command& command) noexcept {
        cursor_ += command.bytes;
        ++segments_.back().commands;
        if (command.type->kind == CommandKind::custom) ++segments_.back().custom;
    }

    std::uint64_t spawned_in_block() const noexcept { return spawned_ - block_spawned_; }
    std::uint64_t add_spawned() noexcept { return spawned_++; }
    // Which block is open, among all of all buffers.
    std::uint64_t call() const noexcept { return call_; }
    QUARRY_API std::uint64_t spawned_number(std::uint64_t in_block, std::uint64_t call) const;

    // Visits the commands of a segment in order.
    template <class Visit>
    void for_each(const Segment& segment, Visit visit) {
        CommandPlace place = segment.begin;
        for (std::uint64_t i = 0; i < segment.commands; ++i) visit(next(place));
    }
    // The command at a place, which moves on.
    Command& next(CommandPlace& place) {
        if (place.offset >= chunks_[place.chunk].used) place = {place.chunk + 1, 0};
        auto& command = *reinterpret_cast<Command*>(chunks_[place.chunk].memory.get() + place.offset);
        place.offset += command.bytes;
        return command;
    }

    // Destroys what was not applied, and forgets everything but the memory.
    QUARRY_API void clear() noexcept;
    // The payloads were destroyed already.
    void forget() noexcept;

    std::vector<Segment>& segments() noexcept { return segments_; }
    std::vector<std::uint64_t>& resolved() noexcept { return resolved_; }
    std::uint64_t spawned() const noexcept { return spawned_; }
    // Commands that the open system may record: in one segment, or as many as its other segments leave it.
    void set_limit(std::uint64_t limit) noexcept { limit_ = told_limit_ = limit; }
    void leave_at_most(std::uint64_t commands) noexcept { limit_ = segment_commands() + commands; }
    // Of the segment that is open.
    std::uint64_t segment_commands() const noexcept { return open_ ? segments_.back().commands : 0; }
    void set_worker(std::uint32_t worker) noexcept { worker_ = worker; }

    std::uint64_t failed_at = 0;  // the entity at which a system that visits one by one has thrown

  private:
    // A thread has one, and no two at a time have the same.
    static const void* this_thread() noexcept { return &quarry::impl::current_context; }
    QUARRY_API void begin_recording();
    void open_segment();
    QUARRY_API void next_chunk(std::size_t bytes);
    [[noreturn]] QUARRY_API void throw_full() const;
    CommandPlace place() const noexcept;
    void enter_chunk(std::size_t index) noexcept;

    std::byte* cursor_ = nullptr;
    std::byte* end_ = nullptr;
    bool open_ = false;    // commands go to the last segment
    bool inside_ = false;  // of a block
    std::uint32_t system_ = 0;
    std::uint32_t worker_ = 0;
    std::uint64_t first_ = 0;
    std::uint64_t last_ = 0;
    std::uint64_t limit_ = 0;
    std::uint64_t told_limit_ = 0;  // the one of the system
    const void* thread_ = nullptr;  // on which the system is called
    std::uint64_t call_ = 0;
    std::uint64_t spawned_ = 0;
    std::uint64_t block_spawned_ = 0;
    std::size_t chunk_ = 0;
    std::vector<Chunk> chunks_;
    std::vector<Segment> segments_;
    std::vector<std::uint64_t> resolved_;  // spawned entities, while commands are applied
};

}  // namespace quarry::ecs::impl
