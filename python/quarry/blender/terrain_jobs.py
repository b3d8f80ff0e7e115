"""Terrain that workers compute for Blender: chunks, heights, files. Nothing here may import bpy.

Fields have y up, Blender z: (x, y, z) there is (x, -z, y) here, a turn that keeps triangles as they face.
"""

from __future__ import annotations

import json
from typing import Any, Callable, Dict, Iterable, List, Tuple

__all__ = ["export_terrain", "heights", "terrain_chunk"]

FieldSpec = Tuple[Any, ...]
"""("noise", seed, octaves, frequency, amplitude), ("showcase", seed) or ("json", text, folder); ("edited", key): what is
shared under that key, a description of these, the voxel size and edits as bytes."""

UNDO_BYTES = 64 << 20
"""What undo may take. Of all who apply the same edits, as it decides what cannot be undone any more."""

# For fields that have no materials: grass, snow high up, rock where it is steep.
_MATERIALS = """ "materials": {"ground": 0, "layers": [{"material": 2, "height": {"from": 175, "blend": 50}},
{"material": 1, "slope": {"from": 42, "blend": 20}}]},"""

_fields: Dict[FieldSpec, Any] = {}
_GRASS_ROCK_SNOW_EARTH = ((0.069, 0.119, 0.018), (0.147, 0.126, 0.107), (0.787, 0.847, 0.930), (0.171, 0.107, 0.047))


def field_of(spec: FieldSpec) -> Any:
    """The field of a description, with materials; the last few are kept."""
    known = _fields.get(spec)
    if known is None:
        if len(_fields) >= 8:
            _fields.pop(next(iter(_fields)))
        known = _fields[spec] = _MAKERS[spec[0]](*spec[1:])
    return known


def _noise(seed: int, octaves: int, frequency: float, amplitude: float) -> Any:
    noise = {"type": "noise", "seed": seed, "octaves": octaves, "frequency": frequency, "amplitude": amplitude}
    return _described(json.dumps({"field": noise}))


def _described(text: str, folder: str = ".") -> Any:
    from ..terrain import Field

    try:
        world = json.loads(text)
    except ValueError:
        world = None  # as the engine will say
    if isinstance(world, dict) and world and "materials" not in world:
        # At the front, so that all else stays as the user wrote it, and errors name the right place.
        begin = text.index("{") + 1
        text = text[:begin] + _MATERIALS + text[begin:]
    return Field.from_json(text, folder)


def _showcase(seed: int) -> Any:
    from ..terrain import Field

    return Field.showcase(seed)


def edited_world(spec: FieldSpec, voxel: float, log: Iterable[Any]) -> Any:
    """An EditWorld with all edits of a log."""
    from ..edits import EditWorld

    world = EditWorld(field_of(spec), voxel_size=voxel, undo_bytes=UNDO_BYTES)
    for edit in log:
        world.apply(edit)
    return world


def _edited(key: str) -> Any:
    from ..edit_log import EditLog
    from ..worker import state

    spec, voxel, data = state(key)
    return edited_world(spec, voxel, EditLog(data)).field()


def _untouched(spec: FieldSpec, voxel: float) -> Any:
    return edited_world(spec, voxel, ()).field()


def ground_of(spec: FieldSpec, voxel: float) -> Any:
    """A field to be meshed. Without edits, too, it is a field with edits: its normals come about in the same way, so that
    chunks beside each other look alike when one of them is sculpted."""
    return field_of(spec if spec[0] == "edited" else ("untouched", spec, voxel))


_MAKERS: Dict[str, Callable[..., Any]] = {
    "noise": _noise,
    "showcase": _showcase,
    "json": _described,
    "edited": _edited,
    "untouched": _untouched,
}


def terrain_chunk(job: Tuple[FieldSpec, Tuple[int, ...], int, int, float]) -> "Dict[str, Any] | None":
    """Arrays of a chunk as Blender's meshes want them, in metres from its `origin`; None: there is no surface."""
    from ..terrain import bake, extract

    spec, key, mask, cells, voxel = job
    chunk = extract(ground_of(spec, voxel), key, cells=cells, voxel_size=voxel)
    return mesh_arrays(bake(chunk, mask), cells, voxel) if chunk.content == "surface" else None


def mesh_arrays(mesh: Any, cells: int, voxel: float) -> "Dict[str, Any] | None":
    """What `terrain_chunk` answers, of a mesh with materials."""
    import numpy

    if not len(mesh.indices):
        return None
    key = mesh.key
    size = voxel * 2.0 ** key[0]
    positions = _turned(mesh.positions)
    positions *= size
    weights = mesh.materials.astype("f4") / numpy.float32(255)
    colours = numpy.ones((len(positions), 4), dtype="f4")
    colours[:, :3] = weights @ numpy.array(_GRASS_ROCK_SNOW_EARTH, dtype="f4")
    edge = cells * size
    return {
        "key": key,
        "origin": (key[1] * edge, -key[3] * edge, key[2] * edge),
        "positions": positions.reshape(-1),
        "normals": _turned(mesh.normals).reshape(-1),
        "indices": mesh.indices.astype("i4"),
        "colours": colours.reshape(-1),
        "weights": weights.reshape(-1),
    }


def _turned(vectors: Any) -> Any:
    import numpy

    turned = numpy.empty_like(vectors)
    turned[:, 0], turned[:, 1], turned[:, 2] = vectors[:, 0], -vectors[:, 2], vectors[:, 1]
    return turned


def heights(job: Tuple[FieldSpec, Any, Any, float, float]) -> Any:
    """Where the ground is at (x, y) of Blender, looked for from `top` down to `bottom`; NaN: there is none."""
    import numpy

    spec, x, y, bottom, top = job
    field = field_of(spec)
    x, z = numpy.asarray(x, dtype="f8"), -numpy.asarray(y, dtype="f8")

    def densities(at: Any) -> Any:
        return field.densities(numpy.stack([x, at, z], axis=1))

    above = numpy.full(len(x), float(top))
    found = numpy.full(len(x), numpy.nan)
    step = 1.0
    while above.max(initial=bottom) > bottom:
        below = above - step
        crossed = numpy.isnan(found) & (densities(below) <= 0)
        found[crossed] = below[crossed]
        above = below
        if not numpy.isnan(found).any():
            break
    low, high = found.copy(), found + step
    missing = numpy.isnan(found)
    low[missing], high[missing] = bottom, bottom
    for _ in range(10):
        middle = (low + high) / 2
        solid = densities(middle) <= 0
        low, high = numpy.where(solid, middle, low), numpy.where(solid, high, middle)
    return numpy.where(missing, numpy.nan, (low + high) / 2).astype("f4")


def export_terrain(job: Tuple[FieldSpec, List[Tuple[int, ...]], List[int], int, float, str]) -> int:
    """Meshes chunks and writes them to a .glb, .obj, .ply or .stl file, with y up. Answers how many have a surface."""
    from ..terrain import export, mesh_chunks

    spec, keys, masks, cells, voxel, path = job
    meshes = mesh_chunks(ground_of(spec, voxel), keys, masks, cells=cells, voxel_size=voxel)
    export(meshes, path, cells=cells, voxel_size=voxel, welded=True)
    return sum(each is not None for each in meshes)
