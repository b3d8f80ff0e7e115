"""One band of a picture of a Julia set."""

import numpy


def band(job):
    width, height, first, last = job
    y, x = numpy.mgrid[first:last, 0:width]
    z = (x - width / 2) / (height / 2.4) + 1j * (y - height / 2) / (height / 2.4)
    steps = numpy.zeros(z.shape)
    inside = numpy.ones(z.shape, dtype=bool)
    for _ in range(120):
        z[inside] = z[inside] ** 2 + (-0.79 + 0.15j)
        inside &= abs(z) < 4
        steps += inside
    shade = (steps / 120) ** 0.4
    colours = numpy.stack([shade * 255, shade**2 * 220, (1 - (1 - shade) ** 3) * 160], axis=-1)
    return colours.astype(numpy.uint8)
