"""A crowd on the terrain, and the frame loop that moves it."""

import bpy
from quarry.blender import Crowd, TerrainSettings, session, set_positions
from quarry.blender.crowd import walkways

from . import engine, live, settings, terrain
from .actions import Action

POINTS = "Quarry Crowd"
current = None


def end():
    """Ends the loop; the agents stay where they are."""
    global current
    crowd, current = current, None
    if crowd is not None:
        crowd.loop.stop()


def agents_object(scene, count):
    """One point for each agent; the agent's mesh is shown at every point."""
    points = bpy.data.objects.get(POINTS)
    if points is None or points.type != "MESH" or points.name not in scene.objects:
        points = bpy.data.objects.new(POINTS, bpy.data.meshes.new(POINTS))
        scene.collection.objects.link(points)
        points.instance_type = "VERTS"
        agent = bpy.data.objects.new("Quarry Agent", agent_mesh())
        agent.parent = points
        scene.collection.objects.link(agent)
    mesh = points.data
    if len(mesh.vertices) != count:
        mesh.clear_geometry()
        mesh.vertices.add(count)
    return points


def agent_mesh():
    """A slim pyramid."""
    mesh = bpy.data.meshes.get("Quarry Agent")
    if mesh is None:
        mesh = bpy.data.meshes.new("Quarry Agent")
        base = [(-0.5, -0.5, 0.2), (0.5, -0.5, 0.2), (0.5, 0.5, 0.2), (-0.5, 0.5, 0.2)]
        mesh.from_pydata([*base, (0, 0, 2.6)], [], [(3, 2, 1, 0), (0, 1, 4), (1, 2, 4), (2, 3, 4), (3, 0, 4)])
        material = bpy.data.materials.get("Quarry Agent") or bpy.data.materials.new("Quarry Agent")
        material.diffuse_color = (0.9, 0.25, 0.05, 1)
        material.use_nodes = True
        for node in material.node_tree.nodes:
            if node.type == "BSDF_PRINCIPLED":
                node.inputs["Base Color"].default_value = (0.9, 0.25, 0.05, 1)
        mesh.materials.append(material)
    return mesh


def make(context, count):
    """A crowd on the scene's terrain. ValueError says why there is none."""
    engine.need(context)
    collection = terrain.selected(context)
    if collection is None:
        raise ValueError("there is no terrain in this scene: Add > Mesh > Quarry Terrain")
    wanted = TerrainSettings.of(collection)
    ways = walkways(session, wanted, cells=97)
    mesh_name = agents_object(context.scene, count).data.name

    def show(places):
        # By name, as undo makes another object of everything.
        mesh = bpy.data.meshes.get(mesh_name)
        if mesh is None or len(mesh.vertices) != len(places):
            raise ValueError("the crowd's points were deleted or changed")
        set_positions(mesh, places)

    crowd = Crowd(session, ways, count, show=show)
    show(crowd.places)
    return crowd


def walking(context):
    return current is not None and current.loop.running


class QUARRY_OT_crowd_play(Action, bpy.types.Operator):
    """Let a crowd find its way over the terrain at 30 Hz. Esc ends it, K kills a worker"""

    bl_idname = "quarry.crowd_play"
    bl_label = "Play Crowd"
    usable = staticmethod(lambda context: not walking(context))

    def execute(self, context):
        global current
        try:
            current = make(context, settings.of(context).agents)
            current.loop.start()
        except Exception as error:
            current = None
            return self.refuse(context, f"The crowd cannot walk: {engine.short(error)}")
        settings.say_problem(context, "")
        return {"FINISHED"}

    def invoke(self, context, event):
        if self.execute(context) == {"CANCELLED"}:
            return {"CANCELLED"}
        if bpy.app.background:
            return {"FINISHED"}
        self._crowd = current
        context.window_manager.modal_handler_add(self)
        return {"RUNNING_MODAL"}

    def modal(self, context, event):
        crowd = self._crowd
        if not crowd.loop.running:
            if crowd.loop.problem:
                self.refuse(context, f"The crowd stopped: {crowd.loop.problem}")
            live.redraw()
            return {"FINISHED"}
        if event.value == "PRESS" and event.type == "ESC":
            end()
            live.redraw()
            return {"FINISHED"}
        if event.value == "PRESS" and event.type == "K":
            bpy.ops.quarry.kill_worker()
            return {"RUNNING_MODAL"}
        return {"PASS_THROUGH"}


class QUARRY_OT_crowd_stop(Action, bpy.types.Operator):
    """End the crowd's walk"""

    bl_idname = "quarry.crowd_stop"
    bl_label = "Stop Crowd"
    usable = staticmethod(walking)

    def execute(self, context):
        end()
        live.redraw()
        return {"FINISHED"}


CLASSES = (QUARRY_OT_crowd_play, QUARRY_OT_crowd_stop)


def register():
    for each in CLASSES:
        bpy.utils.register_class(each)


def unregister():
    end()
    for each in reversed(CLASSES):
        bpy.utils.unregister_class(each)
