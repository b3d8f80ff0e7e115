#pragma once

#include <cstdint>
#include <vector>

#include "quarry/terrain/chunk_state.hpp"
#include "quarry/terrain/streamer_journal.hpp"

namespace quarry::terrain::streaming {

// What is written into a StreamerJournal, and read from it; does nothing without one.
//
// One byte for the kind, then numbers in groups of seven bits. Whatever is asked for must be the next in the journal:
// so the first point where a replay goes another way is found there.
class Journal {
  public:
    explicit Journal(StreamerJournal* journal) noexcept : journal_(journal) {}

    bool records() const noexcept { return journal_ != nullptr && journal_->mode() == StreamerJournal::Mode::record; }
    bool replays() const noexcept { return journal_ != nullptr && journal_->mode() == StreamerJournal::Mode::replay; }

    struct Collected {
        std::vector<ChunkId> begun;
        std::vector<ChunkId> ended;
        bool empty() const noexcept { return begun.empty() && ended.empty(); }
    };
    void write(const Collected& collected);
    Collected read_collected();

    // Whether a job had not begun when it was given up.
    void write_cancel(bool was_cancelled);
    bool read_cancel();

    // Whether a delivery ends because its time is over.
    void write_stop(bool stops);
    bool read_stop();

    // An update waits for edits, over many looks at what has come. Those that find nothing are not written.
    void leave_out_if_empty() noexcept { leaves_out_ = true; }
    void write_end_of_wait(bool out_of_time);
    bool read_end_of_wait();

  private:
    enum class Entry : std::uint8_t { nothing_came, came, cancelled, not_cancelled, goes_on, stops, wait_ends };

    void write(Entry entry);
    void write(std::uint64_t number);
    void write(const std::vector<ChunkId>& ids);
    Entry next() const;
    Entry take(const char* wanted, Entry one, Entry other);
    std::uint64_t read_number(std::uint64_t most);
    std::vector<ChunkId> read_ids();

    StreamerJournal* journal_;
    bool leaves_out_ = false;  // the next look, if it finds nothing
};

}  // namespace quarry::terrain::streaming
