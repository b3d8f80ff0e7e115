"""Quarry for Blender: the interface. What it does is in the package `quarry.blender`, for other add-ons, too."""

import bpy

# Only for a Blender before 4.2, which knows no extensions: it lists the add-on, and is told why it cannot be enabled.
bl_info = {"name": "Quarry", "blender": (4, 2, 0), "category": "System", "description": "Needs Blender 4.2 or later"}

_loaded = []


def register():
    if bpy.app.version < (4, 2, 0):
        raise RuntimeError(f"Quarry needs Blender 4.2 or later; this is {bpy.app.version_string}")
    from . import trouble

    trouble.reason = trouble.find()
    if trouble.reason:
        modules = [trouble]
    else:
        from . import crowd, engine, live, panel, sculpt, settings, terrain, tests, tools

        modules = [settings, live, engine, tests, terrain, sculpt, tools, crowd, panel]
    for each in modules:
        each.register()
        _loaded.append(each)


def unregister():
    while _loaded:
        _loaded.pop().unregister()
