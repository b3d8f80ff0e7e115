"""What a host does with an engine."""

import math
import os
import select
import sys
import threading
import time

import pytest
import quarry
from conftest import make_engine


def test_run_answers_the_value(shared_engine):
    assert shared_engine.run("square", 7) == 49


def test_submit_and_poll_give_each_result_once(shared_engine):
    ids = [shared_engine.submit("square", i) for i in range(100)]
    assert shared_engine.wait(ids, 60)
    results = shared_engine.poll()
    assert {each.id for each in results} == set(ids)
    assert sorted(each.value for each in results) == [i * i for i in range(100)]
    assert all(each.ok and each.error is None and each.latency_ns >= each.run_ns >= 0 for each in results)
    assert shared_engine.poll() == []


def test_poll_gives_at_most_so_many(shared_engine):
    ids = shared_engine.submit_many("square", range(10))
    shared_engine.wait(ids, 60)
    assert len(shared_engine.poll(most=3)) == 3
    assert len(shared_engine.poll(most=3, budget=1.0)) == 3
    assert len(shared_engine.poll()) == 4


@pytest.mark.parametrize("payloads", [[b"a", b"bc", b""], [1, "two", None], [b"a", 1, bytearray(b"xyz")], []])
def test_submit_many_takes_any_payloads(shared_engine, payloads):
    ids = shared_engine.submit_many("echo", payloads)
    assert len(ids) == len(payloads)
    assert shared_engine.wait(ids, 60)
    values = {each.id: each.value for each in shared_engine.poll()}
    assert [values[id] for id in ids] == payloads


def test_map_keeps_the_order_and_submits_as_room_allows(start):
    engine = start(job_queue=8, result_queue=8)
    assert list(engine.map("square", iter(range(500)))) == [i * i for i in range(500)]
    assert engine.poll() == []


def test_map_raises_what_a_handler_raised_and_gives_up_the_rest(engine):
    values = engine.map("square", [1, 2, "x", 4])
    assert next(values) == 1
    assert next(values) == 4
    with pytest.raises(TypeError):
        next(values)
    assert engine.run("square", 5) == 25
    assert engine._wanted == {}


def test_run_leaves_the_results_of_others_to_poll(engine):
    ids = engine.submit_many("square", range(5))
    assert engine.run("square", 9) == 81
    engine.wait(ids, 60)
    assert sorted(each.value for each in engine.poll()) == [0, 1, 4, 9, 16]


def test_functions_are_handlers_too(shared_engine):
    assert shared_engine.run(math.factorial, 20) == math.factorial(20)
    assert list(shared_engine.map(math.sqrt, [4, 9])) == [2, 3]


def test_run_gives_up_when_its_time_is_over(engine):
    began = time.monotonic()
    with pytest.raises(TimeoutError):
        engine.run("sleep", 30, timeout=0.1)
    assert time.monotonic() - began < 20
    assert engine.run("square", 2) == 4


def test_several_threads_run_jobs_at_once(shared_engine):
    wrong = []

    def ask(first):
        for i in range(first, first + 100):
            if shared_engine.run("square", i) != i * i:
                wrong.append(i)

    threads = [threading.Thread(target=ask, args=(1000 * k,)) for k in range(6)]
    for each in threads:
        each.start()
    for each in threads:
        each.join()
    assert wrong == []
    assert shared_engine.poll() == []


def test_priorities_are_heeded(start, tmp_path):
    engine = start(workers=1)
    path = str(tmp_path / "order")
    # A worker has a millisecond of work ahead, and several jobs of a handler whose length is not known.
    engine.run("append_slowly", (path, ""))
    engine.run("sleep", 0.01)
    blocker = engine.submit("sleep", 0.5)
    for text, priority in (("l", "low"), ("n", "normal"), ("u", "urgent"), ("h", "high")):
        engine.submit("append_slowly", (path, text), priority=priority)
    assert engine.drain(60)
    with open(path) as file:
        order = file.read()
    assert order == "uhnl"
    assert blocker in {each.id for each in engine.poll()}


def test_a_deadline_ends_a_job_and_its_worker(engine):
    before = {each.process for each in engine.health().workers}
    with pytest.raises(quarry.DeadlinePassed):
        engine.run("sleep", 60, deadline=0.2, timeout=60)
    assert engine.run("square", 3, timeout=60) == 9
    assert engine.stats().deadline == 1
    end = time.monotonic() + 60
    while {each.process for each in engine.health().workers} == before and time.monotonic() < end:
        time.sleep(0.01)
    assert {each.process for each in engine.health().workers} != before


def test_a_job_can_be_bound_to_a_worker(shared_engine):
    processes = [each.process for each in shared_engine.health().workers]
    for number in (0, 1):
        assert {shared_engine.run("process", worker=number) for _ in range(5)} == {processes[number]}
    with pytest.raises(quarry.Refused, match="0 to 1"):
        shared_engine.submit("process", worker=2)


def test_cancel_before_and_while_a_job_runs(start):
    engine = start(workers=1)
    running = engine.submit("until_asked_to_stop")
    while not engine.health().workers[0].busy:
        time.sleep(0.001)
    waiting = engine.submit("square", 1)
    assert engine.cancel(waiting) == "done"
    time.sleep(0.05)
    assert engine.cancel(running) == "asked"
    assert engine.drain(60)
    results = {each.id: each for each in engine.poll()}
    assert results[waiting].status == "cancelled"
    assert results[running].status == "cancelled"
    with pytest.raises(quarry.Cancelled):
        results[running].value
    assert engine.cancel(running) == "no job"


def test_broadcast_reaches_every_worker_and_is_renewed(shared_engine):
    shared_engine.broadcast("map", {"size": 3})
    for number in (0, 1):
        assert shared_engine.run("state_of", "map", worker=number) == {"size": 3}
    shared_engine.broadcast("map", [1, 2])
    for number in (0, 1):
        assert shared_engine.run("state_of", "map", worker=number) == [1, 2]
    assert shared_engine.forget("map")
    assert not shared_engine.forget("map")
    with pytest.raises(KeyError):
        shared_engine.run("state_of", "map", worker=0)
    with pytest.raises(ValueError, match="key"):
        shared_engine.broadcast("", 1)


def test_the_descriptor_tells_of_results(engine):
    descriptor = engine.fileno()
    engine.poll()
    engine.submit("square", 3)
    assert select.select([descriptor], [], [], 60)[0]
    engine.drain(60)
    assert [each.value for each in engine.poll()] == [9]
    assert not select.select([descriptor], [], [], 0)[0]


def test_refusals_say_what_is_allowed(start):
    engine = start(workers=1, job_queue=2, max_payload=1000)
    with pytest.raises(quarry.UnknownHandler, match="'nothing'"):
        engine.submit("nothing")
    with pytest.raises(quarry.PayloadTooLarge, match="1000 bytes"):
        engine.submit("echo", bytes(1001))
    with pytest.raises(quarry.PayloadTooLarge, match="1000 bytes"):
        engine.submit("echo", list(range(5000)))
    with pytest.raises(ValueError, match="low, normal, high, urgent"):
        engine.submit("echo", 1, priority="soon")
    with pytest.raises(TypeError):
        engine.submit(7)
    with pytest.raises(quarry.QueueFull, match="2 jobs wait") as full:
        engine.submit_many("sleep", [0.3] * 50)
    assert 0 < len(full.value.ids) < 50
    assert engine.wait(full.value.ids, 60)
    assert len(engine.poll()) == len(full.value.ids)


def test_stats_add_up(engine):
    engine.submit_many("square", [1, 2, "x"])
    engine.drain(60)
    stats = engine.stats()
    assert (stats.accepted, stats.ok, stats.errors, stats.results) == (3, 2, 1, 3)
    assert stats.accepted == stats.ok + stats.errors + stats.cancelled + stats.deadline + stats.lost
    assert engine.health().readiness == "ready"
    assert all(each.alive and each.process > 0 for each in engine.health().workers)


def test_shutdown_reports_and_refuses(engine):
    engine.submit("square", 2)
    engine.drain(60)
    report = engine.shutdown()
    assert (report.exited, report.killed, report.lost) == (2, 0, 0)
    assert [each.value for each in engine.poll()] == [4]
    with pytest.raises(quarry.EngineClosed):
        engine.submit("square", 2)


def test_an_engine_that_is_not_running_says_so():
    engine = make_engine()
    for call in (lambda: engine.submit("square", 1), engine.poll, engine.stats, engine.health, lambda: engine.run("x")):
        with pytest.raises(quarry.EngineClosed, match="start it"):
            call()
    with engine:
        assert engine.run("square", 1) == 1
        with pytest.raises(quarry.Error, match="already"):
            engine.start()
    with pytest.raises(quarry.EngineClosed):
        engine.submit("square", 1)
    engine.close()


def test_options_out_of_range_are_named():
    with pytest.raises(quarry.StartError, match="workers"):
        make_engine(workers=0).start()
    with pytest.raises(ValueError, match="max_tasks_per_child"):
        make_engine(max_tasks_per_child=0)
    with pytest.raises(TypeError, match="initializer"):
        make_engine(initializer=3)


def test_both_kinds_of_operating_system_calls(start):
    engine = start(portable=True)
    assert list(engine.map("square", range(20))) == [i * i for i in range(20)]


def test_workers_run_the_same_interpreter(shared_engine):
    assert os.path.samefile(shared_engine.run("executable"), sys.executable)


def test_workers_of_another_language_get_bytes(tmp_path):
    tree = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
    places = [os.path.join(tree, "build", preset, "quarry") for preset in ("release", "release-shared")]
    program = next((each for each in places if os.path.exists(each)), None)
    if program is None:
        pytest.skip("the program quarry is not built")
    with quarry.Engine(command=[program, "worker"], workers=1, heartbeat=30.0) as engine:
        assert bytes(engine.run("echo", b"bytes as they are")) == b"bytes as they are"
