"""Terrain from Python."""

import gc
import json
import os

import pytest
from quarry import terrain

numpy = pytest.importorskip("numpy")


def test_densities_are_those_of_the_description(tmp_path):
    description = _sphere()
    field = terrain.Field.from_json(description)
    found = field.densities([[16, 16, 16], [30, 16, 16]])
    assert found.dtype == numpy.float32 and found[0] < 0 < found[1]
    path = tmp_path / "world.json"
    path.write_text(json.dumps(description))
    assert (terrain.Field.from_json(path).densities([[16, 16, 16], [30, 16, 16]]) == found).all()
    assert (terrain.Field.from_json(json.dumps(description)).densities([[16, 16, 16], [30, 16, 16]]) == found).all()


def _sphere():
    return {"field": {"type": "sphere", "centre": [16, 16, 16], "radius": 10}}


def test_wrong_descriptions_are_said():
    with pytest.raises(ValueError):
        terrain.Field.from_json({"type": "no such field"})
    with pytest.raises(ValueError, match="shape"):
        terrain.Field.noise().densities([1, 2, 3])


def test_a_sphere_is_a_closed_surface_of_the_right_size():
    mesh = terrain.bake(terrain.extract(terrain.Field.from_json(_sphere()), (0, 0, 0, 0)))
    radii = numpy.linalg.norm(mesh.positions - 16, axis=1)
    assert abs(radii - 10).max() < 0.1
    assert numpy.linalg.norm(mesh.normals, axis=1) == pytest.approx(1, abs=1e-3)
    outward = ((mesh.positions - 16) / radii[:, None] * mesh.normals).sum(axis=1)
    assert outward.min() > 0.9
    triangles = mesh.indices.reshape(-1, 3).astype(int)
    edges = {(a, b) for t in triangles for a, b in ((t[0], t[1]), (t[1], t[2]), (t[2], t[0]))}
    assert len(edges) == 3 * len(triangles) and all((b, a) in edges for a, b in edges)
    assert mesh.key == (0, 0, 0, 0) and mesh.materials is None


def test_arrays_are_views_that_keep_their_mesh():
    mesh = terrain.bake(terrain.extract(terrain.Field.showcase(), (2, 0, 0, 0)))
    positions, indices, materials = mesh.positions, mesh.indices, mesh.materials
    assert positions.__array_interface__["data"][0] == mesh.positions.__array_interface__["data"][0]
    assert not positions.flags.writeable and materials.shape == (len(positions), 4)
    expected = positions.copy(), indices.copy()
    del mesh
    gc.collect()
    others = [terrain.bake(terrain.extract(terrain.Field.noise(seed), (0, 0, 0, 0))) for seed in range(5)]
    assert (positions == expected[0]).all() and (indices == expected[1]).all()
    assert len(others) == 5


def test_chunks_without_a_surface_say_so():
    assert terrain.extract(terrain.Field.noise(), (0, 0, 50, 0)).content == "rejected"
    assert terrain.extract(terrain.Field.noise(), (0, 0, 0, 0)).content == "surface"
    with pytest.raises(ValueError, match="cells"):
        terrain.extract(terrain.Field.noise(), (0, 0, 0, 0), cells=31)


def test_workers_and_the_pool_make_the_same_meshes(start):
    field = terrain.Field.noise()
    keys = [(0, x, y, 0) for x in range(3) for y in (-1, 0, 50)]
    on_pool = terrain.mesh_chunks(field, keys, workers=2)
    engine = start("quarry.terrain")
    in_workers = list(engine.map("mesh_chunk", [(field, key) for key in keys]))
    for one, other in zip(on_pool, in_workers):
        assert (one is None) == (other is None)
        if one is not None:
            assert one.key == other["key"]
            assert (one.positions == other["positions"]).all() and (one.indices == other["indices"]).all()
    assert any(one is None for one in on_pool) and any(one is not None for one in on_pool)


def test_masks_change_the_mesh():
    field = terrain.Field.noise()
    plain, masked = terrain.mesh_chunks(field, [(0, 0, 0, 0)] * 2, [0, terrain.LOW_X | terrain.HIGH_X])
    assert len(plain.indices) != len(masked.indices)
    with pytest.raises(ValueError, match="masks"):
        terrain.mesh_chunks(field, [(0, 0, 0, 0)], [])


@pytest.mark.parametrize("kind", ["glb", "obj", "ply", "stl"])
def test_export_writes_a_whole_file(tmp_path, kind):
    meshes = terrain.mesh_chunks(terrain.Field.noise(), [(0, x, 0, 0) for x in range(2)])
    path = tmp_path / f"world.{kind}"
    terrain.export(meshes, path)
    assert path.stat().st_size > 1000
    assert os.listdir(tmp_path) == [path.name]


def test_export_that_fails_says_why(tmp_path):
    with pytest.raises(ValueError, match="glb, obj, ply, stl"):
        terrain.export([], tmp_path / "world.xyz")
    meshes = terrain.mesh_chunks(terrain.Field.noise(), [(0, 0, 0, 0)])
    with pytest.raises((OSError, ValueError)):
        terrain.export(meshes, tmp_path / "no" / "such" / "folder.glb")
