# The ground as physics sees it, in whatever physics engine the project has.
extends "run_tests.gd"


func physics_frames(count: int) -> void:
	for i in count:
		await physics_frame


# What a ray of the physics engine meets, downwards. Empty: nothing.
func physics_ray(from: Vector3, reach := 200.0, mask := 1) -> Dictionary:
	await physics_frame
	var query := PhysicsRayQueryParameters3D.create(from, from + Vector3.DOWN * reach, mask)
	return get_root().world_3d.direct_space_state.intersect_ray(query)


func until_solid(terrain: QuarryTerrain, place: Vector3, radius := 4.0) -> void:
	var end := Time.get_ticks_msec() + LONGEST_MS
	while not terrain.is_collision_ready_around(place, radius) and Time.get_ticks_msec() < end:
		await process_frame
	check(terrain.is_collision_ready_around(place, radius), "the ground at %s does not get solid" % place)


func new_crate(place: Vector3) -> RigidBody3D:
	var crate := RigidBody3D.new()
	var shape := CollisionShape3D.new()
	var box := BoxShape3D.new()
	box.size = Vector3(0.8, 0.8, 0.8)
	shape.shape = box
	crate.add_child(shape)
	crate.position = place
	return crate


# Seconds of physics, or until it hardly moves.
func let_fall(crate: RigidBody3D, seconds := 4.0) -> void:
	await physics_frames(20)
	for i in int(seconds * Engine.physics_ticks_per_second):
		await physics_frame
		if crate.linear_velocity.length() < 0.05:
			return


# On the ground below it, wherever it has slid.
func check_lies(terrain: QuarryTerrain, crate: RigidBody3D) -> void:
	var height := ground_below(terrain, crate.position + Vector3.UP * 3)
	var above := crate.position.y - height
	check(above > 0.1 and above < 1.5, "the crate is %s above the ground, at %s" % [above, crate.position])


func test_the_engine_is_the_one_asked_for() -> void:
	var wanted: String = ProjectSettings.get_setting("physics/3d/physics_engine")
	await physics_frame
	var space := get_root().world_3d.direct_space_state.get_class()
	print("  %s: %s" % [wanted, space])
	check_equal(space.begins_with("Jolt"), wanted.begins_with("Jolt"), "whether it is Jolt")


func test_a_crate_comes_to_rest_and_falls_into_a_hole_dug_under_it() -> void:
	var terrain := await new_scene({amplitude = 2.0})
	var top := Vector3(3, 200, 4)
	var height := ground_below(terrain, top)
	await until_solid(terrain, Vector3(3, height, 4))
	var crate := new_crate(Vector3(3, height + 2, 4))
	root_node.add_child(crate)
	terrain.add_body(crate)
	await let_fall(crate)
	check_lies(terrain, crate)
	for i in 240:
		if crate.sleeping:
			break
		await physics_frame
	check(crate.sleeping, "the crate does not fall asleep")
	var before := crate.position
	check(terrain.dig(Vector3(before.x, ground_below(terrain, before + Vector3.UP * 50), before.z), 4.0), "dig")
	await let_fall(crate)
	await let_fall(crate)
	check(crate.position.y < before.y - 2, "the crate hangs at %s over the hole, it was at %s" % [crate.position.y, before.y])
	check_lies(terrain, crate)


func test_the_hole_is_there_in_the_next_physics_frame() -> void:
	var terrain := await new_scene()
	var place := Vector3(3, ground_below(terrain, Vector3(3, 200, 4)), 4)
	get_root().get_camera_3d().position = place + Vector3.UP * 2
	terrain.add_body(get_root().get_camera_3d())
	await until_solid(terrain, place)
	var late: int = terrain.get_stats().collision_late
	for i in 5:
		get_root().get_camera_3d().position = place + Vector3.UP * 2
		terrain.dig(place, 3.0)
		await process_frame
		await process_frame
		var hit := await physics_ray(place + Vector3.UP * 3, 50)
		check(not hit.is_empty(), "no ground below the hole")
		if hit.is_empty():
			return
		check(absf(hit.position.y - ground_below(terrain, place + Vector3.UP * 3)) < 0.6 or terrain.get_stats().collision_late > late,
				"physics says %s, the ground is at %s" % [hit.position.y, ground_below(terrain, place + Vector3.UP * 3)])
		check_equal(hit.collider, terrain, "the collider")
		place.y -= 3


func test_bodies_far_from_the_viewer_have_ground_when_they_are_registered() -> void:
	var terrain := await new_scene({amplitude = 2.0})
	var far := Vector3(1500, 0, 40)
	far.y = ground_below(terrain, far + Vector3.UP * 200)
	check((await physics_ray(far + Vector3.UP * 20)).is_empty(), "ground where nobody is")
	var crate := new_crate(far + Vector3.UP * 2)
	crate.freeze = true
	root_node.add_child(crate)
	terrain.add_body(crate)
	terrain.add_body(crate)
	await until_solid(terrain, far)
	crate.freeze = false
	await let_fall(crate)
	check_lies(terrain, crate)
	terrain.remove_body(crate)
	await frames(20)
	check((await physics_ray(far + Vector3(5, 20, 5))).is_empty(), "ground stays where nobody is")
	# A body that is freed is forgotten.
	terrain.add_body(crate)
	await until_solid(terrain, far)
	crate.free()
	await frames(20)
	check((await physics_ray(far + Vector3(5, 20, 5))).is_empty(), "ground stays for a body that is gone")


func test_it_can_be_switched_off_and_has_layers() -> void:
	var terrain := await new_scene()
	var place := Vector3(3, ground_below(terrain, Vector3(3, 200, 4)), 4)
	await until_solid(terrain, place)
	var above := place + Vector3.UP * 10
	check(terrain.get_stats().collision_shapes > 4, "only %s shapes" % terrain.get_stats().collision_shapes)
	check(not (await physics_ray(above)).is_empty(), "no ground")
	check((await physics_ray(above, 200, 2)).is_empty(), "ground in another layer")
	terrain.collision_layer = 2
	await frames(2)
	check((await physics_ray(above)).is_empty(), "ground in the old layer")
	check(not (await physics_ray(above, 200, 2)).is_empty(), "no ground in the new layer")
	terrain.collision_layer = 1
	terrain.collision_enabled = false
	await frames(2)
	check_equal(terrain.get_stats().collision_shapes, 0, "shapes")
	check(not terrain.is_collision_ready_around(place, 2), "ready when it is off")
	check((await physics_ray(above)).is_empty(), "ground when it is off")
	terrain.collision_enabled = true
	terrain.collision_radius = 20.0
	await until_solid(terrain, Vector3(0, 20, 0), 2)
	check(terrain.get_stats().collision_shapes > 0, "it does not come back")


func test_a_moved_turned_and_scaled_terrain_is_solid_where_it_is_shown() -> void:
	var terrain := await new_scene()
	for transform in [Transform3D(Basis(), Vector3(100, 30, -20)), Transform3D(Basis(Vector3.UP, 0.7), Vector3(3, 4, 5)),
			Transform3D(Basis.from_scale(Vector3(2, 2, 2)), Vector3.ZERO), Transform3D(Basis.from_scale(Vector3(-1, 1, 1)), Vector3.ZERO)]:
		terrain.transform = transform
		await frames(3)
		var place := Vector3(4, ground_below(terrain, Vector3(4, 200, 3)), 3)
		get_root().get_camera_3d().position = place + Vector3.UP * 5
		await until_solid(terrain, place)
		var hit := await physics_ray(place + Vector3.UP * 8)
		check(not hit.is_empty(), "no ground in %s" % transform)
		if hit.is_empty():
			continue
		check(absf(hit.position.y - place.y) < 0.8, "physics says %s, the ground is at %s in %s" % [hit.position.y, place.y, transform])
		check(hit.normal.y > 0.1, "the ground looks down: %s" % hit.normal)


func test_another_world_is_solid_once_it_is_shown() -> void:
	var terrain := await new_scene()
	await until_solid(terrain, Vector3(0, 20, 0))
	terrain.seed = 7
	await until_ready(terrain)
	var place := Vector3(3, ground_below(terrain, Vector3(3, 200, 4)), 4)
	await until_solid(terrain, place)
	var hit := await physics_ray(place + Vector3.UP * 10)
	check(not hit.is_empty() and absf(hit.position.y - place.y) < 0.8, "physics says %s, the ground is at %s" % [hit, place.y])
	terrain.voxel_size = 0.5
	await until_ready(terrain)
	place.y = ground_below(terrain, Vector3(3, 200, 4))
	await until_solid(terrain, place)
	hit = await physics_ray(place + Vector3.UP * 10)
	check(not hit.is_empty() and absf(hit.position.y - place.y) < 0.8, "physics says %s, the ground is at %s" % [hit, place.y])
	terrain.clear()
	await frames(2)
	check_equal(terrain.get_stats().collision_shapes, 0, "shapes of a cleared world")


# Physics throws bodies anywhere now and then: what is left of them takes the ground from nobody.
func test_a_body_in_no_place_leaves_the_ground_to_the_others() -> void:
	var terrain := await new_scene({amplitude = 2.0})
	for place in [Vector3(NAN, 0, 0), Vector3(INF, 0, 0), Vector3(0, -1e30, 0)]:
		var lost := Node3D.new()
		lost.position = place
		root_node.add_child(lost)
		terrain.add_body(lost)
	var far := Vector3(700, 0, 40)
	far.y = ground_below(terrain, far + Vector3.UP * 200)
	var crate := new_crate(far + Vector3.UP * 2)
	crate.freeze = true
	root_node.add_child(crate)
	terrain.add_body(crate)
	await until_solid(terrain, far)
	crate.freeze = false
	await let_fall(crate)
	check_lies(terrain, crate)


func test_only_nodes_in_space_are_bodies() -> void:
	var terrain := await new_scene()
	var messages := []
	terrain.failed.connect(func(message: String): messages.append(message))
	var plain := Node.new()
	terrain.add_body(plain)
	terrain.add_body(null)
	terrain.remove_body(null)
	await frames(2)
	check_equal(messages.size(), 3, "messages")
	plain.free()
	# One that is in no tree waits until it is.
	var crate := new_crate(Vector3(900, 0, 0))
	terrain.add_body(crate)
	await frames(3)
	crate.free()
	await frames(3)


# A pillar with a roof: cut through, what was above falls as a body of its own.
func test_what_is_cut_off_falls_and_comes_to_rest() -> void:
	var terrain := await new_scene({amplitude = 2.0})
	var foot := Vector3(6, ground_below(terrain, Vector3(6, 200, 4)), 4)
	await until_solid(terrain, foot, 12)
	terrain.edit({kind = "add", shape = "capsule", position = foot, end = foot + Vector3.UP * 12, radius = 1.6})
	terrain.edit({kind = "add", shape = "box", position = foot + Vector3.UP * 12, size = Vector3(7, 3, 7)})
	var bodies: Array[RigidBody3D] = []
	terrain.part_loosened.connect(func(_box: AABB, inside: Vector3):
		var part := terrain.take_part(inside)
		if part.is_empty():
			return
		var body := RigidBody3D.new()
		var shape := CollisionShape3D.new()
		shape.shape = part.shape
		body.add_child(shape)
		var looks := MeshInstance3D.new()
		looks.mesh = part.mesh
		body.add_child(looks)
		body.position = part.position
		body.mass = part.volume * 20
		root_node.add_child(body)
		terrain.add_body(body)
		bodies.append(body))
	await physics_frames(10)
	check_equal(bodies.size(), 0, "bodies before anything is cut")
	terrain.edit({kind = "dig", shape = "box", position = foot + Vector3.UP * 6, size = Vector3(8, 3, 8)})
	var end := Time.get_ticks_msec() + LONGEST_MS
	while bodies.is_empty() and Time.get_ticks_msec() < end:
		await physics_frame
	check_equal(bodies.size(), 1, "bodies")
	if bodies.size() != 1:
		return
	var began := bodies[0].position.y
	await let_fall(bodies[0], 8.0)
	await let_fall(bodies[0], 8.0)
	check(bodies[0].position.y < began - 2, "it hangs at %s, it was at %s" % [bodies[0].position.y, began])
	var above := bodies[0].position.y - ground_below(terrain, bodies[0].position + Vector3.UP * 3)
	check(above > 0.5 and above < 7, "it lies %s above the ground" % above)
