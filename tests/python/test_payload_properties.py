"""Round trips of values that nobody thought of."""

import math

import pytest

hypothesis = pytest.importorskip("hypothesis")
from hypothesis import HealthCheck, given, settings  # noqa: E402
from hypothesis import strategies as some  # noqa: E402

_values = some.recursive(
    some.none() | some.booleans() | some.integers() | some.floats(allow_nan=False) | some.text() | some.binary(),
    lambda inner: some.lists(inner, max_size=5) | some.dictionaries(some.text(max_size=5), inner, max_size=5),
    max_leaves=20,
)
_quickly = settings(
    max_examples=60, deadline=None, database=None, suppress_health_check=[HealthCheck.function_scoped_fixture, HealthCheck.too_slow]
)


@_quickly
@given(_values)
def test_values_come_back(shared_engine, value):
    assert shared_engine.run("echo", value, timeout=60) == value


@_quickly
@given(some.lists(some.binary(max_size=300), max_size=20))
def test_many_bytes_come_back(shared_engine, payloads):
    ids = shared_engine.submit_many("echo", payloads)
    assert shared_engine.wait(ids, 60)
    values = {each.id: each.value for each in shared_engine.poll()}
    assert [bytes(values[id]) for id in ids] == payloads


@_quickly
@given(some.floats())
def test_floats_come_back_to_the_bit(shared_engine, value):
    came = shared_engine.run("echo", value, timeout=60)
    assert math.isnan(came) if math.isnan(value) else math.copysign(1, came) == math.copysign(1, value) and came == value
