"""What it costs inside Blender, beside what a user would do instead, in one run: `blender -b --python bench.py -- [FILE.json]`."""

import itertools
import json
import multiprocessing
import statistics
import sys
import time

import bpy
import numpy
from quarry import bench
from quarry.blender import fill_mesh, place_objects, set_positions
from quarry.blender.terrain_jobs import terrain_chunk
from quarry.handlers import compute_heavy
from quarry.reports import machine

ROUNDS = 7
JOBS = 6000
figures = {"machine": machine(), "blender": bpy.app.version_string, "rows": {}}


def say(name, value):
    figures["rows"][name] = value
    print(f"  {name:<66} {value:,.3f}" if isinstance(value, float) else f"  {name:<66} {value}", flush=True)


def throughput():
    """compute_heavy: four workers, and what else there is."""
    multiprocessing.set_executable(sys.executable)
    # Children of multiprocessing would import this file, and with it bpy, which they do not have.
    vars(sys.modules["__main__"]).pop("__file__", None)
    row = bench.Row("compute_heavy", "jobs/s", "higher", "")
    bench._WORKERS = 2
    bench._bare_throughput(row, JOBS)
    bench._WORKERS = 4
    bench._quarry_throughput(row, JOBS)
    bench._queue_throughput(row, JOBS)
    bench._pool_throughput(row, JOBS)

    def plain():
        start = time.perf_counter()
        for _ in range(JOBS // 4):
            compute_heavy((10, 50))
        return JOBS / 4 / (time.perf_counter() - start)

    row.add("plain Python in the main thread", plain)
    row.run(ROUNDS)
    for engine in row.values:
        say(f"compute_heavy, {engine}, jobs/s", row.median(engine))
    for engine in ("quarry submit_many", "quarry one by one"):
        for other in ("two bare processes", "multiprocessing.Queue", "ProcessPoolExecutor", "plain Python in the main thread"):
            say(f"{engine} / {other}", row.ratio(engine, other))


def in_turns(rounds, *functions):
    """Median milliseconds of each, and the median ratio of the first to the second within a round."""
    times = [[] for _ in functions]
    for turn in range(rounds + 3):
        for index in sorted(range(len(functions)), key=lambda each: (each + turn) % len(functions)):
            start = time.perf_counter()
            functions[index]()
            times[index].append((time.perf_counter() - start) * 1e3)
    times = [each[3:] for each in times]
    return [statistics.median(each) for each in times], statistics.median(a / b for a, b in zip(times[0], times[1]))


def agents():
    """1,000 agents: points of one mesh, and objects."""
    bpy.ops.wm.read_homefile(use_empty=True)
    scene = bpy.context.scene
    mesh = bpy.data.meshes.new("points")
    mesh.vertices.add(1000)
    points = bpy.data.objects.new("points", mesh)
    scene.collection.objects.link(points)
    points.instance_type = "VERTS"
    agent = bpy.data.objects.new("agent", bpy.data.meshes.new("agent"))
    agent.data.from_pydata([(0, 0, 0), (1, 0, 0), (0, 1, 0)], [], [(0, 1, 2)])
    agent.parent = points
    scene.collection.objects.link(agent)
    places = numpy.random.default_rng(1).uniform(-50, 50, (1000, 3)).astype("f4")
    bpy.context.view_layer.update()
    setting, updating = [], []
    for turn in range(60):
        places[:, 0] += 0.01
        start = time.perf_counter()
        set_positions(mesh, places)
        middle = time.perf_counter()
        bpy.context.view_layer.update()
        updating.append((time.perf_counter() - middle) * 1e3)
        setting.append((middle - start) * 1e3)
    graph = bpy.context.evaluated_depsgraph_get()
    shown = numpy.array([tuple(each.matrix_world.translation) for each in graph.object_instances if each.is_instance])
    assert shown.shape == (1000, 3) and abs(shown - places).max() < 1e-4, "the agents are not where they were put"
    say("1,000 agents as points of one mesh, ms", statistics.median(setting))
    say("1,000 agents as points: the scene's update after it, ms", statistics.median(updating))
    objects = []
    for each in range(1000):
        made = bpy.data.objects.new(f"o{each}", agent.data)
        scene.collection.objects.link(made)
        objects.append(made)
    bpy.context.view_layer.update()
    listed = [tuple(each) for each in places.tolist()]

    def bare():
        for each, place in zip(objects, listed):
            each.location = place

    (ours, plain), ratio = in_turns(40, lambda: place_objects(objects, places), bare)
    say("1,000 agents as objects, ms", ours)
    say("1,000 agents as objects / a bare loop of assignments", ratio)


def chunk_of_2000_vertices():
    """The first one of the showcase that has about as many."""
    for x, y, z in itertools.product(range(-4, 5), (-1, 0, 1), range(-4, 5)):
        arrays = terrain_chunk((("showcase", 42), (0, x, y, z), 0, 38, 1.0))
        if arrays is not None and 1800 <= len(arrays["positions"]) // 3 <= 2200:
            return arrays
    raise RuntimeError("no chunk of the showcase has about 2,000 vertices")


def chunk():
    """A chunk into a mesh, and the bare calls."""
    bpy.ops.wm.read_homefile(use_empty=True)
    arrays = chunk_of_2000_vertices()
    positions, indices, normals = arrays["positions"], arrays["indices"], arrays["normals"]
    starts = numpy.arange(0, len(indices), 3, dtype="i4")
    wanted = {"positions": positions, "indices": indices, "normals": normals}
    made = []

    def ours():
        mesh = bpy.data.meshes.new("ours")
        fill_mesh(mesh, wanted)
        made.append(mesh)

    def bare():
        mesh = bpy.data.meshes.new("bare")
        mesh.vertices.add(len(positions) // 3)
        mesh.loops.add(len(indices))
        mesh.polygons.add(len(indices) // 3)
        mesh.attributes["position"].data.foreach_set("vector", positions)
        mesh.attributes[".corner_vert"].data.foreach_set("value", indices)
        mesh.polygons.foreach_set("loop_start", starts)
        mesh.update(calc_edges=True)
        mesh.attributes.new("custom_normal", "FLOAT_VECTOR", "POINT").data.foreach_set("vector", normals)
        made.append(mesh)

    def with_lists():
        mesh = bpy.data.meshes.new("lists")
        mesh.from_pydata(positions.reshape(-1, 3).tolist(), [], indices.reshape(-1, 3).tolist())
        mesh.normals_split_custom_set_from_vertices(normals.reshape(-1, 3).tolist())
        made.append(mesh)

    (mine, plain, lists), ratio = in_turns(60, ours, bare, with_lists)
    say("vertices of the chunk", len(positions) // 3)
    say("a chunk into a mesh, ms", mine)
    say("a chunk into a mesh, the bare calls, ms", plain)
    say("a chunk into a mesh, from_pydata, ms", lists)
    say("a chunk into a mesh / the bare calls", ratio)


def main(words):
    agents()
    chunk()
    throughput()
    if words:
        with open(words[0], "w") as file:
            json.dump(figures, file, indent=2)


if __name__ == "__main__":
    main(sys.argv[sys.argv.index("--") + 1 :] if "--" in sys.argv else [])
