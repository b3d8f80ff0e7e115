"""Add > Mesh > Quarry Terrain."""

import json
import os
import struct

import bpy
import numpy
from common import extension, fresh, problem, refused, started

WORK, SOAK = "", False


def _terrain():
    (found,) = [each for each in bpy.data.collections if "quarry_terrain" in each]
    return found


def _vertices(objects):
    """All vertices in world space, and triangles."""
    places, faces, base = [], [], 0
    for each in objects:
        mesh = each.data
        own = numpy.empty(3 * len(mesh.vertices), dtype="f4")
        mesh.attributes["position"].data.foreach_get("vector", own)
        places.append(own.reshape(-1, 3).astype("f8") + numpy.array(each.location))
        corners = numpy.empty(len(mesh.loops), dtype="i4")
        mesh.attributes[".corner_vert"].data.foreach_get("value", corners)
        faces.append(corners.reshape(-1, 3) + base)
        base += len(mesh.vertices)
    return numpy.concatenate(places), numpy.concatenate(faces)


def test_hills_have_the_shape_that_the_field_says():
    from quarry.terrain import Field

    fresh()
    assert bpy.ops.quarry.terrain_add(kind="noise", seed=7, size=64, lods=1, amplitude=20, frequency=0.02, octaves=3) == {"FINISHED"}
    places, faces = _vertices(_terrain().all_objects)
    assert len(places) > 4000 and abs(places[:, :2]).max() == 32
    field = Field.noise(7, 3, 0.02, 20)
    density = field.densities(numpy.column_stack([places[:, 0], places[:, 2], -places[:, 1]]))
    assert abs(density).max() < 0.6, abs(density).max()
    a, b, c = (places[faces[:, each]] for each in range(3))
    assert (numpy.cross(b - a, c - a)[:, 2] > -1e-6).mean() > 0.99  # the upper side is the front


def open_edges(objects):
    """Edges of one triangle only, inside the terrain."""
    places, faces = _vertices(objects)
    keys, names = numpy.unique(numpy.rint(places * 256).astype("i8"), axis=0, return_inverse=True)
    faces = names.reshape(-1)[faces]
    faces = faces[(faces[:, 0] != faces[:, 1]) & (faces[:, 1] != faces[:, 2]) & (faces[:, 2] != faces[:, 0])]
    edges = numpy.sort(numpy.concatenate([faces[:, [0, 1]], faces[:, [1, 2]], faces[:, [2, 0]]]), axis=1)
    found, counts = numpy.unique(edges, axis=0, return_counts=True)
    half = abs(keys[:, :2]).max()
    inside = (abs(keys[found.reshape(-1), :2]).max(axis=1).reshape(-1, 2).min(axis=1)) < half
    print(f"  {len(places)} vertices, {len(faces)} triangles")
    return int(((counts == 1) & inside).sum())


def test_levels_of_detail_have_collections_and_no_gap_between_them():
    fresh()
    assert bpy.ops.quarry.terrain_add(kind="noise", size=256, lods=3, bottom=-64, top=64, frequency=0.01) == {"FINISHED"}
    names = sorted(each.name for each in _terrain().children)
    assert names == ["Quarry Terrain LOD 0", "Quarry Terrain LOD 1", "Quarry Terrain LOD 2"]
    assert all(len(each.objects) for each in _terrain().children)
    assert open_edges(_terrain().all_objects) == 0


def test_meshes_are_valid_and_have_normals_colours_and_materials():
    fresh()
    assert bpy.ops.quarry.terrain_add(kind="showcase", size=64, lods=1, bottom=-64, top=64) == {"FINISHED"}
    for each in list(_terrain().all_objects):
        mesh = each.data
        assert not mesh.validate(verbose=True), each.name
        if bpy.app.version >= (4, 5, 0):
            assert mesh.has_custom_normals
        colours = numpy.empty(4 * len(mesh.vertices), dtype="f4")
        mesh.attributes["materials"].data.foreach_get("color", colours)
        assert abs(colours.reshape(-1, 4).sum(axis=1) - 1).max() < 0.01
        assert mesh.attributes["Color"].domain == "POINT" and mesh.materials[0].name == "Quarry Ground"


def test_normals_are_those_of_the_mesher():
    from quarry.blender import fill_mesh
    from quarry.blender.terrain_jobs import terrain_chunk

    arrays = terrain_chunk((("noise", 1, 4, 0.02, 32.0), (0, 0, 0, 0), 0, 32, 1.0))
    mesh = bpy.data.meshes.new("one")
    fill_mesh(mesh, arrays)
    found = numpy.empty(3 * len(mesh.loops), dtype="f4")
    mesh.corner_normals.foreach_get("vector", found)
    expected = arrays["normals"].reshape(-1, 3)[arrays["indices"]]
    assert abs(found.reshape(-1, 3) - expected).max() < (1e-5 if bpy.app.version >= (4, 5, 0) else 5e-3)


def test_a_text_block_describes_a_field_and_errors_are_said():
    fresh()
    text = bpy.data.texts.new("ball.json")
    text.write(json.dumps({"field": {"type": "sphere", "centre": [0, 0, 0], "radius": 12}}))
    assert bpy.ops.quarry.terrain_add(kind="json", text="ball.json", size=64, lods=1) == {"FINISHED"}
    places, _ = _vertices(_terrain().all_objects)
    assert abs(numpy.linalg.norm(places, axis=1) - 12).max() < 0.1
    count = len(bpy.data.objects)
    text.clear()
    text.write('{"field": {"type": "spher"}}')
    refused(bpy.ops.quarry.terrain_add, "spher", kind="json", text="ball.json")
    refused(bpy.ops.quarry.terrain_add, "no text block", kind="json", text="other")
    refused(bpy.ops.quarry.terrain_add, "chunks", size=65536, lods=1)
    assert len(bpy.data.objects) == count


def test_an_image_of_the_file_becomes_ground():
    fresh()
    image = bpy.data.images.new("ramp", 33, 33, float_buffer=True)
    pixels = numpy.ones((33, 33, 4), dtype="f4")
    pixels[:, :, :3] = numpy.linspace(0, 1, 33)[:, None, None]  # dark at the lower edge, y = -32
    image.pixels.foreach_set(pixels.reshape(-1))
    assert bpy.ops.quarry.terrain_add(kind="image", image="ramp", size=64, lods=1, amplitude=30, bottom=-32, top=64) == {"FINISHED"}
    places, _ = _vertices(_terrain().all_objects)
    inner = places[abs(places[:, :2]).max(axis=1) < 30]
    expected = (inner[:, 1] + 32) / 64 * 30
    assert abs(inner[:, 2] - expected).max() < 1.0, abs(inner[:, 2] - expected).max()


def _bump(name, height):
    """An image with one bright spot in the middle."""
    image = bpy.data.images.get(name) or bpy.data.images.new(name, 65, 65, float_buffer=True)
    away = numpy.hypot(*numpy.mgrid[-32:33, -32:33]) / 32
    pixels = numpy.ones((65, 65, 4), dtype="f4")
    pixels[:, :, :3] = (height * numpy.clip(1 - away, 0, 1))[:, :, None]
    image.pixels.foreach_set(pixels.reshape(-1))
    return image


def _add_from(name):
    return bpy.ops.quarry.terrain_add(kind="image", image=name, size=64, lods=1, amplitude=30, bottom=-32, top=64)


def test_a_terrain_of_an_image_is_made_anew_and_sculpted_after_the_file_was_opened_again():
    import quarry.blender as qb

    fresh()
    _bump("hill", 0.8)
    assert _add_from("hill") == {"FINISHED"}
    before = _vertices(_terrain().all_objects)[0]
    # The image changes, and the files of this session are gone, as after a restart.
    bpy.data.images.remove(bpy.data.images["hill"])
    path = os.path.join(WORK, "image.blend")
    bpy.ops.wm.save_as_mainfile(filepath=path)
    fresh()
    bpy.ops.quarry.stop()
    left = [each for each in os.listdir(bpy.app.tempdir) if each.startswith("quarry_heights")]
    assert left
    for each in left:
        os.remove(os.path.join(bpy.app.tempdir, each))
    bpy.ops.wm.open_mainfile(filepath=path)
    assert bpy.ops.quarry.terrain_remake() == {"FINISHED"}
    after = _vertices(_terrain().all_objects)[0]
    assert (numpy.unique(before, axis=0) == numpy.unique(after, axis=0)).all()
    report = qb.sculpt(_terrain(), [(0.0, 0.0, 24.0)], "dig", radius=6)
    assert report.samples > 100 and report.chunks >= 1
    dug = _vertices(_terrain().all_objects)[0]
    bpy.ops.wm.save_as_mainfile(filepath=path)
    bpy.ops.wm.open_mainfile(filepath=path)
    assert bpy.ops.quarry.terrain_remake() == {"FINISHED"}
    again = _vertices(_terrain().all_objects)[0]
    assert (numpy.unique(dug, axis=0) == numpy.unique(again, axis=0)).all()


def test_an_image_that_was_changed_gives_other_ground_under_its_name():
    fresh()
    _bump("hill", 0.8)
    assert _add_from("hill") == {"FINISHED"}
    high = _vertices(_terrain().all_objects)[0][:, 2].max()
    fresh()
    _bump("hill", 0.4)
    assert _add_from("hill") == {"FINISHED"}
    low = _vertices(_terrain().all_objects)[0][:, 2].max()
    assert abs(high - 24) < 1 and abs(low - 12) < 1, (high, low)


def test_damaged_heights_are_said_and_the_meshes_stay():
    fresh()
    _bump("hill", 0.8)
    assert _add_from("hill") == {"FINISHED"}
    count = len(bpy.data.objects)
    for wrong in ([5, 1, 2], "text", [10_000_000, 0]):
        del _terrain()["quarry_heights"]
        _terrain()["quarry_heights"] = wrong
        refused(bpy.ops.quarry.terrain_remake, "heights in this file are damaged")
    assert len(bpy.data.objects) == count


def test_a_terrain_is_made_anew_from_the_file_and_one_of_a_newer_version_is_refused():
    fresh()
    bpy.ops.quarry.terrain_add(kind="noise", seed=3, size=64, lods=1)
    before = _vertices(_terrain().all_objects)[0]
    path = os.path.join(WORK, "saved.blend")
    bpy.ops.wm.save_as_mainfile(filepath=path)
    bpy.ops.wm.open_mainfile(filepath=path)
    assert bpy.ops.quarry.terrain_remake() == {"FINISHED"}
    after = _vertices(_terrain().all_objects)[0]
    assert (numpy.unique(before, axis=0) == numpy.unique(after, axis=0)).all()
    _terrain()["quarry_terrain"] = json.dumps({"format": 99, "something": "new"})
    count = len(bpy.data.objects)
    refused(bpy.ops.quarry.terrain_remake, "newer version")
    assert len(bpy.data.objects) == count
    _terrain()["quarry_terrain"] = "nonsense"
    refused(bpy.ops.quarry.terrain_remake, "damaged")


def test_export_writes_files_that_hold_the_terrain():
    fresh()
    bpy.ops.quarry.terrain_add(kind="showcase", size=64, lods=1, bottom=-64, top=32)
    path = os.path.join(WORK, "terrain.glb")
    assert bpy.ops.quarry.terrain_export(filepath=path) == {"FINISHED"}
    with open(path, "rb") as file:
        magic, version, length = struct.unpack("<4sII", file.read(12))
    assert magic == b"glTF" and version == 2 and length == os.path.getsize(path)
    refused(bpy.ops.quarry.terrain_export, "cannot be written to /nowhere", filepath="/nowhere/terrain.glb")
    refused(bpy.ops.quarry.terrain_export, "end in one of", filepath=os.path.join(WORK, "terrain.xyz"))


def test_a_terrain_that_is_given_up_leaves_nothing_behind():
    from quarry.blender import TerrainBuild, TerrainSettings

    fresh()
    session = started()
    build = TerrainBuild(session, TerrainSettings(size=512, lods=2))
    while build.chunks < 5:
        session.pump(0.01)
    build.cancel()
    session.engine.drain(20)
    session.pump(1.0)
    assert not session.busy and len(bpy.data.objects) == 0 and len(bpy.data.meshes) == 0 and not bpy.data.collections
    # A terrain whose collection somebody deletes meanwhile ends with the reason.
    build = TerrainBuild(session, TerrainSettings(size=256))
    while build.chunks < 2:
        session.pump(0.001)
    extension("terrain").remove_terrain(build.root)
    session.wait(build.call)
    assert "was deleted" in build.problem and len(bpy.data.objects) == 0


def test_two_scenes_have_terrains_of_their_own():
    fresh()
    first = bpy.context.scene
    bpy.ops.quarry.terrain_add(size=32, lods=1)
    other = bpy.data.scenes.new("other")
    with bpy.context.temp_override(scene=other):
        assert extension("terrain").selected(bpy.context) is None
        bpy.ops.quarry.terrain_add(size=32, lods=1, seed=9)
        assert extension("terrain").selected(bpy.context).name == "Quarry Terrain.001"
    assert extension("terrain").selected(bpy.context).name == "Quarry Terrain"
    assert {each.name for each in first.collection.children} == {"Quarry Terrain"}
    assert {each.name for each in other.collection.children} == {"Quarry Terrain.001"} and not problem()
