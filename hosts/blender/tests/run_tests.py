"""Runs the tests of hosts/blender/tests inside Blender, without a window: `blender -b --python run_tests.py -- WORK [--soak]`."""

import importlib
import os
import sys
import time
import traceback

import bpy

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(0, HERE)
MODULES = ["life_tests", "graded_tests", "terrain_tests", "sculpt_tests", "loop_tests", "tool_tests", "example_tests", "fault_tests"]


def main(words):
    work, soak = words[0], "--soak" in words
    only = [each for each in words[1:] if each and not each.startswith("--")]
    print(f"Blender {bpy.app.version_string}, Python {sys.version.split()[0]}", flush=True)
    failures = 0
    for name in MODULES:
        module = importlib.import_module(name)
        module.WORK, module.SOAK = work, soak
        for test in [each for each in vars(module) if each.startswith("test_")]:
            if only and not any(each in f"{name}.{test}" for each in only):
                continue
            began = time.monotonic()
            try:
                getattr(module, test)()
                print(f"ok      {test[5:].replace('_', ' ')} ({time.monotonic() - began:.1f} s)", flush=True)
            except Exception:
                failures += 1
                print(f"FAILED  {test}\n  " + traceback.format_exc().replace("\n", "\n  "), flush=True)
    print(f"all tests ended, {failures} failures", flush=True)
    return failures


if __name__ == "__main__":
    main(sys.argv[sys.argv.index("--") + 1 :])
