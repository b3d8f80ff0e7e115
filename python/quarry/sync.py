"""Frame sync: plays a host with a fixed frame rate, and grades how late results are."""

from __future__ import annotations

import os
import random
import time
from dataclasses import asdict, dataclass
from typing import Any, Dict, Iterable, List, Optional

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


class _Player:
    def __init__(self, engine: Engine, scenario: Scenario, hertz: float, seed: int) -> None:
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
        last = time.monotonic()
        while self._step < self._scenario.frames or (self._out and time.monotonic() - last < 10):
            if self._turn():
                last = time.monotonic()
        stats = self._ledger.stats()
        stale = stats.stale_percent / 100
        grade = sync_grade(stats.mean_latency, stats.latency_max, stale, not self._out)
        return SyncResult(
            self._scenario.name, grade, stats.mean_latency, stats.latency_max, stale, stats.submitted, stats.returned,
            stats.missed_frames, self._dropped, self._ledger.report(),
        )

    def _turn(self) -> bool:
        self._clock.sleep_until_next_step()
        self._stall()
        due = self._clock.advance()
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
        time.sleep(max(0.0, end - budget - time.monotonic()))
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
            left = end - 0.001 - time.monotonic()
            if left <= 0 or not self._out:
                return arrived
            time.sleep(min(left, 0.001))

    def _stall(self) -> None:
        scenario = self._scenario
        length = 0.0
        while self._stalled <= self._step and self._stalled < scenario.frames:
            if scenario.stall_every and self._stalled and self._stalled % scenario.stall_every == 0:
                length += scenario.stall_ms / 1e3
            self._stalled += 1
        if length:
            time.sleep(length)

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


def play(names: Optional[Iterable[str]] = None, *, hertz: float = 30.0, workers: int = 0, seed: int = 1) -> Dict[str, Any]:
    """Plays scenarios by name (None: all) and answers the machine-readable report."""
    chosen = list(SCENARIOS) if names is None else list(names)
    for each in chosen:
        if each not in SCENARIOS:
            raise ValueError(f"there is no scenario {each!r}; there are {', '.join(SCENARIOS)}")
    workers = workers or len(os.sched_getaffinity(0))
    results: List[SyncResult] = []
    with Engine("quarry.handlers", workers=workers) as engine:
        for each in chosen:
            results.append(_Player(engine, SCENARIOS[each], hertz, seed).run())
    return {
        "schema": 1,
        "program": "python -m quarry sync",
        "machine": machine(),
        "options": {"scenarios": chosen, "hertz": hertz, "workers": workers, "seed": seed, "stale_frames": _STALE_FRAMES},
        "scenarios": [asdict(each) for each in results],
    }
