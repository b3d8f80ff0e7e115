"""Engines for tests: two workers, and a patience that a loaded machine does not exhaust."""

import os
import signal
import sys

import pytest

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(0, HERE)
if os.environ.get("QUARRY_TEST_INSTALLED") != "1":
    sys.path.insert(0, os.path.join(os.path.dirname(os.path.dirname(HERE)), "python"))

import quarry  # noqa: E402

# A shell starts what runs in the background with Ctrl-C ignored, and so would all that is started here.
signal.signal(signal.SIGINT, signal.default_int_handler)


def make_engine(handlers="handlers_for_tests", **options):
    options.setdefault("workers", 2)
    options.setdefault("heartbeat", 30.0)
    options.setdefault("start_timeout", 60.0)
    return quarry.Engine(handlers, **options)


@pytest.fixture
def engine():
    with make_engine() as made:
        yield made


@pytest.fixture(scope="module")
def shared_engine():
    with make_engine() as made:
        yield made


@pytest.fixture
def start():
    """Makes engines that end with the test."""
    made = []

    def start_one(handlers="handlers_for_tests", **options):
        made.append(make_engine(handlers, **options).start())
        return made[-1]

    yield start_one
    for each in made:
        each.close()


@pytest.fixture(scope="module")
def session():
    """Of quarry.blender, without Blender."""
    import quarry.blender

    made = quarry.blender.Session()
    made.start(workers=2, heartbeat=30.0, start_timeout=60.0)
    yield made
    made.stop()
