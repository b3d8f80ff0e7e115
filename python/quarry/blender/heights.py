"""Heights of an image, kept with the terrain that was made of it: the image may change, or go.

Fields read them from a file in Blender's temporary folder, which is written anew whenever it is not there.
"""

from __future__ import annotations

import hashlib
import json
import os
import struct
import zlib
from array import array
from typing import Any

HEIGHTS = "quarry_heights"
"""Of a terrain's collection: the heights of its image. Whole numbers of 32 bits: how many bytes follow, and these, which are
16-bit heights in little-endian order, row by row, compressed by zlib."""


def description_of(heights: Any, width: float, height_scale: float) -> str:
    """Of a field with these heights, an array of rows with 16-bit numbers; the longer side is `width`."""
    rows, columns = heights.shape
    size = width / (max(columns, rows) - 1)
    heightmap = {
        "type": "heightmap", "file": _name(heights.tobytes()), "width": columns, "height": rows, "pixel_size": size,
        "height_scale": height_scale, "origin_x": -(columns - 1) * size / 2, "origin_z": -(rows - 1) * size / 2,
    }  # fmt: skip
    return json.dumps({"field": heightmap})


def _name(heights: bytes) -> str:
    # Other heights have another name, as workers keep the fields that they have read.
    return f"quarry_heights_{hashlib.sha256(heights).hexdigest()[:32]}.raw"


def folder_of(heights: bytes, parent: str) -> str:
    """The folder in which the description's file lies; it is written if it is not there."""
    path = os.path.join(parent, _name(heights))
    if not os.path.exists(path):
        with open(path + ".part", "wb") as file:
            file.write(heights)
        os.replace(path + ".part", path)
    return parent


def keep_heights(collection: Any, heights: bytes) -> None:
    packed = zlib.compress(heights, 1)
    collection[HEIGHTS] = array("i", struct.pack("<i", len(packed)) + packed + bytes(-len(packed) % 4))


def heights_of(collection: Any) -> bytes:
    """Empty: the terrain is not made of an image. ValueError: the property is damaged."""
    value = collection.get(HEIGHTS)
    if value is None:
        return b""
    try:
        raw = memoryview(value).tobytes()
        (length,) = struct.unpack_from("<i", raw)
        return zlib.decompress(raw[4 : 4 + length])
    except (TypeError, ValueError, struct.error, zlib.error) as error:
        raise ValueError(f"the heights in this file are damaged: {error}") from error
