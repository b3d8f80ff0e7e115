# Every property, function and signal of QuarryTerrain, in a real Godot. Prints a line a test and ends with status 1 if one failed.
# After "--" on the command line: parts of names; only tests with one of them are run.
extends SceneTree

const LONGEST_MS := 20000

var failures := 0
var current := ""
var root_node: Node3D


func check(is_right: bool, what: String) -> void:
	if not is_right:
		failures += 1
		print("FAILED: %s: %s" % [current, what])


func check_equal(found, wanted, what: String) -> void:
	check(found == wanted, "%s is %s, not %s" % [what, found, wanted])


func frames(count: int) -> void:
	for i in count:
		await process_frame


func new_terrain(values := {}) -> QuarryTerrain:
	var terrain := QuarryTerrain.new()
	var small := {view_distance = 256.0, lod_distance = 48.0, lod_levels = 4, budget_ms = 20.0}
	small.merge(values, true)
	for name in small:
		terrain.set(name, small[name])
	return terrain


func new_camera(place := Vector3(0, 20, 0)) -> Camera3D:
	var camera := Camera3D.new()
	camera.position = place
	return camera


# A scene of a camera and a terrain, ready.
func new_scene(values := {}) -> QuarryTerrain:
	root_node.add_child(new_camera())
	var terrain := new_terrain(values)
	root_node.add_child(terrain)
	await until_ready(terrain)
	return terrain


func until_ready(terrain: QuarryTerrain) -> void:
	var heard := [false]
	var hear := func(): heard[0] = true
	terrain.terrain_ready.connect(hear)
	var end := Time.get_ticks_msec() + LONGEST_MS
	while not heard[0] and Time.get_ticks_msec() < end:
		await process_frame
	terrain.terrain_ready.disconnect(hear)
	check(heard[0], "terrain_ready was not emitted")


func until_at_rest(terrain: QuarryTerrain) -> void:
	var end := Time.get_ticks_msec() + LONGEST_MS
	while Time.get_ticks_msec() < end:
		if terrain.get_stats().get("at_rest", false):
			return
		await process_frame
	check(false, "the terrain does not come to rest")


const VALUES := {
	"world": [0, 1, -1, 7], "seed": [42, 7, -3, 1 << 62], "octaves": [4, 6, 0, 99], "frequency": [0.02, 0.05, 0.0, 1e9],
	"min_height": [-1e6, -50.0, -1e9, 1e9], "max_height": [1e6, 50.0, -1e9, 1e9], "amplitude": [32.0, 10.0, -1.0, 1e9], "offset": [0.0, -5.0, -1e9, 1e9], "lacunarity": [2.0, 2.5, 0.0, 100.0],
	"persistence": [0.5, 0.25, 0.0, 2.0], "voxel_size": [1.0, 0.5, 0.0, 1e6], "chunk_cells": [32, 16, 1, 500],
	"lod_distance": [128.0, 64.0, 0.0, 1e9], "lod_levels": [6, 3, 0, 20], "view_distance": [1024.0, 300.0, 0.0, 1e9],
	"view_weight": [0.5, 2.0, -1.0, 50.0], "worker_threads": [0, 2, -1, 100000], "budget_ms": [2.0, 4.0, 0.0, 1e9],
	"editor": [0, 7, -1, 70000], "texture_size": [4.0, 2.0, 0.0, 1e6], "cross_fade": [0.0, 0.5, -1.0, 1e6],
	"uploads_per_frame": [0, 10, -1, 1 << 40], "pending": [1024, 256, 0, 1 << 40], "debug_view": [0, 4, -1, 9],
	"collision_radius": [48.0, 64.0, 0.0, 1e9], "collision_layer": [1, 5, -1, 1 << 40], "collision_mask": [1, 6, -1, 1 << 40],
}
const TEXTS := {"description": "{}", "description_file": "res://world.json", "viewer": NodePath("../Eye"),
	"save_file": "user://property.db"}
const SWITCHES := ["collision_enabled"]
const RESOURCES := ["material", "description_resource", "texture_0", "texture_1", "texture_2", "texture_3"]


func test_each_property_keeps_what_it_is_given_and_clamps_the_rest() -> void:
	var terrain := QuarryTerrain.new()
	var names := []
	for property in ClassDB.class_get_property_list("QuarryTerrain", true):
		if property.usage & PROPERTY_USAGE_STORAGE:
			names.append(property.name)
	for name in names:
		check(VALUES.has(name) or TEXTS.has(name) or name in RESOURCES or name in SWITCHES, "there is no test of %s" % name)
	for name in VALUES:
		var values: Array = VALUES[name]
		check_equal(terrain.get(name), values[0], "the default of " + name)
		check_equal(ClassDB.class_get_property_default_value("QuarryTerrain", name), values[0], "Godot's default of " + name)
		terrain.set(name, values[1])
		check_equal(terrain.get(name), values[1], name)
		terrain.set(name, values[2])
		var low = terrain.get(name)
		terrain.set(name, values[3])
		var high = terrain.get(name)
		check(low > values[2] and low <= values[0], "%s below its range is %s" % [name, low])
		check(high < values[3] and high >= values[1], "%s above its range is %s" % [name, high])
	for name in SWITCHES:
		check_equal(terrain.get(name), true, "the default of " + name)
		terrain.set(name, false)
		check_equal(terrain.get(name), false, name)
	for name in TEXTS:
		terrain.set(name, TEXTS[name])
		check_equal(terrain.get(name), TEXTS[name], name)
		check_equal(typeof(terrain.get(name)), typeof(TEXTS[name]), "the type of " + name)
	terrain.frequency = NAN
	check(not is_nan(terrain.frequency), "frequency became NaN")
	terrain.chunk_cells = 17
	check_equal(terrain.chunk_cells, 16, "an odd number of cells")
	terrain.free()


# For help_test.py.
func test_the_class_is_listed_for_its_help() -> void:
	var listed := {properties = {}, methods = {}, signals = {}, constants = {}}
	for property in ClassDB.class_get_property_list("QuarryTerrain", true):
		if property.usage & PROPERTY_USAGE_STORAGE:
			listed.properties[property.name] = []
	for method in ClassDB.class_get_method_list("QuarryTerrain", true):
		var is_accessor: bool = method.name.substr(4) in listed.properties and method.name.left(4) in ["set_", "get_"]
		if not is_accessor:
			listed.methods[method.name] = method.args.map(func(argument): return argument.name)
	for each in ClassDB.class_get_signal_list("QuarryTerrain", true):
		listed.signals[each.name] = each.args.map(func(argument): return argument.name)
	for each in ClassDB.class_get_integer_constant_list("QuarryTerrain", true):
		listed.constants[each] = []
	check(listed.methods.size() > 30 and listed.signals.size() >= 8, "only %d functions" % listed.methods.size())
	var file := FileAccess.open("res://class.json", FileAccess.WRITE)
	file.store_string(JSON.stringify(listed))
	file.close()


func test_typed_and_untyped_calls_agree() -> void:
	var terrain: QuarryTerrain = await new_scene()
	var untyped = terrain
	check_equal(untyped.sample(Vector3(3, 4, 5)), terrain.sample(Vector3(3, 4, 5)), "sample")
	check_equal(untyped.is_ready_around(Vector3.ZERO, 20), terrain.is_ready_around(Vector3.ZERO, 20.0), "is_ready_around")
	check_equal(untyped.get_seed(), terrain.seed, "seed")
	check_equal(untyped.callv("get_stats", []).keys(), terrain.get_stats().keys(), "get_stats")
	check_equal(str(untyped.get_viewer()), "", "viewer")


func test_a_world_appears_around_the_camera() -> void:
	var shown := {}
	root_node.add_child(new_camera())
	var terrain := new_terrain()
	terrain.chunk_shown.connect(func(key: Vector3i, lod: int): shown[[key, lod]] = true)
	root_node.add_child(terrain)
	await until_ready(terrain)
	await until_at_rest(terrain)
	var stats := terrain.get_stats()
	check(stats.chunks_shown > 20, "only %s chunks are shown" % stats.chunks_shown)
	check(shown.size() >= stats.chunks_shown, "%s signals for %s chunks" % [shown.size(), stats.chunks_shown])
	check(stats.vertices > 1000, "only %s vertices" % stats.vertices)
	check_equal(stats.states.shown >= stats.chunks_shown, true, "states.shown")
	check_equal(stats.failed, 0, "failed")
	check(terrain.is_ready_around(Vector3(0, 20, 0), 40), "not ready around the camera")
	check(not terrain.is_ready_around(Vector3(5000, 0, 0), 40), "ready where nothing is")
	check_equal(terrain.check_shown(), "", "what is shown")
	check(terrain.sample(Vector3(0, 500, 0)) > 0, "the sky is solid")
	check(terrain.sample(Vector3(0, -500, 0)) < 0, "the ground is hollow")


func test_regenerating_shows_the_old_world_until_the_new_one_is_closed() -> void:
	var terrain := await new_scene()
	await until_at_rest(terrain)
	var before := terrain.sample(Vector3(10, 3, 10))
	terrain.seed = 99
	check(terrain.sample(Vector3(10, 3, 10)) != before, "the seed changes nothing")
	check(not terrain.is_ready_around(Vector3.ZERO, 10), "ready before the new world is there")
	var heard := [false]
	terrain.terrain_ready.connect(func(): heard[0] = true)
	var end := Time.get_ticks_msec() + LONGEST_MS
	while not heard[0] and Time.get_ticks_msec() < end:
		check(terrain.get_stats().chunks_shown > 20, "the old world went before the new one was there")
		await process_frame
	check(heard[0], "terrain_ready was not emitted")
	check_equal(terrain.check_shown(), "", "what is shown")
	for change in [{world = 1}, {voxel_size = 0.5}, {chunk_cells = 16}, {view_distance = 128.0}, {world = 0, amplitude = 5.0}]:
		for name in change:
			terrain.set(name, change[name])
		await until_ready(terrain)
		check_equal(terrain.check_shown(), "", "what is shown after %s" % change)


func test_other_workers_take_over_without_a_gap() -> void:
	var terrain := await new_scene()
	await until_at_rest(terrain)
	for count in [1, 2, 0]:
		terrain.worker_threads = count
		await until_ready(terrain)
		check_equal(terrain.check_shown(), "", "what is shown")
		if count > 0:
			check_equal(terrain.get_stats().worker_jobs.size(), count, "workers")


func test_clear_and_regenerate() -> void:
	var terrain := await new_scene()
	terrain.clear()
	await frames(3)
	check_equal(terrain.get_stats().chunks_shown, 0, "chunks after clear")
	check(not terrain.is_ready_around(Vector3.ZERO, 10), "ready after clear")
	terrain.seed = 3
	await frames(3)
	check_equal(terrain.get_stats().chunks_shown, 0, "chunks after clear and a change")
	terrain.regenerate()
	await until_ready(terrain)
	check(terrain.get_stats().chunks_shown > 20, "nothing after regenerate")


func test_fifty_scenes_come_and_go() -> void:
	for i in 50:
		var scene := Node3D.new()
		scene.add_child(new_camera())
		scene.add_child(new_terrain({world = i % 2}))
		root_node.add_child(scene)
		await frames(i % 7)
		scene.free()
	await frames(2)


func test_it_can_be_freed_in_any_state() -> void:
	for count in [0, 1, 2, 3, 5, 8, 13, 40]:
		root_node.add_child(new_camera())
		var terrain := new_terrain()
		root_node.add_child(terrain)
		await frames(count)
		terrain.queue_free()
		await frames(2)
	# While a world is exchanged, in two ways.
	for name in ["seed", "worker_threads"]:
		var terrain := await new_scene()
		terrain.set(name, 1)
		await frames(2)
		terrain.queue_free()
		await frames(2)


func test_a_listener_may_free_it() -> void:
	root_node.add_child(new_camera())
	var terrain := new_terrain()
	root_node.add_child(terrain)
	terrain.chunk_shown.connect(func(_key, _lod): terrain.queue_free())
	terrain.terrain_ready.connect(func(): terrain.clear())
	var end := Time.get_ticks_msec() + LONGEST_MS
	while is_instance_valid(terrain) and Time.get_ticks_msec() < end:
		await process_frame
	check(not is_instance_valid(terrain), "it is still there")


func test_it_moves_between_parents_and_scenes() -> void:
	var terrain := await new_scene()
	for i in 3:
		root_node.remove_child(terrain)
		check_equal(terrain.get_stats().chunks_shown, 0, "chunks outside the tree")
		await frames(2)
		root_node.add_child(terrain)
		await until_ready(terrain)
		check(terrain.get_stats().chunks_shown > 20, "nothing after it came back")


func test_it_follows_its_transform_and_visibility() -> void:
	var terrain := await new_scene()
	var before := terrain.sample(Vector3(10, 3, 10))
	terrain.transform = Transform3D(Basis(Vector3.UP, 1.0).scaled(Vector3(2, 2, 2)), Vector3(100, 50, -30))
	await frames(2)
	check(is_equal_approx(terrain.sample(terrain.to_global(Vector3(10, 3, 10))), before), "sample does not follow the transform")
	terrain.hide()
	await frames(2)
	terrain.show()
	await frames(2)
	check_equal(terrain.check_shown(), "", "what is shown")


func test_two_terrains() -> void:
	var one := await new_scene({seed = 1})
	var two := new_terrain({seed = 2})
	two.position = Vector3(0, 200, 0)
	root_node.add_child(two)
	await until_ready(two)
	check_equal(one.check_shown(), "", "the first")
	check_equal(two.check_shown(), "", "the second")
	check(one.sample(Vector3(5, 5, 5)) != two.sample(Vector3(5, 5, 5)), "both are one world")


func test_it_follows_a_viewer_and_survives_its_end() -> void:
	var eye := Node3D.new()
	eye.name = "Eye"
	eye.position = Vector3(1000, 10, 0)
	root_node.add_child(eye)
	var terrain := new_terrain({viewer = NodePath("../Eye")})
	root_node.add_child(terrain)
	await until_ready(terrain)
	check(terrain.is_ready_around(Vector3(1000, 10, 0), 30), "not ready around the viewer")
	eye.free()
	await frames(5)
	check(terrain.get_stats().chunks_shown > 20, "the world went with its viewer")
	root_node.add_child(new_camera())
	await frames(5)
	await until_at_rest(terrain)
	check(terrain.is_ready_around(Vector3(0, 20, 0), 30), "the camera does not take over")


func until_edited(terrain: QuarryTerrain) -> AABB:
	var heard := [AABB()]
	var hear := func(box: AABB): heard[0] = box
	terrain.edited.connect(hear)
	var end := Time.get_ticks_msec() + LONGEST_MS
	while not heard[0].has_volume() and Time.get_ticks_msec() < end:
		await process_frame
		check_equal(terrain.check_shown(), "", "what is shown while the ground changes")
	terrain.edited.disconnect(hear)
	check(heard[0].has_volume(), "edited was not emitted")
	return heard[0]


func ground_below(terrain: QuarryTerrain, place: Vector3) -> float:
	var hit := terrain.raycast(place, Vector3.DOWN, 500.0)
	check(hit.has("position"), "there is no ground below %s" % place)
	return hit.position.y if hit.has("position") else 0.0


func test_a_description_makes_the_world() -> void:
	var text := '{"field": {"type": "sphere", "centre": [0, 0, 0], "radius": 30}}'
	var terrain := await new_scene({world = 2, description = text})
	check(terrain.sample(Vector3.ZERO) < 0 and terrain.sample(Vector3(0, 31, 0)) > 0, "it is no sphere")
	var file := FileAccess.open("res://world.json", FileAccess.WRITE)
	file.store_string(text.replace("30", "20"))
	file.close()
	terrain.description = ""
	terrain.description_file = "res://world.json"
	await until_ready(terrain)
	check(terrain.sample(Vector3(0, 25, 0)) > 0, "the file is not read")


func test_a_wrong_description_leaves_the_last_good_world() -> void:
	var messages := []
	var terrain := await new_scene()
	await until_at_rest(terrain)
	var before: int = terrain.get_stats().chunks_shown
	terrain.failed.connect(func(message: String): messages.append(message))
	terrain.world = QuarryTerrain.WORLD_DESCRIPTION
	for wrong in [["", ""], ["{", ""], ['{"field": 3}', ""], ["", "res://nothing.json"]]:
		messages.clear()
		terrain.description = wrong[0]
		terrain.description_file = wrong[1]
		terrain.regenerate()
		await frames(3)
		check_equal(messages.size(), 1, "messages for %s" % [wrong])
		check_equal(terrain.get_stats().chunks_shown, before, "chunks after %s" % [wrong])
	print("  last message: ", messages[0] if messages else "none")
	terrain.world = QuarryTerrain.WORLD_NOISE
	await until_ready(terrain)


func test_a_viewer_in_no_place_is_reported_once() -> void:
	var messages := []
	var terrain := await new_scene()
	terrain.failed.connect(func(message: String): messages.append(message))
	get_root().get_camera_3d().position = Vector3(1e30, 0, 0)
	await frames(5)
	check_equal(messages.size(), 1, "messages")
	get_root().get_camera_3d().position = Vector3(0, 20, 0)
	await frames(3)
	check_equal(terrain.check_shown(), "", "what is shown")


func test_it_can_be_used_outside_the_tree_and_without_a_camera() -> void:
	var terrain := new_terrain()
	check(terrain.sample(Vector3(0, 500, 0)) > 0, "sample outside the tree")
	check(not terrain.is_ready_around(Vector3.ZERO, 10), "ready outside the tree")
	check_equal(terrain.get_stats().chunks_shown, 0, "chunks outside the tree")
	check_equal(terrain.check_shown(), "", "what is shown outside the tree")
	terrain.regenerate()
	terrain.clear()
	terrain.regenerate()
	root_node.add_child(terrain)
	await frames(5)
	check_equal(terrain.get_stats().chunks_shown, 0, "chunks without a camera")
	root_node.add_child(new_camera())
	await until_ready(terrain)
	check(terrain.get_stats().chunks_shown > 20, "nothing after a camera came")


func test_debug_views() -> void:
	var terrain := await new_scene()
	for view in [QuarryTerrain.DEBUG_LODS, QuarryTerrain.DEBUG_BORDERS, QuarryTerrain.DEBUG_WIREFRAME, QuarryTerrain.DEBUG_STATES, QuarryTerrain.DEBUG_OFF]:
		terrain.debug_view = view
		await frames(2)
		check_equal(terrain.debug_view, view, "debug_view")


func test_what_is_planned_can_be_exported() -> void:
	var terrain := await new_scene({view_distance = 100.0})
	var messages := []
	terrain.failed.connect(func(message: String): messages.append(message))
	for ending in ["glb", "obj", "ply", "stl"]:
		var file := "user://export_%d.%s" % [OS.get_process_id(), ending]
		check(terrain.export_mesh(file), ending)
		check(FileAccess.get_file_as_bytes(file).size() > 10000, "%s is empty" % file)
		if ending == "glb":
			var document := GLTFDocument.new()
			var state := GLTFState.new()
			check_equal(document.append_from_file(ProjectSettings.globalize_path(file), state), OK, "Godot's own reader")
			check(state.get_meshes().size() > 5, "only %d meshes" % state.get_meshes().size())
		DirAccess.remove_absolute(ProjectSettings.globalize_path(file))
	check(not terrain.export_mesh("user://export.png"), "a picture")
	check(not terrain.export_mesh("user://no/such/folder/e.glb"), "no such folder")
	await frames(2)
	check_equal(messages.size(), 2, "messages")


func test_several_viewers_each_have_their_ground() -> void:
	var terrain := await new_scene()
	var other := Node3D.new()
	other.position = Vector3(3000, 20, 0)
	root_node.add_child(other)
	terrain.add_viewer(other)
	terrain.add_viewer(other)
	await terrain.wait_ready_around(other.position, 30.0)
	check(terrain.is_ready_around(Vector3(0, 20, 0), 30.0), "the camera's ground went away")
	check_equal(terrain.check_shown(), "", "what is shown")
	var lost := Node3D.new()
	lost.position = Vector3(NAN, 0, 0)
	root_node.add_child(lost)
	terrain.add_viewer(lost)
	other.position = Vector3(5000, 20, 0)
	await terrain.wait_ready_around(other.position, 30.0)
	lost.free()
	terrain.remove_viewer(other)
	await frames(5)
	check(not terrain.is_ready_around(other.position, 30.0), "it still follows")
	terrain.add_viewer(other)
	other.free()
	await frames(5)
	await until_at_rest(terrain)
	check_equal(terrain.check_shown(), "", "what is shown after a viewer was freed")
	var messages := []
	terrain.failed.connect(func(message: String): messages.append(message))
	terrain.add_viewer(null)
	var no_place := Node.new()
	terrain.remove_viewer(no_place)
	no_place.free()
	await frames(2)
	check_equal(messages.size(), 2, "messages")


func test_figures_are_in_the_debugger() -> void:
	var terrain := await new_scene()
	terrain.name = "Ground"
	root_node.remove_child(terrain)
	root_node.add_child(terrain)
	await until_ready(terrain)
	var shown := &"Quarry Ground/chunks_shown"
	check(Performance.has_custom_monitor(shown), "there is no monitor")
	check_equal(int(Performance.get_custom_monitor(shown)), terrain.get_stats().chunks_shown, "chunks_shown")
	check(Performance.get_custom_monitor(&"Quarry Ground/frame_ms") > 0, "frame_ms")
	check_equal(Performance.get_custom_monitor_names().filter(func(each): return str(each).begins_with("Quarry Ground/")).size(), 13, "monitors")
	terrain.free()
	check(not Performance.has_custom_monitor(shown), "a monitor is left over")


# A game that moves its whole world back to the origin moves the terrain, too: by whole numbers it stays where it was.
func test_far_away_the_ground_is_as_exact_as_near_by() -> void:
	var far := 1000000.0
	var terrain := new_terrain({voxel_size = 0.5})
	terrain.position = Vector3(-far, 0, 0)
	root_node.add_child(new_camera())
	root_node.add_child(terrain)
	await until_ready(terrain)
	await until_at_rest(terrain)
	check_equal(terrain.check_shown(), "", "what is shown")
	check(terrain.is_ready_around(Vector3(0, 20, 0), 30.0), "not ready")
	for i in 20:
		var place := Vector3(i * 0.37, 200, i * 0.61)
		var height := ground_below(terrain, place)
		var step := ground_below(terrain, place + Vector3(0.01, 0, 0)) - height
		check(abs(step) < 0.05, "the ground jumps by %s at %s" % [step, place])


func test_materials_and_textures_of_the_host_are_used() -> void:
	var terrain := await new_scene()
	var material := StandardMaterial3D.new()
	terrain.material = material
	check_equal(terrain.material, material, "material")
	var image := Image.create(4, 4, false, Image.FORMAT_RGB8)
	var texture := ImageTexture.create_from_image(image)
	for i in 4:
		terrain.set("texture_%d" % i, texture)
		check_equal(terrain.get("texture_%d" % i), texture, "texture %d" % i)
	await frames(2)
	terrain.debug_view = QuarryTerrain.DEBUG_LODS
	terrain.material = null
	terrain.texture_2 = null
	check_equal(terrain.material, null, "no material")
	await frames(2)
	check_equal(terrain.check_shown(), "", "what is shown")


func _initialize() -> void:
	run.call_deferred()


func run() -> void:
	OS.low_processor_usage_mode_sleep_usec = 1
	Engine.max_fps = 200
	var inherited := []
	if get_script().get_base_script() != null:
		inherited = get_script().get_base_script().get_script_method_list().map(func(each): return each.name)
	for method in get_script().get_script_method_list():
		if not method.name.begins_with("test_") or method.name in inherited:
			continue
		var only := OS.get_cmdline_user_args()
		if not only.is_empty() and not Array(only).any(func(part): return part in method.name):
			continue
		current = method.name
		var begin := Time.get_ticks_msec()
		var failures_before := failures
		root_node = Node3D.new()
		get_root().add_child(root_node)
		await call(method.name)
		root_node.free()
		await process_frame
		print("%s: %s (%d ms)" % ["ok" if failures == failures_before else "FAILED", current, Time.get_ticks_msec() - begin])
	print("all tests ended, %d failures" % failures)
	quit(1 if failures > 0 else 0)
