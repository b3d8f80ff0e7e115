#pragma once

namespace quarry {

class FrameClock;
class VirtualClock;
struct FrameSteps;

}  // namespace quarry
