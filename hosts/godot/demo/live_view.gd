# What the terrain is doing: F3.
extends Control

const STATES := ["planned", "queued", "meshing", "ready", "handed over", "shown", "retiring"]
const COLORS := [Color.SLATE_GRAY, Color.INDIAN_RED, Color.ORANGE, Color.GOLD, Color.YELLOW_GREEN, Color.SEA_GREEN, Color.STEEL_BLUE]

var stats := {}
var shares := PackedFloat64Array()
var last_jobs := []
var history := PackedFloat64Array()
var wait := 0.0

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
		wait = 0.25
		count_shares()
	queue_redraw()


# Each worker's part of the jobs since the last look.
func count_shares() -> void:
	var jobs: Array = stats.get("worker_jobs", [])
	if jobs.size() != last_jobs.size():
		last_jobs = jobs
	var total := 0
	for i in jobs.size():
		total += jobs[i] - last_jobs[i]
	shares.resize(jobs.size())
	for i in jobs.size():
		shares[i] = float(jobs[i] - last_jobs[i]) / maxf(total, 1)
	last_jobs = jobs


func write(place: Vector2, text: String, color := Color.WHITE) -> void:
	draw_string(ThemeDB.fallback_font, place, text, HORIZONTAL_ALIGNMENT_LEFT, -1, 14, color)


func _draw() -> void:
	if stats.is_empty():
		return
	var left := size.x - 330
	draw_rect(Rect2(left - 16, 12, 334, 470), Color(0, 0, 0, 0.62))
	var y := 38.0
	write(Vector2(left, y), "%d fps   main thread %.2f ms of %.1f" % [Engine.get_frames_per_second(), stats.frame_ms, stats.budget_ms])
	draw_history(Rect2(left, y + 10, 300, 50))
	y += 84
	write(Vector2(left, y), "%.0f uploads/s   %.1f us an upload" % [stats.uploads_per_second, stats.upload_us])
	y += 22
	write(Vector2(left, y), "%d chunks   %.2f million vertices" % [stats.chunks_shown, stats.vertices / 1e6])
	y += 22
	write(Vector2(left, y), "queue %d   groups %d   waiting %d" % [stats.get("queued", 0), stats.get("groups", 0), stats.get("changes_waiting", 0)])
	y += 22
	write(Vector2(left, y), "memory %.0f MB   cache %.0f MB" % [stats.mesh_memory_reserved / 1e6, stats.get("cached_bytes", 0) / 1e6])
	y += 14
	for i in shares.size():
		draw_rect(Rect2(left, y, 300, 9), Color(1, 1, 1, 0.12))
		draw_rect(Rect2(left, y, 300 * shares[i], 9), Color.CORNFLOWER_BLUE)
		y += 12
	draw_states(Vector2(left + 70, y + 90))


func draw_history(place: Rect2) -> void:
	draw_rect(place, Color(1, 1, 1, 0.08))
	for i in history.size():
		var share := minf(history[i] / stats.budget_ms, 1.2)
		var x := place.position.x + place.size.x * i / 240
		draw_line(Vector2(x, place.end.y), Vector2(x, place.end.y - place.size.y * share / 1.2), Color.ORANGE_RED if share > 1 else Color.LIGHT_GREEN)


# A ring of the chunks' states.
func draw_states(centre: Vector2) -> void:
	var states: Dictionary = stats.get("states", {})
	var total := 0
	for state in STATES:
		total += states.get(state, 0)
	var angle := -PI / 2
	for i in STATES.size():
		var count: int = states.get(STATES[i], 0)
		var part := TAU * count / maxi(total, 1)
		if count > 0:
			draw_arc(centre, 52, angle, angle + part, 48, COLORS[i], 18)
		angle += part
		write(centre + Vector2(90, -58 + 19 * i), "%s %d" % [STATES[i], count], COLORS[i].lightened(0.3))
