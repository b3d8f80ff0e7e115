# Long flights, many edits, scenes that change, things that fail: what a game does to a terrain, with no error line allowed.
extends "run_tests.gd"


# Sixty times a second by the physics clock: the camera moves on, the ground ahead is dug, and nothing is missing in what is drawn.
func test_a_flight_with_digging_has_no_hole_and_loses_nothing() -> void:
	var seconds := 30
	var terrain := await new_scene({budget_ms = 2.0, world = 1, view_distance = 512.0})
	var counts := {hidden = 0, edited = 0, failed = 0}
	terrain.chunk_hidden.connect(func(_key, _lod): counts.hidden += 1)
	terrain.edited.connect(func(_box): counts.edited += 1)
	terrain.failed.connect(func(_message): counts.failed += 1)
	var camera := get_root().get_camera_3d()
	var digs := 0
	var begin := Time.get_ticks_usec()
	for step in seconds * 60:
		camera.position = Vector3(step * 0.8, 60 + 20 * sin(step * 0.02), 40 * cos(step * 0.01))
		camera.rotation.y = sin(step * 0.013) * 2
		if step % 6 == 0:
			var hit := terrain.raycast(camera.position, Vector3(0.5, -1, 0), 200)
			if hit and terrain.dig(hit.position, 4.0):
				digs += 1
		await process_frame
		var found := terrain.check_shown()
		check(found == "", "frame %d: %s" % [step, found])
		if found != "":
			break
		# Frames that are early wait for their time.
		OS.delay_usec(maxi(begin + (step + 1) * 16667 - Time.get_ticks_usec(), 0))
	var lasted := (Time.get_ticks_usec() - begin) / 1e6
	await until_at_rest(terrain)
	var stats := terrain.get_stats()
	print("  flight: %.1f s, %d digs, %d uploads of which %d overwrote old buffers, %.1f us an upload, at most %.2f ms a frame" % [
		lasted, digs, stats.uploads, stats.overwritten, stats.upload_us, stats.frame_ms_max])
	check(digs > 100, "only %d digs" % digs)
	check(counts.edited > 50, "only %d edits were told" % counts.edited)
	check(counts.hidden > 100, "only %d chunks were hidden" % counts.hidden)
	check_equal(counts.failed, 0, "failures")
	check_equal(stats.failed, 0, "chunks that failed")
	check_equal(stats.queued, 0, "queued")
	check_equal(stats.edits, digs, "edits")
	check_equal(stats.chunks_held, stats.chunks_shown, "chunks held at rest")
	check(stats.overwritten > 50, "only %d uploads used buffers again" % stats.overwritten)
	check(stats.spare_bytes <= 48 << 20, "%d bytes are kept for later" % stats.spare_bytes)
	check_equal(terrain.check_shown(), "", "what is shown at rest")


func test_a_thousand_edits_are_made_saved_and_loaded() -> void:
	var file := "user://thousand_%d.db" % OS.get_process_id()
	var terrain := await new_scene({save_file = file, amplitude = 4.0})
	await until_at_rest(terrain)
	var random := RandomNumberGenerator.new()
	random.seed = 5
	for i in 1000:
		var place := Vector3(random.randf_range(-60, 60), random.randf_range(-6, 6), random.randf_range(-60, 60))
		if i % 50 == 0:
			terrain.begin_stroke()
		match i % 5:
			0, 1: terrain.dig(place, random.randf_range(1, 4))
			2: terrain.add(place, random.randf_range(1, 4))
			3: terrain.smooth(place, 4.0, 0.5)
			4: terrain.edit({kind = "dig", shape = "box", position = place, size = Vector3(3, 2, 4), falloff = 0.5})
		if i % 20 == 0:
			await process_frame
			check_equal(terrain.check_shown(), "", "what is shown after %d edits" % i)
	await until_at_rest(terrain)
	check_equal(terrain.get_stats().edits, 1000, "edits")
	check_equal(terrain.check_shown(), "", "what is shown")
	check(terrain.save(), "save")
	check_equal(terrain.get_stats().edits_saved, 1000, "edits_saved")
	var before := []
	for i in 200:
		before.append(terrain.sample(Vector3(i % 20 * 6 - 60, i / 20 - 5, i * 7 % 120 - 60)))
	terrain.free()
	terrain = new_terrain({save_file = file, amplitude = 4.0})
	root_node.add_child(terrain)
	await until_ready(terrain)
	while not terrain.get_stats().is_loaded:
		await process_frame
	await until_at_rest(terrain)
	for i in 200:
		check_equal(terrain.sample(Vector3(i % 20 * 6 - 60, i / 20 - 5, i * 7 % 120 - 60)), before[i], "the density of sample %d" % i)
	check_equal(terrain.check_shown(), "", "what is shown after loading")
	terrain.free()
	for ending in ["", "-wal", "-shm", "-writer"]:
		DirAccess.remove_absolute(ProjectSettings.globalize_path(file + ending))


func test_a_scene_may_change_while_it_is_meshed() -> void:
	var scene := Node3D.new()
	for node in [new_camera(), new_terrain({world = 1})]:
		scene.add_child(node)
		node.owner = scene
	var packed := PackedScene.new()
	check_equal(packed.pack(scene), OK, "pack")
	scene.free()
	for count in [1, 2, 3, 4, 6, 9, 14, 30, 1, 2]:
		check_equal(change_scene_to_packed(packed), OK, "change_scene_to_packed")
		await frames(count)
	await until_at_rest(current_scene.get_child(1))
	check(current_scene.get_child(1).get_stats().chunks_shown > 5, "nothing is shown after all changes")
	current_scene.free()
	await frames(2)


func test_what_fails_on_workers_is_told_and_the_rest_is_shown() -> void:
	var terrain := await new_scene()
	await until_at_rest(terrain)
	var messages := []
	terrain.failed.connect(func(message: String): messages.append(message))
	for what in {field = "on purpose", worker = "on purpose", memory = "bad_alloc"}:
		messages.clear()
		terrain.fail_chunks(what, 5)
		await frames(2)
		await until_at_rest(terrain)
		await frames(2)
		check(messages.size() >= 1 and messages.size() <= 5, "%d messages for 5 failures of %s" % [messages.size(), what])
		for message in messages:
			check(message.begins_with("chunk (") and {field = "on purpose", worker = "on purpose", memory = "bad_alloc"}[what] in message, message)
		check(terrain.get_stats().chunks_shown > 20, "the world is gone after failures of %s" % what)
		terrain.fail_chunks(what, 0)
		await until_ready(terrain)
		await until_at_rest(terrain)
		check_equal(terrain.check_shown(), "", "what is shown once nothing fails")
		check_equal(terrain.get_stats().failed > 0, true, "failures are counted")


func test_a_hundred_crates_stay_above_the_ground() -> void:
	var terrain := await new_scene({amplitude = 3.0, collision_radius = 40.0})
	await until_at_rest(terrain)
	var crates := []
	for i in 100:
		var crate := RigidBody3D.new()
		var shape := CollisionShape3D.new()
		shape.shape = BoxShape3D.new()
		crate.add_child(shape)
		# Some where no viewer is.
		crate.position = Vector3(i % 10 * 5 - 22 + (1000 if i % 4 == 0 else 0), 30, i / 10 * 5 - 22)
		crate.freeze = true
		root_node.add_child(crate)
		terrain.add_body(crate)
		crates.append(crate)
	var end := Time.get_ticks_msec() + LONGEST_MS
	for crate in crates:
		var place: Vector3 = Vector3(crate.position.x, ground_below(terrain, crate.position), crate.position.z)
		while not terrain.is_collision_ready_around(place, 3) and Time.get_ticks_msec() < end:
			await process_frame
		crate.freeze = false
	for i in 240:
		await physics_frame
	var lost := crates.filter(func(crate): return terrain.sample(crate.position) < -0.6 or crate.position.y < -20)
	check_equal(lost.size(), 0, "crates in or below the ground")
	# More than there is room for are refused by name.
	var messages := []
	terrain.failed.connect(func(message: String): messages.append(message))
	for i in 160:
		var more := Node3D.new()
		root_node.add_child(more)
		terrain.add_body(more)
	await frames(2)
	check(messages.size() == 5 and "255" in messages[0], "messages: %s" % [messages])


func test_a_view_of_states_and_a_list_of_chunks() -> void:
	root_node.add_child(new_camera())
	var terrain := new_terrain({world = 1, debug_view = QuarryTerrain.DEBUG_STATES, cross_fade = 0.3})
	root_node.add_child(terrain)
	var seen := {}
	for i in 400:
		await process_frame
		var chunks := terrain.get_chunks()
		check_equal(chunks.size() % 5, 0, "numbers")
		for at in range(0, chunks.size(), 5):
			seen[chunks[at + 4]] = true
		get_root().get_camera_3d().position.x += 1
		if i == 200:
			terrain.debug_view = QuarryTerrain.DEBUG_OFF
		if i == 300:
			terrain.debug_view = QuarryTerrain.DEBUG_STATES
	await until_at_rest(terrain)
	await frames(2)
	var drawn := 0
	var chunks := terrain.get_chunks()
	for at in range(0, chunks.size(), 5):
		drawn += int(chunks[at + 4] == terrain.get_stats().states.keys().find("shown"))
		check(chunks[at + 3] >= 0 and chunks[at + 3] < 4, "a chunk of level %d" % chunks[at + 3])
	check_equal(drawn, terrain.get_stats().chunks_shown, "chunks that are shown")
	check(seen.size() > 3, "states that were seen: %s" % [seen.keys()])
	check_equal(terrain.check_shown(), "", "what is shown")
	terrain.clear()
	check_equal(terrain.get_chunks().size(), 0, "chunks of no world")


func test_a_description_may_be_a_resource() -> void:
	var text := '{"field": {"type": "noise", "seed": 7, "octaves": 3, "frequency": 0.02, "amplitude": 12}}'
	var terrain := await new_scene({world = 2, description = text})
	var wanted := terrain.sample(Vector3(3, 4, 5))
	var parsed := JSON.new()
	check_equal(parsed.parse(text), OK, "parse")
	var kept := JSON.new()
	kept.parse(text, true)
	var made := JSON.new()
	made.data = {field = {type = "noise", seed = 7, octaves = 3, frequency = 0.02, amplitude = 12}}
	var file := FileAccess.open("res://resource.json", FileAccess.WRITE)
	file.store_string(text)
	file.close()
	for resource in [parsed, kept, made, load("res://resource.json")]:
		terrain.description = '{"field": {"type": "sphere", "centre": [0, 0, 0], "radius": 30}}'
		await until_ready(terrain)
		check(terrain.sample(Vector3(3, 4, 5)) != wanted, "the text does not come first")
		terrain.description = ""
		terrain.description_resource = resource
		check_equal(terrain.description_resource, resource, "description_resource")
		await until_ready(terrain)
		check_equal(terrain.sample(Vector3(3, 4, 5)), wanted, "the density in the world of %s" % resource)
	var messages := []
	terrain.failed.connect(func(message: String): messages.append(message))
	terrain.description_resource = null
	await frames(3)
	check(messages.size() == 1 and "description_resource" in messages[0], "messages: %s" % [messages])
	check(terrain.get_stats().chunks_shown > 10, "the last good world is gone")


func test_files_that_cannot_be_used_leave_the_world_and_say_why() -> void:
	var messages := []
	var terrain := await new_scene()
	await until_at_rest(terrain)
	var shown: int = terrain.get_stats().chunks_shown
	terrain.failed.connect(func(message: String): messages.append(message))
	var garbage := "user://garbage_%d.db" % OS.get_process_id()
	var file := FileAccess.open(garbage, FileAccess.WRITE)
	for i in 5000:
		file.store_8(i * 37 % 251)
	file.close()
	for wrong in [garbage, "user://", "res://no/such/folder/w.db", "/proc/version", "/dev/null"]:
		messages.clear()
		check(not terrain.load(wrong), "%s was taken" % wrong)
		await frames(3)
		check_equal(messages.size(), 1, "messages for %s: %s" % [wrong, messages])
		check_equal(terrain.get_stats().chunks_shown, shown, "chunks after %s" % wrong)
		check_equal(terrain.save_file, "", "save_file after %s" % wrong)
	check(terrain.load(""), "no file")
	# One file for two terrains.
	var shared := "user://shared_%d.db" % OS.get_process_id()
	check(terrain.load(shared), "a new file")
	messages.clear()
	var other := new_terrain({save_file = shared})
	other.failed.connect(func(message: String): messages.append(message))
	root_node.add_child(other)
	await frames(10)
	check_equal(messages.size(), 1, "messages for a file that another terrain has: %s" % [messages])
	other.free()
	check(terrain.load(""), "no file")
	terrain.free()
	for each in [garbage, shared]:
		for ending in ["", "-wal", "-shm", "-writer"]:
			DirAccess.remove_absolute(ProjectSettings.globalize_path(each + ending))


func test_strange_viewers_and_transforms() -> void:
	var terrain := await new_scene()
	var messages := []
	terrain.failed.connect(func(message: String): messages.append(message))
	var plain := Node.new()
	plain.name = "Plain"
	root_node.add_child(plain)
	for path in ["../Plain", "nowhere", ".", "..", "/root", ""]:
		terrain.viewer = NodePath(path)
		await frames(3)
		check(terrain.get_stats().chunks_shown > 20, "the world is gone with the viewer \"%s\"" % path)
	for place in [Vector3(NAN, 0, 0), Vector3(INF, 0, 0), Vector3(0, -1e20, 0)]:
		get_root().get_camera_3d().position = place
		await frames(3)
		check(terrain.get_stats().chunks_shown > 20, "the world is gone with a camera at %s" % place)
	get_root().get_camera_3d().position = Vector3(0, 20, 0)
	for basis in [Basis.from_scale(Vector3.ZERO), Basis.from_scale(Vector3(1, 0, 1)), Basis.from_scale(Vector3(1e-30, 1e-30, 1e-30)), Basis.from_scale(Vector3(1e10, 1e10, 1e10))]:
		terrain.transform = Transform3D(basis, Vector3.ZERO)
		await frames(3)
		terrain.raycast(Vector3(0, 100, 0), Vector3.DOWN, 200)
		terrain.is_ready_around(Vector3.ZERO, 10)
		terrain.dig(Vector3.ZERO, 2)
	terrain.transform = Transform3D.IDENTITY
	await frames(3)
	await until_at_rest(terrain)
	check_equal(terrain.check_shown(), "", "what is shown")
	print("  messages: %d, the last: %s" % [messages.size(), messages[-1] if messages else ""])
	check(messages.size() < 20, "%d messages" % messages.size())


func test_references_may_outlive_it() -> void:
	var terrain := await new_scene()
	var stats := terrain.get_stats()
	var signal_of := terrain.wait_ready_around(Vector3(100000, 0, 0), 10.0)
	var call := terrain.get_monitor.bind("queued")
	terrain.add_viewer(terrain)
	terrain.add_body(terrain)
	await frames(3)
	terrain.free()
	check(not call.is_valid(), "a function of a terrain that is gone can be called")
	check_equal(signal_of.get_object(), null, "the signal's object")
	check(stats.chunks_shown > 20, "figures went with the terrain")
	await frames(3)


# All scripts of the guide compile, and the first one digs where the mouse points.
func test_the_guide_leads_to_a_cave() -> void:
	var blocks := []
	for part in FileAccess.get_file_as_string("res://godot.md").split("```gdscript\n").slice(1):
		blocks.append(part.split("\n```")[0])
	check(blocks.size() > 5, "only %d scripts in the guide" % blocks.size())
	var scripts := []
	for block in blocks:
		var script := GDScript.new()
		script.source_code = block if block.begins_with("extends") else "extends Node3D\nvar terrain: QuarryTerrain\nvar crate_scene: PackedScene\nvar mouth: Vector3\nvar place: Vector3\n" + (
			block if block.begins_with("func") else "func run():\n    " + block.replace("\n", "\n    "))
		check_equal(script.reload(), OK, "a script of the guide: %s" % block)
		scripts.append(script)
	var terrain := new_terrain({world = 1, view_distance = 1024.0, lod_levels = 6, lod_distance = 128.0})
	terrain.name = "QuarryTerrain"
	root_node.add_child(terrain)
	var camera := new_camera(Vector3(0, 60, 0))
	camera.rotation.y = -1.2
	camera.set_script(scripts[0])
	root_node.add_child(camera)
	await until_ready(terrain)
	mouse_button(true)
	press("ui_up", true)
	var motion := InputEventMouseMotion.new()
	motion.relative = Vector2(0, 140)
	root_node.get_viewport().push_input(motion)
	await frames(100)
	press("ui_up", false)
	mouse_button(false)
	await frames(2)
	check(camera.rotation.x < -0.3, "the mouse does not turn the camera")
	check(camera.position.distance_to(Vector3(0, 60, 0)) > 5, "the keys do not move the camera")
	var edits: int = terrain.get_stats().edits
	check(edits > 5, "only %d edits" % edits)
	check_equal(terrain.check_shown(), "", "what is shown")
	press("ui_undo", true)
	await frames(3)
	check(terrain.get_stats().edits > edits, "undo does nothing")


func mouse_button(is_pressed: bool) -> void:
	var event := InputEventMouseButton.new()
	event.button_index = MOUSE_BUTTON_LEFT
	event.pressed = is_pressed
	Input.parse_input_event(event)


func press(action: String, is_pressed: bool) -> void:
	var event := InputEventAction.new()
	event.action = action
	event.pressed = is_pressed
	Input.parse_input_event(event)
