"""A concurrent.futures.Executor whose worker processes are replaced when they die."""

from __future__ import annotations

import itertools
import logging
import os
import select
import threading
import weakref
from collections import deque
from concurrent.futures import Executor, Future
from concurrent.futures.process import BrokenProcessPool, _RemoteTraceback
from typing import Any, Callable, Deque, Dict, Iterable, Iterator, List, Optional, Tuple

from . import errors
from .engine import Engine

_MOST_WORKERS = 256
_interpreter_ends = False
_threads: "weakref.WeakKeyDictionary[_Thread, _Wake]" = weakref.WeakKeyDictionary()


class LostJob(BrokenProcessPool, errors.WorkerLost):
    """The worker died while it ran this call; the executor goes on with another worker."""


class _Wake:
    """Rings the thread that hands over results."""

    def __init__(self) -> None:
        self.read_end, self._write_end = os.pipe()
        os.set_blocking(self._write_end, False)
        os.set_blocking(self.read_end, False)
        self._lock = threading.Lock()
        self._closed = False

    def ring(self) -> None:
        with self._lock:
            if not self._closed:
                try:
                    os.write(self._write_end, b"x")
                except BlockingIOError:
                    pass  # it is full of rings

    def clear(self) -> None:
        try:
            while os.read(self.read_end, 4096):
                pass
        except BlockingIOError:
            pass

    def close(self) -> None:
        with self._lock:
            self._closed = True
            os.close(self.read_end)
            os.close(self._write_end)


class _Future(Future):  # type: ignore[type-arg]
    """One whose job can be taken back from the engine as long as no worker has begun it."""

    _job: "Optional[_Job]" = None

    def cancel(self) -> bool:
        job = self._job
        if job is not None and not self.done() and not job.withdraw():
            return False
        return super().cancel()


class _Job:
    def __init__(self, shared: "_Shared", future: _Future, call: Tuple[Any, Any, Any]) -> None:
        self.shared = shared
        self.future = future
        self.call: Optional[Tuple[Any, Any, Any]] = call
        self.id = 0  # 0: it waits for room in the engine

    def withdraw(self) -> bool:
        """Whether it will not run."""
        with self.shared.lock:
            if self.id == 0:
                return self.call is not None
            try:
                return self.shared.engine.cancel(self.id) == "done"
            except errors.EngineClosed:
                return False


class _Shared:
    """What an executor and its thread have in common; it does not keep the executor alive."""

    def __init__(self, engine: Engine, breaks: bool) -> None:
        self.engine = engine
        self.breaks = breaks
        self.lock = threading.RLock()
        self.wake = _Wake()
        self.jobs: Dict[int, _Job] = {}
        self.overflow: Deque[_Job] = deque()
        self.shut_down = False
        self.broken: Optional[str] = None

    def hand_in(self, job: _Job) -> bool:
        """False: there is no room. Under the lock."""
        assert job.call is not None
        try:
            job.id = self.engine._call(*job.call)
        except (errors.QueueFull, errors.ArenaFull):
            return False
        except errors.Refused as refused:
            why = self.why_failed() or str(refused)
            self.break_down(why)
            job.future.set_exception(BrokenProcessPool(why))
        except BaseException as error:
            # What cannot be pickled is the future's error, as in the standard library.
            job.future.set_exception(error)
        else:
            self.jobs[job.id] = job
        job.call = None
        return True

    def hand_in_more(self) -> None:
        with self.lock:
            while self.overflow:
                job = self.overflow[0]
                if job.future.cancelled():
                    job.future.set_running_or_notify_cancel()
                elif not self.hand_in(job):
                    return
                self.overflow.popleft()

    def break_down(self, why: str) -> None:
        self.broken = self.broken or why

    def why_failed(self) -> str:
        """Why no worker can be started; empty: some can."""
        try:
            health = self.engine.health()
        except errors.EngineClosed:
            return ""
        if health.readiness != "failed" or not health.failure:
            return ""
        logging.getLogger("concurrent.futures").critical("workers could not be started: %s", health.failure)
        return f"workers could not be started: {health.failure}"


def _settle(future: _Future, result: Any) -> None:
    if result.status == "cancelled" and (future.cancelled() or Future.cancel(future)):
        future.set_running_or_notify_cancel()
        return
    if not future.set_running_or_notify_cancel():
        return
    try:
        error = result.error
        if error is None:
            future.set_result(result.value)
            return
        if isinstance(error.__cause__, errors.RemoteTraceback):
            error.__cause__ = _RemoteTraceback(error.__cause__.traceback)  # type: ignore[arg-type]
        elif isinstance(error, errors.WorkerLost):
            error = LostJob(error.text, error.traceback)
    except BaseException as failure:  # what came cannot be unpickled
        error = failure
    future.set_exception(error)


class _Thread(threading.Thread):
    """Hands results over to their futures until the executor is shut down or gone, and all is done."""

    def __init__(self, shared: _Shared, executor: "ProcessExecutor") -> None:
        super().__init__(name="quarry-executor", daemon=True)
        self._shared = shared
        wake = shared.wake
        self._executor = weakref.ref(executor, lambda _: wake.ring())
        self._ended = threading.Event()

    def run(self) -> None:
        shared = self._shared
        descriptor = shared.engine.fileno()
        try:
            while True:
                select.select([descriptor, shared.wake.read_end], [], [])
                shared.wake.clear()
                self._hand_over()
                if shared.broken is not None:
                    self._fail_all()
                    return
                shared.hand_in_more()
                ends = shared.shut_down or _interpreter_ends or self._executor() is None
                with shared.lock:
                    if ends and not shared.jobs and not shared.overflow:
                        shared.shut_down = True
                        return
        except errors.EngineClosed:  # the interpreter could not wait for the calls
            shared.break_down("its engine was closed")
            self._fail_all()
        finally:
            shared.engine.close()
            shared.wake.close()
            self._ended.set()

    def wait(self) -> None:
        """Until it has ended. Not by join, which takes a thread for ended when Ctrl-C interrupts it (CPython's issue 90882)."""
        while self.is_alive() and not self._ended.wait(0.05):
            pass  # a forked child has no such thread, and nobody would set the event
        self.join()

    def _hand_over(self) -> None:
        for result in self._shared.engine.poll():
            with self._shared.lock:
                job = self._shared.jobs.pop(result.id, None)
            if job is None:
                continue
            job.future._job = None
            if result.status == "worker lost" and (self._shared.breaks or not self._can_go_on()):
                self._shared.break_down(self._shared.why_failed() or str(result._data[0]))
            _settle(job.future, result)
            del job, result

    def _can_go_on(self) -> bool:
        return self._shared.engine.health().readiness != "failed"

    def _fail_all(self) -> None:
        shared = self._shared
        with shared.lock:
            jobs: List[_Job] = [*shared.jobs.values(), *shared.overflow]
            shared.jobs.clear()
            shared.overflow.clear()
        for job in jobs:
            job.future._job = None
            if job.future.set_running_or_notify_cancel():
                job.future.set_exception(BrokenProcessPool(f"the executor can no longer be used: {shared.broken}"))


def _call_all(function: Callable[..., Any], chunk: List[Tuple[Any, ...]]) -> List[Any]:
    return [function(*arguments) for arguments in chunk]


class ProcessExecutor(Executor):
    """Takes the place of concurrent.futures.ProcessPoolExecutor.

    A worker that dies fails only the call that it ran (LostJob, which is a BrokenProcessPool), and is replaced; with
    `break_on_lost_worker` the whole executor is broken, as in the standard library. `__main__` is never imported in
    workers. Other options are those of Engine.
    """

    def __init__(
        self,
        max_workers: Optional[int] = None,
        mp_context: Any = None,
        initializer: Optional[Callable[..., object]] = None,
        initargs: Tuple[Any, ...] = (),
        *,
        max_tasks_per_child: Optional[int] = None,
        break_on_lost_worker: bool = False,
        wait: bool = False,
        **options: Any,
    ) -> None:
        """`mp_context` is there for the signature's sake: workers are always started afresh. `wait`: until they are
        ready, so that StartError is raised here; else calls fail with what was wrong."""
        if max_workers is None:
            max_workers = min(_MOST_WORKERS, len(os.sched_getaffinity(0)))
        elif max_workers <= 0:
            raise ValueError("max_workers must be greater than 0")
        elif max_workers > _MOST_WORKERS:
            raise ValueError(f"max_workers must be <= {_MOST_WORKERS}")
        if max_tasks_per_child is not None and not isinstance(max_tasks_per_child, int):
            raise TypeError("max_tasks_per_child must be an integer")
        if max_tasks_per_child is not None and max_tasks_per_child <= 0:
            raise ValueError("max_tasks_per_child must be >= 1")
        if initializer is not None and not callable(initializer):
            raise TypeError("initializer must be a callable")
        self._max_workers = max_workers
        engine = Engine(
            workers=max_workers,
            initializer=initializer,
            initargs=initargs,
            max_tasks_per_child=max_tasks_per_child,
            wait=wait,
            **options,
        ).start()
        self._shared = _Shared(engine, break_on_lost_worker)
        self._thread: Optional[_Thread] = _Thread(self._shared, self)
        _threads[self._thread] = self._shared.wake
        self._thread.start()

    def submit(self, fn: Callable[..., Any], /, *args: Any, **kwargs: Any) -> "Future[Any]":
        """The future of fn(*args, **kwargs) in a worker."""
        shared = self._shared
        with shared.lock:
            if shared.broken is not None:
                raise BrokenProcessPool(f"the executor can no longer be used: {shared.broken}")
            if shared.shut_down:
                raise RuntimeError("cannot schedule new futures after shutdown")
            if _interpreter_ends:
                raise RuntimeError("cannot schedule new futures after interpreter shutdown")
            future = _Future()
            job = _Job(shared, future, (fn, args, kwargs))
            future._job = job
            if shared.overflow or not shared.hand_in(job):
                shared.overflow.append(job)
            if job.id != 0 and shared.broken is None:
                return future
        shared.wake.ring()
        return future

    def map(
        self, fn: Callable[..., Any], *iterables: Iterable[Any], timeout: Optional[float] = None, chunksize: int = 1
    ) -> Iterator[Any]:
        """As map() of built-in functions, with `chunksize` calls in one job."""
        if chunksize < 1:
            raise ValueError("chunksize must be >= 1.")
        arguments = zip(*iterables)
        chunks = iter(lambda: list(itertools.islice(arguments, chunksize)), [])
        results = super().map(_call_all, itertools.repeat(fn), chunks, timeout=timeout)
        return _chained(results)

    def shutdown(self, wait: bool = True, *, cancel_futures: bool = False) -> None:
        """Lets what was submitted end, or cancels what no worker has begun; then ends the workers."""
        with self._shared.lock:
            self._shared.shut_down = True
            waiting = [*self._shared.overflow, *self._shared.jobs.values()] if cancel_futures else []
        for job in waiting:
            job.future.cancel()
        self._shared.wake.ring()
        thread = self._thread
        if wait and thread is not None:
            thread.wait()
            self._thread = None


def _chained(results: Iterator[List[Any]]) -> Iterator[Any]:
    for values in results:
        values.reverse()
        while values:
            yield values.pop()


def _at_exit() -> None:
    global _interpreter_ends
    _interpreter_ends = True
    threads = list(_threads.items())
    for _, wake in threads:
        wake.ring()
    for thread, _ in threads:
        thread.wait()


# Before threads are waited for, as the standard library does.
threading._register_atexit(_at_exit)  # type: ignore[attr-defined]
