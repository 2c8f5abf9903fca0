"""Arguments of calls that the compiler treats itself: each is looked at, or the call is refused."""

from __future__ import annotations

import itertools
import math
import operator
import typing
from collections.abc import Callable

import numpy as np
import pytest

import s2sad

X = np.array([0.7, 1.3, 0.4, 1.1])


def accumulated_from(x):
    return sum(k * t for k, t in enumerate(itertools.accumulate(x, lambda a, b: 0.9 * a + b, initial=2.0)))


def accumulated_by_name(x):
    return sum(itertools.accumulate(x, func=operator.mul))


def nothing_accumulated(x):
    return x[0] + sum(itertools.accumulate([])) + sum(itertools.accumulate([], initial=x[1]))


def largest_of_nothing(x):
    return max([], default=x[0]) * max((t for t in x if t > 100.0), default=x[1]) + min((), default=2.0)


def largest_of_something(x):
    return max((t for t in x if t > 1.0), default=x[0]) * min(list(x), default=x[0])


def split_by_name(x):
    a, b = np.split(ary=x, indices_or_sections=2)
    c, d = np.split(np.outer(x, x), 2, axis=1)
    return a @ b + np.sum(c * d)


def array_by_name(x):
    return np.sum(np.array(object=x, ndmin=2) @ x) + np.asarray(a=x) @ x


def not_copied(x):
    y = x * 1.0
    z = y.astype(dtype=np.float64, copy=False)
    z *= 3.0
    return y @ x


def counted_in_tuple(x):
    t = (1, 2, 1, 3)
    return x[t.index(1, 1)] * t.count(1) + x[t.index(2)]


def equally_long(x):
    return sum(a * b for a, b in zip(x, x[::-1], strict=True))


def masked_copy(x):
    a = np.zeros(4)
    np.copyto(a, x * x, where=np.array([True, False, True, False]))
    return a @ x


def sorted_along(x):
    m = np.outer(x, np.array([3.0, 1.0, 2.0]))
    m.sort(axis=0)
    return np.sum(m * np.arange(12.0).reshape(4, 3))


@pytest.mark.parametrize(
    "f",
    [
        accumulated_from,
        accumulated_by_name,
        nothing_accumulated,
        largest_of_nothing,
        largest_of_something,
        split_by_name,
        array_by_name,
        not_copied,
        counted_in_tuple,
        equally_long,
        sorted_along,
        masked_copy,
    ],
)
def test_is_looked_at(f: Callable[..., float]) -> None:
    value, _ = s2sad.value_and_grad(f)(X)
    assert value == pytest.approx(f(X), rel=1e-14)
    s2sad.check_grads(f)(X)


def modulo(x):
    return x * pow(3, 5, 7)


def wrapped_diagonal(x):
    a = np.zeros((7, 2))
    np.fill_diagonal(a, x, True)
    return np.sum(a)


def laid_out_anew(x):
    return x * np.ones((2, 2)).astype(np.float64, order="F")[0, 0]


@pytest.mark.parametrize("f", [modulo, wrapped_diagonal, laid_out_anew])
def test_is_refused(f: Callable[..., float]) -> None:
    with pytest.raises(s2sad.UnsupportedSyntax, match="is not handled with these arguments"):
        s2sad.grad(f)(0.7)


def test_orders_by_layout_are_refused_backwards() -> None:
    def f(x):
        return np.ravel(np.asfortranarray(np.outer(x, x)), order="K") @ np.arange(16.0)

    with pytest.raises(s2sad.NotDifferentiable, match="order"):
        s2sad.grad(f)(X)


def test_sequences_of_unequal_length_raise() -> None:
    def f(x, y):
        return sum(a * b for a, b in zip(x, y, strict=True))

    assert s2sad.grad(f)(X, X).tolist() == X.tolist()
    with pytest.raises(ValueError, match="differ in length"):
        s2sad.grad(f)(X, X[1:])


def test_largest_of_nothing_without_default_is_refused() -> None:
    def f(x):
        return max(()) * x

    with pytest.raises(s2sad.UnsupportedSyntax, match="of nothing"):
        s2sad.grad(f)(0.7)


def test_math_prod_starts_where_it_is_told() -> None:
    assert s2sad.grad(lambda x: math.prod([x, 2.0], start=3.0))(0.7) == 6.0


def square_of_first(a, b=2.0, c=3.0):
    return a * a * b * c


@pytest.mark.parametrize("n", [0, 4])
def test_a_star_that_gives_too_few_or_too_many(n: int) -> None:
    with pytest.raises(AssertionError, match="the starred sequence"):
        s2sad.grad(lambda x: square_of_first(*x))(np.ones(n))


def test_a_star_for_what_has_no_source() -> None:
    with pytest.raises(s2sad.UnsupportedSyntax, match="a function of Python's own source"):
        s2sad.grad(lambda x: math.hypot(*x))(np.ones(4))
    with pytest.raises(AssertionError, match="the starred sequence"):
        s2sad.grad(lambda x: max(*x))(np.ones(1))


def annotated_on_the_way(x: float) -> float:
    y = typing.cast("Nowhere", x * x)  # type: ignore[name-defined]  # noqa: F821
    z = typing.cast(float | None, y)
    assert z is not None
    return z + typing.assert_type(x, float)


def test_what_a_type_checker_is_told_changes_nothing() -> None:
    assert s2sad.grad(annotated_on_the_way)(3.0) == 7.0
    assert "import" not in s2sad.grad(annotated_on_the_way).source
