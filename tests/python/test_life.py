"""Starts and stops; nothing is left behind."""

import gc
import os
import signal
import subprocess
import sys
import textwrap
import threading
import time

import pytest
import quarry
from conftest import HERE, make_engine

SCRIPT = """
    import os, sys, time, quarry
    engine = quarry.Engine("handlers_for_tests", workers=2, heartbeat=30.0).start()
    print(*[each.process for each in engine.health().workers], flush=True)
    {then}
"""


def _host(then):
    environment = dict(os.environ, PYTHONPATH=os.pathsep.join([*sys.path, HERE]))
    code = textwrap.dedent(SCRIPT).format(then=then)
    host = subprocess.Popen([sys.executable, "-c", code], env=environment, stdout=subprocess.PIPE, text=True,
                            stderr=subprocess.PIPE, start_new_session=True)
    return host, [int(each) for each in host.stdout.readline().split()]


def _is_alive(process):
    try:
        with open(f"/proc/{process}/stat") as file:
            return file.read().rsplit(")", 1)[1].split()[0] != "Z"
    except FileNotFoundError:
        return False


def _ended(processes, within=20):
    end = time.monotonic() + within
    while any(map(_is_alive, processes)) and time.monotonic() < end:
        time.sleep(0.01)
    return not any(map(_is_alive, processes))


def _descriptors():
    return sorted(os.listdir("/proc/self/fd"))


def _children():
    with open(f"/proc/self/task/{os.getpid()}/children") as file:
        return file.read().split()


def _shared_mappings():
    with open("/proc/self/maps") as file:
        return sum("memfd" in line or "/dev/shm" in line for line in file)


def test_24_cycles_leave_no_process_descriptor_thread_or_memory():
    with make_engine(workers=2) as engine:
        engine.run("make_array", 10_000)
    gc.collect()
    before = (len(_descriptors()), threading.active_count(), _shared_mappings(), len(_children()))
    for _ in range(24):
        with make_engine(workers=2) as engine:
            processes = [each.process for each in engine.health().workers]
            assert engine.run("make_array", 10_000)[-1] == 9_999
        assert not any(map(_is_alive, processes))
    gc.collect()
    assert (len(_descriptors()), threading.active_count(), _shared_mappings(), len(_children())) == before


@pytest.mark.parametrize("signal_number", [signal.SIGKILL, signal.SIGTERM, signal.SIGINT])
def test_no_worker_outlives_its_host(signal_number):
    host, workers = _host("engine.submit('sleep', 60); time.sleep(60)")
    assert all(map(_is_alive, workers))
    os.kill(host.pid, signal_number)
    host.communicate(timeout=60)
    assert _ended(workers)


@pytest.mark.parametrize(
    "then",
    ["pass", "sys.exit(0)", "raise RuntimeError", "engine.submit('sleep', 60)", "os._exit(0)", "del engine",
     "import threading; threading.Thread(target=lambda: engine.run('sleep', 0.2)).start()"],
)
def test_the_end_of_a_program_is_the_end_of_its_workers(then):
    host, workers = _host(then)
    host.communicate(timeout=60)
    assert _ended(workers)


def test_ctrl_c_stops_cleanly():
    host, workers = _host("engine.run('sleep', 60)")
    time.sleep(0.3)
    os.kill(host.pid, signal.SIGINT)
    _, said = host.communicate(timeout=60)
    assert host.returncode in (130, -signal.SIGINT, 1)
    assert "KeyboardInterrupt" in said and "Fatal" not in said
    assert _ended(workers)


def test_ctrl_c_while_workers_start_leaves_none(tmp_path):
    (tmp_path / "slow_jobs.py").write_text("import time\ntime.sleep(20)\n")
    timer = threading.Timer(0.5, lambda: os.kill(os.getpid(), signal.SIGINT))
    timer.start()
    began = time.monotonic()
    with pytest.raises(KeyboardInterrupt):
        make_engine(tmp_path / "slow_jobs.py", start_timeout=3.0).start()
    assert time.monotonic() - began < 15
    timer.join()
    end = time.monotonic() + 30
    while any(each.name == "quarry-start" for each in threading.enumerate()) and time.monotonic() < end:
        time.sleep(0.02)
    assert not any(each.name == "quarry-start" for each in threading.enumerate())


def test_an_engine_that_is_dropped_is_closed():
    engine = make_engine(workers=1).start()
    processes = [each.process for each in engine.health().workers]
    del engine
    gc.collect()
    assert _ended(processes)


def test_an_engine_works_in_a_thread_that_is_not_the_main_one():
    answers = []

    def work():
        with make_engine(workers=1) as engine:
            answers.append(engine.run("square", 4))

    thread = threading.Thread(target=work)
    thread.start()
    thread.join()
    assert answers == [16]


def test_other_threads_may_be_in_a_call_when_an_engine_is_closed():
    for _ in range(3):
        engine = make_engine(workers=2).start()
        seen = []
        ready = threading.Barrier(4)

        def use(call):
            ready.wait()
            try:
                while True:
                    call()
            except quarry.EngineClosed as error:
                seen.append(error)

        calls = [
            lambda: engine.run("sleep", 0.01),
            lambda: (engine.submit("echo", bytes(50_000)), engine.poll()),
            lambda: engine.stats(),
        ]
        threads = [threading.Thread(target=use, args=(each,)) for each in calls]
        for each in threads:
            each.start()
        ready.wait()
        time.sleep(0.1)
        engine.close()
        for each in threads:
            each.join(60)
        assert len(seen) == 3


def test_a_forked_child_cannot_use_the_engine(engine):
    child = os.fork()
    if child == 0:
        try:
            engine.submit("square", 1)
            os._exit(1)
        except quarry.EngineClosed:
            os._exit(0 if engine.poll() == [] else 2)
    assert os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) == 0
    assert engine.run("square", 3) == 9
