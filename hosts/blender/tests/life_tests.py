"""Install, enable, start, stop, and what is left afterwards."""

import contextlib
import io
import os
import subprocess
import sys

import bpy
from common import children, disable, enable, extension, fresh, handlers, threads

WORK, SOAK = "", False


def test_the_extension_is_enabled_and_starts_nothing_by_itself():
    enable()
    assert hasattr(bpy.types, "QUARRY_PT_engine") and hasattr(bpy.ops.quarry, "stress_test")
    assert not children() and not threads() and not handlers()


def test_the_package_comes_from_the_wheel_inside_the_zip():
    import quarry

    assert f"{WORK}/user/extensions" in quarry.__file__, quarry.__file__


def test_start_and_stop_leave_no_process_thread_timer_or_handler():
    fresh(stop=True)
    for _ in range(24):
        assert bpy.ops.quarry.start() == {"FINISHED"}
        assert len(children()) == 4
        assert bpy.ops.quarry.stop() == {"FINISHED"}
        assert not children() and not threads() and not handlers()
        live = extension("live")
        assert not bpy.app.timers.is_registered(live._pump) and not bpy.app.timers.is_registered(live._show)


def test_disabling_ends_all_that_runs():
    from quarry.blender import Batch, session

    fresh(stop=True)
    for _ in range(24 if SOAK else 3):
        bpy.ops.quarry.start()
        session.send(Batch("busy", [0.5] * 20, list))
        disable()
        assert not session.running and not children() and not threads() and not handlers()
        assert not hasattr(bpy.types, "QUARRY_PT_engine") and not hasattr(bpy.types.WindowManager, "quarry")
        enable()


def test_reloading_scripts_ends_the_engine_and_keeps_the_extension_working():
    from quarry.blender import Batch, session

    fresh(stop=True)
    bpy.ops.quarry.start()
    bpy.utils.load_scripts(reload_scripts=True)
    assert not children() and not handlers() and not threads()
    assert bpy.ops.quarry.start() == {"FINISHED"}
    bpy.ops.script.reload()  # without a window this reloads nothing that runs
    assert session.run(Batch("echo", [3], list)) == [3]
    bpy.ops.quarry.stop()
    assert not children() and not threads()


def test_another_file_leaves_the_engine_running():
    from quarry.blender import Batch, session

    fresh(stop=True)
    bpy.ops.quarry.start()
    before = children()
    call = session.send(Batch("busy", [0.2] * 30, list))
    bpy.ops.wm.read_homefile(use_empty=True)
    assert call.ended and not session.busy and children() == before
    assert session.run(Batch("echo", [1, 2, 3], list)) == [1, 2, 3]
    bpy.ops.quarry.stop()


def test_diagnostics_are_silent_unless_asked_for():
    settings = extension("settings")
    preferences = bpy.context.preferences.addons["bl_ext.user_default.quarry"].preferences
    for asked in (False, True):
        preferences.diagnostics = asked
        said = io.StringIO()
        with contextlib.redirect_stdout(said):
            settings.diagnose()
        assert ("cores" in said.getvalue()) == asked
    preferences.diagnostics = False


def test_two_instances_of_blender_do_not_disturb_each_other():
    fresh(stop=True)
    bpy.ops.quarry.start()
    code = "from quarry.blender import Batch, session; session.start(2); print('other', session.run(Batch('echo', [7], list)))"
    program = [bpy.app.binary_path, "-b", "--python-expr"] if bpy.app.binary_path else [sys.executable, "-c"]
    other = code if bpy.app.binary_path else "import bpy; " + code
    done = subprocess.run([*program, other], capture_output=True, text=True, timeout=120, env=dict(os.environ))
    assert "other [7]" in done.stdout, done.stdout + done.stderr
    from quarry.blender import Batch, session

    assert session.run(Batch("echo", [8], list)) == [8]
    bpy.ops.quarry.stop()
