"""The life of an engine: options, start, end."""

import atexit
import ctypes
import logging
import os
import threading
import weakref
from collections import deque
from typing import Any, Callable, Deque, Dict, Iterable, List, Optional, Sequence, Tuple, TypeVar

from . import _c, _launch, _native, errors, worker
from ._logs import LogReader
from .result import Result
from .stats import ShutdownReport
from .worker import SETUP_VARIABLE

logger = logging.getLogger("quarry.worker")
_started: "weakref.WeakSet[Host]" = weakref.WeakSet()
_Self = TypeVar("_Self", bound="Host")


class Host:
    """What an engine has before and after its jobs."""

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
        if self._command == []:
            raise ValueError("the command must name a program; None: workers are Python's")
        self._environment = _launch.environment_list(environment or {})
        self._log = log and command is None
        self._log_lines = log_lines_per_second
        self._log_level = log_level
        self._shutdown_timeout = shutdown_timeout
        self._max_payload = max_payload
        self._job_queue = job_queue
        options = _c.quarry_engine_options()
        _native.quick.quarry_engine_options_init(ctypes.byref(options))
        _launch.set_options(
            options,
            {
                "workers": workers,
                "job_queue": job_queue,
                "result_queue": result_queue,
                "heartbeat_ms": _launch.milliseconds("heartbeat", heartbeat),
                "shutdown_timeout_ms": _launch.milliseconds("shutdown_timeout", shutdown_timeout),
                "start_timeout_ms": _launch.milliseconds("start_timeout", start_timeout),
                "spares": spares,
                "wait": 1 if wait else 0,
                "max_payload": max_payload,
                "job_arena": job_arena,
                "result_arena": result_arena,
                "memory_limit": memory_limit,
                "work_ahead_us": _launch.nanoseconds("work_ahead", work_ahead) // 1000,
                "portable": 1 if portable else 0,
            },
        )
        self._options = options
        self._handle: Optional[int] = None
        self._ended: Optional[int] = None
        self._packs = command is None
        self._names: Dict[Any, Tuple[bytes, bytes]] = {}
        self._lock = threading.Lock()
        self._kept: Deque[Result] = deque()
        self._wanted: Dict[int, Optional[Result]] = {}
        self._logs: Optional[LogReader] = None
        self._setup_file: Optional[str] = None
        self._process = os.getpid()

    # Start and end.

    def start(self: _Self) -> _Self:
        """Starts the workers. StartError: none could be; it has what a worker said, such as an import's traceback."""
        if self._handle is not None or self._ended is not None:
            raise errors.Error("the engine has been started already: an engine is started once")
        if worker.imports_handlers:
            raise errors.Error(
                "a module with handlers starts an engine when it is imported, and so would every worker of that engine: "
                "put the handlers into a module of their own, or the rest under `if __name__ == \"__main__\":`"
            )
        command = self._command or _launch.interpreter(self._executable)
        environment = list(self._environment)
        if self._packs:
            environment.append(f"{SETUP_VARIABLE}={self._setup()}")
        try:
            if self._log:
                self._logs = LogReader(logger, self._log_lines)
                self._options.output = self._logs.write_end
            self._handle = _launch.start(self._options, command, environment)
        except errors.StartError as error:
            logs = self._logs
            self._clean_up()  # reads what is left
            if logs is not None and logs.last and "before it was ready" in str(error):
                said = "\n".join(logs.last)
                raise errors.StartError(f"{error}. It printed:\n{said}") from None
            raise
        except BaseException:
            self._clean_up()
            raise
        self._after_start()
        _started.add(self)
        return self

    def _after_start(self) -> None:
        """For what needs a running engine."""

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
        most = _launch.nanoseconds("timeout", self._shutdown_timeout if timeout is None else timeout)
        self._check(_launch.shut_down(self._open_handle(), most, ctypes.byref(report)))
        return ShutdownReport(**{name: getattr(report, name) for name, _ in report._fields_})

    def close(self) -> None:
        """Shuts down. Values that were polled stay valid; calls of other threads that wait are ended."""
        self._close(_launch.shut_down)

    def _close(self, shut_down: Callable[..., int]) -> None:
        with self._lock:
            handle, self._handle = self._handle, None
        try:
            if handle is not None:
                # Another thread may be in a call with it: it is freed with this object, which such a thread holds.
                self._ended = handle
                shut_down(handle, _launch.nanoseconds("shutdown_timeout", self._shutdown_timeout), None)
        finally:
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

    def __enter__(self: _Self) -> _Self:
        return self if self._handle is not None else self.start()

    def __exit__(self, *error: object) -> None:
        self.close()

    def __del__(self) -> None:
        if getattr(self, "_handle", None) is not None:
            # Whoever drops the last reference may be starting a thread: here none is started.
            self._close(_native.lib.quarry_engine_shutdown)
        if getattr(self, "_ended", None) is not None:
            _native.lib.quarry_engine_free(self._ended)

    def _open_handle(self) -> int:
        if self._handle is None:
            raise errors.EngineClosed("the engine is not running: start it, or use it in a with statement")
        return self._handle

    def _check(self, code: int) -> None:
        if code == _c.INVALID:
            raise ValueError(_native.last_error())
        if code != _c.OK:
            raise errors.Error(_native.last_error())


@atexit.register
def _close_all() -> None:
    for each in list(_started):
        each.close()
