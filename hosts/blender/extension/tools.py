"""Tools that ask the workers: drop objects, select what a camera sees, lay a path."""

import math

import bpy
from bpy.props import FloatProperty
from quarry.blender import NavigationMesh, cast_rays, paths, session, share_mesh, visible, ways

from . import engine, settings, terrain
from .actions import Action


class _Tool(Action):
    bl_options = {"REGISTER", "UNDO"}

    def execute(self, context):
        try:
            engine.need(context)
            told = self.work(context)
        except Exception as error:
            return self.refuse(context, f"{self.bl_label}: {engine.short(error)}")
        settings.say_problem(context, "")
        self.report({"INFO"}, told)
        return {"FINISHED"}


def mesh_is_active(context):
    return context.active_object is not None and context.active_object.type == "MESH"


class QUARRY_OT_drop(_Tool, bpy.types.Operator):
    """Drop the other selected objects straight down onto the active mesh"""

    bl_idname = "quarry.drop"
    bl_label = "Drop onto Active"
    usable = staticmethod(lambda context: mesh_is_active(context) and len(context.selected_objects) > 1)

    def work(self, context):
        from quarry.blender.meshes import triangles_of

        ground = context.active_object
        fallers = [each for each in context.selected_objects if each is not ground]
        vertices, triangles = triangles_of(ground)
        top = float(vertices[:, 2].max()) + 1.0 if len(vertices) else 0.0
        origins = [(*each.matrix_world.translation[:2], max(top, each.matrix_world.translation[2])) for each in fallers]
        rays = cast_rays(share_mesh("drop", vertices, triangles), origins, [(0, 0, -1)] * len(fallers))
        distances, hits = session.run(rays)
        for faller, (x, y, z), distance, hit in zip(fallers, origins, distances, hits):
            if hit >= 0:
                matrix = faller.matrix_world.copy()
                matrix.translation = (x, y, z - float(distance))
                faller.matrix_world = matrix
        return f"{int((hits >= 0).sum())} of {len(fallers)} objects lie on {ground.name}"


def camera_planes(scene, camera):
    """The six planes of what a camera sees, pointing inwards."""
    import numpy

    graph = bpy.context.evaluated_depsgraph_get()
    render = scene.render
    projection = camera.calc_matrix_camera(
        graph, x=render.resolution_x, y=render.resolution_y, scale_x=render.pixel_aspect_x, scale_y=render.pixel_aspect_y
    )
    matrix = numpy.array(projection @ camera.matrix_world.inverted(), dtype="f8")
    return numpy.array([matrix[3] + sign * matrix[axis] for axis in range(3) for sign in (1, -1)])


def bounds(objects):
    """Spheres around objects: centres and radii."""
    import numpy

    centres, radii = numpy.zeros((len(objects), 3), dtype="f4"), numpy.zeros(len(objects), dtype="f4")
    for index, each in enumerate(objects):
        corners = numpy.array(each.bound_box) @ numpy.array(each.matrix_world)[:3, :3].T
        corners += numpy.array(each.matrix_world)[:3, 3]
        centres[index] = corners.mean(axis=0)
        radii[index] = numpy.linalg.norm(corners - centres[index], axis=1).max()
    return centres, radii


class QUARRY_OT_select_seen(_Tool, bpy.types.Operator):
    """Select the objects that the scene's camera can see, by their bounds"""

    bl_idname = "quarry.select_seen"
    bl_label = "Select What the Camera Sees"

    usable = staticmethod(lambda context: context.scene.camera is not None)

    distance: FloatProperty(name="Distance", default=0, min=0, subtype="DISTANCE", description="0: no limit")

    def work(self, context):
        camera = context.scene.camera
        objects = [each for each in context.scene.objects if each is not camera and each.visible_get()]
        centres, radii = bounds(objects)
        planes = camera_planes(context.scene, camera)
        eye = tuple(camera.matrix_world.translation)
        seen = session.run(visible(centres, radii, planes, eye, self.distance))
        for each, chosen in zip(objects, seen):
            each.select_set(bool(chosen))
        return f"{int(seen.sum())} of {len(objects)} objects can be seen"


def lay_curve(context, places, thickness):
    """A way as a curve, a bit above the ground."""
    curve = bpy.data.curves.new("Quarry Path", "CURVE")
    curve.dimensions = "3D"
    curve.bevel_depth = thickness
    line = curve.splines.new("POLY")
    line.points.add(len(places) - 1)
    for point, (x, y, z) in zip(line.points, places):
        point.co = (x, y, z + thickness, 1)
    context.scene.collection.objects.link(bpy.data.objects.new("Quarry Path", curve))
    return f"a path of {len(places)} points"


class QUARRY_OT_path(_Tool, bpy.types.Operator):
    """Lay a curve over the terrain, the cheapest way from the active object to the 3D cursor"""

    bl_idname = "quarry.path"
    bl_label = "Path to Cursor"
    usable = staticmethod(lambda context: context.active_object is not None and terrain.exists(context))

    def work(self, context):
        from quarry.blender import TerrainSettings
        from quarry.blender.crowd import walkways

        wanted = TerrainSettings.of(terrain.selected(context))
        grid = walkways(session, wanted, cells=129)
        start = grid.cell([context.active_object.matrix_world.translation[:]])
        goal = grid.cell([context.scene.cursor.location[:]])
        (way,) = session.run(paths(grid.grid, start, goal))
        if not len(way):
            raise ValueError("there is no way that is not too steep")
        return lay_curve(context, grid.place(way), wanted.voxel * 0.2)


class QUARRY_OT_mesh_path(_Tool, bpy.types.Operator):
    """Lay a curve over the active mesh, from the other selected object to the 3D cursor, where it is not too steep"""

    bl_idname = "quarry.mesh_path"
    bl_label = "Path over Active Mesh"
    usable = staticmethod(lambda context: mesh_is_active(context) and len(context.selected_objects) == 2)

    steepest: FloatProperty(name="Steepest", default=math.radians(45), min=0, max=math.radians(89), subtype="ANGLE")

    def work(self, context):
        from quarry.blender.meshes import triangles_of

        ground = context.active_object
        (walker,) = [each for each in context.selected_objects if each is not ground]
        mesh = NavigationMesh(*triangles_of(ground), steepest=math.degrees(self.steepest), name="tool")
        start, goal = walker.matrix_world.translation[:], context.scene.cursor.location[:]
        (way,) = session.run(ways(mesh, [start], [goal]))
        if not len(way):
            raise ValueError(f"there is no way over {ground.name!r} that is not too steep")
        return lay_curve(context, way, max(ground.dimensions) / 500)


CLASSES = (QUARRY_OT_drop, QUARRY_OT_select_seen, QUARRY_OT_path, QUARRY_OT_mesh_path)


def register():
    for each in CLASSES:
        bpy.utils.register_class(each)


def unregister():
    for each in reversed(CLASSES):
        bpy.utils.unregister_class(each)
