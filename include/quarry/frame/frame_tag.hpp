#pragma once

#include <cstdint>

#include "quarry/export.hpp"

namespace quarry {

// The frame in which a job was submitted, as FrameLedger::submitted hands it out. Trivial to copy into the job and
// back.
class FrameTag {
  public:
    FrameTag() = default;

    bool operator==(const FrameTag&) const = default;

  private:
    friend class FrameLedger;
    explicit FrameTag(std::uint32_t frame) noexcept : frame_(frame) {}

    std::uint32_t frame_ = 0;  // the lower half of its number
};

}  // namespace quarry
