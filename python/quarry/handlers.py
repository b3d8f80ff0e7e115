"""Handlers for tests and measurements: `quarry.Engine("quarry.handlers")`."""

from __future__ import annotations

import time

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any, Tuple

__all__ = ["busy", "compute_heavy", "echo", "ping"]


def ping(_: Any = None) -> None:
    """Answers at once."""


def echo(value: Any) -> Any:
    """Answers what it was given."""
    return value


def compute_heavy(size: Tuple[int, int]) -> int:
    """The burst test's job: so many iterations over so many elements."""
    iterations, elements = size
    total = 0
    for iteration in range(iterations):
        for value in range(elements):
            total += value * iteration
            total = (total * 31 + value) % 1_000_000
    return total


def busy(seconds: float) -> None:
    """Computes for so long, by the processor's time of this thread."""
    end = time.thread_time() + seconds
    while time.thread_time() < end:
        pass
