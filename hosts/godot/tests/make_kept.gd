# Makes kept.db, a file with one edit, for read_only_tests.gd.
extends "run_tests.gd"


func test_a_file_is_made() -> void:
	var terrain := await new_scene({save_file = "res://kept.db"})
	check(terrain.dig(Vector3(5, ground_below(terrain, Vector3(5, 200, 5)), 5), 3.0), "dig")
	check(terrain.save(), "save")
