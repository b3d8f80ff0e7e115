"""What workers compute for Blender. Each function takes one payload; `quarry.blender.batches` makes them.

Nothing here may import bpy: it works in Blender's own process only.
"""

from __future__ import annotations

import heapq
from typing import Any, Dict, List, Tuple

__all__ = ["cast", "find", "meet", "see", "steer"]

_made_of: Dict[str, Tuple[Any, Any]] = {}


def _state(key: str, make: Any) -> Any:
    """What `make` makes of a shared value, until there is another one under this key."""
    from ..worker import state

    value = state(key)
    known = _made_of.get(key)
    if known is None or known[0] is not value:
        known = (value, make(value))
        _made_of[key] = known
    return known[1]


# Path finding.

_STEPS = [(0, 1, 1.0), (0, -1, 1.0), (1, 0, 1.0), (-1, 0, 1.0), (1, 1, 2**0.5), (1, -1, 2**0.5), (-1, 1, 2**0.5), (-1, -1, 2**0.5)]


def find(job: Tuple[str, Any, Any]) -> List[Any]:
    """Cheapest ways over the shared grid."""
    key, starts, goals = job
    costs, least = _state(key, lambda grid: (grid.tolist(), float(grid.min()) if grid.size else 1.0))
    return [_find_one(costs, least, tuple(map(int, a)), tuple(map(int, b))) for a, b in zip(starts, goals)]


def _find_one(costs: List[List[float]], least: float, start: Tuple[int, ...], goal: Tuple[int, ...]) -> Any:
    import numpy

    infinite = float("inf")
    if costs[start[0]][start[1]] == infinite or costs[goal[0]][goal[1]] == infinite:
        return numpy.empty((0, 2), dtype="i4")
    rows, columns = len(costs), len(costs[0])

    def guess(row: int, column: int) -> float:
        a, b = abs(row - goal[0]), abs(column - goal[1])
        return least * (max(a, b) + (2**0.5 - 1) * min(a, b))

    known = {start: 0.0}
    came: Dict[Tuple[int, ...], Tuple[int, ...]] = {}
    ended = set()
    heap = [(guess(*start), start)]
    while heap:
        _, cell = heapq.heappop(heap)
        if cell == goal:
            break
        if cell in ended:
            continue
        ended.add(cell)
        row, column = cell
        here, base = costs[row][column], known[cell]
        for down, right, length in _STEPS:
            r, c = row + down, column + right
            if not (0 <= r < rows and 0 <= c < columns) or costs[r][c] == infinite:
                continue
            if down and right and (costs[row][c] == infinite or costs[r][column] == infinite):
                continue
            cost = base + length * (here + costs[r][c]) / 2
            if cost < known.get((r, c), infinite):
                known[(r, c)] = cost
                came[(r, c)] = cell
                heapq.heappush(heap, (cost + guess(r, c), (r, c)))
    if goal not in known:
        return numpy.empty((0, 2), dtype="i4")
    way = [goal]
    while way[-1] != start:
        way.append(came[way[-1]])
    return numpy.array(way[::-1], dtype="i4")


# Visibility.


def see(job: Tuple[Any, Any, Any, Any, float]) -> Any:
    """Which spheres are inside all planes, and near enough."""
    import numpy

    centres, radii, planes, eye, distance = job
    centres, planes = centres.astype("f8"), planes.astype("f8")
    seen = numpy.ones(len(centres), dtype=bool)
    for plane in planes:
        seen &= centres @ plane[:3] + plane[3] >= -radii * numpy.linalg.norm(plane[:3])
    if eye is not None:
        seen &= numpy.linalg.norm(centres - eye, axis=1) - radii <= distance
    return seen


# Rays.

_LEAF = 16


class _Tree:
    """Boxes around triangles, halved until few are left in each."""

    def __init__(self, mesh: Tuple[Any, Any]) -> None:
        import numpy

        vertices, triangles = mesh
        corners = vertices[triangles].astype("f8")  # (n, 3, 3)
        low, high = corners.min(axis=1), corners.max(axis=1)
        centres = (low + high) / 2
        self.order = numpy.arange(len(triangles))
        self.nodes: List[Tuple[Any, Any, int, int, int, int]] = []  # low, high, first, end, left, right
        waiting = [(0, len(triangles), -1, 0)] if len(triangles) else []
        while waiting:
            first, end, parent, side = waiting.pop()
            part = self.order[first:end]
            place = len(self.nodes)
            self.nodes.append((low[part].min(axis=0), high[part].max(axis=0), first, end, -1, -1))
            if parent >= 0:
                node = list(self.nodes[parent])
                node[4 + side] = place
                self.nodes[parent] = tuple(node)  # type: ignore[assignment]
            if end - first > _LEAF:
                spread = centres[part]
                axis = int(numpy.argmax(spread.max(axis=0) - spread.min(axis=0)))
                middle = (end - first) // 2
                self.order[first:end] = part[numpy.argpartition(spread[:, axis], middle)]
                waiting += [(first, first + middle, place, 0), (first + middle, end, place, 1)]
        corners = corners[self.order]
        self.corner = corners[:, 0]
        self.first_edge = corners[:, 1] - corners[:, 0]
        self.second_edge = corners[:, 2] - corners[:, 0]


def cast(job: Tuple[str, Any, Any, float]) -> Tuple[Any, Any]:
    """Where rays meet the shared mesh first."""
    import numpy

    key, origins, directions, distance = job
    tree = _state(key, _Tree)
    origins, directions = origins.astype("f8"), directions.astype("f8")
    best = numpy.full(len(origins), distance, dtype="f8")
    hit = numpy.full(len(origins), -1, dtype="i4")
    with numpy.errstate(divide="ignore", over="ignore"):
        inverse = numpy.where(numpy.abs(directions) < 1e-30, 1e30, 1 / numpy.where(directions == 0, 1, directions))
    stack = [(0, numpy.arange(len(origins)))] if tree.nodes else []
    while stack:
        place, rays = stack.pop()
        low, high, first, end, left, right = tree.nodes[place]
        one, other = (low - origins[rays]) * inverse[rays], (high - origins[rays]) * inverse[rays]
        near = numpy.minimum(one, other).max(axis=1)
        far = numpy.maximum(one, other).min(axis=1)
        rays = rays[(near <= far * (1 + 1e-12) + 1e-12) & (far >= 0) & (near <= best[rays])]
        if not len(rays):
            continue
        if left >= 0:
            stack += [(left, rays), (right, rays)]
        else:
            _cast_at(tree, first, end, origins, directions, rays, best, hit)
    found = numpy.where(hit >= 0, best, numpy.inf).astype("f4")
    return found, hit


def _cast_at(tree: _Tree, first: int, end: int, origins: Any, directions: Any, rays: Any, best: Any, hit: Any) -> None:
    import numpy

    edge, other = tree.first_edge[first:end], tree.second_edge[first:end]
    across = numpy.cross(directions[rays][:, None], other[None])
    scale = (edge[None] * across).sum(axis=2)
    with numpy.errstate(divide="ignore", invalid="ignore"):
        away = origins[rays][:, None] - tree.corner[None, first:end]
        u = (away * across).sum(axis=2) / scale
        sideways = numpy.cross(away, edge[None])
        v = (directions[rays][:, None] * sideways).sum(axis=2) / scale
        far = (other[None] * sideways).sum(axis=2) / scale
        good = (numpy.abs(scale) > 1e-20) & (u >= 0) & (v >= 0) & (u + v <= 1) & (far >= 0)
    far = numpy.where(good, far, numpy.inf)
    nearest = far.argmin(axis=1)
    lengths = far[numpy.arange(len(rays)), nearest]
    better = lengths < best[rays]
    best[rays[better]] = lengths[better]
    hit[rays[better]] = tree.order[first + nearest[better]]


# Collisions and crowds.


def _pairs(low: Any, high: Any, first: int, end: int) -> Tuple[Any, Any]:
    """Pairs (a, b), a in first..end and b after it, whose ranges along an axis overlap. `low` is sorted."""
    import numpy

    ones = numpy.arange(first, end)
    counts = numpy.searchsorted(low, high[first:end], side="right") - (ones + 1)
    counts = numpy.maximum(counts, 0)
    a = numpy.repeat(ones, counts)
    starts = numpy.repeat(numpy.cumsum(counts) - counts, counts)
    b = a + 1 + (numpy.arange(len(a)) - starts)
    return a, b


def meet(job: Tuple[Any, Any, Any, float, int, int]) -> Tuple[Any, Any]:
    """Pairs of moving spheres that will touch, those whose first along x is in the job's range."""
    import numpy

    positions, velocities, radii, horizon, first, end = job
    p, v, r = positions.astype("f8"), velocities.astype("f8"), radii.astype("f8")
    ends = p + v * horizon
    low, high = numpy.minimum(p, ends) - r[:, None], numpy.maximum(p, ends) + r[:, None]
    order = numpy.argsort(low[:, 0], kind="stable")
    p, v, r, low, high = p[order], v[order], r[order], low[order], high[order]
    pairs, times = [numpy.empty((0, 2), dtype="i4")], [numpy.empty(0, dtype="f4")]
    for block in range(first, end, 256):
        a, b = _pairs(low[:, 0], high[:, 0], block, min(block + 256, end))
        near = ((low[a, 1:] <= high[b, 1:]) & (low[b, 1:] <= high[a, 1:])).all(axis=1)
        a, b = a[near], b[near]
        when = _touch(p[b] - p[a], v[b] - v[a], r[a] + r[b])
        soon = when <= horizon
        a, b = order[a[soon]], order[b[soon]]
        pairs.append(numpy.stack([numpy.minimum(a, b), numpy.maximum(a, b)], axis=1).astype("i4"))
        times.append(when[soon].astype("f4"))
    return numpy.concatenate(pairs), numpy.concatenate(times)


def _touch(away: Any, speed: Any, reach: Any) -> Any:
    """When two spheres, so far apart and so fast, first touch; infinite: never."""
    import numpy

    a = (speed * speed).sum(axis=1)
    b = (away * speed).sum(axis=1)
    c = (away * away).sum(axis=1) - reach * reach
    root = b * b - a * c
    with numpy.errstate(divide="ignore", invalid="ignore"):
        when = (-b - numpy.sqrt(numpy.maximum(root, 0))) / a
    when = numpy.where((root >= 0) & (b < 0) & (a > 0), when, numpy.inf)
    return numpy.where(c <= 0, 0.0, when)


def steer(job: Tuple[Any, Any, Any, Tuple[float, ...], int, int]) -> Any:
    """The next velocities of the agents in the job's range."""
    import numpy

    positions, velocities, targets, (speed, radius, push, agility, seconds), first, end = job
    p = positions.astype("f8")
    mine = p[first:end]
    away = targets[first:end].astype("f8") - mine
    far = numpy.linalg.norm(away, axis=1)
    with numpy.errstate(divide="ignore", invalid="ignore"):
        want = numpy.where(far[:, None] > 0, away / far[:, None], 0) * (speed * numpy.minimum(1, far / radius))[:, None]
    want += _pushes(p, first, end, radius, push)
    length = numpy.linalg.norm(want, axis=1)
    most = 1.5 * speed
    want *= numpy.where(length > most, most / numpy.maximum(length, 1e-30), 1)[:, None]
    now = velocities[first:end].astype("f8")
    return (now + (want - now) * min(1.0, agility * seconds)).astype("f4")


def _pushes(p: Any, first: int, end: int, radius: float, push: float) -> Any:
    import numpy

    order = numpy.argsort(p[:, 0], kind="stable")
    along = p[order, 0]
    mine = p[first:end]
    start = numpy.searchsorted(along, mine[:, 0] - radius, side="left")
    counts = numpy.searchsorted(along, mine[:, 0] + radius, side="right") - start
    a = numpy.repeat(numpy.arange(len(mine)), counts)
    b = order[numpy.repeat(start - (numpy.cumsum(counts) - counts), counts) + numpy.arange(len(a))]
    apart = mine[a] - p[b]
    far = numpy.linalg.norm(apart, axis=1)
    near = (far < radius) & (b != a + first)
    a, b, apart, far = a[near], b[near], apart[near], far[near]
    # Two in the same place part along x, the one with the lower number to the right.
    same = far == 0
    apart[same] = numpy.where(a[same] + first < b[same], 1.0, -1.0)[:, None] * (1.0, 0.0, 0.0)
    strength = push * (1 - far / radius) / numpy.where(same, 1, far)
    pushes = numpy.zeros_like(mine)
    for axis in range(3):
        pushes[:, axis] = numpy.bincount(a, weights=apart[:, axis] * strength, minlength=len(mine))
    return pushes
