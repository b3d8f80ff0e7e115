"""How values travel. The last byte of a packed payload says how to read the rest:

'.'  a pickle, which ends with this byte anyway
'r'  bytes as they are
'b'  a pickle with buffers out of band: buffers, each at a multiple of 64; the pickle; the lengths of all; how many
"""

from __future__ import annotations

import struct
from io import BytesIO

TYPE_CHECKING = False
if not TYPE_CHECKING:
    # Not pickle, which is written in Python around this and takes long to import.
    from _pickle import PickleBuffer, Pickler, PicklingError, dumps as dumps, loads as loads
else:
    from pickle import PickleBuffer, Pickler, PicklingError, dumps as dumps, loads as loads
    from typing import Any, Callable, List, Sequence, Tuple, Union

    # One buffer, or several that are put behind each other.
    Packed = Union[bytes, List[Any]]

RAW = ord("r")
PICKLE = ord(".")
BUFFERS = ord("b")
_ALIGNMENT = 64
# What is shorter is copied out of shared memory: that takes less time than to keep it there.
COPIED_BYTES = 16 << 10
# These have no buffers to look for.
PLAIN = {bool, float, int, str, type(None)}


def with_buffers(stream: bytes, buffers: "List[PickleBuffer]") -> "List[Any]":
    parts: List[Any] = []
    lengths = []
    for each in buffers:
        raw = each.raw()
        parts.append(raw)
        lengths.append(raw.nbytes)
        rest = -raw.nbytes % _ALIGNMENT
        if rest:
            parts.append(bytes(rest))
    lengths.append(len(stream))
    parts.append(stream + struct.pack(f"<{len(lengths)}QIB", *lengths, len(lengths), BUFFERS))
    return parts


def pack(value: Any) -> Packed:
    """What a worker answers, and broadcast state."""
    if type(value) in PLAIN:
        return dumps(value, 5)
    if isinstance(value, (bytes, bytearray, memoryview)):
        return raw_answer(value)
    buffers: List[PickleBuffer] = []
    stream = dumps(value, 5, buffer_callback=buffers.append)
    return with_buffers(stream, buffers) if buffers else stream


def raw_answer(value: Union[bytes, bytearray, memoryview]) -> Packed:
    if isinstance(value, memoryview) and not value.contiguous:
        value = value.tobytes()
    if len(value) < COPIED_BYTES and type(value) is bytes:
        return value + b"r"
    return [value, b"r"]


def size_of(parts: "List[Any]") -> int:
    return sum(memoryview(each).nbytes for each in parts)


def unpack(data: Any) -> Any:
    """The value of a packed payload; `data` is bytes, or a read-only view of shared memory."""
    kind = data[-1]
    if kind == PICKLE:
        return loads(data)
    if kind == RAW:
        return memoryview(data)[:-1]
    if kind == BUFFERS:
        return _unpack_buffers(memoryview(data))
    raise ValueError(f"a payload that ends with byte {kind} is not of this version of quarry")


def _unpack_buffers(view: memoryview) -> Any:
    end = len(view) - 5
    (count,) = struct.unpack_from("<I", view, end)
    lengths = struct.unpack_from(f"<{count}Q", view, end - 8 * count)
    buffers = []
    place = 0
    for length in lengths[:-1]:
        buffers.append(view[place : place + length])
        place += length + -length % _ALIGNMENT
    return loads(view[place : place + lengths[-1]], buffers=buffers)


class NotFromMain(PicklingError):
    """Something of __main__ was to be sent, and cannot be."""


def _explain(what: str) -> NotFromMain:
    return NotFromMain(
        f"{what} cannot be sent to a worker: workers never import __main__. Put it into a module of its own, or "
        "install cloudpickle, which sends functions by value"
    )


class _MainFinder(Pickler):
    """Finds out whether a value refers to something of __main__, or only says its name."""

    def reducer_override(self, obj: Any) -> Any:
        if getattr(obj, "__module__", None) == "__main__" and hasattr(obj, "__qualname__"):
            raise _explain(f"{obj.__qualname__!r} of __main__")
        return NotImplemented


class _Nowhere:
    def write(self, data: Any) -> int:
        return len(data)


def _cloudpickle() -> "Callable[..., bytes] | None":
    try:
        import cloudpickle  # type: ignore[import]
    except ImportError:
        return None
    dumps: Callable[..., bytes] = cloudpickle.dumps
    return dumps


def pack_job(value: Any) -> Tuple[bytes, "List[PickleBuffer]"]:
    """What a host sends: functions and classes of __main__ by value, or with an error that says what to do."""
    buffers: List[PickleBuffer] = []
    try:
        stream = dumps(value, 5, buffer_callback=buffers.append)
        if stream.find(b"__main__") < 0:  # a fifth of the time of "in"
            return stream, buffers
        failure = None
    except (PicklingError, AttributeError, TypeError) as error:
        failure = error
    by_value = _cloudpickle()
    if by_value is not None:
        buffers = []
        return by_value(value, protocol=5, buffer_callback=buffers.append), buffers
    if failure is not None:
        text = str(failure)
        if "<lambda>" in text or "<locals>" in text or "__main__" in text:
            raise _explain(f"a lambda or a function inside another one ({text})") from failure
        raise failure
    _MainFinder(_Nowhere(), 5).dump(value)
    return stream, buffers


def pack_jobs(values: "Sequence[Any]") -> "Tuple[bytes, List[int]] | None":
    """What `pack_job` makes of many values, one behind the other, and where each ends. In a third of the time, as one pickler
    writes into one place. None: there are buffers, something of __main__, or something that cannot be pickled."""
    out = BytesIO()
    buffers: List[PickleBuffer] = []
    pickler = Pickler(out, 5, buffer_callback=buffers.append)
    dump, forget, tell = pickler.dump, pickler.clear_memo, out.tell
    ends = []
    try:
        for each in values:
            dump(each)
            if buffers:
                return None
            forget()
            ends.append(tell())
    except Exception:
        return None
    stream = out.getvalue()
    return (stream, ends) if stream.find(b"__main__") < 0 else None
