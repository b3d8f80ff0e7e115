"""What depends on the version of Python, as a program without pytest: scripts/check-python runs it in every version it finds."""

import asyncio
import math
import os
import signal
import threading
import time

import quarry

before_the_loop = quarry.AsyncEngine("quarry.handlers", workers=1, job_queue=4)


async def more_than_the_queue_takes():
    async with before_the_loop as engine:
        return await asyncio.gather(*(engine.run("echo", each) for each in range(100)))


assert asyncio.run(more_than_the_queue_takes()) == list(range(100))
with quarry.ProcessExecutor(1) as pool:
    assert list(pool.map(math.sqrt, [4, 9])) == [2, 3]
engine = quarry.Engine("quarry.handlers", workers=1, shutdown_timeout=60.0).start()
try:
    engine.run("busy", "no number")
    raise SystemExit("an error was lost")
except TypeError as error:
    assert error.__cause__ is not None
engine.submit("busy", 60.0)
while not engine.health().workers[0].busy:
    time.sleep(0.001)
time.sleep(0.1)
signal.signal(signal.SIGINT, signal.default_int_handler)
threading.Timer(0.2, os.kill, (os.getpid(), signal.SIGINT)).start()
began = time.monotonic()
try:
    engine.close()
    raise SystemExit("Ctrl-C was lost")
except KeyboardInterrupt:
    assert time.monotonic() - began < 30
quarry.Engine("quarry.handlers", workers=1).start()  # and ends with the program
