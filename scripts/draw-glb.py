"""Draws a glb of `quarry bake --field showcase` in Blender, with the camera and the sun of the program's own preview:

    blender -b --python scripts/draw-glb.py -- world.glb picture.png [WIDTH HEIGHT]

or with the module bpy: python scripts/draw-glb.py -- world.glb picture.png (bpy 4.2 may crash when it ends, after the picture is
written). The importer's own materials are used as they are: what is seen is what the file says. The file has no water; a plain
blue plane stands for it.
"""
import sys

import bpy
from mathutils import Vector

EYE, TARGET, FIELD_OF_VIEW = (6, 34, 110), (12, 36, 10), 52
TO_SUN = (-0.22, 0.46, 0.86)
WATER_LEVEL = 3


def z_up(x, y, z):
    return Vector((x, -z, y))


def look_along(thing, direction):
    thing.rotation_euler = direction.to_track_quat("-Z", "Y").to_euler()


def add(data, scene):
    thing = bpy.data.objects.new(data.name, data)
    scene.collection.objects.link(thing)
    return thing


def add_camera(scene):
    camera = add(bpy.data.cameras.new("camera"), scene)
    camera.data.sensor_fit = "VERTICAL"
    camera.data.angle = FIELD_OF_VIEW * 3.14159265 / 180
    camera.data.clip_end = 10_000
    camera.location = z_up(*EYE)
    look_along(camera, z_up(*TARGET) - z_up(*EYE))
    scene.camera = camera


def add_light(scene):
    sun = add(bpy.data.lights.new("sun", "SUN"), scene)
    sun.data.energy = 4
    look_along(sun, -z_up(*TO_SUN))
    world = bpy.data.worlds.new("sky")
    world.use_nodes = True
    world.node_tree.nodes["Background"].inputs["Color"].default_value = (0.35, 0.5, 0.8, 1)
    world.node_tree.nodes["Background"].inputs["Strength"].default_value = 0.9
    scene.world = world


def add_water(scene):
    size = 4_000
    mesh = bpy.data.meshes.new("water")
    corners = [(-size, -size), (size, -size), (size, size), (-size, size)]
    mesh.from_pydata([(x, y, WATER_LEVEL) for x, y in corners], [], [(0, 1, 2, 3)])
    material = bpy.data.materials.new("water")
    material.use_nodes = True
    shader = material.node_tree.nodes["Principled BSDF"]
    shader.inputs["Base Color"].default_value = (0.01, 0.05, 0.08, 1)
    shader.inputs["Roughness"].default_value = 0.02
    mesh.materials.append(material)
    add(mesh, scene)


def main(words):
    glb, picture = words[:2]
    width, height = (int(word) for word in words[2:4]) if len(words) > 3 else (1024, 576)
    bpy.ops.wm.read_factory_settings(use_empty=True)
    bpy.ops.import_scene.gltf(filepath=glb)
    scene = bpy.context.scene
    add_camera(scene)
    add_light(scene)
    add_water(scene)
    # On the processor, so that no display is needed.
    scene.render.engine = "CYCLES"
    scene.cycles.samples = 24
    scene.cycles.use_denoising = False
    scene.view_settings.view_transform = "Standard"
    scene.render.resolution_x, scene.render.resolution_y = width, height
    scene.render.filepath = picture
    bpy.ops.render.render(write_still=True)


if __name__ == "__main__":
    main(sys.argv[sys.argv.index("--") + 1:])
