"""Quick Test, Stress Test and Sync Test, by their operators."""

import json
import os
import signal
import threading
import time

import bpy
from common import children, extension, fresh, judged_by, problem, refused, threads

WORK, SOAK = "", False


def test_the_quick_test_passes_and_writes_its_report():
    fresh(stop=True)
    began = time.monotonic()
    assert bpy.ops.quarry.quick_test() == {"FINISHED"}
    text = bpy.data.texts["Quarry Quick Test"].as_string()
    assert text.startswith(("Quick Test: A", "Quick Test: B")) and text.count("ok  ") == 5, text
    assert time.monotonic() - began < 60 and not children() and not threads()


def test_the_paced_stress_test_has_an_a_by_the_strict_rules():
    fresh(stop=True)

    def run():
        assert bpy.ops.quarry.stress_test() == {"FINISHED"}
        text = bpy.data.texts["Quarry Stress Test"].as_string()
        print("  " + text.replace("\n", "\n  "))
        figures = json.loads(extension("tests").last.to_json())
        assert figures["lost"] == 0 and figures["failed"] == 0 and figures["rejected"] == 0, text
        return figures

    assert judged_by(run, lambda figures: figures["grade"] == "A") is not False
    figures = json.loads(extension("tests").last.to_json())
    assert figures["options"]["rules"] == "strict" and figures["options"]["pace"] == 0.0001
    assert figures["unpaced"]["lost"] == 0 and figures["unpaced"]["failed"] == 0
    assert bpy.context.window_manager.quarry.grade == f"Stress Test: {figures['grade']}" and not problem()


def test_a_report_is_exported_whole_or_the_reason_is_said():
    path = os.path.join(WORK, "report.json")
    assert bpy.ops.quarry.export_report(filepath=path) == {"FINISHED"}
    with open(path) as file:
        assert json.load(file)["grade"] == extension("tests").last.grade
    refused(bpy.ops.quarry.export_report, "cannot be written", filepath="/nowhere/report.json")
    assert bpy.ops.quarry.export_report(filepath=path[:-4] + "txt") == {"FINISHED"}
    with open(path[:-4] + "txt") as file:
        assert file.read() == extension("tests").last.text


def test_frames_are_in_sync_as_on_an_ideal_machine():
    fresh(stop=True)
    names = "" if SOAK else "BASELINE,LIGHT"

    def run():
        assert bpy.ops.quarry.sync_test(scenarios=names) == {"FINISHED"}
        print("  " + extension("tests").last.text.replace("\n", "\n  "))
        return extension("tests").last.figures

    assert judged_by(run, lambda figures: not figures["below_ideal"]) is not False


def _stress_with(seconds, disturb):
    """The graded part of the stress test, disturbed from another thread."""
    from quarry.blender import graded

    run = graded.Run("stress", workers=4, seconds=seconds)
    time.sleep(1.5)
    disturb()
    run.wait()
    assert run.report is not None, run.problem
    return run.report.figures


def _replaced(signal_number, process):
    """Sends the signal; when another process is there."""
    before = children()
    os.kill(process, signal_number)
    began = time.monotonic()
    while time.monotonic() - began < 10:
        if process not in children() and children() - before:
            return time.monotonic() - began
        time.sleep(0.002)
    raise AssertionError("the worker was not replaced")


def _loses_nothing(signal_number):
    def run():
        took = []
        figures = _stress_with(5.0, lambda: took.append(_replaced(signal_number, sorted(children())[0])))
        print(f"  replaced after {took[0] * 1000:.0f} ms, {figures['lost']} of {figures['submitted']} lost")
        assert figures["lost"] == 0 and figures["failed"] == 0 and figures["restarts"] >= 1
        return took[0]

    assert judged_by(run, lambda seconds: seconds < 1.0) is not False


def test_a_worker_killed_in_the_stress_test_is_replaced_within_a_second_and_nothing_is_lost():
    _loses_nothing(signal.SIGKILL)


def test_a_worker_stopped_in_the_stress_test_is_replaced_within_a_second_and_nothing_is_lost():
    _loses_nothing(signal.SIGSTOP)


def test_a_test_ends_when_it_is_asked_to():
    from quarry.blender import graded

    run = graded.Run("stress", workers=2, seconds=60.0)
    time.sleep(1.0)
    began = time.monotonic()
    run.stop()
    assert run.ended and time.monotonic() - began < 10 and not children() and threading.active_count() >= 1
