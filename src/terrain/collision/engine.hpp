#pragma once

#include <array>
#include <chrono>
#include <compare>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <unordered_map>
#include <utility>
#include <vector>

#include "quarry/frame/delivery.hpp"
#include "quarry/frame/host_guard.hpp"
#include "quarry/frame/impl/item_cost.hpp"
#include "quarry/terrain/collision_world.hpp"
#include "terrain/collision/contact.hpp"
#include "terrain/collision/patch_jobs.hpp"
#include "terrain/collision/patch_table.hpp"
#include "terrain/streaming/keys.hpp"

namespace quarry::terrain::collision {

// Throws std::invalid_argument that names what is out of range.
void check(const CollisionOptions& options);

using LatticePlace = std::array<double, 3>;

// A box in voxels, which need not be whole.
struct PlaceBox {
    LatticePlace low;
    LatticePlace high;

    double square_of_distance(const LatticePlace& from) const noexcept;
    void include(const PlaceBox& other) noexcept;
};

// Edits of one frame.
struct ChunkEdits {
    std::uint64_t frame = 0;   // number of the first update that knew of them
    std::uint64_t source = 0;  // number of the first that has all of them
};

// A chunk within the radius of an anchor.
struct Chunk {
    std::uint64_t ticket = 0;
    std::uint64_t due = 0;                    // number of the oldest source that shows all edits of it
    std::vector<ChunkEdits> edits;            // since the patches that it has, frame by frame
    PlaceBox stale{};                         // the part that is not as it should be
    std::shared_ptr<const PatchSet> patches;  // null: never made
    std::vector<std::uint32_t> slots;         // of the patches, in their order
    bool is_current = false;
    bool is_running = false;
    bool is_edited = false;  // since it was made
    bool has_failed = false;
};

// A collision world: which chunks it has, what is being made of them, and the way of events to the host.
class Engine {
  public:
    Engine(std::unique_ptr<PatchJobs> jobs, std::shared_ptr<const Field> field, const CollisionOptions& options);
    Engine(const Engine&) = delete;
    Engine& operator=(const Engine&) = delete;

    void update(std::span<const Position> anchors) { update(anchors, anchors.size()); }
    void update(std::span<const Position> anchors, std::size_t bodies);
    void edit(std::shared_ptr<const Field> field, std::span<const Box> changed);
    void exchange(std::shared_ptr<const Field> field);
    void wait_for_near(double seconds);
    bool ready_around(const Position& position, double radius) const;
    bool at_rest() const;
    CollisionStats stats() const;
    const CollisionOptions& options() const noexcept { return options_; }

    // delivery.cpp
    DeliveryReport deliver(const DeliveryBudget& budget, const CollisionInbox::Receiver& receiver);

    // queries.cpp
    RayAnswer raycast(const Position& from, const Position& direction, const RayOptions& options) const;
    SweepAnswer sweep(const Position& from, const Position& direction, double radius, double reach) const;

  private:
    using Chunks = std::unordered_map<ChunkKey, Chunk, streaming::KeyHash>;
    using Distances = std::unordered_map<ChunkKey, double, streaming::KeyHash>;  // squares, to the nearest anchor

    double width() const noexcept { return options_.cells; }
    PlaceBox box_of(const ChunkKey& key) const noexcept;
    static double square_to(const PlaceBox& box, std::span<const LatticePlace> places) noexcept;
    std::span<const LatticePlace> bodies() const noexcept { return std::span(anchors_).first(bodies_); }
    bool is_near(const Chunk& chunk) const noexcept;
    void set_field(std::shared_ptr<const Field> field);

    // In which order chunks are made. The host waits for the first two.
    enum class Turn : std::uint8_t { near, due, edited, other };
    Turn turn_of(const Chunk& chunk) const noexcept;

    // edits.cpp
    enum class Cause : std::uint8_t { edit, exchange };
    void touch(const PlaceBox& box, Cause cause);
    void touch(const ChunkKey& key, Chunk& chunk, const PlaceBox& box, Cause cause);
    void note_edit(Chunk& chunk);
    static std::uint64_t shown_since(Chunk& chunk, std::uint64_t source);
    bool is_due(std::uint64_t frame) const noexcept;
    bool is_due(const Chunk& chunk) const noexcept;

    // plan.cpp
    bool place_anchors(std::span<const Position> anchors);
    void plan();
    void add_around(const LatticePlace& anchor, Distances& found) const;
    std::size_t leave_out_furthest(Distances& found) const;
    void leave(Chunk& chunk);

    void queue_requests();
    void take_outcomes();
    void came(PatchOutcome& outcome, Chunk& chunk);
    void take_over(Chunk& chunk, std::shared_ptr<const PatchSet> patches, std::uint64_t since);
    void count(const CollisionPatch& patch, int times) noexcept;
    bool has_work_in(const std::vector<ChunkKey>& keys) const;
    bool has_work_to_wait_for() const { return has_work_in(near_) || has_work_in(due_); }
    void count_near_work();

    // delivery.cpp
    struct EventRank {
        std::uint32_t turn;
        double square;  // of the distance
        std::uint32_t slot;
        // NOLINTNEXTLINE(modernize-use-nullptr): clang-tidy 14 takes the default for a comparison with 0
        friend auto operator<=>(const EventRank&, const EventRank&) = default;
    };
    EventRank rank_of(std::uint32_t slot) const;
    std::chrono::nanoseconds now() const noexcept;
    std::size_t order_events();
    void tell(std::uint32_t slot, const CollisionInbox::Receiver& receiver);

    // queries.cpp
    class Answer;
    ChunkKey chunk_at(const Vec& place) const noexcept;
    std::shared_ptr<const PatchSet> at_hand(const ChunkKey& key) const;
    std::shared_ptr<const Source> bare_source() const;
    std::vector<ChunkKey> chunks_along(const Vec& start, const Vec& way, double r, double reach) const;
    static std::optional<Crossing> first_crossing(const PatchSet& patches, const Vec& corner, const Vec& start,
                                                  const Vec& way, double reach);

    CollisionOptions options_;
    HostGuard host_;
    std::unique_ptr<PatchJobs> jobs_;
    std::shared_ptr<const Source> source_;

    std::vector<LatticePlace> anchors_;
    std::size_t bodies_ = 0;                 // the first of them
    std::vector<LatticePlace> planned_for_;  // the anchors for which the last plan was made
    Chunks chunks_;
    std::size_t outstanding_ = 0;
    bool must_queue_ = false;
    std::uint64_t last_ticket_ = 0;

    PatchTable table_;
    CollisionStats stats_;
    bool delivering_ = false;
    quarry::impl::ItemCost make_cost_;
    quarry::impl::ItemCost shape_cost_;
    quarry::impl::ItemCost removal_cost_;
    std::vector<std::uint64_t> begun_;
    std::vector<PatchOutcome> outcomes_;
    std::unordered_map<std::uint64_t, ChunkKey> tickets_;
    std::vector<ChunkKey> near_;  // chunks that the host waits for: within reach of a body,
    std::vector<ChunkKey> due_;   // and changed by edits some frames ago
    bool had_near_work_ = false;  // since the last update
    std::vector<EventRank> ranks_;
};

}  // namespace quarry::terrain::collision
