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


class Others:
    """How much of the machine other programs took since this was made: a share of all its processors."""

    def __init__(self):
        self._began, self._own, self._busy = time.monotonic(), self._own_seconds(), self._busy_seconds()

    @staticmethod
    def _own_seconds():
        return sum(os.times()[:4])

    @staticmethod
    def _busy_seconds():
        with open("/proc/stat") as file:
            user, nice, system, _, _, irq, soft, steal = map(int, file.readline().split()[1:9])
        return (user + nice + system + irq + soft + steal) / os.sysconf("SC_CLK_TCK")

    def share(self):
        others = self._busy_seconds() - self._busy - (self._own_seconds() - self._own)
        return max(0.0, others) / ((time.monotonic() - self._began) * os.cpu_count())


def judged_by(run, good, most_others=0.2):
    """Whether a run that is judged by the clock was good: at once or in one of two more tries. None: it never was, but
    each time other programs had too much of the machine for a judgement."""
    disturbed = True
    for _ in range(3):
        others = Others()
        result = run()
        if good(result):
            return True
        share = others.share()
        print(f"  other programs took {share:.0%} of the machine")
        disturbed = disturbed and share > most_others
    return None if disturbed else False
