"""A worker process: runs the functions of the modules that the host names.

Handlers may call `state`, `stop_requested` and raise `Cancelled` of this module. Nothing is imported here that the host
did not ask for, beyond what is needed to serve.
"""

from __future__ import annotations

import ctypes
import marshal
import os
import sys
from binascii import a2b_base64

from . import _c, _native, _output, _payload
from .errors import Cancelled as Cancelled
from .errors import RemoteError

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any, Callable, Dict, List, Tuple

    Handler = Callable[[Any], Any]

SETUP_VARIABLE = "QUARRY_PYTHON_SETUP"
CALL = "quarry.call"
# What a name gets behind it for jobs whose payload is packed; without it the payload is bytes.
PACKED = "+"
# Between an error's traceback and the exception itself, as text.
EXCEPTION_MARK = "\x1e"
_MOST_EXCEPTION_BYTES = 128 << 10
_MOST_REFUSAL_BYTES = 15 << 10
_FOREVER = 1 << 62

_worker: Any = None
imports_handlers = False
"""While this is so no engine may be started: each of its workers would import the same, and start another."""
_states: "Dict[str, Tuple[int, Any]]" = {}


class KeptView(RuntimeError):
    """A handler kept a view of memory that is not its own."""


def stop_requested() -> bool:
    """Whether the host wants the job that runs to be given up: raise Cancelled to heed it."""
    return bool(_native.quick.quarry_worker_stop_requested(_worker))


def state(key: str) -> Any:
    """The newest value that the host has broadcast under this key. KeyError: there is none."""
    data = ctypes.c_void_p()
    length = ctypes.c_size_t()
    version = ctypes.c_uint64()
    code = _native.quick.quarry_worker_state(
        _worker, key.encode(), ctypes.byref(data), ctypes.byref(length), ctypes.byref(version)
    )
    if code == _c.NONE:
        _states.pop(key, None)
        raise KeyError(f"nothing has been broadcast under {key!r}")
    if code != _c.OK:
        raise RemoteError(_native.last_error().replace("EngineOptions::", ""))
    known = _states.get(key)
    if known is None or known[0] != version.value:
        # A copy: a handler may keep what it has made of an older version.
        known = (version.value, _payload.unpack(ctypes.string_at(data.value or 0, length.value)))
        _states[key] = known
    return known[1]


class _Guard:
    """Refuses to import the host's modules, which do not work in a worker."""

    def __init__(self, names: "List[str]") -> None:
        self._names = names

    def find_spec(self, name: str, path: Any = None, target: Any = None) -> None:
        root = name.partition(".")[0]
        if name in self._names or root in self._names:
            raise ImportError(
                f"{name} cannot be imported in a worker: it belongs to the host's process, and works only there. Pass "
                "what the job needs in its payload, and keep functions for workers in a module that does not import "
                f"{root}",
                name=name,
            )


def traceback_of(error: BaseException) -> str:
    import traceback

    try:
        # The first entry is this module's own.
        inner = error.__traceback__.tb_next if error.__traceback__ is not None else None
        return "".join(traceback.format_exception(type(error), error, inner))
    except Exception:
        return f"{type(error).__name__} (its traceback cannot be shown)\n"


def _as_text(error: BaseException) -> str:
    try:
        return f"{type(error).__name__}: {error}"
    except Exception:
        return f"{type(error).__name__}: (its text cannot be shown)"


def _exception_as_text(error: BaseException) -> str:
    """The exception itself, so that the host can raise it; "" if it would not arrive."""
    from binascii import b2a_base64

    try:
        stream = _payload.dumps(error, 5)
        if len(stream) > _MOST_EXCEPTION_BYTES or type(_payload.loads(stream)) is not type(error):
            return ""
        return EXCEPTION_MARK + b2a_base64(stream, newline=False).decode()
    except BaseException:
        return ""


def _without_nul(text: str) -> bytes:
    return text.replace("\0", "\\0").encode("utf-8", "backslashreplace")


def _fail(error: BaseException) -> None:
    if isinstance(error, Cancelled):
        _native.quick.quarry_worker_cancelled(_worker)
        return
    text = traceback_of(error)
    _native.quick.quarry_worker_fail(
        _worker, _without_nul(_as_text(error)), _without_nul(text[-(96 << 10) :] + _exception_as_text(error))
    )


def _call(payload: Any) -> Any:
    function, arguments, keywords = payload
    return function(*arguments, **keywords)


def _import_handlers(source: str) -> Any:
    if source.endswith(".py"):
        import importlib.util

        name = os.path.splitext(os.path.basename(source))[0]
        spec = importlib.util.spec_from_file_location(name, source)
        if spec is None or spec.loader is None:
            raise ImportError(f"{source} cannot be imported")
        module = importlib.util.module_from_spec(spec)
        sys.modules[name] = module
        spec.loader.exec_module(module)
        return module
    __import__(source)
    return sys.modules[source]


def _public_functions(module: Any) -> "Dict[str, Handler]":
    names = getattr(module, "__all__", None)
    if names is not None:
        return {name: getattr(module, name) for name in names if callable(getattr(module, name))}
    return {
        name: value
        for name, value in vars(module).items()
        if not name.startswith("_")
        and callable(value)
        and not isinstance(value, type)
        and getattr(value, "__module__", None) == module.__name__
    }


def _all_handlers(sources: "List[str]") -> "Dict[str, Handler]":
    handlers: Dict[str, Handler] = {CALL: _call}
    owners: Dict[str, str] = {}
    for source in sources:
        for name, function in _public_functions(_import_handlers(source)).items():
            if name in owners:
                raise ValueError(f"{name} is in both {owners[name]} and {source}: a handler's name must be unique")
            owners[name] = source
            handlers[name] = function
    return handlers


def _serve(handlers: "Dict[str, Handler]", most_jobs: int) -> None:
    table: "Dict[int, Tuple[Handler, bool]]" = {}
    names = []
    for name, function in handlers.items():
        for suffix, packed in (("", False), (PACKED, True)):
            table[_native.lib.quarry_type_hash((name + suffix).encode())] = (function, packed)
            names.append((name + suffix).encode())
    if sum(len(name) + 1 for name in names) > 16_000:
        raise ValueError(f"{len(handlers)} handlers are too many: their names may take 8,000 bytes together")
    listed = (ctypes.c_char_p * len(names))(*names)
    if _native.lib.quarry_worker_ready(_worker, listed, len(names)) != _c.OK:
        raise RemoteError(_native.last_error().replace("EngineOptions::", ""))
    _run_jobs(table, most_jobs)


def _run_jobs(table: "Dict[int, Tuple[Handler, bool]]", most_jobs: int) -> None:
    job = _c.quarry_job()
    job_at = ctypes.byref(job)
    take = _native.lib.quarry_worker_next
    copied = _payload.COPIED_BYTES
    memory = _native.memory
    # What unpack and pack would do with the most common values, without their calls: of short jobs that is a part.
    unpack, loads, pickle = _payload.unpack, _payload.loads, _payload.PICKLE
    pack, dumps, plain = _payload.pack, _payload.dumps, _payload.PLAIN
    answer: Any = None
    done = 0
    while True:
        code = take(_worker, answer, 0 if answer is None else len(answer), _FOREVER, job_at)
        if code != 0:
            if code == _c.NONE:
                return
            # There is no room for such an answer.
            _native.quick.quarry_worker_fail(_worker, _native.last_error().encode(), b"")
            answer = None
            continue
        handler, packed = table[job.type]
        length = job.length
        answer = None
        try:
            if length <= copied:
                at = job.payload or 0
                view = memory[at : at + length]
                if not packed:
                    value = handler(memoryview(view.tobytes()))
                elif view[-1] == pickle:
                    value = handler(loads(view))
                else:
                    value = handler(unpack(view.tobytes()))
                answer = dumps(value, 5) if type(value) in plain else pack(value)
                value = None
                if type(answer) is list:
                    _answer_in_place(answer)
                    answer = None
            else:
                answer = _run_large(handler, packed, job.payload, length)
        except BaseException as error:
            _fail(error)
            error.__traceback__ = None
            answer = None
        if not _output.log_is_sent:
            _output.send_log()
        done += 1
        if done == most_jobs:
            if answer is not None:
                _answer_in_place([answer])
            return


def _run_large(handler: Handler, packed: bool, address: int, length: int) -> Any:
    window = _native.window_at(address)
    view = window.view(length)
    value = handler(_payload.unpack(view) if packed else view)
    answer: Any = _payload.pack(value)
    in_place = type(answer) is list
    if in_place:
        # It may be made of views of the payload, so it is written while they hold.
        _fill_answer(answer)
        answer = None
    del value, view
    if sys.getrefcount(window) > 2:
        import gc

        gc.collect()
        if sys.getrefcount(window) > 2:
            # The exporter must not be asked for that memory again, whatever the handler does later.
            raise KeptView(
                "the handler kept a view of its payload (an array or a memoryview) when it returned; that memory "
                "belongs to the next job: copy what you keep"
            )
    if in_place:
        _finish()
    return answer


def _fill_answer(parts: "List[Any]") -> None:
    length = _payload.size_of(parts)
    place = _native.lib.quarry_worker_reply(_worker, length)
    if not place and length:
        raise RemoteError(_native.last_error().replace("EngineOptions::", ""))
    with _native.Addresses(parts) as addresses:
        for source, size in addresses.places():
            ctypes.memmove(place, source, size)
            place += size


def _finish() -> None:
    if _native.quick.quarry_worker_finish(_worker) != _c.OK:
        raise RemoteError(_native.last_error().replace("EngineOptions::", ""))


def _answer_in_place(parts: "List[Any]") -> None:
    _fill_answer(parts)
    _finish()


def _read_setup() -> "Dict[str, Any]":
    text = os.environ.pop(SETUP_VARIABLE, "")
    if not text:
        raise SystemExit("this is a worker of quarry.Engine, which starts it by itself")
    if text.startswith("@"):
        with open(text[1:], "rb") as file:
            data = file.read()
    else:
        data = a2b_base64(text)
    setup: Dict[str, Any] = marshal.loads(data)
    return setup


def _redirect(sends_output: bool) -> None:
    null = os.open(os.devnull, os.O_RDONLY)
    os.dup2(null, 0)
    os.close(null)
    if sends_output:
        sys.stdout = _output.TaggedPipe(1, 20)  # type: ignore[assignment]
        sys.stderr = _output.TaggedPipe(2, 30)  # type: ignore[assignment]


def main() -> None:
    """What a worker process runs."""
    global _worker, imports_handlers
    setup = _read_setup()
    _worker = _native.lib.quarry_worker_open()
    if not _worker:
        raise SystemExit(_native.last_error())
    try:
        _redirect(setup["sends_output"])
        if setup["blocked"]:
            for name in setup["blocked"]:
                sys.modules.pop(name, None)
            sys.meta_path.insert(0, _Guard(setup["blocked"]))  # type: ignore[arg-type]
        _output.log_level = setup["log_level"]
        imports_handlers = True
        handlers = _all_handlers(setup["handlers"])
        imports_handlers = False
        if setup["initializer"] is not None:
            initializer, arguments = _payload.unpack(setup["initializer"])
            initializer(*arguments)
        if setup["sends_output"]:
            _output.send_log()
        else:
            _output.log_is_sent = True
    except BaseException as error:
        text = traceback_of(error)
        # The end of a traceback says most.
        _native.lib.quarry_worker_refuse(_worker, _without_nul(text)[-_MOST_REFUSAL_BYTES:])
        return
    _serve(handlers, setup["most_jobs"])
    for stream in (sys.stdout, sys.stderr):
        stream.flush()
    _native.lib.quarry_worker_close(_worker)
