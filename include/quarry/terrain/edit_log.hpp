#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "quarry/export.hpp"
#include "quarry/terrain/edit.hpp"
#include "quarry/terrain/lattice.hpp"

namespace quarry::terrain {

// Which world edits are for. A stream for another one is refused.
struct EditLogWorld {
    Lattice lattice{};             // where its samples lie
    std::uint64_t undo_bytes = 0;  // as in EditWorldOptions: it decides which strokes can still be undone
    std::uint64_t ground = 0;      // the host's number for field and stamps: a seed, a hash of their description

    friend constexpr bool operator==(const EditLogWorld&, const EditLogWorld&) = default;
};

// An edit and its place in the order of all.
struct NumberedEdit {
    std::uint64_t number = 0;  // 1, 2, 3, ...
    Edit edit;                 // what was done

    friend constexpr bool operator==(const NumberedEdit&, const NumberedEdit&) = default;
};

// Bytes of an edit in a stream, at most.
inline constexpr std::size_t kMostEditBytes = 96;

// Edits as a stream of bytes, for files and connections, in both directions: what is written, and what is read from
// somebody else. Each edit has a number and a checksum.
class EditLog {
  public:
    // `first`: the number of the first edit that is written.
    QUARRY_API explicit EditLog(const EditLogWorld& world, std::uint64_t first = 1);

    // Adds it to what is to be sent; gives its number.
    QUARRY_API std::uint64_t write(const Edit& edit);
    // What has been written since the last call; the first time with the head of the stream.
    QUARRY_API std::vector<std::byte> take();

    // Bytes of somebody else's log, as they come, in parts of any size.
    QUARRY_API void feed(std::span<const std::byte> bytes);
    // The next edit of what was fed; none: there is no other whole one yet. Throws quarry::Error, from then on each
    // time, for bytes that are no such stream, one of another version or world, and an edit that is damaged or out of
    // order. Whether an edit makes sense is for EditWorld::apply to say.
    QUARRY_API std::optional<NumberedEdit> next();
    // Whether what was fed could end here: the head is there, and no part of an edit is left over.
    QUARRY_API bool at_end() const noexcept;

  private:
    bool read_head();

    EditLogWorld world_;
    std::vector<std::byte> written_;
    std::uint64_t next_written_;
    std::vector<std::byte> fed_;
    std::size_t at_ = 0;           // in what was fed
    std::uint64_t next_read_ = 0;  // 0: the head has not been read
};

}  // namespace quarry::terrain
