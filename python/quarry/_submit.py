"""Jobs on their way to workers."""

import ctypes
import itertools
import operator
import time
from array import array
from typing import Any, Callable, Dict, Iterable, List, Optional, Sequence, Tuple, Type, Union

from . import _c, _launch, _native, _payload, errors
from ._host import Host
from .worker import CALL, PACKED

PRIORITIES = {"low": 0, "normal": 1, "high": 2, "urgent": 3}
_REFUSALS: "Dict[int, Type[errors.Refused]]" = {
    _c.REFUSAL_QUEUE_FULL: errors.QueueFull,
    _c.REFUSAL_ARENA_FULL: errors.ArenaFull,
    _c.REFUSAL_PAYLOAD_TOO_LARGE: errors.PayloadTooLarge,
    _c.REFUSAL_UNKNOWN_TYPE: errors.UnknownHandler,
}
_send = _native.quick.quarry_engine_send
_send_large = _native.lib.quarry_engine_send_parts
_pack_job = _payload.pack_job
# Of a payload on average: up to here it is copied once more, to be handed over with the others.
_JOINED_BYTES = 512
_AS_THEY_ARE = (bytes, bytearray, memoryview)

HandlerName = Union[str, Callable[..., Any]]


class Submitter(Host):
    """An engine as far as jobs are handed to it."""

    def submit(
        self,
        handler: HandlerName,
        payload: Any = None,
        *,
        priority: str = "normal",
        deadline: Optional[float] = None,
        worker: int = -1,
        frame: Optional[int] = None,
    ) -> int:
        """Hands a job over and answers its id. Never waits: Refused says why it was not accepted.

        `handler` is a handler's name, or a function. `deadline` is in seconds from now: then the job is not started any
        more, and a worker that runs it is killed. `frame` is a tag of FrameLedger.submitted."""
        options = None
        if deadline is not None or frame is not None or worker != -1 or priority != "normal":
            options = job_options(priority, deadline, worker, frame)
        return self._submit(handler, payload, options)

    def _submit(self, handler: HandlerName, payload: Any, options: Any) -> int:
        names = self._names.get(handler) or self._name(handler)
        kind = type(payload)
        if kind is bytes and names[0]:
            id: int = _send(self._handle, names[0], payload, len(payload), options)
        elif names[0] and isinstance(payload, (bytearray, memoryview)):
            id = self._send_parts(names[0], [payload if _is_contiguous(payload) else bytes(payload)], options)
        else:
            stream, buffers = _pack_job(payload if names[0] else (handler, (payload,), {}))
            if buffers:
                id = self._send_parts(names[1], _payload.with_buffers(stream, buffers), options)
            else:
                id = _send(self._handle, names[1], stream, len(stream), options)
        if id == 0:
            raise self._refusal(handler, _native.quick.quarry_last_refusal(), payload)
        return id

    def _call(self, function: Callable[..., Any], arguments: Tuple[Any, ...], keywords: Dict[str, Any]) -> int:
        stream, buffers = _pack_job((function, arguments, keywords))
        name = (CALL + PACKED).encode()
        if buffers:
            id = self._send_parts(name, _payload.with_buffers(stream, buffers), None)
        else:
            id = _send(self._handle, name, stream, len(stream), None)
        if id == 0:
            raise self._refusal(function, _native.quick.quarry_last_refusal(), stream)
        return id

    def _name(self, handler: HandlerName) -> Tuple[bytes, bytes]:
        if isinstance(handler, str):
            names = (handler.encode(), (handler + PACKED).encode())
            if not self._packs:
                names = (handler.encode(), handler.encode())
        elif not callable(handler):
            raise TypeError("a handler is named by a str, or is a function")
        elif not self._packs:
            raise TypeError("functions are run by workers in Python, not by those of another command")
        else:
            return (b"", (CALL + PACKED).encode())
        self._names[handler] = names
        return names

    def _send_parts(self, name: bytes, parts: List[Any], options: Any) -> int:
        with _native.Addresses(parts) as addresses:
            places = addresses.places()
            count = len(places)
            starts = (ctypes.c_void_p * count)(*[address for address, _ in places])
            lengths = (ctypes.c_size_t * count)(*[length for _, length in places])
            id: int = _send_large(self._handle, name, starts, lengths, count, options)
            return id

    def _refusal(self, handler: HandlerName, refusal: int, payload: Any, ids: Optional[List[int]] = None) -> Exception:
        if self._handle is None:
            return errors.EngineClosed("the engine is not running: start it, or use it in a with statement")
        if refusal == _c.REFUSAL_NONE:
            return ValueError(_native.last_error())
        text = _native.quick.quarry_refusal_text(refusal).decode().replace("EngineOptions::", "")
        if refusal == _c.REFUSAL_UNKNOWN_TYPE:
            text = f"no worker has a handler named {handler!r}: it must be a public function of {self._sources}"
        elif refusal == _c.REFUSAL_PAYLOAD_TOO_LARGE:
            text = f"the payload is larger than max_payload, {self._max_payload} bytes"
        elif refusal == _c.REFUSAL_QUEUE_FULL:
            text = f"the queue is full: {self._job_queue} jobs wait, as job_queue allows"
        elif refusal == _c.REFUSAL_NO_SUCH_WORKER:
            text = f"worker must be -1 (any), or 0 to {self._options.workers - 1}"
        elif refusal == _c.REFUSAL_SHUT_DOWN:
            return errors.EngineClosed(text)
        return _REFUSALS.get(refusal, errors.Refused)(text, ids)

    def submit_many(
        self,
        handler: HandlerName,
        payloads: Iterable[Any],
        *,
        priority: str = "normal",
        deadline: Optional[float] = None,
        worker: int = -1,
        frame: Optional[int] = None,
    ) -> List[int]:
        """Hands over jobs of one handler, and answers their ids. Faster than one by one, most of all for bytes.

        Refused: not all were accepted; its `ids` are those of the first ones, which were."""
        options = None
        if deadline is not None or frame is not None or worker != -1 or priority != "normal":
            options = job_options(priority, deadline, worker, frame)
        all_payloads = payloads if isinstance(payloads, (list, tuple)) else list(payloads)
        return self._submit_many(handler, all_payloads, options)

    def _submit_many(self, handler: HandlerName, payloads: Sequence[Any], options: Any) -> List[int]:
        names = self._names.get(handler) or self._name(handler)
        kinds = set(map(type, payloads))
        if names[0] and kinds == {bytes}:
            name, streams = names[0], payloads
        else:
            if names[0] and not any(issubclass(each, _AS_THEY_ARE) for each in kinds):
                packed = _payload.pack_jobs(payloads)
                if packed is not None:
                    return self._submit_joined(handler, names[1], *packed, options)
            name = names[1]
            streams = []
            for each in payloads:
                if names[0] and isinstance(each, _AS_THEY_ARE):
                    return self._one_by_one(handler, payloads, options)
                stream, buffers = _pack_job(each if names[0] else (handler, (each,), {}))
                if buffers:
                    return self._one_by_one(handler, payloads, options)
                streams.append(stream)
        lengths = array("Q", map(len, streams))
        if sum(lengths) <= len(lengths) * _JOINED_BYTES:
            # To ask ctypes for the address of each takes longer than to copy them.
            return self._submit_joined(handler, name, b"".join(streams), list(itertools.accumulate(lengths)), options)
        return self._submit_all(handler, name, (ctypes.c_char_p * len(lengths))(*streams), lengths, options)

    def _submit_joined(self, handler: HandlerName, name: bytes, stream: bytes, ends: List[int], options: Any) -> List[int]:
        """Payloads that lie one behind the other."""
        first = ctypes.cast(ctypes.c_char_p(stream), ctypes.c_void_p).value or 0
        starts = array("Q", [first, *map(first.__add__, ends)])
        lengths = array("Q", map(operator.sub, ends, [0, *ends]))
        return self._submit_all(handler, name, starts.buffer_info()[0], lengths, options)

    def _submit_all(self, handler: HandlerName, name: bytes, starts: Any, lengths: "array[int]", options: Any) -> List[int]:
        count = len(lengths)
        ids = (ctypes.c_uint64 * count)()
        accepted = ctypes.c_size_t()
        refusal = ctypes.c_int()
        length = lengths.buffer_info()[0]
        code = _native.quick.quarry_engine_submit_many(
            self._handle, name, count, starts, length, options, ids, ctypes.byref(accepted), ctypes.byref(refusal)
        )
        if code != 0:
            raise self._refusal(handler, refusal.value, None, ids[: accepted.value])
        return ids[:]

    def _one_by_one(self, handler: HandlerName, payloads: Sequence[Any], options: Any) -> List[int]:
        ids: List[int] = []
        for each in payloads:
            try:
                ids.append(self._submit(handler, each, options))
            except errors.Refused as refused:
                refused.ids = ids
                raise
        return ids


def _is_contiguous(payload: Any) -> bool:
    return not isinstance(payload, memoryview) or payload.contiguous


def job_options(priority: str, deadline: Optional[float], worker: int, frame: Optional[int]) -> Any:
    options = _c.quarry_job_options()
    _native.quick.quarry_job_options_init(ctypes.byref(options))
    if priority not in PRIORITIES:
        raise ValueError(f"priority must be one of {', '.join(PRIORITIES)}, not {priority!r}")
    options.priority = PRIORITIES[priority]
    _launch.set_options(options, {"worker": worker})
    if deadline is not None:
        left = _launch.nanoseconds("deadline", deadline)
        if left != _launch.FOREVER:
            options.deadline_ns = max(1, time.monotonic_ns() + left)
    if frame is not None:
        options.has_frame = 1
        options.frame_tag = frame
    return ctypes.byref(options)
