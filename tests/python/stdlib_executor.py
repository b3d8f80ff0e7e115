"""CPython's own tests of executors, run on ProcessExecutor. Needs the package `test` of this Python (Debian:
libpython3.11-testsuite). Each test that is left out has its reason here.

    python stdlib_executor.py [options of unittest]
"""

import os
import signal
import sys
import time
import unittest

import conftest  # noqa: F401  (finds the package)

if sys.version_info[:2] != (3, 11):
    print("stdlib_executor: these are the tests of Python 3.11, this is another")
    sys.exit(0)
try:
    import test.test_concurrent_futures as stdlib
except ImportError:
    print("stdlib_executor: this Python has no package test (Debian: libpython3.11-testsuite)")
    sys.exit(0)

import quarry  # noqa: E402

SCRIPT = "its script imports the executor from concurrent.futures; test_executor.py runs that script on ProcessExecutor"
PRIVATE = "looks at the private threads and queues of ProcessPoolExecutor; test_executor.py has the same on public ones"
ON_DEMAND = "wants workers to be started one by one as calls come; ours start at once, so that the first frame is quick"
INHERITED = "sends an object of multiprocessing that only its own children may have"
UNPICKLED = "wants a value that cannot be unpickled to break the executor; ours fails that one call with the error itself"
SKIPPED = {
    "ShutdownTest.test_interpreter_shutdown": SCRIPT,
    "ShutdownTest.test_submit_after_interpreter_shutdown": SCRIPT,
    "ShutdownTest.test_hang_gh83386": SCRIPT,
    "ShutdownTest.test_cancel_futures": "wants one of 50 calls to have begun though nothing waits for that; test_executor.py "
    "waits",
    "ShutdownTest.test_processes_terminate": INHERITED,
    "ShutdownTest.test_context_manager_shutdown": PRIVATE,
    "ShutdownTest.test_del_shutdown": PRIVATE,
    "ShutdownTest.test_shutdown_no_wait": PRIVATE,
    "ExecutorTest.test_saturation": INHERITED,
    "ExecutorTest.test_idle_process_reuse_one": ON_DEMAND,
    "ExecutorTest.test_idle_process_reuse_multiple": ON_DEMAND,
    "ExecutorTest.test_max_tasks_per_child_defaults_to_spawn_context": "there is no context: workers always start afresh",
    "ExecutorTest.test_ressources_gced_in_workers": INHERITED,
    "DeadlockTest.test_shutdown_deadlock_pickle": PRIVATE,
    "DeadlockTest.test_error_at_task_unpickle": UNPICKLED,
    "DeadlockTest.test_exit_at_task_unpickle": UNPICKLED,
    "DeadlockTest.test_error_during_result_unpickle_in_result_handler": UNPICKLED,
    "DeadlockTest.test_exit_during_result_unpickle_in_result_handler": UNPICKLED,
}


class _Process:
    def __init__(self, number):
        self.pid = number

    def terminate(self):
        os.kill(self.pid, signal.SIGTERM)


class Executor(quarry.ProcessExecutor):
    """Shows what the tests look at, and breaks when a worker dies, as the standard library's does."""

    def __init__(self, *arguments, **options):
        super().__init__(*arguments, break_on_lost_worker=True, heartbeat=30.0, **options)

    @property
    def _processes(self):
        # A worker without a job may die unnoticed, and a job that it has not begun is run by another: those that have
        # been busy for a second come first.
        end = time.monotonic() + 30
        busy_since = {}
        while True:
            now = time.monotonic()
            workers = [each for each in self._shared.engine.health().workers if each.process > 0]
            busy_since = {each.process: busy_since.get(each.process, now) for each in workers if each.busy}
            if any(now - since > 1 for since in busy_since.values()) or now > end:
                workers.sort(key=lambda each: busy_since.get(each.process, now))
                return {each.process: _Process(each.process) for each in workers}
            time.sleep(0.01)

    @property
    def _broken(self):
        return self._shared.broken


class OnQuarry(stdlib.ExecutorMixin):
    executor_type = Executor
    ctx = "spawn"


class WithoutContext(stdlib.ExecutorMixin):
    executor_type = Executor

    def get_context(self):
        return stdlib.mp.get_context("spawn")


def _case(name, tests, mixin):
    case = type(name, (tests, mixin, stdlib.BaseTestCase), {})
    for each, reason in SKIPPED.items():
        of, test = each.split(".")
        if of == name:
            assert hasattr(case, test), f"there is no {each} any more"
            setattr(case, test, unittest.skip(reason)(lambda self: None))
    return case


InitializerTest = _case("InitializerTest", stdlib.InitializerMixin, WithoutContext)
FailingInitializerTest = _case("FailingInitializerTest", stdlib.FailingInitializerMixin, WithoutContext)
ShutdownTest = _case("ShutdownTest", stdlib.ProcessPoolShutdownTest, OnQuarry)
WaitTest = _case("WaitTest", stdlib.WaitTests, OnQuarry)
AsCompletedTest = _case("AsCompletedTest", stdlib.AsCompletedTests, OnQuarry)
ExecutorTest = _case("ExecutorTest", stdlib.ProcessPoolExecutorTest, OnQuarry)
DeadlockTest = _case("DeadlockTest", stdlib.ExecutorDeadlockTest, OnQuarry)

if __name__ == "__main__":
    unittest.main(verbosity=2)
