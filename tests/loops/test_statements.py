"""Each kind of statement, lowered; and what the pass may rely on to fuse, checked by running."""

from __future__ import annotations

import inspect
import re
import textwrap
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import s2sad
from s2sad import pipeline
from s2sad.backend.emit import emit
from s2sad.backend.load import load
from s2sad.ir.nodes import Function, Op, Store
from s2sad.ir.rewrite import walk
from s2sad.ir.verify import verify
from s2sad.loops import lower, lower_to_loops
from s2sad.runtime import helpers
from s2sad.structure import describe
from tests.ir.reader import read
from tests.loops.cases import cases, lowered

CASES = cases()


@pytest.mark.parametrize("title", CASES)
def test_a_statement(title: str) -> None:
    before, after = CASES[title]
    assert lowered(before, title) == after


def test_the_example_of_the_pass() -> None:
    doc = inspect.getdoc(lower) or ""
    before, after = (
        textwrap.dedent(re.search(rf"^{word}::\n\n((?:    .*\n|\n)+)", doc, re.MULTILINE)[1]).strip()  # type: ignore[index]
        for word in ("Before", "After")
    )
    assert lowered(before, "") == after


def run(function: Function, *args: Any) -> Any:
    """Call a function of the IR."""
    return load(emit([function]), function.name)(*args)


def derived(fn: Callable[..., Any], *args: Any) -> Function:
    """The derivative IR of a function."""
    return pipeline.compile_variant(fn, "grad", (0,), tuple(map(describe, args))).ir


OVERLAPS = """
def f(u: float64[1]#1):
    s = make_slice({0}, None, None)
    r = make_slice(None, {1}, None)
    w: float64[1] = u[r]
    v: float64[1] = w + {2}
    u[s] = v
    u[r] += w
    return u
"""


@pytest.mark.parametrize("size", [0, 1, 2, 5])
@pytest.mark.parametrize("constant", ["0.0", "1.0"])
def test_overlapping_stores(size: int, constant: str) -> None:
    function = read(OVERLAPS.format(1, -1, constant))
    u = np.arange(float(size))
    expected = run(function, u.copy())
    np.testing.assert_array_equal(run(verify(lower_to_loops(function)), u.copy()), expected)


def stencil(u, n):
    for _ in range(n):
        u[1:-1, 1:-1] = 0.25 * (u[2:, 1:-1] + u[:-2, 1:-1] + u[1:-1, 2:] + u[1:-1, :-2])
    return np.sum(u * u)


@pytest.mark.parametrize("shape", [(0, 4), (1, 1), (1, 5), (2, 3), (3, 3), (6, 4)])
def test_a_stencil_on_grids_of_any_size(shape: tuple[int, int]) -> None:
    u = np.random.default_rng(0).normal(size=shape)
    function = derived(stencil, u, 3)
    new = verify(lower_to_loops(function))
    np.testing.assert_allclose(run(new, u.copy(), 3), run(function, u.copy(), 3), rtol=1e-13, atol=1e-15)


def weighted_stencil(u, h, n):
    for _ in range(n):
        v = u.copy()
        u[1:-1, 1:-1] = ((v[2:, 1:-1] + v[:-2, 1:-1]) * h + (v[1:-1, 2:] + v[1:-1, :-2]) * h**2) / (4.0 * h)
    return np.sum(u * u)


def laplacians(u, n):
    for _ in range(n):
        v = u.copy()
        down = 0.125 * (v[2:, 1:-1] - 2.0 * v[1:-1, 1:-1] + v[:-2, 1:-1])
        u[1:-1, 1:-1] = down + 0.125 * (v[1:-1, 2:] - 2.0 * v[1:-1, 1:-1] + v[1:-1, :-2]) + v[1:-1, 1:-1]
    return np.sum(u * u)


@pytest.mark.parametrize(("f", "args"), [(weighted_stencil, (0.3, 3)), (laplacians, (3,))], ids=["weighted", "second"])
@pytest.mark.parametrize("shape", [(0, 4), (1, 5), (2, 3), (3, 3), (6, 4)])
def test_what_a_stencil_adds_is_gathered(f: Callable[..., Any], args: tuple[Any, ...], shape: tuple[int, int]) -> None:
    u = np.random.default_rng(0).normal(size=shape)
    function = derived(f, u, *args)
    new = verify(lower_to_loops(function, equal_lengths=True))
    if min(shape) > 1:
        found, expected = run(new, u.copy(), *args), run(function, u.copy(), *args)
        np.testing.assert_allclose(found, expected, rtol=1e-13, atol=1e-15)
    margins = [s for s in walk(new) if isinstance(s, Op) and s.fn is np.zeros]
    adding = [s for s in walk(new) if isinstance(s, Store) and s.aug == "+"]
    assert margins and len(adding) < 8  # and not one for each neighbour


def affine(x, y):
    return np.sum((x + y) * x)


def test_lengths_taken_to_be_equal() -> None:
    x, row, column = np.ones((3, 4)), np.ones((1, 4)), np.ones((3, 4))
    function = derived(affine, x, row)
    loops, fast = lower_to_loops(function), lower_to_loops(function, equal_lengths=True)
    np.testing.assert_allclose(run(loops, x, row), run(function, x, row))
    np.testing.assert_allclose(run(fast, x, column), run(function, x, column))
    with pytest.raises(ValueError, match="taken to be equal"):
        run(fast, x, row)


def test_what_numpy_refuses_is_refused() -> None:
    x, y = np.ones((3, 4)), np.ones((2, 4))
    function = derived(affine, x, y)
    for equal in (False, True):
        with pytest.raises(ValueError):
            run(lower_to_loops(function, equal), x, y)


def special(x, y):
    return np.sum(np.maximum(x, y) * np.where(x > 0.0, np.sqrt(x), y / x))


def test_nan_and_infinity() -> None:
    x = np.array([np.nan, np.inf, -np.inf, 0.0, -0.0, 1.0])
    y = np.array([1.0, -np.inf, np.nan, 0.0, 2.0, np.inf])
    with np.errstate(all="ignore"):
        function = derived(special, x, y)
        np.testing.assert_array_equal(run(lower_to_loops(function), x, y), run(function, x, y))


def single(x, c):
    return np.sum(c * np.exp(-x) / 3.0)


def test_single_precision_stays() -> None:
    x = np.linspace(0.0, 1.0, 7, dtype=np.float32)
    function = derived(single, x, 0.1)
    found = run(lower_to_loops(function), x, 0.1)
    assert found.dtype == np.float32
    np.testing.assert_allclose(found, run(function, x, 0.1), rtol=1e-6)


def mixed(x, y):
    wide = np.zeros(x.shape)
    wide[:] = x * y + np.maximum(x, y)
    narrow = np.empty_like(x)
    narrow[...] = wide / 3.0
    return narrow * 7.0, wide * x


def test_single_precision_that_meets_double(tmp_path: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    """As in NumPy, to the bit: it becomes double, and is rounded where it is stored."""
    pytest.importorskip("numba")
    monkeypatch.setenv("S2SAD_CACHE_DIR", str(tmp_path))
    x, y = np.linspace(0.1, 1.0, 7, dtype=np.float32), np.linspace(1.0, 0.3, 7)
    for found, expected in zip(s2sad.jvp(mixed, (x, y), (x, y), backend="numba")[0], mixed(x, y), strict=True):
        np.testing.assert_array_equal(found, expected)
        assert found.dtype == expected.dtype
    total = s2sad.grad(lambda x, y: np.sum(mixed(x, y)[0]), wrt=(0, 1), backend="numba")
    assert [g.dtype for g in total(x, y)] == [x.dtype, y.dtype]


def largest(x, c):
    return np.sum(np.max(x, axis=1) * c) + np.max(x) + np.sum(np.min(x * x, axis=0, keepdims=True))


@pytest.mark.parametrize("operator", ["grad", "jvp"])
def test_extrema_of_single_precision_become_loops(operator: str) -> None:
    x, c = np.float32([[1.0, 3.0, 3.0], [2.0, -1.0, 0.5]]), np.float32([2.0, 3.0])
    args = (x, c) if operator == "grad" else (x, c, np.float32([[1.0, 2.0, 5.0], [3.0, 4.0, 7.0]]))
    function = pipeline.compile_variant(largest, operator, (0,), tuple(map(describe, (x, c)))).ir
    found = lower_to_loops(function)
    calls = {s.fn for s in walk(found.body) if isinstance(s, Op)}
    assert not calls & {helpers.tied_share, helpers.tied_mean}
    for ours, theirs in zip(np.atleast_1d(run(found, *args)), np.atleast_1d(run(function, *args)), strict=True):
        assert ours.dtype == theirs.dtype == np.float32
        np.testing.assert_allclose(ours, theirs, rtol=1e-6)


def beside_and_below(x):
    beside = np.hstack((x, 2.0 * x, x[:, :1] * x))
    below = np.vstack((x * x, x[:1]))
    line = np.hstack((x[0], x[:, 1]))
    return np.sum(beside**2) + np.sum(below**3) + np.sum(np.sin(line)) + np.sum(np.vstack((x[0], x[1])))


def test_what_is_put_beside_and_below_becomes_loops() -> None:
    x = np.linspace(-1.0, 1.0, 12).reshape(3, 4)
    function = derived(beside_and_below, x)
    found = lower_to_loops(function)
    calls = [s.fn for s in walk(found.body) if isinstance(s, Op)]
    assert np.hstack not in calls and np.concatenate not in calls
    np.testing.assert_allclose(run(found, x), run(function, x), rtol=1e-13)


def test_a_compiled_derivative_that_broadcasts(tmp_path: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    pytest.importorskip("numba")
    monkeypatch.setenv("S2SAD_CACHE_DIR", str(tmp_path))
    x = np.arange(12.0).reshape(3, 4)
    g = s2sad.grad(affine, wrt=(0, 1), backend="numba")
    for y in (2.0 * x, x[:1] + 1.0, x[:, :1] + 1.0):
        for ours, theirs in zip(g(x, y), s2sad.grad(affine, wrt=(0, 1))(x, y), strict=True):
            np.testing.assert_allclose(ours, theirs, rtol=1e-13)


def appended(x, n):
    parts = []
    for k in range(n):
        parts.append(x[k] * 2.0)
    y = x * x
    return np.sum(y) + sum(parts) + len(parts)


def test_lists_are_read_when_they_are_full() -> None:
    x = np.arange(1.0, 4.0)
    function = derived(appended, x, 3)
    np.testing.assert_allclose(run(lower_to_loops(function), x, 3), run(function, x, 3), rtol=1e-15)


def shifted_by_itself(x):
    return np.sum(x[1:] * x) if len(x) == 1 else np.sum(x[1:] * x[:-1])


@pytest.mark.parametrize("size", [1, 2, 5])
def test_checks_stay_in_their_branch(size: int) -> None:
    x = np.arange(1.0, size + 1.0)
    function = derived(shifted_by_itself, x)
    try:
        found = run(lower_to_loops(function, equal_lengths=True), x)
    except ValueError:
        assert size == 1  # no items times one item, which is broadcast
    else:
        np.testing.assert_allclose(found, run(function, x), rtol=1e-15)


@pytest.mark.parametrize("axes", [(0, 5), (0, 0), (-5, 0)])
def test_axes_that_are_not_there_raise(axes: tuple[int, int]) -> None:
    pytest.importorskip("numba")

    def f(x):
        return np.sum(np.expand_dims(np.sum(x, axis=0), axis=axes) * x)

    with pytest.raises(Exception, match=r"axis|axes|compiled"):
        s2sad.grad(f, backend="numba")(np.ones((3, 2)))
