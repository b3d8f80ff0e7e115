"""ProcessExecutor, beyond the standard library's own tests (stdlib_executor.py)."""

import concurrent.futures
import os
import signal
import subprocess
import sys
import textwrap
import threading
import time
from concurrent.futures.process import BrokenProcessPool

import handlers_for_tests as handlers
import pytest
import quarry
from conftest import HERE


@pytest.fixture
def executor():
    with quarry.ProcessExecutor(2, heartbeat=30.0) as made:
        yield made


class BadToUnpickle:
    def __reduce__(self):
        return handlers.raise_value_error, ("not here",)


def test_calls_with_arguments_and_keywords(executor):
    assert executor.submit(pow, 2, 10, mod=1000).result(60) == 24
    assert list(executor.map(pow, range(50), [2] * 50, chunksize=7)) == [i * i for i in range(50)]


def test_more_calls_than_the_engine_takes():
    with quarry.ProcessExecutor(2, job_queue=4, result_queue=4, heartbeat=30.0) as executor:
        futures = [executor.submit(abs, -i) for i in range(300)]
        assert [each.result(60) for each in futures] == list(range(300))


def test_a_dead_worker_fails_one_call_and_is_replaced(executor):
    lost = executor.submit(os._exit, 3)
    with pytest.raises(BrokenProcessPool) as caught:
        lost.result(60)
    assert isinstance(caught.value, quarry.WorkerLost)
    assert executor.submit(abs, -3).result(60) == 3


def test_a_dead_worker_breaks_the_executor_where_that_is_asked_for():
    with quarry.ProcessExecutor(1, break_on_lost_worker=True, heartbeat=30.0) as executor:
        futures = [executor.submit(os._exit, 3), *(executor.submit(time.sleep, 0.01) for _ in range(20))]
        for each in futures:
            with pytest.raises(BrokenProcessPool):
                each.result(60)
        with pytest.raises(BrokenProcessPool):
            executor.submit(abs, 1)


def test_what_cannot_be_unpickled_fails_one_call(executor):
    with pytest.raises(ValueError, match="not here"):
        executor.submit(id, BadToUnpickle()).result(60)
    assert executor.submit(abs, -3).result(60) == 3


def test_what_cannot_be_pickled_is_the_futures_error(executor):
    future = executor.submit(id, threading.Lock())
    with pytest.raises(TypeError):
        future.result(60)
    assert executor.submit(abs, -3).result(60) == 3


def test_waiting_calls_can_be_cancelled_and_running_ones_not(executor):
    executor.submit(abs, 1).result(60)
    running = [executor.submit(time.sleep, 1) for _ in range(2)]
    waiting = [executor.submit(time.sleep, 1) for _ in range(20)]
    time.sleep(0.3)
    assert waiting[-1].cancel() and waiting[-1].cancelled()
    assert not running[0].cancel()
    for each in waiting:
        each.cancel()
    assert all(each.result(60) is None for each in running)
    with pytest.raises(concurrent.futures.CancelledError):
        waiting[-1].result()


def test_shutdown_cancels_what_has_not_begun(executor):
    executor.submit(abs, 1).result(60)
    futures = [executor.submit(time.sleep, 0.2) for _ in range(50)]
    while not any(each.busy for each in executor._shared.engine.health().workers):
        time.sleep(0.001)
    time.sleep(0.05)
    executor.shutdown(cancel_futures=True)
    assert all(each.done() for each in futures)
    assert sum(each.cancelled() for each in futures) > 20
    others = [each for each in futures if not each.cancelled()]
    assert others and all(each.exception() is None for each in others)


def test_a_call_after_all_workers_have_failed_is_told_why():
    with quarry.ProcessExecutor(1, initializer=divmod, initargs=(1, 0), heartbeat=30.0) as executor:
        while executor._shared.engine.health().readiness != "failed":
            time.sleep(0.005)
        with pytest.raises(BrokenProcessPool, match="ZeroDivisionError"):
            executor.submit(abs, 1).result(60)


def test_an_initializer_that_fails_breaks_the_executor(caplog):
    with quarry.ProcessExecutor(2, initializer=divmod, initargs=(1, 0), heartbeat=30.0) as executor:
        future = executor.submit(abs, 1)
        with pytest.raises(BrokenProcessPool):
            future.result(60)
        with pytest.raises(BrokenProcessPool, match="ZeroDivisionError"):
            while True:
                executor.submit(abs, 1)
                time.sleep(0.01)
    assert any(each.levelname == "CRITICAL" and "ZeroDivisionError" in each.getMessage() for each in caplog.records)


def test_shutdown_without_waiting_lets_calls_end():
    executor = quarry.ProcessExecutor(2, heartbeat=30.0)
    futures = [executor.submit(handlers.square, i) for i in range(20)]
    executor.shutdown(wait=False)
    with pytest.raises(RuntimeError, match="after shutdown"):
        executor.submit(abs, 1)
    assert [each.result(60) for each in futures] == [i * i for i in range(20)]
    executor.shutdown()


def test_an_executor_that_is_dropped_ends_its_threads_and_workers():
    executor = quarry.ProcessExecutor(2, heartbeat=30.0)
    future = executor.submit(handlers.process, None)
    thread = executor._thread
    del executor
    process = future.result(60)
    thread.join(60)
    assert not thread.is_alive()
    with pytest.raises(ProcessLookupError):
        os.kill(process, 0)


def test_the_context_manager_waits_for_all():
    with quarry.ProcessExecutor(2, heartbeat=30.0) as executor:
        futures = [executor.submit(handlers.sleep, 0.01) for _ in range(20)]
    assert all(each.done() for each in futures)


def _script(text):
    environment = dict(os.environ, PYTHONPATH=os.pathsep.join([*sys.path, HERE]))
    return subprocess.run([sys.executable, "-c", textwrap.dedent(text)], env=environment, capture_output=True, text=True,
                          timeout=120)


@pytest.mark.parametrize("ending", ["", "executor.shutdown(wait=False)"])
def test_calls_end_before_the_interpreter_does(ending, tmp_path):
    done = _script(f"""
        import quarry, handlers_for_tests
        executor = quarry.ProcessExecutor(2)
        executor.submit(handlers_for_tests.append_to, ({str(tmp_path / "mark")!r}, "done"))
        {ending}
    """)
    assert (done.returncode, done.stderr) == (0, "")
    assert (tmp_path / "mark").read_text() == "done"


def test_calls_after_the_interpreters_end_are_refused():
    done = _script("""
        import atexit
        @atexit.register
        def last():
            try:
                executor.submit(id, None)
            except RuntimeError:
                print("refused")
                raise
        import quarry
        executor = quarry.ProcessExecutor(2)
        executor.submit(id, 42).result()
    """)
    assert "RuntimeError: cannot schedule new futures" in done.stderr
    assert done.stdout.strip() == "refused"


def test_workers_that_are_killed_without_a_call_are_replaced(executor):
    assert executor.submit(handlers.square, 3).result(60) == 9
    for each in executor._shared.engine.health().workers:
        os.kill(each.process, signal.SIGKILL)
    assert executor.submit(handlers.square, 4).result(60) == 16
