"""The jobs of quarry.blender, in workers, against plain Python. No Blender is needed for them."""

import logging
import math
import os
import signal
import time

import pytest

numpy = pytest.importorskip("numpy")
import quarry  # noqa: E402
import quarry.blender as qb  # noqa: E402
from quarry.blender import serial  # noqa: E402


def _numbers(seed):
    return numpy.random.default_rng(seed)


@pytest.mark.parametrize("seed", range(4))
def test_ways_over_a_grid_are_valid_and_cost_what_the_cheapest_cost(session, seed):
    random = _numbers(seed)
    costs = random.uniform(1, 5, (30, 40)).astype("f4")
    costs[random.random(costs.shape) < 0.3] = numpy.inf
    cells = random.integers(0, (30, 40), (30, 2, 2))
    ways = session.run(qb.paths(_grid(costs), cells[:, 0], cells[:, 1]))
    plain, none = costs.tolist(), 0
    for (start, goal), way in zip(cells.tolist(), ways):
        least = serial.cheapest(plain, tuple(start), tuple(goal))
        if math.isinf(least):
            none += 1
            assert len(way) == 0
        else:
            assert way[0].tolist() == start and way[-1].tolist() == goal
            assert serial.path_cost(plain, way.tolist()) == pytest.approx(least, rel=1e-6)
    assert 0 < none < 30


def _grid(costs, name="grid"):
    from quarry.blender.batches import Grid

    return Grid(costs, name)


def test_another_grid_of_the_same_name_replaces_the_first(session):
    open_grid = numpy.ones((5, 5))
    walled = open_grid.copy()
    walled[2, :] = numpy.inf
    assert len(session.run(qb.paths(_grid(open_grid, "g"), [[0, 0]], [[4, 4]]))[0]) == 5
    assert len(session.run(qb.paths(_grid(walled, "g"), [[0, 0]], [[4, 4]]))[0]) == 0


def test_what_is_seen_is_what_plain_python_sees(session):
    random = _numbers(1)
    centres = random.uniform(-50, 50, (2000, 3)).astype("f4")
    radii = random.uniform(0.1, 4, 2000).astype("f4")
    planes = random.normal(size=(4, 4)).astype("f4")
    planes[:, 3] = 10 + 20 * abs(planes[:, 3])
    seen = session.run(qb.visible(centres, radii, planes, eye=(5, 5, 5), distance=45))
    expected = serial.visible(centres.tolist(), radii.tolist(), planes.tolist(), (5, 5, 5), 45)
    assert seen.tolist() == expected and 0 < sum(expected) < 2000


def test_rays_meet_what_plain_python_says_they_meet(session):
    random = _numbers(2)
    vertices = random.uniform(-10, 10, (300, 3)).astype("f4")
    triangles = random.integers(0, 300, (400, 3)).astype("i4")
    origins = random.uniform(-12, 12, (200, 3)).astype("f4")
    directions = random.normal(size=(200, 3)).astype("f4")
    directions[:20] = [0, 0, -1]
    distances, hits = session.run(qb.cast_rays(qb.share_mesh("soup", vertices, triangles), origins, directions))
    rays = zip(origins.tolist(), directions.tolist())
    expected = [serial.cast_ray(vertices.tolist(), triangles.tolist(), a, b) for a, b in rays]
    assert hits.tolist() == [each[1] for each in expected]
    assert distances == pytest.approx([each[0] for each in expected], rel=1e-5)
    assert 0 < (hits >= 0).sum() < 200


def test_a_mesh_is_sent_once_and_a_replaced_worker_has_it(session):
    mesh = qb.share_mesh("plane", [[-9, -9, 0], [9, -9, 0], [0, 9, 0]], [[0, 1, 2]])
    rays = qb.cast_rays(mesh, [[0, 0, 5]] * 8, [[0, 0, -1]] * 8)
    assert session.run(rays)[0].tolist() == [5.0] * 8
    for each in session.engine.health().workers:
        os.kill(each.process, signal.SIGKILL)
    assert session.run(rays)[0].tolist() == [5.0] * 8
    assert session.engine.stats().lost == 0


@pytest.mark.parametrize("count, box", [(2, 3), (150, 20), (400, 8)])
def test_spheres_that_will_touch_are_those_that_plain_python_finds(session, count, box):
    random = _numbers(count)
    positions = random.uniform(-box, box, (count, 3)).astype("f4")
    velocities = random.normal(size=(count, 3)).astype("f4") * 3
    velocities[: count // 4] = 0
    radii = random.uniform(0.1, 0.6, count).astype("f4")
    pairs, times = session.run(qb.collisions(positions, velocities, radii, 1.5))
    expected = serial.collisions(positions.tolist(), velocities.tolist(), radii.tolist(), 1.5)
    assert [tuple(each) for each in pairs.tolist()] == [each[:2] for each in expected]
    assert times == pytest.approx([each[2] for each in expected], abs=1e-5)
    assert expected or count == 2


def test_a_crowd_is_steered_as_plain_python_steers_it(session):
    random = _numbers(3)
    positions = random.uniform(-10, 10, (300, 3)).astype("f4")
    positions[10] = positions[200]
    velocities = random.normal(size=(300, 3)).astype("f4")
    targets = random.uniform(-10, 10, (300, 3)).astype("f4")
    targets[5] = positions[5]
    found = session.run(qb.steering(positions, velocities, targets))
    expected = serial.steering(positions.tolist(), velocities.tolist(), targets.tolist())
    assert numpy.abs(found - numpy.array(expected)).max() < 1e-5


def test_agents_that_meet_do_not_walk_through_each_other(session):
    positions = numpy.array([[-5, 0, 0], [5, 0.2, 0]], dtype="f4")
    targets, velocities = positions[::-1].copy(), numpy.zeros((2, 3), dtype="f4")
    closest = 99.0
    for _ in range(300):
        velocities = session.run(qb.steering(positions, velocities, targets, parts=2))
        positions = positions + velocities / 30
        closest = min(closest, float(numpy.linalg.norm(positions[0] - positions[1])))
    assert 0.4 < closest < 2
    assert positions[0, 0] > 3 and positions[1, 0] < -3


def test_nothing_is_a_fair_question(session):
    none = numpy.empty((0, 3))
    assert len(session.run(qb.visible(none, [], numpy.ones((1, 4))))) == 0
    assert len(session.run(qb.collisions(none, none, [], 1.0))[0]) == 0
    assert session.run(qb.paths(_grid(numpy.ones((2, 2))), numpy.empty((0, 2)), numpy.empty((0, 2)))) == []
    empty = qb.share_mesh("empty", none, numpy.empty((0, 3)))
    assert session.run(qb.cast_rays(empty, [[0, 0, 1]], [[0, 0, -1]]))[1].tolist() == [-1]


@pytest.mark.parametrize(
    "ask, word",
    [
        (lambda: qb.visible([[1, 2]], [1], [[0, 0, 1, 0]]), "shape"),
        (lambda: qb.visible([[1, 2, float("nan")]], [1], [[0, 0, 1, 0]]), "finite"),
        (lambda: qb.share_mesh("m", [[0, 0, 0]], [[0, 0, 1]]), "vertices 0 to 0"),
        (lambda: qb.paths(_grid(numpy.ones((3, 3))), [[0, 0]], [[3, 0]]), "3 x 3"),
        (lambda: _grid([[1, 0]]), "above 0"),
        (lambda: qb.collisions([[0, 0, 0]], [[0, 0, 0]], [1], -1), "horizon"),
    ],
)
def test_wrong_questions_are_refused_with_the_reason(ask, word):
    with pytest.raises(ValueError, match=word):
        ask()


def test_a_session_says_what_is_wrong(session):
    with pytest.raises(ValueError, match="1 to 64, not 10,000"):
        qb.Session().start(workers=10_000)
    with pytest.raises(quarry.EngineClosed, match="not running"):
        qb.Session().run(qb.visible([[1, 2, 3]], [1], [[0, 0, 1, 0]]))


def test_a_worker_that_imports_bpy_gets_the_reason(session):
    from quarry.blender.batches import Batch

    with pytest.raises(ImportError, match="bpy cannot be imported in a worker: it belongs to the host's process"):
        session.run(Batch(_import_meshes, [None], list))


def _import_meshes(_):
    from quarry.blender import meshes

    return meshes.fill_mesh({}, {})


def test_stopping_ends_calls_with_the_reason():
    made = qb.Session()
    level = logging.getLogger("quarry.worker").level
    made.start(workers=1, heartbeat=30.0, log_level=logging.ERROR)
    assert logging.getLogger("quarry.worker").level == logging.ERROR
    failures = []
    call = made.send(qb.Batch("busy", [5.0] * 3, list), failed=failures.append)
    made.stop()
    assert call.ended and isinstance(failures[0], quarry.EngineClosed) and not made.busy and not made.running
    assert logging.getLogger("quarry.worker").level == level
    made.start(workers=1, heartbeat=30.0)
    assert made.run(qb.Batch("echo", [1, 2], list)) == [1, 2]
    made.stop()


def test_pump_keeps_its_budget_and_hands_over_at_least_one(session):
    seen = []

    def slow(index, value):
        seen.append(index)
        time.sleep(0.01)

    call = session.send(qb.Batch("echo", list(range(20)), list), each=slow)
    session.engine.drain(10)
    assert session.pump(budget=0.0) == 1 and len(seen) == 1
    assert session.pump(budget=0.025) <= 4
    session.wait(call)
    assert sorted(seen) == list(range(20))


def test_a_call_that_is_cancelled_calls_nobody(session):
    seen = []
    call = session.send(qb.Batch("busy", [0.01] * 50, list), done=seen.append, each=lambda i, v: seen.append(i))
    session.cancel(call)
    session.engine.drain(10)
    session.pump(1.0)
    assert seen == [] and not session.busy


def test_a_function_that_fails_keeps_nobody_else_from_getting_results(session, caplog):
    seen = []

    def fails(*_):
        raise RuntimeError("of another add-on")

    session.send(qb.Batch("echo", [1], list), done=fails)
    session.submit("echo", 2, fails)
    session.send(qb.Batch(_import_meshes, [None], list), failed=fails)
    session.send(qb.Batch("echo", [3], list), done=seen.append)
    session.engine.drain(10)
    while session.busy:
        session.pump(1.0)
    assert seen == [[3]]
    assert [each.exc_info[0] for each in caplog.records if each.name == "quarry.blender"] == [RuntimeError] * 3


def test_an_error_of_another_add_on_does_not_end_a_frame_loop(session):
    loop = qb.FrameLoop(session, lambda frame: None, hertz=30)
    loop.begin()
    session.submit("echo", 1, lambda result: 1 // 0)
    session.engine.drain(10)
    loop.tick()
    assert loop.running and not loop.problem and not session.busy
    loop.stop()
