"""Arrays that each iteration fills before it reads them are made in the loop."""

from __future__ import annotations

import inspect
import re
import textwrap

import numpy as np
import pytest

from s2sad import grad
from s2sad.ir.printer import show
from s2sad.ir.verify import verify
from s2sad.transform import scratch
from tests.compiled.corpus import PROGRAMS
from tests.ir.reader import read


def example(word: str) -> str:
    """A block of the docstring of the pass."""
    m = re.search(rf"^{word}.*::\n\n((?:    .*\n|\n)+)", inspect.getdoc(scratch) or "", re.MULTILINE)
    assert m
    return textwrap.dedent(m[1]).strip()


def test_the_example_in_the_docstring() -> None:
    assert show(verify(scratch.own_scratch(read(example("Before"))))) == example("After")


@pytest.mark.parametrize(
    ("name", "moved"),
    [
        ("filled_in_each_iteration", True),
        ("filled_for_some_numbers", False),
        ("filled_after_it_is_read", False),
        ("filled_where_positive", False),
        ("kept_from_the_last", False),
        ("scratch_seen_later", False),
    ],
)
def test_which_arrays_are_made_in_the_loop(name: str, moved: bool) -> None:
    p = PROGRAMS[name]
    text = grad(p.function, wrt=p.wrt).source_for(*p.args)
    made = re.search(r"^    (    )?terms = np\.\w+\(3\)$", text, re.MULTILINE)
    assert made is not None
    assert (made[1] is not None) == moved


#: An array, and a loop that has to do with it.
IR = """
def f(x: float64[1]#1, n: int, m: int):
    a: float64[1] = np.zeros(m)
    for i in range(0, n) carrying (total: float = 0.0):
        {first}
        for j in range({start}, m):
            {inner}
        s: float = np.sum(a)
        u: float = total + s
        next u
    -> t
    return {result}
"""


@pytest.mark.parametrize(
    ("first", "start", "inner", "result", "moved"),
    [
        ("pass", 0, "a[j] = 1.0", "t", True),
        ("pass", 0, "a[j] += 1.0", "t", False),
        ("pass", 0, "a[i] = 1.0", "t", False),
        ("pass", 1, "a[j] = 1.0", "t", False),
        ("a[0] = 1.0", 1, "a[j] = 1.0", "t", True),
        ("a[1] = 1.0", 1, "a[j] = 1.0", "t", False),
        ("a[i] = 1.0", 1, "a[j] = 1.0", "t", False),
        ("v: float = a[0]", 0, "a[j] = 1.0", "t", False),
        ("a[...] = x", 0, "a[j] += 1.0", "t", True),
        ("a[...] = x", 0, "a[j] += 1.0", "a", False),
        ("pass", 0, "k: float = a[j] | a[j] = k", "t", False),
        ("pass", 0, "a[j] = 1.0 | k: float = a[j] | a[j] = k", "t", True),
        ("a[0] = 1.0", 1, "p: int = j - 1 | k: float = a[p] | a[j] = k", "t", True),
        ("a[0] = 1.0", 1, "p: int = j - 2 | k: float = a[p] | a[j] = k", "t", False),
        ("a[0] = 1.0", 1, "p: int = j + 1 | k: float = a[p] | a[j] = k", "t", False),
        ("pass", 0, "p: int = j - 1 | k: float = a[p] | a[j] = k", "t", False),
        ("pass", 0, "a[j] = 1.0 | p: int = j + 1 | k: float = a[p] | x[j] = k", "t", False),
    ],
)
def test_what_must_be_stored_before(first: str, start: int, inner: str, result: str, moved: bool) -> None:
    lines = IR.format(first=first, start=start, inner=inner.replace(" | ", "\n            "), result=result)
    function = read("\n".join(line for line in lines.strip().splitlines() if line.strip() != "pass"))
    text = show(verify(scratch.own_scratch(function)))
    assert ("        a = np.empty(m)" in text) == moved, text


def test_what_is_moved_keeps_its_dtype() -> None:
    def f(x):
        rounded = np.zeros(2, dtype=np.float32)
        total = 0.0
        for i in range(len(x)):
            rounded[:] = x[i]
            total += float(rounded[0]) * x[i]
        return total

    x = np.array([0.1, 0.7])
    expected = [float(np.float32(v)) + v for v in x]
    np.testing.assert_allclose(grad(f)(x), expected, rtol=1e-6)


def advected(u, n):
    """A copy in an array that is made once, of which arithmetic is done."""
    old = np.empty_like(u)
    for _ in range(n):
        old[:] = u.copy()
        u[1:-1] = old[1:-1] - old[1:-1] * 0.1 * (old[1:-1] - old[:-2])
    return np.sum(u**2)


def filled_by_a_loop(u, n):
    """Its items are stored one after the other, as many as another array has."""
    old = np.zeros_like(u)
    for _ in range(n):
        for i in range(len(u)):
            old[i] = u[i] * 1.5
        u[1:] = np.sin(old[:-1]) * old[1:]
    return np.sum(u**2)


def filled_in_part(u, n):
    """Some items are those of the iteration before."""
    old = np.zeros_like(u)
    for _ in range(n):
        for i in range(len(u) - 1):
            old[i] = u[i] * 1.5
        u[1:] = np.sin(old[:-1]) * old[1:]
        old[-1] += u[0] * u[1]
    return np.sum(u**2)


def longer_than_what_it_is_like(u, n):
    """The rest keeps its zeros."""
    old = np.zeros_like(u, shape=(6,))
    total = 0.0
    for _ in range(n):
        for i in range(len(u)):
            old[i] = u[i] * 1.5
        total += np.sum(old**2) * u[0]
    return total


def test_an_array_of_a_shape_of_its_own_stays_filled() -> None:
    u = np.array([0.4, 0.7, -0.2, 0.9])
    assert "np.zeros_like(u, shape=" in grad(longer_than_what_it_is_like).source_for(u, 3)


@pytest.mark.parametrize(("f", "moved"), [(advected, True), (filled_by_a_loop, True), (filled_in_part, False)])
def test_arrays_like_another(f, moved: bool) -> None:
    u = np.array([0.4, 0.7, -0.2, 0.9])
    derivative = grad(f)
    assert bool(re.search(r"^        old = np\.empty_like\(u\)$", derivative.source_for(u, 3), re.MULTILINE)) == moved
    expected = [(f(u + 1e-6 * d, 3) - f(u - 1e-6 * d, 3)) / 2e-6 for d in np.eye(4)]
    np.testing.assert_allclose(derivative(u, 3), expected, rtol=1e-7)


def test_arithmetic_on_what_an_iteration_makes_and_fills_is_repeated() -> None:
    pytest.importorskip("numba")
    source = grad(advected, backend="numba").source_for(np.ones(4), 3)
    assert set(re.findall(r"\w*_tape\w*", source)) == {"old_tape"}
