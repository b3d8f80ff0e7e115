# A terrain to fly and walk through.
#
# After "--" on the command line: --quit-when-ready ends as soon as the world is there; --pictures takes pictures, and ends.
extends Node3D

const HELP := """W A S D  move      mouse  look (click first)      wheel  speed
Space, Shift  up, down      F  walk or fly      B  drop a crate      R  back to the start
Left, right button  dig, build      Z, Y  undo, redo      G  another world      C  clear
F3  live view      V  debug views      T  textures      H  this help      Esc  free the mouse"""

@onready var terrain: QuarryTerrain = $Terrain
@onready var walker: Node3D = $Walker


func _ready() -> void:
	$Screen/Help.text = HELP
	terrain.failed.connect(tell)
	terrain.part_loosened.connect(let_fall)
	var options := OS.get_cmdline_user_args()
	if "--quit-when-ready" in options:
		terrain.terrain_ready.connect(func():
			print("demo: ready")
			get_tree().quit())
	elif "--pictures" in options:
		take_pictures()


# What went wrong stands below the help for a while.
func tell(message: String) -> void:
	$Screen/Help.text = HELP + "\n\n" + message
	await get_tree().create_timer(8).timeout
	$Screen/Help.text = HELP


# Below the water one does not see far.
func _process(_delta: float) -> void:
	var is_below: bool = $Walker/Camera.global_position.y < $Water.position.y
	var air: Environment = $Environment.environment
	air.fog_density = 0.05 if is_below else 0.00015
	air.fog_light_color = Color(0.05, 0.22, 0.25) if is_below else Color(0.7, 0.78, 0.87)
	air.fog_sky_affect = 1.0 if is_below else 0.0


func _unhandled_key_input(event: InputEvent) -> void:
	if not event.pressed or event.echo:
		return
	match event.physical_keycode:
		KEY_ESCAPE: Input.mouse_mode = Input.MOUSE_MODE_VISIBLE
		KEY_F: walker.is_walking = not walker.is_walking
		KEY_R: walker.position = Vector3(0, 40, 0)
		KEY_B: drop_crate()
		KEY_V: terrain.debug_view = (terrain.debug_view + 1) % 5
		KEY_C: terrain.clear()
		KEY_T: use_textures(terrain.texture_0 == null)
		KEY_Z: terrain.undo()
		KEY_Y: terrain.redo()
		KEY_H: $Screen/Help.visible = not $Screen/Help.visible
		KEY_F3: $Screen/LiveView.visible = not $Screen/LiveView.visible
		KEY_G:
			terrain.seed += 1
			terrain.regenerate()


# Ahead of the camera. It falls into whatever is dug under it, also when nobody is near any more.
func drop_crate() -> void:
	var crate := RigidBody3D.new()
	var looks := MeshInstance3D.new()
	looks.mesh = BoxMesh.new()
	var shape := CollisionShape3D.new()
	shape.shape = BoxShape3D.new()
	crate.add_child(looks)
	crate.add_child(shape)
	crate.position = $Walker/Camera.global_position - $Walker/Camera.global_basis.z * 6
	crate.freeze = true
	add_child(crate)
	terrain.add_body(crate)
	while not terrain.is_collision_ready_around(crate.position, 4):
		await get_tree().process_frame
	crate.freeze = false


# What was cut off becomes a body of its own.
func let_fall(_box: AABB, inside: Vector3) -> void:
	var part := terrain.take_part(inside)
	if part.is_empty():
		return
	var piece := RigidBody3D.new()
	var looks := MeshInstance3D.new()
	looks.mesh = part.mesh
	var shape := CollisionShape3D.new()
	shape.shape = part.shape
	piece.add_child(looks)
	piece.add_child(shape)
	piece.position = part.position
	piece.mass = maxf(part.volume * 100, 1)
	add_child(piece)
	terrain.add_body(piece)


func take_pictures() -> void:
	# Nothing is drawn but what is kept: without a graphics card that takes a second each time.
	RenderingServer.render_loop_enabled = false
	$Screen/Help.hide()
	$Screen/Cross.hide()
	await terrain.terrain_ready
	await until_at_rest()
	$Trees.plant_around(1 << 20)
	await take("start")
	await dig_a_trench()
	await take("dug")
	walker.position = Vector3(-40, 140, 160)
	walker.turn(Vector2(0, 0.25))
	await until_at_rest()
	await take("above")
	use_textures(true)
	await take("textured")
	use_textures(false)
	terrain.debug_view = QuarryTerrain.DEBUG_LODS
	await take("lods")
	terrain.debug_view = QuarryTerrain.DEBUG_BORDERS
	await take("borders")
	terrain.debug_view = QuarryTerrain.DEBUG_STATES
	walker.position = Vector3(160, 120, 60)
	await take("states")
	terrain.debug_view = QuarryTerrain.DEBUG_OFF
	$Screen/Help.show()
	$Screen/Cross.show()
	$Screen/LiveView.show()
	walker.position = Vector3(120, 60, 0)
	await take("live_view")
	get_tree().quit()


# Textures without a file: noise in the colours of grass, rock, snow and earth.
func use_textures(wanted: bool) -> void:
	const COLORS := [[Color(0.16, 0.27, 0.07), Color(0.37, 0.47, 0.16)], [Color(0.27, 0.25, 0.24), Color(0.55, 0.52, 0.48)],
		[Color(0.80, 0.86, 0.95), Color(1, 1, 1)], [Color(0.30, 0.22, 0.13), Color(0.58, 0.46, 0.30)]]
	for i in COLORS.size():
		if not wanted:
			terrain.set("texture_%d" % i, null)
			continue
		var noise := FastNoiseLite.new()
		noise.seed = i
		noise.frequency = 0.04
		var image := noise.get_seamless_image(128, 128)
		image.convert(Image.FORMAT_RGB8)
		for y in 128:
			for x in 128:
				image.set_pixel(x, y, COLORS[i][0].lerp(COLORS[i][1], image.get_pixel(x, y).r))
		image.generate_mipmaps()
		terrain.set("texture_%d" % i, ImageTexture.create_from_image(image))


# From the left to the right of what the camera sees.
func dig_a_trench() -> void:
	var camera: Camera3D = $Walker/Camera
	for i in 25:
		var ahead := -camera.global_basis.z.rotated(Vector3.UP, 0.35 - 0.03 * i) - Vector3(0, 0.12, 0)
		var hit := terrain.raycast(camera.global_position, ahead, 300)
		if hit:
			terrain.dig(hit.position, 5.0)
	await until_at_rest()


func until_at_rest() -> void:
	for i in 3:
		await get_tree().process_frame
	while not terrain.get_stats().at_rest:
		await get_tree().process_frame


func take(title: String) -> void:
	for i in 3:
		await get_tree().process_frame
	for i in 2:
		RenderingServer.force_draw()
	get_viewport().get_texture().get_image().save_png("res://picture_%s.png" % title)
	print("demo: took a picture: ", title)
