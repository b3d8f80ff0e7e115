"""Jobs in worker processes."""

import ctypes
import itertools
import select
import time
from collections import deque
from typing import Any, Callable, Iterable, Iterator, List, Optional

from . import _c, _launch, _native, _payload, errors
from ._submit import HandlerName, Submitter, job_options
from .result import Result, read
from .stats import EngineStats, Health, WorkerHealth

_READINESS = ("ready", "degraded", "failed")
_ALL = (1 << 64) - 1
# Made once: ctypes takes some 40 ns for each number that it has to convert.
_every_result = ctypes.c_size_t(_ALL)
_no_budget = ctypes.c_int64(-1)
_poll = _native.quick.quarry_engine_poll
_unused_count = ctypes.byref(ctypes.c_size_t())


class Engine(Submitter):
    """Runs jobs in worker processes. A context manager; or `start` and `close` it.

    `handlers` are modules, by name or by the path of a file: their public functions are the handlers. Each takes one
    value, the payload, and answers one. Without handlers, jobs are functions that can be pickled.

    `submit`, `submit_many`, `poll`, `cancel`, `broadcast`, `stats` and `health` never wait. All methods may be called
    from any thread.
    """

    def _after_start(self) -> None:
        for each in self._idempotent:
            self.set_idempotent(each)

    def poll(self, most: Optional[int] = None, budget: Optional[float] = None) -> List[Result]:
        """Results that have come: at most so many, and none after the budget in seconds is spent. Never waits."""
        with self._lock:
            if self._kept:
                return self._poll_kept(_ALL if most is None else most, budget)
            results = _poll(
                self._handle,
                _every_result if most is None else most,
                _no_budget if budget is None else _launch.nanoseconds("budget", budget),
                _unused_count,
            )
            if not results:
                if self._handle is None:
                    self._open_handle()
                return []
            return self._sort(read(results, self._packs))

    def _poll_kept(self, most: int, budget: Optional[float]) -> List[Result]:
        taken = [self._kept.popleft() for _ in range(min(most, len(self._kept)))]
        if len(taken) < most:
            left = _ALL if most == _ALL else most - len(taken)
            nanoseconds = -1 if budget is None else _launch.nanoseconds("budget", budget)
            results = _poll(self._handle, left, nanoseconds, _unused_count)
            if results:
                taken += self._sort(read(results, self._packs))
        return taken

    def _sort(self, results: List[Result]) -> List[Result]:
        """Puts aside what a call of `run` or `map` waits for."""
        if not self._wanted:
            return results
        others = []
        for each in results:
            if each.id in self._wanted:
                self._wanted[each.id] = each
            else:
                others.append(each)
        return others

    def run(
        self,
        handler: HandlerName,
        payload: Any = None,
        *,
        timeout: Optional[float] = None,
        priority: str = "normal",
        deadline: Optional[float] = None,
        worker: int = -1,
    ) -> Any:
        """Submits one job, waits, and answers its value. TimeoutError: it was not there in time, and is cancelled."""
        options = None
        if deadline is not None or worker != -1 or priority != "normal":
            options = job_options(priority, deadline, worker, None)
        with self._lock:
            id = self._submit(handler, payload, options)
            self._wanted[id] = None
        return self._result_of(id, _moment(timeout)).value

    def _result_of(self, id: int, until: Optional[float]) -> Result:
        """Of a job that is in `_wanted`."""
        one = ctypes.c_uint64(id)
        try:
            while True:
                self._wait(one, 1, until)
                with self._lock:
                    results = _poll(self._handle, _every_result, _no_budget, _unused_count)
                    if results:
                        self._kept.extend(self._sort(read(results, self._packs)))
                    result = self._wanted[id]
                if result is not None:
                    return result
                if self._handle is None:
                    raise errors.EngineClosed("the engine was closed while a call waited for a result")
                if until is not None and time.monotonic() >= until:
                    self.cancel(id)
                    raise TimeoutError("the job had no result in time; it was cancelled")
        finally:
            with self._lock:
                del self._wanted[id]

    def _wait(self, ids: Any, count: int, until: Optional[float]) -> bool:
        wait: Callable[..., int] = _native.lib.quarry_engine_wait
        return self._in_slices(until, lambda handle, end: wait(handle, ctypes.byref(ids), count, end))

    def _in_slices(self, until: Optional[float], wait: Callable[[int, int], int]) -> bool:
        """Waits again and again for a short while, so that Ctrl-C is heeded. False: the time is over, or the engine."""
        while True:
            handle = self._handle
            if handle is None:
                return False
            now = time.monotonic()
            end = now + _launch.SLICE if until is None else min(now + _launch.SLICE, until)
            code = wait(handle, round(end * 1e9))
            if code == _c.OK:
                return True
            if code != _c.TIMEOUT:
                self._check(code)
            if until is not None and end >= until:
                return False

    def map(
        self, handler: HandlerName, payloads: Iterable[Any], *, timeout: Optional[float] = None, priority: str = "normal"
    ) -> Iterator[Any]:
        """The values of all payloads, in their order. Submits as room allows, and raises what a handler raised."""
        until = _moment(timeout)
        options = None if priority == "normal" else job_options(priority, None, -1, None)
        window = max(1, min(self._job_queue // 2, 1024))
        self._open_handle()
        source = iter(payloads)
        first = self._submit_some(handler, source, window, options)
        return self._map_rest(handler, source, window, options, first, until)

    def _map_rest(
        self, handler: HandlerName, source: Iterator[Any], window: int, options: Any, first: List[int],
        until: Optional[float],
    ) -> Iterator[Any]:
        ids = deque(first)
        try:
            while ids:
                if len(ids) <= window // 2:
                    ids.extend(self._submit_some(handler, source, window // 2 or 1, options))
                yield self._result_of(ids.popleft(), until).value
        finally:
            for id in ids:
                self._give_up(id)

    def _submit_some(self, handler: HandlerName, source: Iterator[Any], count: int, options: Any) -> List[int]:
        some = list(itertools.islice(source, count))
        done: List[int] = []
        while len(done) < len(some):
            with self._lock:
                try:
                    accepted = self._submit_many(handler, some[len(done) :], options)
                    full = False
                except (errors.QueueFull, errors.ArenaFull) as refused:
                    accepted = refused.ids
                    full = True
                self._wanted.update(dict.fromkeys(accepted))
            done += accepted
            if full:
                self._make_room()
        return done

    def _make_room(self) -> None:
        """Waits until any job has ended."""
        select.select([self.fileno()], [], [], _launch.SLICE)
        with self._lock:
            results = _poll(self._handle, _every_result, _no_budget, _unused_count)
            if results:
                self._kept.extend(self._sort(read(results, self._packs)))

    def _give_up(self, id: int) -> None:
        """A job that nobody waits for any more; its result will be one of `poll`."""
        with self._lock:
            result = self._wanted.pop(id, None)
            if result is None and self._handle is not None:
                _native.quick.quarry_engine_cancel(self._handle, id)

    def cancel(self, id: int) -> str:
        """ "done": it will not run. "asked": it runs, and can see that it should stop. "no job": it has ended."""
        return ("done", "asked", "no job")[_native.quick.quarry_engine_cancel(self._open_handle(), id)]

    def wait(self, ids: Iterable[int], timeout: Optional[float] = None) -> bool:
        """Until all of these have results, which `poll` then gives. False: the time was over first."""
        listed = list(ids)
        self._open_handle()
        return self._wait((ctypes.c_uint64 * len(listed))(*listed), len(listed), _moment(timeout))

    def drain(self, timeout: Optional[float] = None) -> bool:
        """Until every job has a result. False: the time was over first."""
        self._open_handle()
        return self._in_slices(_moment(timeout), _native.lib.quarry_engine_drain)

    def fileno(self) -> int:
        """A descriptor that is readable when there are results, for event loops; `poll` clears it."""
        return int(_native.quick.quarry_engine_descriptor(self._open_handle()))

    def broadcast(self, key: str, value: Any) -> None:
        """Gives a value to every worker before any job that is submitted later: `quarry.worker.state(key)`."""
        if self._packs:
            if isinstance(value, (bytes, bytearray, memoryview)):
                parts = _payload.raw_answer(value)
            else:
                stream, buffers = _payload.pack_job(value)
                parts = _payload.with_buffers(stream, buffers) if buffers else stream
            data = parts if isinstance(parts, bytes) else b"".join(parts)
        else:
            data = bytes(value)
        refusal = ctypes.c_int()
        code = _native.quick.quarry_engine_broadcast(
            self._open_handle(), key.encode(), data, len(data), ctypes.byref(refusal)
        )
        if code == _c.REFUSED:
            if refusal.value == _c.REFUSAL_UNKNOWN_TYPE:
                raise ValueError("the key of a broadcast has 1 to 63 bytes")
            raise self._refusal("broadcast", refusal.value, data)
        self._check(code)

    def forget(self, key: str) -> bool:
        """Takes a broadcast value back. False: there is none under this key."""
        return bool(_native.quick.quarry_engine_forget(self._open_handle(), key.encode()) == _c.OK)

    def set_idempotent(self, handler: str, idempotent: bool = True) -> None:
        """Jobs of this handler are run again when their worker dies; else they are reported as lost."""
        for name in self._names.get(handler) or self._name(handler):
            self._check(_native.quick.quarry_engine_set_idempotent(self._open_handle(), name, 1 if idempotent else 0))

    def stats(self) -> EngineStats:
        """Counts of jobs and workers."""
        stats = _c.quarry_engine_stats()
        stats.size = ctypes.sizeof(stats)
        self._check(_native.quick.quarry_engine_get_stats(self._open_handle(), ctypes.byref(stats)))
        return EngineStats(**{name: getattr(stats, name) for name, _ in stats._fields_[1:]})

    def health(self) -> Health:
        """Whether the engine serves, and a line for each worker."""
        handle = self._open_handle()
        count = self._options.workers
        workers = (_c.quarry_worker_health * count)()
        _native.quick.quarry_engine_get_health(handle, workers, count)
        return Health(
            _READINESS[_native.quick.quarry_engine_ready(handle)],
            [
                WorkerHealth(
                    each.process, bool(each.alive), bool(each.busy), bool(each.lacks_room), each.jobs, each.restarts,
                    each.since_heartbeat_ns / 1e9,
                )
                for each in workers
            ],
            self._failure(),
        )

    def _failure(self) -> str:
        length = ctypes.c_size_t()
        text = ctypes.create_string_buffer(20_000)
        code = _native.quick.quarry_engine_failure(self._handle, text, len(text), ctypes.byref(length))
        return text.value.decode(errors="replace") if code == _c.OK else ""


def _moment(timeout: Optional[float]) -> Optional[float]:
    if timeout is None:
        return None
    if timeout != timeout:
        raise ValueError("timeout must be a number of seconds, not nan")
    return time.monotonic() + timeout
