"""The worker's side: imports, output, start."""

import logging
import os
import subprocess
import sys
import textwrap
import time

import pytest
import quarry
from conftest import HERE, make_engine


def _lines(caplog, text, least=1):
    end = time.monotonic() + 30
    while time.monotonic() < end:
        found = [each for each in caplog.records if text in each.getMessage()]
        if len(found) >= least:
            return found
        time.sleep(0.01)
    raise AssertionError(f"{text} was not logged: {caplog.messages[-5:]}")


def test_what_a_worker_prints_and_logs_is_logged_here(start, caplog):
    caplog.set_level(logging.DEBUG)
    engine = start()
    engine.run("say_and_log", "one")
    (printed,) = _lines(caplog, "printed one")
    assert (printed.name, printed.levelno) == ("quarry.worker", logging.INFO)
    assert int(printed.worker_process) in [each.process for each in engine.health().workers]
    assert _lines(caplog, "to stderr one")[0].levelno == logging.WARNING
    # logging was imported by the job itself, so its record came as text of standard error; from the next job on
    # records come as records.
    engine.run("say_and_log", "two", worker=0)
    engine.run("say_and_log", "three", worker=1)
    engine.run("say_and_log", "four", worker=0)
    record = _lines(caplog, "logged four")[0]
    assert (record.name, record.levelno) == ("quarry.worker.tests.handler", logging.WARNING)


def test_output_is_limited(start, caplog):
    caplog.set_level(logging.INFO)
    engine = start(workers=1, log_lines_per_second=50)
    engine.run("say_much", 5000)
    engine.close()
    assert len([each for each in caplog.messages if each.startswith("line ")]) < 1000
    _lines(caplog, "lines were left out")


def test_odd_and_long_lines_arrive(start, caplog):
    caplog.set_level(logging.INFO)
    engine = start(workers=1)
    engine.run("say", "umläut \N{SNOWMAN} \x1e\x1f")
    engine.run("say", "x" * 10_000)
    _lines(caplog, "\N{SNOWMAN}")
    assert sum(len(each.getMessage()) for each in _lines(caplog, "x" * 2200, 3)) == 10_000


def test_standard_output_is_a_stream_as_any_other(start, caplog):
    caplog.set_level(logging.INFO)
    engine = start(workers=1)
    assert engine.run("say_as_streams_allow", "snow \N{SNOWMAN}") == (True, False, True, False)
    _lines(caplog, "snow \N{SNOWMAN}", 2)
    _lines(caplog, "snow \N{SNOWMAN} again")


def test_the_hosts_modules_cannot_be_imported(shared_engine):
    with pytest.raises(ImportError, match="belongs to the host's process"):
        shared_engine.run("import_it", "bpy")
    with pytest.raises(ImportError, match="belongs to the host's process"):
        shared_engine.run("import_it", "bpy.types")


def test_which_modules_are_refused_is_a_setting(start):
    engine = start(blocked_modules=["wave"], workers=1)
    with pytest.raises(ImportError, match="wave"):
        engine.run("import_it", "wave")
    assert engine.run("import_it", "uuid") == "uuid"


def test_a_module_that_cannot_be_imported_is_said_with_its_traceback():
    with pytest.raises(quarry.StartError) as caught:
        make_engine("broken_module").start()
    assert "no_such_module_anywhere" in str(caught.value)
    assert "broken_module.py" in str(caught.value) and "Traceback" in str(caught.value)


def test_handlers_that_import_the_host_are_said():
    with pytest.raises(quarry.StartError, match="belongs to the host's process"):
        make_engine("blender_like").start()


def test_handlers_may_be_a_file(start, tmp_path):
    path = tmp_path / "own_jobs.py"
    path.write_text("def twice(value):\n    return 2 * value\n")
    assert start(path).run("twice", 4) == 8
    assert start(str(path)).run("twice", "a") == "aa"


def test_an_interpreter_that_is_not_there_is_said():
    with pytest.raises(quarry.StartError):
        make_engine(executable="/nonexistent/python").start()


def test_a_worker_imports_only_what_is_asked_for(start, tmp_path):
    (tmp_path / "lean_jobs.py").write_text("import sys\ndef modules(_):\n    return sorted(sys.modules)\n")
    imported = start(tmp_path / "lean_jobs.py", workers=1).run("modules")
    for each in ("numpy", "logging", "asyncio", "concurrent.futures", "multiprocessing", "quarry.engine", "subprocess"):
        assert each not in imported


def test_initializer_and_its_arguments(start):
    engine = start(initializer=os.putenv, initargs=("QUARRY_TEST", "yes"))
    assert engine.run(subprocess.getoutput, "echo $QUARRY_TEST") == "yes"
    big = start(workers=1, initializer=bytes.__len__, initargs=(bytes(300_000),))
    file = big._setup_file
    assert file is not None and os.path.exists(file)
    assert big.run("square", 2) == 4
    big.close()
    assert not os.path.exists(file)


def test_an_initializer_that_fails_is_said():
    with pytest.raises(quarry.StartError, match="ZeroDivisionError"):
        make_engine(initializer=divmod, initargs=(1, 0)).start()


def test_workers_are_renewed_after_so_many_jobs(start):
    engine = start(workers=1, max_tasks_per_child=3)
    processes = [engine.run("process", timeout=60) for _ in range(9)]
    assert len(set(processes)) == 3
    assert all(processes.count(each) == 3 for each in processes)
    assert engine.stats().lost == 0


def test_many_jobs_with_renewed_workers_are_all_done(start):
    engine = start(max_tasks_per_child=5, spares=2)
    assert list(engine.map("square", range(100), timeout=120)) == [i * i for i in range(100)]


def _python(*arguments):
    environment = dict(os.environ, PYTHONPATH=os.pathsep.join([*sys.path, HERE]))
    return subprocess.run([sys.executable, *arguments], env=environment, capture_output=True, text=True, timeout=120)


def test_main_is_never_imported_and_needs_no_guard(tmp_path):
    script = tmp_path / "script.py"
    script.write_text(
        "import quarry\nprint('top level')\nseen_by_tests = 1\n"
        "with quarry.Engine('handlers_for_tests', workers=2) as engine:\n"
        "    print(engine.run('square', 5), engine.run('main_module'))\n"
    )
    done = _python(str(script))
    assert done.returncode == 0, done.stderr
    assert done.stdout.count("top level") == 1
    assert "25 (None, False)" in done.stdout


FUNCTION_OF_MAIN = """
    import sys
    if {hidden}:
        sys.modules["cloudpickle"] = None
    import quarry
    def triple(value):
        return 3 * value
    class Thing:
        pass
    with quarry.Engine(workers=1) as engine:
        print(engine.run(str.upper, "__main__"))
        try:
            print(engine.run(triple, 5), engine.run(lambda value: value + 1, 5))
        except Exception as error:
            print(type(error).__name__, error)
        try:
            engine.run(repr, Thing())
            print("thing")
        except Exception as error:
            print(error)
"""


def test_functions_of_main_travel_by_cloudpickle():
    pytest.importorskip("cloudpickle")
    done = _python("-c", textwrap.dedent(FUNCTION_OF_MAIN.format(hidden=False)))
    assert done.stdout.split("\n")[:3] == ["__MAIN__", "15 6", "thing"], done.stdout + done.stderr


def test_without_cloudpickle_functions_of_main_are_a_clear_error():
    done = _python("-c", textwrap.dedent(FUNCTION_OF_MAIN.format(hidden=True)))
    lines = done.stdout.split("\n")
    assert lines[0] == "__MAIN__"
    assert "'triple' of __main__ cannot be sent to a worker" in lines[1] and "cloudpickle" in lines[1]
    assert "'Thing' of __main__" in lines[2]
