"""A Godot that is too old is refused with a clear line: the library's entry is called as such a Godot would call it.

Usage: version_test.py ADDON_FOLDER
"""
import ctypes
import os
import pathlib
import re
import sys
import tempfile

FIND = ctypes.CFUNCTYPE(ctypes.c_void_p, ctypes.c_char_p)


class Version(ctypes.Structure):
    """GDExtensionGodotVersion"""
    _fields_ = [("major", ctypes.c_uint32), ("minor", ctypes.c_uint32), ("patch", ctypes.c_uint32), ("text", ctypes.c_char_p)]


def load(library, version, lacks_version=False):
    """What the entry returns for a Godot of that version that has no other function, and what it prints."""
    @ctypes.CFUNCTYPE(None, ctypes.POINTER(Version))
    def get_version(out):
        out.contents.major, out.contents.minor = version

    @FIND
    def find(name):
        return ctypes.cast(get_version, ctypes.c_void_p).value if name == b"get_godot_version" and not lacks_version else None

    initialization = (ctypes.c_byte * 256)()
    with tempfile.TemporaryFile() as errors:
        kept = os.dup(2)
        os.dup2(errors.fileno(), 2)
        try:
            result = library.quarry_godot_init(find, None, initialization)
            ctypes.CDLL(None).fflush(None)
        finally:
            os.dup2(kept, 2)
            os.close(kept)
        errors.seek(0)
        return result, errors.read().decode().strip()


def main():
    addon = pathlib.Path(sys.argv[1])
    library = ctypes.CDLL(str(addon / "bin" / "libquarry_godot.so"))
    library.quarry_godot_init.restype = ctypes.c_uint8
    library.quarry_godot_init.argtypes = [FIND, ctypes.c_void_p, ctypes.c_void_p]
    for old in [(4, 4), (4, 0), (3, 6)]:
        found = load(library, old)
        wanted = (0, f"Quarry needs Godot 4.5 or later; this is Godot {old[0]}.{old[1]}")
        assert found == wanted, f"Godot {old}: {found}, not {wanted}"
    # New enough, so what is missing is the next function.
    for new in [(4, 5), (4, 6), (5, 0)]:
        result, line = load(library, new)
        assert result == 0 and re.fullmatch("Quarry cannot be used with this Godot: it has no function [a-z_0-9]+", line), f"Godot {new}: {line}"
    result, line = load(library, (4, 6), lacks_version=True)
    assert result == 0 and "has no function" in line, f"without get_godot_version: {line}"
    settings = (addon / "quarry.gdextension").read_text()
    assert 'compatibility_minimum = "4.5"' in settings, "the editor is not told which Godot is needed"
    print("ok: a Godot before 4.5 is refused")


main()
