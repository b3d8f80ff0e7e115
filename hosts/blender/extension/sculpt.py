"""Sculpting by strokes of the mouse, and their undo."""

import math

import bpy
from bpy_extras import view3d_utils
from quarry.blender.sculpting import Brush, forget_sculptures, redo_stroke, sculpture_of, undo_stroke

from . import engine, live, settings, terrain
from .actions import Action

REFRESH_SECONDS = 1 / 30
active = False
# Of the operator that runs. Blender forgets an operator whose class is unregistered, without a call, but not these.
_cursor = _timer = None
last = ""
"""What the last stroke has done, for the panel."""


def brush_of(options, inverted=False):
    brush = Brush(options.brush, options.brush_radius, options.brush_strength, material=int(options.brush_material))
    return brush.inverted() if inverted else brush


def say(report, what="Stroke"):
    global last
    last = f"{what}: {report.samples:,} samples, {report.chunks} chunks meshed"
    live.redraw()


def view_under(area, event):
    """The viewport's region if the mouse is over it, and over none of the regions that lie upon it."""
    found = None
    for region in area.regions:
        x, y = event.mouse_x - region.x, event.mouse_y - region.y
        if region.width > 1 and 0 <= x < region.width and 0 <= y < region.height:
            if region.type != "WINDOW":
                return None
            found = region
    return found


class _Cursor:
    """The brush in the viewport: a circle on the ground, towards the eye."""

    def __init__(self):
        self.place, self.radius = None, 1.0
        self._handle = bpy.types.SpaceView3D.draw_handler_add(self._draw, (), "WINDOW", "POST_VIEW")

    def remove(self):
        bpy.types.SpaceView3D.draw_handler_remove(self._handle, "WINDOW")

    def _draw(self):
        if self.place is None or bpy.context.region_data is None:
            return
        import gpu
        from gpu_extras.batch import batch_for_shader
        from mathutils import Vector

        turn = bpy.context.region_data.view_rotation
        right, up, middle = turn @ Vector((1, 0, 0)), turn @ Vector((0, 1, 0)), Vector(self.place)
        angles = [each * math.tau / 48 for each in range(49)]
        points = [middle + self.radius * (math.cos(each) * right + math.sin(each) * up) for each in angles]
        shader = gpu.shader.from_builtin("UNIFORM_COLOR")
        shader.bind()
        shader.uniform_float("color", (1, 0.6, 0.1, 1))
        gpu.state.line_width_set(2)
        batch_for_shader(shader, "LINE_STRIP", {"pos": points}).draw(shader)
        gpu.state.line_width_set(1)


def end():
    """Nothing of sculpting is left; the operator notices with the next event."""
    global active, _cursor, _timer
    cursor, timer = _cursor, _timer
    active, _cursor, _timer = False, None, None
    if cursor is not None:
        cursor.remove()
    if timer is not None:
        bpy.context.window_manager.event_timer_remove(timer)


class QUARRY_OT_sculpt(Action, bpy.types.Operator):
    """Sculpt the terrain with the left mouse button. Ctrl: the opposite. Ctrl Z: undo a stroke. Brackets: another radius. Esc or the right button ends it"""

    bl_idname = "quarry.sculpt"
    bl_label = "Sculpt Terrain"
    usable = staticmethod(lambda context: not active and terrain.exists(context))

    def invoke(self, context, event):
        global active, _cursor, _timer
        if bpy.app.background or context.area is None or context.area.type != "VIEW_3D":
            return self.refuse(context, "Sculpting needs a 3D viewport; scripts call quarry.blender.sculpt")
        self._terrain = terrain.selected(context).name
        try:
            sculpture_of(bpy.data.collections[self._terrain])
        except Exception as error:
            return self.refuse(context, f"The terrain cannot be sculpted: {engine.short(error)}")
        settings.say_problem(context, "")
        self._area, self._stroke = context.area, None
        active, _cursor = True, _Cursor()
        _timer = context.window_manager.event_timer_add(REFRESH_SECONDS, window=context.window)
        context.window_manager.modal_handler_add(self)
        live.redraw()
        return {"RUNNING_MODAL"}

    def execute(self, context):
        return self.invoke(context, None)

    def modal(self, context, event):
        try:
            return self._handle(context, event)
        except Exception as error:
            self._end(context)
            return self.refuse(context, f"Sculpting ended: {engine.short(error)}")

    def cancel(self, context):
        self._stroke = None
        self._end(context)

    def _handle(self, context, event):
        pressed = event.value == "PRESS"
        if not active or event.type in {"ESC", "RIGHTMOUSE"} and pressed:
            self._end(context)
            return {"FINISHED"}
        if event.type == "TIMER":
            if self._stroke is not None:
                self._stroke.refresh()
            return {"PASS_THROUGH"}
        if event.type == "LEFTMOUSE" and event.value == "RELEASE" and self._stroke is not None:
            self._end_stroke()
            return {"RUNNING_MODAL"}
        region = view_under(self._area, event)
        if region is None and self._stroke is None:
            _cursor.place = None
            return {"PASS_THROUGH"}
        if event.type == "MOUSEMOVE":
            self._move(context, event, region)
            return {"RUNNING_MODAL"} if self._stroke is not None else {"PASS_THROUGH"}
        if event.type == "LEFTMOUSE" and pressed and self._stroke is None:
            brush = brush_of(settings.of(context), event.ctrl)
            self._stroke = self._sculpture().begin(brush)
            self._move(context, event, region)
            return {"RUNNING_MODAL"}
        return self._key(context, event) if pressed else {"PASS_THROUGH"}

    def _key(self, context, event):
        options = settings.of(context)
        if event.type == "Z" and event.ctrl and self._stroke is None:
            (bpy.ops.quarry.redo_stroke if event.shift else bpy.ops.quarry.undo_stroke)()
        elif event.type in {"LEFT_BRACKET", "RIGHT_BRACKET"}:
            options.brush_radius *= 1.1 if event.type == "RIGHT_BRACKET" else 1 / 1.1
            _cursor.radius = options.brush_radius
        else:
            return {"PASS_THROUGH"}
        live.redraw()
        self._area.tag_redraw()
        return {"RUNNING_MODAL"}

    def _sculpture(self):
        # By name, as undo makes another object of everything.
        collection = bpy.data.collections.get(self._terrain)
        if collection is None:
            raise ValueError(f"the terrain {self._terrain!r} was deleted or renamed")
        return sculpture_of(collection)

    def _move(self, context, event, region):
        self._area.tag_redraw()
        if region is None:
            return
        eye = self._area.spaces.active.region_3d
        at = (event.mouse_x - region.x, event.mouse_y - region.y)
        origin = view3d_utils.region_2d_to_origin_3d(region, eye, at)
        direction = view3d_utils.region_2d_to_vector_3d(region, eye, at)
        # During a stroke the mouse follows the ground as it was before: else a brush that adds would climb towards the eye.
        before = self._stroke.ground if self._stroke is not None else None
        place = self._sculpture().hit(origin, direction, before)
        _cursor.place, _cursor.radius = place, settings.of(context).brush_radius
        if self._stroke is not None and place is not None:
            self._stroke.move_to(place)

    def _end_stroke(self):
        stroke, self._stroke = self._stroke, None
        report = stroke.end()
        if report.edits:
            bpy.ops.ed.undo_push(message="Quarry Stroke")
            say(report)

    def _end(self, context):
        if self._stroke is not None:
            self._end_stroke()
        end()
        live.redraw()
        if self._area.regions:
            self._area.tag_redraw()


class _TakeBack(Action):
    bl_options = {"REGISTER", "UNDO"}
    usable = staticmethod(terrain.exists)

    def execute(self, context):
        try:
            report = self.take(terrain.selected(context))
        except Exception as error:
            return self.refuse(context, f"{self.bl_label}: {engine.short(error)}")
        if report is None:
            self.report({"INFO"}, self.nothing)
            return {"CANCELLED"}
        settings.say_problem(context, "")
        say(report, self.bl_label)
        return {"FINISHED"}


class QUARRY_OT_undo_stroke(_TakeBack, bpy.types.Operator):
    """Undo the last stroke on the terrain"""

    bl_idname = "quarry.undo_stroke"
    bl_label = "Undo Stroke"
    nothing = "There is no stroke to undo"
    take = staticmethod(undo_stroke)


class QUARRY_OT_redo_stroke(_TakeBack, bpy.types.Operator):
    """Redo the stroke that was undone last"""

    bl_idname = "quarry.redo_stroke"
    bl_label = "Redo Stroke"
    nothing = "There is no stroke to do again"
    take = staticmethod(redo_stroke)


CLASSES = (QUARRY_OT_sculpt, QUARRY_OT_undo_stroke, QUARRY_OT_redo_stroke)


def register():
    for each in CLASSES:
        bpy.utils.register_class(each)


def unregister():
    end()
    forget_sculptures()
    for each in reversed(CLASSES):
        bpy.utils.unregister_class(each)
