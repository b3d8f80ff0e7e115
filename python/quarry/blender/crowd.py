"""A crowd that finds its way over a terrain: paths and steering in workers, one point of a mesh for each agent."""

from __future__ import annotations

import math
from functools import partial
from typing import Any, Callable, Dict, List, Optional

from ._session import Session
from .batches import Grid, _slices, paths, steering
from .ground import TerrainSettings, height_batch
from .loop import FrameLoop

_MOST_SEARCHES = 2


class Walkways:
    """Heights and costs of a terrain's middle, as a grid for path finding."""

    def __init__(self, heights: Any, width: float, steepest: float = 1.2) -> None:
        import numpy

        self.heights = heights
        self.width = width
        self.spacing = width / (len(heights) - 1)
        filled = numpy.nan_to_num(heights, nan=0.0)
        slope = numpy.hypot(*numpy.gradient(filled, self.spacing))
        costs = 1 + 4 * slope
        costs[(slope > steepest) | numpy.isnan(heights)] = numpy.inf
        self.grid = Grid(costs, "quarry.walkways")

    def cell(self, places: Any) -> Any:
        """Row and column of (n, 2) places."""
        import numpy

        cells = numpy.rint((numpy.asarray(places)[:, :2] + self.width / 2) / self.spacing).astype("i4")
        return numpy.clip(cells, 0, len(self.heights) - 1)

    def place(self, cells: Any) -> Any:
        """(n, 3): where the ground of cells is."""
        import numpy

        cells = numpy.asarray(cells)
        flat = cells * self.spacing - self.width / 2
        return numpy.column_stack([flat, self.heights[cells[:, 0], cells[:, 1]]]).astype("f4")

    def height(self, places: Any) -> Any:
        """Of the ground under (n, 2) places, between cells."""
        import numpy

        at = numpy.clip((places[:, :2] + self.width / 2) / self.spacing, 0, len(self.heights) - 1.001)
        low = at.astype("i4")
        (a, b), h = (at - low).T, self.heights
        r, c = low.T
        top = h[r, c] * (1 - b) + h[r, c + 1] * b
        return top * (1 - a) + (h[r + 1, c] * (1 - b) + h[r + 1, c + 1] * b) * a


def walkways(session: Session, settings: TerrainSettings, cells: int = 65, done: Optional[Callable[[Walkways], None]] = None) -> Any:
    """Heights of the terrain's ground, found in workers. Without `done` waits and answers them."""
    import numpy

    width = settings.width()
    line = numpy.linspace(-width / 2, width / 2, cells)
    x, y = (each.reshape(-1) for each in numpy.meshgrid(line, line, indexing="ij"))
    batch = height_batch(settings, x, y)
    if done is None:
        return Walkways(session.run(batch).reshape(cells, cells), width)
    tell = done
    return session.send(batch, done=lambda heights: tell(Walkways(heights.reshape(cells, cells), width)))


class Crowd:
    """Agents on a mesh of points. Each walks to a place of its own, then to another one."""

    def __init__(
        self,
        session: Session,
        ways: Walkways,
        count: int = 100,
        *,
        seed: int = 1,
        speed: float = 4.0,
        hertz: float = 30.0,
        show: Optional[Callable[[Any], None]] = None,
        on_end: Optional[Callable[[], None]] = None,
    ) -> None:
        """`show` gets the places (n, 3) of float32 once a frame."""
        import numpy

        self._session = session
        self._ways = ways
        self._numbers = numpy.random.default_rng(seed)
        self._show = show
        self._speed = speed
        self._seconds = 1 / hertz
        free = numpy.argwhere(numpy.isfinite(ways.grid.costs))
        if len(free) < 2:
            raise ValueError("there is no ground on which a crowd could walk: the terrain is too steep, or has none")
        self._free = free
        self.places = ways.place(free[self._numbers.integers(0, len(free), count)])
        self.velocities = numpy.zeros((count, 3), dtype="f4")
        self._routes: List[Any] = [None] * count
        self._waiting = [False] * count
        self._targets = self.places.copy()
        self.walked = self.found = 0
        session.share(ways.grid.key, ways.grid.costs)
        self.loop = FrameLoop(session, self._frame, hertz=hertz, on_end=on_end)

    def _frame(self, _: int) -> None:
        self._ask_for_routes()
        self._aim()
        rules: Dict[str, float] = {"speed": self._speed, "radius": 1.5, "seconds": self._seconds}
        batch = steering(self.places, self.velocities, self._targets, parts=2, **rules)
        for (first, end), job in zip(_slices(len(self.places), 2), batch.payloads):
            self.loop.submit(batch.handler, job, partial(self._steer, first, end), priority="high")
        self._move()
        if self._show is not None:
            self._show(self.places)

    def _steer(self, first: int, end: int, velocities: Any) -> None:
        self.velocities[first:end] = velocities

    def _move(self) -> None:
        self.places[:, :2] += self.velocities[:, :2] * self._seconds
        half = self._ways.width / 2
        self.places[:, :2] = self.places[:, :2].clip(-half, half)
        self.places[:, 2] = self._ways.height(self.places)
        self.walked += 1

    def _ask_for_routes(self) -> None:
        """Two at a time, and after everything else: long searches must not hold up the steering."""
        room = _MOST_SEARCHES - sum(self._waiting)
        lost = [each for each, route in enumerate(self._routes) if route is None and not self._waiting[each]][: max(0, room)]
        if not lost:
            return
        starts = self._ways.cell(self.places[lost])
        goals = self._free[self._numbers.integers(0, len(self._free), len(lost))]
        for agent in lost:
            self._waiting[agent] = True

        def done(ways: Any) -> None:
            for agent, way in zip(lost, ways):
                self._waiting[agent] = False
                self._routes[agent] = list(self._ways.place(way))[1:] if len(way) > 1 else None
                self.found += len(way) > 1

        def failed(_: BaseException) -> None:
            for agent in lost:
                self._waiting[agent] = False

        self._session.send(paths(self._ways.grid, starts, goals, parts=1), done, failed, priority="low")

    def _aim(self) -> None:
        """Each agent's target is a point of its route a little ahead."""
        reach = 1.5 * self._ways.spacing
        for agent, route in enumerate(self._routes):
            if not route:
                self._routes[agent] = None
                self._targets[agent] = self.places[agent]
                continue
            x, y = self.places[agent, 0], self.places[agent, 1]
            while route and math.hypot(route[0][0] - x, route[0][1] - y) < reach:
                self._targets[agent] = route.pop(0)
            if route:
                self._targets[agent] = route[0]
