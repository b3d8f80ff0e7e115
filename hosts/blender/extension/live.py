"""Timers and handlers of the running engine. There are none while it does not run."""

import bpy
from bpy.app.handlers import persistent
from quarry.blender import session

APPLY_SECONDS = 0.004  # of the main thread, each time that results are handed over


def redraw():
    """Lets all sidebars be drawn anew."""
    for window in bpy.context.window_manager.windows:
        for area in window.screen.areas:
            if area.type == "VIEW_3D":
                for region in area.regions:
                    if region.type == "UI":
                        region.tag_redraw()


def _pump():
    session.pump(APPLY_SECONDS)
    return 0.008 if session.busy else None


def _show():
    if not session.running:
        return None
    redraw()
    return 1.0 / max(1, bpy.context.window_manager.quarry.throttle)


def _wake():
    if not bpy.app.background and not bpy.app.timers.is_registered(_pump):
        bpy.app.timers.register(_pump, first_interval=0.0, persistent=True)


@persistent
def _before_load(*_):
    """What is under way belongs to the file that goes."""
    session.cancel_all()


def begin():
    """After the engine has started."""
    session.wake = _wake
    if _before_load not in bpy.app.handlers.load_pre:
        bpy.app.handlers.load_pre.append(_before_load)
    if not bpy.app.background and not bpy.app.timers.is_registered(_show):
        bpy.app.timers.register(_show, first_interval=0.1, persistent=True)


def end():
    """Before the engine stops."""
    session.wake = None
    for each in (_pump, _show):
        if bpy.app.timers.is_registered(each):
            bpy.app.timers.unregister(each)
    if _before_load in bpy.app.handlers.load_pre:
        bpy.app.handlers.load_pre.remove(_before_load)


def register():
    if session.running:  # started by another add-on
        begin()


def unregister():
    end()
    session.stop()
