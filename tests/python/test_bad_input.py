"""What a host may do that nobody should: each is refused with the reason, or does no harm."""

import math
import os
import signal
import subprocess
import sys
import textwrap
import time

import pytest
import quarry
from conftest import HERE, make_engine


def run_host(code, **options):
    """A program of its own."""
    path = os.pathsep.join([HERE, os.path.dirname(os.path.dirname(quarry.__file__))])
    return subprocess.Popen(
        [sys.executable, "-c", "import os, sys, time, quarry\n" + textwrap.dedent(code)],
        stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, env=dict(os.environ, PYTHONPATH=path), **options
    )


def test_times_without_end_are_no_limit_and_those_that_are_no_number_are_refused(shared_engine):
    assert shared_engine.run("square", 3, deadline=math.inf, timeout=math.inf) == 9
    assert shared_engine.run("square", 3, deadline=1e300) == 9
    assert shared_engine.poll(budget=math.inf) == []
    for call in (
        lambda: shared_engine.run("square", 3, deadline=math.nan),
        lambda: shared_engine.run("square", 3, timeout=math.nan),
        lambda: shared_engine.poll(budget=math.nan),
        lambda: make_engine(heartbeat=math.nan),
    ):
        with pytest.raises(ValueError, match="seconds, not nan"):
            call()


@pytest.mark.parametrize("name", ["workers", "spares", "heartbeat", "start_timeout"])
def test_numbers_too_large_for_the_library_are_refused_and_not_cut_off(name):
    with pytest.raises(ValueError, match=name):
        make_engine(**{name: (1 << 32) + 2})


def test_a_worker_far_out_of_range_is_refused_and_not_cut_off(shared_engine):
    with pytest.raises(ValueError, match="worker is out of range"):
        shared_engine.run("square", 3, worker=1 << 32)


def test_options_are_called_as_python_calls_them():
    with pytest.raises(quarry.StartError) as caught:
        make_engine(workers=10_000).start()
    assert str(caught.value) == "workers must be 1 to 256"


@pytest.mark.parametrize(
    "options, reason", [({"command": []}, "name a program"), ({"environment": {"A=B": "c"}}, "'A=B' cannot be a variable")]
)
def test_commands_and_environments_that_cannot_be_are_refused(options, reason):
    with pytest.raises(ValueError, match=reason):
        make_engine(**options)


def test_a_host_that_closes_all_descriptors_neither_spins_nor_hangs():
    host = run_host("""
        engine = quarry.Engine("handlers_for_tests", workers=2).start()
        os.closerange(3, 256)
        time.sleep(0.3)
        before = time.process_time()
        time.sleep(1.0)
        print(time.process_time() - before)
        try:
            engine.run("square", 3, timeout=10)
        except quarry.Error as error:
            print(type(error).__name__)
        engine.close()
    """)
    out, err = host.communicate(timeout=60)
    assert host.returncode == 0 and not err, err
    assert float(out.split()[0]) < 0.3


def test_too_few_files_are_said():
    host = run_host("""
        import resource
        resource.setrlimit(resource.RLIMIT_NOFILE, (40, 40))
        try:
            quarry.Engine("handlers_for_tests", workers=2).start()
        except quarry.StartError as error:
            print(error)
    """)
    out, err = host.communicate(timeout=60)
    assert "ulimit -n is too low" in out, out + err


@pytest.mark.parametrize("way", ["engine.close()", "engine.shutdown()", "raise SystemExit"])
def test_ctrl_c_ends_a_shutdown_that_waits_for_long_jobs(way):
    host = run_host(f"""
        engine = quarry.Engine("handlers_for_tests", workers=1, shutdown_timeout=60.0).start()
        engine.submit("sleep", 60)
        time.sleep(0.3)
        print("now", flush=True)
        {way}
    """)
    assert host.stdout.readline() == "now\n"
    time.sleep(0.3)
    began = time.monotonic()
    host.send_signal(signal.SIGINT)
    host.communicate(timeout=50)
    assert time.monotonic() - began < 20


def test_ctrl_c_while_an_executor_is_shut_down_lets_its_calls_end_without_a_word_of_its_thread():
    host = run_host("""
        pool = quarry.ProcessExecutor(1)
        future = pool.submit(time.sleep, 1.0)
        future.add_done_callback(lambda done: print("ended", done.exception(), flush=True))
        print("now", flush=True)
        pool.shutdown()
    """)
    assert host.stdout.readline() == "now\n"
    time.sleep(0.3)
    host.send_signal(signal.SIGINT)
    out, err = host.communicate(timeout=50)
    assert out == "ended None\n" and err.count("Traceback") == 1 and "Exception in thread" not in err, err


def test_what_a_program_printed_that_is_no_worker_is_said(tmp_path):
    program = tmp_path / "python"
    program.write_text("#!/bin/sh\necho cannot open libpython >&2\nexit 127\n")
    program.chmod(0o755)
    with pytest.raises(quarry.StartError, match="exited with status 127 before it was ready.*It printed:\ncannot open libpython"):
        make_engine(executable=str(program)).start()


def test_a_program_that_is_its_own_module_of_handlers_does_not_start_itself_for_ever(tmp_path):
    program = tmp_path / "program.py"
    program.write_text("import quarry\n\ndef twice(x):\n    return 2 * x\n\nwith quarry.Engine(__file__, workers=2) as engine:\n    print(engine.run('twice', 4))\n")
    environment = dict(os.environ, PYTHONPATH=os.path.dirname(os.path.dirname(quarry.__file__)))
    done = subprocess.run([sys.executable, program], capture_output=True, text=True, timeout=60, env=environment)
    assert done.returncode == 1 and "put the handlers into a module of their own" in done.stderr, done.stderr


def test_a_handler_may_have_an_engine_of_its_own(start):
    assert start(workers=1).run("with_an_engine", 5) == 25
