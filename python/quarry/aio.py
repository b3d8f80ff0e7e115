"""Jobs for asyncio programs."""

from __future__ import annotations

import asyncio
from typing import Any, AsyncIterator, Dict, Iterable, Optional

from ._submit import HandlerName
from .engine import Engine
from .result import Result


class AsyncEngine:
    """An Engine whose results are awaited. An asynchronous context manager; options are those of Engine.

    The event loop watches the engine's descriptor, so nothing polls and no thread waits."""

    def __init__(self, handlers: Any = (), **options: Any) -> None:
        self.engine = Engine(handlers, **options)
        self._loop: Optional[asyncio.AbstractEventLoop] = None
        self._futures: Dict[int, asyncio.Future[Result]] = {}
        self._room: asyncio.Event

    async def __aenter__(self) -> "AsyncEngine":
        self._loop = asyncio.get_running_loop()
        self._room = asyncio.Event()  # here, as in Python 3.9 it belongs to the loop of the thread that makes it
        await self._loop.run_in_executor(None, self.engine.start)
        self._loop.add_reader(self.engine.fileno(), self._hand_over)
        return self

    async def __aexit__(self, *error: object) -> None:
        assert self._loop is not None
        self._loop.remove_reader(self.engine.fileno())
        for each in self._futures.values():
            each.cancel()
        self._futures.clear()
        await self._loop.run_in_executor(None, self.engine.close)

    def _hand_over(self) -> None:
        for result in self.engine.poll():
            future = self._futures.pop(result.id, None)
            if future is not None and not future.done():
                future.set_result(result)
        self._room.set()

    async def _submit(self, handler: HandlerName, payload: Any, options: Dict[str, Any]) -> "asyncio.Future[Result]":
        from . import errors

        assert self._loop is not None, "use it in an async with statement"
        while True:
            try:
                id = self.engine.submit(handler, payload, **options)
                break
            except (errors.QueueFull, errors.ArenaFull):
                self._room.clear()
                await self._room.wait()
        future: asyncio.Future[Result] = self._loop.create_future()
        self._futures[id] = future
        future.add_done_callback(lambda done: self._futures.pop(id, None) and self.engine.cancel(id))
        return future

    async def run(self, handler: HandlerName, payload: Any = None, **options: Any) -> Any:
        """The value of one job. Waits while the queue is full; to cancel the task cancels the job."""
        return (await (await self._submit(handler, payload, options))).value

    async def map(self, handler: HandlerName, payloads: Iterable[Any], **options: Any) -> AsyncIterator[Any]:
        """The values of all payloads, in their order."""
        futures = []
        try:
            for each in payloads:
                futures.append(await self._submit(handler, each, options))
            for index, each in enumerate(futures):
                yield (await each).value
        finally:
            for each in futures:
                each.cancel()
