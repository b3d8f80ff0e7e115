"""Figures of an engine."""

from dataclasses import dataclass
from typing import List


@dataclass(frozen=True)
class EngineStats:
    """Counts since the start. accepted = ok + errors + cancelled + deadline + lost + waiting + running."""

    accepted: int
    refused: int
    ok: int
    errors: int
    cancelled: int
    deadline: int
    lost: int
    poison: int
    polled: int
    reruns: int
    restarts: int
    corrupt: int
    hung: int
    late: int
    waiting: int
    running: int
    results: int
    waiting_high_water: int
    job_arena_used: int
    memory_bound: int
    job_queue_level: int
    result_queue_level: int


@dataclass(frozen=True)
class WorkerHealth:
    """One worker. `process` is -1 while there is none."""

    process: int
    alive: bool
    busy: bool
    lacks_room: bool
    jobs: int
    restarts: int
    since_heartbeat: float


@dataclass(frozen=True)
class Health:
    """`readiness` is "ready", "degraded" (some workers do not serve) or "failed" (none does, and none can start).

    `failure` is why a worker could not be started."""

    readiness: str
    workers: List[WorkerHealth]
    failure: str = ""


@dataclass(frozen=True)
class ShutdownReport:
    """What became of jobs and workers."""

    cancelled: int
    finished: int
    lost: int
    exited: int
    killed: int
