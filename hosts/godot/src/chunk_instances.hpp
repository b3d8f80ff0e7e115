#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <vector>

#include "quarry/terrain/stream_event.hpp"
#include "shading.hpp"
#include "surface.hpp"
#include "values.hpp"

namespace quarry::godot {

// What the RenderingServer holds of a terrain: a mesh and an instance for each chunk, without a node. What a chunk
// gives up is kept for the next one. Main thread only.
class ChunkInstances {
  public:
    explicit ChunkInstances(const Shading& shading) : shading_(shading) {}
    ChunkInstances(const ChunkInstances&) = delete;
    ChunkInstances& operator=(const ChunkInstances&) = delete;
    ~ChunkInstances();

    // Tells about each chunk that is shown or hidden.
    using Listener = std::function<void(const terrain::ChunkKey& key, bool is_shown)>;
    void set_listener(Listener listener) { listener_ = std::move(listener); }

    void take(terrain::StreamEvent& event);
    void set_scenario(Rid scenario);
    void set_transform(const Transform& transform);
    // After the shading has other materials.
    void renew_materials();
    // Whether anything may be drawn at all.
    void set_visible(bool visible);

    // Whether that version of a chunk is drawn.
    bool shows(terrain::ChunkId id, const terrain::ChunkKey& key) const noexcept;
    std::size_t shown() const noexcept { return shown_; }
    std::size_t held() const noexcept { return held_; }
    std::size_t spare() const noexcept { return spare_.size(); }
    std::uint64_t vertices() const noexcept { return vertices_; }

  private:
    struct Drawn {
        Rid mesh;
        Rid instance;
    };
    struct Place {
        std::optional<Drawn> drawn;
        terrain::ChunkKey key;
        ChunkFrame frame;
        std::size_t vertices = 0;
        bool is_shown = false;
    };

    void upload(terrain::StreamEvent& event);
    void show(terrain::ChunkId id, bool shown);
    void release(terrain::ChunkId id);
    Drawn take_drawn();
    void free(const Drawn& drawn) const;
    Transform transform_of(const Place& place) const;

    const Shading& shading_;
    Listener listener_;
    std::vector<Place> places_;  // by slot
    std::vector<Drawn> spare_;
    Rid scenario_;
    Transform transform_;
    bool visible_ = true;
    std::size_t shown_ = 0;
    std::size_t held_ = 0;
    std::uint64_t vertices_ = 0;
};

}  // namespace quarry::godot
