"""What can go wrong in a worker, and what the host sees of it."""

import os
import signal
import sys
import threading
import time

import pytest
import quarry


def test_an_exception_arrives_with_its_traceback(shared_engine):
    with pytest.raises(ValueError, match="this went wrong") as caught:
        shared_engine.run("raise_value_error", "this went wrong")
    assert "in raise_value_error" in str(caught.value.__cause__)
    assert "handlers_for_tests.py" in str(caught.value.__cause__)


@pytest.mark.parametrize("handler, name", [("raise_unpicklable", "Unpicklable"), ("raise_odd_text", "Odd")])
def test_an_exception_that_does_not_pickle_arrives_as_text(shared_engine, handler, name):
    with pytest.raises(quarry.RemoteError, match=name) as caught:
        shared_engine.run(handler)
    assert f"in {handler}" in caught.value.traceback


def test_an_answer_that_does_not_pickle_is_the_jobs_error(shared_engine):
    with pytest.raises(Exception, match="pickle|lambda"):
        shared_engine.run("answer_unpicklable")
    assert shared_engine.run("square", 2) == 4


def test_a_handler_that_exits_by_exception_leaves_its_worker_alive(shared_engine):
    before = [each.process for each in shared_engine.health().workers]
    with pytest.raises(SystemExit):
        shared_engine.run("raise_system_exit")
    assert [each.process for each in shared_engine.health().workers] == before


def test_recursion_without_end_is_an_error_of_the_job(shared_engine):
    with pytest.raises(RecursionError):
        shared_engine.run("recurse", 1_000_000)
    assert shared_engine.run("recurse", 100) == 100


def test_a_deep_payload_is_an_error_of_the_caller(shared_engine):
    deep: list = []
    for _ in range(100_000):
        deep = [deep]
    with pytest.raises(RecursionError):
        shared_engine.submit("echo", deep)
    # It is taken apart without recursion.
    while deep:
        deep = deep.pop()


@pytest.mark.parametrize("handler, argument", [("exit_at_once", 7), ("exit_at_once", 0), ("abort", None)])
def test_a_handler_that_ends_its_process_loses_one_job(start, handler, argument):
    engine = start()
    with pytest.raises(quarry.WorkerLost) as caught:
        engine.run(handler, argument, timeout=60)
    assert not caught.value.poison
    assert list(engine.map("square", range(20), timeout=60)) == [i * i for i in range(20)]


def test_an_idempotent_job_is_run_again(start, tmp_path):
    engine = start(idempotent=["die_the_first_time", "exit_at_once"])
    assert engine.run("die_the_first_time", str(tmp_path / "mark"), timeout=60) == "second time"
    assert engine.stats().reruns >= 1
    with pytest.raises(quarry.WorkerLost) as caught:
        engine.run("exit_at_once", 1, timeout=60)
    assert caught.value.poison


def test_a_worker_that_is_stopped_is_replaced(start):
    engine = start(heartbeat=0.5)
    os.kill(engine.health().workers[0].process, signal.SIGSTOP)
    assert list(engine.map("square", range(50), timeout=60)) == [i * i for i in range(50)]
    end = time.monotonic() + 60
    while engine.stats().hung == 0 and time.monotonic() < end:
        time.sleep(0.02)
    assert engine.stats().hung == 1


def test_a_hundred_workers_are_killed_and_every_job_ends_once(start):
    engine = start(spares=2)
    engine.set_idempotent("square")
    stop = threading.Event()
    killed = []

    def kill():
        # One that has done nothing yet is spared: after two such deaths the engine waits before it starts another.
        jobs = [0, 0]
        while not stop.is_set() and len(killed) < 100:
            for number, worker in enumerate(engine.health().workers):
                if worker.alive and worker.process not in killed and worker.jobs > jobs[number]:
                    jobs[number] = worker.jobs
                    os.kill(worker.process, signal.SIGKILL)
                    killed.append(worker.process)
            time.sleep(0.005)

    thread = threading.Thread(target=kill)
    thread.start()
    results = {}
    submitted = 0
    try:
        end = time.monotonic() + 60
        while (thread.is_alive() or len(results) < submitted) and time.monotonic() < end:
            if thread.is_alive() and engine.stats().waiting < 50:
                engine.submit_many("square", range(20))
                submitted += 20
            for each in engine.poll():
                assert each.id not in results
                results[each.id] = each.status
            time.sleep(0.001)
    finally:
        stop.set()
        thread.join()
    assert len(killed) in (100, 101)  # two may be killed in one round
    assert len(results) == submitted
    assert set(results.values()) <= {"ok", "worker lost"}
    assert list(results.values()).count("ok") > submitted * 0.9


def test_ctrl_c_ends_a_wait_and_leaves_the_engine_usable(engine):
    timer = threading.Timer(0.3, lambda: os.kill(os.getpid(), signal.SIGINT))
    timer.start()
    began = time.monotonic()
    with pytest.raises(KeyboardInterrupt):
        engine.run("sleep", 30)
    assert time.monotonic() - began < 20
    timer.join()
    assert engine.run("square", 3, timeout=60) == 9


def test_the_pages_of_a_killed_worker_do_not_stay(start):
    engine = start(workers=1)
    held = []
    for _ in range(5):
        held.append(engine.run("make_array", 200_000, timeout=60))
        os.kill(engine.health().workers[0].process, signal.SIGKILL)
        assert engine.run("square", 1, timeout=60) == 1
    assert all(each[-1] == 199_999 for each in held)


def test_a_handler_cannot_be_found_twice():
    sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
    with pytest.raises(quarry.StartError, match="square is in both handlers_for_tests and second_handlers"):
        quarry.Engine(["handlers_for_tests", "second_handlers"], workers=1).start()
