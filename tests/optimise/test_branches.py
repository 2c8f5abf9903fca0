"""Branches that are reversed where they have run, and those that are not."""

from __future__ import annotations

import math
from collections.abc import Callable

import pytest

from s2sad import grad, value_and_grad
from s2sad.ir.printer import show
from s2sad.ir.verify import verify
from s2sad.optimise.branches import join_branches
from tests.ir.reader import read
from tests.optimise.test_docstrings import last_reversing
from tests.texts import own_text


def returns_early(x: float, y: float) -> float:
    if x > 5.0:
        return x * y * y
    t = y * 0.1
    x = x + t
    if x > 4.0:
        return x * x * y
    x = x * t
    if x > 0.1:
        return x * math.sin(y)
    return x + y * 0.1


def goes_on(x: float, y: float) -> float:
    if x > 1.0:
        z = x * y
    else:
        z = math.sin(x) * y
    return z * z * y


def goes_on_for_itself(x: float, y: float) -> float:
    if x > 1.0:
        z = x * y
    else:
        z = math.sin(x) * y
    w = math.exp(y)
    return z + 2.0 * w


def raises(x: float, y: float) -> float:
    if x > 1.0:
        if y > 2.0:
            raise ValueError("too much")
        z = x * y
    else:
        z = x
    return z + 1.0 / (y - 3.0)


POINTS = [(6.0, 0.7), (4.1, 0.7), (1.5, 0.7), (0.2, 0.3), (-1.0, 0.4)]


@pytest.mark.parametrize(
    ("f", "times"), [(returns_early, 3), (goes_on, 2), (goes_on_for_itself, 1)], ids=lambda f: getattr(f, "__name__", f)
)
def test_how_often_conditions_are_asked(f: Callable[..., float], times: int) -> None:
    text = own_text(grad(f, wrt=(0, 1)).source, f"{f.__name__}_grad(")
    assert text.count("if ") == times


@pytest.mark.parametrize("f", [returns_early, goes_on, goes_on_for_itself, raises], ids=lambda f: f.__name__)
@pytest.mark.parametrize("point", POINTS)
def test_gradients(f: Callable[..., float], point: tuple[float, float]) -> None:
    value, gradient = value_and_grad(f, wrt=(0, 1))(*point)
    assert value == f(*point)
    h = 1e-6
    for k in (0, 1):
        up, down = ([p + d * (i == k) for i, p in enumerate(point)] for d in (h, -h))
        assert gradient[k] == pytest.approx((f(*up) - f(*down)) / (2 * h), rel=1e-7, abs=1e-8)


def test_the_error_is_that_of_the_function() -> None:
    with pytest.raises(ValueError, match="too much"):
        grad(raises, wrt=(0, 1))(2.0, 3.0)


IR = """
def f(c: bool, x: float, w: float, a: float64[1]):
    if c:
        {forward}
        y = math.sin(x)
        give y, x
    else:
        give x, w
    -> z, kept
    {between}
    if c:
        {reverse}
        d = {read} * kept
        give d
    else:
        give w
    -> bx
    r = (z, bx)
    return r
"""


@pytest.mark.parametrize(
    ("forward", "between", "reverse", "asked", "joins"),
    [
        ("pass", "pass", "pass", "w", True),
        ("pass", "b: float = w * 2.0", "pass", "b", True),
        ("pass", "b: float = z * 2.0", "pass", "b", False),
        ("pass", "b: float = z * 2.0", "pass", "w", True),
        ("pass", "b: float = z * 2.0\n    e: float = b + 1.0", "pass", "e", False),
        ("a[0] = x", "b: float = a[0]", "pass", "b", False),
        ("a[0] = x", "a[0] = w", "t: float = a[0]", "w", False),
        ("t: float = a[0]", "a[0] = w", "pass", "w", True),
        ("pass", "a[0] = z", "t: float = a[0]", "t", False),
        ("print(x)", "b: float = w * 2.0", "pass", "b", False),
        ("print(x)", "pass", "pass", "w", True),
        ("pass", "print(z)", "pass", "w", False),
    ],
)
def test_which_branches_are_joined(forward: str, between: str, reverse: str, asked: str, joins: bool) -> None:
    lines = IR.format(forward=forward, between=between, reverse=reverse, read=asked).strip().splitlines()
    function = last_reversing(read("\n".join(line for line in lines if line.strip() != "pass")))
    joined = show(verify(join_branches(function)))
    assert (joined.count("if c") == 1) == joins, joined


def of_any_kind(x, xs, ys):
    k = 0
    while k < len(xs) and xs[k] < x:
        k += 1
    if k == 0:
        return ys[0]
    if k == len(xs):
        return ys[-1] * ys[0]
    t = (x - xs[k - 1]) / (xs[k] - xs[k - 1])
    return (1 - t) * ys[k - 1] + t * ys[k]


def test_results_of_kinds_that_are_not_known() -> None:
    """What gives them their first adjoint, which asks what they are, is done where they are returned."""
    derivative = grad(of_any_kind, wrt=(0, 2))
    text = own_text(derivative.source, "of_any_kind_grad(")
    assert text.count("_unit_seed") == 3 and "None" not in text
    for x in (-1.0, 0.3, 1.7, 4.0):
        ys = [0.5, 2.0, -1.0]
        bx, bys = derivative(x, [0.0, 1.0, 2.0], ys)
        h = 1e-6
        f = lambda x, *ys: of_any_kind(x, [0.0, 1.0, 2.0], ys)
        for k, part in enumerate((bx, *bys)):
            up, down = ([v + d * (i == k) for i, v in enumerate((x, *ys))] for d in (h, -h))
            assert part == pytest.approx((f(*up) - f(*down)) / (2 * h), rel=1e-7, abs=1e-8)
