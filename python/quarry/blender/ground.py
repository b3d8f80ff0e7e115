"""Terrain as meshes of Blender: which chunks, meshed in workers, into a collection for each level of detail."""

from __future__ import annotations

import json
import math
from dataclasses import asdict, dataclass
from typing import Any, Dict, Iterator, List, Optional, Tuple

from ..terrain import HIGH_X, HIGH_Z, LOW_X, LOW_Z
from ._session import Call, Session
from .batches import PARTS, Batch, _slices
from .jobs import FieldSpec, field_of

FORMAT = 1
"""Of the settings that are stored in a file."""
MOST_CHUNKS = 40_000
PROPERTY = "quarry_terrain"


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

    def spec(self) -> FieldSpec:
        """For workers. ValueError: there is no such field; JSON is read here, so that its error comes at once."""
        if self.kind == "noise":
            spec: FieldSpec = ("noise", self.seed, self.octaves, self.frequency, self.amplitude)
        elif self.kind == "showcase":
            spec = ("showcase", self.seed)
        elif self.kind == "json":
            if not self.description.lstrip().startswith("{"):
                raise ValueError("the text block has no description: it must begin with {")
            spec = ("json", self.description, self.folder)
        else:
            raise ValueError(f"the field must be noise, showcase or json, not {self.kind!r}")
        field_of(spec)
        return spec

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
        return json.dumps({"format": FORMAT, **asdict(self)})

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
                f"knows {FORMAT}): its meshes can be used, but not made anew or exported"
            )
        try:
            return TerrainSettings(**values)
        except TypeError as error:
            raise ValueError(f"the terrain's settings in this file are damaged: {error}") from error


def chunk_batch(settings: TerrainSettings) -> Batch:
    """One job a chunk."""
    spec = settings.spec()
    jobs = [(spec, key, mask, settings.cells, settings.voxel) for key, mask in settings.chunks()]
    return Batch("terrain_chunk", jobs, list)


def height_batch(settings: TerrainSettings, x: Any, y: Any, parts: int = 2 * PARTS) -> Batch:
    """The height of the ground at (x, y)."""
    import numpy

    spec = settings.spec()
    jobs = [(spec, x[a:b], y[a:b], settings.bottom, settings.top) for a, b in _slices(len(x), parts)]
    return Batch("heights", jobs, lambda values: numpy.concatenate(values) if values else numpy.empty(0, dtype="f4"))


def export_batch(settings: TerrainSettings, path: str) -> Batch:
    """One job that writes the whole terrain to a .glb, .obj, .ply or .stl file."""
    chunks = settings.chunks()
    job = (settings.spec(), [key for key, _ in chunks], [mask for _, mask in chunks], settings.cells, settings.voxel, path)
    return Batch("export_terrain", [job], lambda values: values[0])


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
        self._collections: Dict[int, str] = {}
        self.root = self._collection(name, bpy.context.scene.collection)
        bpy.data.collections[self.root][PROPERTY] = settings.to_text()
        self._material = ground_material().name
        self.call: Call = session.send(batch, failed=self._failed, each=self._take)

    @property
    def ended(self) -> bool:
        return self.call.ended

    @property
    def progress(self) -> float:
        return self.call.finished / max(1, self.call.total)

    def _collection(self, name: str, parent: Any) -> str:
        made = self._bpy.data.collections.new(name)
        parent.children.link(made)
        return str(made.name)

    def _lod_collection(self, lod: int) -> Any:
        # By name, as undo makes another object of everything.
        collections = self._bpy.data.collections
        if lod not in self._collections:
            self._collections[lod] = self._collection(f"{self.root} LOD {lod}", collections[self.root])
        return collections[self._collections[lod]]

    def _take(self, _: int, arrays: Optional[Dict[str, Any]]) -> None:
        if arrays is None:
            return
        from .meshes import fill_mesh

        bpy = self._bpy
        collection = bpy.data.collections.get(self.root)
        if collection is None:
            raise ValueError("the terrain's collection was deleted while its chunks were on their way")
        lod, x, y, z = arrays["key"]
        name = f"{self.root} {lod} {x} {y} {z}"
        mesh = bpy.data.meshes.new(name)
        fill_mesh(mesh, arrays)
        mesh.materials.append(bpy.data.materials.get(self._material))
        shown = bpy.data.objects.new(name, mesh)
        shown.location = arrays["origin"]
        self._lod_collection(lod).objects.link(shown)
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
