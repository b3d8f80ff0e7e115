#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <span>
#include <type_traits>
#include <vector>

#include "quarry/export.hpp"
#include "quarry/frame/delivery.hpp"
#include "quarry/jobs/fwd.hpp"
#include "quarry/terrain/fwd.hpp"
#include "quarry/terrain/mesh.hpp"
#include "quarry/terrain/shown_check.hpp"
#include "quarry/terrain/stream_event.hpp"
#include "quarry/terrain/streamer_journal.hpp"
#include "quarry/terrain/streamer_options.hpp"
#include "quarry/terrain/streamer_stats.hpp"
#include "quarry/terrain/viewer.hpp"

namespace quarry::terrain {

namespace streaming {
class Engine;
}

// What a streamer has for the host: events, most important first, within a budget.
class StreamerInbox {
  public:
    // Calls fn(StreamEvent&) until the budget is spent: one event at least, and never beyond the budget by more than
    // the one in hand, or the show and hide of one group. Before that, whatever the budget, come the hides of all that
    // the plan has left behind. What is left comes next time. If fn throws, the event stays
    // the first in line, and the error goes on to the caller. Throws quarry::Error on another thread than the host's
    // and inside a delivery.
    template <class Fn>
    DeliveryReport deliver(const DeliveryBudget& budget, Fn&& fn) {
        using Function = std::remove_reference_t<Fn>;
        return deliver_erased(budget, {&fn, [](void* function, StreamEvent& event) {
                                           std::invoke(*static_cast<Function*>(function), event);
                                       }});
    }

    // The host's function without its type. Made by deliver; a host needs none.
    struct Receiver {
        const void* function;                              // what deliver was given
        void (*call)(void* function, StreamEvent& event);  // calls it
        // Hands it one event.
        void operator()(StreamEvent& event) const { call(const_cast<void*>(function), event); }
    };

  private:
    friend class Streamer;
    explicit StreamerInbox(streaming::Engine& engine) : engine_(engine) {}
    QUARRY_API DeliveryReport deliver_erased(const DeliveryBudget& budget, const Receiver& receiver);

    streaming::Engine& engine_;
};

// A world of chunks that follows its viewers. In each frame the host says where they are (`update`), and takes what has
// become ready (`inbox().deliver`). Meshes are made by the workers of a pool; nothing here waits for them, and none of
// them ever calls the host. All calls come from the host's thread. See docs/guide/streaming.md.
class Streamer {
  public:
    // The pool must outlive the streamer. Throws std::invalid_argument for options out of range or no field.
    QUARRY_API Streamer(Pool& pool, std::shared_ptr<const Field> field, const StreamerOptions& options = {});
    Streamer(const Streamer&) = delete;
    Streamer& operator=(const Streamer&) = delete;
    // Never waits. Requests that have not begun are dropped; what a worker is at ends, and its result is destroyed.
    QUARRY_API ~Streamer();

    // Most viewers that update takes.
    static constexpr std::size_t kMostViewers = 64;

    // Where the viewers are in this frame; those of the last one by the order. Without any, the plan stays as it is.
    // Throws std::invalid_argument, and changes nothing, for a position or a direction that is not finite, one too far
    // away, and more than kMostViewers.
    QUARRY_API void update(std::span<const Viewer> viewers);
    void update(const Viewer& viewer) { update(std::span(&viewer, 1)); }

    // Where the host takes events from.
    StreamerInbox& inbox() noexcept { return inbox_; }

    // Whether all of the plan within so many world units of a place is shown as it should be. Also false where the plan
    // does not reach, or a chunk has failed.
    QUARRY_API bool ready_around(const Position& position, double radius) const;
    // Whether nothing is left to do: all that is planned is shown, and all events were delivered.
    QUARRY_API bool at_rest() const;

    // The ground has changed within a box, and is `field` now: see EditWorld. All shown chunks that the change touches,
    // of all levels, are made anew and exchanged within one delivery; kept ones are forgotten. What is told between two
    // updates goes together, so that a chunk is made at most once. Next to a viewer workers begin at once, and the next
    // update waits for them as long as StreamerOptions::edit_wait allows. Then comes an event of the kind `changed`.
    // With materials these count from now on as well. Throws std::invalid_argument for no field and for a box that is
    // not finite or upside down.
    QUARRY_API void edit(std::shared_ptr<const Field> field, const Box& changed);
    QUARRY_API void edit(std::shared_ptr<const Field> field, std::shared_ptr<const Materials> materials,
                         const Box& changed);

    // StreamerOptions::edit_wait from the next update on, until an exchange is delivered: for a host whose frames have
    // more time for it, or less. Throws std::invalid_argument for less than 0 and more than 1.
    QUARRY_API void set_edit_wait(double seconds);

    // Another field (null: the one it has), or other options, from now on. What is shown stays, and no longer follows
    // the viewers, until the new world is complete; then all of it is exchanged within one delivery. Called again, the
    // last one counts. Host, clock, journal, lane and pending stay as they were. Throws std::invalid_argument and
    // changes nothing.
    QUARRY_API void exchange(std::shared_ptr<const Field> field);
    QUARRY_API void exchange(std::shared_ptr<const Field> field, const StreamerOptions& options);

    // The options in force: those of the constructor, or of the last exchange.
    QUARRY_API const StreamerOptions& options() const noexcept;
    // The figures so far.
    QUARRY_API StreamerStats stats() const;
    // All that is shown, empty chunks included, and all that the plan has and is not shown: what check_shown looks at.
    QUARRY_API ShownWorld shown() const;
    // Of all chunks with their states, and of all that was counted: equal for a streamer and its replay, see
    // StreamerJournal.
    QUARRY_API std::uint64_t state_hash() const;

  private:
    std::unique_ptr<streaming::Engine> engine_;
    StreamerInbox inbox_;
};

}  // namespace quarry::terrain
