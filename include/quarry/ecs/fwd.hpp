#pragma once

namespace quarry::ecs {

class AccessKey;
class BlockingExecutor;
class ParallelExecutor;
class ScheduleError;
class ShuffledExecutor;
class SparseWorld;
struct ScheduleOptions;
struct Spawned;
struct SystemError;
struct SystemReport;
struct TickReport;
template <class World>
class Commands;
template <class World>
class Schedule;
template <class World>
class System;
template <class World>
struct WorldTraits;

}  // namespace quarry::ecs
