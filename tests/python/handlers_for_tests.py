"""Handlers that the tests run in workers."""

import io
import os
import sys
import time

_kept = []


def square(value):
    return value * value


def echo(value):
    return value


def length_of(value):
    return len(value)


def type_of(value):
    return type(value).__name__


def process(_):
    return os.getpid()


def sleep(seconds):
    time.sleep(seconds)
    return seconds


def total(array):
    return float(array.sum())


def make_array(count):
    import numpy

    return numpy.arange(count, dtype=numpy.float64)


def is_writable(array):
    return array.flags.writeable


def keep(value):
    _kept.append(value)


def keep_copy(value):
    _kept.append(bytes(value))
    return len(_kept)


def raise_value_error(text):
    raise ValueError(text)


class Unpicklable(Exception):
    def __init__(self, one, two):
        super().__init__("cannot travel")
        self.lock = one
        self.two = two


def raise_unpicklable(_):
    import threading

    raise Unpicklable(threading.Lock(), 2)


def raise_odd_text(_):
    class Odd(Exception):
        def __str__(self):
            raise RuntimeError("no text")

    raise Odd


def raise_system_exit(_):
    sys.exit(3)


def answer_unpicklable(_):
    return lambda: None


def recurse(depth):
    return 0 if depth == 0 else 1 + recurse(depth - 1)


def exit_at_once(code):
    os._exit(code)


def abort(_):
    os.abort()


def say(text):
    print(text)


def say_and_log(text):
    import logging

    logging.getLogger("tests.handler").warning("logged %s", text)
    print("printed", text)
    print("to stderr", text, file=sys.stderr)


def say_much(count):
    for i in range(count):
        print("line", i)


def state_of(key):
    from quarry import worker

    return worker.state(key)


def until_asked_to_stop(_):
    from quarry import worker

    end = time.monotonic() + 60
    while time.monotonic() < end:
        if worker.stop_requested():
            raise worker.Cancelled("heeded")
        time.sleep(0.001)
    return "never asked"


def modules(_):
    return sorted(sys.modules)


def import_it(name):
    __import__(name)
    return name


def main_module(_):
    return getattr(sys.modules["__main__"], "__file__", None), hasattr(sys.modules["__main__"], "seen_by_tests")


def append_to(path_and_text):
    path, text = path_and_text
    with open(path, "a") as file:
        file.write(text)


def append_slowly(path_and_text):
    time.sleep(0.003)
    append_to(path_and_text)


def die_the_first_time(path):
    if not os.path.exists(path):
        with open(path, "w") as file:
            file.write("died")
        os._exit(9)
    return "second time"


def executable(_):
    return sys.executable


def say_as_streams_allow(text):
    """What programs do with standard output beyond print."""
    sys.stdout.reconfigure(line_buffering=True)
    sys.stdout.buffer.write(text.encode() + b"\n")
    sys.stderr.writelines([text, " again\n"])
    return isinstance(sys.stdout, io.TextIOBase), sys.stdout.isatty(), sys.stdout.writable(), sys.stdout.readable()


def with_an_engine(value):
    import quarry

    with quarry.Engine("handlers_for_tests", workers=1, heartbeat=30.0) as engine:
        return engine.run("square", value)
