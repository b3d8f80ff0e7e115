# Cross-fades between levels of detail: who is drawn while they last, and that nothing is left of them.
extends "run_tests.gd"


# Lowers the camera until what is below it becomes finer, and says how many chunks were seen to fade at once.
func fly_down(terrain: QuarryTerrain) -> int:
	var camera := get_root().get_camera_3d()
	var most := 0
	for step in 40:
		camera.position = Vector3(step * 4.0, 150 - step * 3.0, 0)
		await process_frame
		most = maxi(most, terrain.get_stats().chunks_fading)
		check_equal(terrain.check_shown(), "", "what is shown in step %d" % step)
	return most


func until_faded(terrain: QuarryTerrain) -> void:
	await until_at_rest(terrain)
	var end := Time.get_ticks_msec() + LONGEST_MS
	while terrain.get_stats().chunks_fading > 0 and Time.get_ticks_msec() < end:
		await process_frame
	await frames(30)


func test_what_is_replaced_is_drawn_until_its_fade_ends() -> void:
	var terrain := await new_scene({cross_fade = 0.3})
	await until_at_rest(terrain)
	check(await fly_down(terrain) > 4, "hardly anything fades")
	await until_faded(terrain)
	var stats := terrain.get_stats()
	check_equal(stats.chunks_fading, 0, "chunks that fade at rest")
	check_equal(stats.chunks_held, stats.chunks_shown, "chunks held at rest")
	check(stats.fading_materials > 1, "only %s materials" % stats.fading_materials)
	# Materials are used again: as many flights as one likes need no more than the first few.
	var materials := 0
	for i in 3:
		get_root().get_camera_3d().position = Vector3(0, 150, 0)
		await until_faded(terrain)
		await fly_down(terrain)
		await until_faded(terrain)
		materials = maxi(materials, terrain.get_stats().fading_materials)
	check(materials < 400, "%s materials" % materials)
	check_equal(terrain.check_shown(), "", "what is shown")


func test_a_fade_lasts_as_long_as_it_should() -> void:
	var terrain := await new_scene({cross_fade = 1.0})
	await until_at_rest(terrain)
	var camera := get_root().get_camera_3d()
	camera.position = Vector3(0, 150, 0)
	await until_faded(terrain)
	camera.position = Vector3(0, 20, 0)
	while terrain.get_stats().chunks_fading == 0 or not terrain.get_stats().at_rest:
		await process_frame
	var began := Time.get_ticks_msec()
	while terrain.get_stats().chunks_fading > 0:
		await process_frame
	var lasted := Time.get_ticks_msec() - began
	check(lasted > 500 and lasted < 3000, "the last fade ended after %d ms, not 1000" % lasted)


func test_without_a_fade_nothing_is_made_for_one() -> void:
	var terrain := await new_scene()
	await until_at_rest(terrain)
	check_equal(await fly_down(terrain), 0, "chunks that fade")
	check_equal(terrain.get_stats().fading_materials, 0, "materials for fades")
	# A material of one's own is not dithered: what is replaced goes at once.
	terrain.cross_fade = 0.5
	terrain.material = StandardMaterial3D.new()
	get_root().get_camera_3d().position = Vector3(0, 150, 0)
	await until_at_rest(terrain)
	check_equal(await fly_down(terrain), 0, "chunks that fade with a material of one's own")
	check_equal(terrain.get_stats().fading_materials, 0, "materials for fades with a material of one's own")


func test_anything_may_happen_during_a_fade() -> void:
	for change in ["hide", "material", "transform", "debug", "seed", "worker_threads", "dig", "off", "clear", "remove", "free"]:
		var terrain := await new_scene({cross_fade = 5.0})
		await until_at_rest(terrain)
		check(await fly_down(terrain) > 4, "hardly anything fades before %s" % change)
		match change:
			"hide":
				terrain.hide()
				await frames(3)
				terrain.show()
			"material": terrain.material = StandardMaterial3D.new()
			"transform": terrain.position = Vector3(10, 0, 0)
			"debug": terrain.debug_view = QuarryTerrain.DEBUG_WIREFRAME
			"seed": terrain.seed = 3
			"worker_threads": terrain.worker_threads = 1
			"dig": terrain.dig(Vector3(160, ground_below(terrain, Vector3(160, 200, 0)), 0), 6.0)
			"off": terrain.cross_fade = 0
			"clear": terrain.clear()
			"remove": terrain.get_parent().remove_child(terrain)
			"free": terrain.free()
		await frames(20)
		if is_instance_valid(terrain):
			check_equal(terrain.check_shown(), "", "what is shown after %s" % change)
			if change in ["material", "clear", "remove"]:
				check_equal(terrain.get_stats().chunks_fading, 0, "chunks that fade after %s" % change)
			terrain.free()
		for child in root_node.get_children():
			child.free()
