"""Runs the tests in PyPI's bpy: `python in_bpy.py ZIP WORK [--soak] [NAME...]`, with a folder WORK that may be emptied."""

import os
import shutil
import sys

archive, work = (os.path.abspath(each) for each in sys.argv[1:3])
shutil.rmtree(os.path.join(work, "user"), ignore_errors=True)
os.makedirs(os.path.join(work, "user"))
os.environ["BLENDER_USER_RESOURCES"] = os.path.join(work, "user")

import bpy  # noqa: E402

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
import run_tests  # noqa: E402

bpy.ops.extensions.package_install_files(filepath=archive, repo="user_default", enable_on_install=True)
failures = run_tests.main([work, *sys.argv[3:]])
bpy.ops.preferences.addon_disable(module="bl_ext.user_default.quarry")
sys.stdout.flush()
# As a module, bpy 4.2 crashes at its own end once classes were registered, whoever did that.
os._exit(1 if failures else 0)
