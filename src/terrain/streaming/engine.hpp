#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "quarry/frame/delivery.hpp"
#include "quarry/frame/host_guard.hpp"
#include "quarry/frame/impl/item_cost.hpp"
#include "quarry/terrain/streamer.hpp"
#include "terrain/streaming/journal.hpp"
#include "terrain/streaming/world.hpp"

namespace quarry::terrain::streaming {

// Throws std::invalid_argument that names what is out of range.
void check(const StreamerOptions& options);

// A streamer: the world that is shown, the one that is to take its place, if any, and the way of events to the host.
class Engine {
  public:
    Engine(std::unique_ptr<MeshJobs> jobs, std::shared_ptr<const Field> field, const StreamerOptions& options);
    Engine(const Engine&) = delete;
    Engine& operator=(const Engine&) = delete;

    void update(std::span<const Viewer> viewers);
    DeliveryReport deliver(const DeliveryBudget& budget, const StreamerInbox::Receiver& receiver);
    void exchange(std::shared_ptr<const Field> field, StreamerOptions options);
    void edit(std::shared_ptr<const Field> field, std::shared_ptr<const Materials> materials, const Box& changed);

    void set_edit_wait(double seconds);

    bool ready_around(const Position& position, double radius) const;
    bool at_rest() const;
    const StreamerOptions& options() const noexcept { return options_; }
    StreamerStats stats() const;
    ShownWorld shown() const;
    std::uint64_t state_hash() const;

  private:
    class Delivery;

    std::unique_ptr<World> new_world(std::shared_ptr<const Field> field, const StreamerOptions& options, bool visible);
    std::chrono::nanoseconds now() const noexcept;
    void place_viewers(std::span<const Viewer> viewers);
    void follow_viewers();
    std::vector<ViewerPlace> places_in(const World& world) const;
    void reorder_requests();
    World* world_of(std::uint32_t number) noexcept;

    // engine_edits.cpp
    void begin_edits(World& world);
    bool waits_for_edits() const noexcept;
    void wait_for_edits(World& world);
    void help_with_edits(const Swap& swap);

    // delivery.cpp
    bool take_outcomes();
    void collect_outcomes();
    void hide_left_behind(const StreamerInbox::Receiver& receiver, Delivery& delivery);
    bool deliver_one(const StreamerInbox::Receiver& receiver, Delivery& delivery);
    bool deliver_swap(World& world, const StreamerInbox::Receiver& receiver, Delivery& delivery);
    void tell_swap(World& world, const StreamerInbox::Receiver& receiver);
    void tell_in_parts(const StreamerInbox::Receiver& receiver, float fade, std::size_t& told);
    void upload(std::uint32_t chunk, const StreamerInbox::Receiver& receiver);
    bool show(World& world, Group& group, const StreamerInbox::Receiver& receiver);
    void tell(World& world, Group& group, const StreamerInbox::Receiver& receiver);
    void release_one(const StreamerInbox::Receiver& receiver);
    void exchange_worlds(const StreamerInbox::Receiver& receiver);

    StreamerOptions options_;
    HostGuard host_;
    Journal journal_;
    Shared shared_;
    std::unique_ptr<World> world_;
    std::unique_ptr<World> next_;  // not visible
    std::uint32_t last_world_ = 0;

    std::vector<Viewer> viewers_;
    std::vector<Viewer> predicted_;
    std::vector<Viewer> ordered_for_;  // the viewers that requests were ranked for

    // Told by the host, and not begun.
    EditNews news_;
    std::shared_ptr<const Field> edited_field_;
    std::shared_ptr<const Materials> edited_materials_;
    std::size_t swap_told_ = 0;  // of to_show_ and to_hide_, while a swap is told

    bool delivering_ = false;
    quarry::impl::ItemCost upload_cost_;
    quarry::impl::ItemCost show_cost_;
    quarry::impl::ItemCost release_cost_;
    quarry::impl::ItemCost search_cost_;
    quarry::impl::ItemCost edit_cost_;
    bool has_helped_ = false;  // the host's thread, with the chunks of an edit
    std::vector<ChunkId> begun_;
    std::vector<MeshOutcome> outcomes_;
    std::size_t next_outcome_ = 0;  // of these, to be taken in
    std::vector<ChunkId> to_show_;
    std::vector<ChunkId> to_hide_;
    std::vector<ChunkId> left_behind_;
    std::size_t exchanged_ = 0;  // of to_show_ and to_hide_, while worlds are exchanged
};

}  // namespace quarry::terrain::streaming
