#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <span>
#include <vector>

#include "chunk_fades.hpp"
#include "quarry/terrain/stream_event.hpp"
#include "shading.hpp"
#include "spare_surfaces.hpp"
#include "surface.hpp"
#include "values.hpp"

namespace quarry::godot {

// What the RenderingServer holds of a terrain: a mesh and an instance for each chunk, without a node. What a chunk
// gives up is kept for the next one. What is replaced may fade into what replaces it; then it is drawn for as long
// after it was hidden, and after it was released. Main thread only.
class ChunkInstances {
  public:
    explicit ChunkInstances(Shading& shading) : shading_(shading), fades_(shading) {}
    ChunkInstances(const ChunkInstances&) = delete;
    ChunkInstances& operator=(const ChunkInstances&) = delete;
    ~ChunkInstances();

    // Tells about each chunk that is shown or hidden.
    using Listener = std::function<void(const terrain::ChunkKey& key, bool is_shown)>;
    void set_listener(Listener listener) { listener_ = std::move(listener); }

    using Clock = ChunkFades::Clock;

    // A frame begins. What is replaced in it takes so many seconds to fade; 0: it changes at once.
    void begin_frame(Clock::time_point now, double fade_seconds);
    void take(terrain::StreamEvent& event);
    // After what was handed over: frees what has gone and is more than is worth keeping, until that time, four of them
    // in any case.
    void end_frame(Clock::time_point until);
    // All that fades has come or gone now.
    void end_fades();

    void set_scenario(Rid scenario);
    void set_transform(const Transform& transform);
    // After the shading has other materials.
    void renew_materials();
    // The colours of states, for each chunk that is shown, by slot.
    void paint(std::span<const terrain::ChunkState> states);
    // Whether anything may be drawn at all.
    void set_visible(bool visible);

    // For tests of pictures: does not draw a chunk that is shown, as if it had been lost, or draws it again. False: it
    // is not shown.
    bool lose(const terrain::ChunkKey& key, bool is_lost);

    // Whether that version of a chunk is drawn, and will stay.
    bool shows(terrain::ChunkId id, const terrain::ChunkKey& key) const noexcept;
    // Whether there is a mesh of a chunk here, drawn or not.
    bool holds(std::size_t slot) const noexcept { return slot < places_.size() && places_[slot].drawn.has_value(); }
    std::size_t shown() const noexcept { return shown_; }
    std::size_t held() const noexcept { return held_; }
    std::size_t spare() const noexcept { return spare_.count(); }
    std::size_t spare_bytes() const noexcept { return spare_.bytes(); }
    // Uploads that found buffers to overwrite.
    std::uint64_t overwritten() const noexcept { return overwritten_; }
    std::size_t fading() const noexcept { return fading_.size(); }
    std::uint64_t vertices() const noexcept { return vertices_; }

  private:
    // Where a chunk is drawn.
    struct Spot {
        terrain::ChunkKey key;
        ChunkFrame frame;
    };
    static constexpr std::size_t kNotFading = static_cast<std::size_t>(-1);
    struct Place {
        std::optional<Drawn> drawn;
        Spot spot;
        std::size_t vertices = 0;
        std::size_t fading = kNotFading;  // which of fading_ it is
        bool is_shown = false;
        terrain::ChunkState painted = terrain::ChunkState::retired;  // as which it has its colour; retired: it has none
    };
    // A chunk that comes or goes. One that was released has no slot, and its mesh is nobody's but the fade's.
    struct Fading {
        Drawn drawn;
        Spot spot;
        std::size_t fade;
        FadeWay way;
        std::optional<std::uint32_t> slot;
    };

    void upload(terrain::StreamEvent& event);
    void show(terrain::ChunkId id, bool shown, bool fades);
    void release(terrain::ChunkId id);
    void begin_fade(std::uint32_t slot, FadeWay way);
    void end_fade(std::size_t which);
    void end_fades_within(const terrain::Box& box);
    void draw(const Drawn& drawn, bool is_drawn) const;
    Drawn hand_over(const Surface& surface);
    Drawn new_drawn() const;
    void overwrite(const Drawn& drawn, const Surface& surface) const;
    void free(const Drawn& drawn) const;
    Transform transform_of(const Spot& spot) const;

    Shading& shading_;
    ChunkFades fades_;
    Listener listener_;
    std::vector<Place> places_;  // by slot
    std::vector<Fading> fading_;
    SpareSurfaces spare_;
    Rid scenario_;
    Transform transform_;
    bool visible_ = true;
    std::size_t shown_ = 0;
    std::size_t held_ = 0;
    std::uint64_t vertices_ = 0;
    std::uint64_t overwritten_ = 0;
};

}  // namespace quarry::godot
