"""A picture, computed in bands by worker processes. Each band comes back as an array without a copy."""

import struct
import sys
import zlib

import numpy
import quarry

WIDTH, HEIGHT, ROWS = 480, 270, 30

with quarry.Engine("julia_jobs", workers=2) as engine:
    jobs = [(WIDTH, HEIGHT, first, min(first + ROWS, HEIGHT)) for first in range(0, HEIGHT, ROWS)]
    picture = numpy.concatenate(list(engine.map("band", jobs)))


def chunk(kind, data):
    return struct.pack(">I", len(data)) + kind + data + struct.pack(">I", zlib.crc32(kind + data))


lines = b"".join(b"\0" + line.tobytes() for line in picture)
with open(sys.argv[1] if len(sys.argv) > 1 else "julia.png", "wb") as file:
    file.write(b"\x89PNG\r\n\x1a\n" + chunk(b"IHDR", struct.pack(">IIBBBBB", WIDTH, HEIGHT, 8, 2, 0, 0, 0)))
    file.write(chunk(b"IDAT", zlib.compress(lines, 9)) + chunk(b"IEND", b""))
