"""What is shown where Quarry cannot work: one panel with the reason."""

import pathlib

import bpy

reason = ""


def find():
    """Why Quarry cannot work here; empty: it can."""
    try:
        import numpy  # noqa: F401
    except ImportError:
        return "Quarry needs NumPy, which this Blender's Python does not have. Blender of blender.org has it."
    try:
        import quarry

        loaded = quarry.version()
    except (ImportError, OSError) as error:
        return f"Quarry's library cannot be loaded: {error}"
    manifest = pathlib.Path(__file__).with_name("blender_manifest.toml").read_text()
    wanted = next(line.split('"')[1] for line in manifest.splitlines() if line.startswith("version ="))
    if loaded != wanted:
        return f"Version {wanted} was installed while {loaded} was in use: restart Blender to use it."
    return ""


def split(text, width=46):
    """Lines for a narrow panel."""
    lines = [""]
    for word in text.split():
        if lines[-1] and len(lines[-1]) + len(word) >= width:
            lines.append("")
        lines[-1] += (" " if lines[-1] else "") + word
    return lines


class QUARRY_PT_trouble(bpy.types.Panel):
    bl_label = "Quarry"
    bl_space_type = "VIEW_3D"
    bl_region_type = "UI"
    bl_category = "Quarry"

    def draw(self, context):
        column = self.layout.column(align=True)
        column.alert = True
        for line in split(reason):
            column.label(text=line)


def register():
    bpy.utils.register_class(QUARRY_PT_trouble)


def unregister():
    bpy.utils.unregister_class(QUARRY_PT_trouble)
