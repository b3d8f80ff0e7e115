"""Start and stop."""

import os
import signal

import bpy
from quarry.blender import session

from . import live, settings
from .actions import Action


def start(context):
    """Whether the engine runs now; else the panel says why."""
    if session.running:
        return True
    options = settings.of(context)
    try:
        session.start(
            options.workers,
            job_queue=options.job_queue,
            result_queue=options.result_queue,
            log_level=settings.LEVELS[options.log_level],
        )
    except Exception as error:
        settings.say_problem(context, f"The workers cannot be started: {short(error)}")
        return False
    settings.say_problem(context, "")
    live.begin()
    return True


def need(context):
    """Starts the engine. ValueError says why it cannot be."""
    if not start(context):
        raise ValueError(settings.of(context).problem)


def running(context):
    return session.running


def short(error):
    """The last line of an error, which says most."""
    lines = [line.strip() for line in str(error).splitlines() if line.strip()]
    return lines[-1] if lines else type(error).__name__


def stop():
    from . import crowd, terrain

    crowd.end()
    terrain.end()
    live.end()
    return session.stop()


class QUARRY_OT_start(Action, bpy.types.Operator):
    """Start the worker processes"""

    bl_idname = "quarry.start"
    bl_label = "Start"
    usable = staticmethod(lambda context: not session.running)

    def execute(self, context):
        if not start(context):
            return self.refuse(context, settings.of(context).problem)
        self.report({"INFO"}, f"{len(session.engine.health().workers)} workers are ready")
        return {"FINISHED"}


class QUARRY_OT_stop(Action, bpy.types.Operator):
    """End the worker processes"""

    bl_idname = "quarry.stop"
    bl_label = "Stop"
    usable = staticmethod(running)

    def execute(self, context):
        report = stop()
        self.report({"INFO"}, f"{report.exited} workers ended, {report.killed} were killed, {report.lost} jobs were lost")
        return {"FINISHED"}


class QUARRY_OT_kill_worker(Action, bpy.types.Operator):
    """Kill a worker process, to see that another takes its place and nothing is lost"""

    bl_idname = "quarry.kill_worker"
    bl_label = "Kill a Worker"
    usable = staticmethod(running)

    def execute(self, context):
        alive = [each for each in session.engine.health().workers if each.alive]
        if not alive:
            self.report({"WARNING"}, "No worker is alive at this moment")
            return {"CANCELLED"}
        os.kill(alive[0].process, signal.SIGKILL)
        self.report({"INFO"}, f"Process {alive[0].process} was killed")
        return {"FINISHED"}


CLASSES = (QUARRY_OT_start, QUARRY_OT_stop, QUARRY_OT_kill_worker)


def register():
    for each in CLASSES:
        bpy.utils.register_class(each)


def unregister():
    stop()
    for each in reversed(CLASSES):
        bpy.utils.unregister_class(each)
