"""Worker processes, frames and terrain for Python programs that must keep their main thread free.

    with quarry.Engine("my_handlers", workers=2) as engine:
        print(engine.run("square", 7))

Names are loaded when they are first used: a worker imports this package, and pays only for what it needs.
"""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from .aio import AsyncEngine as AsyncEngine
    from .engine import Engine as Engine
    from .result import Result as Result
    from .errors import (
        ArenaFull as ArenaFull,
        Cancelled as Cancelled,
        DeadlinePassed as DeadlinePassed,
        EngineClosed as EngineClosed,
        Error as Error,
        JobError as JobError,
        PayloadTooLarge as PayloadTooLarge,
        QueueFull as QueueFull,
        Refused as Refused,
        RemoteError as RemoteError,
        StartError as StartError,
        UnknownHandler as UnknownHandler,
        WorkerLost as WorkerLost,
    )
    from .executor import ProcessExecutor as ProcessExecutor
    from .frames import FrameClock as FrameClock
    from .frames import FrameLedger as FrameLedger
    from .reports import quick_test as quick_test
    from .reports import stress_test as stress_test
    from .stats import (
        EngineStats as EngineStats,
        Health as Health,
        ShutdownReport as ShutdownReport,
        WorkerHealth as WorkerHealth,
    )

_WHERE = {
    "AsyncEngine": "aio",
    "Engine": "engine",
    "Result": "result",
    "ProcessExecutor": "executor",
    "FrameClock": "frames",
    "FrameLedger": "frames",
    "quick_test": "reports",
    "stress_test": "reports",
    "EngineStats": "stats",
    "Health": "stats",
    "ShutdownReport": "stats",
    "WorkerHealth": "stats",
}
_WHERE.update(
    dict.fromkeys(
        [
            "ArenaFull",
            "Cancelled",
            "DeadlinePassed",
            "EngineClosed",
            "Error",
            "JobError",
            "PayloadTooLarge",
            "QueueFull",
            "Refused",
            "RemoteError",
            "StartError",
            "UnknownHandler",
            "WorkerLost",
        ],
        "errors",
    )
)

__all__ = sorted(_WHERE) + ["edits", "terrain", "version", "world_file"]


def version() -> str:
    """The version of the library, such as "0.1.0"."""
    from . import _native

    text: bytes = _native.lib.quarry_version()
    return text.decode()


def __getattr__(name: str) -> object:
    import importlib

    if name in ("edits", "terrain", "worker", "world_file"):
        return importlib.import_module("." + name, __name__)
    where = _WHERE.get(name)
    if where is None:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    value = getattr(importlib.import_module("." + where, __name__), name)
    globals()[name] = value
    return value
