"""The graded tests and the command line."""

import json
import os
import subprocess
import sys

import pytest
import quarry
from quarry import reports, sync
from quarry.handlers import compute_heavy


@pytest.mark.parametrize(
    "throughput, completion, latency, rules, grade",
    [
        (1000, 1.0, 10, "strict", "A"),
        (1000, 1.0, 60, "strict", "A"),
        (1000, 1.0, 150, "strict", "B"),
        (1000, 1.0, 2830, "strict", "B"),
        (1000, 1.0, 900, "lenient", "A"),
        (60, 0.96, 150, "strict", "C"),
        (10, 0.81, 500, "strict", "F"),
        (1000, 0.79, 10, "strict", "F"),
    ],
)
def test_bursts_are_graded_by_the_rules(throughput, completion, latency, rules, grade):
    points = reports.burst_points(throughput, completion, latency, rules)
    assert reports.burst_grade(points, completion, True) == grade
    assert reports.burst_grade(points, completion, False) == "F"


def test_frame_sync_is_graded_by_the_rules():
    assert sync.sync_grade(1.0, 2, 0.04, True) == "A"
    assert sync.sync_grade(1.1, 2, 0.04, True) == "B"
    assert sync.sync_grade(1.5, 3, 0.09, True) == "B"
    assert sync.sync_grade(1.0, 4, 0.0, True) == "F"
    assert sync.sync_grade(0.0, 0, 0.0, False) == "F"


def test_the_ideal_machine_gets_what_its_cores_allow():
    grades = {name: "".join(sync.ideal_grade(each, cores=cores) for cores in (1, 2, 8)) for name, each in sync.SCENARIOS.items()}
    # Two cores: what `quarry sync` says of an ideal machine, too.
    assert grades == {"BASELINE": "AAA", "LIGHT": "AAA", "MEDIUM": "FAA", "HEAVY": "FFA", "BURST": "FBA", "CATCHUP": "FAA"}


def test_a_paced_burst_keeps_its_pace_and_stops_when_asked():
    report = reports.stress_test(0.5, workers=1, pace=0.01)
    assert 20 <= report.submitted <= 51 and report.lost == 0 and report.options["pace"] == 0.01
    calls = []
    stopped = reports.stress_test(60, workers=1, pace=0.01, stop=lambda: calls.append(1) or len(calls) > 20)
    assert stopped.seconds < 30 and stopped.lost == 0


def test_compute_heavy_is_the_programs():
    total = 0
    for iteration in range(10):
        for value in range(50):
            total = ((total + value * iteration) * 31 + value) % 1_000_000
    assert compute_heavy((10, 50)) == total


def test_the_stress_test_answers_a_report():
    report = quarry.stress_test(0.5, workers=2)
    assert report.success == report.submitted == report.received > 0
    assert report.lost == report.failed == report.twice == 0
    assert report.grade in "ABC" and str(report.success // 1000) in report.verdict
    found = report.to_dict()
    assert found["schema"] == 1 and found["lost"] == 0 and found["options"]["workers"] == 2
    json.dumps(found)


def test_the_quick_test_checks_that_all_works():
    report = quarry.quick_test(1.0)
    assert [each.name for each in report.checks] == ["start", "round trip", "large payload", "error", "replacement"]
    assert all(each.ok for each in report.checks), report.verdict
    assert report.grade != "F"
    json.dumps(report.to_dict())


def _command(*words):
    environment = dict(os.environ, PYTHONPATH=os.pathsep.join(sys.path))
    return subprocess.run([sys.executable, "-m", "quarry", *words], env=environment, capture_output=True, text=True,
                          timeout=120)


def test_commands_write_reports(tmp_path):
    done = _command("stress", "--duration", "0.3", "--workers", "1", "--json", "-", "--require", "C")
    assert done.returncode == 0 and json.loads(done.stdout)["program"] == "python -m quarry stress"
    path = tmp_path / "sync.json"
    done = _command("sync", "--scenario", "BASELINE", "--json", str(path))
    assert "BASELINE" in done.stdout
    (found,) = json.loads(path.read_text())["scenarios"]
    assert found["submitted"] == found["returned"] == 60
    assert os.listdir(tmp_path) == ["sync.json"]
    assert "quarry 0." in _command("info").stdout
    done = _command("bench", "--quick", "--no-peers", "--filter", "poll_nothing", "--json", "-")
    results = json.loads(done.stdout)["results"]
    assert {each["engine"] for each in results} == {"quarry poll", "bare call"}
    assert all(each["value"] > 0 for each in results)


@pytest.mark.parametrize(
    "words", [["stress", "--workers", "0"], ["sync", "--scenario", "SLOW"], ["fly"], [], ["bench", "--filter", "no_such_row"]]
)
def test_wrong_options_are_said_with_status_2(words):
    done = _command(*words)
    assert done.returncode == 2 and done.stderr and not done.stdout
