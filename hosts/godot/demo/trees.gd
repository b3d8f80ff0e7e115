# Firs around the viewer, where the ground is grass and not too steep. Whoever digs below one fells it.
extends MultiMeshInstance3D

const REACH := 36  # cells
const CELL := 9.0  # metres, at most one tree in each
const MOST := 3000
const LOOKS_A_FRAME := 12

var places := {}  # by cell: which instance, or -1 where no tree stands
var free_instances: Array[int] = []
var offsets: Array[Vector2i] = []  # near ones first
var next := 0
var middle := Vector2i(1 << 20, 0)
var forest := FastNoiseLite.new()

@onready var terrain: QuarryTerrain = $"../Terrain"


func _ready() -> void:
	forest.seed = 4
	forest.frequency = 0.008
	multimesh = MultiMesh.new()
	multimesh.transform_format = MultiMesh.TRANSFORM_3D
	multimesh.mesh = fir()
	multimesh.instance_count = MOST
	for z in range(-REACH, REACH + 1):
		for x in range(-REACH, REACH + 1):
			if x * x + z * z <= REACH * REACH:
				offsets.append(Vector2i(x, z))
	offsets.sort_custom(func(a, b): return a.length_squared() < b.length_squared())
	clear()
	terrain.edited.connect(fell_in)
	terrain.terrain_ready.connect(clear)


func clear() -> void:
	places.clear()
	free_instances.assign(range(MOST))
	for i in MOST:
		multimesh.set_instance_transform(i, Transform3D(Basis.from_scale(Vector3.ZERO), Vector3.ZERO))
	next = 0


func _process(_delta: float) -> void:
	visible = terrain.get_stats().chunks_shown > 0
	var camera := get_viewport().get_camera_3d()
	if camera == null or not visible:
		return
	var cell := Vector2i((Vector2(camera.global_position.x, camera.global_position.z) / CELL).floor())
	if (cell - middle).length_squared() > 9:
		middle = cell
		next = 0
		for each in places.keys():
			if (each - middle).length_squared() > 2 * REACH * REACH:
				fell(each)
	plant_around(LOOKS_A_FRAME)


# At most so many looks for a place.
func plant_around(most: int) -> void:
	var looks := 0
	while next < offsets.size() and looks < most:
		var place := middle + offsets[next]
		next += 1
		if not places.has(place):
			looks += 1
			places[place] = plant(place)


# A cell always has the same tree.
func plant(cell: Vector2i) -> int:
	var random := RandomNumberGenerator.new()
	random.seed = hash(cell)
	var at := Vector2(cell) * CELL + Vector2(random.randf(), random.randf()) * CELL
	if forest.get_noise_2dv(at) < random.randf_range(-0.15, 0.35) or free_instances.is_empty():
		return -1
	var hit := terrain.ground_below(Vector3(at.x, 130, at.y), 125)
	if hit.is_empty() or hit.position.y < 6 or hit.position.y > 85:
		return -1
	var foot: Vector3 = hit.position
	var rise := Vector2(terrain.sample(foot + Vector3(1, 0, 0)) - terrain.sample(foot - Vector3(1, 0, 0)),
		terrain.sample(foot + Vector3(0, 0, 1)) - terrain.sample(foot - Vector3(0, 0, 1)))
	if rise.length() > 0.75 * absf(terrain.sample(foot + Vector3.UP) - terrain.sample(foot + Vector3.DOWN)):
		return -1
	var instance: int = free_instances.pop_back()
	var size := random.randf_range(0.6, 1.35)
	var basis := Basis(Vector3.UP, random.randf() * TAU).scaled(Vector3(size, size * random.randf_range(0.9, 1.25), size))
	multimesh.set_instance_transform(instance, Transform3D(basis, foot - Vector3(0, 0.3, 0)))
	return instance


func fell(cell: Vector2i) -> void:
	if places[cell] >= 0:
		multimesh.set_instance_transform(places[cell], Transform3D(Basis.from_scale(Vector3.ZERO), Vector3.ZERO))
		free_instances.append(places[cell])
	places.erase(cell)


# Where the ground has changed nothing stands any more.
func fell_in(box: AABB) -> void:
	for cell in places:
		var instance: int = places[cell]
		if instance >= 0 and box.has_point(multimesh.get_instance_transform(instance).origin):
			fell(cell)
			places[cell] = -1


func fir() -> ArrayMesh:
	var surface := SurfaceTool.new()
	surface.begin(Mesh.PRIMITIVE_TRIANGLES)
	cone(surface, 0.0, 2.2, 0.28, 0.2, Color(0.24, 0.16, 0.10))
	cone(surface, 1.3, 5.0, 2.3, 0.0, Color(0.06, 0.14, 0.06))
	cone(surface, 3.2, 7.2, 1.8, 0.0, Color(0.07, 0.17, 0.07))
	cone(surface, 5.4, 9.4, 1.25, 0.0, Color(0.09, 0.20, 0.08))
	surface.generate_normals()
	var material := StandardMaterial3D.new()
	material.vertex_color_use_as_albedo = true
	material.vertex_color_is_srgb = true
	material.roughness = 0.95
	material.metallic_specular = 0.15
	surface.set_material(material)
	return surface.commit()


func cone(surface: SurfaceTool, bottom: float, top: float, low_radius: float, high_radius: float, color: Color) -> void:
	const SIDES := 9
	for i in SIDES:
		var one := Vector2.from_angle(TAU * i / SIDES)
		var two := Vector2.from_angle(TAU * (i + 1) / SIDES)
		# Lighter at the tips of the branches.
		var corners := [[one, low_radius, bottom], [two, low_radius, bottom], [two, high_radius, top], [one, low_radius, bottom], [two, high_radius, top], [one, high_radius, top]]
		for corner in corners:
			surface.set_color(color.lightened(0.12) if corner[2] == bottom else color)
			surface.set_smooth_group(-1)
			surface.add_vertex(Vector3(corner[0].x * corner[1], corner[2], corner[0].y * corner[1]))
