"""Quick Test, Stress Test and Sync Test."""

import os

import bpy
from bpy.props import FloatProperty, StringProperty
from bpy_extras.io_utils import ExportHelper
from quarry.blender import graded

from . import live, settings
from .actions import Action

_run = None
last = None
"""The last report, for export."""


def show(context, report):
    """As a text block and, where there is a window, a popup."""
    global last
    last = report
    name = f"Quarry {report.title}"
    text = bpy.data.texts.get(name) or bpy.data.texts.new(name)
    text.clear()
    text.write(report.text)
    settings.of(context).grade = f"{report.title}: {report.grade}"
    settings.say_problem(context, "")
    print(report.text, end="")
    if bpy.app.background:
        return

    def draw(menu, _):
        for line in report.lines:
            menu.layout.label(text=line)
        menu.layout.separator()
        menu.layout.label(text=f"Text block: {name}", icon="TEXT")

    icon = "CHECKMARK" if report.grade in "AB" else "ERROR"
    context.window_manager.popup_menu(draw, title=f"{report.title}: {report.grade}", icon=icon)


class _Test(Action):
    test = ""
    usable = staticmethod(lambda context: _run is None)

    def arguments(self, context):
        return {}

    def execute(self, context):
        """Without a window: Blender waits."""
        run = graded.Run(self.test, **self.arguments(context))
        run.wait()
        return self.end(context, run)

    def invoke(self, context, event):
        global _run
        if bpy.app.background:
            return self.execute(context)
        _run = graded.Run(self.test, **self.arguments(context))
        settings.of(context).task = f"{self.bl_label} (Esc ends it)"
        self._timer = context.window_manager.event_timer_add(0.1, window=context.window)
        context.window_manager.modal_handler_add(self)
        return {"RUNNING_MODAL"}

    def modal(self, context, event):
        if _run is None:
            self._release(context)
            return {"CANCELLED"}
        if event.type == "ESC" and event.value == "PRESS":
            _run.stop()
            self._release(context)
            self.report({"INFO"}, f"{self.bl_label} was ended")
            return {"CANCELLED"}
        if event.type != "TIMER":
            return {"PASS_THROUGH"}
        settings.of(context).progress = _run.progress
        live.redraw()
        if not _run.ended:
            return {"PASS_THROUGH"}
        run = _run
        self._release(context)
        return self.end(context, run)

    def cancel(self, context):
        self._release(context)

    def _release(self, context):
        global _run
        run, _run = _run, None
        if run is not None and not run.ended:
            run.stop()
        context.window_manager.event_timer_remove(self._timer)
        settings.of(context).progress = 0
        settings.of(context).task = ""
        live.redraw()

    def end(self, context, run):
        if run.report is None:
            return self.refuse(context, f"{self.bl_label}: {run.problem}")
        show(context, run.report)
        return {"FINISHED"}


class QUARRY_OT_quick_test(_Test, bpy.types.Operator):
    """Three seconds: start, payloads, errors, a killed worker, and a short burst of jobs"""

    bl_idname = "quarry.quick_test"
    bl_label = "Quick Test"
    test = "quick"


class QUARRY_OT_stress_test(_Test, bpy.types.Operator):
    """Five seconds of jobs, one every 0.1 ms, and a grade"""

    bl_idname = "quarry.stress_test"
    bl_label = "Stress Test"
    test = "stress"

    seconds: FloatProperty(default=5.0, min=1.0, max=600.0, options={"HIDDEN", "SKIP_SAVE"})

    def arguments(self, context):
        return {"workers": settings.of(context).workers, "seconds": self.seconds}


class QUARRY_OT_sync_test(_Test, bpy.types.Operator):
    """Plays frames at 30 Hz, and grades how late results are"""

    bl_idname = "quarry.sync_test"
    bl_label = "Sync Test"
    test = "sync"

    scenarios: StringProperty(options={"HIDDEN", "SKIP_SAVE"}, description="Names with commas between; empty: all")

    def arguments(self, context):
        return {"scenarios": self.scenarios.split(",") if self.scenarios else None}


class QUARRY_OT_export_report(Action, bpy.types.Operator, ExportHelper):
    """Write the last report to a file: .json for machines, else text"""

    bl_idname = "quarry.export_report"
    bl_label = "Export Report"
    filename_ext = ".json"
    filter_glob: StringProperty(default="*.json;*.txt", options={"HIDDEN"})
    usable = staticmethod(lambda context: last is not None)

    def execute(self, context):
        text = last.to_json() if self.filepath.endswith(".json") else last.text
        try:
            with open(self.filepath + ".part", "w") as file:
                file.write(text)
            os.replace(self.filepath + ".part", self.filepath)
        except OSError as error:
            return self.refuse(context, f"The report cannot be written to {self.filepath}: {error.strerror}")
        return {"FINISHED"}


CLASSES = (QUARRY_OT_quick_test, QUARRY_OT_stress_test, QUARRY_OT_sync_test, QUARRY_OT_export_report)


def register():
    for each in CLASSES:
        bpy.utils.register_class(each)


def unregister():
    global _run
    run, _run = _run, None
    if run is not None:
        run.stop()
    for each in reversed(CLASSES):
        bpy.utils.unregister_class(each)
