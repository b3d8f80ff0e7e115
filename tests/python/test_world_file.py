"""Files of edits from Python."""

import os
import subprocess
import sys
import textwrap

import pytest
import quarry
from quarry import edits, terrain, world_file

numpy = pytest.importorskip("numpy")

GROUND = 7


def _ball():
    return terrain.Field.from_json({"field": {"type": "sphere", "centre": [16, 16, 16], "radius": 10}})


def _mesh(world):
    return terrain.bake(terrain.extract(world.field(), (0, 0, 0, 0)))


def _dig(stroke, at=(16.0, 26.0, 16.0)):
    return edits.Edit("dig", at=at, radius=5, stroke=stroke)


_FIRST_START = """
    import sys
    from quarry import edits, terrain, world_file
    ball = terrain.Field.from_json({"field": {"type": "sphere", "centre": [16, 16, 16], "radius": 10}})
    world = edits.EditWorld(ball)
    file = world_file.WorldFile(world, sys.argv[1], ground=7)
    world.apply(edits.Edit("dig", at=(16, 26, 16), radius=5, stroke=1))
    world.apply(edits.Edit("paint", at=(6, 16, 16), radius=3, material=2, stroke=2))
    file.save()
    assert file.stats.saved == 2
    print(world.content_hash, flush=True)
    import os
    os.kill(os.getpid(), 9)
"""


def test_a_second_start_shows_the_holes_of_one_that_was_killed_after_saving(tmp_path):
    path = tmp_path / "ball.quarry"
    environment = dict(os.environ, PYTHONPATH=os.pathsep.join(sys.path))
    first = subprocess.run(
        [sys.executable, "-c", textwrap.dedent(_FIRST_START), path], env=environment, capture_output=True, text=True
    )
    assert first.returncode == -9, first.stderr
    untouched = _mesh(edits.EditWorld(_ball()))
    world = edits.EditWorld(_ball())
    with world_file.WorldFile(world, path, ground=GROUND) as file:
        file.load()
        assert file.stats.is_loaded and file.stats.edits == 2 and file.stats.loaded_bricks > 0
        assert world.content_hash == int(first.stdout)
        dug = _mesh(world)
        assert numpy.linalg.norm(dug.positions - (16, 26, 16), axis=1).min() == pytest.approx(5, abs=0.2)
        assert len(dug.positions) != len(untouched.positions)
    assert world_file.check(path) == []


def test_the_ground_of_a_file_appears_by_updates_near_places_first(tmp_path):
    path = tmp_path / "ball.quarry"
    world = edits.EditWorld(_ball())
    with world_file.WorldFile(world, path) as file:
        world.apply(_dig(1))
        world.apply(_dig(2, (16.0, 6.0, 16.0)))
    again = edits.EditWorld(_ball())
    appeared = []
    with world_file.WorldFile(again, path, read_only=True) as file:
        for _ in range(2_000):
            appeared += file.update([(16, 26, 16)])
            if file.stats.is_loaded:
                break
        assert file.stats.is_loaded
        appeared += file.update()
    assert any(all(a <= b <= c for a, b, c in zip(low, (16, 24, 16), high)) for low, high in appeared)
    assert again.content_hash == world.content_hash


def test_a_box_is_loaded_when_it_is_asked_for(tmp_path):
    path = tmp_path / "ball.quarry"
    world = edits.EditWorld(_ball())
    with world_file.WorldFile(world, path):
        world.apply(_dig(1))
    again = edits.EditWorld(_ball())
    with world_file.WorldFile(again, path) as file:
        file.load(((10, 20, 10), (20, 30, 20)))
        assert again.content_hash == world.content_hash


def test_edits_are_saved_without_being_asked_and_when_the_file_is_closed(tmp_path):
    path = tmp_path / "ball.quarry"
    world = edits.EditWorld(_ball())
    file = world_file.WorldFile(world, path, batch=0)
    world.apply(_dig(1))
    for _ in range(100_000):
        file.update()
        if file.stats.saved == 1:
            break
    assert file.stats.saved == 1 and file.stats.batches >= 1 and file.stats.problem == ""
    world.apply(_dig(2))
    file.close()
    assert world_file.info(path).edits == 2
    with pytest.raises(quarry.Error, match="closed"):
        file.save()
    file.close()


def test_what_a_file_says_of_itself(tmp_path):
    path = tmp_path / "ball.quarry"
    world = edits.EditWorld(_ball(), voxel_size=0.5)
    with world_file.WorldFile(world, path, ground=GROUND):
        world.apply(edits.Edit("dig", at=(16, 26, 16), radius=2))
    said = world_file.info(path)
    assert (said.voxel_size, said.ground, said.edits) == (0.5, GROUND, 1)
    assert said.bricks > 0 and said.brick_bytes > 0 and said.file_bytes > said.brick_bytes


def test_the_file_may_outlive_its_world(tmp_path):
    path = tmp_path / "ball.quarry"
    world = edits.EditWorld(_ball())
    file = world_file.WorldFile(world, path)
    world.apply(_dig(1))
    del world
    file.close()
    assert world_file.info(path).edits == 1


def test_files_that_cannot_be_opened_are_refused_in_one_line_and_left_as_they_are(tmp_path):
    path = tmp_path / "ball.quarry"
    with world_file.WorldFile(edits.EditWorld(_ball()), path, ground=GROUND):
        pass
    before = path.read_bytes()
    for what, open_it in {
        "another ground": lambda: world_file.WorldFile(edits.EditWorld(_ball()), path, ground=8),
        "another voxel size": lambda: world_file.WorldFile(edits.EditWorld(_ball(), voxel_size=2.0), path, ground=GROUND),
        "a folder": lambda: world_file.WorldFile(edits.EditWorld(_ball()), tmp_path),
    }.items():
        with pytest.raises(quarry.Error) as refused:
            open_it()
        assert len(str(refused.value).splitlines()) == 1, what
    assert path.read_bytes() == before
    other = tmp_path / "text"
    other.write_text("this is no world\n" * 100)
    with pytest.raises(quarry.Error, match="text"):
        world_file.WorldFile(edits.EditWorld(_ball()), other)
    with pytest.raises(quarry.Error, match="text"):
        world_file.info(other)
    with pytest.raises(quarry.Error):
        world_file.check(tmp_path / "nothing")
    assert other.read_text() == "this is no world\n" * 100


def test_two_do_not_write_one_file(tmp_path):
    path = tmp_path / "ball.quarry"
    with world_file.WorldFile(edits.EditWorld(_ball()), path):
        with pytest.raises(quarry.Error, match="ball.quarry"):
            world_file.WorldFile(edits.EditWorld(_ball()), path)


def test_what_cannot_be_is_said_before_anything_is_opened(tmp_path):
    path = tmp_path / "ball.quarry"
    dug = edits.EditWorld(_ball())
    dug.apply(_dig(1))
    with pytest.raises(ValueError):
        world_file.WorldFile(dug, path)
    fresh = edits.EditWorld(_ball())
    with pytest.raises(ValueError, match="ground must be 0"):
        world_file.WorldFile(fresh, path, ground=-1)
    with pytest.raises(ValueError, match="batch must be 0 to 60"):
        world_file.WorldFile(fresh, path, batch=61)
    assert not path.exists()
    with world_file.WorldFile(fresh, path) as file, pytest.raises(ValueError, match="three numbers"):
        file.update([(1.0, 2.0)])


def test_a_damaged_file_is_found_out(tmp_path):
    path = tmp_path / "ball.quarry"
    world = edits.EditWorld(_ball())
    with world_file.WorldFile(world, path):
        world.apply(_dig(1))
    import sqlite3

    with sqlite3.connect(path) as database:
        tables = [name for (name,) in database.execute("select name from sqlite_master where type = 'table'")]
        for table in tables:
            columns = [row[1] for row in database.execute(f"pragma table_info({table})") if row[2].upper() == "BLOB"]
            for column in columns:
                database.execute(f"update {table} set {column} = substr({column}, 1, length({column}) - 1) || x'55'")
    database.close()
    problems = world_file.check(path)
    assert problems and all(problems)
