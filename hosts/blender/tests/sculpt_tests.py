"""Sculpting without a mouse: strokes, the chunks that they touch, undo, and what a file keeps."""

import os
import time
from array import array

import bpy
import numpy
from common import fresh, problem, refused
from terrain_tests import _terrain, _vertices, open_edges

WORK, SOAK = "", False
HILLS = {"kind": "noise", "seed": 11, "amplitude": 12, "frequency": 0.02, "octaves": 3, "bottom": -32, "top": 32}


def _hills(**options):
    fresh()
    assert bpy.ops.quarry.terrain_add(**{**HILLS, "size": 128, "lods": 1, **options}) == {"FINISHED"}
    return _terrain()


def _meshes(collection):
    """Key to all that a chunk's mesh holds."""
    found = {}
    for each in collection.all_objects:
        mesh, parts = each.data, []
        for name, field, width in (("position", "vector", 3), ("Color", "color", 4), ("materials", "color", 4)):
            values = numpy.empty(width * len(mesh.vertices), dtype="f4")
            mesh.attributes[name].data.foreach_get(field, values)
            parts.append(values.tobytes())
        corners = numpy.empty(len(mesh.loops), dtype="i4")
        mesh.attributes[".corner_vert"].data.foreach_get("value", corners)
        normals = numpy.empty(3 * len(mesh.loops), dtype="f4")
        mesh.corner_normals.foreach_get("vector", normals)
        found[tuple(each["quarry_chunk"])] = (*parts, corners.tobytes(), normals.tobytes())
    return found


def _height(collection, x, y):
    from quarry.blender.sculpting import sculpture_of

    place = sculpture_of(collection).hit((x, y, 100), (0, 0, -1))
    return None if place is None else place[2]


def _other_keys(before, after):
    return {key for key in before.keys() | after.keys() if before.get(key) != after.get(key)}


def test_only_chunks_whose_samples_changed_are_meshed_and_the_others_are_left():
    import quarry.blender as qb
    from quarry.blender import ground, meshes
    from quarry.blender.sculpting import sculpture_of

    terrain = _hills()
    before, old = _meshes(terrain), sculpture_of(terrain).ground
    filled = []
    fill = meshes.fill_mesh
    meshes.fill_mesh = lambda mesh, arrays: (filled.append(arrays["key"]), fill(mesh, arrays))
    try:
        # Near the corner of four chunks, so that a box around the ball meets more chunks than the ball does.
        report = qb.sculpt(terrain, [(7.1, 7.1, _height(terrain, 7.1, 7.1))], "dig", radius=4)
    finally:
        meshes.fill_mesh = fill
    after, new = _meshes(terrain), sculpture_of(terrain).ground
    # The samples of each chunk, and two beside it, one by one.
    changed, hull = set(), []
    line = numpy.arange(-2, 35, dtype="f8")
    block = numpy.stack(numpy.meshgrid(line, line, line, indexing="ij"), axis=-1).reshape(-1, 3)
    chunks = ground.TerrainSettings.of(terrain).chunks()
    for (lod, *place), _ in chunks:
        points = block + numpy.array(place) * 32
        other = old.densities(points) != new.densities(points)
        if other.any():
            changed.add((lod, *place))
            hull += [points[other].min(axis=0), points[other].max(axis=0)]
    low, high = numpy.min(hull, axis=0), numpy.max(hull, axis=0)
    in_box = [key for key, _ in chunks if all(32 * k - 2 <= b and 32 * k + 34 >= a for k, a, b in zip(key[1:], low, high))]
    print(f"  {len(chunks)} chunks, {len(before)} shown, {len(in_box)} meet the box, {len(changed)} with changed samples, {report.chunks} meshed, {len(filled)} with ground")
    assert report.chunks == len(changed) and set(filled) <= changed and 2 <= len(changed) < len(in_box)
    assert _other_keys(before, after) <= changed and len(_other_keys(before, after)) >= 2
    assert open_edges(terrain.all_objects) == 0


def test_strokes_over_levels_of_detail_leave_no_gap_and_are_what_workers_make_of_the_same_edits():
    import quarry.blender as qb

    terrain = _hills(size=256, lods=3)
    random = numpy.random.default_rng(3)
    chunks = edits = 0
    for turn in range(12):
        x, y = random.uniform(-110, 110, 2)
        places = [(x, y, _height(terrain, x, y)), (x + 9, y + 5, _height(terrain, x, y) - 2)]
        kind = ("dig", "add", "smooth", "raise", "flatten", "paint")[turn % 6]
        report = qb.sculpt(terrain, places, kind, radius=float(random.uniform(2, 8)), strength=0.8, material=turn % 4)
        chunks, edits = chunks + report.chunks, edits + report.edits
    assert open_edges(terrain.all_objects) == 0
    here = _meshes(terrain)
    print(f"  {edits} edits, {chunks} chunks meshed, {len(here)} shown")
    assert {key[0] for key in here} == {0, 1, 2} and chunks < 12 * len(here) / 2
    assert bpy.ops.quarry.terrain_remake() == {"FINISHED"}
    there = _meshes(_terrain())
    assert _other_keys(here, there) == set() and len(here) == len(there)


def test_each_brush_does_what_it_says():
    import quarry.blender as qb

    def at(x, y):
        return (x, y, _height(terrain, x, y))

    terrain = _hills()
    before = _height(terrain, 0, 0)
    qb.sculpt(terrain, [at(0, 0)], "dig", radius=5)
    assert abs(_height(terrain, 0, 0) - (before - 5)) < 0.3
    before = _height(terrain, 20, 20)
    qb.sculpt(terrain, [at(20, 20), at(24, 20)], "add", radius=3)
    assert abs(_height(terrain, 20, 20) - (before + 3)) < 0.3
    before = _height(terrain, -20, 0)
    qb.sculpt(terrain, [at(-20, 0)], "raise", radius=6)
    assert 0.3 < _height(terrain, -20, 0) - before < 1.5
    # The dug bowl is levelled: its rim sinks, its bottom rises.
    for _ in range(6):
        qb.sculpt(terrain, [(0, 0, _height(terrain, 0, 0) + 4)], "smooth", radius=10)
    steepest = max(abs(_height(terrain, x, 0) - _height(terrain, x + 1, 0)) for x in range(-8, 8))
    assert steepest < 2.0, steepest
    places = [at(30, -30), at(36, -30)]
    for _ in range(4):
        qb.sculpt(terrain, places, "flatten", radius=6, softness=0.2)
    line = [(x, _height(terrain, x, -30)) for x in (28, 30, 32, 34)]
    slopes = [(b[1] - a[1]) / (b[0] - a[0]) for a, b in zip(line, line[1:])]
    assert max(slopes) - min(slopes) < 0.1, slopes


def test_paint_shows_in_the_attributes_also_where_the_ground_had_that_material_nowhere():
    import quarry.blender as qb

    terrain = _hills()
    for material in (3, 0, 1):
        z = _height(terrain, 10, 10)
        qb.sculpt(terrain, [(10, 10, z)], "paint", radius=6, material=material, softness=0)
        (chunk,) = [each for each in terrain.all_objects if tuple(each["quarry_chunk"]) == (0, 0, int(z // 32), -1)]
        places, _ = _vertices([chunk])
        weights = numpy.empty(4 * len(places), dtype="f4")
        chunk.data.attributes["materials"].data.foreach_get("color", weights)
        near = numpy.linalg.norm(places - (10, 10, z), axis=1) < 3
        assert near.any() and weights.reshape(-1, 4)[near, material].min() > 0.99, material


def test_a_stroke_is_undone_and_done_again_as_one():
    import quarry.blender as qb

    terrain = _hills()
    first = _meshes(terrain)
    z = _height(terrain, 0, 0)
    assert bpy.ops.quarry.undo_stroke() == {"CANCELLED"}
    qb.sculpt(terrain, [(x, 0, z) for x in range(0, 40, 8)], "dig", radius=4)
    second = _meshes(terrain)
    qb.sculpt(terrain, [(0, 30, _height(terrain, 0, 30))], "add", radius=4)
    third = _meshes(terrain)
    assert first != second != third
    assert bpy.ops.quarry.undo_stroke() == {"FINISHED"} and _meshes(terrain) == second
    assert bpy.ops.quarry.undo_stroke() == {"FINISHED"} and _meshes(terrain) == first
    assert bpy.ops.quarry.undo_stroke() == {"CANCELLED"}
    assert bpy.ops.quarry.redo_stroke() == {"FINISHED"} and _meshes(terrain) == second
    assert bpy.ops.quarry.redo_stroke() == {"FINISHED"} and _meshes(terrain) == third
    assert bpy.ops.quarry.redo_stroke() == {"CANCELLED"} and not problem()


def test_a_file_keeps_the_ground_and_its_undo():
    import quarry.blender as qb
    from quarry.blender import sculpting

    terrain = _hills()
    untouched = _meshes(terrain)
    qb.sculpt(terrain, [(0, 0, _height(terrain, 0, 0)), (12, 0, 0)], "dig", radius=5)
    dug, hash = _meshes(terrain), sculpting.sculpture_of(terrain)._world.content_hash
    path = os.path.join(WORK, "sculpted.blend")
    bpy.ops.wm.save_as_mainfile(filepath=path)
    fresh()
    sculpting.forget_sculptures()
    bpy.ops.wm.open_mainfile(filepath=path)
    terrain = _terrain()
    assert _meshes(terrain) == dug and sculpting.sculpture_of(terrain)._world.content_hash == hash
    assert bpy.ops.quarry.terrain_remake() == {"FINISHED"} and _meshes(_terrain()) == dug
    assert bpy.ops.quarry.undo_stroke() == {"FINISHED"} and _meshes(_terrain()) == untouched


def test_blenders_own_undo_takes_ground_and_edits_back_together():
    import quarry.blender as qb

    _hills()
    bpy.ops.ed.undo_push(message="terrain")
    untouched = _meshes(_terrain())
    qb.sculpt(_terrain(), [(0, 0, _height(_terrain(), 0, 0))], "dig", radius=5)
    bpy.ops.ed.undo_push(message="stroke")
    dug = _meshes(_terrain())
    bpy.ops.ed.undo()
    assert _meshes(_terrain()) == untouched and _height(_terrain(), 0, 0) is not None
    qb.sculpt(_terrain(), [(0, 0, _height(_terrain(), 0, 0))], "dig", radius=5)
    assert _meshes(_terrain()) == dug


def test_ground_that_is_gone_and_ground_that_is_new_change_the_objects():
    import quarry.blender as qb

    fresh()
    text = bpy.data.texts.new("ball.json")
    text.write('{"field": {"type": "sphere", "centre": [16, 16, 16], "radius": 4}}')
    bpy.ops.quarry.terrain_add(kind="json", text="ball.json", size=64, lods=1, bottom=-32, top=32)
    terrain = _terrain()
    assert set(_meshes(terrain)) == {(0, 0, 0, 0)}
    qb.sculpt(terrain, [(16, -16, 16)], "dig", radius=8)
    assert _meshes(terrain) == {} and len(bpy.data.meshes) == 0
    qb.sculpt(terrain, [(-16, 16, -16)], "add", radius=5)
    assert set(_meshes(terrain)) == {(0, -1, -1, -1)} and len(bpy.data.objects) == 1
    assert bpy.ops.quarry.undo_stroke() == bpy.ops.quarry.undo_stroke() == {"FINISHED"}
    assert set(_meshes(terrain)) == {(0, 0, 0, 0)}


def test_the_place_under_a_ray_is_where_blender_sees_the_mesh():
    from quarry.blender.sculpting import sculpture_of

    terrain = _hills()
    bpy.context.view_layer.update()
    sculpture, graph = sculpture_of(terrain), bpy.context.evaluated_depsgraph_get()
    random = numpy.random.default_rng(2)
    hits = 0
    for _ in range(60):
        origin = (*random.uniform(-50, 50, 2), 60)
        away = numpy.array([*random.uniform(-50, 50, 2), 0]) - origin
        away /= numpy.linalg.norm(away)
        seen, place, *_ = bpy.context.scene.ray_cast(graph, origin, away)
        found = sculpture.hit(origin, away)
        if seen and found is not None and numpy.linalg.norm(numpy.array(found) - place) < 0.5:
            hits += 1
    assert hits >= 58, hits
    assert sculpture.hit((0, 0, 60), (0, 0, 1)) is None and sculpture.hit((500, 0, 60), (0, 0, -1)) is None


def test_what_cannot_be_sculpted_is_refused_and_nothing_changes():
    import quarry.blender as qb
    from quarry.blender import sculpting

    terrain = _hills(size=64)
    before = _meshes(terrain)

    def wrong(error, word, what):
        try:
            what()
        except error as found:
            assert word in str(found), found
        else:
            raise AssertionError(f"no error with {word!r}")

    for options in ({"radius": 1e6}, {"radius": float("nan")}, {"strength": 3}, {"kind": "explode"}, {"kind": "paint", "material": 7}):
        wrong(ValueError, "", lambda options=options: qb.sculpt(terrain, [(0, 0, 0)], **options))
    wrong(ValueError, "is not a terrain", lambda: qb.sculpt(bpy.data.collections.new("other"), [(0, 0, 0)]))
    assert _meshes(terrain) == before and len(terrain.get("quarry_edits", ())) == 0
    refused(bpy.ops.quarry.sculpt, "needs a 3D viewport")
    # A log that is full takes no stroke, but undo.
    sculpting.sculpture_of(terrain)
    qb.sculpt(terrain, [(0, 0, 0)], radius=3)
    most, sculpting.MOST_EDITS = sculpting.MOST_EDITS, sculpting._FOR_UNDO + 1
    try:
        wrong(OverflowError, "as many as its file keeps", lambda: qb.sculpt(terrain, [(0, 0, 0)], radius=3))
        assert bpy.ops.quarry.undo_stroke() == {"FINISHED"} and _meshes(terrain) == before
    finally:
        sculpting.MOST_EDITS = most
    for damage, word in ((b"QEDTnonsense", "damaged"), (b"QEDT\x09\x00" + bytes(10), "newer version"), ("text", "damaged"), (7, "damaged")):
        del terrain["quarry_edits"]
        terrain["quarry_edits"] = array("i", damage) if isinstance(damage, bytes) else damage
        refused(bpy.ops.quarry.undo_stroke, word)
        refused(bpy.ops.quarry.terrain_remake, word)
    del terrain["quarry_edits"]
    for each in terrain.all_objects:
        del each["quarry_chunk"]
    wrong(ValueError, "earlier version", lambda: sculpting.Sculpture(terrain))


def test_paths_and_export_see_the_sculpted_ground():
    import quarry.blender as qb
    from common import started
    from quarry.blender.ground import height_batch

    terrain = _hills(size=64)
    z = _height(terrain, 4, 4)
    qb.sculpt(terrain, [(4, 4, z)], "dig", radius=6)
    (height,) = started().run(height_batch(qb.TerrainSettings.of(terrain), numpy.array([4.0]), numpy.array([4.0])))
    assert abs(height - (z - 6)) < 0.3
    path = os.path.join(WORK, "sculpted.ply")
    assert bpy.ops.quarry.terrain_export(filepath=path) == {"FINISHED"}
    with open(path, "rb") as file:
        data = file.read()
    header, body = data.split(b"end_header\n", 1)
    count = next(int(each.split()[2]) for each in header.splitlines() if each.startswith(b"element vertex"))
    stride = len(body[: count * 28]) // count
    places = numpy.frombuffer(body[: count * stride], dtype="u1").reshape(count, stride)[:, :12].copy().view("<f4")
    lowest = places[numpy.hypot(places[:, 0] - 4, places[:, 2] + 4) < 1.5, 1]
    assert len(lowest) and lowest.max() < z - 5


def test_a_stroke_is_quick():
    import quarry.blender as qb

    terrain = _hills(size=512, lods=2, voxel=1)
    times, chunks = [], []
    for x in range(-40, 40, 2):
        z = _height(terrain, x, 3)
        start = time.perf_counter()
        chunks.append(qb.sculpt(terrain, [(x, 3, z), (x + 2, 3, z)], "dig", radius=4).chunks)
        times.append((time.perf_counter() - start) * 1e3)
    median = sorted(times)[len(times) // 2]
    print(f"  a short stroke over {numpy.mean(chunks):.1f} chunks of {len(terrain.all_objects)} takes {median:.1f} ms")
    assert median < 500 and max(chunks) <= 12
