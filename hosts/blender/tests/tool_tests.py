"""Operators that ask the workers, and the functions for other add-ons inside Blender."""

import bpy
import numpy
from common import fresh, refused, started

WORK, SOAK = "", False


def _link(name, data=None, place=(0, 0, 0)):
    made = bpy.data.objects.new(name, data)
    made.location = place
    bpy.context.scene.collection.objects.link(made)
    return made


def _ground():
    mesh = bpy.data.meshes.new("ground")
    mesh.from_pydata([(-10, -10, 0), (10, -10, 0), (10, 10, 10), (-10, 10, 10)], [], [(0, 1, 2, 3)])
    ground = _link("ground", mesh)
    ground.scale = (1, 1, 0.5)
    return ground


def test_objects_drop_onto_the_active_mesh_as_it_is_shown():
    fresh()
    ground = _ground()
    fallers = [_link(f"f{each}", place=(each - 5, 2.0 * each - 9, 40)) for each in range(10)] + [_link("off", place=(50, 0, 7))]
    bpy.context.view_layer.update()
    for each in (*fallers, ground):
        each.select_set(True)
    bpy.context.view_layer.objects.active = ground
    assert bpy.ops.quarry.drop() == {"FINISHED"}
    for each in fallers[:-1]:
        assert abs(each.matrix_world.translation[2] - (each.location[1] + 10) / 4) < 1e-4
    assert fallers[-1].matrix_world.translation[2] == 7


def test_rays_agree_with_blenders_own():
    from mathutils import Vector
    from mathutils.bvhtree import BVHTree
    from quarry.blender import cast_rays, share_mesh
    from quarry.blender.meshes import triangles_of

    fresh()
    bpy.ops.mesh.primitive_uv_sphere_add(segments=64, ring_count=32, radius=3)
    ball = bpy.context.active_object
    bpy.context.view_layer.update()
    vertices, triangles = triangles_of(ball)
    session = started()
    random = numpy.random.default_rng(5)
    origins = random.uniform(-5, 5, (500, 3)).astype("f4")
    directions = random.normal(size=(500, 3)).astype("f4")
    directions /= numpy.linalg.norm(directions, axis=1)[:, None]
    distances, hits = session.run(cast_rays(share_mesh("ball", vertices, triangles), origins, directions))
    tree = BVHTree.FromPolygons([Vector(each) for each in vertices.tolist()], triangles.tolist())
    same = 0
    for origin, direction, distance in zip(origins, directions, distances):
        place, _, _, far = tree.ray_cast(Vector(origin), Vector(direction))
        assert (place is None) == numpy.isinf(distance)
        same += place is not None and abs(far - distance) < 1e-3
    assert same == numpy.isfinite(distances).sum() > 100


def test_what_the_camera_sees_is_selected():
    fresh()
    camera = _link("camera", bpy.data.cameras.new("camera"), (0, 0, 10))
    bpy.context.scene.camera = camera
    mesh = bpy.data.meshes.new("tiny")
    mesh.from_pydata([(-0.1, 0, 0), (0.1, 0, 0), (0, 0.1, 0)], [], [(0, 1, 2)])
    below, aside, above, far = (
        _link(name, mesh, place) for name, place in (("below", (0, 0, 0)), ("aside", (30, 0, 0)), ("above", (0, 0, 20)), ("far", (0, 0, -40)))
    )
    bpy.context.view_layer.update()
    assert bpy.ops.quarry.select_seen() == {"FINISHED"}
    assert [each.select_get() for each in (below, aside, above, far)] == [True, False, False, True]
    bpy.ops.quarry.select_seen(distance=20)
    assert [each.select_get() for each in (below, aside, above, far)] == [True, False, False, False]


def test_a_path_is_laid_over_the_terrain():
    fresh()
    bpy.ops.quarry.terrain_add(kind="noise", size=64, lods=1, amplitude=8, frequency=0.02)
    walker = _link("walker", place=(-25, -25, 0))
    bpy.context.view_layer.update()
    bpy.context.view_layer.objects.active = walker
    bpy.context.scene.cursor.location = (25, 20, 0)
    assert bpy.ops.quarry.path() == {"FINISHED"}
    points = [tuple(each.co[:3]) for each in bpy.data.objects["Quarry Path"].data.splines[0].points]
    assert numpy.hypot(points[0][0] + 25, points[0][1] + 25) < 1 and numpy.hypot(points[-1][0] - 25, points[-1][1] - 20) < 1
    assert len(points) > 50


def test_a_path_over_walls_is_refused():
    fresh()
    text = bpy.data.texts.new("wall")
    text.write('{"field": {"type": "union", "a": {"type": "plane", "point": [0, 0, 0], "normal": [0, 1, 0]}, '
               '"b": {"type": "box", "centre": [0, 0, 0], "half_size": [3, 30, 100]}}}')
    bpy.ops.quarry.terrain_add(kind="json", text="wall", size=64, lods=1)
    walker = _link("walker", place=(-25, 0, 0))
    bpy.context.view_layer.update()
    bpy.context.view_layer.objects.active = walker
    bpy.context.scene.cursor.location = (25, 0, 0)
    refused(bpy.ops.quarry.path, "no way")


def test_a_path_over_the_active_mesh_goes_round_a_hole():
    fresh()
    squares = [(x, y) for x in range(-5, 5) for y in range(-5, 5) if not (-2 <= x < 2 and y < 4)]
    corners = [corner for x, y in squares for corner in ((x, y, 0), (x + 1, y, 0), (x + 1, y + 1, 0), (x, y + 1, 0))]
    mesh = bpy.data.meshes.new("floor")
    mesh.from_pydata(corners, [], [tuple(range(4 * each, 4 * each + 4)) for each in range(len(squares))])
    floor, walker = _link("floor", mesh), _link("walker", place=(-4, -4, 1))
    floor.scale, floor.location = (2, 2, 1), (0, 0, 3)
    bpy.context.view_layer.update()
    for each in (floor, walker):
        each.select_set(True)
    bpy.context.view_layer.objects.active = floor
    bpy.context.scene.cursor.location = (8, -8, 0)
    assert bpy.ops.quarry.mesh_path() == {"FINISHED"}
    points = [tuple(each.co[:3]) for each in bpy.data.objects["Quarry Path"].data.splines[0].points]
    assert numpy.hypot(points[0][0] + 4, points[0][1] + 4) < 1e-4 and numpy.hypot(points[-1][0] - 8, points[-1][1] + 8) < 1e-4
    for corner in ((-4, 8), (4, 8)):  # of the hole, in the world
        assert min(numpy.hypot(x - corner[0], y - corner[1]) for x, y, _ in points) < 1e-3
    assert all(3 <= z < 3.1 for _, _, z in points)
    bpy.context.scene.cursor.location = (0, 0, 0)  # in the hole
    refused(bpy.ops.quarry.mesh_path, "no way")
