"""How jobs end."""

import ctypes
import pickle
import struct
from binascii import a2b_base64
from typing import Any, List, Optional, Tuple

from . import _c, _native, _payload, errors
from .worker import EXCEPTION_MARK

_STATUSES = ("ok", "error", "cancelled", "deadline", "worker lost")
_RESULT = struct.Struct("@QiiiiIQqqPNPP")
# What is asked for of every result: id, status, where its payload is, and how long.
_BRIEF = struct.Struct("@Qi44xPN16x")
_BYTES = _RESULT.size
assert _BYTES == _BRIEF.size == ctypes.sizeof(_c.quarry_result)
_string_at = ctypes.string_at
_memory = _native.memory
_loads = _payload.loads
_PICKLE = _payload.PICKLE
_UNREAD = object()


class Result:
    """How a job ended. `status` is "ok", "error", "cancelled", "deadline" or "worker lost"."""

    __slots__ = ("id", "_status", "_raw", "_packed", "_data", "_value")

    def __init__(self, id: int, status: int, raw: bytes, packed: bool, data: Any) -> None:
        self.id = id
        self._status = status
        self._raw = raw  # a quarry_result; most of it is seldom asked for
        self._packed = packed
        self._data = data
        self._value: Any = _UNREAD

    def _fields(self) -> "Tuple[int, ...]":
        return _RESULT.unpack(self._raw)

    @property
    def status(self) -> str:
        return _STATUSES[self._status]

    @property
    def worker(self) -> int:
        """The number of the worker that ran it."""
        return self._fields()[3]

    @property
    def frame(self) -> Optional[int]:
        """The tag with which it was submitted."""
        fields = self._fields()
        return fields[5] if fields[4] else None

    @property
    def run_ns(self) -> int:
        """How long the handler took."""
        return self._fields()[7]

    @property
    def latency_ns(self) -> int:
        """From submit until the result was there."""
        return self._fields()[8]

    @property
    def ok(self) -> bool:
        """Whether there is a value."""
        return self._status == 0

    @property
    def value(self) -> Any:
        """What the handler answered. Raises what it raised, or why there is no answer."""
        if self._value is not _UNREAD:
            return self._value
        if self._status:
            raise self.error  # type: ignore[misc]
        data = self._data
        if not self._packed:
            value: Any = memoryview(data)
        else:
            # As _payload.unpack does with the most common ones, without the call.
            value = _loads(data) if data[-1] == _PICKLE else _payload.unpack(data)
        self._value, self._data = value, None
        return value

    @property
    def error(self) -> Optional[BaseException]:
        """The exception that `value` raises; None: there is a value."""
        if self.ok:
            return None
        text, traceback = self._data
        if self.status == "error":
            return _exception_of(text, traceback)
        if self.status == "cancelled":
            return errors.Cancelled(text, traceback)
        if self.status == "deadline":
            return errors.DeadlinePassed(text, traceback)
        lost = errors.WorkerLost(text, traceback)
        lost.poison = self._fields()[2] != 0
        return lost

    def __repr__(self) -> str:
        return f"<quarry.Result {self.id}: {self.status}>"


def _exception_of(text: str, traceback: str) -> BaseException:
    traceback, _, encoded = traceback.partition(EXCEPTION_MARK)
    if encoded:
        try:
            error = pickle.loads(a2b_base64(encoded))
            if isinstance(error, BaseException):
                error.__cause__ = errors.RemoteTraceback(traceback)
                return error
        except Exception:
            pass  # its class is not to be had here: the text is
    return errors.RemoteError(text, traceback)


def read(results: int, packed: bool) -> List[Result]:
    """What a poll of the C API answered, which is freed. Large payloads stay in shared memory."""
    quick = _native.quick
    copied = _payload.COPIED_BYTES
    try:
        count = quick.quarry_results_count(results)
        raw = _string_at(quick.quarry_results_get(results), count * _BYTES)
        found = []
        at = 0
        for id, status, address, length in _BRIEF.iter_unpack(raw):
            data: Any
            each = raw[at : at + _BYTES]
            if status:
                data = tuple(_string_at(text).decode(errors="replace") for text in _RESULT.unpack(each)[11:])
            elif length <= copied:
                data = _memory[address : address + length].tobytes()
            else:
                payload = quick.quarry_results_detach(results, at // _BYTES)
                data = _native.window_at(address, payload).view(length)
            found.append(Result(id, status, each, packed, data))
            at += _BYTES
        return found
    finally:
        quick.quarry_results_free(results)
