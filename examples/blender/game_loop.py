"""A frame loop of an add-on: thirty times a second it asks the workers, and moves the points of a mesh."""

import bpy
import numpy
import quarry.blender as qb

COUNT = 1000
mesh = bpy.data.meshes.new("Flock")
mesh.vertices.add(COUNT)
bpy.context.scene.collection.objects.link(bpy.data.objects.new("Flock", mesh))
places = numpy.random.default_rng(1).uniform(-40, 40, (COUNT, 3)).astype("f4")
speeds = numpy.zeros((COUNT, 3), dtype="f4")
targets = -places


def steer(first, values):
    speeds[first : first + len(values)] = values


def frame(number):
    batch = qb.steering(places, speeds, targets, parts=2)
    for job in batch.payloads:
        # The last two parts of a payload are its range. A value that comes more than two frames late is dropped.
        loop.submit("steer", job, lambda values, first=job[-2]: steer(first, values))
    places[:] += speeds / 30
    qb.set_positions(bpy.data.meshes["Flock"], places)  # by name: undo makes another object of everything


qb.session.start(workers=2)
loop = qb.FrameLoop(qb.session, frame, hertz=30)
loop.start()  # a timer of Blender; loading a file ends it, as loop.stop() does
