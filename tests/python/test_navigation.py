"""Ways over a navigation mesh, in workers, against plain Python."""

import math

import pytest

numpy = pytest.importorskip("numpy")
import quarry.blender as qb  # noqa: E402
from quarry.blender import navigation, serial  # noqa: E402


def _hills(seed, side=14, holes=0.25, height=0.4):
    """Squares of two triangles each, shaken, some of them missing."""
    random = numpy.random.default_rng(seed)
    x, y = numpy.meshgrid(numpy.arange(side + 1.0), numpy.arange(side + 1.0), indexing="ij")
    vertices = numpy.stack([x, y, height * numpy.sin(x) * numpy.cos(y)], axis=-1).reshape(-1, 3)
    vertices[:, :2] += random.uniform(-0.25, 0.25, (len(vertices), 2))
    triangles = []
    for row in range(side):
        for column in range(side):
            if random.random() < holes:
                continue
            a, b = row * (side + 1) + column, (row + 1) * (side + 1) + column
            square = [(a, b, b + 1), (a, b + 1, a + 1)] if random.random() < 0.5 else [(a, b, a + 1), (b, b + 1, a + 1)]
            triangles += square
    return vertices.astype("f4"), numpy.array(triangles, dtype="i4")


def _length(way, axes=3):
    return sum(math.dist(a[:axes], b[:axes]) for a, b in zip(way, way[1:]))


@pytest.mark.parametrize("seed", range(3))
def test_ways_are_as_short_as_plain_python_finds_them_and_lie_on_the_mesh(session, seed):
    vertices, triangles = _hills(seed)
    mesh = qb.NavigationMesh(vertices, triangles, name=f"hills{seed}")
    random = numpy.random.default_rng(seed + 100)
    places = numpy.zeros((40, 2, 3), dtype="f4")
    places[:, :, :2] = random.uniform(0.5, 13.5, (40, 2, 2))
    ways = session.run(qb.ways(mesh, places[:, 0], places[:, 1]))
    ground = navigation.Ground(mesh.value)
    points, corners = ground.points, ground.corners
    found = missing = 0
    for (start, goal), way in zip(places, ways):
        (first, begin), (last, end) = ground.triangle_at(start), ground.triangle_at(goal)
        least = math.inf
        if first >= 0 and last >= 0:
            least = serial.shortest_over_middles(points, corners, begin, first, end, last)
        if math.isinf(least):
            missing += 1
            assert len(way) == 0
            continue
        found += 1
        crossed = navigation.corridor(ground, first, begin, last, end)
        middles = [begin, *(ground.middle(*each) for each in crossed), end]
        assert _length(middles) == pytest.approx(least, rel=1e-9)
        portals = [tuple(points[each] for each in navigation.portal(ground, *edge)) for edge in crossed]
        assert _length(way.tolist(), 2) == pytest.approx(serial.shortest_through(begin, portals, end), rel=1e-5, abs=1e-5)
        assert numpy.allclose(way[0], begin, atol=1e-5) and numpy.allclose(way[-1], end, atol=1e-5)
        for a, b in zip(way, way[1:]):  # also between its points
            for share in (0.0, 0.3, 0.7, 1.0):
                place = a + (b - a) * numpy.float32(share)
                nearest = min(_height_error(ground, place, dx, dy) for dx, dy in ((0, 0), (1e-4, 0), (-1e-4, 0), (0, 1e-4), (0, -1e-4)))
                assert nearest < 1e-3
    assert found > 10 and missing > 3


def _height_error(ground, place, dx, dy):
    triangle, on_it = ground.triangle_at((place[0] + dx, place[1] + dy, place[2]))
    return abs(on_it[2] - place[2]) if triangle >= 0 else math.inf


def _plane(*squares):
    """Unit squares with corners of their own, as chunks have them."""
    vertices, triangles = [], []
    for x, y, z in squares:
        base = len(vertices)
        vertices += [(x, y, z), (x + 1, y, z), (x + 1, y + 1, z), (x, y + 1, z)]
        triangles += [(base, base + 1, base + 2), (base, base + 2, base + 3)]
    return vertices, triangles


def test_a_way_round_a_corner_touches_it(session):
    mesh = qb.NavigationMesh(*_plane((0, 0, 0), (1, 0, 0), (1, 1, 0)), name="corner")
    (way,) = session.run(qb.ways(mesh, [(0.1, 0.9, 0)], [(1.1, 1.9, 5)]))
    assert _length(way.tolist()) == pytest.approx(2 * math.hypot(0.9, 0.1), rel=1e-5)
    assert min(math.dist(each, (1, 1, 0)) for each in way.tolist()) < 1e-6


def test_floors_above_each_other_are_told_apart(session):
    mesh = qb.NavigationMesh(*_plane((0, 0, 0), (1, 0, 0), (0, 0, 3), (1, 0, 3)), name="floors")
    upper, across, lower = session.run(
        qb.ways(mesh, [(0.2, 0.5, 2.9), (0.2, 0.5, 3), (0.2, 0.5, 0.4)], [(1.8, 0.5, 3), (1.8, 0.5, 0), (1.8, 0.5, 0)])
    )
    assert (upper[:, 2] == 3).all() and (lower[:, 2] == 0).all() and len(across) == 0


def test_what_is_too_steep_or_upside_down_is_no_ground(session):
    vertices = [(0, 0, 0), (1, 0, 0), (1, 1, 0), (0, 1, 0), (2, 0, 2), (2, 1, 2)]
    triangles = [(0, 1, 2), (0, 2, 3), (1, 4, 5), (1, 5, 2)]
    start, goal = [(0.5, 0.5, 0)], [(1.5, 0.5, 1)]
    (way,) = session.run(qb.ways(qb.NavigationMesh(vertices, triangles, steepest=70, name="steep"), start, goal))
    assert _length(way.tolist()) == pytest.approx(0.5 + math.hypot(0.5, 1), rel=1e-6)
    (none,) = session.run(qb.ways(qb.NavigationMesh(vertices, triangles, steepest=60, name="less"), start, goal))
    turned = [triangle[::-1] for triangle in triangles]
    (ceiling,) = session.run(qb.ways(qb.NavigationMesh(vertices, turned, steepest=70, name="ceiling"), start, goal))
    (empty,) = session.run(qb.ways(qb.NavigationMesh(numpy.empty((0, 3)), numpy.empty((0, 3), "i4"), name="empty"), start, goal))
    assert len(none) == len(ceiling) == len(empty) == 0
    assert session.run(qb.ways(qb.NavigationMesh(vertices, triangles), numpy.empty((0, 3)), numpy.empty((0, 3)))) == []


@pytest.mark.parametrize(
    "wrong",
    [
        lambda: qb.NavigationMesh([(0, 0, 0)], [(0, 1, 2)]),
        lambda: qb.NavigationMesh([(0, 0, math.nan)] * 3, [(0, 1, 2)]),
        lambda: qb.NavigationMesh([(0, 0, 0)] * 3, [(0, 1, 2)], steepest=90),
        lambda: qb.NavigationMesh([(0, 0, 0)] * 3, [(0, 1, 2)], weld=0),
        lambda: qb.ways(qb.NavigationMesh([(0, 0, 0)] * 3, [(0, 1, 2)]), [(0, 0, 0)], []),
        lambda: qb.ways(qb.NavigationMesh([(0, 0, 0)] * 3, [(0, 1, 2)]), [(0, 0)], [(0, 0)]),
    ],
)
def test_wrong_meshes_and_places_are_refused(wrong):
    with pytest.raises(ValueError):
        wrong()
