"""python -m quarry stress|sync|bench|info"""

from __future__ import annotations

import argparse
import json
import os
import sys
from typing import Any, Dict, List, Optional

_GRADES = "FCBA"


def _write(report: Dict[str, Any], path: Optional[str]) -> None:
    if path is None:
        return
    text = json.dumps(report, indent=2) + "\n"
    if path == "-":
        sys.stdout.write(text)
        return
    temporary = path + ".part"
    try:
        with open(temporary, "w") as file:
            file.write(text)
        os.replace(temporary, path)
    except OSError as error:
        raise SystemExit(f"quarry: cannot write {path}: {error.strerror}")


def _status(grades: List[str], required: Optional[str]) -> int:
    if required is None:
        return 0
    return 1 if min(map(_GRADES.index, grades)) < _GRADES.index(required) else 0


def _stress(options: argparse.Namespace) -> int:
    from .reports import stress_test

    report = stress_test(options.duration, options.workers, options.queue, options.rules)
    if options.json != "-":
        print(f"{report.grade}  {report.verdict}")
        for name, value in report.latency_ms.items():
            print(f"   latency {name:<4} {value:10.2f} ms")
        print(f"   submit       {report.submit_us_per_job:10.2f} us a job")
        print(f"   collect      {report.collect_us_per_job:10.2f} us a job")
        print(f"   workers      {report.workers_alive} of {options.workers} alive, {report.restarts} restarts")
    _write(report.to_dict(), options.json)
    return _status([report.grade], options.require)


def _sync(options: argparse.Namespace) -> int:
    from .sync import play

    report = play(options.scenario, hertz=options.hertz, workers=options.workers, seed=options.seed)
    if options.json != "-":
        print("   scenario  mean  max  stale  missed  ideal")
        for each in report["scenarios"]:
            print(
                f"{each['grade']}  {each['name']:<8} {each['mean_latency_frames']:5.2f} {each['max_latency_frames']:4d} "
                f"{each['stale_share']:6.1%} {each['missed_frames']:6d}      {each['ideal']}"
            )
    _write(report, options.json)
    return _status([each["grade"] for each in report["scenarios"]], options.require)


def _bench(options: argparse.Namespace) -> int:
    from .bench import run

    return run(quick=options.quick, rows=options.filter, peers=not options.no_peers, path=options.json, write=_write)


def _info(options: argparse.Namespace) -> int:
    from . import _native, version
    from .reports import machine, quick_test

    if options.json != "-":
        print(f"quarry {version()}, {_native.path}")
        for name, value in machine().items():
            print(f"   {name:<8} {value}")
    if not options.test:
        _write({"schema": 1, "program": "python -m quarry info", "machine": machine(), "options": {},
                "version": version(), "library": _native.path}, options.json)
        return 0
    report = quick_test(options.duration)
    if options.json != "-":
        for each in report.checks:
            print(f"   {'ok  ' if each.ok else 'FAIL'} {each.name}: {each.detail}")
        print(f"{report.grade}  {report.verdict}")
    _write(report.to_dict(), options.json)
    return 0 if report.grade != "F" else 1


def _number(least: float, most: float, kind: Any) -> Any:
    def parse(text: str) -> Any:
        try:
            value = kind(text)
        except ValueError:
            value = None
        if value is None or not least <= value <= most:
            raise argparse.ArgumentTypeError(f"{text!r} is not a number from {least:g} to {most:g}")
        return value

    return parse


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(prog="python -m quarry", description="Graded tests and benchmarks of worker processes.")
    commands = parser.add_subparsers(dest="command", required=True, metavar="stress|sync|bench|info")
    json_help = "write a machine-readable report; - is the standard output"

    stress = commands.add_parser("stress", help="the burst test: submit jobs as fast as the queue takes them, and grade the result")
    stress.add_argument("--duration", type=_number(0.1, 3600, float), default=5.0, metavar="SECONDS")
    stress.add_argument("--workers", type=_number(1, 256, int), default=4, metavar="N")
    stress.add_argument("--queue", type=_number(1, 1_000_000, int), default=10_000, metavar="N")
    stress.add_argument("--rules", choices=("strict", "lenient"), default="strict")
    stress.add_argument("--require", choices="ABCF", help="exit status 1 below this grade")
    stress.add_argument("--json", metavar="FILE", help=json_help)
    stress.set_defaults(run=_stress)

    sync = commands.add_parser("sync", help="act as a host at a fixed frame rate, and grade how late results are")
    sync.add_argument("--scenario", action="append", metavar="NAME", choices=_scenarios(), help=", ".join(_scenarios()))
    sync.add_argument("--hertz", type=_number(1, 1000, float), default=30.0)
    sync.add_argument("--workers", type=_number(1, 256, int), default=0, metavar="N")
    sync.add_argument("--seed", type=int, default=1)
    sync.add_argument("--require", choices="ABF", help="exit status 1 if a scenario is below this grade")
    sync.add_argument("--json", metavar="FILE", help=json_help)
    sync.set_defaults(run=_sync)

    bench = commands.add_parser("bench", help="measure, with peers and bare baselines in the same run")
    bench.add_argument("--quick", action="store_true", help="fewer repetitions")
    bench.add_argument("--filter", action="append", metavar="ROW", help="only rows whose name contains this")
    bench.add_argument("--no-peers", action="store_true")
    bench.add_argument("--json", metavar="FILE", help=json_help)
    bench.set_defaults(run=_bench)

    info = commands.add_parser("info", help="versions; with --test whether everything works here")
    info.add_argument("--test", action="store_true")
    info.add_argument("--duration", type=_number(1, 3600, float), default=3.0, metavar="SECONDS")
    info.add_argument("--json", metavar="FILE", help=json_help)
    info.set_defaults(run=_info)
    return parser


def _scenarios() -> List[str]:
    return ["BASELINE", "LIGHT", "MEDIUM", "HEAVY", "BURST", "CATCHUP"]


def main(words: Optional[List[str]] = None) -> int:
    """Answers the exit status: 0, 1 if it ran and failed, 2 for wrong options."""
    options = _parser().parse_args(words)
    status: int = options.run(options)
    return status


if __name__ == "__main__":
    sys.exit(main())
