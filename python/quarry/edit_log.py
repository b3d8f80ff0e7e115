"""Edits as bytes, to be kept with a file or sent: applied in order to the same field they give the same ground."""

from __future__ import annotations

import struct
import zlib
from typing import Iterator, List

from .edits import _KINDS, _SHAPES, Edit, _number

FORMAT = 1
MOST_EDITS = 100_000
"""In one log: 7.6 MB."""

_MAGIC = b"QEDT"
_HEADER = struct.Struct("<4sHHII")  # magic, format, bytes of an edit, edits, checksum
_RECORD = struct.Struct("<BBBxHHI3d3f3f4f")


class EditLog:
    """A list of edits that grows at its end. Holds at most `MOST_EDITS`."""

    def __init__(self, data: bytes = b"") -> None:
        """`data` is what `to_bytes` gave; empty: there are no edits. ValueError: it is damaged, or of a newer version."""
        self._records = bytearray(_checked(bytes(data)) if data else b"")

    def __len__(self) -> int:
        return len(self._records) // _RECORD.size

    def __iter__(self) -> Iterator[Edit]:
        for raw in _RECORD.iter_unpack(bytes(self._records)):
            kind, shape, material, stamp, editor, stroke, x, y, z, *sizes = raw
            along_x, along_y, along_z, normal_x, normal_y, normal_z, radius, strength, falloff, amount = sizes
            yield Edit(
                kind=_KINDS[kind], at=(x, y, z), radius=radius, shape=_SHAPES[shape], extent=(along_x, along_y, along_z),
                normal=(normal_x, normal_y, normal_z), strength=strength, falloff=falloff, amount=amount, material=material,
                stamp=stamp, editor=editor, stroke=stroke,
            )  # fmt: skip

    @property
    def is_full(self) -> bool:
        return len(self) >= MOST_EDITS

    def append(self, edit: Edit) -> None:
        """OverflowError: the log is full, and is left as it was."""
        if self.is_full:
            raise OverflowError(f"there are {MOST_EDITS:,} edits already, which is as many as a file keeps")
        kind, shape = _number(_KINDS, edit.kind, "the kind of an edit"), _number(_SHAPES, edit.shape, "the shape of a brush")
        numbers: List[float] = [*edit.extent, *edit.normal, edit.radius, edit.strength, edit.falloff, edit.amount]
        self._records += _RECORD.pack(
            kind, shape, edit.material, edit.stamp, edit.editor, edit.stroke, *edit.at, *numbers
        )

    def to_bytes(self) -> bytes:
        """All of it; empty without edits."""
        if not self._records:
            return b""
        return _HEADER.pack(_MAGIC, FORMAT, _RECORD.size, len(self), zlib.crc32(self._records)) + bytes(self._records)


def _checked(data: bytes) -> bytes:
    if len(data) < _HEADER.size or data[:4] != _MAGIC:
        raise ValueError("the edits in this file are damaged: this is not a list of edits")
    _, format, size, count, checksum = _HEADER.unpack_from(data)
    if format > FORMAT:
        raise ValueError(f"the edits in this file were made by a newer version of Quarry (format {format}; this one knows {FORMAT})")
    records = data[_HEADER.size :]
    if format < 1 or size != _RECORD.size or len(records) != count * size or count > MOST_EDITS or zlib.crc32(records) != checksum:
        raise ValueError("the edits in this file are damaged: their length or checksum is wrong")
    if any(record[0] >= len(_KINDS) or record[1] >= len(_SHAPES) for record in _RECORD.iter_unpack(records)):
        raise ValueError("the edits in this file are damaged: one is of an unknown kind")
    return records
