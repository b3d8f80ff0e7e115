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
assert _RESULT.size == ctypes.sizeof(_c.quarry_result)
_string_at = ctypes.string_at
_memory = _native.memory
_UNREAD = object()


class Result:
    """How a job ended. `status` is "ok", "error", "cancelled", "deadline" or "worker lost"."""

    __slots__ = ("id", "_raw", "_packed", "_data", "_value")

    def __init__(self, id: int, raw: "Tuple[int, ...]", packed: bool, data: Any) -> None:
        self.id = id
        self._raw = raw  # of quarry_result; most of it is seldom asked for
        self._packed = packed
        self._data = data
        self._value: Any = _UNREAD

    @property
    def status(self) -> str:
        return _STATUSES[self._raw[1]]

    @property
    def worker(self) -> int:
        """The number of the worker that ran it."""
        return self._raw[3]

    @property
    def frame(self) -> Optional[int]:
        """The tag with which it was submitted."""
        return self._raw[5] if self._raw[4] else None

    @property
    def run_ns(self) -> int:
        """How long the handler took."""
        return self._raw[7]

    @property
    def latency_ns(self) -> int:
        """From submit until the result was there."""
        return self._raw[8]

    @property
    def ok(self) -> bool:
        """Whether there is a value."""
        return self._raw[1] == 0

    @property
    def value(self) -> Any:
        """What the handler answered. Raises what it raised, or why there is no answer."""
        if self._value is not _UNREAD:
            return self._value
        if self._raw[1]:
            raise self.error  # type: ignore[misc]
        self._value = _payload.unpack(self._data) if self._packed else memoryview(self._data)
        self._data = None
        return self._value

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
        lost.poison = self._raw[2] != 0
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
        raw = _string_at(quick.quarry_results_get(results), count * _RESULT.size)
        found = []
        for index, each in enumerate(_RESULT.iter_unpack(raw)):
            address, length = each[9], each[10]
            data: Any
            if each[1]:
                data = tuple(_string_at(text).decode(errors="replace") for text in each[11:])
            elif length <= copied:
                data = _memory[address : address + length].tobytes()
            else:
                payload = quick.quarry_results_detach(results, index)
                data = _native.window_at(address, payload).view(length)
            found.append(Result(each[0], each, packed, data))
        return found
    finally:
        quick.quarry_results_free(results)
