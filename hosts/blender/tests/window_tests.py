"""Tests with a window: a generator that is resumed by a timer of Blender, so that events, timers and drawing go on between
its steps. `blender --enable-event-simulate --python window_tests.py -- WORK`, with Xvfb -fbdir WORK/display."""

import os
import struct
import sys
import time
import traceback
import zlib
from types import SimpleNamespace

import bpy
import numpy

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
from common import children, disable, enable, extension, handlers, threads  # noqa: E402

WORK = sys.argv[sys.argv.index("--") + 1]


def save_picture(name, box=None):
    """What the display shows, as a PNG."""
    with open(os.path.join(WORK, "display", "Xvfb_screen0"), "rb") as file:
        data = file.read()
    header = struct.unpack(">25I", data[:100])
    width, height, line, colours = header[4], header[5], header[12], header[19]
    pixels = numpy.frombuffer(data, dtype="u1", offset=header[0] + 12 * colours, count=line * height)
    picture = pixels.reshape(height, line // 4, 4)[:, :width, 2::-1]
    if box is not None:
        picture = picture[box[1] : box[3], box[0] : box[2]]
    lines = b"".join(b"\0" + each.tobytes() for each in picture)

    def chunk(kind, content):
        return struct.pack(">I", len(content)) + kind + content + struct.pack(">I", zlib.crc32(kind + content))

    size = struct.pack(">IIBBBBB", picture.shape[1], picture.shape[0], 8, 2, 0, 0, 0)
    with open(os.path.join(WORK, "pictures", f"{name}.png"), "wb") as file:
        file.write(b"\x89PNG\r\n\x1a\n" + chunk(b"IHDR", size) + chunk(b"IDAT", zlib.compress(lines, 9)) + chunk(b"IEND", b""))
    return picture


def view():
    """What operators need to run in the 3D viewport of the first window."""
    window = bpy.context.window_manager.windows[0]
    area = next(each for each in window.screen.areas if each.type == "VIEW_3D")
    region = next(each for each in area.regions if each.type == "WINDOW")
    return {"window": window, "area": area, "region": region}


def press(key):
    window = bpy.context.window_manager.windows[0]
    window.event_simulate(type=key, value="PRESS", x=400, y=400)
    window.event_simulate(type=key, value="RELEASE", x=400, y=400)


def drag(places, ctrl=False):
    """The left mouse button, pressed at the first of these places of the window and released at the last."""
    window = bpy.context.window_manager.windows[0]
    for index, (x, y) in enumerate(places):
        window.event_simulate(type="MOUSEMOVE", value="NOTHING", x=x, y=y, ctrl=ctrl)
        if index == 0:
            yield from wait(0.2)
            window.event_simulate(type="LEFTMOUSE", value="PRESS", x=x, y=y, ctrl=ctrl)
        yield from wait(0.1)
    window.event_simulate(type="LEFTMOUSE", value="RELEASE", x=places[-1][0], y=places[-1][1], ctrl=ctrl)
    yield from wait(0.5)


def wait(seconds):
    end = time.monotonic() + seconds
    while time.monotonic() < end:
        yield


def until(what, seconds=60.0):
    end = time.monotonic() + seconds
    while not what():
        assert time.monotonic() < end, "it did not happen in time"
        yield


def options():
    return bpy.context.window_manager.quarry


def set_up():
    bpy.context.preferences.view.show_splash = False
    bpy.context.preferences.view.show_developer_ui = False
    bpy.ops.wm.read_homefile(use_empty=False, use_splash=False)
    yield from wait(0.5)
    for each in list(bpy.data.objects):
        if each.type == "MESH":
            bpy.data.objects.remove(each)
    space = view()["area"].spaces.active
    space.shading.type = "SOLID"
    space.shading.color_type = "VERTEX"
    space.shading.show_object_outline = False
    space.overlay.show_floor = False
    space.clip_end = 3000
    yield from show_tab()


def show_tab():
    view()["area"].spaces.active.show_region_ui = True
    yield from wait(0.7)
    side = next(each for each in view()["area"].regions if each.type == "UI")
    side.active_panel_category = "Quarry"
    yield from wait(1.0)


def look(distance, pitch=1.12):
    from mathutils import Euler

    eye = view()["area"].spaces.active.region_3d
    eye.view_location, eye.view_distance = (0, 0, 0), distance
    eye.view_rotation = Euler((pitch, 0, 0.6)).to_quaternion()


def test_a_terrain_comes_while_the_interface_lives_and_every_panel_is_drawn():
    yield from set_up()
    look(330)
    drawn = extension("panel").drawn
    with bpy.context.temp_override(**view()):
        bpy.ops.quarry.terrain_add("EXEC_DEFAULT", kind="showcase", size=512, lods=3, bottom=-128, top=256)
    seen = set()
    began, draws = time.monotonic(), sum(drawn.values())
    pictured = False
    while options().task or time.monotonic() - began < 1:
        seen.add(round(options().progress, 2))
        if not pictured and options().progress > 0.3:
            save_picture("progress")
            pictured = True
        yield
    build = extension("terrain").last_build
    print(f"  {build.chunks} chunks in {time.monotonic() - began:.1f} s, {len(seen)} steps of progress, {sum(drawn.values()) - draws} draws of panels")
    assert build.chunks > 50 and not build.problem and len(seen) > 4
    yield from wait(1.0)
    assert set(drawn) == {each.__name__ for each in extension("panel").CLASSES}, drawn
    picture = save_picture("terrain")
    assert len(numpy.unique(picture.reshape(-1, 3), axis=0)) > 500


def test_strokes_of_the_mouse_sculpt_the_terrain_and_esc_ends_it():
    from quarry.blender.ground import edits_of

    terrain = extension("terrain").selected(bpy.context)
    sculpt = extension("sculpt")

    def seen():
        return sum(len(each.data.vertices) for each in terrain.all_objects), len(edits_of(terrain))

    look(130, 0.9)
    yield from wait(0.5)
    untouched = seen()
    options().brush, options().brush_radius, options().brush_strength = "dig", 6, 1
    with bpy.context.temp_override(**view()):
        assert bpy.ops.quarry.sculpt("INVOKE_DEFAULT") == {"RUNNING_MODAL"}
        assert not bpy.ops.quarry.sculpt.poll()
    yield from wait(0.3)
    yield from drag([(250 + 40 * each, 300 + 25 * each) for each in range(8)])
    print(f"  {sculpt.last}")
    dug = seen()
    assert dug != untouched and dug[1] > 0 and "samples" in sculpt.last, options().problem
    options().brush = "add"
    yield from drag([(620 - 40 * each, 330 + 10 * each) for each in range(6)])
    built = seen()
    assert built != dug and built[1] > dug[1]
    options().brush, options().brush_material = "paint", "2"
    yield from drag([(300 + 60 * each, 480 - 20 * each) for each in range(6)])
    window = bpy.context.window_manager.windows[0]
    for _ in range(40):
        window.event_simulate(type="WHEELDOWNMOUSE", value="PRESS", x=900, y=300)
    yield from wait(0.5)
    window.event_simulate(type="MOUSEMOVE", value="NOTHING", x=520, y=420)
    yield from wait(0.7)
    save_picture("sculpt")
    for _ in range(2):
        window.event_simulate(type="Z", value="PRESS", ctrl=True, x=420, y=400)
        window.event_simulate(type="Z", value="RELEASE", ctrl=True, x=420, y=400)
        yield from wait(0.6)
    assert seen()[0] == dug[0], (seen(), dug, sculpt.last)
    # What is over the sidebar is the sidebar's.
    side = next(each for each in view()["area"].regions if each.type == "UI")
    for x, y, region in ((side.x + side.width // 2, side.y + 10, None), (400, 400, view()["region"]), (5000, 5, None)):
        assert sculpt.view_under(view()["area"], SimpleNamespace(mouse_x=x, mouse_y=y)) == region
    assert sculpt.active
    edits = seen()[1]
    press("ESC")
    yield from until(lambda: not sculpt.active, 10)
    assert bpy.ops.quarry.sculpt.poll() and not options().problem
    yield from drag([(300, 300), (340, 340)])
    assert seen()[1] == edits


def test_esc_takes_a_terrain_back():
    count = len(bpy.data.objects), len(bpy.data.meshes), len(bpy.data.collections)
    with bpy.context.temp_override(**view()):
        bpy.ops.quarry.terrain_add("EXEC_DEFAULT", kind="noise", size=2048, lods=4, voxel=0.5)
    yield from until(lambda: extension("terrain").last_build.chunks > 3)
    press("ESC")
    yield from until(lambda: not options().task)
    yield from wait(0.5)
    assert count == (len(bpy.data.objects), len(bpy.data.meshes), len(bpy.data.collections))


def test_the_demos_crowd_walks_and_k_kills_a_worker_that_comes_back():
    from quarry.blender import session

    bpy.ops.wm.open_mainfile(filepath=os.path.join(WORK, "demo.blend"))
    yield from wait(1.0)
    yield from show_tab()
    look(125, 1.0)
    options().agents = 100
    with bpy.context.temp_override(**view()):
        bpy.ops.quarry.crowd_play("INVOKE_DEFAULT")
    crowd = extension("crowd").current
    assert crowd is not None, options().problem
    yield from wait(6.0)
    restarts = session.engine.stats().restarts
    save_picture("crowd")
    press("K")
    yield from until(lambda: session.engine.stats().restarts > restarts, 10)
    yield from until(lambda: all(each.alive for each in session.engine.health().workers), 10)
    yield from wait(1.5)
    save_picture("killed")
    stats, frames = session.engine.stats(), crowd.loop.stats()
    print(f"  {frames.frames} frames, {frames.mean_latency:.2f} frames late, {stats.restarts} restarts, {stats.lost} lost")
    assert stats.lost == 0 and crowd.loop.running and frames.frames > 5


def test_undo_and_a_second_window_do_not_disturb_the_walk():
    crowd = extension("crowd").current
    with bpy.context.temp_override(**view()):
        bpy.ops.ed.undo_push(message="a")
        bpy.ops.ed.undo_push(message="b")
        bpy.ops.ed.undo()
    yield from wait(1.0)
    assert crowd.loop.running, crowd.loop.problem
    with bpy.context.temp_override(**view()):
        bpy.ops.wm.window_new()
    yield from wait(1.5)
    other = bpy.context.window_manager.windows[-1]
    assert len(bpy.context.window_manager.windows) == 2
    with bpy.context.temp_override(window=other):
        bpy.ops.wm.window_close()
    frames = crowd.loop.stats().frames
    yield from wait(2.0)
    assert crowd.loop.running and crowd.loop.stats().frames > frames


def test_esc_ends_the_walk_and_the_engine_stays():
    from quarry.blender import session

    crowd = extension("crowd").current
    press("ESC")
    yield from until(lambda: not crowd.loop.running, 10)
    assert session.running and not bpy.app.timers.is_registered(crowd.loop._timer)


def test_the_stress_test_shows_its_grade():
    with bpy.context.temp_override(**view()):
        bpy.ops.quarry.stress_test("INVOKE_DEFAULT")
    frames = 0
    yield from wait(1.0)
    while options().task:
        frames += 1
        yield
    report = extension("tests").last
    yield from wait(1.0)
    save_picture("stress")
    print("  " + report.text.replace("\n", "\n  "))
    assert report.title == "Stress Test" and report.figures["lost"] == 0 and frames > 3
    press("ESC")
    yield from wait(0.5)


def test_loading_a_file_ends_the_walk_and_the_engine_stays():
    from quarry.blender import session

    with bpy.context.temp_override(**view()):
        bpy.ops.quarry.crowd_play("INVOKE_DEFAULT")
    crowd = extension("crowd").current
    yield from wait(1.0)
    assert crowd.loop.running
    bpy.ops.wm.read_homefile(use_empty=False)
    yield from wait(1.0)
    assert not crowd.loop.running and session.running and len(children()) == 4


def test_closing_down_leaves_nothing():
    with bpy.context.temp_override(**view()):
        bpy.ops.quarry.terrain_add("EXEC_DEFAULT", kind="noise", size=64, lods=1)
    yield from until(lambda: not options().task)
    with bpy.context.temp_override(**view()):
        assert bpy.ops.quarry.sculpt("INVOKE_DEFAULT") == {"RUNNING_MODAL"}
    yield from wait(0.3)
    disable()
    sculpt = extension("sculpt")
    assert not sculpt.active and sculpt._cursor is None and sculpt._timer is None
    yield from wait(0.5)
    assert not children() and not threads() and not handlers()
    live = extension("live")
    assert not bpy.app.timers.is_registered(live._pump) and not bpy.app.timers.is_registered(live._show)
    enable()
    yield from wait(0.5)


def all_tests():
    failures = 0
    for name, test in [each for each in globals().items() if each[0].startswith("test_")]:
        began = time.monotonic()
        try:
            yield from test()
            print(f"ok      {name[5:].replace('_', ' ')} ({time.monotonic() - began:.1f} s)", flush=True)
        except Exception:
            failures += 1
            print(f"FAILED  {name}\n  " + traceback.format_exc().replace("\n", "\n  "), flush=True)
    print(f"all tests ended, {failures} failures", flush=True)


STEPS = all_tests()


def resume():
    try:
        next(STEPS)
    except StopIteration:
        sys.stdout.flush()
        bpy.ops.wm.quit_blender()
        return None
    return 0.03


bpy.app.timers.register(resume, first_interval=1.0, persistent=True)
