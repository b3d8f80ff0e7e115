#pragma once

namespace quarry {

class Cancelled;
class Error;
class Pool;
class Scope;
class Trace;
class TraceSpan;
struct JobError;
struct PoolOptions;
struct PoolStats;
struct ScopeOptions;
struct SubmitOptions;
struct TraceHooks;
struct TraceOptions;
struct WorkerStats;
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
