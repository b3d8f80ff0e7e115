# In a project that nobody may write to.
extends "run_tests.gd"


func test_a_project_that_is_read_only_has_its_world_and_is_told_what_it_cannot_have() -> void:
	check(FileAccess.open("res://try.txt", FileAccess.WRITE) == null, "the project can be written to")
	var messages := []
	var terrain := await new_scene()
	await until_at_rest(terrain)
	terrain.failed.connect(func(message: String): messages.append(message))
	check(not terrain.load("res://world.db"), "a file of edits in a project that is read-only")
	check(not terrain.export_mesh("res://world.glb"), "a mesh in a project that is read-only")
	await frames(3)
	check_equal(messages.size(), 2, "messages")
	print("  messages: %s" % [messages])
	check(terrain.dig(Vector3(5, ground_below(terrain, Vector3(5, 200, 5)), 5), 3.0), "the ground cannot be dug")
	check(terrain.get_stats().chunks_shown > 20, "the world is gone")
	check_equal(terrain.check_shown(), "", "what is shown")


# The file is there, and was made where it could be.
func test_a_file_that_is_read_only_is_refused_or_read() -> void:
	var messages := []
	var terrain := await new_scene()
	terrain.failed.connect(func(message: String): messages.append(message))
	check(FileAccess.file_exists("res://kept.db"), "there is no file to try")
	check(not terrain.load("res://kept.db"), "a file that cannot be written was taken")
	await frames(3)
	check(messages.size() == 1 and "kept.db" in messages[0], "messages: %s" % [messages])
	print("  message: %s" % [messages])
	check(terrain.get_stats().chunks_shown > 20, "the world is gone")
