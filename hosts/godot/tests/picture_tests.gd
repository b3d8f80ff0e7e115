# Pictures of the demo, compared with kept ones: run in a copy of the demo's project. Each picture is boiled down to 32 x 18 colours.
# After "--" on the command line: the folder of the kept ones, --keep to write them in place of comparing, and --first for the first
# picture only.
extends SceneTree

const TOLERANCE := 20  # of 255, in the worst of the 32 x 18 places
const WATER := 4.0  # where it may wash over the ground

var failures := 0
var folder := ""
var keeps := false
var is_short := false
var terrain: QuarryTerrain
var walker: Node3D
var shown := {}  # how often each chunk is, by key and level


func _initialize() -> void:
	run.call_deferred()


func run() -> void:
	var arguments := OS.get_cmdline_user_args()
	folder = arguments[0]
	keeps = "--keep" in arguments
	is_short = "--first" in arguments
	DirAccess.make_dir_recursive_absolute(folder)
	print("  %s, %s" % [RenderingServer.get_video_adapter_name(), RenderingServer.get_current_rendering_method()])
	RenderingServer.render_loop_enabled = false
	get_root().msaa_3d = Viewport.MSAA_DISABLED
	await pictures_of_the_demo()
	if not is_short:
		await pictures_of_a_fade()
	print("all pictures ended, %d failures" % failures)
	quit(1 if failures > 0 else 0)


func check(is_right: bool, what: String) -> void:
	print("%s: %s" % ["ok" if is_right else "FAILED", what])
	if not is_right:
		failures += 1


func until_at_rest() -> void:
	for i in 3:
		await process_frame
	while not terrain.get_stats().at_rest or terrain.get_stats().chunks_fading > 0:
		await process_frame


# Drawing in software is slow, so nothing is drawn but what is looked at. The first drawing may still compile shaders.
func picture() -> Image:
	for i in 2:
		RenderingServer.force_draw()
	return get_root().get_texture().get_image()


# Each colour is the mean of 8 x 8 pixels.
func signature_of(image: Image) -> Image:
	var small: Image = image.duplicate()
	small.convert(Image.FORMAT_RGB8)
	small.clear_mipmaps()
	assert(small.get_size() == Vector2i(256, 144))
	for i in 3:
		small.shrink_x2()
	return small


# The greatest difference of a colour, 0 to 255.
func difference(one: Image, other: Image) -> int:
	var worst := 0
	var a := one.get_data()
	var b := other.get_data()
	if a.size() != b.size():
		return 255
	for i in a.size():
		worst = maxi(worst, absi(a[i] - b[i]))
	return worst


func compare(title: String) -> Image:
	var image := picture()

	image.save_png("res://picture_%s.png" % title)
	var found := signature_of(image)
	var file := "%s/%s.png" % [folder, title]
	if keeps:
		found.save_png(file)
		return found
	var kept := Image.load_from_file(file)
	if kept == null:
		check(false, "%s: there is no kept picture %s" % [title, file])
		return found
	kept.convert(Image.FORMAT_RGB8)
	var worst := difference(kept, found)
	check(worst <= TOLERANCE, "the picture %s differs by %d of 255, %d is allowed" % [title, worst, TOLERANCE])
	return found


func look(from: Vector3, towards: Vector2) -> void:
	walker.position = from
	walker.look = towards
	walker.turn(Vector2.ZERO)
	await until_at_rest()


# The chunk that is drawn at a place of the picture, as [key, level]. Water hides what is below it.
func chunk_at(at: Vector2) -> Array:
	var camera := get_root().get_camera_3d()
	var hit := terrain.raycast(camera.project_ray_origin(at), camera.project_ray_normal(at), 2000)
	if hit.is_empty() or hit.position.y < WATER:
		return []
	for lod in 8:
		var key := Vector3i((hit.position / (32.0 * (1 << lod))).floor())
		if shown.get([key, lod], 0) > 0:
			return [key, lod]
	return []


# Chunks that cover at least six of the 32 x 18 places, most first, at most four.
func chunks_in_view() -> Array:
	var places := {}
	for y in 18:
		for x in 32:
			var chunk := chunk_at(Vector2(x * 8 + 4, y * 8 + 4))
			if not chunk.is_empty():
				places[chunk] = places.get(chunk, 0) + 1
	var found := places.keys().filter(func(chunk): return places[chunk] >= 6)
	found.sort_custom(func(a, b): return places[a] > places[b])
	return found.slice(0, 4)


# A chunk that is lost is missed in the picture.
func lose_chunks(title: String, whole: Image) -> void:
	var lost := chunks_in_view()
	check(lost.size() > 2, "%s: %d chunks to lose" % [title, lost.size()])
	var least := 255
	for chunk in lost:
		if not terrain.lose_chunk(chunk[0], chunk[1], true):
			check(false, "%s of level %d is not shown" % chunk)
		least = mini(least, difference(whole, signature_of(picture())))
		terrain.lose_chunk(chunk[0], chunk[1], false)
	check(least > TOLERANCE, "%s: a lost chunk makes a difference of %d or more, %d is allowed" % [title, least, TOLERANCE])
	var again := difference(whole, signature_of(picture()))
	check(again <= TOLERANCE / 2, "%s: two pictures of one view differ by %d" % [title, again])


func pictures_of_the_demo() -> void:
	var demo: Node3D = load("res://demo.tscn").instantiate()
	terrain = demo.get_node("Terrain")
	walker = demo.get_node("Walker")
	terrain.view_distance = 1024.0
	terrain.budget_ms = 50.0
	terrain.chunk_shown.connect(func(key: Vector3i, lod: int): shown[[key, lod]] = shown.get([key, lod], 0) + 1)
	terrain.chunk_hidden.connect(func(key: Vector3i, lod: int): shown[[key, lod]] -= 1)
	get_root().add_child(demo)
	demo.get_node("Screen").hide()
	demo.get_node("Sun").shadow_enabled = false
	# They come one by one, and hide chunks.
	demo.get_node("Trees").free()
	await terrain.terrain_ready
	await look(Vector3(0, 40, 0), Vector2(-0.4, -0.12))
	lose_chunks("start", compare("start"))
	if is_short:
		demo.free()
		return
	await look(Vector3(-40, 140, 160), Vector2(-0.4, -0.37))
	terrain.debug_view = QuarryTerrain.DEBUG_LODS
	lose_chunks("lods", compare("lods"))
	terrain.debug_view = QuarryTerrain.DEBUG_OFF
	await look(Vector3(0, 40, 0), Vector2(-0.4, -0.12))
	var before := signature_of(picture())
	await dig_a_cave()
	var dug := compare("cave")
	check(difference(before, dug) > TOLERANCE, "the cave makes a difference of %d" % difference(before, dug))
	lose_chunks("cave", dug)
	demo.free()


# Into the slope ahead, with the camera before its mouth.
func dig_a_cave() -> void:
	var camera := get_root().get_camera_3d()
	var ahead := -camera.global_basis.z
	var hit := terrain.raycast(camera.global_position, ahead, 400)
	check(not hit.is_empty(), "there is a slope ahead")
	if hit.is_empty():
		return
	var level := Vector3(ahead.x, -0.1, ahead.z).normalized()
	terrain.edit({kind = "dig", shape = "capsule", position = hit.position, end = hit.position + level * 40, radius = 7.0})
	terrain.edit({kind = "add", shape = "sphere", position = hit.position + level * 25 - Vector3(0, 6, 0), radius = 4.0})
	await look(hit.position - level * 16 + Vector3(0, 4, 0), walker.look)


# How much of the middle of a picture has colours of the finest level (red), the next one (orange), or nothing (blue).
func shares_of(image: Image) -> Dictionary:
	var shares := {red = 0.0, orange = 0.0, nothing = 0.0}
	for y in range(22, 122):
		for x in range(78, 178):
			var color := image.get_pixel(x, y)
			if color.b > color.r:
				shares.nothing += 1.0 / 10000
			elif color.g > 0.45 * color.r:
				shares.orange += 1.0 / 10000
			else:
				shares.red += 1.0 / 10000
	return shares


# Flat ground below a camera that comes closer, so that level 1 becomes level 0.
func pictures_of_a_fade() -> void:
	var scene := Node3D.new()
	var sky := WorldEnvironment.new()
	sky.environment = Environment.new()
	sky.environment.background_mode = Environment.BG_COLOR
	sky.environment.background_color = Color.BLUE
	sky.environment.ambient_light_source = Environment.AMBIENT_SOURCE_COLOR
	sky.environment.ambient_light_color = Color.WHITE
	scene.add_child(sky)
	var camera := Camera3D.new()
	camera.rotation.x = -PI / 2
	camera.position.y = 150
	scene.add_child(camera)
	terrain = QuarryTerrain.new()
	terrain.amplitude = 0.0
	terrain.offset = 0.5
	terrain.lod_distance = 64.0
	terrain.lod_levels = 2
	terrain.view_distance = 400.0
	terrain.debug_view = QuarryTerrain.DEBUG_LODS
	terrain.budget_ms = 50.0
	scene.add_child(terrain)
	get_root().add_child(scene)
	await terrain.terrain_ready
	for seconds in [0.0, 3.0]:
		terrain.cross_fade = seconds
		camera.position.y = 150
		await until_at_rest()
		await process_frame
		var before := shares_of(picture())
		check(before.orange > 0.99, "before a fade of %s s all is level 1: %s" % [seconds, before])
		camera.position.y = 40
		await process_frame
		while not terrain.get_stats().at_rest:
			await process_frame
		var mixed := 0
		var holes := 0.0
		for i in 200:
			await process_frame
			var image := picture()
			var shares := shares_of(image)
			holes = maxf(holes, shares.nothing)
			if shares.red > 0.2 and shares.orange > 0.2:
				mixed += 1
				if shares.red > 0.4 and shares.orange > 0.4:
					image.save_png("res://picture_fade.png")
			if terrain.get_stats().chunks_fading == 0:
				break
		var after := shares_of(picture())
		check(after.red > 0.99, "after a fade of %s s all is level 0: %s" % [seconds, after])
		check((mixed > 0) == (seconds > 0), "pictures with both in a fade of %s s: %d" % [seconds, mixed])
		check(holes == 0.0, "nothing shines through in a fade of %s s: %s" % [seconds, holes])
	scene.free()
