# Presses every key of the demo, as a player would: run in a copy of the demo's project.
extends SceneTree

const LONGEST_MS := 30000

var failures := 0
var demo: Node3D
var terrain: QuarryTerrain
var walker: Node3D


func _initialize() -> void:
	run.call_deferred()


func check(is_right: bool, what: String) -> void:
	print("%s: %s" % ["ok" if is_right else "FAILED", what])
	if not is_right:
		failures += 1


func until(is_so: Callable) -> bool:
	var end := Time.get_ticks_msec() + LONGEST_MS
	while not is_so.call() and Time.get_ticks_msec() < end:
		await process_frame
	return is_so.call()


func frames(count: int) -> void:
	for i in count:
		await process_frame


func key(code: Key, is_pressed: bool) -> void:
	var event := InputEventKey.new()
	event.physical_keycode = code
	event.keycode = code
	event.pressed = is_pressed
	Input.parse_input_event(event)


func tap(code: Key) -> void:
	key(code, true)
	await frames(2)
	key(code, false)
	await frames(2)


func button(index: MouseButton, is_pressed: bool) -> void:
	var event := InputEventMouseButton.new()
	event.button_index = index
	event.pressed = is_pressed
	Input.parse_input_event(event)


func hold_button(index: MouseButton, count: int) -> void:
	button(index, true)
	await frames(count)
	button(index, false)
	await frames(2)


func run() -> void:
	demo = load("res://demo.tscn").instantiate()
	terrain = demo.get_node("Terrain")
	walker = demo.get_node("Walker")
	terrain.budget_ms = 20.0
	get_root().add_child(demo)
	await terrain.terrain_ready
	await moves()
	await edits()
	await views()
	await worlds()
	demo.free()
	await frames(2)
	print("all keys ended, %d failures" % failures)
	quit(1 if failures > 0 else 0)


func moves() -> void:
	for code in [KEY_W, KEY_A, KEY_S, KEY_D, KEY_SPACE, KEY_SHIFT]:
		var before := walker.position
		key(code, true)
		await frames(5)
		key(code, false)
		await frames(1)
		check(walker.position.distance_to(before) > 0.05, "%s moves" % OS.get_keycode_string(code))
	var speed: float = walker.speed
	await hold_button(MOUSE_BUTTON_WHEEL_UP, 1)
	check(walker.speed > speed, "the wheel makes it faster")
	await tap(KEY_R)
	check(walker.position.distance_to(Vector3(0, 40, 0)) < 0.5, "R goes back to the start")
	walker.position = Vector3(60, 60, -10)
	await tap(KEY_F)
	check(walker.is_walking, "F walks")
	var stands := await until(func(): return absf(terrain.sample(walker.global_position - Vector3(0, 1.8, 0))) < 0.6)
	check(stands, "whoever walks stands on the ground")
	await frames(20)
	key(KEY_W, true)
	await frames(30)
	key(KEY_W, false)
	check(terrain.sample(walker.global_position) > 0, "the eyes of whoever walks are in the air")
	await tap(KEY_F)
	check(not walker.is_walking, "F flies again")
	await tap(KEY_R)


func edits() -> void:
	Input.mouse_mode = Input.MOUSE_MODE_CAPTURED
	# A display that has no mouse cannot capture it.
	var is_captured := Input.mouse_mode == Input.MOUSE_MODE_CAPTURED
	var before: int = terrain.get_stats().edits
	await hold_button(MOUSE_BUTTON_LEFT, 5)
	if not is_captured:
		terrain.dig(terrain.raycast(walker.get_node("Camera").global_position, -walker.get_node("Camera").global_basis.z, 400).position, 3.0)
	await frames(3)
	var dug: int = terrain.get_stats().edits
	check(dug > before, "the left button digs")
	await tap(KEY_Z)
	check(terrain.get_stats().edits > dug, "Z takes back")
	var undone: int = terrain.get_stats().edits
	await tap(KEY_Y)
	check(terrain.get_stats().edits > undone, "Y does it again")
	await hold_button(MOUSE_BUTTON_RIGHT, 5)
	if is_captured:
		check(terrain.get_stats().edits > undone + 1, "the right button fills")
	var children := demo.get_child_count()
	await tap(KEY_B)
	check(demo.get_child_count() == children + 1, "B drops a crate")
	var crate: RigidBody3D = demo.get_child(children)
	var height := crate.position.y
	check(await until(func(): return crate.position.y < height - 0.5), "the crate falls")
	await tap(KEY_ESCAPE)
	check(Input.mouse_mode == Input.MOUSE_MODE_VISIBLE, "Escape frees the mouse")


func views() -> void:
	var seen := []
	for i in 5:
		await tap(KEY_V)
		seen.append(terrain.debug_view)
	check(seen == [1, 2, 3, 4, 0], "V goes through all views: %s" % [seen])
	await tap(KEY_T)
	check(terrain.texture_0 != null and terrain.texture_3 != null, "T brings textures")
	await tap(KEY_T)
	check(terrain.texture_0 == null, "T takes textures away")
	var help: Control = demo.get_node("Screen/Help")
	var live: Control = demo.get_node("Screen/LiveView")
	await tap(KEY_H)
	check(not help.visible, "H hides the help")
	await tap(KEY_H)
	check(help.visible, "H shows the help")
	await tap(KEY_F3)
	await frames(30)
	check(live.visible and live.ring.size() > 0, "F3 shows the live view")
	check(Array(live.ring).any(func(state): return state == 5), "the ring has chunks that are shown: %s" % [live.ring])
	await tap(KEY_F3)
	check(not live.visible, "F3 hides the live view")


func worlds() -> void:
	var seed := terrain.seed
	var heard := [false]
	terrain.terrain_ready.connect(func(): heard[0] = true)
	await tap(KEY_G)
	check(terrain.seed == seed + 1, "G makes another world")
	check(await until(func(): return heard[0]), "the other world gets ready")
	await tap(KEY_C)
	check(terrain.get_stats().chunks_shown == 0, "C clears it")
	heard[0] = false
	await tap(KEY_G)
	check(await until(func(): return heard[0]), "G brings a world after C")
	check(terrain.check_shown() == "", "nothing is missing in it")
