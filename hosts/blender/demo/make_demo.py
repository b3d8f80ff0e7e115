"""Makes the demo: a terrain, and a hundred agents that will find their way over it.

    blender -b --python make_demo.py -- demo.blend

Open the file in a Blender with the extension, press N over the viewport, choose the tab Quarry and press Play Crowd. K kills a worker, Esc
ends the walk.
"""

import math
import sys

import bpy


def light_and_camera():
    sun = bpy.data.objects.new("Sun", bpy.data.lights.new("Sun", "SUN"))
    sun.data.energy = 4
    sun.rotation_euler = (0.7, 0.2, 0.9)
    bpy.context.scene.collection.objects.link(sun)
    camera = bpy.data.objects.new("Camera", bpy.data.cameras.new("Camera"))
    camera.location = (75, -95, 70)
    camera.rotation_euler = (math.radians(58), 0, math.radians(38))
    camera.data.clip_end = 2000
    bpy.context.scene.collection.objects.link(camera)
    bpy.context.scene.camera = camera


def viewports():
    """As the file opens: vertex colours, no grid."""
    for screen in bpy.data.screens:
        for area in screen.areas:
            for space in area.spaces:
                if space.type == "VIEW_3D":
                    space.shading.color_type = "VERTEX"
                    space.shading.show_object_outline = False
                    space.overlay.show_floor = False
                    space.overlay.show_axis_x = space.overlay.show_axis_y = False
                    space.clip_end = 3000


def main(path):
    bpy.ops.wm.read_homefile(use_empty=False)
    for each in list(bpy.data.objects):
        bpy.data.objects.remove(each)
    bpy.ops.quarry.terrain_add(kind="noise", seed=11, size=192, lods=2, amplitude=16, frequency=0.016, bottom=-64, top=64)
    light_and_camera()
    viewports()
    bpy.context.window_manager.quarry.agents = 100
    bpy.ops.quarry.crowd_play()  # without a window nothing moves yet: it puts the agents on the ground
    bpy.ops.quarry.crowd_stop()
    bpy.ops.quarry.stop()
    bpy.context.preferences.filepaths.save_version = 0
    bpy.ops.wm.save_as_mainfile(filepath=path, compress=True)
    print(f"made {path}")


if __name__ == "__main__":
    main(sys.argv[sys.argv.index("--") + 1])
