"""Ways over a navigation mesh: triangles on which somebody can walk, sent to the workers once. Nothing here may import bpy.

A way is looked for from edge to edge, over their middles, by A*. The triangles that it passes are a corridor; in there the way
is pulled tight, seen from above. Places where it crosses an edge are kept, so that all of it lies on the ground.
"""

from __future__ import annotations

import heapq
import math
from typing import Any, Dict, List, Sequence, Tuple

from .jobs import _state

__all__ = ["walk"]

Point = Tuple[float, float, float]
Portal = Tuple[int, int]
"""The corners of an edge that is crossed: the left and the right one, seen by who walks."""


class Ground:
    """Walkable triangles, their neighbours, and the middles of the edges between them."""

    def __init__(self, mesh: Tuple[Any, Any, float]) -> None:
        import numpy

        vertices, triangles, steepest = mesh
        points = vertices.astype("f8")
        a, b, c = (points[triangles[:, each]] for each in range(3))
        normals = numpy.cross(b - a, c - a)
        lengths = numpy.linalg.norm(normals, axis=1)
        good = normals[:, 2] > lengths * math.cos(math.radians(steepest)) - 1e-12
        self.triangles = triangles[good & (lengths > 0) & (normals[:, 2] > 0)]
        self.points: List[Point] = [(x, y, z) for x, y, z in points.tolist()]
        self._corners = points[self.triangles]
        self._low, self._high = self._corners[:, :, :2].min(axis=1), self._corners[:, :, :2].max(axis=1)
        self.beyond = _neighbours(self.triangles)
        """For each triangle and each of its edges, the triangle beyond; -1: none."""
        self.corners: List[List[int]] = self.triangles.tolist()

    def triangle_at(self, place: Sequence[float]) -> Tuple[int, Point]:
        """The triangle above or below a place, the nearest one of several, and the place on it; -1: there is none."""
        import numpy

        at = numpy.asarray(place, dtype="f8")
        near = numpy.flatnonzero(((self._low <= at[:2]) & (self._high >= at[:2])).all(axis=1))
        a, b, c = (self._corners[near, each] for each in range(3))

        def area(p: Any, q: Any, r: Any) -> Any:
            return (q[..., 0] - p[..., 0]) * (r[..., 1] - p[..., 1]) - (q[..., 1] - p[..., 1]) * (r[..., 0] - p[..., 0])

        whole = area(a, b, c)
        shares = numpy.stack([area(at, b, c), area(a, at, c), area(a, b, at)], axis=1) / whole[:, None]
        inside = (shares >= -1e-9).all(axis=1)
        if not inside.any():
            return -1, (math.nan, math.nan, math.nan)
        near, shares = near[inside], shares[inside]
        heights = (shares * self._corners[near, :, 2]).sum(axis=1)
        best = int(numpy.argmin(numpy.abs(heights - at[2])))
        return int(near[best]), (float(at[0]), float(at[1]), float(heights[best]))

    def middle(self, triangle: int, edge: int) -> Point:
        corners = self.corners[triangle]
        (ax, ay, az), (bx, by, bz) = self.points[corners[edge]], self.points[corners[(edge + 1) % 3]]
        return ((ax + bx) / 2, (ay + by) / 2, (az + bz) / 2)


def _neighbours(triangles: Any) -> List[List[int]]:
    import numpy

    count = len(triangles)
    edges = numpy.sort(numpy.stack([triangles, numpy.roll(triangles, -1, axis=1)], axis=2).reshape(-1, 2), axis=1)
    order = numpy.lexsort((edges[:, 1], edges[:, 0]))
    same = (edges[order[1:]] == edges[order[:-1]]).all(axis=1)
    beyond = numpy.full(3 * count, -1, dtype="i8")
    one, other = order[:-1][same], order[1:][same]
    beyond[one], beyond[other] = other // 3, one // 3
    neighbours: List[List[int]] = beyond.reshape(-1, 3).tolist()
    return neighbours


def walk(job: Tuple[str, Any, Any]) -> List[Any]:
    """Ways over the shared navigation mesh."""
    key, starts, goals = job
    ground: Ground = _state(key, Ground)
    return [_walk_one(ground, a, b) for a, b in zip(starts.tolist(), goals.tolist())]


def _walk_one(ground: Ground, start: Sequence[float], goal: Sequence[float]) -> Any:
    import numpy

    first, begin = ground.triangle_at(start)
    last, end = ground.triangle_at(goal)
    crossed = corridor(ground, first, begin, last, end) if first >= 0 and last >= 0 else None
    if crossed is None:
        return numpy.empty((0, 3), dtype="f4")
    portals = [portal(ground, triangle, edge) for triangle, edge in crossed]
    return numpy.array(pulled(ground.points, begin, portals, end), dtype="f4")


def portal(ground: Ground, triangle: int, edge: int) -> Portal:
    corners = ground.corners[triangle]
    # Corners go round to the left, so who leaves has the edge's second one at the left.
    return corners[(edge + 1) % 3], corners[edge]


def corridor(ground: Ground, first: int, begin: Point, last: int, end: Point) -> "List[Tuple[int, int]] | None":
    """The edges, each with the triangle that is left across it, of the shortest way over middles of edges. None: there is
    no way."""
    if first == last:
        return []
    beyond, middle, distance = ground.beyond, ground.middle, math.dist
    known: Dict[Tuple[int, int], float] = {}
    came: Dict[Tuple[int, int], Tuple[int, int]] = {}
    ended = set()
    heap: List[Tuple[float, Tuple[int, int]]] = []

    def leave(triangle: int, place: Point, cost: float, through: "Tuple[int, int] | None") -> None:
        for edge in range(3):
            crossing = (triangle, edge)
            if beyond[triangle][edge] < 0 or crossing in ended:
                continue
            to = middle(triangle, edge)
            total = cost + distance(place, to)
            if total < known.get(crossing, math.inf):
                known[crossing] = total
                if through is not None:
                    came[crossing] = through
                heapq.heappush(heap, (total + distance(to, end), crossing))

    leave(first, begin, 0.0, None)
    best, final = math.inf, None
    while heap:
        guess, crossing = heapq.heappop(heap)
        if guess >= best:
            break
        if crossing in ended:
            continue
        ended.add(crossing)
        here = middle(*crossing)
        entered = beyond[crossing[0]][crossing[1]]
        if entered == last:
            total = known[crossing] + distance(here, end)
            if total < best:
                best, final = total, crossing
        leave(entered, here, known[crossing], crossing)
    if final is None:
        return None
    way = [final]
    while way[-1] in came:
        way.append(came[way[-1]])
    return way[::-1]


def _turn(a: Point, b: Point, c: Point) -> float:
    """Above 0: c lies to the left of the line from a to b, seen from above."""
    return (b[0] - a[0]) * (c[1] - a[1]) - (b[1] - a[1]) * (c[0] - a[0])


def pulled(points: Sequence[Point], begin: Point, portals: Sequence[Portal], end: Point) -> List[Point]:
    """The shortest way through portals, seen from above, with all places where it crosses one."""
    lefts = [points[left] for left, _ in portals] + [end]
    rights = [points[right] for _, right in portals] + [end]
    corners: List[Tuple[int, Point]] = [(-1, begin)]  # with the portal at which each lies
    apex, left, right = begin, begin, begin
    left_at = right_at = at = -1
    while at + 1 < len(lefts):
        at += 1
        if _turn(apex, right, rights[at]) >= 0:
            if apex == right or _turn(apex, left, rights[at]) < 0:
                right, right_at = rights[at], at
            else:  # the right side has passed the left one, which is a corner of the way
                corners.append((left_at, left))
                apex, at = left, left_at
                left = right = apex
                left_at = right_at = at
                continue
        if _turn(apex, left, lefts[at]) <= 0:
            if apex == left or _turn(apex, right, lefts[at]) > 0:
                left, left_at = lefts[at], at
            else:
                corners.append((right_at, right))
                apex, at = right, right_at
                left = right = apex
                left_at = right_at = at
                continue
    corners.append((len(portals), end))
    way = [begin]
    for (first, a), (last, b) in zip(corners, corners[1:]):
        for each in range(first + 1, last):
            _add(way, _crossing(a, b, lefts[each], rights[each]))
        _add(way, b)
    return way


def _add(way: List[Point], place: Point) -> None:
    if math.dist(way[-1], place) > 1e-9:
        way.append(place)


def _crossing(a: Point, b: Point, left: Point, right: Point) -> Point:
    """Where the line from a to b meets an edge, seen from above; on the edge."""
    before, after = _turn(a, b, left), _turn(a, b, right)
    share = before / (before - after) if before != after else 0.0
    share = min(1.0, max(0.0, share))
    return (
        left[0] + (right[0] - left[0]) * share,
        left[1] + (right[1] - left[1]) * share,
        left[2] + (right[2] - left[2]) * share,
    )
