"""The host's frames: fixed steps, and which job belongs to which frame."""

from __future__ import annotations

import ctypes
import json
import time
from dataclasses import dataclass
from typing import Any, Dict, Optional

from . import _c, _native, errors


def _made(pointer: Optional[int]) -> int:
    if not pointer:
        raise ValueError(_native.last_error())
    return pointer


@dataclass(frozen=True)
class Steps:
    """`steps` to run now, and how many were `dropped`, which are never to be run."""

    steps: int
    dropped: int


class FrameClock:
    """Fixed steps: `advance` says how many to run now. After a stall it catches up by at most `max_catch_up`."""

    def __init__(self, hertz: float, max_catch_up: int = 3) -> None:
        self._clock = _made(_native.quick.quarry_clock_new(hertz, max_catch_up))

    def __del__(self) -> None:
        if getattr(self, "_clock", None):
            _native.quick.quarry_clock_free(self._clock)

    def advance(self, now: Optional[float] = None) -> Steps:
        """`now` is of time.monotonic(), in seconds; None: this moment."""
        moment = time.monotonic_ns() if now is None else round(now * 1e9)
        dropped = ctypes.c_int64()
        return Steps(_native.quick.quarry_clock_advance(self._clock, moment, ctypes.byref(dropped)), dropped.value)

    @property
    def interpolation(self) -> float:
        """How far the next step is due, from 0 to 1."""
        return float(_native.quick.quarry_clock_interpolation(self._clock))

    @property
    def next_step(self) -> float:
        """When the next step is due, of time.monotonic()."""
        return int(_native.quick.quarry_clock_next_step_ns(self._clock)) / 1e9

    def sleep_until_next_step(self) -> None:
        """Sleeps until `next_step`."""
        time.sleep(max(0.0, self.next_step - time.monotonic()))


@dataclass(frozen=True)
class LedgerStats:
    """Latencies are in frames."""

    frames: int
    submitted: int
    returned: int
    withdrawn: int
    stale: int
    dropped: int
    latency_max: int
    missed_frames: int
    overrun_frames: int
    mean_latency: float
    stale_percent: float


class FrameLedger:
    """Tags jobs with their frame, and says of each result how late it is. Belongs to the thread that makes it.

    `hertz` is the frames' deadline, None: none. `drop_older_than`: results that are later by more frames than that are
    not to be applied; None: all are, and only counted."""

    def __init__(self, hertz: Optional[float] = None, drop_older_than: Optional[int] = None) -> None:
        self._ledger = _made(
            _native.quick.quarry_ledger_new(hertz or 0.0, -1 if drop_older_than is None else drop_older_than)
        )

    def __del__(self) -> None:
        if getattr(self, "_ledger", None):
            _native.quick.quarry_ledger_free(self._ledger)

    def _check(self, code: int) -> None:
        if code != _c.OK:
            raise errors.Error(_native.last_error())

    def begin_frame(self) -> int:
        """The number of the frame that begins."""
        frame = ctypes.c_uint64()
        self._check(_native.quick.quarry_ledger_begin_frame(self._ledger, ctypes.byref(frame)))
        return frame.value

    def end_frame(self) -> None:
        self._check(_native.quick.quarry_ledger_end_frame(self._ledger))

    def submitted(self) -> int:
        """A job is submitted in this frame: the tag for `frame=` of Engine.submit. Any thread."""
        return int(_native.quick.quarry_ledger_submitted(self._ledger))

    def withdrawn(self, tag: int) -> None:
        """It will not return: it was refused, or has failed. Any thread."""
        _native.quick.quarry_ledger_withdrawn(self._ledger, tag)

    def returned(self, tag: int) -> bool:
        """Its result is here. Whether to apply it."""
        apply = ctypes.c_int()
        self._check(_native.quick.quarry_ledger_returned(self._ledger, tag, ctypes.byref(apply)))
        return apply.value != 0

    def apply(self, result: Any) -> bool:
        """Enters a Result of Engine.poll into the books; whether it has a value that is to be applied."""
        if result.frame is None:
            return bool(result.ok)
        if not result.ok:
            self.withdrawn(result.frame)
            return False
        return self.returned(result.frame)

    def stats(self) -> LedgerStats:
        stats = _c.quarry_ledger_stats()
        stats.size = ctypes.sizeof(stats)
        self._check(_native.quick.quarry_ledger_get_stats(self._ledger, ctypes.byref(stats)))
        return LedgerStats(**{name: getattr(stats, name) for name, _ in stats._fields_[1:]})

    def report(self) -> Dict[str, Any]:
        """All figures: latency in frames, each of the last frames."""
        length = ctypes.c_size_t()
        _native.quick.quarry_ledger_json(self._ledger, None, 0, ctypes.byref(length))
        text = ctypes.create_string_buffer(length.value + 1)
        self._check(_native.quick.quarry_ledger_json(self._ledger, text, len(text), ctypes.byref(length)))
        report: Dict[str, Any] = json.loads(text.value)
        return report
