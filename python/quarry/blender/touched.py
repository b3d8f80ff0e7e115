"""Which chunks of a terrain have to be meshed anew after an edit: those whose samples it has changed."""

from __future__ import annotations

import math
from typing import Any, Iterator, Set, Tuple

Key = Tuple[int, int, int, int]
Corner = Tuple[int, int, int]

_MOST_COMPARED = 2_000_000
"""Samples of a box that are compared one by one; in a larger box all count as changed."""
_BESIDE = 2
"""So many samples beside a chunk are read for it."""
_SETTLED_CELLS = 32
"""Chunks of so many cells read all samples on the lines where they, or finer ones, meet: every half of a chunk."""


class Changes:
    """Changed lattice points, as an edit's report gives them: a box, and which of its points have another density."""

    def __init__(self, before: Any, after: Any, voxel: float, report: Any) -> None:
        """`before` and `after` are fields. Paint is not compared: where there is any, all of the box has changed."""
        beside = _BESIDE if report.painted else 0  # paint reaches to the points beside it
        low, high = ([round(each / voxel) for each in corner] for corner in (report.low, report.high))
        self.low: Corner = (low[0] - beside, low[1] - beside, low[2] - beside)
        self.high: Corner = (high[0] + beside, high[1] + beside, high[2] + beside)
        self._changed: Any = None
        sides = [b - a + 1 for a, b in zip(self.low, self.high)]
        if not report.painted and math.prod(sides) <= _MOST_COMPARED:
            points = _lattice(self.low, sides, voxel)
            self._changed = (before.densities(points) != after.densities(points)).reshape(sides)

    def reach(self, key: Key, cells: int) -> bool:
        """Whether a sample of this chunk has changed."""
        step = 1 << key[0]
        cuts = []
        all_cuts = []
        line_cuts = []
        for place, low, high in zip(key[1:], self.low, self.high):
            first = max(low, (place * cells - _BESIDE) * step)
            last = min(high, ((place + 1) * cells + _BESIDE) * step)
            if first > last:
                return False
            # Coarse levels read every step-th point.
            cuts.append(slice(-(-first // step) * step - low, last - low + 1, step))
            apart = step * cells // 2
            all_cuts.append(slice(first - low, last - low + 1))
            line_cuts.append(slice(-(-first // apart) * apart - low, last - low + 1, apart))
        if self._changed is None or bool(self._changed[tuple(cuts)].any()):
            return True
        if cells != _SETTLED_CELLS:
            return False
        for axis in range(3):
            on_lines = [all_cuts[i] if i == axis else line_cuts[i] for i in range(3)]
            if bool(self._changed[tuple(on_lines)].any()):
                return True
        return False

    def near(self, lods: int, cells: int) -> Iterator[Key]:
        """Keys of all chunks that the box may reach."""
        for lod in range(lods):
            edge, beside = cells << lod, _BESIDE << lod
            ranges = [range((low - beside) // edge - 1, (high + beside) // edge + 1) for low, high in zip(self.low, self.high)]
            for x in ranges[0]:
                for y in ranges[1]:
                    for z in ranges[2]:
                        yield (lod, x, y, z)


def _lattice(low: Corner, sides: Any, voxel: float) -> Any:
    import numpy

    axes = [numpy.arange(first, first + side, dtype="f8") * voxel for first, side in zip(low, sides)]
    return numpy.stack(numpy.meshgrid(*axes, indexing="ij"), axis=-1).reshape(-1, 3)


def touched(changes: Changes, known: Any, lods: int, cells: int) -> Set[Key]:
    """The chunks among `known` that have to be meshed anew."""
    return {key for key in changes.near(lods, cells) if key in known and changes.reach(key, cells)}
