"""Files that keep edits: dug once, and still there at the next start."""

from __future__ import annotations

import ctypes
import os
from dataclasses import dataclass
from typing import Any, Iterable, List, Optional, Tuple, Union

from . import _c, _native, errors
from .edits import EditWorld, Vector

Path = Union[str, "os.PathLike[str]"]
Box = Tuple[Vector, Vector]
"""The low and the high corner, in world units."""


@dataclass(frozen=True)
class WorldFileStats:
    """What has become of edits."""

    edits: int
    """Made in this world, in all sessions."""
    saved: int
    """Of these, the first so many are in the file, as of the last `update` or `save`."""
    batches: int
    """Saved in this session."""
    failures: int
    """Batches that could not be saved; each was tried again."""
    loaded_bricks: int
    """Blocks of ground and of paint that were loaded in this session."""
    is_loaded: bool
    """All of the file has been loaded."""
    is_damaged: bool
    """Part of the file cannot be read: nothing is saved any more, and the file stays as it is."""
    problem: str
    """Why nothing can be saved or loaded just now; empty: all is well."""


@dataclass(frozen=True)
class WorldFileInfo:
    """What a file says of itself."""

    format: int
    voxel_size: float
    ground: int
    edits: int
    bricks: int
    paint_bricks: int
    brick_bytes: int
    file_bytes: int


class WorldFile:
    """Keeps an `EditWorld` in a file, an SQLite database. A context manager; or `close` it.

    Edits are made in the world as ever, and are saved in batches. What `stats` reports as saved survives a crash and a
    power cut. Ground of the file appears in the world by and by, by `update`, or at once by `load`; edits load what they
    reach. Undo does not go back beyond the moment when the file was opened. Used by the thread that edits.
    """

    def __init__(
        self, world: EditWorld, path: Path, *, ground: int = 0, batch: float = 0.2, read_only: bool = False
    ) -> None:
        """Opens the file, or makes it if there is none, for a world without edits.

        `ground` is your number for the field and the stamps: a file for another one is refused. `batch`: edits are
        collected for so many seconds, 0 to 60. quarry.Error: the file is damaged, no such file, of another ground, voxel
        size or version, or written by another program; whatever is there stays as it is.
        """
        self._file: Optional[int] = None
        if not 0 <= ground < 1 << 64:
            raise ValueError(f"ground must be 0 to 2**64 - 1, not {ground}")
        if not 0 <= batch <= 60:
            raise ValueError(f"batch must be 0 to 60 seconds, not {batch}")
        if world.stats.applied:
            raise ValueError("a file is opened for a world without edits: open it first, then edit")
        options = _c.quarry_world_file_options()
        _native.quick.quarry_world_file_options_init(ctypes.byref(options))
        options.ground = ground
        options.batch_ms = round(batch * 1000)
        options.read_only = 1 if read_only else 0
        opened = _native.lib.quarry_world_file_open(world._edits, os.fsencode(path), ctypes.byref(options))
        if not opened:
            raise errors.Error(_native.last_error())
        self._file = opened
        self._world = world

    def __enter__(self) -> "WorldFile":
        return self

    def __exit__(self, *error: object) -> None:
        self.close()

    def __del__(self) -> None:
        if getattr(self, "_file", None):
            self.close()

    def close(self) -> None:
        """Saves what is left, waits for that, and closes the file. The world stays as it is."""
        file, self._file = self._file, None
        if file is not None:
            _native.lib.quarry_world_file_close(file)

    def update(self, near: Iterable[Vector] = ()) -> List[Box]:
        """Once a frame: takes in what was loaded, and has edits saved. Never waits. What is near these places is loaded
        first. Gives the boxes in which ground of the file has appeared since the last call: meshes there are out of
        date."""
        flat = [float(number) for place in near for number in place]
        if len(flat) % 3:
            raise ValueError("each place has three numbers")
        boxes, found = ctypes.c_void_p(), ctypes.c_size_t()
        code = _native.quick.quarry_world_file_update(
            self._open(), (ctypes.c_double * len(flat))(*flat), len(flat) // 3, ctypes.byref(boxes), ctypes.byref(found)
        )
        _check(code)
        if not found.value:
            return []
        raw = (_c.quarry_box * found.value).from_address(boxes.value or 0)
        return [((each.low_x, each.low_y, each.low_z), (each.high_x, each.high_y, each.high_z)) for each in raw]

    def load(self, box: Optional[Box] = None) -> None:
        """Loads what the file has in a box, or all of it, now. quarry.Error: the file cannot be read."""
        place = None
        if box is not None:
            (low_x, low_y, low_z), (high_x, high_y, high_z) = box
            place = ctypes.byref(_c.quarry_box(low_x, low_y, low_z, high_x, high_y, high_z))
        _check(_native.lib.quarry_world_file_load(self._open(), place))

    def save(self) -> None:
        """Waits until all edits are in the file. quarry.Error: they could not be saved; they stay in memory, and saving
        is tried again."""
        _check(_native.lib.quarry_world_file_save(self._open()))

    @property
    def stats(self) -> WorldFileStats:
        raw = _c.quarry_world_file_stats()
        raw.size = ctypes.sizeof(raw)
        _check(_native.quick.quarry_world_file_get_stats(self._open(), ctypes.byref(raw)))
        problem: bytes = _native.quick.quarry_world_file_problem(self._open())
        return WorldFileStats(
            raw.edits, raw.saved, raw.batches, raw.failures, raw.loaded_bricks, bool(raw.is_loaded), bool(raw.is_damaged),
            problem.decode(errors="replace"),
        )  # fmt: skip

    def _open(self) -> int:
        if self._file is None:
            raise errors.Error("the file of edits is closed")
        return self._file


def check(path: Path) -> List[str]:
    """Reads all of a file; says what is wrong with it, a line for each problem. Empty: nothing is. quarry.Error: it is no
    such file, or cannot be read."""
    length = ctypes.c_size_t()
    text = ctypes.create_string_buffer(64 << 10)
    _check(_native.lib.quarry_world_file_check(os.fsencode(path), text, len(text), ctypes.byref(length), None))
    return text.value.decode(errors="replace").splitlines()


def info(path: Path) -> WorldFileInfo:
    """What a file says of itself. quarry.Error: it is no such file, or cannot be read."""
    raw: Any = _c.quarry_world_file_info()
    raw.size = ctypes.sizeof(raw)
    _check(_native.lib.quarry_world_file_get_info(os.fsencode(path), ctypes.byref(raw)))
    return WorldFileInfo(
        raw.format, raw.voxel_size, raw.ground, raw.edits, raw.bricks, raw.paint_bricks, raw.brick_bytes, raw.file_bytes
    )


def _check(code: int) -> None:
    if code == _c.INVALID:
        raise ValueError(_native.last_error())
    if code != _c.OK:
        raise errors.Error(_native.last_error())
