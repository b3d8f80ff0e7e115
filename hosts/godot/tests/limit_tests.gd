# Height limits, and pieces that are taken out of the ground.
extends "run_tests.gd"


# Lowest and highest place of what is drawn, from the mesh that is written. Chunks below and above have none.
func heights_of(terrain: QuarryTerrain) -> Vector2:
	var file := "user://limits_%d.obj" % OS.get_process_id()
	check(terrain.export_mesh(file), "export_mesh")
	var heights := Vector2(INF, -INF)
	for line in FileAccess.get_file_as_string(file).split("\n"):
		if line.begins_with("v "):
			var y := line.split(" ")[2].to_float()
			heights = Vector2(minf(heights.x, y), maxf(heights.y, y))
	DirAccess.remove_absolute(ProjectSettings.globalize_path(file))
	return heights


func test_the_world_ends_at_its_height_limits() -> void:
	var terrain := await new_scene({amplitude = 40.0, view_distance = 128.0})
	await until_at_rest(terrain)
	var free := heights_of(terrain)
	check(free.x < -6 and free.y > 6, "without limits the ground is between %s" % free)
	terrain.min_height = -5.3
	terrain.max_height = 4.7
	check(terrain.sample(Vector3(0, 5, 0)) > 0, "the limits are not asked before the world is made anew")
	await until_ready(terrain)
	await until_at_rest(terrain)
	var limited := heights_of(terrain)
	# Where a slope meets a limit, coarse levels are off by a part of their voxels.
	check(absf(limited.x + 5.3) < 0.2 and absf(limited.y - 4.7) < 0.2, "within limits the ground is between %s" % limited)
	check_equal(terrain.check_shown(), "", "what is shown")
	for i in 100:
		var place := Vector3(i * 1.7 - 80, 0, i * 2.3 - 100)
		check(terrain.sample(place + Vector3.UP * 4.9) > 0, "there is ground above the limit at %s" % place)
		check(terrain.sample(place + Vector3.UP * -5.5) < 0, "there is a hole below the limit at %s" % place)
		var height := ground_below(terrain, place + Vector3.UP * 100)
		check(height < 4.72 and height > -5.32, "the ground is at %s" % height)
	# Nothing is meshed outside: the chunks that are shown lie in one layer or two.
	terrain.min_height = 1.0
	terrain.max_height = 8.0
	var layers := {}
	terrain.chunk_shown.connect(func(key: Vector3i, lod: int): layers[[key.y, lod]] = true)
	await until_ready(terrain)
	await until_at_rest(terrain)
	check(layers.size() > 0, "no chunk was shown")
	for layer in layers:
		check_equal(layer[0], 0, "a chunk's layer at level %d" % layer[1])


func test_limits_hold_for_edits_and_keep_them() -> void:
	var terrain := await new_scene({amplitude = 2.0, min_height = -6.0, max_height = 9.0})
	await until_at_rest(terrain)
	check(terrain.dig(Vector3(5, -6, 5), 6.0), "dig")
	await until_edited(terrain)
	check(absf(ground_below(terrain, Vector3(5, 100, 5)) + 6) < 0.1, "the floor of the hole is at %s" % ground_below(terrain, Vector3(5, 100, 5)))
	check(terrain.add(Vector3(-20, 4, 5), 9.0), "add")
	await until_edited(terrain)
	check(absf(ground_below(terrain, Vector3(-20, 100, 5)) - 9) < 0.1, "the top of the hill is at %s" % ground_below(terrain, Vector3(-20, 100, 5)))
	check_equal(terrain.check_shown(), "", "what is shown")
	# Other limits make no other world: what was edited beyond the old ones is there.
	terrain.min_height = -30.0
	terrain.max_height = 1e6
	await until_ready(terrain)
	check_equal(terrain.get_stats().edits, 2, "edits")
	check(ground_below(terrain, Vector3(5, 100, 5)) < -10, "the hole is not deeper")
	check(ground_below(terrain, Vector3(-20, 100, 5)) > 12, "the hill is not higher")


func test_limits_the_wrong_way_round_leave_the_last_good_world() -> void:
	var messages := []
	var terrain := await new_scene({max_height = 5.0})
	terrain.failed.connect(func(message: String): messages.append(message))
	terrain.min_height = 5.0
	await frames(3)
	check_equal(messages, ["min_height must be below max_height, and 5 is not below 5"], "messages")
	check(terrain.get_stats().chunks_shown > 10, "the world is gone")


func test_a_loose_piece_can_be_taken_as_a_mesh_with_a_shape() -> void:
	for transform in [Transform3D.IDENTITY, Transform3D(Basis(Vector3.UP, 0.7).scaled(Vector3(2, 2, 2)), Vector3(30, 4, 5)),
			Transform3D(Basis.from_scale(Vector3(-1, 1, 1)), Vector3.ZERO)]:
		var terrain := await new_scene({transform = transform, world = 1})
		var scale := absf(transform.basis.get_scale().y)
		var floating: Vector3 = transform * Vector3(5.3, 180, 5.2)
		check(terrain.add(floating, 3.0 * scale), "add")
		var told := []
		terrain.edit_made.connect(func(bytes: PackedByteArray): told.append(bytes))
		terrain.begin_stroke()
		var part := terrain.take_part(floating)
		check(part.has("mesh"), "nothing was taken in %s" % transform)
		if not part.has("mesh"):
			return
		var mesh: ArrayMesh = part.mesh
		var box := mesh.get_aabb()
		check(box.get_center().length() < 1.0 * scale, "the mesh is not around its middle: %s" % box)
		check(part.position.distance_to(floating) < 1.0 * scale, "it is at %s, not %s" % [part.position, floating])
		check(absf(box.size.y - 6.0 * scale) < 1.5 * scale, "its size is %s" % box.size)
		check(absf(part.volume - 4.19 * 27 * scale ** 3) < 30 * scale ** 3, "its volume is %s" % part.volume)
		check_closed_and_outwards(mesh)
		check(part.shape is ConvexPolygonShape3D and part.shape.points.size() > 10, "its shape is %s" % part.shape)
		check(mesh.surface_get_material(0) is ShaderMaterial, "its material")
		check(terrain.sample(floating) > 0, "it still hangs there")
		check(terrain.take_part(floating).is_empty(), "it was taken twice")
		check(terrain.take_part(transform * Vector3(5, -300, 5)).is_empty(), "the ground itself was taken")
		await frames(2)
		check_equal(told.size(), 1, "edits that were told")
		check(terrain.undo(), "undo")
		check(terrain.sample(floating) < 0, "undo does not bring it back")
		for child in root_node.get_children():
			child.free()


# Each edge has a triangle on both sides, normals point out, and front faces are clockwise seen from there.
func check_closed_and_outwards(mesh: ArrayMesh) -> void:
	var arrays := mesh.surface_get_arrays(0)
	var places: PackedVector3Array = arrays[Mesh.ARRAY_VERTEX]
	var normals: PackedVector3Array = arrays[Mesh.ARRAY_NORMAL]
	var indices: PackedInt32Array = arrays[Mesh.ARRAY_INDEX]
	check_equal(arrays[Mesh.ARRAY_COLOR].size(), places.size(), "weights")
	var edges := {}
	var wrong := 0
	for i in range(0, indices.size(), 3):
		var corners := [places[indices[i]], places[indices[i + 1]], places[indices[i + 2]]]
		var face: Vector3 = (corners[2] - corners[0]).cross(corners[1] - corners[0])
		if face.dot(corners[0]) < -1e-4 or normals[indices[i]].dot(corners[0]) < 0:
			wrong += 1
		for k in 3:
			var one := str(corners[k].snapped(Vector3.ONE * 0.001))
			var other := str(corners[(k + 1) % 3].snapped(Vector3.ONE * 0.001))
			var key := [one, other] if one < other else [other, one]
			edges[key] = edges.get(key, 0) + (1 if one < other else -1)
	check_equal(wrong, 0, "faces or normals that look inwards")
	check_equal(edges.values().filter(func(count): return count != 0).size(), 0, "open edges")


func test_a_view_that_is_too_far_for_its_levels_is_refused_by_name() -> void:
	var messages := []
	var terrain := await new_scene()
	await until_at_rest(terrain)
	terrain.failed.connect(func(message: String): messages.append(message))
	terrain.lod_levels = 1
	terrain.view_distance = 1024.0
	await frames(3)
	check_equal(messages, ["view_distance is 1024; less than 675 is allowed with lod_levels 1, and twice as much with each more"], "messages")
	check(terrain.get_stats().chunks_shown > 20, "the world is gone")
	terrain.view_distance = 200.0
	await until_ready(terrain)
	check_equal(messages.size(), 1, "messages for what is allowed")
