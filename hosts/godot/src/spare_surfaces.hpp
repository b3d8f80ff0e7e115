#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <optional>

#include "surface.hpp"

namespace quarry::godot {

// A mesh of one surface and its instance, in the RenderingServer.
struct Drawn {
    Rid mesh;
    Rid instance;
    SurfaceRoom room;  // of the surface that the mesh has
};

// What chunks have given up, for later ones: by the room of the surface, so that its buffers need only be overwritten.
// Making and freeing buffers is what a driver takes most time for. Main thread only.
class SpareSurfaces {
  public:
    // A frame begins.
    void begin_frame() noexcept { ++frame_; }
    void give(const Drawn& drawn);
    // One with just that room. What was drawn a moment ago may still be needed by the driver, and stays.
    std::optional<Drawn> take(const SurfaceRoom& room);
    // Any other, the one that was given first, once there are many: its surface has to be made anew. Where it is
    // forced, while there is one.
    std::optional<Drawn> take_oldest(bool is_forced);
    // More than is worth keeping: take_oldest, and free it.
    bool are_too_many() const noexcept { return count_ > kMost || bytes_ > kMostBytes; }

    std::size_t count() const noexcept { return count_; }
    std::size_t bytes() const noexcept { return bytes_; }

    template <class Visit>
    void for_each(Visit visit) const {
        for (const auto& list : lists_) {
            for (const Spare& spare : list) visit(spare.drawn);
        }
    }

  private:
    static constexpr std::size_t kMost = 1024;
    static constexpr std::size_t kMostBytes = std::size_t{48} << 20;
    static constexpr std::uint64_t kRestFrames = 3;

    struct Spare {
        Drawn drawn;
        std::uint64_t frame;  // in which it was given
    };

    Drawn take_from(std::deque<Spare>& list);

    std::array<std::deque<Spare>, SurfaceRoom::kSizes * 2> lists_;  // by the number of the room; the oldest first
    std::uint64_t frame_ = 0;
    std::size_t count_ = 0;
    std::size_t bytes_ = 0;
};

}  // namespace quarry::godot
