"""The frame loop and the crowd. Without a window Blender runs no timers, so the tests call the ticks."""

import os
import signal
import time

import bpy
import numpy
from common import children, extension, fresh, handlers, problem, refused, started, until

WORK, SOAK = "", False


def _loop(on_frame=lambda frame: None, **options):
    from quarry.blender import FrameLoop

    return FrameLoop(started(), on_frame, **options)


def test_a_stall_is_caught_up_by_three_frames_and_the_rest_is_dropped():
    fresh()
    frames = []
    loop = _loop(frames.append)
    loop.begin()
    now = time.monotonic()
    loop.tick(now)
    first = len(frames)
    assert loop.tick(now + 1 / 30 + 0.001) == 1
    assert loop.tick(now + 1.0) == 3 and loop.dropped_steps > 20
    assert len(frames) == first + 4 and frames == sorted(set(frames))
    loop.stop()


def test_thirty_frames_a_second_in_real_time():
    fresh()
    applied = []
    loop = _loop(lambda frame: loop.submit("echo", frame, applied.append))
    loop.begin()
    began = now = time.monotonic()
    while now < began + 3.0:  # later, if the machine stood still
        loop.tick()
        time.sleep(0.001)
        now = time.monotonic()
    loop.tick(now)
    stats = loop.stats()
    loop.stop()
    print(f"  {stats.frames} frames in {now - began:.1f} s, {len(applied)} applied, {stats.mean_latency:.2f} frames late, {stats.stale} stale")
    assert abs(stats.frames + loop.dropped_steps - 30 * (now - began)) < 2.5
    assert len(applied) + stats.dropped >= stats.frames - 5


def test_what_came_between_two_slow_ticks_is_not_late():
    fresh()
    applied = []
    loop = _loop(lambda frame: loop.submit("echo", frame, applied.append))
    loop.begin()
    now = time.monotonic()
    for tick in range(6):  # four ticks a second: three frames each, the others are dropped
        loop.tick(now + tick * 0.25)
        loop._session.engine.drain(20)
    stats = loop.stats()
    assert stats.frames >= 15 and stats.dropped == 0 and len(applied) >= stats.frames - 3, (stats, applied)
    loop.stop()


def test_late_values_are_dropped_and_an_error_ends_the_loop_but_not_the_engine():
    fresh()
    applied = []
    loop = _loop(lambda frame: loop.submit("busy", 0.3, applied.append))
    loop.begin()
    now = time.monotonic()
    for step in range(4):
        loop.tick(now + step / 30 + 0.001)
    loop._on_frame = lambda frame: None
    for step in range(4, 10):
        loop.tick(now + step / 30 + 0.001)
    from quarry.blender import session

    session.engine.drain(20)
    loop.tick(now + 10 / 30 + 0.001)
    assert not applied and loop.stats().dropped == 3 and loop.running, (applied, loop.stats())
    assert 6 <= loop.latency(0.01) <= loop.latency(0.5) <= loop.latency(1.0) == loop.stats().latency_max <= 9
    loop._on_frame = lambda frame: 1 / 0
    loop.tick(now + 12 / 30)
    assert not loop.running and "ZeroDivisionError" in loop.problem and session.running


def test_the_loop_starts_and_stops_again_and_again_and_leaves_nothing_with_blender():
    fresh()
    ends = []
    loop = _loop(on_end=lambda: ends.append(1))
    before = handlers()
    for round in range(50):
        loop.start()
        assert bpy.app.timers.is_registered(loop._timer)
        loop.start()  # once more changes nothing
        assert len(handlers()) == len(before) + 1
        loop._on_timer()
        loop.stop()
        assert not bpy.app.timers.is_registered(loop._timer) and handlers() == before and len(ends) == round + 1

def test_loading_a_file_ends_the_loop_and_the_engine_stays():
    from quarry.blender import session

    fresh()
    loop = _loop()
    loop.start()
    processes = children()
    bpy.ops.wm.read_homefile(use_empty=True)
    assert not loop.running and not bpy.app.timers.is_registered(loop._timer) and session.running and children() == processes
    loop.start()
    loop._on_timer()
    assert loop.running
    bpy.ops.quarry.stop()
    loop.tick()
    loop.stop()


def _crowd(count=100):
    fresh()
    bpy.ops.quarry.terrain_add(kind="noise", size=64, lods=1, amplitude=8, frequency=0.02)
    bpy.context.window_manager.quarry.agents = count
    assert bpy.ops.quarry.crowd_play() == {"FINISHED"}, problem()
    return extension("crowd").current


def _walk(crowd, seconds):
    end = time.monotonic() + seconds
    while time.monotonic() < end and crowd.loop.running:
        crowd.loop._on_timer()
        time.sleep(0.002)


def _shown():
    """Places of the agents as the scene shows them."""
    bpy.context.view_layer.update()
    graph = bpy.context.evaluated_depsgraph_get()
    found = [tuple(each.matrix_world.translation) for each in graph.object_instances if each.is_instance]
    return numpy.array(found)


def test_a_hundred_agents_walk_on_the_ground_and_are_shown_where_they_are():
    crowd = _crowd()
    start = crowd.places.copy()
    # Five seconds of frames, however long a busy machine takes for them.
    while crowd.loop.running and crowd.loop.stats().frames < 150:
        _walk(crowd, 0.2)
    moved = numpy.linalg.norm((crowd.places - start)[:, :2], axis=1)
    stats = crowd.loop.stats()
    print(f"  {stats.frames} frames, {crowd.found} paths, mean walk {moved.mean():.1f} m, {stats.mean_latency:.2f} frames late")
    assert crowd.loop.running and moved.mean() > 2 and crowd.found >= 10
    shown = _shown()
    assert shown.shape == (100, 3) and abs(shown - crowd.places).max() < 1e-4
    on_ground = crowd._ways.height(crowd.places)
    assert abs(on_ground - crowd.places[:, 2]).max() < 1e-3


def test_a_worker_killed_during_the_walk_comes_back_and_nothing_is_lost():
    from quarry.blender import session

    crowd = _crowd()
    _walk(crowd, 1.0)
    for _ in range(3):
        assert bpy.ops.quarry.kill_worker() == {"FINISHED"}
        _walk(crowd, 1.0)
    until(lambda: all(each.alive for each in session.engine.health().workers))
    stats = session.engine.stats()
    print(f"  {stats.restarts} restarts, {stats.lost} lost, {stats.reruns} run again, {crowd.loop.failed_jobs} failed")
    assert stats.restarts >= 3 and stats.lost == 0 and crowd.loop.failed_jobs == 0 and crowd.loop.running
    # The one that was stopped in its sleep is replaced, too.
    os.kill(session.engine.health().workers[0].process, signal.SIGSTOP)
    _walk(crowd, 2.0)
    assert crowd.loop.running and session.engine.stats().lost == 0
    assert bpy.ops.quarry.crowd_stop() == {"FINISHED"} and session.running


def test_undo_does_not_disturb_the_walk():
    crowd = _crowd(20)
    bpy.ops.ed.undo_push(message="before")
    bpy.ops.mesh.primitive_cube_add() if bpy.ops.mesh.primitive_cube_add.poll() else bpy.data.objects.new("x", None)
    bpy.ops.ed.undo_push(message="after")
    _walk(crowd, 0.5)
    frames = crowd.loop.stats().frames
    bpy.ops.ed.undo()
    _walk(crowd, 0.5)
    bpy.ops.ed.redo()
    _walk(crowd, 0.5)
    assert crowd.loop.running, crowd.loop.problem
    assert crowd.loop.stats().frames > frames + 10


def test_deleting_the_crowd_ends_the_walk_with_the_reason_and_no_terrain_is_said():
    crowd = _crowd(10)
    bpy.data.meshes.remove(bpy.data.objects["Quarry Crowd"].data)
    _walk(crowd, 0.3)
    assert not crowd.loop.running and "deleted" in crowd.loop.problem
    fresh()
    refused(bpy.ops.quarry.crowd_play, "there is no terrain")
