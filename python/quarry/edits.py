"""Edits: ground that can be dug, filled, smoothed and painted, with undo, the same on every machine."""

from __future__ import annotations

import ctypes
from dataclasses import dataclass
from typing import Any, Optional, Tuple

from . import _c, _native, errors, terrain

Vector = Tuple[float, float, float]

_KINDS = ("add", "dig", "smooth", "flatten", "raise", "paint", "undo", "redo", "remove")
_SHAPES = ("sphere", "box", "capsule", "stamp")


@dataclass(frozen=True)
class Edit:
    """A change of the ground: small enough to be sent to whoever has the same world. Lengths are in world units."""

    kind: str = "dig"
    """"add", "dig", "smooth", "flatten", "raise", "paint"; "undo" and "redo" of all edits of `editor` in `stroke`;
    "remove": the loose part at `at`."""
    at: Vector = (0.0, 0.0, 0.0)
    """The middle; of a capsule one end of its line."""
    radius: float = 1.0
    """Of a box without meaning; of a stamp the size to which it is scaled."""
    shape: str = "sphere"
    """"sphere", "box", "capsule" or "stamp"."""
    extent: Vector = (0.0, 0.0, 0.0)
    """Of a box half of its size; of a capsule from `at` to the other end."""
    normal: Vector = (0.0, 1.0, 0.0)
    """Of flatten: out of the ground."""
    strength: float = 1.0
    """0 to 1: how far to go in one edit."""
    falloff: float = 0.0
    """From the brush's surface inwards, the effect grows from nothing over this length."""
    amount: float = 0.0
    """Of raise; lowers if it is negative."""
    material: int = 0
    """Of paint: 0 to 3."""
    stamp: int = 0
    """What `EditWorld.add_stamp` gave."""
    editor: int = 0
    stroke: int = 0
    """Edits with the same editor and stroke are undone together."""


@dataclass(frozen=True)
class EditReport:
    """What an edit has changed."""

    done: bool
    """False: there was nothing to undo or redo."""
    samples: int
    painted: int
    low: Vector
    high: Vector
    """A box that holds all of them, where there are any."""


@dataclass(frozen=True)
class EditStats:
    """What an `EditWorld` holds."""

    applied: int
    bricks: int
    paint_bricks: int
    brick_bytes: int
    undo_bytes: int
    strokes: int


def _number(names: Tuple[str, ...], name: str, what: str) -> int:
    if name not in names:
        raise ValueError(f"{what} must be one of {', '.join(names)}, not {name!r}")
    return names.index(name)


def _whole(value: int, most: int, what: str) -> int:
    if not 0 <= value <= most:
        raise ValueError(f"{what} must be 0 to {most}, not {value}")
    return value


def _to_c(edit: Edit) -> Any:
    raw = _c.quarry_edit()
    raw.size = ctypes.sizeof(raw)
    raw.kind = _number(_KINDS, edit.kind, "the kind of an edit")
    raw.shape = _number(_SHAPES, edit.shape, "the shape of a brush")
    raw.material = _whole(edit.material, 3, "the material")
    raw.stamp = _whole(edit.stamp, 0xFFFF, "the stamp")
    raw.editor = _whole(edit.editor, 0xFFFF, "the editor")
    raw.stroke = _whole(edit.stroke, 0xFFFF_FFFF, "the stroke")
    raw.x, raw.y, raw.z = edit.at
    raw.extent_x, raw.extent_y, raw.extent_z = edit.extent
    raw.normal_x, raw.normal_y, raw.normal_z = edit.normal
    raw.radius, raw.strength, raw.falloff, raw.amount = edit.radius, edit.strength, edit.falloff, edit.amount
    return raw


class EditWorld:
    """Edits over a field. Changed ground is kept at lattice points `voxel_size` apart, in steps of 1/128 of it; all other
    points keep the bits of the field. Chunks are extracted with the same `voxel_size`. One thread at a time changes it."""

    def __init__(self, ground: terrain.Field, *, voxel_size: float = 1.0, undo_bytes: int = 64 << 20) -> None:
        self._edits = terrain._made(_native.lib.quarry_edits_new(ground._field, voxel_size, undo_bytes))

    def __del__(self) -> None:
        if getattr(self, "_edits", None):
            _native.quick.quarry_edits_free(self._edits)

    def apply(self, edit: Edit) -> EditReport:
        """Raises ValueError, and changes nothing, for numbers out of range and a brush that is too large."""
        raw = _to_c(edit)
        report = _c.quarry_edit_report()
        report.size = ctypes.sizeof(report)
        code = _native.lib.quarry_edits_apply(self._edits, ctypes.byref(raw), ctypes.byref(report))
        if code == _c.INVALID:
            raise ValueError(_native.last_error())
        if code != _c.OK:
            raise errors.Error(_native.last_error())
        low = (report.low_x, report.low_y, report.low_z)
        high = (report.high_x, report.high_y, report.high_z)
        return EditReport(bool(report.done), report.samples, report.painted, low, high)

    def undo(self, editor: int = 0) -> Optional[Edit]:
        """Undoes the last stroke of an editor; gives the edit that did it, for others with the same world. None: there
        is nothing to undo."""
        return self._applied(self.undo_of(editor))

    def redo(self, editor: int = 0) -> Optional[Edit]:
        """Does it again. None: there is nothing, for nothing was undone or the editor has made another edit since."""
        return self._applied(self.redo_of(editor))

    def undo_of(self, editor: int = 0) -> Optional[Edit]:
        """The edit that would undo the last stroke of an editor, to be applied."""
        return self._last_stroke(_native.lib.quarry_edits_undo_of, editor)

    def redo_of(self, editor: int = 0) -> Optional[Edit]:
        """The edit that would do it again, to be applied."""
        return self._last_stroke(_native.lib.quarry_edits_redo_of, editor)

    def add_stamp(self, field: terrain.Field, radius: float) -> int:
        """A field as a brush that reaches `radius` from (0, 0, 0): its number, for `Edit.stamp`."""
        number = int(_native.lib.quarry_edits_add_stamp(self._edits, field._field, radius))
        if number < 0:
            raise ValueError(_native.last_error())
        return number

    def field(self) -> terrain.Field:
        """The ground as it is now. Later edits do not change it, and threads may read it. It does not go to worker
        processes: those get the ground and the edits."""
        return terrain.Field(terrain._made(_native.lib.quarry_edits_field(self._edits)), None)

    @property
    def content_hash(self) -> int:
        """Equal for equal edits over equal fields, on any machine."""
        return int(_native.quick.quarry_edits_hash(self._edits))

    @property
    def stats(self) -> EditStats:
        raw = _c.quarry_edits_stats()
        raw.size = ctypes.sizeof(raw)
        if _native.quick.quarry_edits_get_stats(self._edits, ctypes.byref(raw)) != _c.OK:
            raise errors.Error(_native.last_error())
        return EditStats(raw.applied, raw.bricks, raw.paint_bricks, raw.brick_bytes, raw.undo_bytes, raw.strokes)

    def _applied(self, edit: Optional[Edit]) -> Optional[Edit]:
        if edit is not None:
            self.apply(edit)
        return edit

    def _last_stroke(self, find: Any, editor: int) -> Optional[Edit]:
        raw = _c.quarry_edit()
        raw.size = ctypes.sizeof(raw)
        code = find(self._edits, _whole(editor, 0xFFFF, "the editor"), ctypes.byref(raw))
        if code == _c.NONE:
            return None
        if code != _c.OK:
            raise errors.Error(_native.last_error())
        return Edit(kind=_KINDS[raw.kind], editor=raw.editor, stroke=raw.stroke)
