"""Loops that are only done where what they add is not a product with zero."""

from __future__ import annotations

import copy
import re
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

from s2sad import grad, hessian, value_and_grad, vjp
from s2sad.optimise.zeros import skip_zeros
from tests.compiled.corpus import PROGRAMS
from tests.ir.reader import read
from tests.ir_interpreter import interpret
from tests.optimise.test_docstrings import of_adjoints

nearest, beyond_the_margin = PROGRAMS["nearest"].function, PROGRAMS["beyond_the_margin"].function
(C, X), (w, X, y) = PROGRAMS["nearest"].args, PROGRAMS["beyond_the_margin"].args


def guarded(text: str) -> int:
    """How many loops of a text come first in a branch, but for numbers that they need."""
    return len(re.findall(r"if .*:\n(?: +(?:#|\w+ = ).*\n)* +for .*:", text))


@pytest.mark.parametrize("f, args", [(nearest, (C, X)), (beyond_the_margin, (w, X, y))])
def test_loops_go_into_the_branch(f: Callable[..., Any], args: tuple[Any, ...]) -> None:
    assert guarded(grad(f).source_for(*args)) == 1


def test_dtypes_stay() -> None:
    for f, args in ((nearest, (C, X)), (beyond_the_margin, (w, X, y))):
        single = tuple(a.astype(np.float32) for a in args)
        found, expected = grad(f)(*single), grad(f)(*args)
        assert found.dtype == np.float32
        np.testing.assert_allclose(found, expected, rtol=1e-4, atol=1e-4)


def test_what_was_recorded_in_the_loop_is_taken_all_the_same() -> None:
    p = PROGRAMS["recorded_in_the_loop"]
    assert guarded(grad(p.function).source_for(*p.args)) == 0


def test_what_does_not_matter_may_be_infinite() -> None:
    far = C.copy()
    far[1, 0] = np.inf
    value, slope = value_and_grad(nearest)(far, X)
    assert np.isfinite(value)
    assert np.all(np.isfinite(slope))
    assert np.all(slope[1] == 0.0)


def test_products_with_numbers_that_are_zero_are_done() -> None:
    """Those are the program's own: zero times infinity is NaN there, and so is the derivative."""

    def f(b: Any, x: Any, near: bool) -> Any:
        scale = b if near else 0.0
        total = 0.0
        for j in range(len(x)):
            total += scale * x[j] * x[j]
        return total

    x = np.array([1.0, np.inf])
    assert guarded(grad(f).source_for(2.0, x, False)) == 0
    with np.errstate(invalid="ignore"):
        assert np.isnan(f(2.0, x, False))
        assert np.isnan(grad(f, wrt=1)(2.0, x, False)[1])


def test_again() -> None:
    H = hessian(beyond_the_margin)(w, X, y)
    g = grad(beyond_the_margin)
    moved = [g(w + 1e-6 * d, X, y) - g(w - 1e-6 * d, X, y) for d in np.eye(3)]
    np.testing.assert_allclose(H, np.array(moved) / 2e-6, rtol=1e-6, atol=1e-8)


#: An adjoint that is zero on one side of a branch.
BRANCH = """def f(near: bool, b: float, x: float64[1]#1, bx: float64[1]#1, n: int):
    if near:
        give b
    else:
        give 0.0
    -> bd
"""


def test_what_is_computed_into_an_array_is_an_effect() -> None:
    f = of_adjoints(read(BRANCH + """    for j in range(0, n):
        u = np.multiply(x, x, out=bx)
        v = bd * 2.0
        bx[j] += v
    return bx"""))
    assert skip_zeros(f) is f


def normalised(v: Any) -> Any:
    s = 0.0
    for x in v:
        s = s + x * x
    if s > 1e-9:
        return v / s**0.5
    raise ValueError("zero")


def test_what_the_loop_adds_to_may_be_made_after_the_branch() -> None:
    """Where the two branches were made one, the loop added to a copy of its own, which nobody read."""
    v, w = np.array([0.3, 0.5, 0.7]), np.array([1.0, -2.0, 0.4])
    n = np.sqrt(v @ v)
    for backend in ("python", "numba"):
        np.testing.assert_allclose(vjp(normalised, v, backend=backend)[1](w)[0], w / n - v * (v @ w) / n**3, rtol=1e-12)


def test_what_needs_the_branch_and_is_no_number_stays_before_the_loop() -> None:
    f = of_adjoints(read(BRANCH + """    y = bx * bd
    for j in range(0, n):
        t = x[j]
        u = bd * t
        bx[j] += u
    z = bx + y
    return z"""))
    for near in (True, False):
        args = near, 3.0, np.array([1.0, 2.0]), np.array([5.0, 7.0]), 2
        again = copy.deepcopy(args)
        np.testing.assert_array_equal(interpret(skip_zeros(f), *args), interpret(f, *again))
