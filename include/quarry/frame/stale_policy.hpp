#pragma once

#include "quarry/export.hpp"

namespace quarry {

// What becomes of a result that comes back late. One that is more than `frames` frames old is stale.
class StalePolicy {
  public:
    static constexpr int kExpectedFrames = 2;  // a job of frame N comes back in N + 1 or N + 2
    // Largest age that can be asked for.
    static constexpr int kMostFrames = 1'000'000;

    // Stale results are applied all the same; they are only counted.
    static StalePolicy apply() noexcept { return {kExpectedFrames, false}; }
    // They are dropped. Throws std::invalid_argument unless frames is 0 to 1,000,000.
    QUARRY_API static StalePolicy drop_older_than(int frames);

    // Beyond how many frames a result is stale, and whether it is dropped then.
    int frames() const noexcept { return frames_; }
    bool drops() const noexcept { return drops_; }

  private:
    StalePolicy(int frames, bool drops) noexcept : frames_(frames), drops_(drops) {}

    int frames_;
    bool drops_;
};

}  // namespace quarry
