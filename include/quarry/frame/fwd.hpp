#pragma once

namespace quarry {

class FrameClock;
class FrameLedger;
class FrameTag;
class HostGuard;
class StalePolicy;
class VirtualClock;
struct FrameLedgerOptions;
struct FrameLedgerStats;
struct FrameRecord;
struct FrameSteps;

}  // namespace quarry
