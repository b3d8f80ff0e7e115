"""Jobs in worker processes."""

import atexit
import ctypes
import logging
import os
import threading
import time
import weakref
from collections import deque
from typing import Any, Callable, Deque, Dict, Iterable, Iterator, List, Optional, Sequence, Tuple, Type, Union

from . import _c, _launch, _native, _payload, errors
from ._logs import LogReader
from .result import Result, read
from .stats import EngineStats, Health, ShutdownReport, WorkerHealth
from .worker import CALL, PACKED, SETUP_VARIABLE

logger = logging.getLogger("quarry.worker")

PRIORITIES = {"low": 0, "normal": 1, "high": 2, "urgent": 3}
_READINESS = ("ready", "degraded", "failed")
_REFUSALS: "Dict[int, Type[errors.Refused]]" = {
    _c.REFUSAL_QUEUE_FULL: errors.QueueFull,
    _c.REFUSAL_ARENA_FULL: errors.ArenaFull,
    _c.REFUSAL_PAYLOAD_TOO_LARGE: errors.PayloadTooLarge,
    _c.REFUSAL_UNKNOWN_TYPE: errors.UnknownHandler,
}
_ALL = (1 << 64) - 1

_send = _native.quick.quarry_engine_send
_send_large = _native.lib.quarry_engine_send_parts
_poll = _native.quick.quarry_engine_poll
_pack_job = _payload.pack_job
_unused_count = ctypes.byref(ctypes.c_size_t())

HandlerName = Union[str, Callable[..., Any]]
_started: "weakref.WeakSet[Engine]" = weakref.WeakSet()


class Engine:
    """Runs jobs in worker processes. A context manager; or `start` and `close` it.

    `handlers` are modules, by name or by the path of a file: their public functions are the handlers. Each takes one
    value, the payload, and answers one. Without handlers, jobs are functions that can be pickled.

    `submit`, `submit_many`, `poll`, `cancel`, `broadcast`, `stats` and `health` never wait. All methods may be called
    from any thread.
    """

    def __init__(
        self,
        handlers: Any = (),
        *,
        workers: int = 4,
        job_queue: int = 10_000,
        result_queue: int = 10_000,
        heartbeat: float = 1.0,
        shutdown_timeout: float = 2.0,
        start_timeout: float = 30.0,
        spares: int = 0,
        max_payload: int = 64 << 20,
        job_arena: int = 128 << 20,
        result_arena: int = 64 << 20,
        memory_limit: int = 0,
        work_ahead: float = 0.001,
        blocked_modules: Sequence[str] = ("bpy",),
        initializer: Optional[Callable[..., object]] = None,
        initargs: Tuple[Any, ...] = (),
        max_tasks_per_child: Optional[int] = None,
        idempotent: Iterable[str] = (),
        executable: Optional[str] = None,
        command: Optional[Sequence[str]] = None,
        environment: Optional[Dict[str, str]] = None,
        log: bool = True,
        log_lines_per_second: int = 200,
        log_level: int = logging.INFO,
        wait: bool = True,
        portable: bool = False,
    ) -> None:
        """`command` starts workers of another language, whose payloads are bytes. `log=False` leaves what workers print
        where this process prints. Times are in seconds, sizes in bytes."""
        if max_tasks_per_child is not None and max_tasks_per_child < 1:
            raise ValueError("max_tasks_per_child must be at least 1, or None")
        if initializer is not None and not callable(initializer):
            raise TypeError("the initializer must be callable")
        self._sources = _launch.sources(handlers)
        self._blocked = [blocked_modules] if isinstance(blocked_modules, str) else list(blocked_modules)
        self._initializer = (initializer, tuple(initargs))
        self._most_jobs = max_tasks_per_child or 0
        self._idempotent = list(idempotent)
        self._executable = executable
        self._command = list(command) if command is not None else None
        self._environment = dict(environment or {})
        self._log = log and command is None
        self._log_lines = log_lines_per_second
        self._log_level = log_level
        self._shutdown_timeout = shutdown_timeout
        self._max_payload = max_payload
        self._job_queue = job_queue
        options = _c.quarry_engine_options()
        _native.quick.quarry_engine_options_init(ctypes.byref(options))
        options.workers = workers
        options.job_queue = job_queue
        options.result_queue = result_queue
        options.heartbeat_ms = round(heartbeat * 1000)
        options.shutdown_timeout_ms = round(shutdown_timeout * 1000)
        options.start_timeout_ms = round(start_timeout * 1000)
        options.spares = spares
        options.wait = 1 if wait else 0
        options.max_payload = max_payload
        options.job_arena = job_arena
        options.result_arena = result_arena
        options.memory_limit = memory_limit
        options.work_ahead_us = round(work_ahead * 1e6)
        options.portable = 1 if portable else 0
        self._options = options
        self._handle: Optional[int] = None
        self._packs = command is None
        self._names: Dict[Any, Tuple[bytes, bytes]] = {}
        self._lock = threading.Lock()
        self._kept: Deque[Result] = deque()
        self._wanted: Dict[int, Optional[Result]] = {}
        self._logs: Optional[LogReader] = None
        self._setup_file: Optional[str] = None
        self._process = os.getpid()

    # Start and end.

    def start(self) -> "Engine":
        """Starts the workers. StartError: none could be; it has what a worker said, such as an import's traceback."""
        if self._handle is not None:
            raise errors.Error("the engine has been started already")
        command = self._command or _launch.interpreter(self._executable)
        environment = [f"{name}={value}" for name, value in self._environment.items()]
        if self._packs:
            environment.append(f"{SETUP_VARIABLE}={self._setup()}")
        try:
            if self._log:
                self._logs = LogReader(logger, self._log_lines)
                self._options.output = self._logs.write_end
            self._handle = _launch.start(self._options, command, environment)
        except BaseException:
            self._clean_up()
            raise
        for each in self._idempotent:
            self.set_idempotent(each)
        _started.add(self)
        return self

    def _setup(self) -> str:
        text, self._setup_file = _launch.setup_text(
            {
                "handlers": self._sources,
                "blocked": self._blocked,
                "initializer": _launch.packed_initializer(*self._initializer),
                "most_jobs": self._most_jobs,
                "sends_output": self._log,
                "log_level": self._log_level,
            }
        )
        return text

    def shutdown(self, timeout: Optional[float] = None) -> ShutdownReport:
        """Refuses further jobs, cancels those that have not started, gives the others until the timeout, then kills.

        Results can still be polled until `close`. Call `drain` first to finish all."""
        report = _c.quarry_shutdown_report()
        seconds = self._shutdown_timeout if timeout is None else timeout
        code = _native.lib.quarry_engine_shutdown(self._open_handle(), round(seconds * 1e9), ctypes.byref(report))
        self._check(code)
        return ShutdownReport(**{name: getattr(report, name) for name, _ in report._fields_})

    def close(self) -> None:
        """Shuts down, and frees everything. Values that were polled stay valid."""
        with self._lock:
            handle, self._handle = self._handle, None
        if handle is not None:
            _native.lib.quarry_engine_free(handle)
        _started.discard(self)
        if self._process == os.getpid():
            self._clean_up()

    def _clean_up(self) -> None:
        if self._logs is not None:
            self._logs.close()
            self._logs = None
        if self._setup_file is not None:
            os.unlink(self._setup_file)
            self._setup_file = None

    def __enter__(self) -> "Engine":
        return self if self._handle is not None else self.start()

    def __exit__(self, *error: object) -> None:
        self.close()

    def __del__(self) -> None:
        if getattr(self, "_handle", None) is not None:
            self.close()

    def _open_handle(self) -> int:
        if self._handle is None:
            raise errors.EngineClosed("the engine is not running: start it, or use it in a with statement")
        return self._handle

    def _check(self, code: int) -> None:
        if code == _c.INVALID:
            raise ValueError(_native.last_error())
        if code != _c.OK:
            raise errors.Error(_native.last_error())

    # Jobs in.

    def submit(
        self,
        handler: HandlerName,
        payload: Any = None,
        *,
        priority: str = "normal",
        deadline: Optional[float] = None,
        worker: int = -1,
        frame: Optional[int] = None,
    ) -> int:
        """Hands a job over and answers its id. Never waits: Refused says why it was not accepted.

        `handler` is a handler's name, or a function. `deadline` is in seconds from now: then the job is not started any
        more, and a worker that runs it is killed. `frame` is a tag of FrameLedger.submitted."""
        options = None
        if deadline is not None or frame is not None or worker != -1 or priority != "normal":
            options = _job_options(priority, deadline, worker, frame)
        return self._submit(handler, payload, options)

    def _submit(self, handler: HandlerName, payload: Any, options: Any) -> int:
        names = self._names.get(handler) or self._name(handler)
        kind = type(payload)
        if kind is bytes and names[0]:
            id: int = _send(self._handle, names[0], payload, len(payload), options)
        elif names[0] and isinstance(payload, (bytearray, memoryview)):
            id = self._send_parts(names[0], [payload if _is_contiguous(payload) else bytes(payload)], options)
        else:
            stream, buffers = _pack_job(payload if names[0] else (handler, (payload,), {}))
            if buffers:
                id = self._send_parts(names[1], _payload.with_buffers(stream, buffers), options)
            else:
                id = _send(self._handle, names[1], stream, len(stream), options)
        if id == 0:
            raise self._refusal(handler, _native.quick.quarry_last_refusal(), payload)
        return id

    def _call(self, function: Callable[..., Any], arguments: Tuple[Any, ...], keywords: Dict[str, Any]) -> int:
        stream, buffers = _pack_job((function, arguments, keywords))
        name = (CALL + PACKED).encode()
        if buffers:
            id = self._send_parts(name, _payload.with_buffers(stream, buffers), None)
        else:
            id = _send(self._handle, name, stream, len(stream), None)
        if id == 0:
            raise self._refusal(function, _native.quick.quarry_last_refusal(), stream)
        return id

    def _name(self, handler: HandlerName) -> Tuple[bytes, bytes]:
        if isinstance(handler, str):
            names = (handler.encode(), (handler + PACKED).encode())
            if not self._packs:
                names = (handler.encode(), handler.encode())
        elif not callable(handler):
            raise TypeError("a handler is named by a str, or is a function")
        elif not self._packs:
            raise TypeError("functions are run by workers in Python, not by those of another command")
        else:
            return (b"", (CALL + PACKED).encode())
        self._names[handler] = names
        return names

    def _send_parts(self, name: bytes, parts: List[Any], options: Any) -> int:
        with _native.Addresses(parts) as addresses:
            places = addresses.places()
            count = len(places)
            starts = (ctypes.c_void_p * count)(*[address for address, _ in places])
            lengths = (ctypes.c_size_t * count)(*[length for _, length in places])
            id: int = _send_large(self._handle, name, starts, lengths, count, options)
            return id

    def _refusal(self, handler: HandlerName, refusal: int, payload: Any, ids: Optional[List[int]] = None) -> Exception:
        if self._handle is None:
            return errors.EngineClosed("the engine is not running: start it, or use it in a with statement")
        if refusal == _c.REFUSAL_NONE:
            return ValueError(_native.last_error())
        text = _native.quick.quarry_refusal_text(refusal).decode().replace("EngineOptions::", "")
        if refusal == _c.REFUSAL_UNKNOWN_TYPE:
            text = f"no worker has a handler named {handler!r}: it must be a public function of {self._sources}"
        elif refusal == _c.REFUSAL_PAYLOAD_TOO_LARGE:
            text = f"the payload is larger than max_payload, {self._max_payload} bytes"
        elif refusal == _c.REFUSAL_QUEUE_FULL:
            text = f"the queue is full: {self._job_queue} jobs wait, as job_queue allows"
        elif refusal == _c.REFUSAL_NO_SUCH_WORKER:
            text = f"worker must be -1 (any), or 0 to {self._options.workers - 1}"
        elif refusal == _c.REFUSAL_SHUT_DOWN:
            return errors.EngineClosed(text)
        return _REFUSALS.get(refusal, errors.Refused)(text, ids)

    def submit_many(
        self,
        handler: HandlerName,
        payloads: Iterable[Any],
        *,
        priority: str = "normal",
        deadline: Optional[float] = None,
        worker: int = -1,
        frame: Optional[int] = None,
    ) -> List[int]:
        """Hands over jobs of one handler, and answers their ids. Faster than one by one, most of all for bytes.

        Refused: not all were accepted; its `ids` are those of the first ones, which were."""
        options = None
        if deadline is not None or frame is not None or worker != -1 or priority != "normal":
            options = _job_options(priority, deadline, worker, frame)
        all_payloads = payloads if isinstance(payloads, (list, tuple)) else list(payloads)
        return self._submit_many(handler, all_payloads, options)

    def _submit_many(self, handler: HandlerName, payloads: Sequence[Any], options: Any) -> List[int]:
        count = len(payloads)
        names = self._names.get(handler) or self._name(handler)
        if names[0] and set(map(type, payloads)) == {bytes}:
            name, streams = names[0], payloads
        else:
            name = names[1]
            streams = []
            for each in payloads:
                if names[0] and isinstance(each, (bytes, bytearray, memoryview)):
                    return self._one_by_one(handler, payloads, options)
                stream, buffers = _pack_job(each if names[0] else (handler, (each,), {}))
                if buffers:
                    return self._one_by_one(handler, payloads, options)
                streams.append(stream)
        starts = (ctypes.c_char_p * count)(*streams)
        lengths = (ctypes.c_size_t * count)(*map(len, streams))
        ids = (ctypes.c_uint64 * count)()
        accepted = ctypes.c_size_t()
        refusal = ctypes.c_int()
        code = _native.quick.quarry_engine_submit_many(
            self._handle, name, count, starts, lengths, options, ids, ctypes.byref(accepted), ctypes.byref(refusal)
        )
        if code != 0:
            raise self._refusal(handler, refusal.value, None, ids[: accepted.value])
        return ids[:]

    def _one_by_one(self, handler: HandlerName, payloads: Sequence[Any], options: Any) -> List[int]:
        ids: List[int] = []
        for each in payloads:
            try:
                ids.append(self._submit(handler, each, options))
            except errors.Refused as refused:
                refused.ids = ids
                raise
        return ids

    # Results out.

    def poll(self, most: Optional[int] = None, budget: Optional[float] = None) -> List[Result]:
        """Results that have come: at most so many, and none after the budget in seconds is spent. Never waits."""
        with self._lock:
            if self._kept:
                return self._poll_kept(_ALL if most is None else most, budget)
            results = _poll(
                self._handle, _ALL if most is None else most, -1 if budget is None else round(budget * 1e9), _unused_count
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
            results = _poll(self._handle, left, -1 if budget is None else round(budget * 1e9), _unused_count)
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
            options = _job_options(priority, deadline, worker, None)
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
                    results = _poll(self._handle, _ALL, -1, _unused_count)
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
        while True:
            handle = self._handle
            if handle is None:
                return False
            now = time.monotonic()
            end = now + _launch.SLICE if until is None else min(now + _launch.SLICE, until)
            code = _native.lib.quarry_engine_wait(handle, ctypes.byref(ids), count, round(end * 1e9))
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
        options = None if priority == "normal" else _job_options(priority, None, -1, None)
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
        import itertools

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
        import select

        select.select([self.fileno()], [], [], _launch.SLICE)
        with self._lock:
            results = _poll(self._handle, _ALL, -1, _unused_count)
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
        until = _moment(timeout)
        while True:
            now = time.monotonic()
            end = now + _launch.SLICE if until is None else min(now + _launch.SLICE, until)
            code = _native.lib.quarry_engine_drain(self._open_handle(), round(end * 1e9))
            if code == _c.OK:
                return True
            if code != _c.TIMEOUT:
                self._check(code)
            if until is not None and end >= until:
                return False

    def fileno(self) -> int:
        """A descriptor that is readable when there are results, for event loops; `poll` clears it."""
        return int(_native.quick.quarry_engine_descriptor(self._open_handle()))

    # State, figures.

    def broadcast(self, key: str, value: Any) -> None:
        """Gives a value to every worker before any job that is submitted later: `quarry.worker.state(key)`."""
        if self._packs:
            if isinstance(value, (bytes, bytearray, memoryview)):
                parts = _payload.raw_answer(value)
            else:
                stream, buffers = _pack_job(value)
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


def _is_contiguous(payload: Any) -> bool:
    return not isinstance(payload, memoryview) or payload.contiguous


def _moment(timeout: Optional[float]) -> Optional[float]:
    return None if timeout is None else time.monotonic() + timeout


def _job_options(priority: str, deadline: Optional[float], worker: int, frame: Optional[int]) -> Any:
    options = _c.quarry_job_options()
    _native.quick.quarry_job_options_init(ctypes.byref(options))
    if priority not in PRIORITIES:
        raise ValueError(f"priority must be one of {', '.join(PRIORITIES)}, not {priority!r}")
    options.priority = PRIORITIES[priority]
    options.worker = worker
    if deadline is not None:
        options.deadline_ns = max(1, time.monotonic_ns() + round(deadline * 1e9))
    if frame is not None:
        options.has_frame = 1
        options.frame_tag = frame
    return ctypes.byref(options)


@atexit.register
def _close_all() -> None:
    for each in list(_started):
        each.close()
