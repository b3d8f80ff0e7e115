#include "chunk_fades.hpp"

#include <algorithm>

namespace quarry::godot {

ChunkFades::~ChunkFades() {
    for (const Fade& fade : fades_) {
        if (fade.chunks != 0) shading_.give_back(fade.material, fade.lod, fade.way);
    }
}

ChunkFades::Begun ChunkFades::nothing_begun() noexcept {
    Begun begun{};
    for (auto& ways : begun) ways.fill(kNone);
    return begun;
}

void ChunkFades::begin_frame(Clock::time_point now, double seconds) {
    seconds_ = seconds;
    if (alive_ == 0 && seconds <= 0) return;
    now_ = now;
    begun_ = nothing_begun();
    for (Fade& fade : fades_) {
        if (fade.chunks == 0) continue;
        const std::chrono::duration<double> gone = now - fade.began;
        fade.share = std::min(1.0, gone.count() / fade.seconds);
        shading_.set_fade(fade.material, fade.share);
    }
}

std::size_t ChunkFades::join(std::int32_t lod, FadeWay way) {
    std::size_t& begun = begun_[static_cast<std::size_t>(lod)][static_cast<std::size_t>(way)];
    if (begun == kNone) {
        const auto free = std::find_if(fades_.begin(), fades_.end(), [](const Fade& fade) { return fade.chunks == 0; });
        begun = static_cast<std::size_t>(free - fades_.begin());
        if (free == fades_.end()) fades_.emplace_back();
        fades_[begun] = {shading_.take_fading(lod, way), lod, way, now_, seconds_, 0, 0};
        shading_.set_fade(fades_[begun].material, 0);
        ++alive_;
    }
    ++fades_[begun].chunks;
    return begun;
}

void ChunkFades::leave(std::size_t which) {
    Fade& fade = fades_[which];
    if (--fade.chunks != 0) return;
    --alive_;
    std::size_t& begun = begun_[static_cast<std::size_t>(fade.lod)][static_cast<std::size_t>(fade.way)];
    if (begun == which) begun = kNone;
    shading_.give_back(fade.material, fade.lod, fade.way);
}

}  // namespace quarry::godot
