"""Edits from Python."""

import pickle
import random

import pytest
from quarry import edits, terrain

numpy = pytest.importorskip("numpy")


def _ball():
    return terrain.Field.from_json({"field": {"type": "sphere", "centre": [16, 16, 16], "radius": 10}})


def test_a_dig_shows_in_the_mesh_and_undo_gives_the_first_bits_back():
    world = edits.EditWorld(_ball())
    before = world.content_hash
    first = terrain.bake(terrain.extract(world.field(), (0, 0, 0, 0)))
    report = world.apply(edits.Edit("dig", at=(16, 26, 16), radius=5, stroke=1))
    assert report.done and report.samples > 100
    assert all(low < at < high for low, at, high in zip(report.low, (16, 24, 16), report.high))
    dug = terrain.bake(terrain.extract(world.field(), (0, 0, 0, 0)))
    assert numpy.linalg.norm(dug.positions - (16, 26, 16), axis=1).min() == pytest.approx(5, abs=0.2)
    assert world.undo() == edits.Edit("undo", radius=1.0, editor=0, stroke=1)
    assert world.content_hash == before and world.undo() is None
    again = terrain.bake(terrain.extract(world.field(), (0, 0, 0, 0)))
    assert (again.positions == first.positions).all() and (again.normals == first.normals).all()
    assert world.redo() is not None and world.content_hash != before
    assert world.stats.applied == 3 and world.stats.strokes == 1


def _random_edits(seed, count):
    dice = random.Random(seed)
    kinds = ("add", "dig", "smooth", "flatten", "raise", "paint")
    for stroke in range(count):
        yield edits.Edit(
            dice.choice(kinds),
            at=tuple(dice.uniform(4, 28) for _ in range(3)),
            radius=dice.uniform(1, 6),
            shape=dice.choice(("sphere", "box", "capsule")),
            extent=(dice.uniform(1, 4), 2.0, 3.0),
            strength=dice.uniform(0.2, 1),
            falloff=dice.uniform(0, 1),
            amount=dice.uniform(-2, 2),
            material=dice.randrange(4),
            editor=dice.randrange(2),
            stroke=stroke,
        )


def test_the_same_edits_give_the_same_world_wherever_they_are_applied():
    worlds = [edits.EditWorld(_ball()) for _ in range(2)]
    for edit in _random_edits(5, 40):
        worlds[0].apply(edit)
        worlds[1].apply(pickle.loads(pickle.dumps(edit)))
    for editor in (0, 1, 0):
        worlds[1].apply(worlds[0].undo(editor))
    assert worlds[0].content_hash == worlds[1].content_hash
    untouched = edits.EditWorld(_ball()).content_hash
    assert worlds[0].content_hash != untouched
    for editor in (0, 1):
        while worlds[0].undo(editor):
            pass
    assert worlds[0].content_hash == untouched


def test_an_earlier_field_stays_as_it_was():
    world = edits.EditWorld(_ball())
    earlier = world.field()
    world.apply(edits.Edit("dig", at=(16, 16, 16), radius=4))
    later = world.field()
    del world
    assert earlier.densities([[16, 16, 16]])[0] < 0 < later.densities([[16, 16, 16]])[0]
    with pytest.raises(TypeError, match="send the field below it"):
        pickle.dumps(later)


def test_paint_and_stamps():
    world = edits.EditWorld(_ball())
    assert terrain.bake(terrain.extract(world.field(), (0, 0, 0, 0))).materials is None
    world.apply(edits.Edit("paint", at=(16, 26, 16), radius=6, material=3))
    assert (terrain.bake(terrain.extract(world.field(), (0, 0, 0, 0))).materials[:, 3] == 255).sum() > 20
    small = terrain.Field.from_json({"field": {"type": "sphere", "centre": [0, 0, 0], "radius": 2}})
    stamp = world.add_stamp(small, 3)
    world.apply(edits.Edit("add", at=(28, 28, 28), radius=3, shape="stamp", stamp=stamp))
    assert world.field().densities([[28, 28, 28]])[0] < 0
    with pytest.raises(ValueError):
        world.add_stamp(small, float("nan"))


@pytest.mark.parametrize(
    "wrong",
    [
        {"kind": "explode"},
        {"shape": "cone"},
        {"radius": 1e9},
        {"radius": float("nan")},
        {"at": (float("inf"), 0, 0)},
        {"strength": 2},
        {"material": 4, "kind": "paint"},
        {"editor": 70_000},
        {"stroke": -1},
        {"shape": "stamp", "stamp": 5},
    ],
)
def test_wrong_edits_change_nothing(wrong):
    world = edits.EditWorld(_ball())
    before = world.content_hash
    with pytest.raises(ValueError):
        world.apply(edits.Edit(**wrong))
    assert world.content_hash == before and world.stats.applied == 0


def test_wrong_worlds_are_refused():
    for wrong in ({"voxel_size": 0}, {"voxel_size": float("nan")}, {"undo_bytes": 10}):
        with pytest.raises(ValueError):
            edits.EditWorld(_ball(), **wrong)
