#pragma once

namespace quarry::process {

class Engine;
class JobContext;
class JobType;
class Payload;
class Registry;
class Worker;
enum class QueueLevel;
enum class Readiness;
enum class Refusal;
enum class Retry;
enum class Status;
struct EngineHealth;
struct EngineOptions;
struct EngineStats;
struct JobOptions;
struct JobRequest;
struct Result;
struct ShutdownReport;
struct Submitted;
struct TypeStats;
struct WorkerHealth;

}  // namespace quarry::process
