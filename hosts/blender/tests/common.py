"""What the tests share."""

import os
import threading
import time

import bpy

NAME = "bl_ext.user_default.quarry"


def extension(module):
    """A module of the installed extension."""
    import importlib

    return importlib.import_module(f"{NAME}.{module}")


def enable():
    import addon_utils

    if NAME not in bpy.context.preferences.addons:
        bpy.ops.preferences.addon_enable(module=NAME)
    assert addon_utils.check(NAME) == (True, True)


def disable():
    bpy.ops.preferences.addon_disable(module=NAME)


def children():
    """Processes that this one has started."""
    found = set()
    for each in os.listdir("/proc"):
        if each.isdigit():
            try:
                with open(f"/proc/{each}/stat") as file:
                    fields = file.read().rsplit(")", 1)[1].split()
            except OSError:
                continue
            if int(fields[1]) == os.getpid() and fields[0] != "Z":
                found.add(int(each))
    return found


def threads():
    return {each.name for each in threading.enumerate() if each.name.startswith("quarry")}


def handlers():
    """Functions of ours that Blender would call."""
    found = []
    for name in dir(bpy.app.handlers):
        listed = getattr(bpy.app.handlers, name)
        if isinstance(listed, list):
            found += [(name, each) for each in listed if "quarry" in getattr(each, "__module__", "")]
    return found


def until(what, seconds=20.0):
    end = time.monotonic() + seconds
    while not what():
        assert time.monotonic() < end, "it did not happen in time"
        time.sleep(0.005)


def fresh(stop=False):
    """An empty file. The engine runs on, unless it is to be stopped: four interpreters take a while to start."""
    from quarry.blender import session

    if stop and session.running:
        bpy.ops.quarry.stop()
    bpy.ops.wm.read_homefile(use_empty=True, use_factory_startup=False)


def started():
    """The session, with its engine running."""
    from quarry.blender import session

    if not session.running:
        bpy.ops.quarry.start()
    return session


def problem():
    return bpy.context.window_manager.quarry.problem


def refused(operator, word, **options):
    """The operator says no, in the panel and as an error that has this word."""
    try:
        operator(**options)
    except RuntimeError as error:
        assert word in str(error), f"{word!r} is not in {error}"
        assert word in problem(), f"{word!r} is not in {problem()!r}"
        return
    raise AssertionError("the operator did not refuse")
