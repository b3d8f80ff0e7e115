#pragma once

namespace quarry {

class Error;
class Pool;
class Scope;
class Trace;
class TraceSpan;
struct JobError;
struct PoolOptions;
struct PoolStats;
struct ScopeOptions;
struct TraceHooks;
struct TraceOptions;
struct WorkerStats;
template <class R>
class ScopeResult;
template <class R>
class Task;
template <class T>
class WorkerLocal;

}  // namespace quarry
