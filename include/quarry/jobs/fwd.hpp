#pragma once

namespace quarry {

class Cancelled;
class Error;
class Pool;
class Scope;
struct JobError;
struct PoolOptions;
struct PoolStats;
struct ScopeOptions;
struct SubmitOptions;
struct WorkerStats;
template <class R>
class ScopeResult;
template <class R>
class Task;
template <class T>
class WorkerLocal;
template <class T>
class coro;

}  // namespace quarry
