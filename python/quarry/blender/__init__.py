"""Worker processes, frame loops and terrain for add-ons of Blender.

    import quarry.blender as qb

    qb.session.start(workers=4)
    visible = qb.session.run(qb.visible(centres, radii, planes))

The functions for workers are in `quarry.blender.jobs`. Nothing here imports bpy before it is needed: workers import this
package, too, and have no bpy.
"""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from .batches import (
        Batch as Batch,
        Grid as Grid,
        NavigationMesh as NavigationMesh,
        cast_rays as cast_rays,
        collisions as collisions,
        paths as paths,
        share_mesh as share_mesh,
        steering as steering,
        visible as visible,
        ways as ways,
    )
    from .crowd import Crowd as Crowd
    from .ground import TerrainBuild as TerrainBuild
    from .ground import TerrainSettings as TerrainSettings
    from .loop import FrameLoop as FrameLoop
    from .meshes import fill_mesh as fill_mesh
    from .meshes import place_objects as place_objects
    from .meshes import set_positions as set_positions
    from .sculpting import redo_stroke as redo_stroke
    from .sculpting import sculpt as sculpt
    from .sculpting import undo_stroke as undo_stroke
    from ._session import Call as Call
    from ._session import Session as Session
    from ._session import session as session

_WHERE = {
    "Batch": "batches",
    "Grid": "batches",
    "NavigationMesh": "batches",
    "cast_rays": "batches",
    "collisions": "batches",
    "paths": "batches",
    "share_mesh": "batches",
    "steering": "batches",
    "visible": "batches",
    "ways": "batches",
    "Crowd": "crowd",
    "TerrainBuild": "ground",
    "TerrainSettings": "ground",
    "FrameLoop": "loop",
    "fill_mesh": "meshes",
    "place_objects": "meshes",
    "set_positions": "meshes",
    "redo_stroke": "sculpting",
    "sculpt": "sculpting",
    "undo_stroke": "sculpting",
    "Call": "_session",
    "Session": "_session",
    "session": "_session",
}

__all__ = sorted(_WHERE)


def __getattr__(name: str) -> object:
    import importlib

    where = _WHERE.get(name)
    if where is None:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    value = getattr(importlib.import_module("." + where, __name__), name)
    globals()[name] = value
    return value
