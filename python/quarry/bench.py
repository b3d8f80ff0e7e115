"""python -m quarry bench: what jobs cost, with peers and bare baselines in the same interleaved run."""

from __future__ import annotations

import ctypes
import multiprocessing
import os
import pickle
import statistics
import subprocess
import sys
import time
from concurrent.futures import ProcessPoolExecutor
from typing import Any, Callable, Dict, Iterable, List, Optional, Tuple

from . import _native
from ._bench_row import Measure, Row
from .engine import Engine
from .handlers import compute_heavy, ping
from .reports import machine

_SIZE = (10, 50)  # of compute_heavy
_WORKERS = 2


# Two processes that compute and nothing else; the baseline of every engine.
_BARE = """
import sys
from quarry.handlers import compute_heavy
for line in sys.stdin:
    count = int(line)
    for _ in range(count):
        compute_heavy((10, 50))
    print("done", flush=True)
"""
_PIPE = "import os\nwhile os.read(0, 1):\n    os.write(1, b'x')\n"


def _child(code: str) -> "subprocess.Popen[bytes]":
    environment = dict(os.environ, PYTHONPATH=os.pathsep.join(sys.path))
    return subprocess.Popen([sys.executable, "-c", code], stdin=subprocess.PIPE, stdout=subprocess.PIPE, env=environment)


def _bare_throughput(row: Row, count: int) -> None:
    children = [_child(_BARE) for _ in range(_WORKERS)]

    def measure() -> float:
        start = time.perf_counter()
        for each in children:
            assert each.stdin is not None
            each.stdin.write(f"{count // len(children)}\n".encode())
            each.stdin.flush()
        for each in children:
            assert each.stdout is not None
            each.stdout.readline()
        return count / (time.perf_counter() - start)

    row.add("two bare processes", measure)
    row.closes += [each.communicate for each in children]


def _collect(engine: Engine, count: int) -> None:
    left = count
    while left:
        came = engine.poll()
        for each in came:
            each.value
        left -= len(came)
        if not came:
            time.sleep(0.0005)


def _quarry_throughput(row: Row, count: int) -> None:
    engine = Engine("quarry.handlers", workers=_WORKERS).start()

    def many() -> float:
        start = time.perf_counter()
        engine.submit_many("compute_heavy", [_SIZE] * count)
        _collect(engine, count)
        return count / (time.perf_counter() - start)

    def one_by_one() -> float:
        start = time.perf_counter()
        for _ in range(count):
            engine.submit("compute_heavy", _SIZE)
        _collect(engine, count)
        return count / (time.perf_counter() - start)

    row.add("quarry submit_many", many)
    row.add("quarry one by one", one_by_one)
    row.closes.append(engine.close)


def _serve_queue(jobs: Any, results: Any) -> None:
    while True:
        size = jobs.get()
        if size is None:
            return
        results.put(compute_heavy(size))


def _queue_throughput(row: Row, count: int) -> None:
    context = multiprocessing.get_context("spawn")
    jobs, results = context.Queue(), context.Queue()
    workers = [context.Process(target=_serve_queue, args=(jobs, results)) for _ in range(_WORKERS)]
    for each in workers:
        each.start()

    def measure() -> float:
        start = time.perf_counter()
        for _ in range(count):
            jobs.put(_SIZE)
        for _ in range(count):
            results.get()
        return count / (time.perf_counter() - start)

    row.add("multiprocessing.Queue", measure)
    row.closes += [*(lambda: jobs.put(None) for _ in workers), *(each.join for each in workers)]


def _pool() -> ProcessPoolExecutor:
    return ProcessPoolExecutor(_WORKERS, mp_context=multiprocessing.get_context("spawn"))


def _pool_throughput(row: Row, count: int) -> None:
    pool = _pool()
    few = count // 4  # it is slow

    def measure() -> float:
        start = time.perf_counter()
        for each in [pool.submit(compute_heavy, _SIZE) for _ in range(few)]:
            each.result()
        return few / (time.perf_counter() - start)

    row.add("ProcessPoolExecutor", measure)
    row.closes.append(pool.shutdown)


def throughput(peers: bool, quick: bool) -> Row:
    row = Row("compute_heavy", "jobs/s", "higher", "submit_many >= 0.85x of two bare processes, one by one >= 0.7x")
    count = 2_000 if quick else 8_000
    _quarry_throughput(row, count)
    _bare_throughput(row, count)
    if peers:
        _queue_throughput(row, count)
        _pool_throughput(row, count)
    return row


def _p50(call: Callable[[], object], count: int, pause: float) -> Measure:
    def measure() -> float:
        times = []
        for _ in range(count):
            if pause:
                time.sleep(pause)
            start = time.perf_counter()
            call()
            times.append(time.perf_counter() - start)
        return 1e6 * statistics.median(times)

    return measure


def round_trip(peers: bool, quick: bool, parked: bool) -> Row:
    name, bar = ("parked", ">= 3x faster than ProcessPoolExecutor") if parked else ("hot", "<= 30 us")
    row = Row(f"round_trip_{name}_p50", "us", "lower", bar)
    count = (50 if quick else 200) if parked else (300 if quick else 2_000)
    pause = 0.005 if parked else 0.0
    engine = Engine("quarry.handlers", workers=1).start()
    row.add("quarry run", _p50(lambda: engine.run("ping"), count, pause))
    row.closes.append(engine.close)
    child = _child(_PIPE)
    assert child.stdin is not None and child.stdout is not None
    there, back = child.stdin.fileno(), child.stdout.fileno()

    def through_pipes() -> None:
        os.write(there, b"x")
        os.read(back, 1)

    row.add("two pipes", _p50(through_pipes, count, pause))
    row.closes.append(child.communicate)
    if peers:
        pool = _pool()
        row.add("ProcessPoolExecutor", _p50(lambda: pool.submit(ping, None).result(), count // 4, pause))
        row.closes.append(pool.shutdown)
    return row


def _per_call(call: Callable[[], object], count: int, after: Optional[Callable[[], object]] = None) -> Measure:
    """Microseconds of each of `count` calls; `after` is not measured."""

    def measure() -> float:
        # In parts, so that one interruption does not count.
        numbers = range(count // 10)
        parts = []
        for _ in range(10):
            start = time.perf_counter()
            for _ in numbers:
                call()
            parts.append(time.perf_counter() - start)
        if after is not None:
            after()
        return 1e6 * statistics.median(parts) / len(numbers)

    return measure


def submit(quick: bool) -> Row:
    row = Row("submit", "us", "lower", "<= 3x a bare call of six arguments plus pickling")
    engine = Engine("quarry.handlers", workers=1).start()
    payload = ("text", 7)
    count = 500 if quick else 2_000

    def rest() -> None:
        engine.drain()
        engine.poll()

    row.add("quarry submit", _per_call(lambda: engine.submit("ping", payload), count, rest))
    row.closes.append(engine.close)
    bare: Any = ctypes.CDLL(None).abs  # more arguments than it looks at do no harm
    bare.argtypes = [ctypes.c_void_p, ctypes.c_char_p, ctypes.c_void_p, ctypes.c_size_t, ctypes.c_void_p, ctypes.c_int]

    def bare_call() -> None:
        stream = pickle.dumps(payload, 5)
        bare(7, b"ping", stream, len(stream), None, 1)

    row.add("bare call and pickle", _per_call(bare_call, count))
    return row


def submit_many(quick: bool) -> Row:
    row = Row("submit_many_bytes", "us/job", "lower", "<= 0.5 us")
    engine = Engine("quarry.handlers", workers=1).start()
    payloads = [b"sixteen bytes..."] * (500 if quick else 2_000)

    def by(clock: Callable[[], float]) -> Measure:
        def measure() -> float:
            times = []
            for _ in range(10):
                start = clock()
                engine.submit_many("ping", payloads)
                times.append(clock() - start)
                engine.drain()
                engine.poll()
            return 1e6 * statistics.median(times) / len(payloads)

        return measure

    row.add("quarry submit_many", by(time.perf_counter))
    row.add("by the thread's CPU time", by(time.thread_time))
    row.closes.append(engine.close)
    return row


def poll(quick: bool) -> Row:
    row = Row("poll_nothing", "us", "lower", "<= 1.5x a bare call of the same function")
    engine = Engine("quarry.handlers", workers=1).start()
    count = 2_000 if quick else 20_000
    poll_engine = engine.poll
    bare, handle, counted = _native.lib.quarry_engine_poll, engine._handle, ctypes.byref(ctypes.c_size_t())
    row.add("quarry poll", _per_call(lambda: poll_engine(), count))
    row.add("bare call", _per_call(lambda: bare(handle, 1000, -1, counted), count))
    row.closes.append(engine.close)
    return row


def array(quick: bool) -> Optional[Row]:
    try:
        import numpy
    except ImportError:
        return None
    row = Row("array_4_mib", "us", "lower", "<= 2.5x two memcpys")
    engine = Engine("quarry.handlers", workers=1).start()
    value = numpy.arange((4 << 20) // 4, dtype=numpy.int32)
    one, two = numpy.empty_like(value), numpy.empty_like(value)
    count = 20 if quick else 100

    def copies() -> None:
        ctypes.memmove(one.ctypes.data, value.ctypes.data, value.nbytes)
        ctypes.memmove(two.ctypes.data, one.ctypes.data, value.nbytes)

    row.add("quarry run", _p50(lambda: engine.run("echo", value), count, 0.0))
    row.add("two memcpys", _p50(copies, count, 0.0))
    row.closes.append(engine.close)
    return row


_READY = "import os\nimport quarry.worker, quarry.handlers\nos.write(1, b'x')\n"


def start(quick: bool) -> Row:
    row = Row("worker_ready", "ms", "lower", "<= 1.3x the same interpreter with the same imports")

    def engine() -> float:
        begun = time.perf_counter()
        made = Engine("quarry.handlers", workers=1).start()
        seconds = time.perf_counter() - begun
        made.close()
        return 1e3 * seconds

    def interpreter() -> float:
        begun = time.perf_counter()
        child = _child(_READY)
        assert child.stdout is not None
        child.stdout.read(1)
        seconds = time.perf_counter() - begun
        child.communicate()
        return 1e3 * seconds

    row.add("quarry start", engine)
    row.add("interpreter with imports", interpreter)
    return row


_ROWS: "List[Tuple[str, Callable[[bool, bool], Optional[Row]]]]" = [
    ("compute_heavy", throughput),
    ("round_trip_hot_p50", lambda peers, quick: round_trip(peers, quick, False)),
    ("round_trip_parked_p50", lambda peers, quick: round_trip(peers, quick, True)),
    ("submit", lambda peers, quick: submit(quick)),
    ("submit_many_bytes", lambda peers, quick: submit_many(quick)),
    ("poll_nothing", lambda peers, quick: poll(quick)),
    ("array_4_mib", lambda peers, quick: array(quick)),
    ("worker_ready", lambda peers, quick: start(quick)),
]


def _show(row: Row) -> None:
    first = next(iter(row.values))
    print(f"{row.name} ({row.bar})")
    for engine in row.values:
        ratio = "" if engine == first else f"   {first} is {row.ratio(first, engine):.2f}x of it"
        print(f"   {engine:<26} {row.median(engine):12.2f} {row.unit}{ratio}")


def run(
    quick: bool = False,
    rows: Optional[Iterable[str]] = None,
    peers: bool = True,
    path: Optional[str] = None,
    write: Optional[Callable[[Dict[str, Any], Optional[str]], None]] = None,
) -> int:
    """Measures, prints a table, and writes a report. Answers the exit status."""
    wanted = list(rows or [])
    runs = 3 if quick else 9
    results: List[Dict[str, Any]] = []
    for name, make in _ROWS:
        if wanted and not any(each in name for each in wanted):
            continue
        row = make(peers, quick)
        if row is None:
            print(f"{name}: no NumPy here")
            continue
        row.run(runs)
        results += row.results(_WORKERS)
        if path != "-":
            _show(row)
    if not results:
        print(f"quarry: no row has {' or '.join(wanted)} in its name; there are {', '.join(name for name, _ in _ROWS)}",
              file=sys.stderr)
        return 2
    if write is not None:
        options = {"quick": quick, "peers": peers, "rows": wanted}
        write({"schema": 1, "program": "python -m quarry bench", "machine": machine(), "options": options,
               "results": results}, path)
    return 0
