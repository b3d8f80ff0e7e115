"""The examples of the guide, as they are."""

import contextlib
import io
import os
import runpy
import time

import bpy
import numpy
from common import fresh, started

WORK, SOAK = "", False
EXAMPLES = os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "..", "..", "examples", "blender")


def test_the_example_with_questions_answers():
    fresh()
    said = io.StringIO()
    with contextlib.redirect_stdout(said):
        names = runpy.run_path(os.path.join(EXAMPLES, "look_out.py"))
        if not names["call"].ended:
            started().wait(names["call"])
    seen = names["seen"].sum()
    assert 0 < seen < 5000 and f"of {seen} shots meet the wall" in said.getvalue(), said.getvalue()


def test_the_example_of_a_frame_loop_moves_its_flock():
    fresh()
    names = runpy.run_path(os.path.join(EXAMPLES, "game_loop.py"))
    loop, places, targets = names["loop"], names["places"], names["targets"]
    before = numpy.linalg.norm(places - targets, axis=1).mean()
    end = time.monotonic() + 2
    while time.monotonic() < end:
        loop._on_timer()
        time.sleep(0.002)
    assert loop.running, loop.problem
    loop.stop()
    assert numpy.linalg.norm(places - targets, axis=1).mean() < before - 1
    shown = numpy.empty(3000, dtype="f4")
    bpy.data.meshes["Flock"].attributes["position"].data.foreach_get("vector", shown)
    assert (shown == places.reshape(-1)).all()


def test_the_example_with_a_ditch_digs_it():
    fresh()
    said = io.StringIO()
    with contextlib.redirect_stdout(said):
        names = runpy.run_path(os.path.join(EXAMPLES, "dig.py"))
    report = names["report"]
    assert report.edits == 3 and report.samples > 1000 and f"{report.samples:,} samples" in said.getvalue(), said.getvalue()
