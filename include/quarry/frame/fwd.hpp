#pragma once

namespace quarry {

class DeliveryBudget;
class FrameClock;
class FrameLedger;
class FrameTag;
class HostGuard;
class InboxTask;
class StalePolicy;
class VirtualClock;
struct DeliveryReport;
struct FrameLedgerOptions;
struct FrameLedgerStats;
struct FrameRecord;
struct FrameSteps;
struct InboxOptions;
struct InboxStats;
template <class T>
class Inbox;
template <class T>
class InboxSlot;

}  // namespace quarry
