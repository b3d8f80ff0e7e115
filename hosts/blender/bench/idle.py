"""How much of a processor Blender takes while nobody does anything, with the extension and without it, in turns of 5 s and
20 s of each: `blender --python idle.py`, with a window."""

import time

import bpy

TURNS = ("off", "on", "on", "off", "off", "on", "on", "off")
SECONDS = 5.0
SETTLE = 2.0  # what enabling and drawing the panel cost is not idling

left = list(TURNS)
taken = {"off": 0.0, "on": 0.0}
began = 0.0


def set_state():
    state = left[0]
    change = bpy.ops.preferences.addon_enable if state == "on" else bpy.ops.preferences.addon_disable
    change(module="bl_ext.user_default.quarry")
    assert hasattr(bpy.types, "QUARRY_PT_engine") == (state == "on")
    bpy.app.timers.register(begin, first_interval=SETTLE)


def begin():
    global began
    began = time.process_time()
    bpy.app.timers.register(end, first_interval=SECONDS)


def end():
    taken[left.pop(0)] += time.process_time() - began
    if left:
        set_state()
        return
    for state, seconds in taken.items():
        print(f"idle {state}: {100 * seconds / (SECONDS * TURNS.count(state)):.3f} % of a core", flush=True)
    bpy.ops.wm.quit_blender()


bpy.app.timers.register(set_state, first_interval=1.0)
