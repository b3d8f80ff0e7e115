#pragma once

namespace quarry::impl {

// What a thief does that lost a race for another worker's entry: others are at the same deque, so it steps back, for
// longer the more often that happens, and in the end leaves that deque to them.
class StealBackoff {
  public:
    static constexpr int kMostLostRaces = 4;
    static constexpr int kFirstPause = 4;

    bool may_try() const noexcept { return lost_ < kMostLostRaces; }

    template <class Relax>
    void lost_race(Relax relax) noexcept {
        for (int i = 0; i < (kFirstPause << lost_); ++i) relax();
        ++lost_;
    }

  private:
    int lost_ = 0;
};

}  // namespace quarry::impl
