#pragma once

#include <array>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "shading.hpp"

namespace quarry::godot {

// Cross-fades: how far chunks have come or gone. Chunks of one level that began in one frame share a fade, and that has
// a material of its own, so a frame costs one call a fade, however many chunks there are. Main thread only.
class ChunkFades {
  public:
    explicit ChunkFades(Shading& shading) : shading_(shading) {}
    ChunkFades(const ChunkFades&) = delete;
    ChunkFades& operator=(const ChunkFades&) = delete;
    ~ChunkFades();

    using Clock = std::chrono::steady_clock;

    // A frame begins. Fades that begin in it take so many seconds; 0: there are none.
    void begin_frame(Clock::time_point now, double seconds);
    bool is_on() const noexcept { return seconds_ > 0 && shading_.can_fade(); }

    // One chunk more in the fade of this frame. Whoever joins leaves, in any case.
    std::size_t join(std::int32_t lod, FadeWay way);
    void leave(std::size_t which);
    Rid material(std::size_t fade) const noexcept { return fades_[fade].material; }
    bool is_over(std::size_t fade) const noexcept { return fades_[fade].share >= 1; }

  private:
    static constexpr std::size_t kNone = static_cast<std::size_t>(-1);
    using Begun = std::array<std::array<std::size_t, kFadeWays>, terrain::kCoarsestLod + 1>;

    struct Fade {
        Rid material;
        std::int32_t lod = 0;
        FadeWay way = FadeWay::coming;
        Clock::time_point began;
        double seconds = 0;
        double share = 0;
        std::size_t chunks = 0;  // 0: free for another one
    };

    static Begun nothing_begun() noexcept;

    Shading& shading_;
    Clock::time_point now_;
    double seconds_ = 0;
    std::vector<Fade> fades_;
    std::size_t alive_ = 0;
    Begun begun_ = nothing_begun();  // in this frame, by level and way
};

}  // namespace quarry::godot
