"""Another add-on that uses Quarry: which of many guards can the camera see, and where do their shots end?"""

import numpy
import quarry.blender as qb

random = numpy.random.default_rng(1)
guards = random.uniform(-50, 50, (5000, 3)).astype("f4")
inside = [[0, 0, 1, 0], [1, 0, 0, 25]]  # planes: z above 0, x above -25
wall = qb.share_mesh("wall", [[-60, 30, -60], [60, 30, -60], [60, 30, 60], [-60, 30, 60]], [[0, 1, 2], [0, 2, 3]])

qb.session.start(workers=2)  # nothing happens if it runs already
seen = qb.session.run(qb.visible(guards, numpy.ones(5000), inside, eye=(0, 0, 0), distance=40))
shots = qb.cast_rays(wall, guards[seen], numpy.tile([0, 1, 0], (int(seen.sum()), 1)))


def hit(answer):
    distances, triangles = answer
    print(f"{(triangles >= 0).sum()} of {seen.sum()} shots meet the wall, the nearest after {distances.min():.2f} m")


call = qb.session.send(shots, done=hit)  # Blender goes on; `hit` is called by its timer
if qb.session.wake is None:  # there is no interface, and so no timer: wait here
    qb.session.wait(call)
