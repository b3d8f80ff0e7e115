"""How jobs end."""

import ctypes
import pickle
import struct
from binascii import a2b_base64
from typing import Any, List, Optional

from . import _c, _native, _payload, errors
from .worker import EXCEPTION_MARK

_STATUSES = ("ok", "error", "cancelled", "deadline", "worker lost")
_RESULT = struct.Struct("@QiiiiIQqqPNPP")
assert _RESULT.size == ctypes.sizeof(_c.quarry_result)
_string_at = ctypes.string_at


class Result:
    """How a job ended. `status` is "ok", "error", "cancelled", "deadline" or "worker lost"."""

    __slots__ = ("id", "status", "worker", "frame", "run_ns", "latency_ns", "_poison", "_packed", "_data", "_value")

    def __init__(
        self,
        id: int,
        status: str,
        worker: int,
        frame: Optional[int],
        run_ns: int,
        latency_ns: int,
        poison: int,
        packed: bool,
        data: Any,
    ) -> None:
        self.id = id
        self.status = status
        self.worker = worker
        self.frame = frame
        self.run_ns = run_ns
        self.latency_ns = latency_ns
        self._poison = poison
        self._packed = packed
        self._data = data

    @property
    def ok(self) -> bool:
        """Whether there is a value."""
        return self.status == "ok"

    @property
    def value(self) -> Any:
        """What the handler answered. Raises what it raised, or why there is no answer."""
        try:
            return self._value
        except AttributeError:
            pass
        if self.status != "ok":
            raise self.error  # type: ignore[misc]
        self._value: Any = _payload.unpack(self._data) if self._packed else memoryview(self._data)
        self._data = None
        return self._value

    @property
    def error(self) -> Optional[BaseException]:
        """The exception that `value` raises; None: there is a value."""
        if self.status == "ok":
            return None
        text, traceback = self._data
        if self.status == "error":
            return _exception_of(text, traceback)
        if self.status == "cancelled":
            return errors.Cancelled(text, traceback)
        if self.status == "deadline":
            return errors.DeadlinePassed(text, traceback)
        lost = errors.WorkerLost(text, traceback)
        lost.poison = self._poison != 0
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
    try:
        count = quick.quarry_results_count(results)
        raw = _string_at(quick.quarry_results_get(results), count * _RESULT.size)
        found = []
        for index, each in enumerate(_RESULT.iter_unpack(raw)):
            id, status, poison, worker, has_frame, tag, _, run, latency, address, length, text, traceback = each
            data: Any
            if status:
                data = (_string_at(text).decode(errors="replace"), _string_at(traceback).decode(errors="replace"))
            elif length <= _payload.COPIED_BYTES:
                data = _string_at(address, length)
            else:
                payload = quick.quarry_results_detach(results, index)
                data = _native.window_at(address, payload).view(length)
            frame = tag if has_frame else None
            found.append(Result(id, _STATUSES[status], worker, frame, run, latency, poison, packed, data))
        return found
    finally:
        quick.quarry_results_free(results)
