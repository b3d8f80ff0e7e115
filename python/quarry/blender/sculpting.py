"""Sculpting a terrain: strokes that dig, add, smooth, flatten, raise and paint, with undo, kept with the file.

    import quarry.blender as qb

    qb.sculpt(bpy.data.collections["Quarry Terrain"], [(0, 0, 5), (10, 0, 5)], "dig", radius=4)

Everything happens in Blender's own process, and needs no workers. Places are those of Blender: z is up.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Dict, List, Optional, Sequence, Set, Tuple

from ..edit_log import MOST_EDITS, EditLog
from ..edits import Edit, EditReport
from ..terrain import Field, mesh_chunks
from .ground import CHUNK, PROPERTY, TerrainSettings, add_chunk, edits_of, keep_edits
from .terrain_jobs import edited_world, mesh_arrays
from .touched import Changes, Key, touched

Place = Sequence[float]

KINDS = ("dig", "add", "smooth", "flatten", "raise", "paint")
_FOR_UNDO = 1000
"""Of a log that is full otherwise, so that the last strokes can be undone."""


@dataclass(frozen=True)
class Brush:
    """What a stroke does."""

    kind: str = "dig"
    radius: float = 4.0
    strength: float = 1.0
    """0 to 1: how far to go at one place."""
    softness: Optional[float] = None
    """0 to 1: the share of the radius over which the effect fades out. None: 0 for dig and add, else 0.5."""
    material: int = 0
    """Of paint: 0 to 3, grass, rock, snow, earth."""

    def inverted(self) -> "Brush":
        """Digs where this one adds, lowers where it raises."""
        other = {"dig": "add", "add": "dig", "raise": "lower"}.get(self.kind, self.kind)
        return Brush(other, self.radius, self.strength, self.softness, self.material)


@dataclass(frozen=True)
class SculptReport:
    """What a stroke, or its undo, has done."""

    edits: int
    samples: int
    chunks: int
    """Meshed anew."""


def _to_field(place: Place) -> Tuple[float, float, float]:
    x, y, z = place
    return (float(x), float(z), -float(y))


class Sculpture:
    """The ground of one terrain with its edits, and the meshes that show it.

    All of it follows from two properties of the terrain's collection, settings and edits. So what is in memory is used
    again as long as these are what they were, whatever undo, loading or scripts have done meanwhile; else it is made anew."""

    def __init__(self, collection: Any) -> None:
        """ValueError: the collection is no terrain, or its properties are damaged or of a newer version."""
        if PROPERTY not in collection:
            raise ValueError(f"{collection.name!r} is not a terrain of Quarry")
        if len(collection.all_objects) and not any(CHUNK in each for each in collection.all_objects):
            raise ValueError("this terrain was made by an earlier version of Quarry: rebuild it first")
        self.settings = TerrainSettings.of(collection)
        self._name = collection.name
        self._text = collection[PROPERTY]
        self._saved = self.settings.edits
        self._log = EditLog(self._saved)
        self._last_stroke = max((each.stroke for each in self._log), default=0)
        self._masks: Dict[Key, int] = dict(self.settings.chunks())
        self._world = edited_world(self.settings.spec(), self.settings.voxel, self._log)
        self._ground: Field = self._world.field()
        self._dirty: Set[Key] = set()

    def is_of(self, collection: Any) -> bool:
        """Whether it still is what the collection says."""
        return (
            collection.name == self._name
            and collection.get(PROPERTY) == self._text
            and edits_of(collection) == self._saved
        )

    @property
    def ground(self) -> Field:
        """As it is now."""
        return self._ground

    @property
    def edits(self) -> int:
        """How many there are, those that undo others among them."""
        return len(self._log)

    # Strokes.

    def begin(self, brush: Brush) -> "Stroke":
        return Stroke(self, brush)

    def apply(self, edit: Edit) -> EditReport:
        """One edit. Meshes are made anew by `refresh`. OverflowError: there are too many edits."""
        most = MOST_EDITS if edit.kind in ("undo", "redo") else MOST_EDITS - _FOR_UNDO
        if self.edits >= most:
            raise OverflowError(f"this terrain has {self.edits:,} edits, which is as many as its file keeps")
        report: EditReport = self._world.apply(edit)
        self._log.append(edit)
        before, self._ground = self._ground, self._world.field()
        if report.samples or report.painted:
            changes = Changes(before, self._ground, self.settings.voxel, report)
            self._dirty |= touched(changes, self._masks, self.settings.lods, self.settings.cells)
        return report

    def next_stroke(self) -> int:
        self._last_stroke += 1
        return self._last_stroke

    def take_back(self, redo: bool = False) -> Optional[SculptReport]:
        """Undoes the last stroke, or does it again. None: there is none, or it was forgotten."""
        edit = self._world.redo_of() if redo else self._world.undo_of()
        if edit is None:
            return None
        report = self.apply(edit)
        return self.finish(1, report.samples + report.painted)

    def finish(self, edits: int, samples: int, chunks: int = 0) -> SculptReport:
        """Meshes what is left, and keeps the edits with the collection."""
        chunks += self.refresh()
        self._saved = self._log.to_bytes()
        keep_edits(_collection(self._name), self._saved)
        return SculptReport(edits, samples, chunks)

    # Meshes.

    def refresh(self) -> int:
        """Meshes the chunks anew that edits have touched since the last time; answers how many. All are exchanged together, so
        that no gap shows between them."""
        keys = sorted(self._dirty)
        if not keys:
            return 0
        settings = self.settings
        masks = [self._masks[each] for each in keys]
        meshes = mesh_chunks(self._ground, keys, masks, cells=settings.cells, voxel_size=settings.voxel)
        arrays = [None if each is None else mesh_arrays(each, settings.cells, settings.voxel) for each in meshes]
        collection = _collection(self._name)
        # Looked for each time: undo makes other objects of them, and users rename and delete them.
        objects = {tuple(each[CHUNK]): each for each in collection.all_objects if CHUNK in each}
        for key, found in zip(keys, arrays):
            _exchange(collection, objects.get(key), found)
        self._dirty.clear()
        return len(keys)

    # The ground under a mouse.

    def hit(self, origin: Place, direction: Place, ground: Optional[Field] = None) -> Optional[Tuple[float, float, float]]:
        """Where a ray first goes from air into the ground, within the terrain; None: nowhere."""
        import numpy

        half, voxel = self.settings.width() / 2, self.settings.voxel
        start, along = numpy.array(origin, dtype="f8"), numpy.array(direction, dtype="f8")
        along /= numpy.linalg.norm(along)
        low, high = numpy.array([-half, -half, self.settings.bottom]), numpy.array([half, half, self.settings.top])
        with numpy.errstate(divide="ignore", invalid="ignore"):
            one, other = (low - start) / along, (high - start) / along
        near = max(0.0, float(numpy.nanmax(numpy.minimum(one, other))))
        far = float(numpy.nanmin(numpy.maximum(one, other)))
        if not near < far:
            return None

        def solid(at: Any) -> Any:
            places = start + numpy.asarray(at)[:, None] * along
            turned = numpy.stack([places[:, 0], places[:, 2], -places[:, 1]], axis=1)
            return (ground or self._ground).densities(turned) <= 0

        steps = numpy.arange(near, far + voxel, voxel / 2)
        inside = solid(steps)
        enters = numpy.flatnonzero(~inside[:-1] & inside[1:])
        if not len(enters):
            return None
        a, b = steps[enters[0]], steps[enters[0] + 1]
        for _ in range(20):
            middle = (a + b) / 2
            a, b = (a, middle) if solid([middle])[0] else (middle, b)
        x, y, z = (start + b * along).tolist()
        return (x, y, z)

    def normal(self, place: Place, radius: float) -> Tuple[float, float, float]:
        """Out of the ground, seen over so many metres, in the field's axes."""
        import numpy

        reach = max(self.settings.voxel, radius)
        points = numpy.array(_to_field(place)) + numpy.concatenate([numpy.eye(3), -numpy.eye(3)]) * reach
        density = self._ground.densities(points).astype("f8")
        slope = density[:3] - density[3:]
        length = float(numpy.linalg.norm(slope))
        if not length > 0:
            return (0.0, 1.0, 0.0)
        x, y, z = (slope / length).tolist()
        return (x, y, z)


class Stroke:
    """Edits that are undone together. Between two places the brush goes along a line."""

    def __init__(self, sculpture: Sculpture, brush: Brush) -> None:
        if brush.kind not in (*KINDS, "lower"):
            raise ValueError(f"a brush must be one of {', '.join(KINDS)}, not {brush.kind!r}")
        self._sculpture = sculpture
        self._brush = brush
        self._number = sculpture.next_stroke()
        self._last: Optional[Tuple[float, float, float]] = None
        self._plane: Optional[Tuple[Any, Any]] = None
        self._edits = self._samples = self._chunks = 0
        self.ground = sculpture.ground
        """As it was before: a mouse follows this, not what the stroke has made."""

    def move_to(self, place: Place) -> None:
        """ValueError: the brush is too large, or a number is out of range. OverflowError: there are too many edits."""
        brush = self._brush
        at = _to_field(place)
        if brush.kind == "flatten":
            self._flatten(at, place)
            return
        if self._last is None:
            self._apply(at=at)
        elif at != self._last:
            a = self._last
            self._apply(at=a, shape="capsule", extent=(at[0] - a[0], at[1] - a[1], at[2] - a[2]))
        self._last = at

    def _flatten(self, at: Tuple[float, float, float], place: Place) -> None:
        """Towards the plane of the first place: the brush moves in that plane, a third of its radius at a time."""
        import numpy

        if self._plane is None:
            self._plane = (numpy.array(at), numpy.array(self._sculpture.normal(place, self._brush.radius / 2)))
        origin, normal = self._plane
        end = numpy.array(at) - normal * float((numpy.array(at) - origin) @ normal)
        start = end if self._last is None else numpy.array(self._last)
        steps = min(1000, int(numpy.linalg.norm(end - start) / max(1e-6, self._brush.radius / 3)) + 1)
        for each in range(1, steps + 1):
            x, y, z = (start + (end - start) * (each / steps)).tolist()
            self._apply(at=(x, y, z), normal=tuple(normal.tolist()))
            self._last = (x, y, z)

    def _apply(self, **where: Any) -> None:
        brush = self._brush
        softness = brush.softness if brush.softness is not None else (0.0 if brush.kind in ("dig", "add") else 0.5)
        kind, amount = brush.kind, 0.0
        if kind in ("raise", "lower"):
            kind, amount = "raise", self._sculpture.settings.voxel * (1 if kind == "raise" else -1)
        report = self._sculpture.apply(
            Edit(
                kind, radius=brush.radius, strength=brush.strength, falloff=softness * brush.radius, amount=amount,
                material=brush.material, stroke=self._number, **where,
            )  # fmt: skip
        )
        self._edits += 1
        self._samples += report.samples + report.painted

    def refresh(self) -> None:
        """Shows what was done so far."""
        self._chunks += self._sculpture.refresh()

    def end(self) -> SculptReport:
        """Shows the rest, and keeps the edits with the terrain."""
        return self._sculpture.finish(self._edits, self._samples, self._chunks)


_sculptures: List[Sculpture] = []
_KEPT = 2


def _exchange(collection: Any, shown: Any, arrays: Optional[Dict[str, Any]]) -> None:
    """The mesh of a chunk's object, which may be None, for another, which may be None, too."""
    import bpy  # type: ignore

    from .meshes import fill_mesh

    if arrays is None:
        if shown is not None:
            mesh = shown.data
            bpy.data.objects.remove(shown)
            if mesh.users == 0:
                bpy.data.meshes.remove(mesh)
        return
    if shown is None:
        add_chunk(collection, arrays)
        return
    shown.data.clear_geometry()
    fill_mesh(shown.data, arrays)


def _collection(name: str) -> Any:
    import bpy  # type: ignore

    found = bpy.data.collections.get(name)
    if found is None:
        raise ValueError(f"the terrain {name!r} was deleted or renamed")
    return found


def sculpture_of(collection: Any) -> Sculpture:
    """The sculpture of a terrain's collection; the last two are kept."""
    for each in _sculptures:
        if each.is_of(collection):
            return each
    made = Sculpture(collection)
    _sculptures[:] = [made, *(each for each in _sculptures if each._name != made._name)][:_KEPT]
    return made


def forget_sculptures() -> None:
    """Gives the memory back. Nothing is lost: they are made anew from their collections."""
    _sculptures.clear()


def sculpt(
    collection: Any, places: Sequence[Place], kind: str = "dig", *, radius: float = 4.0, strength: float = 1.0,
    softness: Optional[float] = None, material: int = 0,
) -> SculptReport:  # fmt: skip
    """One stroke over a terrain's collection, from place to place. ValueError: something is out of range."""
    sculpture = sculpture_of(collection)
    stroke = sculpture.begin(Brush(kind, radius, strength, softness, material))
    try:
        for each in places:
            stroke.move_to(each)
    finally:
        report = stroke.end()
    return report


def undo_stroke(collection: Any) -> Optional[SculptReport]:
    """Takes the last stroke back. None: there is none."""
    return sculpture_of(collection).take_back()


def redo_stroke(collection: Any) -> Optional[SculptReport]:
    """Does the stroke again that was undone last. None: there is none, or another was made since."""
    return sculpture_of(collection).take_back(redo=True)
