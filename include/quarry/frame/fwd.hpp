#pragma once

namespace quarry {

class FrameClock;
class HostGuard;
class VirtualClock;
class DeliveryBudget;
class InboxTask;
struct DeliveryReport;
struct FrameSteps;
struct InboxOptions;
struct InboxStats;
template <class T>
class Inbox;
template <class T>
class InboxSlot;

}  // namespace quarry
