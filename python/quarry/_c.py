"""The C API, made of include/quarry/c.h by scripts/bind-c-api: do not change it by hand."""

from ctypes import (Structure, c_char_p, c_double, c_float, c_int, c_int32, c_int64, c_size_t, c_uint32,
                    c_uint64, c_void_p)

VERSION = 1
OK = 0
INVALID = 1
FAILED = 2
REFUSED = 3
TIMEOUT = 4
NONE = 5
NO_MEMORY = 6
EDIT_ADD = 0
EDIT_DIG = 1
EDIT_SMOOTH = 2
EDIT_FLATTEN = 3
EDIT_RAISE = 4
EDIT_PAINT = 5
EDIT_UNDO = 6
EDIT_REDO = 7
EDIT_REMOVE = 8
BRUSH_SPHERE = 0
BRUSH_BOX = 1
BRUSH_CAPSULE = 2
BRUSH_STAMP = 3
PRIORITY_LOW = 0
PRIORITY_NORMAL = 1
PRIORITY_HIGH = 2
PRIORITY_URGENT = 3
REFUSAL_NONE = 0
REFUSAL_QUEUE_FULL = 1
REFUSAL_ARENA_FULL = 2
REFUSAL_PAYLOAD_TOO_LARGE = 3
REFUSAL_UNKNOWN_TYPE = 4
REFUSAL_NO_SUCH_WORKER = 5
REFUSAL_SHUT_DOWN = 6
REFUSAL_FAILED = 7
STATUS_OK = 0
STATUS_ERROR = 1
STATUS_CANCELLED = 2
STATUS_DEADLINE = 3
STATUS_WORKER_LOST = 4
FORMAT_GLB = 0
FORMAT_OBJ = 1
FORMAT_PLY = 2
FORMAT_STL = 3


class quarry_edit(Structure):
    _fields_ = [
        ("size", c_size_t),
        ("kind", c_int),
        ("shape", c_int),
        ("material", c_int),
        ("stamp", c_uint32),
        ("editor", c_uint32),
        ("stroke", c_uint32),
        ("x", c_double),
        ("y", c_double),
        ("z", c_double),
        ("extent_x", c_float),
        ("extent_y", c_float),
        ("extent_z", c_float),
        ("normal_x", c_float),
        ("normal_y", c_float),
        ("normal_z", c_float),
        ("radius", c_float),
        ("strength", c_float),
        ("falloff", c_float),
        ("amount", c_float),
    ]


class quarry_edit_report(Structure):
    _fields_ = [
        ("size", c_size_t),
        ("done", c_int),
        ("samples", c_uint64),
        ("painted", c_uint64),
        ("low_x", c_double),
        ("low_y", c_double),
        ("low_z", c_double),
        ("high_x", c_double),
        ("high_y", c_double),
        ("high_z", c_double),
    ]


class quarry_edits_stats(Structure):
    _fields_ = [
        ("size", c_size_t),
        ("applied", c_uint64),
        ("bricks", c_uint64),
        ("paint_bricks", c_uint64),
        ("brick_bytes", c_uint64),
        ("undo_bytes", c_uint64),
        ("strokes", c_uint64),
    ]


class quarry_engine_options(Structure):
    _fields_ = [
        ("size", c_size_t),
        ("workers", c_int),
        ("job_queue", c_size_t),
        ("result_queue", c_size_t),
        ("heartbeat_ms", c_int),
        ("shutdown_timeout_ms", c_int),
        ("start_timeout_ms", c_int),
        ("command", c_void_p),
        ("environment", c_void_p),
        ("output", c_int),
        ("spares", c_int),
        ("wait", c_int),
        ("ring_slots", c_size_t),
        ("max_payload", c_size_t),
        ("job_arena", c_size_t),
        ("result_arena", c_size_t),
        ("max_states", c_size_t),
        ("memory_limit", c_uint64),
        ("work_ahead_us", c_int),
        ("spin_us", c_int),
        ("portable", c_int),
    ]


class quarry_job_options(Structure):
    _fields_ = [
        ("size", c_size_t),
        ("deadline_ns", c_int64),
        ("priority", c_int),
        ("worker", c_int),
        ("has_frame", c_int),
        ("frame_tag", c_uint32),
    ]


class quarry_result(Structure):
    _fields_ = [
        ("id", c_uint64),
        ("status", c_int),
        ("poison", c_int),
        ("worker", c_int),
        ("has_frame", c_int),
        ("frame_tag", c_uint32),
        ("type", c_uint64),
        ("run_ns", c_int64),
        ("latency_ns", c_int64),
        ("payload", c_void_p),
        ("length", c_size_t),
        ("text", c_char_p),
        ("traceback", c_char_p),
    ]


class quarry_engine_stats(Structure):
    _fields_ = [
        ("size", c_size_t),
        ("accepted", c_uint64),
        ("refused", c_uint64),
        ("ok", c_uint64),
        ("errors", c_uint64),
        ("cancelled", c_uint64),
        ("deadline", c_uint64),
        ("lost", c_uint64),
        ("poison", c_uint64),
        ("polled", c_uint64),
        ("reruns", c_uint64),
        ("restarts", c_uint64),
        ("corrupt", c_uint64),
        ("hung", c_uint64),
        ("late", c_uint64),
        ("waiting", c_size_t),
        ("running", c_size_t),
        ("results", c_size_t),
        ("waiting_high_water", c_size_t),
        ("job_arena_used", c_size_t),
        ("memory_bound", c_size_t),
        ("job_queue_level", c_int),
        ("result_queue_level", c_int),
    ]


class quarry_worker_health(Structure):
    _fields_ = [
        ("process", c_int),
        ("alive", c_int),
        ("busy", c_int),
        ("lacks_room", c_int),
        ("jobs", c_uint64),
        ("restarts", c_uint64),
        ("since_heartbeat_ns", c_int64),
    ]


class quarry_shutdown_report(Structure):
    _fields_ = [
        ("cancelled", c_uint64),
        ("finished", c_uint64),
        ("lost", c_uint64),
        ("exited", c_int),
        ("killed", c_int),
    ]


class quarry_ledger_stats(Structure):
    _fields_ = [
        ("size", c_size_t),
        ("frames", c_uint64),
        ("submitted", c_uint64),
        ("returned", c_uint64),
        ("withdrawn", c_uint64),
        ("stale", c_uint64),
        ("dropped", c_uint64),
        ("latency_max", c_uint64),
        ("missed_frames", c_uint64),
        ("overrun_frames", c_uint64),
        ("mean_latency", c_double),
        ("stale_percent", c_double),
    ]


class quarry_chunk_key(Structure):
    _fields_ = [
        ("lod", c_int32),
        ("x", c_int32),
        ("y", c_int32),
        ("z", c_int32),
    ]


class quarry_mesh_view(Structure):
    _fields_ = [
        ("key", quarry_chunk_key),
        ("vertices", c_size_t),
        ("positions", c_void_p),
        ("normals", c_void_p),
        ("materials", c_void_p),
        ("indices", c_size_t),
        ("short_indices", c_void_p),
        ("long_indices", c_void_p),
    ]


class quarry_job(Structure):
    _fields_ = [
        ("id", c_uint64),
        ("type", c_uint64),
        ("payload", c_void_p),
        ("length", c_size_t),
    ]


class quarry_world_file_options(Structure):
    _fields_ = [
        ("size", c_size_t),
        ("ground", c_uint64),
        ("batch_ms", c_int),
        ("read_only", c_int),
    ]


class quarry_box(Structure):
    _fields_ = [
        ("low_x", c_double),
        ("low_y", c_double),
        ("low_z", c_double),
        ("high_x", c_double),
        ("high_y", c_double),
        ("high_z", c_double),
    ]


class quarry_world_file_stats(Structure):
    _fields_ = [
        ("size", c_size_t),
        ("edits", c_uint64),
        ("saved", c_uint64),
        ("batches", c_uint64),
        ("failures", c_uint64),
        ("loaded_bricks", c_uint64),
        ("is_loaded", c_int),
        ("is_damaged", c_int),
    ]


class quarry_world_file_info(Structure):
    _fields_ = [
        ("size", c_size_t),
        ("format", c_int),
        ("voxel_size", c_double),
        ("ground", c_uint64),
        ("edits", c_uint64),
        ("bricks", c_uint64),
        ("paint_bricks", c_uint64),
        ("brick_bytes", c_uint64),
        ("file_bytes", c_uint64),
    ]


# name: (what it answers, what it takes)
FUNCTIONS = {
    "quarry_c_version": (c_int, ()),
    "quarry_version": (c_char_p, ()),
    "quarry_last_error": (c_char_p, ()),
    "quarry_now_ns": (c_int64, ()),
    "quarry_type_hash": (c_uint64, (c_char_p,)),
    "quarry_edit_init": (None, (c_void_p,)),
    "quarry_edits_new": (c_void_p, (c_void_p, c_double, c_uint64,)),
    "quarry_edits_free": (None, (c_void_p,)),
    "quarry_edits_apply": (c_int, (c_void_p, c_void_p, c_void_p,)),
    "quarry_edits_undo_of": (c_int, (c_void_p, c_uint32, c_void_p,)),
    "quarry_edits_redo_of": (c_int, (c_void_p, c_uint32, c_void_p,)),
    "quarry_edits_add_stamp": (c_int, (c_void_p, c_void_p, c_double,)),
    "quarry_edits_field": (c_void_p, (c_void_p,)),
    "quarry_edits_get_stats": (c_int, (c_void_p, c_void_p,)),
    "quarry_edits_hash": (c_uint64, (c_void_p,)),
    "quarry_engine_options_init": (None, (c_void_p,)),
    "quarry_engine_new": (c_void_p, (c_void_p,)),
    "quarry_engine_free": (None, (c_void_p,)),
    "quarry_refusal_text": (c_char_p, (c_int,)),
    "quarry_job_options_init": (None, (c_void_p,)),
    "quarry_engine_submit": (c_int, (c_void_p, c_char_p, c_void_p, c_size_t, c_void_p, c_void_p, c_void_p,)),
    "quarry_engine_submit_many": (c_int, (c_void_p, c_char_p, c_size_t, c_void_p, c_void_p, c_void_p, c_void_p, c_void_p, c_void_p,)),
    "quarry_engine_send": (c_uint64, (c_void_p, c_char_p, c_void_p, c_size_t, c_void_p,)),
    "quarry_engine_send_parts": (c_uint64, (c_void_p, c_char_p, c_void_p, c_void_p, c_size_t, c_void_p,)),
    "quarry_last_refusal": (c_int, ()),
    "quarry_engine_poll": (c_void_p, (c_void_p, c_size_t, c_int64, c_void_p,)),
    "quarry_results_get": (c_void_p, (c_void_p,)),
    "quarry_results_count": (c_size_t, (c_void_p,)),
    "quarry_results_free": (None, (c_void_p,)),
    "quarry_results_detach": (c_void_p, (c_void_p, c_size_t,)),
    "quarry_payload_free": (None, (c_void_p,)),
    "quarry_engine_cancel": (c_int, (c_void_p, c_uint64,)),
    "quarry_engine_wait": (c_int, (c_void_p, c_void_p, c_size_t, c_int64,)),
    "quarry_engine_drain": (c_int, (c_void_p, c_int64,)),
    "quarry_engine_broadcast": (c_int, (c_void_p, c_char_p, c_void_p, c_size_t, c_void_p,)),
    "quarry_engine_forget": (c_int, (c_void_p, c_char_p,)),
    "quarry_engine_set_idempotent": (c_int, (c_void_p, c_char_p, c_int,)),
    "quarry_engine_descriptor": (c_int, (c_void_p,)),
    "quarry_engine_ready": (c_int, (c_void_p,)),
    "quarry_engine_get_stats": (c_int, (c_void_p, c_void_p,)),
    "quarry_engine_get_health": (c_size_t, (c_void_p, c_void_p, c_size_t,)),
    "quarry_engine_failure": (c_int, (c_void_p, c_char_p, c_size_t, c_void_p,)),
    "quarry_engine_shutdown": (c_int, (c_void_p, c_int64, c_void_p,)),
    "quarry_export": (c_int, (c_void_p, c_size_t, c_int, c_int, c_double, c_int, c_char_p,)),
    "quarry_clock_new": (c_void_p, (c_double, c_int,)),
    "quarry_clock_free": (None, (c_void_p,)),
    "quarry_clock_advance": (c_int, (c_void_p, c_int64, c_void_p,)),
    "quarry_clock_interpolation": (c_double, (c_void_p,)),
    "quarry_clock_next_step_ns": (c_int64, (c_void_p,)),
    "quarry_ledger_new": (c_void_p, (c_double, c_int,)),
    "quarry_ledger_free": (None, (c_void_p,)),
    "quarry_ledger_begin_frame": (c_int, (c_void_p, c_void_p,)),
    "quarry_ledger_end_frame": (c_int, (c_void_p,)),
    "quarry_ledger_submitted": (c_uint32, (c_void_p,)),
    "quarry_ledger_withdrawn": (None, (c_void_p, c_uint32,)),
    "quarry_ledger_returned": (c_int, (c_void_p, c_uint32, c_void_p,)),
    "quarry_ledger_get_stats": (c_int, (c_void_p, c_void_p,)),
    "quarry_ledger_json": (c_int, (c_void_p, c_char_p, c_size_t, c_void_p,)),
    "quarry_field_from_json": (c_void_p, (c_char_p, c_char_p,)),
    "quarry_field_noise": (c_void_p, (c_uint64, c_int, c_double, c_double,)),
    "quarry_field_showcase": (c_void_p, (c_uint64,)),
    "quarry_field_free": (None, (c_void_p,)),
    "quarry_field_densities": (c_int, (c_void_p, c_void_p, c_size_t, c_void_p,)),
    "quarry_extract": (c_void_p, (c_void_p, quarry_chunk_key, c_int, c_double,)),
    "quarry_chunk_free": (None, (c_void_p,)),
    "quarry_chunk_content": (c_int, (c_void_p,)),
    "quarry_bake": (c_void_p, (c_void_p, c_uint32,)),
    "quarry_mesh_free": (None, (c_void_p,)),
    "quarry_mesh_chunks": (c_int, (c_void_p, c_void_p, c_void_p, c_size_t, c_int, c_double, c_int, c_void_p,)),
    "quarry_mesh_get": (c_int, (c_void_p, c_void_p,)),
    "quarry_worker_open": (c_void_p, ()),
    "quarry_worker_close": (None, (c_void_p,)),
    "quarry_worker_ready": (c_int, (c_void_p, c_void_p, c_size_t,)),
    "quarry_worker_refuse": (c_int, (c_void_p, c_char_p,)),
    "quarry_worker_take": (c_int, (c_void_p, c_int64, c_void_p,)),
    "quarry_worker_reply": (c_void_p, (c_void_p, c_size_t,)),
    "quarry_worker_finish": (c_int, (c_void_p,)),
    "quarry_worker_fail": (c_int, (c_void_p, c_char_p, c_char_p,)),
    "quarry_worker_cancelled": (c_int, (c_void_p,)),
    "quarry_worker_stop_requested": (c_int, (c_void_p,)),
    "quarry_worker_next": (c_int, (c_void_p, c_void_p, c_size_t, c_int64, c_void_p,)),
    "quarry_worker_state": (c_int, (c_void_p, c_char_p, c_void_p, c_void_p, c_void_p,)),
    "quarry_world_file_options_init": (None, (c_void_p,)),
    "quarry_world_file_open": (c_void_p, (c_void_p, c_char_p, c_void_p,)),
    "quarry_world_file_close": (None, (c_void_p,)),
    "quarry_world_file_update": (c_int, (c_void_p, c_void_p, c_size_t, c_void_p, c_void_p,)),
    "quarry_world_file_load": (c_int, (c_void_p, c_void_p,)),
    "quarry_world_file_save": (c_int, (c_void_p,)),
    "quarry_world_file_get_stats": (c_int, (c_void_p, c_void_p,)),
    "quarry_world_file_problem": (c_char_p, (c_void_p,)),
    "quarry_world_file_get_info": (c_int, (c_char_p, c_void_p,)),
    "quarry_world_file_check": (c_int, (c_char_p, c_char_p, c_size_t, c_void_p, c_void_p,)),
}
