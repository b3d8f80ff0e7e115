"""How values travel."""

import gc
import os
import signal
import time
import tracemalloc

import pytest
import quarry
from quarry import _payload

numpy = pytest.importorskip("numpy")
LARGE = 4 << 20


@pytest.mark.parametrize("size", [0, 1, 87, 88, 89, 96, 97, 255, 4096, 16383, 16384, 16385, 1 << 20])
def test_bytes_of_any_size_come_back(shared_engine, size):
    data = bytes(i % 251 for i in range(size))
    came = shared_engine.run("echo", data)
    assert isinstance(came, memoryview) and came.readonly
    assert came == data


def test_huge_payloads_come_back(start):
    engine = start(workers=1)
    huge = numpy.arange((60 << 20) // 8)
    came = engine.run("echo", huge, timeout=120)
    assert (came == huge).all()
    with pytest.raises(quarry.PayloadTooLarge, match="67108864"):
        engine.submit("echo", bytes((64 << 20) + 1))


@pytest.mark.parametrize("make", [bytearray, memoryview, lambda data: memoryview(data)[::2]])
def test_anything_like_bytes_is_bytes(shared_engine, make):
    data = bytes(range(200)) * 200
    assert shared_engine.run("echo", make(data)) == bytes(make(data))
    assert shared_engine.run("type_of", make(data)) == "memoryview"


@pytest.mark.parametrize("dtype", ["u1", "<i2", ">f8", "f4", "c16", "M8[s]", [("a", "i4"), ("b", "f8")], "S5"])
@pytest.mark.parametrize("shape", [(0,), (3,), (70, 80), (2, 3, 4)])
def test_arrays_of_any_kind_come_back(shared_engine, dtype, shape):
    rng = numpy.random.default_rng(1)
    size = numpy.dtype(dtype).itemsize
    count = int(numpy.prod(shape))
    array = numpy.frombuffer(rng.integers(0, 100, count * size, dtype="u1").tobytes(), dtype).reshape(shape)
    came = shared_engine.run("echo", array)
    assert came.dtype == array.dtype and came.shape == array.shape
    assert came.tobytes() == array.tobytes()


def test_arrays_of_any_order_come_back(shared_engine):
    array = numpy.arange(24.0).reshape(2, 3, 4)
    for each in (array.T, array[:, ::2], array[::-1], numpy.asfortranarray(array)):
        assert (shared_engine.run("echo", each) == each).all()


def test_large_arrays_are_views_of_shared_memory_on_both_sides(shared_engine):
    array = numpy.arange(LARGE // 8, dtype=numpy.float64)
    assert shared_engine.run("is_writable", array) is False
    tracemalloc.start()
    came = shared_engine.run("make_array", LARGE // 8)
    taken = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert taken < LARGE // 4, "the array was copied"
    assert not came.flags.writeable
    assert (came == array).all()
    with pytest.raises(ValueError):
        came[0] = 1


def test_structures_with_arrays_travel_out_of_band(shared_engine):
    value = {"name": "terrain", "heights": numpy.ones((300, 300)), "more": [numpy.arange(5), b"x" * 30000]}
    came = shared_engine.run("echo", value)
    assert came["name"] == "terrain" and (came["heights"] == 1).all()
    assert (came["more"][0] == numpy.arange(5)).all() and came["more"][1] == b"x" * 30000


def test_views_outlive_their_worker_and_their_engine(start):
    engine = start(workers=1)
    came = engine.run("make_array", 100_000)
    process = engine.health().workers[0].process
    os.kill(process, signal.SIGKILL)
    assert engine.run("square", 3, timeout=60) == 9
    again = engine.run("make_array", 100_000)
    assert came[-1] == again[-1] == 99_999
    engine.close()
    del engine
    gc.collect()
    assert came.sum() == again.sum() == 99_999 * 100_000 / 2


def test_what_is_dropped_makes_room_again(start):
    engine = start(workers=1, result_arena=8 << 20)
    for _ in range(40):
        came = engine.run("make_array", 250_000, timeout=60)
        assert came[-1] == 249_999
    part = came[10:20]
    del came
    assert part[0] == 10


def test_views_that_the_host_holds_count_against_the_arena(start):
    engine = start(workers=1, result_arena=8 << 20)
    held = [engine.run("make_array", 250_000, timeout=60) for _ in range(4)]
    with pytest.raises(TimeoutError):
        engine.run("make_array", 250_000, timeout=0.5)
    assert engine.health().workers[0].lacks_room
    held.pop()
    gc.collect()
    assert engine.drain(60)
    assert len(held) == 3


def _switches(process):
    with open(f"/proc/{process}/task/{process}/status") as file:
        return next(int(line.split()[1]) for line in file if line.startswith("voluntary_ctxt_switches"))


def test_a_worker_that_lacks_room_sleeps_until_there_is_some(start):
    engine = start(workers=1, result_arena=8 << 20)
    held = [engine.run("make_array", 250_000, timeout=60) for _ in range(4)]
    engine.submit("make_array", 250_000)
    end = time.monotonic() + 60
    while not engine.health().workers[0].lacks_room and time.monotonic() < end:
        time.sleep(0.001)
    time.sleep(0.05)
    process = engine.health().workers[0].process
    before = _switches(process)
    time.sleep(0.5)
    assert engine.health().workers[0].lacks_room
    assert _switches(process) - before < 20, "it wakes up again and again"
    held.clear()
    gc.collect()
    assert engine.drain(60)
    assert engine.poll()[0].value[-1] == 249_999


def test_an_answer_larger_than_the_arena_is_an_error(start):
    engine = start(workers=1, result_arena=1 << 20)
    with pytest.raises(quarry.RemoteError, match="result_arena"):
        engine.run("make_array", 1 << 20, timeout=60)
    assert engine.run("square", 2) == 4


def test_a_handler_that_keeps_a_view_is_told(engine):
    for value in (bytes(LARGE), numpy.zeros(LARGE // 8)):
        with pytest.raises(RuntimeError, match="copy what you keep"):
            engine.run("keep", value)
    assert engine.run("keep_copy", bytes(LARGE)) >= 1


def test_views_are_freed_by_reference_counting_alone(start):
    engine = start(workers=1, result_arena=4 << 20)
    gc.disable()
    try:
        for _ in range(30):
            assert len(engine.run("echo", bytes(1 << 20), timeout=60)) == 1 << 20
    finally:
        gc.enable()


def test_small_jobs_leave_nothing_behind(shared_engine):
    def work():
        for i in range(200):
            shared_engine.run("echo", (i, "text", b"bytes"))
        ids = shared_engine.submit_many("echo", [b"x"] * 200)
        shared_engine.wait(ids, 60)
        shared_engine.poll()

    work()
    gc.collect()
    tracemalloc.start()
    work()
    gc.collect()
    first = tracemalloc.get_traced_memory()[0]
    for _ in range(3):
        work()
    gc.collect()
    grown = tracemalloc.get_traced_memory()[0] - first
    tracemalloc.stop()
    assert grown < 20_000


def test_packed_values_come_out_as_they_went_in():
    array = numpy.arange(1000)
    for value in (None, 1, "x", b"raw", bytearray(b"raw"), [array, {"k": array[::3]}], array, (), "__main__"):
        parts = _payload.pack(value)
        data = parts if isinstance(parts, bytes) else b"".join(parts)
        came = _payload.unpack(data)
        if isinstance(value, (bytes, bytearray)):
            assert came == value
        elif isinstance(value, numpy.ndarray):
            assert (came == value).all()
        elif isinstance(value, list):
            assert (came[0] == array).all() and (came[1]["k"] == array[::3]).all()
        else:
            assert came == value


def test_a_payload_of_another_version_is_refused():
    with pytest.raises(ValueError, match="version"):
        _payload.unpack(b"?")


def test_many_values_are_packed_as_one_by_one():
    shared = ["the same object", 1.5, None]
    values = [shared, shared, (1, 2), {"a": shared}, "text", 3, [shared, shared], b"bytes", numpy.float64(2)]
    stream, ends = _payload.pack_jobs(values)
    starts = [0, *ends]
    assert [stream[a:b] for a, b in zip(starts, ends)] == [_payload.pack_job(each)[0] for each in values]
    assert ends[-1] == len(stream) and _payload.pack_jobs([]) == (b"", [])
    for other in ([1, numpy.zeros(100_000)], [1, lambda: 1], [1, "__main__"]):
        assert _payload.pack_jobs(other) is None


def test_many_payloads_of_which_one_cannot_be_sent_are_none_sent(start):
    engine = start()
    with pytest.raises(TypeError, match="pickle"):
        engine.submit_many("echo", [1, 2, (each for each in "abc")])
    assert engine.stats().accepted == 0
    ids = engine.submit_many("echo", [1, "__main__", numpy.arange(3)])
    assert engine.wait(ids, 60)
    came = {each.id: each.value for each in engine.poll()}
    assert came[ids[0]] == 1 and came[ids[1]] == "__main__" and came[ids[2]].tolist() == [0, 1, 2]
