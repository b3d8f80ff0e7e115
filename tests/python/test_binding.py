"""The declarations of the C API."""

import ctypes
import os
import re
import shutil
import subprocess
import sys

import pytest

from quarry import _c, _native

TREE = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))


def test_declarations_are_those_of_the_header():
    subprocess.run([sys.executable, os.path.join(TREE, "scripts/bind-c-api"), "--check"], check=True)


def test_every_listed_function_is_bound():
    with open(os.path.join(TREE, "src/c/symbols.txt")) as file:
        listed = set(file.read().split())
    assert listed == set(_c.FUNCTIONS)
    for name in listed:
        assert getattr(_native.lib, name).argtypes is not None


@pytest.mark.skipif(shutil.which("cc") is None, reason="no C compiler here")
def test_structs_lie_in_memory_as_the_compiler_lays_them(tmp_path):
    structs = {name: each for name, each in vars(_c).items() if re.match("quarry_", name)}
    lines = ["#include <stdio.h>", "#include <stddef.h>", "#include <quarry/c.h>", "int main(void) {"]
    expected = []
    for name, each in structs.items():
        lines.append(f'printf("{name} %zu\\n", sizeof({name}));')
        expected.append(f"{name} {ctypes.sizeof(each)}")
        for field, _ in each._fields_:
            lines.append(f'printf("{name}.{field} %zu\\n", offsetof({name}, {field}));')
            expected.append(f"{name}.{field} {getattr(each, field).offset}")
    source = tmp_path / "layout.c"
    source.write_text("\n".join(lines + ["return 0; }"]))
    program = str(tmp_path / "layout")
    subprocess.run(["cc", "-I" + os.path.join(TREE, "include"), str(source), "-o", program], check=True)
    assert subprocess.run([program], check=True, capture_output=True, text=True).stdout.split("\n")[:-1] == expected


def test_a_library_of_another_version_is_refused():
    code = (
        "from quarry import _c\n_c.VERSION = 99\n"
        "try:\n    from quarry import _native\nexcept ImportError as error:\n    print(error)"
    )
    environment = dict(os.environ, PYTHONPATH=os.pathsep.join(sys.path))
    said = subprocess.run([sys.executable, "-c", code], env=environment, capture_output=True, text=True, check=True)
    assert "version 1 of the C API; this package needs 99" in said.stdout


def test_a_library_that_cannot_be_loaded_is_said(tmp_path):
    broken = tmp_path / "libquarry.so.1"
    broken.write_bytes(b"no library")
    code = "try:\n    from quarry import _native\nexcept ImportError as error:\n    print(error)"
    environment = dict(os.environ, PYTHONPATH=os.pathsep.join(sys.path), QUARRY_LIBRARY=str(broken))
    said = subprocess.run([sys.executable, "-c", code], env=environment, capture_output=True, text=True, check=True)
    assert said.stdout.startswith(f"the library of quarry cannot be loaded: {broken}")
