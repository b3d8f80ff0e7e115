"""The shared library: found, loaded, and checked to be of this package's version."""

from __future__ import annotations

import ctypes
import os
import sys

from . import _c

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any, Iterator, List, Tuple

_NAME = "libquarry.so.1"


def _places() -> Iterator[str]:
    if "QUARRY_LIBRARY" in os.environ:
        yield os.environ["QUARRY_LIBRARY"]
        return
    here = os.path.dirname(os.path.abspath(__file__))
    yield os.path.join(here, _NAME)
    # A checkout whose library is built: the package is used straight from it.
    tree = os.path.dirname(os.path.dirname(here))
    for preset in ("python", "release-shared"):
        yield os.path.join(tree, "build", preset, _NAME)


def _find() -> str:
    looked = []
    for place in _places():
        if os.path.exists(place):
            return place
        looked.append(place)
    raise ImportError(
        f"{_NAME} was not found in {', '.join(looked)}: install the wheel of this system, or build the library with "
        "scripts/build python quarry_c"
    )


class _Library:
    """Functions of the library, each declared when it is first used."""

    def __init__(self, loaded: Any) -> None:
        self._loaded = loaded

    def __getattr__(self, name: str) -> Any:
        if name not in _c.FUNCTIONS:
            raise AttributeError(name)
        function = getattr(self._loaded, name)
        function.restype, function.argtypes = _c.FUNCTIONS[name]
        setattr(self, name, function)
        return function


def _load(kind: Any) -> _Library:
    try:
        return _Library(kind(path))
    except OSError as error:
        hint = ""
        if "failed to map segment" in str(error):
            hint = ". Its folder may forbid programs (mounted noexec): install it elsewhere, or name a copy by QUARRY_LIBRARY"
        raise ImportError(f"the library of quarry cannot be loaded: {error}{hint}", path=path) from error


path = _find()
# Calls through `lib` let other threads of Python run meanwhile. Those through `quick` do not: they never wait, and to
# give up the interpreter's lock would cost more than the call.
lib = _load(ctypes.CDLL)
quick = _load(ctypes.PyDLL)
if lib.quarry_c_version() != _c.VERSION:
    raise ImportError(f"{path} is of version {lib.quarry_c_version()} of the C API; this package needs {_c.VERSION}")


def last_error() -> str:
    text: bytes = quick.quarry_last_error()
    return text.decode(errors="replace")


class _Buffer(ctypes.Structure):
    """CPython's Py_buffer."""

    _fields_ = [
        ("buf", ctypes.c_void_p),
        ("obj", ctypes.c_void_p),
        ("len", ctypes.c_ssize_t),
        ("itemsize", ctypes.c_ssize_t),
        ("readonly", ctypes.c_int),
        ("ndim", ctypes.c_int),
        ("format", ctypes.c_void_p),
        ("shape", ctypes.c_void_p),
        ("strides", ctypes.c_void_p),
        ("suboffsets", ctypes.c_void_p),
        ("internal", ctypes.c_void_p),
    ]


_get_buffer = ctypes.pythonapi.PyObject_GetBuffer
_get_buffer.argtypes = [ctypes.py_object, ctypes.c_void_p, ctypes.c_int]
_release_buffer = ctypes.pythonapi.PyBuffer_Release
_release_buffer.argtypes = [ctypes.c_void_p]
_release_buffer.restype = None


class Addresses:
    """Where the bytes of some buffers lie, for as long as this is open."""

    def __init__(self, buffers: "List[Any]") -> None:
        self._held = (_Buffer * len(buffers))()
        self._open = 0
        try:
            for index, each in enumerate(buffers):
                _get_buffer(each, ctypes.byref(self._held, index * ctypes.sizeof(_Buffer)), 0)
                self._open += 1
        except BaseException:
            self.close()
            raise

    def places(self) -> "List[Tuple[int, int]]":
        return [(each.buf or 0, each.len) for each in self._held]

    def close(self) -> None:
        for index in range(self._open):
            _release_buffer(ctypes.byref(self._held, index * ctypes.sizeof(_Buffer)))
        self._open = 0

    def __enter__(self) -> "Addresses":
        return self

    def __exit__(self, *error: object) -> None:
        self.close()


# Memory by its address, as something that can be viewed. Only so much of it is ever looked at as there is.
_Memory: Any = ctypes.c_ubyte * (min(sys.maxsize, 1 << 40))


# All memory of this process, by address. `memory[at : at + length].tobytes()` is what ctypes.string_at does, in a third of
# the time.
memory = memoryview((ctypes.c_ubyte * min(sys.maxsize, (1 << 47) - 1)).from_address(0)).cast("B")


class Window(_Memory):  # type: ignore[misc]
    """Memory that its owner keeps for us. Every view of it, and every array over one, keeps it alive."""

    payload: int | None = None

    def view(self, length: int) -> memoryview:
        return memoryview(self)[:length].cast("B").toreadonly()

    def __del__(self) -> None:
        if self.payload is not None:
            quick.quarry_payload_free(self.payload)


def window_at(address: int, payload: "int | None" = None) -> Window:
    window: Window = Window.from_address(address)
    if payload is not None:
        window.payload = payload
    return window
