#include "spare_surfaces.hpp"

namespace quarry::godot {

void SpareSurfaces::give(const Drawn& drawn) {
    lists_[drawn.room.number()].push_back({drawn, frame_});
    ++count_;
    bytes_ += drawn.room.bytes();
}

Drawn SpareSurfaces::take_from(std::deque<Spare>& list) {
    const Drawn drawn = list.front().drawn;
    list.pop_front();
    --count_;
    bytes_ -= drawn.room.bytes();
    return drawn;
}

std::optional<Drawn> SpareSurfaces::take(const SurfaceRoom& room) {
    std::deque<Spare>& list = lists_[room.number()];
    if (list.empty() || list.front().frame + kRestFrames > frame_) return std::nullopt;
    return take_from(list);
}

std::optional<Drawn> SpareSurfaces::take_oldest(bool is_forced) {
    if (count_ == 0 || (!is_forced && count_ < kMost / 2 && bytes_ < kMostBytes / 2)) return std::nullopt;
    std::deque<Spare>* oldest = nullptr;
    for (std::deque<Spare>& list : lists_) {
        if (!list.empty() && (oldest == nullptr || list.front().frame < oldest->front().frame)) oldest = &list;
    }
    if (oldest == nullptr) return std::nullopt;
    return take_from(*oldest);
}

}  // namespace quarry::godot
