"""A frame loop inside Blender: fixed steps, jobs that know their frame, results within a budget."""

from __future__ import annotations

import time
from typing import Any, Callable, Optional

from .. import errors
from ..frames import FrameClock, FrameLedger, LedgerStats
from ..result import Result
from ._session import Session


class FrameLoop:
    """Calls `on_frame(frame)` at a fixed rate, at most `max_catch_up` times in a row after a stall.

    In `on_frame` jobs are sent with `submit`; their values are applied later, within `budget` seconds a tick. Values
    that are late by more than `drop_older_than` frames are dropped and counted. An error of `on_frame`, or of what is
    applied, ends the loop: `problem` says why, and `on_end` is called."""

    def __init__(
        self,
        session: Session,
        on_frame: Callable[[int], None],
        *,
        hertz: float = 30.0,
        max_catch_up: int = 3,
        drop_older_than: Optional[int] = 2,
        budget: float = 0.004,
        on_end: Optional[Callable[[], None]] = None,
    ) -> None:
        self._session = session
        self._on_frame = on_frame
        self._on_end = on_end
        self._hertz = hertz
        self._most = max_catch_up
        self._policy = drop_older_than
        self._budget = budget
        self._clock: Optional[FrameClock] = None
        self._ledger: Optional[FrameLedger] = None
        self._rounds = 0
        # The very object that is registered: Blender knows a timer by it.
        self._timer = self._on_timer
        self.problem = ""
        self.dropped_steps = 0
        self.failed_jobs = 0

    @property
    def running(self) -> bool:
        return self._clock is not None

    def begin(self) -> None:
        """Begins at frame 0, without a timer: somebody else calls `tick`."""
        if self._clock is not None:
            return
        self._session.engine  # raises where there is none
        self._clock = FrameClock(self._hertz, self._most)
        self._ledger = FrameLedger(self._hertz, self._policy)
        self._rounds += 1
        self.problem = ""
        self.dropped_steps = self.failed_jobs = 0

    def start(self) -> None:
        """Begins, and lets a timer of Blender call `tick`. Loading another file ends it; undo does not."""
        import bpy  # type: ignore

        if self._clock is not None:
            return
        self.begin()
        bpy.app.timers.register(self._timer, first_interval=0.0)
        bpy.app.handlers.load_pre.append(self._on_load)

    def stop(self) -> None:
        """Ends the loop; the engine goes on, and results of its frames are dropped."""
        if self._clock is None:
            return
        self._clock = None
        self._remove_from_blender()
        if self._on_end is not None:
            self._on_end()

    def _remove_from_blender(self) -> None:
        import sys

        bpy = sys.modules.get("bpy")
        if bpy is None:
            return
        if bpy.app.timers.is_registered(self._timer):
            bpy.app.timers.unregister(self._timer)
        for each in [each for each in bpy.app.handlers.load_pre if getattr(each, "__self__", None) is self]:
            bpy.app.handlers.load_pre.remove(each)

    def _on_load(self, *_: Any) -> None:
        self.stop()

    def _on_timer(self) -> Optional[float]:
        self.tick()
        clock = self._clock
        return None if clock is None else max(0.0, clock.next_step - time.monotonic())

    def tick(self, now: Optional[float] = None) -> int:
        """Applies what has come, runs the frames that are due at this moment, and applies what came meanwhile. Answers how
        many frames."""
        if self._clock is None or self._ledger is None:
            return 0
        try:
            # What has come since the last tick belongs to its frames: a slow viewport must not make it late.
            self._session.pump(self._budget / 2)
            if self._clock is None:
                return 0
            due = self._clock.advance(now)
            self.dropped_steps += due.dropped
            for step in range(due.steps):
                self._on_frame(self._ledger.begin_frame())
                if step + 1 < due.steps and self._clock is not None:
                    self._ledger.end_frame()
            self._session.pump(self._budget / 2)
            if due.steps and self._clock is not None:
                self._ledger.end_frame()
        except Exception as error:
            self._end_with(error)
            return 0
        return due.steps

    def _end_with(self, error: Exception) -> None:
        self.problem = f"{type(error).__name__}: {error}"
        self.stop()

    def submit(self, handler: str, payload: Any, apply: Callable[[Any], None], **options: Any) -> bool:
        """A job of the frame that runs; its value goes to `apply`, unless it comes too late. False: the queue is full, and
        this frame goes without."""
        ledger, round = self._ledger, self._rounds
        if ledger is None or self._clock is None:
            raise errors.Error("the loop is not running")
        books = ledger
        tag = books.submitted()

        def done(result: Result) -> None:
            if round != self._rounds or self._clock is None:
                return
            if books.apply(result):
                try:
                    apply(result.value)
                except Exception as error:
                    self._end_with(error)
            elif not result.ok:
                self.failed_jobs += 1

        try:
            self._session.submit(handler, payload, done, frame=tag, **options)
        except (errors.QueueFull, errors.ArenaFull):
            ledger.withdrawn(tag)
            return False
        return True

    def latency(self, share: float) -> int:
        """So many frames late is this share of all results at most: 0.5 is the median."""
        if self._ledger is None:
            return 0
        latency = self._ledger.report()["latency"]
        counts = [*latency["histogram"], latency["later"]]
        wanted, seen = share * sum(counts), 0
        for frames, count in enumerate(counts):
            seen += count
            if seen >= wanted:
                return min(frames, int(latency["max"]))
        return 0

    def stats(self) -> Optional[LedgerStats]:
        """Frames, latencies and late results of the run, or of the last one."""
        return None if self._ledger is None else self._ledger.stats()
