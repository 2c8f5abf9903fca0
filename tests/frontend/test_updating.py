"""Recursive functions that update: what would be two of one object is refused, and what is handled is right."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import pytest

import s2sad

TABLE = np.array([1.0, 2.0, 3.0])


def mixed(a, b, depth):
    if depth > 0:
        a[0] = b[1] * 1.1
        mixed(a, b, depth - 1)


def one_array_twice(x):
    a = x * 1.0
    mixed(a, a, 20)
    return np.sum(a)


def views_that_meet(x):
    a = x * 1.0
    mixed(a[:2], a[1:], 20)
    return np.sum(a)


def beside_a_variable_around(x):
    a = x * 1.0

    def go(b, depth):
        a[0] += b[1]
        if depth > 0:
            go(b, depth - 1)

    go(a, 20)
    return np.sum(a)


def beside_a_global(x):
    def go(b, depth):
        b[0] += TABLE[1]
        if depth > 0:
            go(b, depth - 1)

    go(TABLE, 20)
    return np.sum(x * TABLE)


def argument_or_another(a, depth):
    if depth == 0:
        return a * 2.0
    a[0] = a[0] * 1.1
    return a if depth < 0 else argument_or_another(a, depth - 1)


def may_be_the_argument(x):
    a = x * 1.0
    return np.sum(argument_or_another(a, 20)) + np.sum(a)


def shortened(a):
    return a if len(a) < 3 else shortened(a[1:])


def a_part_that_is_updated(x):
    a = x * 1.0
    b = shortened(a)
    b[1] = b[0] * 2.0
    return np.sum(a)


def reshaped(x):
    def go(a, depth):
        if depth > 0:
            a.reshape(2, 2)[0, 1] += a[0]
            go(a, depth - 1)

    a = np.concatenate((x, x))[:4]
    go(a, 20)
    return np.sum(a)


def arrays_in_a_list(x):
    rows = [x * 1.0, x * 2.0]

    def go(depth):
        if depth > 0:
            rows[depth % 2][0] += rows[0][1]
            go(depth - 1)

    go(20)
    return np.sum(rows[0] * rows[1])


@dataclass
class Total:
    value: float


def an_object_that_is_passed(x):
    def go(total, v, depth):
        total.value = total.value + v
        if depth > 0:
            go(total, v * 1.1, depth - 1)

    total = Total(0.0)
    go(total, x[0], 20)
    return total.value * x[1]


def an_array_that_is_bound_anew(x):
    a = x * 1.0

    def go(depth):
        nonlocal a
        if depth > 0:
            a = a * 1.1
            go(depth - 1)

    go(20)
    return np.sum(a)


def another_argument(a, b, depth):
    if depth == 0:
        return b[:2]
    a[0] = a[0] * b[1]
    return another_argument(a, b, depth - 1)


def may_be_part_of_another(x):
    a, b = x * 1.0, x * 2.0
    c = another_argument(a, b, 20)
    c[0] = 3.0
    return np.sum(a) + np.sum(b)


REFUSED = [
    (may_be_part_of_another, "may return one or a part"),
    (one_array_twice, "another one may be the same memory"),
    (views_that_meet, "another one may be the same memory"),
    (beside_a_variable_around, "another one may be the same memory"),
    (beside_a_global, "another one may be the same memory"),
    (may_be_the_argument, "may return one or a part"),
    (a_part_that_is_updated, "may return an argument, or a part of one"),
    (reshaped, "by way of another shape"),
    (arrays_in_a_list, "updates what an argument holds"),
    (an_object_that_is_passed, "changes `value` of what it is passed"),
    (an_array_that_is_bound_anew, "assigns the outer variable `a`, which was no number"),
]


@pytest.mark.parametrize(("f", "what"), REFUSED, ids=lambda v: getattr(v, "__name__", ""))
def test_what_is_refused(f, what: str) -> None:
    with pytest.raises(s2sad.UnsupportedSyntax, match=what) as caught:
        s2sad.grad(f)(np.array([0.7, 0.9, 1.1]))
    assert "test_updating.py" in str(caught.value)


def given_back(a, depth):
    return a if depth == 0 else given_back(a, depth - 1)


def the_argument_itself(x):
    a = x * 1.0
    b = given_back(a, 20)
    b[1] = b[0] * 2.0
    return np.sum(a) * b[0]


def crossed(a, b, depth):
    if depth > 0:
        a[0] = a[0] + b[1] * 0.1
        crossed(b, a, depth - 1)


def arguments_that_change_places(x):
    a, b = x * 1.0, x * 2.0
    crossed(a, b, 20)
    return np.sum(a) + np.sum(b) * a[0]


def a_dict_around(x):
    held = {"a": x[0]}

    def go(depth):
        held["a"] *= x[1]
        if depth > 0:
            go(depth - 1)

    go(20)
    return held["a"]


def columns(x):
    def go(a):
        if len(a) > 1:
            go(a[::2])
            go(a[1::2])
            a[0] += a[-1] * a[1]

    a = np.outer(x, x)
    go(a[:, 1])
    go(a.T[2])
    return np.sum(a * a)


@pytest.mark.parametrize("backend", ["python", "numba"])
@pytest.mark.parametrize("f", [the_argument_itself, arguments_that_change_places, a_dict_around, columns])
def test_what_is_handled(f, backend: str) -> None:
    x = np.array([0.7, 0.9, 1.01])
    s2sad.check_grads(f, backend=backend)(x)
    assert s2sad.value_and_grad(f, backend=backend)(x)[0] == pytest.approx(f(x), rel=1e-13)
    np.testing.assert_array_equal(x, [0.7, 0.9, 1.01])


def test_second_derivatives() -> None:
    x, v, eps = np.array([0.7, 0.9, 1.01]), np.array([0.3, -0.2, 0.5]), 1e-5
    for f in (the_argument_itself, arguments_that_change_places, columns):
        gradient = s2sad.grad(f)
        _, turned = s2sad.jvp(gradient, (x,), (v,))
        np.testing.assert_allclose(turned, (gradient(x + eps * v) - gradient(x - eps * v)) / (2 * eps), rtol=1e-6)


def passed_as_they_are(a, b):
    mixed(a, b, 20)
    return np.sum(a * b)


def test_arguments_that_are_one_array() -> None:
    x, y = np.array([0.7, 0.9]), np.array([0.3, 0.4])
    s2sad.check_grads(passed_as_they_are)(x, y)
    with pytest.raises(ValueError, match="share memory that the function stores into"):
        s2sad.grad(passed_as_they_are)(x, x)
