"""Arrays into Blender's meshes, through the attribute interface: each is copied once, by Blender."""

from __future__ import annotations

from typing import Any, Dict, List, Tuple

import bpy  # type: ignore

_starts: List[Any] = []


def _face_starts(faces: int) -> Any:
    """0, 3, 6, ...: kept, as every mesh of triangles needs them."""
    import numpy

    if not _starts or len(_starts[0]) < faces:
        _starts[:] = [numpy.arange(0, 3 * max(faces, 4096), 3, dtype="i4")]
    return _starts[0][:faces]


def fill_mesh(mesh: Any, arrays: Dict[str, Any]) -> None:
    """Makes an empty mesh of triangles. `positions` and `normals` are flat float32, `indices` int32; `colours` and
    `weights`, where there are any, are flat float32 with four numbers a vertex."""
    positions, indices = arrays["positions"], arrays["indices"]
    faces = len(indices) // 3
    mesh.vertices.add(len(positions) // 3)
    mesh.loops.add(len(indices))
    mesh.polygons.add(faces)
    attributes = mesh.attributes
    attributes["position"].data.foreach_set("vector", positions)
    attributes[".corner_vert"].data.foreach_set("value", indices)
    mesh.polygons.foreach_set("loop_start", _face_starts(faces))
    for name, key in (("Color", "colours"), ("materials", "weights")):
        values = arrays.get(key)
        if values is not None:
            attributes.new(name, "FLOAT_COLOR", "POINT").data.foreach_set("color", values)
    mesh.update(calc_edges=True)
    normals = arrays.get("normals")
    if normals is not None:
        _set_normals(mesh, normals)


def _set_normals(mesh: Any, normals: Any) -> None:
    if bpy.app.version >= (4, 5, 0):
        mesh.attributes.new("custom_normal", "FLOAT_VECTOR", "POINT").data.foreach_set("vector", normals)
    else:
        mesh.polygons.foreach_set("use_smooth", [True] * len(mesh.polygons))
        mesh.normals_split_custom_set_from_vertices(normals.reshape(-1, 3))


def set_positions(mesh: Any, positions: Any) -> None:
    """Moves all vertices of a mesh, such as one point for each agent. (n, 3) or flat, of float32."""
    flat = positions if positions.ndim == 1 else positions.reshape(-1)
    mesh.attributes["position"].data.foreach_set("vector", flat)
    mesh.update()


def place_objects(objects: Any, positions: Any) -> None:
    """Puts objects at places (n, 3). An agent that needs no object of its own is cheaper as a point: `set_positions`."""
    for each, place in zip(objects, positions.tolist()):
        each.location = place


def triangles_of(object: Any) -> Tuple[Any, Any]:
    """Vertices in world space and triangles of an object as it is shown, for `share_mesh`."""
    import numpy

    graph = bpy.context.evaluated_depsgraph_get()
    shown = object.evaluated_get(graph)
    mesh = shown.to_mesh()
    try:
        vertices = numpy.empty(3 * len(mesh.vertices), dtype="f4")
        mesh.attributes["position"].data.foreach_get("vector", vertices)
        mesh.calc_loop_triangles()
        triangles = numpy.empty(3 * len(mesh.loop_triangles), dtype="i4")
        mesh.loop_triangles.foreach_get("vertices", triangles)
    finally:
        shown.to_mesh_clear()
    matrix = numpy.array(object.matrix_world, dtype="f8")
    world = vertices.reshape(-1, 3) @ matrix[:3, :3].T + matrix[:3, 3]
    return world.astype("f4"), triangles.reshape(-1, 3)
