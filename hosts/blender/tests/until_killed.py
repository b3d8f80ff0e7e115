"""Loads the workers until somebody kills Blender."""

import time

from quarry.blender import Batch, session

session.start(4)
call = session.send(Batch("busy", [0.05] * 5000, list))
print("under load", flush=True)
end = time.monotonic() + 60
while time.monotonic() < end:
    session.pump(0.01)
    time.sleep(0.001)
