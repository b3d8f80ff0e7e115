"""Edits as bytes."""

import struct

import pytest
from quarry import edit_log, edits, terrain


def _some():
    return [
        edits.Edit("dig", at=(1.5, -2.25, 1e6), radius=2.5, stroke=1),
        edits.Edit("add", shape="capsule", extent=(1, 2, 3), strength=0.5, stroke=2, editor=7),
        edits.Edit("flatten", normal=(0, 0, 1), falloff=0.25, stroke=3),
        edits.Edit("raise", amount=-1.5, stroke=0xFFFF_FFFF),
        edits.Edit("paint", material=3, shape="box", extent=(4, 5, 6)),
        edits.Edit("undo", stroke=2, editor=7),
    ]


def _log(some):
    log = edit_log.EditLog()
    for each in some:
        log.append(each)
    return log


def test_edits_come_back_as_they_were():
    some = _some()
    data = _log(some).to_bytes()
    again = edit_log.EditLog(data)
    assert list(again) == some and len(again) == len(some) and again.to_bytes() == data
    assert edit_log.EditLog().to_bytes() == b"" and list(edit_log.EditLog(b"")) == []


def test_edits_out_of_a_log_give_the_same_world():
    ball = terrain.Field.from_json({"field": {"type": "sphere", "centre": [16, 16, 16], "radius": 10}})
    # Numbers that a float cannot hold exactly: the engine rounds them as the log does.
    some = [edits.Edit("dig", at=(16.1, 25.7, 16.3), radius=3.3, strength=0.7, falloff=0.1, stroke=each) for each in range(5)]
    one, other = edits.EditWorld(ball), edits.EditWorld(ball)
    for each in some:
        one.apply(each)
    for each in edit_log.EditLog(_log(some).to_bytes()):
        other.apply(each)
    assert one.content_hash == other.content_hash != edits.EditWorld(ball).content_hash


def test_damage_anywhere_is_noticed():
    data = _log(_some()).to_bytes()
    for place in range(len(data)):
        with pytest.raises(ValueError):
            edit_log.EditLog(data[:place] + bytes([data[place] ^ 0x10]) + data[place + 1 :])
    for length in range(1, len(data)):
        with pytest.raises(ValueError, match="damaged"):
            edit_log.EditLog(data[:length])


def test_a_newer_version_is_named():
    data = bytearray(_log(_some()).to_bytes())
    struct.pack_into("<H", data, 4, 2)
    with pytest.raises(ValueError, match="newer version"):
        edit_log.EditLog(bytes(data))


def test_a_full_log_takes_no_more(monkeypatch):
    monkeypatch.setattr(edit_log, "MOST_EDITS", 3)
    log = _log(_some()[:3])
    with pytest.raises(OverflowError, match="3 edits"):
        log.append(_some()[3])
    assert len(log) == 3 and len(edit_log.EditLog(log.to_bytes())) == 3
