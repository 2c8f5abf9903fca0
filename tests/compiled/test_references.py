"""What functions count references to: memory that is let go of once nobody has it, and no sooner."""

from __future__ import annotations

import gc
import re
import sys
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

from s2sad import grad, jacobian

numba = pytest.importorskip("numba")

from numba import float64, njit, prange, types  # noqa: E402
from numba.core.runtime import _nrt_python, rtsys  # noqa: E402
from numba.experimental import jitclass  # noqa: E402

from s2sad.compiled import references  # noqa: E402
from s2sad.compiled.machine import DerivativeCompiler  # noqa: E402
from s2sad.compiled.sites import Sites  # noqa: E402


def compiled(function: Callable[..., Any], **options: Any) -> Any:
    return njit(pipeline_class=DerivativeCompiler, error_model="numpy", **options)(function)


def keeps_nothing(function: Callable[..., Any], *signature: Any) -> bool:
    dispatcher = compiled(function)
    dispatcher.compile(signature)
    told = dispatcher.overloads[signature].type_annotation
    return references.keeps_nothing(Sites(told.blocks, told.typemap, told.calltypes), signature)


@pytest.fixture
def allocations() -> Any:
    """How much memory Numba holds, asked as often as one likes."""
    was = _nrt_python.memsys_stats_enabled()
    _nrt_python.memsys_enable_stats()

    def held() -> int:
        gc.collect()
        stats = rtsys.get_allocation_stats()
        return int(stats.mi_alloc - stats.mi_free)

    yield held
    if not was:
        _nrt_python.memsys_disable_stats()


# ---------------------------------------------------------------- functions that keep nothing


def summed(x):
    total = 0.0
    for row in [x[:2], x[1:], x]:
        total += row[0]
    return total


def both(x):
    y, z = np.empty(2), np.zeros(2)
    y[0], y[1] = x[0], x[1]
    return y, (z, x[0])


def handed_back(x):
    rows = []
    for k in range(3):
        row = np.empty(k + 1)
        row[k] = x[k]
        rows.append(row)
    total = np.zeros(3)
    while rows:
        row = rows.pop()
        total[len(row) - 1] = row[-1]
        last = row
    return total, last[0]


def as_lists(x):
    rows = []
    for k in range(3):
        rows.append(list(x[k:]))
    return rows[0], 1.0


def either(x):
    y = np.zeros(3)
    if x[0] > 0.0:
        y = np.ones(3)
    return y


KEEPING_NOTHING = [summed, both, handed_back, as_lists, either]

# ---------------------------------------------------------------- functions that give, keep or raise an argument


def itself(x):
    return x


def part(x):
    return x[1:]


def in_pair(x):
    return np.zeros(2), x[1:]


def nested(x):
    return 1.0, (np.zeros(2), (x.T, 2.0))


def at_times(x):
    y = np.zeros(3)
    if x[0] > 0.0:
        y = x
    return y


def by_list(x):
    rows = [np.zeros(3), x]
    return rows[1]


def in_list(x):
    return [np.zeros(3), x]


def reshaped(x):
    return np.reshape(x, (3, 1))


def raised(x):
    if x[0] > 100.0:
        raise ValueError(x)
    return 0.0


KEEPING = [itself, part, in_pair, nested, at_times, by_list, in_list, reshaped, raised]


@pytest.mark.parametrize("function", KEEPING_NOTHING)
def test_functions_that_keep_nothing_of_an_argument_are_known(function):
    assert keeps_nothing(function, float64[::1])


@pytest.mark.parametrize("function", KEEPING)
def test_functions_that_give_keep_or_raise_an_argument_are_not_taken_for_such(function):
    assert not keeps_nothing(function, float64[::1])


def test_arguments_that_hold_other_memory_are_not_looked_into():
    def put(rows, x):
        rows[0] = x
        return 0.0

    def named(text, x):
        return x[0] if text == "a" else 0.0

    x = float64[::1]
    assert not keeps_nothing(put, types.ListType(x), x)
    assert not keeps_nothing(named, types.unicode_type, x)
    assert keeps_nothing(lambda pair: pair[0][0] + pair[1], types.Tuple((x, float64)))


@pytest.mark.parametrize("function", KEEPING_NOTHING + KEEPING)
def test_memory_is_let_go_of_once_nobody_has_it(function, allocations):
    run = compiled(function)
    x = np.array([1.0, 2.0, 3.0])
    run(x)
    known, counted = allocations(), sys.getrefcount(x)
    for _ in range(10):
        found = run(x.copy())  # the argument goes as soon as it was passed
        np.full(3, np.nan)  # and something else may take its place
        wanted = function(x)
        assert repr(found) == re.sub(r"np\.float64\((.*?)\)", r"\1", repr(wanted))
    del found, wanted
    assert sys.getrefcount(x) <= counted
    assert allocations() == known


def test_called_by_compiled_functions_that_let_go_of_what_they_pass(allocations):
    inner, outer_part = compiled(handed_back), compiled(part)

    @njit
    def run(n):
        total = 0.0
        for k in range(n):
            given = np.full(3, float(k))
            found, last = inner(given)
            rest = outer_part(given)
            given = np.zeros(3)
            total += found[2] + last + rest[0]
        return total

    assert run(4) == 18.0
    known = allocations()
    assert run(10) == 135.0
    assert allocations() == known


def test_objects_hold_what_they_are_given(allocations):
    @jitclass([("x", float64[::1])])
    class Box:
        def __init__(self, x):
            self.x = x

    def kept(box, x):
        box.x = x[1:]
        return 0.0

    run = compiled(kept)
    box = Box(np.zeros(2))
    run(box, np.array([1.0, 2.0, 3.0]))
    gc.collect()
    np.full(3, np.nan)
    assert list(box.x) == [2.0, 3.0]


def test_threads_that_share_an_argument(allocations):
    slope = grad(lambda x: np.sum(np.sin(x) * x[0]), backend="numba")
    rows = jacobian(lambda x: np.array([x[0] * x[1], x[1] / x[2]]), backend="numba")

    @njit(parallel=True)
    def run(x, n):
        out = np.zeros(n)
        for k in prange(n):
            total = 0.0
            for _ in range(200):
                total += slope(x)[1] + rows(x)[1, 2]
            out[k] = total
        return out

    x = np.array([0.5, -1.25, 2.0])
    wanted = 200 * (np.cos(x[1]) * x[0] - x[1] / x[2] ** 2)
    np.testing.assert_allclose(run(x, 64), wanted)
    known, counted = allocations(), sys.getrefcount(x)
    np.testing.assert_allclose(run(x, 64), wanted)
    assert allocations() == known
    assert sys.getrefcount(x) == counted
