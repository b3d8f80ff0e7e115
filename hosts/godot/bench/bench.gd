# What a chunk costs the main thread: handed over by QuarryTerrain, and by add_surface_from_arrays with as many vertices, in one
# run. Both with an instance, and with the release of the chunk that it replaces.
extends SceneTree

const ROUNDS := 5
const GROUND := """{"field": {"type": "noise", "seed": 42, "octaves": 4, "frequency": 0.06, "amplitude": 32},
	"materials": {"ground": 0, "layers": [{"material": 1, "slope": {"from": 38, "blend": 12}}]}}"""


func _initialize() -> void:
	run.call_deferred()


func run() -> void:
	OS.low_processor_usage_mode_sleep_usec = 1
	Engine.max_fps = 120
	var camera := Camera3D.new()
	camera.position = Vector3(0, 30, 0)
	get_root().add_child(camera)
	var terrain := QuarryTerrain.new()
	terrain.view_distance = 512
	# Rough ground with materials: some 2,000 vertices a chunk, each with four weights.
	terrain.world = QuarryTerrain.WORLD_DESCRIPTION
	terrain.description = GROUND
	terrain.pending = 65536
	terrain.collision_enabled = false
	get_root().add_child(terrain)
	await terrain.terrain_ready
	var ours := []
	var theirs := []
	var vertices := 0
	for i in ROUNDS:
		var before := terrain.get_stats()
		camera.position.x += 400
		await let_workers_end(terrain)
		terrain.budget_ms = 4
		terrain.uploads_per_frame = 0
		while not terrain.get_stats().at_rest:
			await process_frame
		var after := terrain.get_stats()
		var chunks: int = after.uploaded - before.uploaded
		vertices = (after.uploaded_vertices - before.uploaded_vertices) / chunks
		ours.append((after.events_us - before.events_us) / chunks)
		theirs.append(await usual_way(vertices, 200))
		var parts := []
		parts.append("%d of 100 overwritten" % (100 * (after.overwritten - before.overwritten) / chunks))
		for part in ["uploads_us", "shows_us", "hides_us", "releases_us"]:
			parts.append("%s %.1f" % [part.trim_suffix("_us"), (after[part] - before[part]) / chunks])
		print("round %d: %d chunks of %d vertices: QuarryTerrain %.1f us (%s), add_surface_from_arrays %.1f us a chunk" % [
			i + 1, chunks, vertices, ours[-1], ", ".join(parts), theirs[-1]])
	if OS.get_cmdline_user_args().has("--few"):
		return quit()
	ours.sort()
	theirs.sort()
	var mid := ROUNDS / 2
	print("median: QuarryTerrain %.1f us, add_surface_from_arrays %.1f us, 1/%.1f; largest frame %.2f ms of %.1f" % [
		ours[mid], theirs[mid], theirs[mid] / ours[mid], terrain.get_stats().frame_ms_max, terrain.budget_ms])
	terrain.free()
	await other_ways(vertices)
	quit()


# Workers that are busy on the same cores would be timed as well, so they end before anything is handed over.
func let_workers_end(terrain: QuarryTerrain) -> void:
	terrain.budget_ms = 0.05
	terrain.uploads_per_frame = 1
	# The terrain looks for the camera in the frame after this one.
	for wait in 3:
		await process_frame
	var end := Time.get_ticks_msec() + 10000
	while Time.get_ticks_msec() < end:
		var stats := terrain.get_stats()
		if stats.queued == 0 and stats.states.get("meshing", 0) == 0 and stats.states.get("queued", 0) == 0:
			return
		await process_frame


# What else could be done with a mesh that is packed already, without an instance: microseconds a chunk.
func other_ways(vertices: int) -> void:
	var mesh := ArrayMesh.new()
	mesh.add_surface_from_arrays(Mesh.PRIMITIVE_TRIANGLES, sheet(vertices))
	var packed := RenderingServer.mesh_get_surface(mesh.get_rid(), 0)
	var small := ArrayMesh.new()
	small.add_surface_from_arrays(Mesh.PRIMITIVE_TRIANGLES, sheet(vertices), [], {}, Mesh.ARRAY_FLAG_COMPRESS_ATTRIBUTES)
	var compressed := RenderingServer.mesh_get_surface(small.get_rid(), 0)
	var ring: Array[RID] = []
	for i in 100:
		ring.append(RenderingServer.mesh_create())
		RenderingServer.mesh_add_surface(ring[i], packed)
	print("other way: cleared and filled again %.1f us" % await timed(func(i):
		RenderingServer.mesh_clear(ring[i % 100])
		RenderingServer.mesh_add_surface(ring[i % 100], packed)))
	print("other way: as before, with compressed attributes %.1f us" % await timed(func(i):
		RenderingServer.mesh_clear(ring[i % 100])
		RenderingServer.mesh_add_surface(ring[i % 100], compressed)))
	for rid in ring:
		RenderingServer.mesh_clear(rid)
		RenderingServer.mesh_add_surface(rid, packed)
	print("other way: buffers kept and overwritten (QuarryTerrain's, where it can) %.1f us" % await timed(func(i):
		RenderingServer.mesh_surface_update_vertex_region(ring[i % 100], 0, 0, packed.vertex_data)
		RenderingServer.mesh_surface_update_index_region(ring[i % 100], 0, 0, packed.index_data)
		RenderingServer.mesh_surface_update_attribute_region(ring[i % 100], 0, 0, packed.attribute_data)))
	print("other way: freed and made anew %.1f us" % await timed(func(i):
		RenderingServer.free_rid(ring[i % 100])
		ring[i % 100] = RenderingServer.mesh_create()
		RenderingServer.mesh_add_surface(ring[i % 100], packed)))
	for rid in ring:
		RenderingServer.free_rid(rid)


func timed(way: Callable) -> float:
	var spent := 0
	for i in 400:
		var begin := Time.get_ticks_usec()
		way.call(i)
		spent += Time.get_ticks_usec() - begin
		if i % 20 == 19:
			await process_frame
	return float(spent) / 400


# Arrays of a hilly sheet with about so many vertices.
func sheet(vertices: int) -> Array:
	var side := maxi(int(sqrt(vertices)), 2)
	var places := PackedVector3Array()
	var normals := PackedVector3Array()
	var indices := PackedInt32Array()
	for z in side:
		for x in side:
			places.append(Vector3(x, sin(x * 0.3) * cos(z * 0.3), z))
			normals.append(Vector3.UP)
			if x > 0 and z > 0:
				var at := z * side + x
				indices.append_array([at, at - 1, at - side, at - side, at - 1, at - side - 1])
	var arrays := []
	arrays.resize(Mesh.ARRAY_MAX)
	arrays[Mesh.ARRAY_VERTEX] = places
	arrays[Mesh.ARRAY_NORMAL] = normals
	var weights := PackedColorArray()
	weights.resize(places.size())
	arrays[Mesh.ARRAY_COLOR] = weights
	arrays[Mesh.ARRAY_INDEX] = indices
	return arrays


# What a script does: a mesh from arrays, an instance of it, and the old ones freed.
func usual_way(vertices: int, count: int) -> float:
	# Each chunk has arrays of its own, which nobody has just read, as those of workers.
	var one := sheet(vertices)
	var arrays := []
	for i in count:
		arrays.append(one.map(func(each): return null if each == null else each.duplicate()))
	var scenario := get_root().find_world_3d().scenario
	var meshes: Array[ArrayMesh] = []
	var instances: Array[RID] = []
	var spent := 0
	for i in count:
		var begin := Time.get_ticks_usec()
		var mesh := ArrayMesh.new()
		mesh.add_surface_from_arrays(Mesh.PRIMITIVE_TRIANGLES, arrays[i])
		var instance := RenderingServer.instance_create2(mesh.get_rid(), scenario)
		RenderingServer.instance_set_transform(instance, Transform3D(Basis(), Vector3(i, 0, 0)))
		meshes.append(mesh)
		instances.append(instance)
		if i >= 100:
			RenderingServer.free_rid(instances[i - 100])
			meshes[i - 100] = null
		spent += Time.get_ticks_usec() - begin
		if i % 20 == 19:
			await process_frame
	for i in range(maxi(count - 100, 0), count):
		RenderingServer.free_rid(instances[i])
	return float(spent) / count
