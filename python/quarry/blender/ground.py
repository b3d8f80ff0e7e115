"""Terrain as meshes of Blender: which chunks, meshed in workers, into a collection for each level of detail."""

from __future__ import annotations

import hashlib
import json
import math
from array import array
from dataclasses import asdict, dataclass, replace
from typing import Any, Dict, Iterator, List, Optional, Tuple

from ..edit_log import EditLog
from ..terrain import HIGH_X, HIGH_Z, LOW_X, LOW_Z
from ._session import GROUNDS, Call, Session
from .batches import PARTS, Batch, _slices
from .heights import folder_of, heights_of, keep_heights
from .terrain_jobs import FieldSpec, field_of

FORMAT = 1
"""Of the settings that are stored in a file."""
MOST_CHUNKS = 40_000
PROPERTY = "quarry_terrain"
"""Of a terrain's collection: its settings."""
EDITS = "quarry_edits"
"""Of a terrain's collection: how its ground was sculpted, the bytes of `quarry.edit_log.EditLog` as whole numbers of 32 bits."""
CHUNK = "quarry_chunk"
"""Of a chunk's object: its key."""
LOD = "quarry_lod"
"""Of the collections in a terrain's collection: their level of detail."""


@dataclass(frozen=True)
class TerrainSettings:
    """What a terrain is made of. Lengths are in metres; the terrain is fine in the middle and coarser further out."""

    kind: str = "noise"
    seed: int = 42
    size: float = 128.0
    lods: int = 1
    voxel: float = 1.0
    cells: int = 32
    bottom: float = -64.0
    top: float = 96.0
    octaves: int = 4
    frequency: float = 0.02
    amplitude: float = 32.0
    description: str = ""
    folder: str = "."
    edits: bytes = b""
    """How the ground was sculpted; kept apart from the other settings."""
    heights: bytes = b""
    """Of an image that the description names: 16 bits each; kept apart from the other settings."""

    def spec(self) -> FieldSpec:
        """For workers. ValueError: there is no such field; JSON is read here, so that its error comes at once."""
        if self.kind == "noise":
            spec: FieldSpec = ("noise", self.seed, self.octaves, self.frequency, self.amplitude)
        elif self.kind == "showcase":
            spec = ("showcase", self.seed)
        elif self.kind == "json":
            if not self.description.lstrip().startswith("{"):
                raise ValueError("the text block has no description: it must begin with {")
            spec = ("json", self.description, self._folder())
        else:
            raise ValueError(f"the field must be noise, showcase or json, not {self.kind!r}")
        field_of(spec)
        return spec

    def _folder(self) -> str:
        if not self.heights:
            return self.folder
        import bpy  # type: ignore

        return folder_of(self.heights, bpy.app.tempdir)

    def ground(self) -> "Tuple[FieldSpec, List[Tuple[str, Any]]]":
        """For workers, with edits: the field, and what has to be shared before."""
        spec = self.spec()
        if not self.edits:
            return spec, []
        # Two grounds that differ have different keys, so that jobs of both can be under way.
        key = GROUNDS + hashlib.sha256(repr((spec, self.voxel)).encode() + self.edits).hexdigest()[:40]
        return ("edited", key), [(key, (spec, self.voxel, self.edits))]

    def _half_width(self) -> int:
        """In chunks of each level: the half of a level's square is the square of the next finer one."""
        if not (self.size > 0 and self.voxel > 0 and self.top > self.bottom and 1 <= self.lods <= 8):
            raise ValueError("size and voxel must be above 0, top above bottom, and the levels of detail 1 to 8")
        edge = self._coarsest_edge()
        half: int = max(1, math.ceil(self.size / 2 / edge - 1e-9))
        return half + half % 2 if self.lods > 1 else half

    def width(self) -> float:
        """How wide the terrain will be: whole chunks, so at least `size`."""
        return 2 * self._half_width() * self._coarsest_edge()

    def _coarsest_edge(self) -> float:
        return float(self.cells * self.voxel * (1 << (self.lods - 1)))

    def chunks(self) -> List[Tuple[Tuple[int, int, int, int], int]]:
        """Keys and masks of coarser neighbours, finest and innermost first. ValueError: they are too many."""
        half = self._half_width()
        edge = self._coarsest_edge()
        coarse_floor, coarse_roof = math.floor(self.bottom / edge), math.ceil(self.top / edge)
        found: List[Tuple[Tuple[int, int, int, int], int]] = []
        for lod in range(self.lods):
            scale = 1 << (self.lods - 1 - lod)
            layers = range(coarse_floor * scale, coarse_roof * scale)
            if len(found) + (2 * half) ** 2 * len(layers) > MOST_CHUNKS:
                raise ValueError(
                    f"this would be more than {MOST_CHUNKS:,} chunks: make the terrain smaller, its voxels larger, or "
                    "give it more levels of detail"
                )
            found += [(key, mask) for key, mask in self._ring(lod, half, layers)]
        return found

    def _ring(self, lod: int, half: int, layers: range) -> Iterator[Tuple[Tuple[int, int, int, int], int]]:
        inner = half // 2 if lod > 0 else 0
        columns = [
            (x, z)
            for x in range(-half, half)
            for z in range(-half, half)
            if not (-inner <= x < inner and -inner <= z < inner)
        ]
        columns.sort(key=lambda at: (at[0] + 0.5) ** 2 + (at[1] + 0.5) ** 2)
        for x, z in columns:
            mask = 0
            if lod + 1 < self.lods:
                mask |= LOW_X if x == -half else 0
                mask |= HIGH_X if x == half - 1 else 0
                mask |= LOW_Z if z == -half else 0
                mask |= HIGH_Z if z == half - 1 else 0
            for y in layers:
                yield (lod, x, y, z), mask

    def to_text(self) -> str:
        """For a custom property."""
        values = asdict(self)
        del values["edits"], values["heights"]
        return json.dumps({"format": FORMAT, **values})

    @staticmethod
    def of(collection: Any) -> "TerrainSettings":
        """Of a terrain's collection, with its edits. ValueError: they were written by a newer version, or are damaged."""
        settings = TerrainSettings.from_text(collection[PROPERTY])
        edits = edits_of(collection)
        EditLog(edits)
        return replace(settings, edits=edits, heights=heights_of(collection))

    @staticmethod
    def from_text(text: str) -> "TerrainSettings":
        """ValueError: it was written by a newer version, or is damaged."""
        try:
            values: Dict[str, Any] = json.loads(text)
            format = int(values.pop("format"))
        except (ValueError, KeyError, TypeError, AttributeError) as error:
            raise ValueError(f"the terrain's settings in this file are damaged: {error}") from error
        if format > FORMAT:
            raise ValueError(
                f"this terrain was made by a newer version of Quarry (its settings are of format {format}, this version "
                f"knows {FORMAT}): its meshes can be used, but not rebuilt or exported"
            )
        for each in ("edits", "heights"):
            values.pop(each, None)
        try:
            return TerrainSettings(**values)
        except TypeError as error:
            raise ValueError(f"the terrain's settings in this file are damaged: {error}") from error


def edits_of(collection: Any) -> bytes:
    """ValueError: the property is not ours."""
    value = collection.get(EDITS)
    try:
        return b"" if value is None else memoryview(value).tobytes()
    except TypeError as error:
        raise ValueError("the edits in this file are damaged: they are not numbers") from error


def keep_edits(collection: Any, edits: bytes) -> None:
    # Blender 5.2 keeps the old length where an array is assigned over another.
    if EDITS in collection:
        del collection[EDITS]
    collection[EDITS] = array("i", edits)


def chunk_batch(settings: TerrainSettings) -> Batch:
    """One job a chunk."""
    spec, shares = settings.ground()
    jobs = [(spec, key, mask, settings.cells, settings.voxel) for key, mask in settings.chunks()]
    return Batch("terrain_chunk", jobs, list, shares)


def height_batch(settings: TerrainSettings, x: Any, y: Any, parts: int = 2 * PARTS) -> Batch:
    """The height of the ground at (x, y)."""
    import numpy

    spec, shares = settings.ground()
    jobs = [(spec, x[a:b], y[a:b], settings.bottom, settings.top) for a, b in _slices(len(x), parts)]

    def join(values: List[Any]) -> Any:
        return numpy.concatenate(values) if values else numpy.empty(0, dtype="f4")

    return Batch("heights", jobs, join, shares)


def export_batch(settings: TerrainSettings, path: str) -> Batch:
    """One job that writes the whole terrain to a .glb, .obj, .ply or .stl file."""
    chunks = settings.chunks()
    spec, shares = settings.ground()
    job = (spec, [key for key, _ in chunks], [mask for _, mask in chunks], settings.cells, settings.voxel, path)
    return Batch("export_terrain", [job], lambda values: values[0], shares)


class TerrainBuild:
    """A terrain on its way. Chunks appear as they come; `cancel` takes back all of it."""

    def __init__(self, session: Session, settings: TerrainSettings, name: str = "Quarry Terrain") -> None:
        """Sends all chunks to the workers. ValueError: the settings are wrong, and nothing was made."""
        import bpy  # type: ignore

        batch = chunk_batch(settings)
        self._bpy = bpy
        self._session = session
        self.settings = settings
        self.problem = ""
        self.chunks = self.vertices = self.triangles = 0
        made = bpy.data.collections.new(name)
        bpy.context.scene.collection.children.link(made)
        made[PROPERTY] = settings.to_text()
        if settings.edits:
            keep_edits(made, settings.edits)
        if settings.heights:
            keep_heights(made, settings.heights)
        self.root = str(made.name)
        self.call: Call = session.send(batch, failed=self._failed, each=self._take)

    @property
    def ended(self) -> bool:
        return self.call.ended

    @property
    def progress(self) -> float:
        return self.call.finished / max(1, self.call.total)

    def _take(self, _: int, arrays: Optional[Dict[str, Any]]) -> None:
        if arrays is None:
            return
        # By name, as undo makes another object of everything.
        collection = self._bpy.data.collections.get(self.root)
        if collection is None:
            raise ValueError("the terrain's collection was deleted while its chunks were on their way")
        add_chunk(collection, arrays)
        self.chunks += 1
        self.vertices += len(arrays["positions"]) // 3
        self.triangles += len(arrays["indices"]) // 3

    def _failed(self, error: BaseException) -> None:
        self.problem = str(error)
        self._remove()

    def cancel(self) -> None:
        """Takes back what was made."""
        self._session.cancel(self.call)
        self._remove()

    def _remove(self) -> None:
        remove_terrain(self.root)


def add_chunk(root: Any, arrays: Dict[str, Any]) -> Any:
    """A chunk's object, in the collection of its level."""
    import bpy

    from .meshes import fill_mesh

    key = arrays["key"]
    name = " ".join(map(str, (root.name, *key)))
    mesh = bpy.data.meshes.new(name)
    fill_mesh(mesh, arrays)
    mesh.materials.append(ground_material())
    made = bpy.data.objects.new(name, mesh)
    made[CHUNK] = key
    made.location = arrays["origin"]
    _level(root, key[0]).objects.link(made)
    return made


def _level(root: Any, lod: int) -> Any:
    for each in root.children:
        if each.get(LOD) == lod:
            return each
    import bpy

    made = bpy.data.collections.new(f"{root.name} LOD {lod}")
    made[LOD] = lod
    root.children.link(made)
    return made


def remove_terrain(root: str) -> None:
    """A terrain's collections, objects and meshes."""
    import bpy

    collection = bpy.data.collections.get(root)
    if collection is None:
        return
    meshes = [each.data for each in collection.all_objects if each.type == "MESH"]
    bpy.data.batch_remove([*collection.all_objects, *collection.children_recursive, collection])
    bpy.data.batch_remove([each for each in meshes if each.users == 0])


def ground_material() -> Any:
    """A material that shows the vertex colours."""
    import bpy

    name = "Quarry Ground"
    material = bpy.data.materials.get(name)
    if material is not None:
        return material
    material = bpy.data.materials.new(name)
    material.use_nodes = True
    tree = material.node_tree
    surface = next((each for each in tree.nodes if each.type == "BSDF_PRINCIPLED"), None)
    if surface is not None:
        colour = tree.nodes.new("ShaderNodeVertexColor")
        colour.layer_name = "Color"
        colour.location = (-300, 200)
        surface.inputs["Roughness"].default_value = 0.95
        tree.links.new(colour.outputs["Color"], surface.inputs["Base Color"])
    return material


def terrains() -> List[Any]:
    """The terrains' collections in this file."""
    import bpy

    return [each for each in bpy.data.collections if PROPERTY in each]
