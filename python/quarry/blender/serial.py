"""What the jobs compute, in plain Python and in the simplest way: the reference of the tests, and what an add-on without
workers would do in its main thread. Needs neither NumPy nor workers."""

from __future__ import annotations

import heapq
import math
from typing import Any, Dict, List, Optional, Sequence, Tuple

Vector = Sequence[float]


def path_cost(costs: Sequence[Vector], way: Sequence[Sequence[int]]) -> float:
    """Of a way over a grid. ValueError: it is not one."""
    total = 0.0
    for (a, b), (c, d) in zip(way, way[1:]):
        if max(abs(a - c), abs(b - d)) != 1 or math.inf in (costs[a][b], costs[c][d], costs[a][d], costs[c][b]):
            raise ValueError(f"no step leads from {(a, b)} to {(c, d)}")
        total += math.hypot(a - c, b - d) * (costs[a][b] + costs[c][d]) / 2
    return total


def cheapest(costs: Sequence[Vector], start: Tuple[int, int], goal: Tuple[int, int]) -> float:
    """The cost of the cheapest way, by Dijkstra's algorithm; infinite: there is none."""
    if math.inf in (costs[start[0]][start[1]], costs[goal[0]][goal[1]]):
        return math.inf
    known: Dict[Tuple[int, int], float] = {}
    heap = [(0.0, start)]
    while heap:
        cost, cell = heapq.heappop(heap)
        if cell in known:
            continue
        known[cell] = cost
        if cell == goal:
            return cost
        row, column = cell
        for r in range(max(0, row - 1), min(len(costs), row + 2)):
            for c in range(max(0, column - 1), min(len(costs[0]), column + 2)):
                if (r, c) in known or math.inf in (costs[r][c], costs[row][c], costs[r][column]):
                    continue
                step = math.hypot(r - row, c - column) * (costs[row][column] + costs[r][c]) / 2
                heapq.heappush(heap, (cost + step, (r, c)))
    return math.inf


def shortest_over_middles(
    vertices: Sequence[Vector], triangles: Sequence[Sequence[int]], start: Vector, first: int, goal: Vector, last: int
) -> float:
    """Over a navigation mesh from a place on one triangle to a place on another, by way of middles of edges that two triangles
    have, by Dijkstra's algorithm; infinite: there is none."""
    if first == last:
        return math.dist(start, goal)
    owners: Dict[Tuple[int, int], List[int]] = {}
    for index, (a, b, c) in enumerate(triangles):
        for p, q in ((a, b), (b, c), (c, a)):
            owners.setdefault((min(p, q), max(p, q)), []).append(index)
    shared = {edge: both for edge, both in owners.items() if len(both) == 2}
    middles = {(a, b): [(x + y) / 2 for x, y in zip(vertices[a], vertices[b])] for a, b in shared}
    known: Dict[Tuple[int, int], float] = {}
    heap = [(math.dist(start, middles[edge]), edge) for edge, both in shared.items() if first in both]
    heapq.heapify(heap)
    best = math.inf
    while heap:
        cost, edge = heapq.heappop(heap)
        if edge in known:
            continue
        known[edge] = cost
        if last in shared[edge]:
            best = min(best, cost + math.dist(middles[edge], goal))
        for other, both in shared.items():
            if other not in known and set(both) & set(shared[edge]):
                heapq.heappush(heap, (cost + math.dist(middles[edge], middles[other]), other))
    return best


def shortest_through(start: Vector, portals: Sequence[Tuple[Vector, Vector]], goal: Vector) -> float:
    """The length, seen from above, of the shortest way through edges in their order: every line between their corners is
    tried."""
    stops = [(0, start)] + [(index + 1, corner) for index, both in enumerate(portals) for corner in both]
    stops.append((len(portals) + 1, goal))
    least = [0.0] + [math.inf] * (len(stops) - 1)
    for to, (end, b) in enumerate(stops):
        for at, (begin, a) in enumerate(stops[:to]):
            if begin < end and all(_crosses(a, b, *portals[each - 1]) for each in range(begin + 1, end)):
                least[to] = min(least[to], least[at] + math.dist(a[:2], b[:2]))
    return least[-1]


def _crosses(a: Vector, b: Vector, c: Vector, d: Vector) -> bool:
    def side(p: Vector) -> float:
        return (b[0] - a[0]) * (p[1] - a[1]) - (b[1] - a[1]) * (p[0] - a[0])

    return min(side(c), side(d)) <= 1e-12 and max(side(c), side(d)) >= -1e-12


def visible(
    centres: Sequence[Vector], radii: Vector, planes: Sequence[Vector], eye: Optional[Vector] = None, distance: float = 0.0
) -> List[bool]:
    """Sphere by sphere."""
    seen = []
    for (x, y, z), radius in zip(centres, radii):
        inside = all(a * x + b * y + c * z + d >= -radius * math.sqrt(a * a + b * b + c * c) for a, b, c, d in planes)
        if inside and eye is not None and distance > 0:
            inside = math.dist((x, y, z), eye) - radius <= distance
        seen.append(inside)
    return seen


def _cross(a: Vector, b: Vector) -> Tuple[float, float, float]:
    return (a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0])


def _dot(a: Vector, b: Vector) -> float:
    return a[0] * b[0] + a[1] * b[1] + a[2] * b[2]


def _minus(a: Vector, b: Vector) -> Tuple[float, float, float]:
    return (a[0] - b[0], a[1] - b[1], a[2] - b[2])


def cast_ray(
    vertices: Sequence[Vector], triangles: Sequence[Sequence[int]], origin: Vector, direction: Vector, distance: float = 1e6
) -> Tuple[float, int]:
    """Against each triangle."""
    best, hit = distance, -1
    for index, (i, j, k) in enumerate(triangles):
        corner = vertices[i]
        edge, other = _minus(vertices[j], corner), _minus(vertices[k], corner)
        across = _cross(direction, other)
        scale = _dot(edge, across)
        if abs(scale) <= 1e-20:
            continue
        away = _minus(origin, corner)
        u = _dot(away, across) / scale
        sideways = _cross(away, edge)
        v = _dot(direction, sideways) / scale
        far = _dot(other, sideways) / scale
        if u >= 0 and v >= 0 and u + v <= 1 and 0 <= far < best:
            best, hit = far, index
    return (best, hit) if hit >= 0 else (math.inf, -1)


def collisions(
    positions: Sequence[Vector], velocities: Sequence[Vector], radii: Vector, horizon: float
) -> List[Tuple[int, int, float]]:
    """Pair by pair."""
    found = []
    for i in range(len(positions)):
        for j in range(i + 1, len(positions)):
            away, speed = _minus(positions[j], positions[i]), _minus(velocities[j], velocities[i])
            reach = radii[i] + radii[j]
            a, b, c = _dot(speed, speed), _dot(away, speed), _dot(away, away) - reach * reach
            root = b * b - a * c
            if c <= 0:
                found.append((i, j, 0.0))
            elif root >= 0 and b < 0 and a > 0 and (-b - math.sqrt(root)) / a <= horizon:
                found.append((i, j, (-b - math.sqrt(root)) / a))
    return found


def steering(
    positions: Sequence[Vector], velocities: Sequence[Vector], targets: Sequence[Vector], *, speed: float = 2.0,
    radius: float = 1.5, push: float = 4.0, agility: float = 6.0, seconds: float = 1 / 30,
) -> List[List[float]]:
    """Agent by agent, each with all others."""
    answer: List[List[float]] = []
    for i, (place, velocity, target) in enumerate(zip(positions, velocities, targets)):
        away = _minus(target, place)
        far = math.sqrt(_dot(away, away))
        scale = speed * min(1.0, far / radius) / far if far > 0 else 0.0
        want = [each * scale for each in away]
        for j, other in enumerate(positions):
            apart: Any = _minus(place, other)
            gap = math.sqrt(_dot(apart, apart))
            if i == j or gap >= radius:
                continue
            if gap == 0:
                apart = (1.0, 0.0, 0.0) if i < j else (-1.0, 0.0, 0.0)
            strength = push * (1 - gap / radius) / (gap or 1.0)
            want = [a + b * strength for a, b in zip(want, apart)]
        length = math.sqrt(_dot(want, want))
        if length > 1.5 * speed:
            want = [each * 1.5 * speed / length for each in want]
        share = min(1.0, agility * seconds)
        answer.append([now + (then - now) * share for now, then in zip(velocity, want)])
    return answer
