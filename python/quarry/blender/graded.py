"""The graded tests for buttons of an interface: in a thread that never touches Blender, and as text for a person."""

from __future__ import annotations

import json
import threading
import time
from dataclasses import dataclass
from typing import Any, Callable, Dict, List, Optional

from ..reports import quick_test, stress_test
from ..sync import play

PACE = 0.0001
"""Seconds between two jobs of the graded part of the stress test."""
# A job of a worker that has died is run again, and a stopped worker is noticed within a second.
_ENGINE: Dict[str, Any] = {"idempotent": ("compute_heavy",), "heartbeat": 0.6}


@dataclass
class GradedReport:
    """A grade, lines for a person, and the figures for a machine."""

    title: str
    grade: str
    lines: List[str]
    figures: Dict[str, Any]

    @property
    def text(self) -> str:
        return "\n".join([f"{self.title}: {self.grade}", *self.lines]) + "\n"

    def to_json(self) -> str:
        return json.dumps(self.figures, indent=2) + "\n"


Stop = Callable[[], bool]


def quick(stop: Stop, workers: int = 2) -> GradedReport:
    """Three seconds: does all of it work here?"""
    report = quick_test(3.0, workers)
    lines = [f"{'ok  ' if each.ok else 'FAIL'} {each.name}: {each.detail}" for each in report.checks]
    return GradedReport("Quick Test", report.grade, [report.verdict, *lines], report.to_dict())


def stress(stop: Stop, workers: int = 4, seconds: float = 5.0) -> GradedReport:
    """Four fifths of the time one job every 0.1 ms, which is graded; then as many as the queue takes, which is not."""
    paced = stress_test(seconds * 0.8, workers, pace=PACE, most_out=10_000, stop=stop, **_ENGINE)
    flood = stress_test(seconds * 0.2, workers, most_out=10_000, stop=stop, **_ENGINE)
    lines = [paced.verdict]
    lines += [f"latency {name:<4} {value:10.2f} ms" for name, value in paced.latency_ms.items()]
    lines += [
        f"submit       {paced.submit_us_per_job:10.2f} us a job",
        f"collect      {paced.collect_us_per_job:10.2f} us a job",
        f"workers      {paced.workers_alive} of {workers} alive, {paced.restarts} restarts, {paced.lost} jobs lost",
        f"without a pace, not graded: {flood.success:,} of {flood.submitted:,} jobs, {flood.throughput:,.0f} a second, "
        f"{flood.latency_ms.get('mean', 0.0):.0f} ms in the queue",
    ]
    return GradedReport("Stress Test", paced.grade, lines, {**paced.to_dict(), "unpaced": flood.to_dict()})


def sync(stop: Stop, workers: int = 0, scenarios: Optional[List[str]] = None) -> GradedReport:
    """A host at 30 Hz; each scenario beside the grade of an ideal machine with as many cores."""
    report = play(scenarios, workers=workers, stop=stop)
    lines = ["grade ideal scenario  mean  max  stale  missed"]
    for each in report["scenarios"]:
        lines.append(
            f"{each['grade']:<5} {each['ideal']:<5} {each['name']:<8} {each['mean_latency_frames']:5.2f} "
            f"{each['max_latency_frames']:4d} {each['stale_share']:6.1%} {each['missed_frames']:6d}"
        )
    grades = "FCBA"
    worst = min((grades.index(each["grade"]) for each in report["scenarios"]), default=0)
    short = [
        each["name"] for each in report["scenarios"] if grades.index(each["grade"]) < grades.index(each["ideal"])
    ]
    lines.append(f"below the ideal machine: {', '.join(short)}" if short else "every scenario has the grade of an ideal machine")
    return GradedReport("Sync Test", grades[worst], lines, {**report, "below_ideal": short})


TESTS: Dict[str, Callable[..., GradedReport]] = {"quick": quick, "stress": stress, "sync": sync}
LENGTHS = {"quick": 3.5, "stress": 6.0, "sync": 20.0}
"""About how long each takes, in seconds."""


class Run:
    """A test under way in its thread."""

    def __init__(self, name: str, **options: Any) -> None:
        self.name = name
        self.report: Optional[GradedReport] = None
        self.problem = ""
        self._stop = threading.Event()
        self._began = time.monotonic()
        self._options = options
        self._thread = threading.Thread(target=self._run, name="quarry-test", daemon=True)
        self._thread.start()

    def _run(self) -> None:
        try:
            self.report = TESTS[self.name](self._stop.is_set, **self._options)
        except Exception as error:
            self.problem = f"{type(error).__name__}: {error}"

    @property
    def ended(self) -> bool:
        return not self._thread.is_alive()

    @property
    def progress(self) -> float:
        return min(0.99, (time.monotonic() - self._began) / LENGTHS[self.name])

    def stop(self) -> None:
        """Ends the test early and waits for its workers to end."""
        self._stop.set()
        self._thread.join(timeout=30)

    def wait(self) -> None:
        self._thread.join()
