# Edits: brushes, undo, a network, loose pieces and the file that keeps them.
extends "run_tests.gd"


func test_the_ground_is_dug_filled_smoothed_and_undone() -> void:
	var terrain := await new_scene()
	await until_at_rest(terrain)
	var top := Vector3(5, 200, 5)
	var height := ground_below(terrain, top)
	var place := Vector3(5, height, 5)
	check(abs(terrain.sample(place)) < 0.5, "raycast does not hit the surface")
	check(terrain.dig(place, 6.0), "dig changes nothing")
	var box := await until_edited(terrain)
	check(box.has_point(place), "%s is not in %s" % [place, box])
	check(terrain.sample(place) > 0, "there is no hole")
	check(ground_below(terrain, top) < height - 4, "the ray does not see the hole")
	terrain.begin_stroke()
	check(terrain.add(place + Vector3(0, 8, 0), 3.0), "add changes nothing")
	check(terrain.smooth(place, 8.0, 0.5), "smooth changes nothing")
	await until_edited(terrain)
	check_equal(terrain.get_stats().edits, 3, "edits")
	check(terrain.undo() and terrain.undo() and not terrain.undo(), "two strokes are not two undos")
	await until_edited(terrain)
	check(abs(ground_below(terrain, top) - height) < 0.01, "undo does not bring the ground back")
	check(terrain.redo(), "redo")
	await until_edited(terrain)
	check(ground_below(terrain, top) < height - 4, "redo does not dig again")
	check(not terrain.dig(Vector3(0, 5000, 0), 2.0), "the sky can be dug")
	check(terrain.raycast(Vector3(0, 5000, 0), Vector3.UP, 100.0).is_empty(), "the ray hits the sky")
	check(terrain.raycast(Vector3.ZERO, Vector3.ZERO, 100.0).is_empty(), "a ray without direction")
	# What makes no new ground keeps the edits.
	terrain.view_distance = 200.0
	terrain.worker_threads = 2
	await until_ready(terrain)
	check(ground_below(terrain, top) < height - 4, "the hole went with the view distance")
	terrain.worker_threads = 0
	terrain.seed = 5
	await until_ready(terrain)
	check_equal(terrain.get_stats().edits, 0, "edits of another world")
	await until_at_rest(terrain)
	check_equal(terrain.check_shown(), "", "what is shown")


func test_an_edit_out_of_range_is_refused_with_its_reason() -> void:
	var messages := []
	var terrain := await new_scene()
	terrain.failed.connect(func(message: String): messages.append(message))
	check(not terrain.dig(Vector3(NAN, 0, 0), 2.0), "a hole at no place")
	check(not terrain.dig(Vector3.ZERO, 1e9), "a hole of all the world")
	check(not terrain.dig(Vector3.ZERO, -1.0), "a hole of negative size")
	check(not terrain.smooth(Vector3.ZERO, 2.0, 5.0), "smoother than smooth")
	check(not terrain.paint(Vector3.ZERO, 2.0, 77), "a material that is not there")
	await frames(2)
	check_equal(messages.size(), 5, "messages")
	check_equal(terrain.get_stats().edits, 0, "edits")


func test_a_moved_terrain_is_dug_where_the_caller_says() -> void:
	var terrain := await new_scene({world = 1})
	terrain.transform = Transform3D(Basis(Vector3.UP, 1.0).scaled(Vector3(2, 2, 2)), Vector3(30, 10, -20))
	await frames(2)
	await until_at_rest(terrain)
	var top := Vector3(20, 400, 10)
	var place := Vector3(20, ground_below(terrain, top), 10)
	check(terrain.dig(place, 8.0), "dig changes nothing")
	check(terrain.paint(place + Vector3(0, -8, 0), 6.0, 2), "paint changes nothing")
	var box := await until_edited(terrain)
	check(box.has_point(place), "%s is not in %s" % [place, box])
	check(abs(place.y - ground_below(terrain, top) - 8.0) < 1.5, "the hole is not 8 deep but %s" % (place.y - ground_below(terrain, top)))


func test_edits_come_back_from_their_file() -> void:
	var path := "user://edits_test.db"
	for each in ["", "-wal", "-shm", "-writer"]:
		DirAccess.remove_absolute(ProjectSettings.globalize_path(path) + each)
	var terrain := await new_scene({save_file = path})
	var top := Vector3(5, 200, 5)
	var height := ground_below(terrain, top)
	terrain.dig(Vector3(5, height, 5), 6.0)
	await until_edited(terrain)
	check(terrain.save(), "save")
	check_equal(terrain.get_stats().edits_saved, 1, "edits_saved")
	terrain.free()
	terrain = new_terrain({save_file = path})
	root_node.add_child(terrain)
	await until_ready(terrain)
	while not terrain.get_stats().is_loaded:
		await process_frame
	await until_at_rest(terrain)
	check(ground_below(terrain, top) < height - 4, "the hole is not there again")
	check_equal(terrain.check_shown(), "", "what is shown")
	# The file of another world is refused, and the world stays.
	var messages := []
	terrain.failed.connect(func(message: String): messages.append(message))
	terrain.seed = 8
	await frames(5)
	check(messages.size() == 1 and "edits_test.db" in messages[0], "messages: %s" % [messages])
	terrain.seed = 42
	await until_ready(terrain)
	check(terrain.dig(Vector3(5, height - 8, 5), 3.0) and terrain.save(), "its own world is not saved any more")
	check_equal(terrain.get_stats().edits_saved, 2, "edits_saved after the refusal")


func test_brushes_of_all_kinds_and_shapes() -> void:
	var terrain := await new_scene()
	await until_at_rest(terrain)
	var height := ground_below(terrain, Vector3(5, 200, 5))
	var place := Vector3(5, height, 5)
	check(terrain.edit({kind = "dig", shape = "box", position = place, size = Vector3(8, 6, 4)}), "a box")
	check(terrain.sample(place + Vector3(3.5, 0, 1.5)) > 0 and terrain.sample(place + Vector3(0, -4, 0)) < 0, "the box's size")
	check(terrain.edit({kind = "dig", shape = "capsule", position = place, end = place + Vector3(0, -20, 0), radius = 3.0}), "a capsule")
	check(terrain.sample(place + Vector3(0, -19, 0)) > 0, "the shaft is not dug")
	check(terrain.edit({kind = "add", position = place, radius = 5.0, falloff = 2.0, strength = 0.5}), "a soft ball")
	check(terrain.flatten(place + Vector3(20, 0, 0), 8.0, Vector3.UP, 1.0), "flatten")
	var before := ground_below(terrain, Vector3(-20, 200, 5))
	check(terrain.raise(Vector3(-20, before, 5), 8.0, 3.0), "raise")
	check(ground_below(terrain, Vector3(-20, 200, 5)) > before + 1, "nothing was raised")
	await until_edited(terrain)
	check(terrain.ground_below(Vector3(5, 200, 5), 500.0).has("position"), "ground_below")
	check(terrain.ground_below(Vector3(5, 5000, 5), 10.0).is_empty(), "ground_below in the sky")
	var messages := []
	terrain.failed.connect(func(message: String): messages.append(message))
	for wrong in [{}, {kind = "melt", position = place}, {kind = "dig"}, {kind = "dig", position = 3}, {kind = "dig", position = place, colour = 1},
			{kind = "dig", shape = "box", position = place}, {kind = "paint", position = place, material = 9}, {kind = "smooth", position = place, strength = 7}]:
		check(not terrain.edit(wrong), "%s was taken" % wrong)
	await frames(2)
	check_equal(messages.size(), 8, "messages")
	for part in ["melt", "position", "colour", "size"]:
		check(messages.any(func(each): return part in each), "nobody speaks of " + part)


func test_edits_are_the_same_over_a_network() -> void:
	var here := await new_scene({editor = 1})
	var there := new_terrain({editor = 2})
	there.position = Vector3(0, 300, 0)
	root_node.add_child(there)
	await until_ready(there)
	var sent: Array[PackedByteArray] = []
	here.edit_made.connect(func(bytes: PackedByteArray): sent.append(bytes))
	there.edit_made.connect(func(_bytes): check(false, "an edit came back"))
	var height := ground_below(here, Vector3(5, 200, 5))
	here.dig(Vector3(5, height, 5), 5.0)
	here.begin_stroke()
	here.edit({kind = "add", shape = "capsule", position = Vector3(5, height, 5), end = Vector3(15, height + 4, 5), radius = 2.0})
	here.end_stroke()
	here.undo()
	here.redo()
	await until_edited(here)
	check_equal(sent.size(), 4, "messages")
	for message in sent:
		check(message.size() < 200, "%d bytes" % message.size())
		check(there.apply_edit(message), "an edit changes nothing")
	for i in 200:
		# Of whole quarters, so that moving it rounds nothing.
		var at := Vector3(randi_range(-40, 100), roundi(height) * 4 + randi_range(-40, 40), randi_range(-40, 80)) / 4
		check_equal(there.sample(at + Vector3(0, 300, 0)), here.sample(at), "the density at %s" % at)
	check(not there.undo(), "undo takes back what somebody else has done")
	var messages := []
	there.failed.connect(func(message: String): messages.append(message))
	check(not there.apply_edit(PackedByteArray()), "no bytes")
	check(not there.apply_edit(PackedByteArray([1, 2, 3])), "three bytes")
	var damaged := sent[0].duplicate()
	damaged[damaged.size() / 2] ^= 4
	check(not there.apply_edit(damaged), "damaged bytes")
	there.seed = 7
	await until_ready(there)
	check(not there.apply_edit(sent[0]), "an edit of another world")
	await frames(2)
	check_equal(messages.size(), 4, "messages")


func test_a_piece_that_is_cut_off_is_told_and_can_be_removed() -> void:
	var terrain := await new_scene()
	var parts := []
	terrain.part_loosened.connect(func(box: AABB, inside: Vector3): parts.append([box, inside]))
	var height := ground_below(terrain, Vector3(5, 200, 5))
	var floating := Vector3(5, height + 20, 5)
	check(terrain.add(floating, 3.0), "add")
	var end := Time.get_ticks_msec() + LONGEST_MS
	while parts.is_empty() and Time.get_ticks_msec() < end:
		await process_frame
	check_equal(parts.size(), 1, "parts")
	if parts.size() == 1:
		check(parts[0][0].has_point(floating), "the box %s" % parts[0][0])
		check(terrain.remove_part(parts[0][1]), "remove_part")
	check(terrain.sample(floating) > 0, "it still hangs there")
	check(not terrain.remove_part(Vector3(5, height - 30, 5)), "the ground itself was removed")


func test_it_says_when_ground_far_away_is_there_and_when_all_is_saved() -> void:
	var file := "user://says_%d.db" % OS.get_process_id()
	var terrain := await new_scene({save_file = file})
	var saved := [0]
	terrain.saved.connect(func(): saved[0] += 1)
	await terrain.wait_ready_around(Vector3(0, 10, 0), 30.0)
	check(terrain.is_ready_around(Vector3(0, 10, 0), 30.0), "it was not ready")
	get_root().get_camera_3d().position = Vector3(700, 20, 0)
	await terrain.wait_ready_around(Vector3(700, 10, 0), 30.0)
	check(terrain.is_ready_around(Vector3(700, 10, 0), 30.0), "it was not ready at the other place")
	await frames(1)
	check_equal(terrain.get_signal_list().filter(func(each): return each.name.begins_with("ready_around_")).size(), 0, "signals left over")
	check_equal(saved[0], 0, "saved without an edit")
	terrain.dig(Vector3(700, ground_below(terrain, Vector3(700, 200, 0)), 0), 4.0)
	var end := Time.get_ticks_msec() + LONGEST_MS
	while saved[0] == 0 and Time.get_ticks_msec() < end:
		await process_frame
	check_equal(saved[0], 1, "saved")
	var depth := ground_below(terrain, Vector3(700, 200, 0))
	check(terrain.load(""), "load of no file")
	check(abs(ground_below(terrain, Vector3(700, 200, 0)) - depth) > 1, "the hole stays without its file")
	check(terrain.load(file), "load")
	await until_ready(terrain)
	await until_at_rest(terrain)
	check(abs(ground_below(terrain, Vector3(700, 200, 0)) - depth) < 0.01, "the hole did not come back with its file")
	check(not terrain.load("user://no/such/folder/w.db"), "a file that cannot be")
	terrain.save_file = ""
	await frames(3)
	for ending in ["", "-wal", "-shm"]:
		DirAccess.remove_absolute(ProjectSettings.globalize_path(file + ending))
