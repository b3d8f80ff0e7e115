"""The examples of the guide run as they are shown."""

import os
import subprocess
import sys

import pytest

EXAMPLES = os.path.join(os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__)))), "examples/python")


def _run(name, *words):
    environment = dict(os.environ, PYTHONPATH=os.pathsep.join(sys.path))
    return subprocess.run([sys.executable, os.path.join(EXAMPLES, name), *words], env=environment, capture_output=True,
                          text=True, timeout=120)


def test_the_editor_loop_smooths_in_every_frame():
    done = _run("editor_loop.py")
    assert done.returncode == 0 and not done.stderr, done.stderr
    assert "the peak of 100 is now" in done.stdout
    assert float(done.stdout.split()[-1]) < 60


def test_the_picture_is_drawn(tmp_path):
    pytest.importorskip("numpy")
    path = tmp_path / "julia.png"
    done = _run("julia.py", str(path))
    assert done.returncode == 0, done.stderr
    assert path.read_bytes()[:8] == b"\x89PNG\r\n\x1a\n" and path.stat().st_size > 20_000


def test_migration_from_multiprocessing():
    done = _run("migration.py")
    assert done.stdout.split() == ["19.30600052603572", "2432902008176640000"], done.stderr
