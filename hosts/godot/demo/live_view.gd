# What the terrain is doing: F3.
extends Control

const STATES := ["planned", "queued", "meshing", "ready", "handed over", "shown", "retiring"]
const SECTORS := 36
const COLORS := [Color.SLATE_GRAY, Color.INDIAN_RED, Color.ORANGE, Color.GOLD, Color.YELLOW_GREEN, Color.SEA_GREEN, Color.STEEL_BLUE]

var stats := {}
var shares := PackedFloat64Array()
var last_jobs := []
var history := PackedFloat64Array()
var wait := 0.0
var ring := PackedInt32Array()  # the state of each sector of each level, or -1

@onready var terrain: QuarryTerrain = $"../../Terrain"


func _process(delta: float) -> void:
	if not visible:
		return
	stats = terrain.get_stats()
	history.append(stats.frame_ms)
	if history.size() > 240:
		history.remove_at(0)
	wait -= delta
	if wait <= 0:
		wait = 0.1
		count_shares()
		look_around()
	queue_redraw()


# Each worker's part of the jobs since the last look. Bars sink slowly, so that a short burst can be read.
func count_shares() -> void:
	var jobs: Array = stats.get("worker_jobs", [])
	if jobs.size() != last_jobs.size():
		last_jobs = jobs
	var total := 0
	for i in jobs.size():
		total += jobs[i] - last_jobs[i]
	shares.resize(jobs.size())
	for i in jobs.size():
		shares[i] = maxf(float(jobs[i] - last_jobs[i]) / maxf(total, 1), shares[i] * 0.8)
	last_jobs = jobs


# What goes on in each direction, level by level: the chunk that has come least far counts.
func look_around() -> void:
	var chunks := terrain.get_chunks()
	var camera := get_viewport().get_camera_3d()
	ring.resize(SECTORS * terrain.lod_levels)
	ring.fill(-1)
	for at in range(0, chunks.size(), 5):
		var lod := chunks[at + 3]
		var size := terrain.chunk_cells * terrain.voxel_size * (1 << lod)
		var away := Vector3(chunks[at] + 0.5, 0, chunks[at + 2] + 0.5) * size - camera.global_position
		# Ahead is up.
		var angle := fposmod(atan2(away.x, -away.z) + camera.global_rotation.y, TAU)
		var place := lod * SECTORS + int(angle / TAU * SECTORS) % SECTORS
		if lod < terrain.lod_levels and (ring[place] < 0 or chunks[at + 4] < ring[place]):
			ring[place] = chunks[at + 4]


func write(place: Vector2, text: String, color := Color.WHITE) -> void:
	draw_string(ThemeDB.fallback_font, place, text, HORIZONTAL_ALIGNMENT_LEFT, -1, 14, color)


func _draw() -> void:
	if stats.is_empty():
		return
	var left := size.x - 330
	draw_rect(Rect2(left - 16, 12, 334, 500 + 14 * shares.size()), Color(0, 0, 0, 0.66))
	var y := 38.0
	write(Vector2(left, y), "%d fps    terrain %.2f ms of %.1f a frame" % [Engine.get_frames_per_second(), stats.frame_ms, stats.budget_ms])
	draw_history(Rect2(left, y + 10, 300, 50))
	y += 84
	write(Vector2(left, y), "%.0f uploads/s    %.1f us an upload" % [stats.uploads_per_second, stats.upload_us])
	y += 22
	write(Vector2(left, y), "%d chunks    %.2f million vertices" % [stats.chunks_shown, stats.vertices / 1e6])
	y += 22
	write(Vector2(left, y), "%d in the queue    %d changes    %d waiting" % [stats.get("queued", 0), stats.get("groups", 0), stats.get("changes_waiting", 0)])
	y += 22
	write(Vector2(left, y), "%.0f MB of meshes    %.0f MB cached    %d edits" % [stats.mesh_memory_reserved / 1e6, stats.get("cached_bytes", 0) / 1e6, stats.get("edits", 0)])
	y += 24
	for i in shares.size():
		write(Vector2(left, y + 9), "worker %d" % (i + 1))
		draw_rect(Rect2(left + 80, y, 220, 9), Color(1, 1, 1, 0.12))
		draw_rect(Rect2(left + 80, y, 220 * shares[i], 9), Color.CORNFLOWER_BLUE)
		y += 14
	draw_ring(Vector2(left + 96, y + 112))
	draw_states(Vector2(left + 206, y + 60))


func draw_history(place: Rect2) -> void:
	draw_rect(place, Color(1, 1, 1, 0.08))
	for i in history.size():
		var share := minf(history[i] / stats.budget_ms, 1.2)
		var x := place.position.x + place.size.x * i / 240
		draw_line(Vector2(x, place.end.y), Vector2(x, place.end.y - place.size.y * share / 1.2), Color.ORANGE_RED if share > 1 else Color.LIGHT_GREEN)
	# The budget.
	var height := place.end.y - place.size.y / 1.2
	draw_line(Vector2(place.position.x, height), Vector2(place.end.x, height), Color(1, 1, 1, 0.5))


# The viewer in the middle, what it looks at on top, a ring for each level of detail.
func draw_ring(centre: Vector2) -> void:
	var width := 84.0 / maxi(terrain.lod_levels, 1)
	for place in ring.size():
		var state := ring[place]
		if state < 0 or state >= COLORS.size():
			continue
		var from := -PI / 2 + TAU * (place % SECTORS) / SECTORS
		draw_arc(centre, 12 + width * (place / SECTORS + 0.5), from + 0.01, from + TAU / SECTORS - 0.01, 4, COLORS[state], width - 1)
	draw_colored_polygon(PackedVector2Array([centre + Vector2(0, -8), centre + Vector2(5, 6), centre + Vector2(-5, 6)]), Color.WHITE)


func draw_states(place: Vector2) -> void:
	var states: Dictionary = stats.get("states", {})
	for i in STATES.size():
		write(place + Vector2(0, 19 * i), "%d %s" % [states.get(STATES[i], 0), STATES[i]], COLORS[i].lightened(0.3))
