"""Add > Mesh > Quarry Terrain, rebuilding it, and export."""

import os

import bpy
from bpy.props import EnumProperty, FloatProperty, IntProperty, StringProperty
from bpy_extras.io_utils import ExportHelper
from quarry.blender import TerrainBuild, TerrainSettings, session
from quarry.blender.ground import PROPERTY, export_batch, remove_terrain
from quarry.blender.heights import description_of

from . import engine, live, settings
from .actions import Action

_build = None
last_build = None


def end():
    """Gives up the terrain under way."""
    global _build
    build, _build = _build, None
    if build is not None and not build.ended:
        build.cancel()


def _heights_of(image):
    """Of a picture in the file, its red: rows from the top, 16 bits."""
    import numpy

    columns, rows = image.size
    if columns < 2 or rows < 2:
        raise ValueError(f"the image {image.name!r} has no pixels")
    pixels = numpy.empty(columns * rows * image.channels, dtype="f4")
    image.pixels.foreach_get(pixels)
    heights = pixels.reshape(rows, columns, image.channels)[::-1, :, 0]
    return (heights.clip(0, 1) * 65535 + 0.5).astype("<u2")


class _Builder(Action):
    """A build with progress bar, while the interface lives; without a window Blender waits for it."""

    def build(self, context, wanted, name="Quarry Terrain"):
        global _build, last_build
        try:
            engine.need(context)
            _build = last_build = TerrainBuild(session, wanted, name)
        except Exception as error:
            _build = None
            return self.refuse(context, f"No terrain was made: {engine.short(error)}")
        if bpy.app.background or context.window is None:
            session.wait(_build.call, timeout=3600)
            return self._end(context)
        settings.of(context).task = "Terrain (Esc takes it back)"
        self._timer = context.window_manager.event_timer_add(0.1, window=context.window)
        context.window_manager.modal_handler_add(self)
        return {"RUNNING_MODAL"}

    def modal(self, context, event):
        if _build is None:
            self._release(context)
            return {"CANCELLED"}
        if event.type == "ESC" and event.value == "PRESS":
            end()
            self._release(context)
            self.report({"INFO"}, "The terrain was removed again")
            return {"CANCELLED"}
        if event.type == "TIMER":
            settings.of(context).progress = _build.progress
            live.redraw()
            if _build.ended:
                self._release(context)
                return self._end(context)
        return {"PASS_THROUGH"}

    def cancel(self, context):
        end()
        self._release(context)

    def _release(self, context):
        context.window_manager.event_timer_remove(self._timer)
        settings.of(context).progress = 0
        settings.of(context).task = ""
        live.redraw()

    def _end(self, context):
        global _build
        build, _build = _build, None
        if build.problem:
            return self.refuse(context, f"No terrain was made: {build.problem.splitlines()[0]}")
        settings.say_problem(context, "" if build.chunks else "There is no ground between bottom and top")
        self.report({"INFO"}, f"{build.chunks} chunks, {build.vertices:,} vertices, {build.triangles:,} triangles")
        return {"FINISHED"}


class QUARRY_OT_terrain_add(_Builder, bpy.types.Operator):
    """Add a terrain, meshed by worker processes"""

    bl_idname = "quarry.terrain_add"
    bl_label = "Quarry Terrain"
    bl_options = {"REGISTER", "UNDO"}

    kind: EnumProperty(
        name="Field",
        items=[
            ("noise", "Noise", "Hills"),
            ("showcase", "Showcase", "Mountains, valleys and caves, with four materials"),
            ("json", "Text Block", "A field described in JSON in a text block of this file"),
            ("image", "Image", "Heights of an image of this file"),
        ],
    )
    seed: IntProperty(name="Seed", default=42, min=0)
    size: FloatProperty(name="Size", default=128, min=1, max=65536, subtype="DISTANCE", description="Rounded up to whole chunks")
    lods: IntProperty(name="Levels of Detail", default=2, min=1, max=8, description="Each level further out is half as fine")
    voxel: FloatProperty(name="Voxel Size", default=1, min=0.01, max=64, subtype="DISTANCE", description="Of the finest level")
    bottom: FloatProperty(name="Bottom", default=-64, subtype="DISTANCE")
    top: FloatProperty(name="Top", default=96, subtype="DISTANCE")
    amplitude: FloatProperty(name="Height of Hills", default=24, min=0, max=4096, subtype="DISTANCE")
    frequency: FloatProperty(name="Hills per Metre", default=0.012, min=0.0001, max=1, precision=4)
    octaves: IntProperty(name="Layers of Noise", default=4, min=1, max=16)
    text: StringProperty(name="Text Block")
    image: StringProperty(name="Image")

    def draw(self, context):
        layout = self.layout
        layout.use_property_split = True
        layout.prop(self, "kind")
        if self.kind == "json":
            layout.prop_search(self, "text", bpy.data, "texts")
        elif self.kind == "image":
            layout.prop_search(self, "image", bpy.data, "images")
            layout.prop(self, "amplitude", text="Height of White")
        else:
            layout.prop(self, "seed")
        names = ["size", "lods", "voxel", "bottom", "top"]
        for name in names + (["amplitude", "frequency", "octaves"] if self.kind == "noise" else []):
            layout.prop(self, name)

    def invoke(self, context, event):
        if bpy.app.background:
            return self.execute(context)
        return context.window_manager.invoke_props_dialog(self, width=360)

    def execute(self, context):
        try:
            wanted = self.settings()
        except (ValueError, OSError) as error:
            return self.refuse(context, f"No terrain was made: {error}")
        return self.build(context, wanted)

    def settings(self):
        kind, description, folder, heights = self.kind, "", ".", b""
        if kind == "json":
            block = bpy.data.texts.get(self.text)
            if block is None:
                raise ValueError(f"there is no text block {self.text!r} in this file")
            description = block.as_string()
            folder = os.path.dirname(bpy.path.abspath(block.filepath)) if block.filepath else bpy.path.abspath("//") or "."
        elif kind == "image":
            image = bpy.data.images.get(self.image)
            if image is None:
                raise ValueError(f"there is no image {self.image!r} in this file")
            kind = "json"
            found = _heights_of(image)
            description, heights = description_of(found, self.size, self.amplitude), found.tobytes()
        return TerrainSettings(
            kind=kind, seed=self.seed, size=self.size, lods=self.lods, voxel=self.voxel, bottom=self.bottom, top=self.top,
            octaves=self.octaves, frequency=self.frequency, amplitude=self.amplitude, description=description, folder=folder,
            heights=heights,
        )


def selected(context):
    """The terrain of the active object or collection, else the only or first one of the scene; None: there is none."""
    found = [each for each in context.scene.collection.children_recursive if PROPERTY in each]
    active = context.active_object
    for each in found:
        if active is not None and active.name in each.all_objects:
            return each
    return found[0] if found else None


def exists(context):
    return selected(context) is not None


class QUARRY_OT_terrain_remake(_Builder, bpy.types.Operator):
    """Rebuild the terrain from the settings that are stored in the file"""

    bl_idname = "quarry.terrain_remake"
    bl_label = "Rebuild Terrain"
    bl_options = {"REGISTER", "UNDO"}
    usable = staticmethod(lambda context: _build is None and exists(context))

    def execute(self, context):
        collection = selected(context)
        try:
            wanted = TerrainSettings.of(collection)
        except ValueError as error:
            return self.refuse(context, f"{str(error)[0].upper()}{str(error)[1:]}")
        name = collection.name
        remove_terrain(name)
        return self.build(context, wanted, name)


class QUARRY_OT_terrain_export(Action, bpy.types.Operator, ExportHelper):
    """Write the terrain to a file with Quarry's own writers: welded, y up"""

    bl_idname = "quarry.terrain_export"
    bl_label = "Export Terrain"
    filename_ext = ".glb"
    check_extension = False
    filter_glob: StringProperty(default="*.glb;*.obj;*.ply;*.stl", options={"HIDDEN"})
    usable = staticmethod(exists)

    def execute(self, context):
        try:
            engine.need(context)
            wanted = TerrainSettings.of(selected(context))
            path = bpy.path.abspath(self.filepath)
            if not os.access(os.path.dirname(path) or ".", os.W_OK):
                raise ValueError(f"files cannot be written to {os.path.dirname(path)}: it is not there, or may not be changed")
            count = session.run(export_batch(wanted, path), timeout=600)
        except Exception as error:
            return self.refuse(context, f"The terrain was not exported: {engine.short(error)}")
        settings.say_problem(context, "")
        self.report({"INFO"}, f"{count} chunks were written to {self.filepath}")
        return {"FINISHED"}


def _menu(self, context):
    self.layout.separator()
    self.layout.operator_context = "INVOKE_DEFAULT"
    self.layout.operator(QUARRY_OT_terrain_add.bl_idname, icon="RNDCURVE")


CLASSES = (QUARRY_OT_terrain_add, QUARRY_OT_terrain_remake, QUARRY_OT_terrain_export)


def register():
    for each in CLASSES:
        bpy.utils.register_class(each)
    bpy.types.VIEW3D_MT_mesh_add.append(_menu)


def unregister():
    end()
    bpy.types.VIEW3D_MT_mesh_add.remove(_menu)
    for each in reversed(CLASSES):
        bpy.utils.unregister_class(each)
