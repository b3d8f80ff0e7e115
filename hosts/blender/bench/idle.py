"""How much of a processor Blender takes while nobody does anything: `blender --python idle.py -- on|off`, with a window."""

import os
import sys

import bpy

STATE = sys.argv[sys.argv.index("--") + 1]
SECONDS = 20.0


def times():
    own = os.times()
    return own.user + own.system


def begin():
    name = "bl_ext.user_default.quarry"
    (bpy.ops.preferences.addon_enable if STATE == "on" else bpy.ops.preferences.addon_disable)(module=name)
    assert hasattr(bpy.types, "QUARRY_PT_engine") == (STATE == "on")
    bpy.app.timers.register(measure, first_interval=3.0)


def measure():
    at = times()

    def end():
        print(f"idle {STATE}: {100 * (times() - at) / SECONDS:.3f} % of a core", flush=True)
        bpy.ops.wm.quit_blender()

    bpy.app.timers.register(end, first_interval=SECONDS)


bpy.app.timers.register(begin, first_interval=1.0)
