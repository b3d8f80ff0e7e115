#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "quarry/export.hpp"
#include "quarry/jobs/error.hpp"

namespace quarry::terrain {

namespace streaming {
class Journal;
}

// A replay came to a point where it cannot do what was recorded: the host's calls, the field or the options differ.
// The streamer is of no use from then on.
class QUARRY_API ReplayError : public Error {
  public:
    using Error::Error;
};

// All that a streamer's states depend on beside the calls of its host: which results of workers it took in which call,
// and where the time of a delivery was over. Name one in StreamerOptions::journal, and it is written down, or done
// again: then results that come early are kept back, and late ones waited for. So a replay with the same field, options
// and calls comes to the same states with any number of workers. Budgets may differ, but those with a time limit must
// have one again.
//
// Used by one streamer, on the host's thread.
class StreamerJournal {
  public:
    // Whether it writes down what a streamer does, or makes one do it again.
    enum class Mode : std::uint8_t { record, replay };

    // An empty journal.
    explicit StreamerJournal(Mode mode) noexcept : mode_(mode) {}
    StreamerJournal(const StreamerJournal&) = delete;
    StreamerJournal& operator=(const StreamerJournal&) = delete;

    // As given to the constructor.
    Mode mode() const noexcept { return mode_; }

    // Recording: what was written since the last call, some bytes for each result and each event.
    QUARRY_API std::vector<std::byte> take();
    // Replaying: what take() gave after the same calls, before they are made again. What is left over from the last
    // call is dropped.
    QUARRY_API void give(std::vector<std::byte> recorded);
    // Replaying: whether all that was given has been used. If not, less was done than was recorded.
    bool is_used_up() const noexcept { return at_ == bytes_.size(); }

  private:
    friend class streaming::Journal;

    Mode mode_;
    std::vector<std::byte> bytes_;
    std::size_t at_ = 0;  // what was used of them
};

}  // namespace quarry::terrain
