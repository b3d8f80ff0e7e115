"""AsyncEngine."""

import asyncio
import time

import pytest
import quarry


def run(coroutine):
    return asyncio.run(asyncio.wait_for(coroutine, 120))


def make(**options):
    return quarry.AsyncEngine("handlers_for_tests", workers=2, heartbeat=30.0, **options)


def test_values_are_awaited_while_the_loop_goes_on():
    async def main():
        ticks = 0

        async def tick():
            nonlocal ticks
            while True:
                ticks += 1
                await asyncio.sleep(0.005)

        async with make() as engine:
            ticker = asyncio.ensure_future(tick())
            values = await asyncio.gather(*(engine.run("square", i) for i in range(50)), engine.run("sleep", 0.3))
            ticker.cancel()
        assert values == [*(i * i for i in range(50)), 0.3]
        assert ticks > 10

    run(main())


def test_map_keeps_the_order_beyond_the_queue():
    async def main():
        async with make(job_queue=4, result_queue=4) as engine:
            return [value async for value in engine.map("square", range(100))]

    assert run(main()) == [i * i for i in range(100)]


def test_errors_and_cancelling():
    async def main():
        async with make() as engine:
            with pytest.raises(ValueError, match="wrong"):
                await engine.run("raise_value_error", "wrong")
            began = time.monotonic()
            with pytest.raises(asyncio.TimeoutError):
                await asyncio.wait_for(engine.run("until_asked_to_stop"), 0.2)
            assert await engine.run("square", 3) == 9
            while engine.engine.stats().cancelled == 0:
                await asyncio.sleep(0.01)
            assert time.monotonic() - began < 50

    run(main())
