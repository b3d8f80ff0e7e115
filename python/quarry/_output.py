"""What a worker prints and logs, on its way to the host: lines with a mark that says whose they are."""

from __future__ import annotations

import os
import sys
from io import BufferedIOBase, TextIOBase

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

_MOST_LINE = 3900  # bytes; up to 4,096 a pipe takes a line whole, whoever else writes


class TaggedPipe(TextIOBase):
    """Standard output of a worker, in whole lines."""

    encoding = "utf-8"
    errors = "backslashreplace"

    def __init__(self, descriptor: int, level: int) -> None:
        self._descriptor = descriptor
        self._level = level
        self._line = ""

    @property
    def buffer(self) -> "BufferedIOBase":
        """For bytes, as the interpreter's own streams have it."""
        return _Bytes(self)

    def write(self, text: str) -> int:
        *lines, self._line = (self._line + text).split("\n")
        for line in lines:
            write_tagged(self._descriptor, self._level, "", line)
        return len(text)

    def flush(self) -> None:
        if self._line:
            line, self._line = self._line, ""
            write_tagged(self._descriptor, self._level, "", line)

    def fileno(self) -> int:
        return self._descriptor

    def writable(self) -> bool:
        return True

    def reconfigure(self, **options: Any) -> None:
        """Whatever is asked for, lines are sent as UTF-8."""

    def close(self) -> None:
        self.flush()


class _Bytes(BufferedIOBase):
    def __init__(self, text: TaggedPipe) -> None:
        self._text = text

    def write(self, data: Any) -> int:
        data = bytes(data)
        self._text.write(data.decode("utf-8", "backslashreplace"))
        return len(data)

    def flush(self) -> None:
        self._text.flush()

    def fileno(self) -> int:
        return self._text.fileno()

    def writable(self) -> bool:
        return True

    def close(self) -> None:
        self.flush()


def write_tagged(descriptor: int, level: int, name: str, text: str) -> None:
    tag = f"\x1e{os.getpid()}\x1f{level}\x1f{name[:100]}\x1f".encode("utf-8", "backslashreplace")
    data = text.replace("\n", "\x1d").encode("utf-8", "backslashreplace")
    while True:
        os.write(descriptor, tag + data[:_MOST_LINE] + b"\n")
        data = data[_MOST_LINE:]
        if not data:
            return


log_is_sent = False
log_level = 20


def send_log() -> None:
    """Once a handler's module has imported logging: its records go to the host."""
    global log_is_sent
    logging = sys.modules.get("logging")
    if log_is_sent or logging is None or not hasattr(logging, "Handler"):
        return
    log_is_sent = True
    base: Any = logging.Handler

    class ToHost(base):  # type: ignore[misc]
        def emit(self, record: Any) -> None:
            try:
                text = record.getMessage()
                if record.exc_info:
                    text += "\n" + logging.Formatter().formatException(record.exc_info)  # type: ignore[union-attr]
                write_tagged(1, record.levelno, record.name, text)
            except Exception:
                self.handleError(record)

    root: Any = logging.getLogger()  # type: ignore[attr-defined]
    root.addHandler(ToHost())
    root.setLevel(log_level)
