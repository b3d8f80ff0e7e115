"""Questions of a game, cut into jobs. `session.run(batch)` waits for the answer; `session.send(batch, done)` does not."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any, Callable, List, Sequence, Tuple

PARTS = 8
"""Into so many jobs a question is cut, unless the caller says otherwise."""


@dataclass
class Batch:
    """Jobs of one handler, and how their values become one. `shares` is sent to all workers before, once."""

    handler: str
    payloads: List[Any]
    join: Callable[[List[Any]], Any]
    shares: List[Tuple[str, Any]] = field(default_factory=list)


def _slices(count: int, parts: int) -> Sequence[Tuple[int, int]]:
    parts = max(1, min(parts, count))
    return [(count * each // parts, count * (each + 1) // parts) for each in range(parts)] if count else []


def _array(values: Any, shape: Tuple[int, ...], what: str, dtype: str = "f4") -> Any:
    import numpy

    array = numpy.ascontiguousarray(values, dtype=dtype)
    if array.ndim != len(shape) or any(want >= 0 and want != got for want, got in zip(shape, array.shape)):
        words = ", ".join("n" if each < 0 else str(each) for each in shape)
        raise ValueError(f"{what} must have the shape ({words}), not {array.shape}")
    if dtype != "i4" and not numpy.isfinite(array).all() and what != "costs":
        raise ValueError(f"{what} must be finite numbers")
    return array


def _concatenated(values: List[Any]) -> Any:
    import numpy

    return numpy.concatenate(values) if values else numpy.empty(0)


def _flat(values: List[Any]) -> List[Any]:
    return [each for part in values for each in part]


class Grid:
    """Costs of a grid, to be sent once: the cost to enter each cell, infinite where nobody can walk."""

    def __init__(self, costs: Any, name: str = "grid") -> None:
        import numpy

        self.costs = _array(costs, (-1, -1), "costs")
        if not (self.costs > 0).all() or numpy.isnan(self.costs).any():
            raise ValueError("costs must be above 0; infinite means that nobody can walk there")
        self.key = name


def paths(grid: Grid, starts: Any, goals: Any, parts: int = PARTS) -> Batch:
    """Cheapest ways over a grid, between cells (row, column): a list of (n, 2) arrays, empty where there is none.

    A step goes to one of eight neighbours and costs its length times the mean cost of both cells; corners of walls are
    not cut."""
    starts, goals = _array(starts, (-1, 2), "starts", "i4"), _array(goals, (-1, 2), "goals", "i4")
    if len(starts) != len(goals):
        raise ValueError(f"there are {len(starts)} starts, but {len(goals)} goals")
    for name, cells in (("starts", starts), ("goals", goals)):
        if len(cells) and ((cells < 0).any() or (cells >= grid.costs.shape).any()):
            raise ValueError(f"{name} must lie in the grid of {grid.costs.shape[0]} x {grid.costs.shape[1]} cells")
    jobs = [(grid.key, starts[a:b], goals[a:b]) for a, b in _slices(len(starts), parts)]
    return Batch("find", jobs, _flat, [(grid.key, grid.costs)])


class NavigationMesh:
    """Triangles on which somebody can walk, to be sent once. Corners that are closer together than `weld` are one; triangles
    that are steeper than `steepest` degrees, or seen from below, are left out."""

    def __init__(self, vertices: Any, triangles: Any, steepest: float = 45.0, weld: float = 1e-3, name: str = "ground") -> None:
        import numpy

        mesh = SharedMesh(name, vertices, triangles)
        if not (0 <= steepest < 90 and weld > 0):
            raise ValueError("steepest must be 0 to below 90 degrees, and weld above 0")
        vertices, triangles = mesh.value
        if len(vertices):
            cells = numpy.rint(vertices.astype("f8") / weld).astype("i8")
            _, kept, names = numpy.unique(cells, axis=0, return_index=True, return_inverse=True)
            vertices, triangles = vertices[kept], names.reshape(-1)[triangles].astype("i4")
        self.key = "walk." + name
        self.value = (vertices, triangles, float(steepest))


def ways(mesh: NavigationMesh, starts: Any, goals: Any, parts: int = PARTS) -> Batch:
    """Ways over a navigation mesh, between places (x, y, z), each on the triangle above or below it: a list of (n, 3) arrays,
    empty where there is no way or no ground. Looked for over the middles of edges, then pulled tight, seen from above; all of a
    way lies on the mesh."""
    starts = _array(starts, (-1, 3), "starts")
    goals = _array(goals, (len(starts), 3), "goals")
    jobs = [(mesh.key, starts[a:b], goals[a:b]) for a, b in _slices(len(starts), parts)]
    return Batch("walk", jobs, _flat, [(mesh.key, mesh.value)])


def visible(centres: Any, radii: Any, planes: Any, eye: Any = None, distance: float = 0.0, parts: int = PARTS) -> Batch:
    """Which spheres a view can see: an array of bool. `planes` are (n, 4), (x, y, z, w) with x*X + y*Y + z*Z + w >= 0
    inside; spheres that are further than `distance` from the eye (0: no limit) are not seen."""
    centres = _array(centres, (-1, 3), "centres")
    radii = _array(radii, (len(centres),), "radii")
    planes = _array(planes, (-1, 4), "planes")
    place = None if eye is None or distance <= 0 else _array(eye, (3,), "eye")
    jobs = [(centres[a:b], radii[a:b], planes, place, float(distance)) for a, b in _slices(len(centres), parts)]
    return Batch("see", jobs, _concatenated)


class SharedMesh:
    """Triangles to be sent to the workers once."""

    def __init__(self, name: str, vertices: Any, triangles: Any) -> None:
        self.key = "mesh." + name
        vertices = _array(vertices, (-1, 3), "vertices")
        triangles = _array(triangles, (-1, 3), "triangles", "i4")
        if len(triangles) and (triangles.min() < 0 or triangles.max() >= len(vertices)):
            raise ValueError(f"triangles must name vertices 0 to {len(vertices) - 1}")
        self.value = (vertices, triangles)


def share_mesh(name: str, vertices: Any, triangles: Any) -> SharedMesh:
    """A static mesh for `cast_rays`. Keep it: it is sent with the first rays, and again only if it is another."""
    return SharedMesh(name, vertices, triangles)


def cast_rays(mesh: SharedMesh, origins: Any, directions: Any, distance: float = 1e6, parts: int = PARTS) -> Batch:
    """Where rays meet a mesh first, from either side: distances in lengths of the direction (infinite: nowhere) and
    triangles (-1: none)."""
    origins = _array(origins, (-1, 3), "origins")
    directions = _array(directions, (len(origins), 3), "directions")
    jobs = [(mesh.key, origins[a:b], directions[a:b], float(distance)) for a, b in _slices(len(origins), parts)]

    def join(values: List[Any]) -> Any:
        return _concatenated([each[0] for each in values]), _concatenated([each[1] for each in values])

    return Batch("cast", jobs, join, [(mesh.key, mesh.value)])


def collisions(positions: Any, velocities: Any, radii: Any, horizon: float, parts: int = PARTS) -> Batch:
    """Which moving spheres will touch within `horizon` seconds if they go on as they do: pairs (n, 2) in order, and
    when (n,); 0 for those that touch now."""
    positions = _array(positions, (-1, 3), "positions")
    velocities = _array(velocities, (len(positions), 3), "velocities")
    radii = _array(radii, (len(positions),), "radii")
    if not horizon >= 0:
        raise ValueError("the horizon must be at least 0 s")
    jobs = [(positions, velocities, radii, float(horizon), a, b) for a, b in _slices(len(positions), parts)]

    def join(values: List[Any]) -> Any:
        import numpy

        if not values:
            return numpy.empty((0, 2), dtype="i4"), numpy.empty(0, dtype="f4")
        pairs, times = _concatenated([each[0] for each in values]), _concatenated([each[1] for each in values])
        order = numpy.lexsort((pairs[:, 1], pairs[:, 0]))
        return pairs[order], times[order]

    return Batch("meet", jobs, join)


def steering(
    positions: Any, velocities: Any, targets: Any, *, speed: float = 2.0, radius: float = 1.5, push: float = 4.0,
    agility: float = 6.0, seconds: float = 1 / 30, parts: int = PARTS,
) -> Batch:
    """The next velocities (n, 3) of a crowd: each goes to its target at `speed`, slower when it is close, and is pushed
    away by neighbours within `radius`; in a second it would go `agility` times the way to the velocity that it wants."""
    positions = _array(positions, (-1, 3), "positions")
    velocities = _array(velocities, (len(positions), 3), "velocities")
    targets = _array(targets, (len(positions), 3), "targets")
    rules = (float(speed), float(radius), float(push), float(agility), float(seconds))
    jobs = [(positions, velocities, targets, rules, a, b) for a, b in _slices(len(positions), parts)]
    return Batch("steer", jobs, _concatenated)
