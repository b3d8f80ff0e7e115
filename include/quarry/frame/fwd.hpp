#pragma once

namespace quarry {

class FrameClock;
class HostGuard;
class VirtualClock;
struct FrameSteps;

}  // namespace quarry
