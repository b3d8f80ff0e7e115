"""What workers print and log, on its way to the host's logging.

A worker writes lines to a pipe; each begins with a mark, its process, a level and the logger's name. Lines without a
mark were written by native code.
"""

import logging
import os
import threading
import time
from collections import deque
from typing import Deque

MARK = "\x1e"
SEPARATOR = "\x1f"
LINE_END = "\x1d"  # one inside a message
_PIECE = 64 << 10


class LogReader:
    """A thread that hands lines of the pipe to `logger`, at most so many a second."""

    def __init__(self, logger: logging.Logger, lines_per_second: int) -> None:
        self._logger = logger
        self._most = lines_per_second
        self._second = 0
        self._count = 0
        self.left_out = 0
        self.last: "Deque[str]" = deque(maxlen=5)
        """The last lines, for who wants to know why a worker could not start."""
        self._read_end, self.write_end = os.pipe()
        self._thread = threading.Thread(target=self._run, name="quarry-logs", daemon=True)
        self._thread.start()

    def close(self) -> None:
        """Once all workers have ended: reads what is left."""
        if self.write_end < 0:
            return
        try:
            os.close(self.write_end)
        except OSError:
            pass  # the host has closed all descriptors, as daemons do
        self.write_end = -1
        # What a worker has started may hold the pipe for ever.
        self._thread.join(timeout=1.0)

    def _run(self) -> None:
        rest = b""
        try:
            while True:
                piece = os.read(self._read_end, _PIECE)
                if not piece:
                    break
                *lines, rest = (rest + piece).split(b"\n")
                for line in lines:
                    self._take(line.decode(errors="replace"))
                if len(rest) > _PIECE:
                    self._take(rest.decode(errors="replace"))
                    rest = b""
            if rest:
                self._take(rest.decode(errors="replace"))
            self._say_left_out()
        except OSError:
            pass
        finally:
            try:
                os.close(self._read_end)
            except OSError:
                pass

    def _take(self, line: str) -> None:
        second = int(time.monotonic())
        if second != self._second:
            self._say_left_out()
            self._second = second
            self._count = 0
        self._count += 1
        if self._count > self._most:
            self.left_out += 1
            return
        level, name, process = logging.INFO, "", ""
        if line.startswith(MARK):
            parts = line[1:].split(SEPARATOR, 3)
            if len(parts) == 4:
                process, number, name, line = parts
                level = int(number)
        text = line.replace(LINE_END, "\n")
        self.last.append(text)
        logger = self._logger.getChild(name) if name else self._logger
        try:
            logger.log(level, "%s", text, extra={"worker_process": process})
        except Exception:
            pass  # a host's handler that fails must not end the pipe's reader

    def _say_left_out(self) -> None:
        if self._count > self._most:
            self._logger.warning(
                "workers printed too much: %d lines were left out (log_lines_per_second is %d)",
                self._count - self._most,
                self._most,
            )
            self._count = 0
