"""Terrain: fields, and the meshes of their chunks as NumPy arrays that are views of the library's memory."""

from __future__ import annotations

import ctypes
import json
import os
from typing import Any, Iterable, List, Optional, Sequence, Tuple, Union

from . import _c, _native, errors

LOW_X, HIGH_X, LOW_Y, HIGH_Y, LOW_Z, HIGH_Z = 1, 2, 4, 8, 16, 32
"""Sides of a chunk whose neighbour is coarser, for `bake`."""

Key = Sequence[int]
"""(lod, x, y, z), in chunks of that level of detail."""

_CONTENT = ("rejected", "empty", "surface")
_FORMATS = {name[len("FORMAT_") :].lower(): value for name, value in vars(_c).items() if name.startswith("FORMAT_")}


def _made(pointer: Optional[int]) -> int:
    if not pointer:
        raise ValueError(_native.last_error())
    return pointer


def _key(key: Key) -> Any:
    lod, x, y, z = key
    return _c.quarry_chunk_key(lod, x, y, z)


class Field:
    """Something with a surface: density is negative where it is solid."""

    def __init__(self, pointer: int, source: Optional[Tuple[str, Tuple[Any, ...]]]) -> None:
        self._field = pointer
        self._source = source

    def __del__(self) -> None:
        if getattr(self, "_field", None):
            _native.quick.quarry_field_free(self._field)

    def __reduce__(self) -> Any:
        if self._source is None:
            raise TypeError("a field with edits cannot be pickled: send the field below it, and the edits")
        return getattr(Field, self._source[0]), self._source[1]

    @staticmethod
    def from_json(description: Union[str, os.PathLike[str], dict[str, Any]], folder: str = ".") -> "Field":
        """A tree of fields, as text, as a dict, or the path of a file; heightmaps are looked for in `folder`."""
        if isinstance(description, dict):
            text = json.dumps(description)
        elif isinstance(description, os.PathLike) or not description.lstrip().startswith("{"):
            folder = os.path.dirname(os.path.abspath(description)) if folder == "." else folder
            with open(description) as file:
                text = file.read()
        else:
            text = description
        folder = os.path.abspath(folder)
        pointer = _native.lib.quarry_field_from_json(text.encode(), os.fsencode(folder))
        return Field(_made(pointer), ("from_json", (text, folder)))

    @staticmethod
    def noise(seed: int = 42, octaves: int = 4, frequency: float = 0.02, amplitude: float = 32.0) -> "Field":
        """Hills of gradient noise."""
        pointer = _native.lib.quarry_field_noise(seed, octaves, frequency, amplitude)
        return Field(_made(pointer), ("noise", (seed, octaves, frequency, amplitude)))

    @staticmethod
    def showcase(seed: int = 42) -> "Field":
        """The world of the demo, with materials."""
        return Field(_made(_native.lib.quarry_field_showcase(seed)), ("showcase", (seed,)))

    def densities(self, places: Any) -> Any:
        """At places of shape (n, 3): an array of n numbers, negative where it is solid."""
        import numpy

        points = numpy.ascontiguousarray(places, dtype=numpy.float64)
        if points.ndim != 2 or points.shape[1] != 3:
            raise ValueError(f"places must have the shape (n, 3), not {points.shape}")
        out = numpy.empty(len(points), dtype=numpy.float32)
        code = _native.lib.quarry_field_densities(self._field, points.ctypes.data, len(points), out.ctypes.data)
        if code != _c.OK:
            raise errors.Error(_native.last_error())
        return out


class Chunk:
    """The surface of one chunk, from which any of the 64 side masks can be baked."""

    def __init__(self, pointer: int, key: Tuple[int, ...]) -> None:
        self._chunk = pointer
        self.key = key

    def __del__(self) -> None:
        if getattr(self, "_chunk", None):
            _native.quick.quarry_chunk_free(self._chunk)

    @property
    def content(self) -> str:
        """ "surface", "empty" (no surface crosses it) or "rejected" (its bounds said so without a sample)."""
        return _CONTENT[_native.quick.quarry_chunk_content(self._chunk)]


class _MeshMemory(_native._Memory):  # type: ignore[misc, name-defined]
    """Some of a mesh's memory; keeps the mesh."""

    mesh: "Optional[Mesh]" = None


class Mesh:
    """Triangles. The arrays are read-only views of the mesh, which lives as long as one of them does."""

    def __init__(self, pointer: int) -> None:
        self._mesh = pointer
        view = _c.quarry_mesh_view()
        if _native.quick.quarry_mesh_get(pointer, ctypes.byref(view)) != _c.OK:
            raise errors.Error(_native.last_error())
        self._view = view

    def __del__(self) -> None:
        if getattr(self, "_mesh", None):
            _native.quick.quarry_mesh_free(self._mesh)

    @property
    def key(self) -> Tuple[int, int, int, int]:
        key = self._view.key
        return (key.lod, key.x, key.y, key.z)

    def _array(self, address: Optional[int], dtype: str, count: int, width: int) -> Any:
        import numpy

        shape = (count, width) if width > 1 else (count,)
        if not address or count == 0:
            return numpy.empty(shape, dtype=dtype)
        memory = _MeshMemory.from_address(address)
        memory.mesh = self
        size = count * width * numpy.dtype(dtype).itemsize
        view = memoryview(memory)[:size].cast("B").toreadonly()
        return numpy.frombuffer(view, dtype=dtype).reshape(shape)

    @property
    def positions(self) -> Any:
        """(n, 3) of float32, in lattice units of the chunk's level of detail."""
        return self._array(self._view.positions, "f4", self._view.vertices, 3)

    @property
    def normals(self) -> Any:
        """(n, 3) of float32."""
        return self._array(self._view.normals, "f4", self._view.vertices, 3)

    @property
    def materials(self) -> Any:
        """(n, 4) of uint8, the weights of four materials; None: the field has none."""
        if not self._view.materials:
            return None
        return self._array(self._view.materials, "u1", self._view.vertices, 4)

    @property
    def indices(self) -> Any:
        """(3 * triangles,) of uint16 or uint32."""
        if self._view.short_indices:
            return self._array(self._view.short_indices, "u2", self._view.indices, 1)
        return self._array(self._view.long_indices, "u4", self._view.indices, 1)


def extract(field: Field, key: Key, *, cells: int = 32, voxel_size: float = 1.0) -> Chunk:
    """The surface of a chunk of `cells` cells a side, an even number from 4 to 62."""
    pointer = _native.lib.quarry_extract(field._field, _key(key), cells, voxel_size)
    return Chunk(_made(pointer), tuple(key))


def bake(chunk: Chunk, mask: int = 0) -> Mesh:
    """The mesh of a chunk whose neighbours at the sides of `mask` are coarser."""
    return Mesh(_made(_native.lib.quarry_bake(chunk._chunk, mask)))


def mesh_chunk(job: Tuple[Field, Key]) -> "Optional[dict[str, Any]]":
    """A handler for workers: arrays of one chunk, or None where there is no surface."""
    field, key = job
    chunk = extract(field, key)
    if chunk.content != "surface":
        return None
    mesh = bake(chunk)
    return {
        "key": mesh.key,
        "positions": mesh.positions,
        "normals": mesh.normals,
        "indices": mesh.indices,
        "materials": mesh.materials,
    }


def mesh_chunks(
    field: Field,
    keys: Iterable[Key],
    masks: Optional[Sequence[int]] = None,
    *,
    cells: int = 32,
    voxel_size: float = 1.0,
    workers: int = 0,
) -> "List[Optional[Mesh]]":
    """The meshes of many chunks, on `workers` threads of the library (0: one for each processor). None: no surface."""
    all_keys = [_key(each) for each in keys]
    count = len(all_keys)
    if masks is not None and len(masks) != count:
        raise ValueError(f"there are {count} keys, but {len(masks)} masks")
    meshes = (ctypes.c_void_p * count)()
    code = _native.lib.quarry_mesh_chunks(
        field._field,
        (_c.quarry_chunk_key * count)(*all_keys),
        None if masks is None else (ctypes.c_uint32 * count)(*masks),
        count,
        cells,
        voxel_size,
        workers,
        meshes,
    )
    if code != _c.OK:
        raise ValueError(_native.last_error())
    return [Mesh(each) if each else None for each in meshes]


def export(
    meshes: "Iterable[Optional[Mesh]]",
    path: Union[str, os.PathLike[str]],
    *,
    cells: int = 32,
    voxel_size: float = 1.0,
    welded: bool = False,
) -> None:
    """Writes meshes to a .glb, .obj, .ply or .stl file: whole, or not at all. `cells` and `voxel_size` as extracted."""
    name = os.fspath(path)
    kind = os.path.splitext(name)[1][1:].lower()
    if kind not in _FORMATS:
        raise ValueError(f"the file's name must end in one of {', '.join(_FORMATS)}, not {name!r}")
    all_meshes = [each for each in meshes if each is not None]
    pointers = (ctypes.c_void_p * len(all_meshes))(*[each._mesh for each in all_meshes])
    code = _native.lib.quarry_export(
        pointers, len(all_meshes), _FORMATS[kind], cells, voxel_size, 1 if welded else 0, os.fsencode(name)
    )
    if code == _c.INVALID:
        raise ValueError(_native.last_error())
    if code != _c.OK:
        raise OSError(_native.last_error())
