"""How workers are started: their command, what they are told, and the wait for them."""

import ctypes
import marshal
import os
import sys
import tempfile
import threading
from binascii import b2a_base64
from typing import Any, Dict, List, Optional, Tuple

from . import _native, _payload, errors

# So often a call that waits comes back to see whether Ctrl-C was pressed.
SLICE = 0.05
_MOST_IN_ENVIRONMENT = 96 << 10
FOREVER = 1 << 62  # in nanoseconds


def nanoseconds(name: str, seconds: float) -> int:
    """FOREVER is the most, whatever is asked for."""
    if seconds != seconds:
        raise ValueError(f"{name} must be a number of seconds, not nan")
    return round(min(seconds * 1e9, FOREVER))


def set_options(options: Any, values: Dict[str, int]) -> None:
    """ctypes cuts off what is too large for a field; here it is refused."""
    for name, value in values.items():
        setattr(options, name, value)
        if getattr(options, name) != value:
            raise ValueError(f"{name} is out of range: {value}")


def milliseconds(name: str, seconds: float) -> int:
    return nanoseconds(name, seconds) // 1_000_000


def environment_list(environment: Dict[str, str]) -> List[str]:
    for name in environment:
        if not name or "=" in name or "\0" in name + environment[name]:
            raise ValueError(f"{name!r} cannot be a variable of the environment, or has a value that cannot be one")
    return [f"{name}={value}" for name, value in environment.items()]


def interpreter(executable: Optional[str]) -> List[str]:
    import subprocess

    executable = executable or sys.executable
    if not executable:
        raise errors.StartError("sys.executable is empty: say with executable= which Python the workers are to run")
    path = [os.path.abspath(each) if each else os.getcwd() for each in sys.path]
    package = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
    if package not in path:
        path.append(package)
    flags = [each for each in subprocess._args_from_interpreter_flags() if each != "-i"]  # type: ignore[attr-defined]
    code = "import sys;sys.path[:]=sys.argv[1:];from quarry.worker import main;main()"
    return [executable, *flags, "-c", code, *path]


def sources(handlers: Any) -> List[str]:
    if isinstance(handlers, (str, os.PathLike)) or hasattr(handlers, "__spec__"):
        handlers = [handlers]
    found = []
    for each in handlers:
        if isinstance(each, os.PathLike):
            each = os.fspath(each)
        elif not isinstance(each, str):
            each = each.__file__ if each.__name__ == "__main__" else each.__name__
        if each == "__main__":
            raise ValueError("workers never import __main__: put the handlers into a module of its own")
        found.append(os.path.abspath(each) if each.endswith(".py") else each)
    return found


def packed_initializer(function: Any, arguments: Tuple[Any, ...]) -> Optional[bytes]:
    if function is None:
        return None
    stream, buffers = _payload.pack_job((function, arguments))
    return b"".join(_payload.with_buffers(stream, buffers)) if buffers else stream


def setup_text(setup: Dict[str, Any]) -> Tuple[str, Optional[str]]:
    """For a variable of the worker's environment, and the file that holds it where it is too long for that."""
    data = marshal.dumps(setup)
    text = b2a_base64(data, newline=False).decode()
    if len(text) <= _MOST_IN_ENVIRONMENT:
        return text, None
    descriptor, path = tempfile.mkstemp(prefix="quarry-")
    with os.fdopen(descriptor, "wb") as file:
        file.write(data)
    return "@" + path, path


class _Start:
    """Makes an engine in a thread of its own, so that Ctrl-C is heeded while workers start."""

    def __init__(self, options: Any, command: List[str], environment: List[str]) -> None:
        self._options = options
        self._command = _words(command)
        self._environment = _words(environment)
        options.command = ctypes.addressof(self._command)
        options.environment = ctypes.addressof(self._environment)
        self._lock = threading.Lock()
        self._given_up = False
        self._made: Optional[int] = None
        self._text = ""

    def wait(self) -> int:
        thread = threading.Thread(target=self._make, name="quarry-start", daemon=True)
        thread.start()
        try:
            while thread.is_alive():
                thread.join(SLICE)
        except BaseException:
            self._give_up()
            raise
        if not self._made:
            raise errors.StartError(self._text.replace("EngineOptions::", ""))
        return self._made

    def _make(self) -> None:
        made = _native.lib.quarry_engine_new(ctypes.byref(self._options))
        text = "" if made else _native.last_error()
        with self._lock:
            self._made, self._text = made, text
            unwanted = self._given_up
        if unwanted and made:
            _native.lib.quarry_engine_free(made)

    def _give_up(self) -> None:
        with self._lock:
            self._given_up = True
            made = self._made
        if made:
            _native.lib.quarry_engine_free(made)


def _words(texts: List[str]) -> Any:
    return (ctypes.c_char_p * (len(texts) + 1))(*map(os.fsencode, texts), None)


def start(options: Any, command: List[str], environment: List[str]) -> int:
    return _Start(options, command, environment).wait()


def shut_down(handle: int, most: int, report: Any) -> int:
    """Calls the library in a thread of its own, so that Ctrl-C is heeded: what still runs gets no more time then."""
    codes: List[int] = []
    ended = threading.Event()

    def call() -> None:
        try:
            codes.append(_native.lib.quarry_engine_shutdown(handle, most, report))
        finally:
            ended.set()

    thread = threading.Thread(target=call, name="quarry-stop", daemon=True)
    try:
        if threading.current_thread() is threading.main_thread():
            thread.start()
        else:
            call()
    except RuntimeError:  # the interpreter ends, or there can be no more threads
        call()
    try:
        while not ended.wait(SLICE):
            pass
    except BaseException:
        _native.lib.quarry_engine_shutdown(handle, 0, None)
        ended.wait()
        raise
    if thread.ident is not None:
        thread.join()
    return codes[0]
