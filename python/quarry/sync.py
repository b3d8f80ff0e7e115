"""Frame sync: plays a host with a fixed frame rate, and grades how late results are."""

from __future__ import annotations

import heapq
import os
import random
import time
from dataclasses import asdict, dataclass
from typing import Any, Callable, Dict, Iterable, List, Optional, Tuple

from .engine import Engine
from .frames import FrameClock, FrameLedger
from .reports import machine

_STALE_FRAMES = 2
_DELIVERY_PART = 4  # of a frame is for results


@dataclass(frozen=True)
class Scenario:
    """Frames, jobs in each, and their length in milliseconds."""

    name: str
    frames: int
    jobs: int
    least_ms: float
    most_ms: float
    extra_jobs: int = 0
    extra_every: int = 0
    stall_ms: float = 0.0
    stall_every: int = 0


SCENARIOS = {
    each.name: each
    for each in (
        Scenario("BASELINE", 60, 1, 0, 0.1),
        Scenario("LIGHT", 90, 5, 1, 3),
        Scenario("MEDIUM", 90, 15, 2, 5),
        Scenario("HEAVY", 90, 30, 3, 8),
        Scenario("BURST", 90, 5, 2, 5, extra_jobs=50, extra_every=30),
        Scenario("CATCHUP", 120, 10, 2, 5, stall_ms=100, stall_every=15),
    )
}


def sync_grade(mean_latency: float, max_latency: float, stale: float, complete: bool) -> str:
    """Latencies in frames, stale results as a share."""
    if complete and mean_latency <= 1.0 and max_latency <= 2 and stale < 0.05:
        return "A"
    if complete and mean_latency <= 1.5 and max_latency <= 3 and stale < 0.10:
        return "B"
    return "F"


@dataclass
class SyncResult:
    """How one scenario went."""

    name: str
    grade: str
    mean_latency_frames: float
    max_latency_frames: int
    stale_share: float
    submitted: int
    returned: int
    missed_frames: int
    dropped_steps: int
    ledger: Dict[str, Any]
    ideal: str = ""


class _Clock:
    """The time that a player lives in: that of this machine."""

    now = staticmethod(time.monotonic)
    sleep = staticmethod(time.sleep)


class _VirtualClock:
    """A time in which nothing passes but sleep."""

    def __init__(self) -> None:
        self._now = 1.0

    def now(self) -> float:
        return self._now

    def sleep(self, seconds: float) -> None:
        self._now += seconds


@dataclass
class _IdealResult:
    id: int
    frame: int
    ok: bool = True


class _IdealEngine:
    """Runs jobs first in, first out, on so many cores, where nothing costs anything but the jobs."""

    def __init__(self, clock: _VirtualClock, cores: int) -> None:
        self._clock = clock
        self._free = [0.0] * cores
        self._ends: List[Tuple[float, int, int]] = []
        self._count = 0

    def submit(self, _: str, length: float, frame: int) -> int:
        self._count += 1
        end = max(self._clock.now(), heapq.heappop(self._free)) + length
        heapq.heappush(self._free, end)
        heapq.heappush(self._ends, (end, self._count, frame))
        return self._count

    def poll(self) -> List[_IdealResult]:
        found = []
        while self._ends and self._ends[0][0] <= self._clock.now():
            _, id, frame = heapq.heappop(self._ends)
            found.append(_IdealResult(id, frame))
        return found


def ideal_grade(scenario: Scenario, hertz: float = 30.0, cores: int = 0, seed: int = 1) -> str:
    """The grade that the same loop gets in virtual time, with as many cores (0: those of this machine)."""
    clock = _VirtualClock()
    engine = _IdealEngine(clock, cores or len(os.sched_getaffinity(0)))
    return _Player(engine, scenario, hertz, seed, clock).run().grade


class _Player:
    def __init__(self, engine: Any, scenario: Scenario, hertz: float, seed: int, clock: Any = _Clock) -> None:
        self._time = clock
        self._engine = engine
        self._scenario = scenario
        self._hertz = hertz
        self._numbers = random.Random(seed)
        self._clock = FrameClock(hertz)
        self._ledger = FrameLedger(hertz, _STALE_FRAMES)
        self._out: set[int] = set()
        self._step = 0
        self._stalled = 0
        self._dropped = 0

    def run(self) -> SyncResult:
        last = self._time.now()
        while self._step < self._scenario.frames or (self._out and self._time.now() - last < 10):
            if self._turn():
                last = self._time.now()
        stats = self._ledger.stats()
        stale = stats.stale_percent / 100
        grade = sync_grade(stats.mean_latency, stats.latency_max, stale, not self._out)
        return SyncResult(
            self._scenario.name, grade, stats.mean_latency, stats.latency_max, stale, stats.submitted, stats.returned,
            stats.missed_frames, self._dropped, self._ledger.report(),
        )

    def _turn(self) -> bool:
        self._time.sleep(max(0.0, self._clock.next_step - self._time.now()))
        self._stall()
        due = self._clock.advance(self._time.now())
        self._dropped += due.dropped
        for step in range(due.steps):
            self._ledger.begin_frame()
            self._submit_step()
            if step + 1 < due.steps:
                self._ledger.end_frame()
        if due.steps == 0:
            return False
        budget = 1 / self._hertz / _DELIVERY_PART
        end = self._clock.next_step
        self._time.sleep(max(0.0, end - budget - self._time.now()))
        arrived = self._deliver(end)
        self._ledger.end_frame()
        return arrived

    def _deliver(self, end: float) -> bool:
        """Takes results until shortly before the next frame."""
        arrived = False
        while True:
            for result in self._engine.poll():
                arrived = True
                self._out.discard(result.id)
                self._ledger.apply(result)
            left = end - 0.001 - self._time.now()
            if left <= 0 or not self._out:
                return arrived
            self._time.sleep(min(left, 0.001))

    def _stall(self) -> None:
        scenario = self._scenario
        length = 0.0
        while self._stalled <= self._step and self._stalled < scenario.frames:
            if scenario.stall_every and self._stalled and self._stalled % scenario.stall_every == 0:
                length += scenario.stall_ms / 1e3
            self._stalled += 1
        if length:
            self._time.sleep(length)

    def _submit_step(self) -> None:
        scenario = self._scenario
        if self._step < scenario.frames:
            count = scenario.jobs
            if scenario.extra_every and self._step % scenario.extra_every == 0:
                count += scenario.extra_jobs
            for _ in range(count):
                length = self._numbers.uniform(scenario.least_ms, scenario.most_ms) / 1e3
                self._out.add(self._engine.submit("busy", length, frame=self._ledger.submitted()))
        self._step += 1


def play(
    names: Optional[Iterable[str]] = None,
    *,
    hertz: float = 30.0,
    workers: int = 0,
    seed: int = 1,
    stop: Optional[Callable[[], bool]] = None,
) -> Dict[str, Any]:
    """Plays scenarios by name (None: all) and answers the machine-readable report. Once `stop` answers True no further
    scenario begins."""
    chosen = list(SCENARIOS) if names is None else list(names)
    for each in chosen:
        if each not in SCENARIOS:
            raise ValueError(f"there is no scenario {each!r}; there are {', '.join(SCENARIOS)}")
    workers = workers or len(os.sched_getaffinity(0))
    results: List[SyncResult] = []
    with Engine("quarry.handlers", workers=workers) as engine:
        for each in chosen:
            if stop is not None and stop():
                break
            results.append(_Player(engine, SCENARIOS[each], hertz, seed).run())
            results[-1].ideal = ideal_grade(SCENARIOS[each], hertz, min(workers, len(os.sched_getaffinity(0))), seed)
    return {
        "schema": 1,
        "program": "python -m quarry sync",
        "machine": machine(),
        "options": {"scenarios": chosen, "hertz": hertz, "workers": workers, "seed": seed, "stale_frames": _STALE_FRAMES},
        "scenarios": [asdict(each) for each in results],
    }
