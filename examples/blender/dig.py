"""Digs a ditch across a terrain, smooths a part of it, undoes that and redoes it."""

import bpy
import quarry.blender as qb

bpy.ops.quarry.terrain_add(kind="noise", size=64, lods=1, amplitude=8)
terrain = bpy.data.collections["Quarry Terrain"]

report = qb.sculpt(terrain, [(-20, 0, 0), (0, 5, 0), (20, 0, 0)], "dig", radius=5)
print(f"{report.edits} edits changed {report.samples:,} samples in {report.chunks} chunks")
qb.sculpt(terrain, [(0, 5, -3)], "smooth", radius=8, strength=0.7)
qb.undo_stroke(terrain)
qb.redo_stroke(terrain)
