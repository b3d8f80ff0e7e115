"""The Quarry tab of the 3D viewport's sidebar."""

import bpy
from quarry.blender import session

from . import crowd, sculpt, settings
from .trouble import split

drawn = {}
"""How often each panel was drawn, for tests."""


class _Panel:
    bl_space_type = "VIEW_3D"
    bl_region_type = "UI"
    bl_category = "Quarry"

    def draw(self, context):
        drawn[type(self).__name__] = drawn.get(type(self).__name__, 0) + 1
        self.show(self.layout, context, settings.of(context))


class QUARRY_PT_engine(_Panel, bpy.types.Panel):
    bl_label = "Engine"

    def show(self, layout, context, options):
        if options.problem:
            box = layout.box().column(align=True)
            box.alert = True
            for index, line in enumerate(split(options.problem)):
                box.label(text=line, icon="ERROR" if index == 0 else "BLANK1")
        if options.task:
            layout.progress(factor=options.progress, text=options.task)
        row = layout.row(align=True)
        row.operator("quarry.start", icon="PLAY")
        row.operator("quarry.stop", icon="PAUSE")
        column = layout.column(align=True)
        column.enabled = not session.running
        for name in ("workers", "job_queue", "result_queue"):
            column.prop(options, name)
        column = layout.column(align=True)
        column.prop(options, "throttle")
        column.prop(options, "log_level")


def table(layout, workers):
    """A row for each worker."""
    rest, left = layout, 1.0
    columns = []
    for width in (0.2, 0.15, 0.2, 0.27):
        split = rest.split(factor=width / left, align=True)
        columns.append(split.column(align=True))
        rest, left = split.column(align=True), left - width
    columns.append(rest)
    for column, heading in zip(columns, ("PID", "state", "jobs", "restarts", "seen")):
        column.label(text=heading)
    for each in workers:
        state = "dead" if not each.alive else "busy" if each.busy else "idle"
        texts = (str(each.process) if each.alive else "-", state, f"{each.jobs:,}", str(each.restarts), f"{each.since_heartbeat:.1f} s")
        for column, text in zip(columns, texts):
            column.label(text=text)


class QUARRY_PT_health(_Panel, bpy.types.Panel):
    bl_label = "Health"

    def show(self, layout, context, options):
        if not session.running:
            layout.label(text="The engine does not run")
            return
        figures = session.figures()
        stats = figures.stats
        icon = {"ready": "CHECKMARK", "degraded": "ERROR"}.get(figures.readiness, "CANCEL")
        layout.label(text=f"{figures.readiness.capitalize()}, {figures.jobs_per_second:,.0f} jobs/s", icon=icon)
        if figures.failure:
            for line in split(figures.failure.splitlines()[-1]):
                layout.label(text=line)
        table(layout, figures.workers)
        column = layout.column(align=True)
        column.label(text=f"waiting {stats.waiting:,}, running {stats.running}, results {stats.results:,}")
        column.label(text=f"ok {stats.ok:,}, errors {stats.errors}, lost {stats.lost}, run again {stats.reruns}")
        column.label(text=f"latency p50 {figures.latency_p50_ms:.2f} ms, p99 {figures.latency_p99_ms:.2f} ms")
        if crowd.current is not None:
            loop = crowd.current.loop
            frames = loop.stats()
            column.label(text=f"latency p50 {loop.latency(0.5)}, p99 {loop.latency(0.99)} frames")
            column.label(text=f"frame {frames.frames:,}, {frames.stale:,} results late, {frames.dropped:,} dropped")


class QUARRY_PT_tests(_Panel, bpy.types.Panel):
    bl_label = "Tests"

    def show(self, layout, context, options):
        column = layout.column(align=True)
        column.operator("quarry.quick_test")
        column.operator("quarry.stress_test")
        column.operator("quarry.sync_test")
        if options.grade:
            layout.label(text=options.grade, icon="CHECKMARK" if options.grade[-1] in "AB" else "ERROR")
        layout.operator("quarry.export_report", icon="EXPORT")


class QUARRY_PT_terrain(_Panel, bpy.types.Panel):
    bl_label = "Terrain and Crowd"

    def show(self, layout, context, options):
        column = layout.column(align=True)
        column.operator("quarry.terrain_add", text="Add Terrain", icon="ADD")
        column.operator("quarry.terrain_remake", icon="FILE_REFRESH")
        column.operator("quarry.terrain_export", icon="EXPORT")
        column = layout.column(align=True)
        column.prop(options, "agents")
        column.operator("quarry.crowd_play", icon="PLAY")
        column.operator("quarry.crowd_stop", icon="PAUSE")
        column.operator("quarry.kill_worker", icon="CANCEL")
        column = layout.column(align=True)
        column.operator("quarry.drop")
        column.operator("quarry.select_seen")
        column.operator("quarry.path")
        column.operator("quarry.mesh_path")


class QUARRY_PT_sculpt(_Panel, bpy.types.Panel):
    bl_label = "Sculpt"

    def show(self, layout, context, options):
        layout.prop(options, "brush")
        column = layout.column(align=True)
        column.prop(options, "brush_radius")
        column.prop(options, "brush_strength")
        if options.brush == "paint":
            column.prop(options, "brush_material")
        layout.operator("quarry.sculpt", icon="SCULPTMODE_HLT", depress=sculpt.active)
        row = layout.row(align=True)
        row.operator("quarry.undo_stroke", icon="LOOP_BACK")
        row.operator("quarry.redo_stroke", icon="LOOP_FORWARDS")
        if sculpt.last:
            layout.label(text=sculpt.last)


CLASSES = (QUARRY_PT_engine, QUARRY_PT_health, QUARRY_PT_tests, QUARRY_PT_terrain, QUARRY_PT_sculpt)


def register():
    for each in CLASSES:
        bpy.utils.register_class(each)


def unregister():
    for each in reversed(CLASSES):
        bpy.utils.unregister_class(each)
