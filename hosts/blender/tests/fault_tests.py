"""Bad input: one clear message in the panel, and Blender goes on."""

import os
import stat
import sys

import bpy
from common import children, enable, disable, extension, fresh, problem, refused, started, threads

WORK, SOAK = "", False


def _goes_on():
    """The engine starts, computes and stops."""
    from quarry.blender import Batch

    assert started().run(Batch("echo", [5], list)) == [5] and not problem()
    bpy.ops.quarry.stop()
    assert not children() and not threads()


def test_a_worker_that_imports_bpy_gets_the_reason():
    from quarry.blender import Batch

    fresh()
    session = started()
    for name in ("bpy", "bpy.types", "quarry.blender.meshes"):
        try:
            session.run(Batch(__import__, [name], list))
            raise AssertionError(f"{name} was imported")
        except ImportError as error:
            assert "cannot be imported in a worker: it belongs to the host's process" in str(error)
    assert session.run(Batch("echo", [1], list)) == [1]


def test_ten_thousand_workers_are_refused():
    fresh(stop=True)
    options = bpy.context.window_manager.quarry
    options.workers = 10_000
    assert options.workers == 64  # the panel does not go further
    options.workers = 4
    from quarry.blender import session

    try:
        session.start(workers=10_000)
        raise AssertionError("they were started")
    except ValueError as error:
        assert "1 to 64, not 10,000" in str(error)
    _goes_on()


def test_a_python_that_cannot_run_is_said():
    fresh(stop=True)
    folder = os.path.join(WORK, "not executable")
    os.makedirs(folder, exist_ok=True)
    fake = os.path.join(folder, "python")
    with open(fake, "w") as file:
        file.write("#!/bin/sh\nexit 1\n")
    os.chmod(fake, stat.S_IRUSR | stat.S_IWUSR)
    true, sys.executable = sys.executable, fake
    try:
        refused(bpy.ops.quarry.start, "cannot be started")
        print("  " + problem())
        refused(bpy.ops.quarry.terrain_add, "cannot be started")
        assert "python" in problem().lower() or "permission" in problem().lower()
    finally:
        sys.executable = true
    assert not children() and not threads()
    _goes_on()


def test_without_numpy_there_is_one_panel_with_the_reason():
    fresh(stop=True)
    disable()
    kept = {name: sys.modules.pop(name) for name in list(sys.modules) if name == "numpy" or name.startswith("numpy.")}
    sys.modules["numpy"] = None
    try:
        enable()
        assert "NumPy" in extension("trouble").reason and hasattr(bpy.types, "QUARRY_PT_trouble")
        assert not hasattr(bpy.types, "QUARRY_PT_engine")
    finally:
        disable()
        del sys.modules["numpy"]
        sys.modules.update(kept)
        enable()
    assert not hasattr(bpy.types, "QUARRY_PT_trouble")
    _goes_on()


def test_a_new_version_of_the_zip_under_an_old_library_asks_for_a_restart():
    fresh(stop=True)
    manifest = os.path.join(os.path.dirname(extension("trouble").__file__), "blender_manifest.toml")
    with open(manifest) as file:
        text = file.read()
    disable()
    try:
        with open(manifest, "w") as file:
            file.write(text.replace('version = "0.', 'version = "9.', 1) if 'version = "0.' in text else text)
        enable()
        assert "restart Blender" in extension("trouble").reason
    finally:
        disable()
        with open(manifest, "w") as file:
            file.write(text)
        enable()
    _goes_on()


def test_no_place_for_temporary_files_does_not_matter():
    import tempfile

    fresh(stop=True)
    before = tempfile.tempdir
    tempfile.tempdir = "/nowhere"
    try:
        _goes_on()
    finally:
        tempfile.tempdir = before
