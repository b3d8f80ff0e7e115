# Whatever a handler of a signal does with the terrain that has emitted it, and edits as large as they go.
extends "run_tests.gd"

const SIGNALS := ["terrain_ready", "chunk_shown", "chunk_hidden", "edited", "edit_made", "part_loosened", "saved", "failed"]


# Calls it with nothing, whatever the signal tells.
func listen(terrain: QuarryTerrain, name: String, handler: Callable) -> void:
	for each in terrain.get_signal_list():
		if each.name == name:
			terrain.connect(name, handler.unbind(each.args.size()) if each.args.size() > 0 else handler)


# Makes all signals come within some frames.
func stir(terrain: QuarryTerrain, step: int) -> void:
	var camera := get_root().get_camera_3d()
	if camera != null and step % 7 == 0:
		camera.position = Vector3(40 * sin(step), 20, 40 * cos(step))
	if not terrain.is_inside_tree() or not terrain.get_stats().has_world:
		return
	var place := Vector3(10 + step % 5, 0, 10)
	if step % 9 == 1:
		place.y = 8
		# A ball in the air is a loose piece.
		terrain.add(place + Vector3(0, 60, 0), 3.0)
	elif step % 9 == 2:
		terrain.dig(place, 6.0)
	elif step % 9 == 3:
		terrain.edit({kind = "nothing"})
	elif step % 9 == 4:
		terrain.regenerate()


func actions(terrain: QuarryTerrain, file: String) -> Dictionary:
	return {
		dig = func(): terrain.dig(Vector3(5, 0, 5), 4.0),
		undo = func(): terrain.undo(),
		regenerate = func(): terrain.regenerate(),
		clear_and_back = func():
			terrain.clear()
			terrain.regenerate(),
		seed = func(): terrain.seed = (terrain.seed + 1) % 5,
		workers = func(): terrain.worker_threads = 1 + terrain.worker_threads % 2,
		file = func(): terrain.save_file = "" if terrain.save_file != "" else file,
		load = func(): terrain.load("" if terrain.save_file != "" else file),
		cells = func(): terrain.chunk_cells = 48 - terrain.chunk_cells,
		move = func():
			if terrain.is_inside_tree():
				var parent := terrain.get_parent()
				parent.remove_child(terrain)
				parent.add_child(terrain),
		view = func(): terrain.debug_view = (terrain.debug_view + 1) % 5,
		collision = func(): terrain.collision_enabled = not terrain.collision_enabled,
		failure = func(): terrain.edit({kind = "nothing"}),
		wait = func(): terrain.wait_ready_around(Vector3.ZERO, 20.0),
	}


# Each action in a handler of each signal: the world is whole afterwards.
func test_a_handler_may_do_anything() -> void:
	var heard := {}
	var file := "user://handler_%d.db" % OS.get_process_id()
	for what in actions(null, file):
		var terrain := await new_scene({view_distance = 128.0})
		var act: Callable = actions(terrain, file)[what]
		var left := {}
		for name in SIGNALS:
			left[name] = 3
			listen(terrain, name, func():
				heard[name] = true
				if left[name] > 0:
					left[name] -= 1
					act.call())
		for step in 36:
			stir(terrain, step)
			await process_frame
			check_equal(terrain.check_shown(), "", "what is shown after %s" % what)
		for name in SIGNALS:
			left[name] = 0
		terrain.save_file = ""
		terrain.regenerate()
		await until_ready(terrain)
		await until_at_rest(terrain)
		check(terrain.get_stats().chunks_shown > 5, "nothing is shown after %s" % what)
		check_equal(terrain.check_shown(), "", "what is shown at rest after %s" % what)
		get_root().get_camera_3d().free()
		terrain.free()
	for ending in ["", "-wal", "-shm", "-writer"]:
		DirAccess.remove_absolute(ProjectSettings.globalize_path(file + ending))
	heard.erase("saved")
	check_equal(heard.size(), SIGNALS.size() - 1, "signals that came: %s" % [heard.keys()])


func test_a_handler_of_each_signal_may_free_it() -> void:
	for name in SIGNALS:
		var file := "user://freed_%d.db" % OS.get_process_id()
		var terrain := await new_scene({view_distance = 128.0, save_file = file})
		listen(terrain, name, func(): terrain.queue_free())
		for step in 400:
			if not is_instance_valid(terrain):
				break
			stir(terrain, step)
			await process_frame
		check(not is_instance_valid(terrain), "%s never came" % name)
		get_root().get_camera_3d().free()
		for ending in ["", "-wal", "-shm", "-writer"]:
			DirAccess.remove_absolute(ProjectSettings.globalize_path(file + ending))


func test_edits_as_large_as_they_go() -> void:
	var terrain := await new_scene({view_distance = 128.0})
	await until_at_rest(terrain)
	var messages := []
	terrain.failed.connect(func(message: String): messages.append(message))
	var taken := []
	for radius in [20.0, 64.0, 200.0, 1000.0, 1e5]:
		var begin := Time.get_ticks_msec()
		terrain.begin_stroke()
		if terrain.dig(Vector3(0, 0, 0), radius):
			taken.append(radius)
		await frames(2)
		check_equal(terrain.check_shown(), "", "what is shown after a dig of %s m" % radius)
		await until_at_rest(terrain)
		print("  a dig of %s m: %d ms until it is shown" % [radius, Time.get_ticks_msec() - begin])
	check(taken.size() + messages.size() == 5, "%s were made, and told: %s" % [taken, messages])
	for each in taken:
		check(terrain.undo(), "undo")
	await until_at_rest(terrain)
	check_equal(terrain.check_shown(), "", "what is shown after undo")
	check(not terrain.undo(), "there is nothing more to undo")
