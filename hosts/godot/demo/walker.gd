# Flies, or walks on the ground. The ground is found in the field itself: no collision shape is needed.
extends Node3D

const EYE := 1.8
const FALL := 20.0

var is_walking := false
var speed := 40.0
var fall_speed := 0.0
var look := Vector2(-0.4, -0.12)

@onready var terrain: QuarryTerrain = $"../Terrain"


func _ready() -> void:
	turn(Vector2.ZERO)


func turn(by: Vector2) -> void:
	look.x = wrapf(look.x - by.x, -PI, PI)
	look.y = clampf(look.y - by.y, -1.5, 1.5)
	rotation = Vector3(0, look.x, 0)
	$Camera.rotation = Vector3(look.y, 0, 0)


func _unhandled_input(event: InputEvent) -> void:
	if event is InputEventMouseMotion and Input.mouse_mode == Input.MOUSE_MODE_CAPTURED:
		turn(event.relative * 0.003)
	elif event is InputEventMouseButton and event.pressed:
		match event.button_index:
			MOUSE_BUTTON_WHEEL_UP: speed = minf(speed * 1.2, 400)
			MOUSE_BUTTON_WHEEL_DOWN: speed = maxf(speed / 1.2, 2)
			_:
				Input.mouse_mode = Input.MOUSE_MODE_CAPTURED
				terrain.begin_stroke()


func wish() -> Vector3:
	var way := Vector3.ZERO
	for each in [[KEY_W, Vector3.FORWARD], [KEY_S, Vector3.BACK], [KEY_A, Vector3.LEFT], [KEY_D, Vector3.RIGHT]]:
		if Input.is_physical_key_pressed(each[0]):
			way += each[1]
	return way.normalized()


# Where the camera looks, as long as a button is held down.
func edit() -> void:
	var digs := Input.is_mouse_button_pressed(MOUSE_BUTTON_LEFT)
	if not digs and not Input.is_mouse_button_pressed(MOUSE_BUTTON_RIGHT):
		return
	var hit := terrain.raycast($Camera.global_position, -$Camera.global_basis.z, 150)
	if hit and digs:
		terrain.dig(hit.position, 3.0)
	elif hit and hit.distance > 8:
		terrain.add(hit.position, 3.0)


func _process(delta: float) -> void:
	if Input.mouse_mode == Input.MOUSE_MODE_CAPTURED:
		edit()
	var way := wish()
	if not is_walking:
		position += $Camera.global_basis * way * speed * delta
		if Input.is_physical_key_pressed(KEY_SPACE):
			position.y += speed * delta
		if Input.is_physical_key_pressed(KEY_SHIFT):
			position.y -= speed * delta
		return
	# Nobody walks before there is ground.
	if not terrain.is_ready_around(global_position, 30):
		return
	position += global_basis * way * 7.0 * delta
	fall_speed += FALL * delta
	position.y -= fall_speed * delta
	var into_ground := depth()
	if into_ground > 0:
		position.y += into_ground
		fall_speed = -8.0 if Input.is_physical_key_pressed(KEY_SPACE) else 0.0


# How deep the feet are in the ground, along the vertical.
func depth() -> float:
	var feet := global_position - Vector3(0, EYE, 0)
	if terrain.sample(feet) >= 0:
		return 0.0
	var low := 0.0
	var high := 4.0
	for i in 12:
		var middle := (low + high) / 2
		if terrain.sample(feet + Vector3(0, middle, 0)) < 0:
			low = middle
		else:
			high = middle
	return high
