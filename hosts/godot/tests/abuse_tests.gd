# Wrong types, nothing at all, other threads, and calls before there is a world: Godot may print errors, and nothing may break.
extends "run_tests.gd"

var junk_values := [null, true, -1, 1 << 62, NAN, INF, "", "res://", ^"..", Vector3(NAN, NAN, NAN), Vector3(1e38, 1e38, 1e38), [], {}, PackedByteArray([1, 2, 3]), Color.RED]


func own_methods() -> Array:
	return ClassDB.class_get_method_list("QuarryTerrain", true).filter(func(method): return not method.name.begins_with("_"))


func call_all(terrain: QuarryTerrain) -> int:
	var calls := 0
	var node := Node.new()
	for method in own_methods():
		if method.name.begins_with("set_worker_threads") or method.name.begins_with("set_view_distance") or method.name.begins_with("set_voxel_size"):
			continue
		var count: int = method.args.size()
		for junk in junk_values + [node, terrain]:
			var arguments := []
			arguments.resize(count)
			arguments.fill(junk)
			terrain.callv(method.name, arguments)
			calls += 1
		terrain.callv(method.name, [1, 2, 3, 4, 5, 6])
		if count > 0:
			terrain.callv(method.name, [])
	node.free()
	return calls


func test_every_function_takes_anything_outside_the_tree() -> void:
	var terrain := new_terrain()
	print("  %d calls" % call_all(terrain))
	terrain.free()


func test_every_function_takes_anything_inside_the_tree() -> void:
	var terrain := await new_scene()
	print("  %d calls" % call_all(terrain))
	await frames(5)
	for name in ["save_file", "description", "description_file"]:
		terrain.set(name, "")
	terrain.viewer = NodePath()
	terrain.description_resource = null
	terrain.material = null
	terrain.world = 0
	terrain.min_height = -1e6
	terrain.max_height = 1e6
	terrain.lod_distance = 48.0
	terrain.lod_levels = 4
	terrain.chunk_cells = 32
	terrain.frequency = 0.02
	terrain.amplitude = 32.0
	terrain.offset = 0.0
	terrain.octaves = 4
	terrain.pending = 1024
	terrain.budget_ms = 20.0
	terrain.uploads_per_frame = 0
	terrain.regenerate()
	await until_ready(terrain)
	check(terrain.get_stats().chunks_shown > 20, "there is no world any more")
	check_equal(terrain.check_shown(), "", "what is shown")


func test_every_property_takes_anything() -> void:
	var terrain := QuarryTerrain.new()
	var node := Node.new()
	for property in ClassDB.class_get_property_list("QuarryTerrain", true):
		if not property.usage & PROPERTY_USAGE_STORAGE:
			continue
		for junk in junk_values + [node, StandardMaterial3D.new(), GradientTexture2D.new(), Texture2D.new(), JSON.new()]:
			terrain.set(property.name, junk)
			terrain.get(property.name)
	node.free()
	terrain.free()


func test_random_bytes_are_no_edit() -> void:
	var terrain := await new_scene()
	var sent := [PackedByteArray()]
	terrain.edit_made.connect(func(bytes: PackedByteArray): sent[0] = bytes)
	terrain.dig(Vector3(5, ground_below(terrain, Vector3(5, 200, 5)), 5), 3.0)
	await frames(2)
	var random := RandomNumberGenerator.new()
	random.seed = 3
	var before: int = terrain.get_stats().edits
	for i in 500:
		var bytes: PackedByteArray = sent[0].duplicate()
		if i % 2 == 0:
			bytes.resize(random.randi_range(0, 300))
			for at in bytes.size():
				bytes[at] = random.randi() % 256
		else:
			bytes[random.randi() % bytes.size()] ^= 1 << random.randi() % 8
		check(not terrain.apply_edit(bytes), "garbage was taken: %s" % bytes)
	check_equal(terrain.get_stats().edits, before, "edits")
	check(terrain.apply_edit(sent[0]) or true, "the edit itself")
	await frames(2)


func test_other_threads_are_refused() -> void:
	var terrain := await new_scene()
	var thread := Thread.new()
	var before: int = terrain.get_stats().edits
	thread.start(func():
		for i in 50:
			terrain.dig(Vector3(i, 0, 0), 3.0)
			terrain.set_seed(i)
			terrain.get_stats()
			terrain.regenerate())
	while thread.is_alive():
		await process_frame
	thread.wait_to_finish()
	check_equal(terrain.get_stats().edits, before, "edits of another thread")
	check_equal(terrain.seed, 42, "the seed")
	# One that is in no tree yet may be made on any thread, as a loader does.
	thread = Thread.new()
	thread.start(func(): return new_terrain({seed = 9}))
	var made: QuarryTerrain = thread.wait_to_finish()
	check_equal(made.seed, 9, "the seed of a terrain that another thread has made")
	root_node.add_child(made)
	await until_ready(made)
	check_equal(terrain.check_shown(), "", "what is shown")


# Values of the right type for each kind of argument, as far out as they go.
func extremes(type: int) -> Array:
	match type:
		TYPE_VECTOR3: return [Vector3.ZERO, Vector3(NAN, 0, 0), Vector3(INF, 1, 1), Vector3(1e38, -1e38, 1e38), Vector3(0, -1e6, 0)]
		TYPE_FLOAT: return [0.0, -1.0, NAN, INF, 1e30, 1e-30]
		TYPE_INT: return [0, -1, 1 << 62, -(1 << 62)]
		TYPE_BOOL: return [true, false]
		TYPE_STRING: return ["", "nothing", "res://", "x".repeat(5000)]
		TYPE_VECTOR3I: return [Vector3i(1 << 30, -(1 << 30), 0)]
		TYPE_DICTIONARY: return [{}, {kind = "dig", position = Vector3.ZERO, radius = INF}, {kind = "dig", shape = "capsule", position = Vector3.ZERO, end = Vector3(NAN, 0, 0), radius = 1.0},
			{kind = "dig", shape = "box", position = Vector3.ZERO, size = Vector3(-1, 1e30, 0)}, {kind = "raise", position = Vector3.ZERO, amount = NAN}]
		TYPE_PACKED_BYTE_ARRAY: return [PackedByteArray()]
		TYPE_OBJECT: return [null]
	return [null]


func test_every_function_ends_soon_whatever_the_numbers() -> void:
	var terrain := await new_scene()
	await until_at_rest(terrain)
	var slowest := 0
	var which := ""
	for method in own_methods():
		if method.name.begins_with("set_") or method.name.begins_with("get_") or method.name in ["clear", "regenerate", "fail_chunks", "load", "export_mesh"]:
			continue
		var lists: Array = method.args.map(func(argument): return extremes(argument.type))
		var most: int = lists.reduce(func(product, list): return product * list.size(), 1)
		for i in most:
			var arguments := []
			var rest := i
			for list in lists:
				arguments.append(list[rest % list.size()])
				rest /= list.size()
			var begin := Time.get_ticks_msec()
			terrain.callv(method.name, arguments)
			var took := Time.get_ticks_msec() - begin
			if took > slowest:
				slowest = took
				which = "%s%s" % [method.name, arguments]
	print("  slowest: %d ms, %s" % [slowest, which])
	check(slowest < 3000, "%s took %d ms" % [which, slowest])
	await frames(5)
	await until_at_rest(terrain)
	check_equal(terrain.check_shown(), "", "what is shown")
