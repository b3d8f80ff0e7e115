#include "help.hpp"

namespace quarry::godot {

const char* const kHelp = R"XML(<?xml version="1.0" encoding="UTF-8" ?>
<class name="QuarryTerrain" inherits="Node3D" version="4.5">
<brief_description>A terrain of any size, streamed around the camera.</brief_description>
<description>Shows a world around the current camera, or around [member viewer]: fine near by, coarse far away. Worker threads make the meshes; the main thread hands over what is ready within [member budget_ms]. What is drawn has no hole and no overlap in any frame.</description>
<tutorials></tutorials>
<methods>
<method name="regenerate"><return type="void" /><description>Makes the world anew. What is shown stays until the new world is complete. Also ends what [method clear] has begun.</description></method>
<method name="clear"><return type="void" /><description>Takes the world away until [method regenerate] is called.</description></method>
<method name="is_ready_around"><return type="bool" /><param index="0" name="position" type="Vector3" /><param index="1" name="radius" type="float" /><description>Whether all of the ground within [param radius] of the global [param position] is shown as planned. Ask before a player may fall.</description></method>
<method name="sample"><return type="float" /><param index="0" name="position" type="Vector3" /><description>The density at a global position: negative in the ground, positive in the air, 0 on the surface.</description></method>
<method name="dig"><return type="bool" /><param index="0" name="position" type="Vector3" /><param index="1" name="radius" type="float" /><description>Digs a ball out of the ground, at a global position. False if nothing has changed. Shown together in all levels of detail, near by in the same frame where the budget allows.</description></method>
<method name="add"><return type="bool" /><param index="0" name="position" type="Vector3" /><param index="1" name="radius" type="float" /><description>Adds a ball to the ground.</description></method>
<method name="smooth"><return type="bool" /><param index="0" name="position" type="Vector3" /><param index="1" name="radius" type="float" /><param index="2" name="strength" type="float" /><description>Smooths the ground in a ball, by a strength of 0 to 1.</description></method>
<method name="paint"><return type="bool" /><param index="0" name="position" type="Vector3" /><param index="1" name="radius" type="float" /><param index="2" name="material" type="int" /><description>Paints one of the materials 0 to 3. It shows in worlds that have materials.</description></method>
<method name="begin_stroke"><return type="void" /><description>Edits from here on are undone together.</description></method>
<method name="undo"><return type="bool" /><description>Undoes the last stroke. False: there is none.</description></method>
<method name="redo"><return type="bool" /><description>Does again what was undone. False: there is nothing.</description></method>
<method name="save"><return type="bool" /><description>Waits until all edits are in [member save_file]. They are saved by themselves all the time; this is for the moment before something final.</description></method>
<method name="raycast"><return type="Dictionary" /><param index="0" name="from" type="Vector3" /><param index="1" name="direction" type="Vector3" /><param index="2" name="reach" type="float" /><description>Where a ray first meets the ground, edits included: [code]position[/code] and [code]distance[/code]. Empty if it does not.</description></method>
<method name="flatten"><return type="bool" /><param index="0" name="position" type="Vector3" /><param index="1" name="radius" type="float" /><param index="2" name="normal" type="Vector3" /><param index="3" name="strength" type="float" /><description>Moves the ground in a ball towards the plane through [param position] with that [param normal], by a strength of 0 to 1.</description></method>
<method name="raise"><return type="bool" /><param index="0" name="position" type="Vector3" /><param index="1" name="radius" type="float" /><param index="2" name="amount" type="float" /><description>Raises the ground in a ball by so many metres. A negative amount lowers it.</description></method>
<method name="edit"><return type="bool" /><param index="0" name="brush" type="Dictionary" /><description>Any edit: [code]kind[/code] (dig, add, smooth, flatten, raise, paint), [code]shape[/code] (sphere, box, capsule), [code]position[/code], [code]radius[/code]; [code]size[/code] of a box, [code]end[/code] of a capsule, [code]normal[/code] of flatten, [code]amount[/code] of raise, [code]material[/code] of paint; [code]strength[/code] and [code]falloff[/code]. A box lies along the node's axes. What is wrong is said by [signal failed].</description></method>
<method name="apply_edit"><return type="bool" /><param index="0" name="bytes" type="PackedByteArray" /><description>Makes an edit of somebody else, as [signal edit_made] gave it there. All who apply the same edits in the same order have the same ground.</description></method>
<method name="remove_part"><return type="bool" /><param index="0" name="position" type="Vector3" /><description>Takes out the loose piece that the global [param position] lies in, as [signal part_loosened] gave it. False if it is not loose, or no longer.</description></method>
<method name="take_part"><return type="Dictionary" /><param index="0" name="position" type="Vector3" /><description>Takes out the loose piece that the global [param position] lies in, as [method remove_part] does, and gives what a [RigidBody3D] is made of: [code]position[/code] (global, of its middle), [code]mesh[/code] (an [ArrayMesh] around that, with the terrain's looks), [code]shape[/code] (a [ConvexPolygonShape3D]) and [code]volume[/code] (cubic metres). Empty if there is no loose piece.</description></method>
<method name="end_stroke"><return type="void" /><description>The next edit begins another stroke.</description></method>
<method name="load"><return type="bool" /><param index="0" name="file" type="String" /><description>Takes another [member save_file] now. False, with the reason by [signal failed]: it cannot be used, and the world stays as it is. An empty name: edits are kept in no file, and the ground is as if there were none.</description></method>
<method name="wait_ready_around"><return type="Signal" /><param index="0" name="position" type="Vector3" /><param index="1" name="radius" type="float" /><description>For [code]await[/code]: goes on once all of the ground within [param radius] of the global [param position] is shown as planned. The ground has to be within the viewer's reach.</description></method>
<method name="ground_below"><return type="Dictionary" /><param index="0" name="position" type="Vector3" /><param index="1" name="reach" type="float" /><description>The highest ground straight below a global position: [code]position[/code] and [code]distance[/code]. Empty if there is none so close.</description></method>
<method name="export_mesh"><return type="bool" /><param index="0" name="file" type="String" /><description>Writes what is planned around the viewer as .glb, .obj, .ply or .stl. It is meshed anew, and the call waits for that. False, with the reason by [signal failed].</description></method>
<method name="add_body"><return type="void" /><param index="0" name="body" type="Object" /><description>Makes the ground around a node of class Node3D solid, wherever it goes: for bodies that move far away from the viewer, who needs none. A RigidBody3D is woken up when the ground changes. At most 255.</description></method>
<method name="remove_body"><return type="void" /><param index="0" name="body" type="Object" /><description>Ends what [method add_body] has begun. A node that is freed needs no call.</description></method>
<method name="is_collision_ready_around"><return type="bool" /><param index="0" name="position" type="Vector3" /><param index="1" name="radius" type="float" /><description>Whether all of the ground within [param radius] of the global [param position] is solid as it is now, for physics. Only near the viewer and near bodies of [method add_body].</description></method>
<method name="add_viewer"><return type="void" /><param index="0" name="viewer" type="Node3D" /><description>Streams around one more node, at most 63 beside the first: a second player, a place that is soon looked at.</description></method>
<method name="remove_viewer"><return type="void" /><param index="0" name="viewer" type="Node3D" /><description>No longer streams around that node.</description></method>
<method name="get_monitor"><return type="float" /><param index="0" name="name" type="String" /><description>One figure, as the debugger shows them under Monitors.</description></method>
<method name="check_shown"><return type="String" /><description>Looks for holes, overlaps and open seams in what is drawn. Empty if there are none. For tests: it takes milliseconds.</description></method>
<method name="lose_chunk"><return type="bool" /><param index="0" name="key" type="Vector3i" /><param index="1" name="lod" type="int" /><param index="2" name="is_lost" type="bool" /><description>For tests of pictures: does not draw a chunk, as if it had been lost, or draws it again. False: it is not shown. [method check_shown] does not notice.</description></method>
<method name="fail_chunks"><return type="void" /><param index="0" name="what" type="String" /><param index="1" name="count" type="int" /><description>For tests of what happens when something goes wrong: makes the world anew, and the [code]field[/code], a [code]worker[/code] or its [code]memory[/code] fails so many times. Each failure is told by [signal failed].</description></method>
<method name="get_chunks"><return type="PackedInt32Array" /><description>All chunks that are drawn or on their way, five numbers each: x, y and z of the key in chunks of its level, the level, and the state, which counts as the names in [code]states[/code] of [method get_stats] do.</description></method>
<method name="get_stats"><return type="Dictionary" /><description>Figures: chunks in each state, queues, jobs of each worker, uploads, time of the main thread, memory.</description></method>
</methods>
<members>
<member name="world" type="int" setter="set_world" getter="get_world">What the world is: hills of noise, the showcase with mountains and caves, or what [member description] says.</member>
<member name="seed" type="int" setter="set_seed" getter="get_seed">Another number is another world.</member>
<member name="min_height" type="float" setter="set_min_height" getter="get_min_height">Below this height of the node's space all is ground that cannot be dug: caves and holes end there with a floor. Nothing is meshed below it. -1,000,000: there is no limit.</member>
<member name="max_height" type="float" setter="set_max_height" getter="get_max_height">Above this height of the node's space all is air: mountains end there with a flat top, and nothing can be built higher. Nothing is meshed above it. 1,000,000: there is no limit.</member>
<member name="octaves" type="int" setter="set_octaves" getter="get_octaves">Layers of noise.</member>
<member name="frequency" type="float" setter="set_frequency" getter="get_frequency">Waves per metre of the first layer.</member>
<member name="amplitude" type="float" setter="set_amplitude" getter="get_amplitude">Greatest height above the middle.</member>
<member name="offset" type="float" setter="set_offset" getter="get_offset">Height of the middle.</member>
<member name="lacunarity" type="float" setter="set_lacunarity" getter="get_lacunarity">Each layer has so many times the frequency of the last one.</member>
<member name="persistence" type="float" setter="set_persistence" getter="get_persistence">Each layer has so many times the height of the last one.</member>
<member name="description" type="String" setter="set_description" getter="get_description">A field as JSON text, used where [member world] says so. It comes before [member description_resource] and [member description_file].</member>
<member name="description_resource" type="JSON" setter="set_description_resource" getter="get_description_resource">A field as a JSON resource, used where [member description] is empty. Call [method regenerate] after its data has changed.</member>
<member name="description_file" type="String" setter="set_description_file" getter="get_description_file">A file with a field as JSON. Heightmaps are looked for in its folder.</member>
<member name="save_file" type="String" setter="set_save_file" getter="get_save_file">A file that keeps what is edited, such as user://world.db. It is made if it is not there. Empty: edits last as long as the node.</member>
<member name="editor" type="int" setter="set_editor" getter="get_editor">Whose edits are made here. [method undo] takes back only those; players who edit one world over a network have a number each.</member>
<member name="texture_size" type="float" setter="set_texture_size" getter="get_texture_size">Metres that a texture covers.</member>
<member name="material" type="Material" setter="set_material" getter="get_material">A material for the whole terrain instead of the built-in one. [code]COLOR[/code] holds the weights of the four materials where the world has materials.</member>
<member name="texture_0" type="Texture2D" setter="set_texture_0" getter="get_texture_0">Texture of the built-in material for grass (material 0), drawn from three sides. None: a plain colour.</member>
<member name="texture_1" type="Texture2D" setter="set_texture_1" getter="get_texture_1">Texture of the built-in material for rock (material 1), drawn from three sides. None: a plain colour.</member>
<member name="texture_2" type="Texture2D" setter="set_texture_2" getter="get_texture_2">Texture of the built-in material for snow (material 2), drawn from three sides. None: a plain colour.</member>
<member name="texture_3" type="Texture2D" setter="set_texture_3" getter="get_texture_3">Texture of the built-in material for earth (material 3), drawn from three sides. None: a plain colour.</member>
<member name="cross_fade" type="float" setter="set_cross_fade" getter="get_cross_fade">Seconds in which a chunk fades into those of another level of detail that replace it, pixel by pixel. 0: they change in one frame. Edits and other worlds never fade, nor does a terrain with a [member material] of one's own.</member>
<member name="voxel_size" type="float" setter="set_voxel_size" getter="get_voxel_size">Metres between samples of the finest level.</member>
<member name="chunk_cells" type="int" setter="set_chunk_cells" getter="get_chunk_cells">Voxels along a side of a chunk, an even number.</member>
<member name="lod_distance" type="float" setter="set_lod_distance" getter="get_lod_distance">Closer than this all is of the finest level. Each further level reaches twice as far.</member>
<member name="lod_levels" type="int" setter="set_lod_levels" getter="get_lod_levels">Levels of detail.</member>
<member name="view_distance" type="float" setter="set_view_distance" getter="get_view_distance">How far the world reaches.</member>
<member name="viewer" type="NodePath" setter="set_viewer" getter="get_viewer">The node around which the world is shown. Empty: the current camera.</member>
<member name="view_weight" type="float" setter="set_view_weight" getter="get_view_weight">By how much what lies behind the viewer counts as further away.</member>
<member name="worker_threads" type="int" setter="set_worker_threads" getter="get_worker_threads">Threads that make meshes. 0: one for each CPU. Terrains with equal numbers share them.</member>
<member name="budget_ms" type="float" setter="set_budget_ms" getter="get_budget_ms">Most time that a frame of the main thread may spend on the terrain.</member>
<member name="uploads_per_frame" type="int" setter="set_uploads_per_frame" getter="get_uploads_per_frame">Most events that are handed over in a frame. 0: as the budget allows.</member>
<member name="pending" type="int" setter="set_pending" getter="get_pending">Most chunks on their way at once.</member>
<member name="collision_enabled" type="bool" setter="set_collision_enabled" getter="get_collision_enabled">Whether the ground is solid for physics, in a running game, near the viewer and near bodies of [method add_body].</member>
<member name="collision_radius" type="float" setter="set_collision_radius" getter="get_collision_radius">How far around them. At most about 8 chunks.</member>
<member name="collision_layer" type="int" setter="set_collision_layer" getter="get_collision_layer">The physics layers that the ground is in.</member>
<member name="collision_mask" type="int" setter="set_collision_mask" getter="get_collision_mask">The physics layers that the ground looks for. Ground does not move, so this rarely matters.</member>
<member name="debug_view" type="int" setter="set_debug_view" getter="get_debug_view">Colours for the levels of detail, borders of chunks, a wireframe, or the states of chunks.</member>
</members>
<signals>
<signal name="terrain_ready"><description>The ground around the viewer is complete. Once after each start and each change of the world.</description></signal>
<signal name="chunk_shown"><param index="0" name="key" type="Vector3i" /><param index="1" name="lod" type="int" /><description>A chunk appears. [param key] counts in chunks of that level.</description></signal>
<signal name="chunk_hidden"><param index="0" name="key" type="Vector3i" /><param index="1" name="lod" type="int" /><description>A chunk goes.</description></signal>
<signal name="edited"><param index="0" name="box" type="AABB" /><description>Edits within a global [param box] are shown now. For grass, navigation and the like.</description></signal>
<signal name="edit_made"><param index="0" name="bytes" type="PackedByteArray" /><description>An edit was made here: send [param bytes] to the others, who hand them to [method apply_edit].</description></signal>
<signal name="part_loosened"><param index="0" name="box" type="AABB" /><param index="1" name="inside" type="Vector3" /><description>An edit has cut a piece off from the ground. [param inside] is a point in it, for [method remove_part]. Pieces are looked for only while somebody listens.</description></signal>
<signal name="saved"><description>All edits are in [member save_file].</description></signal>
<signal name="failed"><param index="0" name="message" type="String" /><description>A description cannot be read, a chunk cannot be made, or a viewer is out of range. What was shown stays.</description></signal>
</signals>
<constants>
<constant name="WORLD_NOISE" value="0" enum="World">Hills of noise.</constant>
<constant name="WORLD_SHOWCASE" value="1" enum="World">Mountains with caves.</constant>
<constant name="WORLD_DESCRIPTION" value="2" enum="World">What [member description] says.</constant>
<constant name="DEBUG_OFF" value="0" enum="DebugView">The world as it is.</constant>
<constant name="DEBUG_LODS" value="1" enum="DebugView">A colour for each level of detail.</constant>
<constant name="DEBUG_BORDERS" value="2" enum="DebugView">These colours, and lines along the borders of chunks.</constant>
<constant name="DEBUG_WIREFRAME" value="3" enum="DebugView">Triangles, where the renderer can draw them.</constant>
<constant name="DEBUG_STATES" value="4" enum="DebugView">What is at work at each place: green where all is as planned; grey, red, orange and yellow where a finer or coarser chunk is planned, queued, being meshed or ready; blue where a chunk goes.</constant>
</constants>
</class>
)XML";

}  // namespace quarry::godot
