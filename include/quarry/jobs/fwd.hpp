#pragma once

#include <cstdint>

namespace quarry {

class CallerGoesOn;
class Cancelled;
class Error;
class Pool;
class GraphError;
class GraphNode;
class GraphObserver;
class Scope;
class TaskGraph;
class Trace;
class TraceSpan;
struct GraphReport;
struct GraphRunOptions;
struct JobError;
struct NodeError;
struct NodeTimes;
struct PoolOptions;
struct PoolStats;
struct ScopeOptions;
struct SubmitOptions;
struct TraceHooks;
struct TraceOptions;
struct WorkerStats;
enum class NodeOutcome : std::uint8_t;
enum class ReceiveStatus;
enum class SendStatus;
template <class T>
class Channel;
template <class T>
class ReceiveResult;
template <class R>
class ScopeResult;
template <class R>
class Task;
template <class T>
class WorkerLocal;
template <class T>
class coro;

}  // namespace quarry
