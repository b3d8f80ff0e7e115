"""Graded tests of the engine on this machine, for a button of a host's user interface."""

from __future__ import annotations

import os
import platform
import signal
import time
from dataclasses import asdict, dataclass, field
from typing import Any, Callable, Dict, List, Optional

from . import errors, handlers
from .engine import Engine

_SIZE = (10, 50)  # of compute_heavy
_VERDICTS = {"A": "ready", "B": "usable", "C": "needs work", "F": "failed"}


def machine() -> Dict[str, Any]:
    """The machine that a report was made on."""
    cpu = platform.processor() or platform.machine()
    try:
        with open("/proc/cpuinfo") as file:
            cpu = next(line.split(":", 1)[1].strip() for line in file if line.startswith("model name"))
    except (OSError, StopIteration):
        pass
    return {"cpu": cpu, "cores": len(os.sched_getaffinity(0)), "python": platform.python_version()}


def burst_points(throughput: float, completion: float, latency_ms: float, rules: str = "strict") -> Dict[str, int]:
    """0 to 3 points each. Rules are "strict", for hosts that live by frames, or "lenient"."""
    if rules not in ("strict", "lenient"):
        raise ValueError(f"rules must be strict or lenient, not {rules!r}")
    most = (200, 100, 50) if rules == "strict" else (10_000, 5_000, 1_000)
    return {
        "throughput": sum(throughput >= least for least in (50, 100, 200)),
        "completion": sum(completion >= least for least in (0.80, 0.95, 0.99)),
        "latency": sum(latency_ms <= each for each in most),
    }


def burst_grade(points: Dict[str, int], completion: float, all_alive: bool) -> str:
    """F if a worker is dead or less than 80 % came back, whatever the points."""
    if not all_alive or not completion >= 0.80:
        return "F"
    total = sum(points.values())
    return "A" if total >= 8 else "B" if total >= 6 else "C" if total >= 4 else "F"


@dataclass
class StressReport:
    """How a burst of jobs went."""

    options: Dict[str, Any]
    grade: str = "F"
    points: Dict[str, int] = field(default_factory=dict)
    workers_alive: int = 0
    submitted: int = 0
    received: int = 0
    success: int = 0
    failed: int = 0
    twice: int = 0
    rejected: int = 0
    restarts: int = 0
    seconds: float = 0.0
    throughput: float = 0.0
    latency_ms: Dict[str, float] = field(default_factory=dict)
    submit_us_per_job: float = 0.0
    collect_us_per_job: float = 0.0
    shutdown: Dict[str, int] = field(default_factory=dict)

    @property
    def lost(self) -> int:
        return self.submitted - self.received

    @property
    def verdict(self) -> str:
        """One sentence for a person."""
        status = _VERDICTS[self.grade]
        mean = self.latency_ms.get("mean", float("nan"))
        return (
            f"{status.capitalize()}: {self.success:,} of {self.submitted:,} jobs came back right, {self.throughput:,.0f} a "
            f"second, {mean:.1f} ms after they were submitted."
        )

    def to_dict(self) -> Dict[str, Any]:
        """The machine-readable report."""
        figures = asdict(self)
        options = figures.pop("options")
        return {
            "schema": 1,
            "program": "python -m quarry stress",
            "machine": machine(),
            "options": options,
            "status": _VERDICTS[self.grade],
            **figures,
            "lost": self.lost,
            "verdict": self.verdict,
        }


class _Burst:
    """Submits as fast as the queue takes jobs, or one every `pace` seconds, and books what comes back."""

    _BATCH = 64

    def __init__(self, engine: Engine, report: StressReport, queue: int, pace: float = 0.0) -> None:
        self._engine = engine
        self._report = report
        self._most_out = queue
        self._pace = pace
        self._began = 0.0
        self._out: Dict[int, float] = {}
        self._latencies: List[float] = []
        self._submit_seconds = 0.0
        self._collect_seconds = 0.0
        self._expected = handlers.compute_heavy(_SIZE)

    def run(self, seconds: float, stop: Optional[Callable[[], bool]] = None) -> None:
        began = self._began = time.perf_counter()
        end = began + seconds
        while time.perf_counter() < end and not (stop is not None and stop()):
            submitted = self._submit_some()
            if not self._collect_some() and not submitted:
                time.sleep(min(self._pace, 0.0005) or 0.0005)
        patience = time.perf_counter() + 10
        while self._out and time.perf_counter() < patience:
            if self._collect_some():
                patience = time.perf_counter() + 10
            else:
                time.sleep(0.0005)
        self._book(time.perf_counter() - began)

    def _due(self, now: float) -> int:
        if self._pace <= 0:
            return self._BATCH
        return min(self._BATCH, int((now - self._began) / self._pace) + 1 - self._report.submitted - self._report.rejected)

    def _submit_some(self) -> int:
        began = time.perf_counter()
        count = min(self._due(began), self._most_out - len(self._out))
        if count <= 0:
            return 0
        try:
            ids = self._engine.submit_many("compute_heavy", [_SIZE] * count)
        except errors.Refused as refused:
            ids = refused.ids
            self._report.rejected += count - len(ids)
        self._out.update(dict.fromkeys(ids, began))
        self._report.submitted += len(ids)
        self._submit_seconds += time.perf_counter() - began
        return len(ids)

    def _collect_some(self) -> int:
        began = time.perf_counter()
        results = self._engine.poll()
        now = time.perf_counter()
        for each in results:
            submitted = self._out.pop(each.id, None)
            if submitted is None:
                self._report.twice += 1
                continue
            self._report.received += 1
            if each.ok and each.value == self._expected:
                self._report.success += 1
            else:
                self._report.failed += 1
            self._latencies.append(now - submitted)
        self._collect_seconds += time.perf_counter() - began
        return len(results)

    def _book(self, seconds: float) -> None:
        report = self._report
        report.seconds = seconds
        report.throughput = report.success / seconds
        report.submit_us_per_job = 1e6 * self._submit_seconds / max(1, report.submitted)
        report.collect_us_per_job = 1e6 * self._collect_seconds / max(1, report.received)
        if self._latencies:
            times = sorted(1e3 * each for each in self._latencies)
            report.latency_ms = {
                "mean": sum(times) / len(times),
                "min": times[0],
                "p50": times[len(times) // 2],
                "p99": times[min(len(times) - 1, len(times) * 99 // 100)],
                "max": times[-1],
            }


def stress_test(
    seconds: float = 5.0,
    workers: int = 4,
    queue: int = 10_000,
    rules: str = "strict",
    *,
    pace: float = 0.0,
    most_out: int = 0,
    stop: Optional[Callable[[], bool]] = None,
    **options: Any,
) -> StressReport:
    """The burst test: compute_heavy jobs for so long, as fast as they go, and a grade from A to F.

    `pace` is the time between two jobs in seconds, 0: none. `most_out` jobs are out at once, 0: so few that a job's
    latency is that of work, not of a long queue. Once `stop` answers True no more are submitted."""
    report = StressReport({"duration": seconds, "workers": workers, "queue": queue, "job": "compute_heavy", "rules": rules})
    if pace > 0:
        report.options["pace"] = pace
    burst_points(0, 0, 0, rules)
    with Engine("quarry.handlers", workers=workers, job_queue=queue, **options) as engine:
        _Burst(engine, report, min(queue, most_out or 64 * workers), pace).run(seconds, stop)
        health = engine.health()
        report.workers_alive = sum(each.alive for each in health.workers)
        report.restarts = engine.stats().restarts
        report.shutdown = asdict(engine.shutdown())
    completion = report.success / report.submitted if report.submitted else 0.0
    report.points = burst_points(report.throughput, completion, report.latency_ms.get("mean", float("inf")), rules)
    all_alive = report.workers_alive == workers and report.twice == 0
    report.grade = burst_grade(report.points, completion, all_alive)
    return report


@dataclass
class Check:
    """One thing that must hold."""

    name: str
    ok: bool
    detail: str
    seconds: float


@dataclass
class QuickReport:
    """What works on this machine: each check, and a short burst."""

    checks: List[Check]
    burst: Optional[StressReport] = None

    @property
    def grade(self) -> str:
        if self.burst is None or not all(each.ok for each in self.checks):
            return "F"
        return self.burst.grade

    @property
    def verdict(self) -> str:
        wrong = [f"{each.name}: {each.detail}" for each in self.checks if not each.ok]
        if wrong or self.burst is None:
            return "Failed: " + "; ".join(wrong)
        return self.burst.verdict

    def to_dict(self) -> Dict[str, Any]:
        return {
            "schema": 1,
            "program": "python -m quarry info",
            "machine": machine(),
            "options": {},
            "grade": self.grade,
            "checks": [asdict(each) for each in self.checks],
            "burst": None if self.burst is None else self.burst.to_dict(),
            "verdict": self.verdict,
        }


def _round_trip(engine: Engine) -> str:
    value = {"text": "x", "numbers": list(range(10))}
    if engine.run("echo", value, timeout=10) != value:
        raise AssertionError("a value came back changed")
    return "a value came back as it was"


def _large_payload(engine: Engine) -> str:
    data = bytes(range(256)) * 4096
    if engine.run("echo", data, timeout=10) != data:
        raise AssertionError("a megabyte came back changed")
    return "a megabyte came back as it was"


def _remote_error(engine: Engine) -> str:
    try:
        engine.run("compute_heavy", None, timeout=10)
    except TypeError as error:
        if "compute_heavy" in str(error.__cause__):
            return "an exception came back with its traceback"
    raise AssertionError("an exception did not come back with its traceback")


def _replacement(engine: Engine) -> str:
    victim = engine.health().workers[0].process
    os.kill(victim, signal.SIGKILL)
    end = time.monotonic() + 10
    while time.monotonic() < end:
        worker = engine.health().workers[0]
        if worker.alive and worker.process != victim:
            engine.run("ping", worker=0, timeout=10)
            return "a killed worker was replaced"
        time.sleep(0.005)
    raise AssertionError("a killed worker was not replaced within 10 s")


def quick_test(seconds: float = 3.0, workers: int = 2) -> QuickReport:
    """Whether all of it works here: start, payloads, errors, a killed worker; the rest of the time is a burst."""
    began = time.monotonic()
    report = QuickReport([])

    def check(name: str, what: Any) -> bool:
        start = time.monotonic()
        try:
            detail, ok = what(), True
        except Exception as error:
            detail, ok = f"{type(error).__name__}: {error}", False
        report.checks.append(Check(name, ok, detail, time.monotonic() - start))
        return ok

    engine = Engine("quarry.handlers", workers=workers)
    if not check("start", lambda: f"{len(engine.start().health().workers)} workers are ready"):
        return report
    try:
        check("round trip", lambda: _round_trip(engine))
        check("large payload", lambda: _large_payload(engine))
        check("error", lambda: _remote_error(engine))
        check("replacement", lambda: _replacement(engine))
    finally:
        engine.close()
    report.burst = stress_test(max(0.3, seconds - (time.monotonic() - began) - 0.3), workers)
    return report
