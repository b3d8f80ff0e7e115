"""The one engine of a Blender process, shared by all add-ons, and the jobs that are under way."""

from __future__ import annotations

import logging
import time
from collections import deque
from dataclasses import dataclass, field
from typing import Any, Callable, Deque, Dict, Iterable, List, Optional, Tuple

from .. import errors
from ..engine import Engine
from ..result import Result
from ..stats import EngineStats, ShutdownReport, WorkerHealth
from .batches import Batch

MOST_WORKERS = 64
HANDLERS = ("quarry.handlers", "quarry.blender.jobs", "quarry.blender.navigation", "quarry.blender.terrain_jobs")
# All of these compute from their payload alone: a job whose worker has died is run again.
_RUN_AGAIN = ("compute_heavy", "echo", "ping", "busy", "cast", "find", "heights", "meet", "see", "steer", "terrain_chunk", "walk")
GROUNDS = "ground."
"""Keys of sculpted grounds begin with it. They are named after their content, and the last few are kept."""
_MOST_GROUNDS = 4
_REMEMBERED = 1000
_logger = logging.getLogger("quarry.worker")
_own_logger = logging.getLogger("quarry.blender")


@dataclass(frozen=True)
class Figures:
    """What a panel shows of the engine."""

    readiness: str
    workers: List[WorkerHealth]
    stats: EngineStats
    jobs_per_second: float
    latency_p50_ms: float
    latency_p99_ms: float
    failure: str


@dataclass
class Call:
    """Jobs that belong together. `done` gets the joined value, `failed` the first error; each result is seen by `each`."""

    batch: Batch
    done: Optional[Callable[[Any], None]] = None
    failed: Optional[Callable[[BaseException], None]] = None
    each: Optional[Callable[[int, Any], None]] = None
    priority: str = "normal"
    values: List[Any] = field(default_factory=list)
    finished: int = 0
    error: Optional[BaseException] = None
    ended: bool = False

    @property
    def total(self) -> int:
        return len(self.batch.payloads)


class Session:
    """Starts and stops the engine, and hands each result to whoever sent the job. Belongs to the main thread."""

    def __init__(self) -> None:
        self._engine: Optional[Engine] = None
        self._under_way: Dict[int, Tuple[Call, int]] = {}
        self._single: Dict[int, Callable[[Result], None]] = {}
        self._unsent: Deque[Tuple[Call, int]] = deque()
        self._inbox: Deque[Result] = deque()
        self._latencies: Deque[int] = deque(maxlen=_REMEMBERED)
        self._rate: Tuple[float, int, float] = (0.0, 0, 0.0)
        self._shared: Dict[str, Any] = {}
        self._level_before = logging.NOTSET
        self.wake: Optional[Callable[[], None]] = None
        """Called when there is work under way: the host's timer begins to call `pump`."""

    # Start and end.

    @property
    def running(self) -> bool:
        return self._engine is not None

    @property
    def engine(self) -> Engine:
        """The engine itself. EngineClosed: it is not running."""
        if self._engine is None:
            raise errors.EngineClosed("the engine is not running: start it in the Quarry tab, or call session.start()")
        return self._engine

    def start(
        self,
        workers: int = 4,
        *,
        job_queue: int = 10_000,
        result_queue: int = 10_000,
        handlers: Iterable[str] = (),
        idempotent: Iterable[str] = (),
        log_level: int = logging.WARNING,
        **options: Any,
    ) -> None:
        """Starts the workers, unless they run already. `handlers` are further modules, of which `idempotent` functions
        may be run again when a worker dies."""
        if self._engine is not None:
            return
        if not 1 <= workers <= MOST_WORKERS:
            raise ValueError(f"the number of workers must be 1 to {MOST_WORKERS}, not {workers:,}")
        check_numpy()
        self._level_before = _logger.level
        # A stopped worker is to be noticed, and replaced, within a second.
        options.setdefault("heartbeat", 0.6)
        self._engine = Engine(
            [*HANDLERS, *handlers],
            workers=workers,
            job_queue=job_queue,
            result_queue=result_queue,
            idempotent=[*_RUN_AGAIN, *idempotent],
            log_level=log_level,
            **options,
        )
        try:
            self._engine.start()
        except BaseException:
            self._engine = None
            raise
        _logger.setLevel(log_level)
        self._rate = (time.monotonic(), 0, 0.0)
        self._latencies.clear()

    def stop(self) -> Optional[ShutdownReport]:
        """Ends the workers. Calls that are under way fail with EngineClosed. None: nothing was running."""
        engine, self._engine = self._engine, None
        if engine is None:
            return None
        try:
            report = engine.shutdown()
        finally:
            engine.close()
            _logger.setLevel(self._level_before)
        self._shared.clear()
        self._inbox.clear()
        self._single.clear()
        self._end_calls(errors.EngineClosed("the engine was stopped"))
        return report

    def _end_calls(self, error: BaseException) -> None:
        calls = {id(call): call for call, _ in [*self._under_way.values(), *self._unsent]}
        self._under_way.clear()
        self._unsent.clear()
        for call in calls.values():
            self._fail(call, error)

    # Jobs.

    @property
    def busy(self) -> bool:
        """Whether anything sent has not come back."""
        return bool(self._under_way or self._unsent or self._single or self._inbox)

    def share(self, key: str, value: Any) -> None:
        """Sends a value to all workers, once: the same object under the same key is not sent again. A worker that
        replaces another gets it, too. Jobs read it with `quarry.worker.state(key)`."""
        if self._shared.get(key) is value or (key.startswith(GROUNDS) and key in self._shared):
            return
        self.engine.broadcast(key, value)
        self._shared[key] = value
        grounds = [each for each in self._shared if each.startswith(GROUNDS)]
        for each in grounds[:-_MOST_GROUNDS]:
            self.engine.forget(each)
            del self._shared[each]

    def submit(
        self, handler: str, payload: Any, done: Callable[[Result], None], *, frame: Optional[int] = None, **options: Any
    ) -> int:
        """One job; `done` gets its Result, whatever that is. Never waits; Refused says why it was not accepted."""
        id = self.engine.submit(handler, payload, frame=frame, **options)
        self._single[id] = done
        self._has_work()
        return id

    def send(
        self,
        batch: Batch,
        done: Optional[Callable[[Any], None]] = None,
        failed: Optional[Callable[[BaseException], None]] = None,
        each: Optional[Callable[[int, Any], None]] = None,
        priority: str = "normal",
    ) -> Call:
        """Sends all jobs of a batch as room allows, and calls back from `pump`."""
        if batch.shares:
            for key, value in batch.shares:
                self.share(key, value)
        self.engine  # raises where there is none
        call = Call(batch, done, failed, each, priority, values=[None] * len(batch.payloads))
        if not batch.payloads:
            self._finish(call)
            return call
        self._unsent.extend((call, index) for index in range(len(batch.payloads)))
        self._send_some()
        self._has_work()
        return call

    def run(self, batch: Batch, timeout: float = 60.0) -> Any:
        """Sends a batch, waits, and answers the joined value. Blender stands still meanwhile."""
        call = self.send(batch)
        self.wait(call, timeout)
        if call.error is not None:
            raise call.error
        return batch.join(call.values)

    def wait(self, call: Call, timeout: float = 60.0) -> None:
        """Until a call has ended. TimeoutError: it has not, and is cancelled."""
        end = time.monotonic() + timeout
        while not call.ended:
            if not self.pump(budget=0.05):
                time.sleep(0.0002)
            if time.monotonic() > end:
                self.cancel(call)
                raise TimeoutError(f"{call.finished} of {call.total} jobs came back within {timeout:g} s")

    def cancel(self, call: Call) -> None:
        """Gives a call up: its jobs that have not started never run, what is still to come is dropped."""
        ids = [id for id, (each, _) in self._under_way.items() if each is call]
        for id in ids:
            del self._under_way[id]
            if self._engine is not None:
                self._engine.cancel(id)
        self._unsent = deque(each for each in self._unsent if each[0] is not call)
        call.ended = True

    def cancel_all(self) -> None:
        """Gives up everything under way, such as before another file is loaded."""
        for call in {id(call): call for call, _ in [*self._under_way.values(), *self._unsent]}.values():
            self.cancel(call)
        for each in self._single:
            if self._engine is not None:
                self._engine.cancel(each)
        self._single.clear()

    def pump(self, budget: float = 0.002) -> int:
        """Hands over results until the budget in seconds is spent, at least one if there is one. Answers how many."""
        engine = self._engine
        if engine is None:
            return 0
        end = time.perf_counter() + budget
        count = 0
        while True:
            if not self._inbox:
                self._inbox.extend(engine.poll(most=256))
                if not self._inbox:
                    break
            self._hand_over(self._inbox.popleft())
            count += 1
            if self._engine is None or time.perf_counter() >= end:
                break
        if self._unsent and self._engine is not None:
            self._send_some()
        return count

    def _has_work(self) -> None:
        if self.wake is not None:
            self.wake()

    def _send_some(self) -> None:
        while self._unsent:
            call, index = self._unsent[0]
            try:
                id = self.engine.submit(call.batch.handler, call.batch.payloads[index], priority=call.priority)
            except (errors.QueueFull, errors.ArenaFull):
                return
            except Exception as error:
                self._fail(call, error)
                continue
            self._unsent.popleft()
            self._under_way[id] = (call, index)

    def _hand_over(self, result: Result) -> None:
        self._latencies.append(result.latency_ns)
        single = self._single.pop(result.id, None)
        if single is not None:
            _call_back(single, result)
            return
        found = self._under_way.pop(result.id, None)
        if found is None or found[0].ended:
            return
        call, index = found
        if not result.ok:
            self._fail(call, result.error or errors.Error("a job has failed"))
            return
        if call.each is not None:
            try:
                call.each(index, result.value)
            except Exception as error:
                self._fail(call, error)
                return
        else:
            call.values[index] = result.value
        call.finished += 1
        if call.finished == call.total and not call.ended:
            self._finish(call)

    def _finish(self, call: Call) -> None:
        call.ended = True
        if call.done is not None:
            _call_back(lambda: call.done(call.batch.join(call.values)))  # type: ignore[misc]

    def _fail(self, call: Call, error: BaseException) -> None:
        if call.ended:
            return
        self.cancel(call)
        call.error = error
        if call.failed is not None:
            _call_back(call.failed, error)

    # Figures.

    def figures(self) -> Figures:
        """Health, counts and times, at this moment."""
        engine = self.engine
        stats, health = engine.stats(), engine.health()
        now = time.monotonic()
        since, count, rate = self._rate
        if now - since >= 0.5:
            rate = (stats.ok - count) / (now - since)
            self._rate = (now, stats.ok, rate)
        times = sorted(self._latencies) or [0]
        return Figures(
            health.readiness,
            health.workers,
            stats,
            rate,
            times[len(times) // 2] / 1e6,
            times[min(len(times) - 1, len(times) * 99 // 100)] / 1e6,
            health.failure,
        )


def _call_back(function: Callable[..., Any], *arguments: Any) -> None:
    """An error of one add-on's function is written to the console; results of others are handed over all the same."""
    try:
        function(*arguments)
    except Exception:
        _own_logger.exception("a function that was given a result has failed")


def check_numpy() -> None:
    """ImportError with what to do, where NumPy is missing."""
    try:
        import numpy  # noqa: F401
    except ImportError as error:
        raise ImportError(
            "Quarry needs NumPy, which this Blender's Python does not have: install it there, or use Blender of blender.org"
        ) from error


session = Session()
"""The session of this process."""
