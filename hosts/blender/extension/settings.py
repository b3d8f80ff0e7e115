"""Settings of the panel. They belong to the session, not to a file."""

import logging

import bpy
from bpy.props import BoolProperty, EnumProperty, FloatProperty, IntProperty, PointerProperty, StringProperty

LEVELS = {"DEBUG": logging.DEBUG, "INFO": logging.INFO, "WARNING": logging.WARNING, "ERROR": logging.ERROR}


def _set_level(self, context):
    logging.getLogger("quarry.worker").setLevel(LEVELS[self.log_level])


class QUARRY_PG_settings(bpy.types.PropertyGroup):
    workers: IntProperty(name="Workers", default=4, min=1, max=64, description="Worker processes")
    job_queue: IntProperty(name="Job Queue", default=10_000, min=1, max=1_000_000, description="Jobs that may wait")
    result_queue: IntProperty(
        name="Result Queue", default=10_000, min=1, max=1_000_000, description="Results that may wait for Blender"
    )
    throttle: IntProperty(
        name="Panel Rate", default=4, min=1, max=30, description="How many times per second the panel is updated"
    )
    log_level: EnumProperty(
        name="Log Level",
        items=[(each, each.capitalize(), f"Messages of workers from {each.lower()} on") for each in LEVELS],
        default="WARNING",
        update=_set_level,
    )
    problem: StringProperty(options={"SKIP_SAVE"})
    progress: FloatProperty(min=0, max=1, options={"SKIP_SAVE"})
    task: StringProperty(options={"SKIP_SAVE"})
    grade: StringProperty(options={"SKIP_SAVE"})
    brush: EnumProperty(
        name="Brush",
        items=[
            ("dig", "Dig", "Takes ground away; with Ctrl adds some"),
            ("add", "Add", "Adds ground; with Ctrl takes some away"),
            ("smooth", "Smooth", "Levels what is rough"),
            ("flatten", "Flatten", "Towards the plane in which the stroke began"),
            ("raise", "Raise", "Lifts the ground by a voxel; with Ctrl lowers it"),
            ("paint", "Paint", "Covers it with a material"),
        ],
    )
    brush_radius: FloatProperty(name="Radius", default=4, min=0.1, max=100, subtype="DISTANCE")
    brush_strength: FloatProperty(name="Strength", default=1, min=0.01, max=1, description="How far to go at one place")
    brush_material: EnumProperty(
        name="Material", items=[(str(index), each, "") for index, each in enumerate(("Grass", "Rock", "Snow", "Earth"))]
    )
    agents: IntProperty(name="Agents", default=100, min=1, max=10_000, description="How many walk over the terrain")


class QUARRY_preferences(bpy.types.AddonPreferences):
    bl_idname = __package__

    diagnostics: BoolProperty(
        name="Start-up Diagnostics", default=False, description="Write to the console what was found at start-up"
    )

    def draw(self, context):
        self.layout.prop(self, "diagnostics")


def of(context):
    return context.window_manager.quarry


def say_problem(context, text):
    """One line in the panel, until something works again."""
    of(context).problem = text


def diagnose():
    preferences = bpy.context.preferences.addons.get(__package__)
    if preferences is None or preferences.preferences is None or not preferences.preferences.diagnostics:
        return
    import sys

    import numpy
    import quarry
    from quarry.reports import machine

    found = machine()
    print(f"Quarry {quarry.version()}: {found['cpu']}, {found['cores']} cores, Python {found['python']} ({sys.executable}), "
          f"NumPy {numpy.__version__}")


def register():
    bpy.utils.register_class(QUARRY_PG_settings)
    bpy.utils.register_class(QUARRY_preferences)
    bpy.types.WindowManager.quarry = PointerProperty(type=QUARRY_PG_settings)
    diagnose()


def unregister():
    del bpy.types.WindowManager.quarry
    bpy.utils.unregister_class(QUARRY_preferences)
    bpy.utils.unregister_class(QUARRY_PG_settings)
