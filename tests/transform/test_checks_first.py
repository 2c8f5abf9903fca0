"""What follows a check that raises is in no branch, neither in the derivative nor in its reverse sweep."""

from __future__ import annotations

import ast
import inspect
import re
import textwrap

import numpy as np
import pytest

from s2sad import check_grads, grad, value_and_grad
from s2sad.ir.printer import show
from s2sad.ir.verify import verify
from s2sad.transform import checks_first
from tests.ir.reader import read

X = np.array([1.5, -0.5, 2.0])


def example(word: str) -> str:
    m = re.search(rf"^{word}::\n\n((?:    .*\n|\n)+)", inspect.getdoc(checks_first) or "", re.MULTILINE)
    assert m
    return textwrap.dedent(m[1]).strip()


def test_the_example_in_the_docstring() -> None:
    function, given = checks_first.put_checks_first(read(example("Before")))
    assert show(verify(function)) == example("After")
    assert {v.hint for v in given} == {"y", "t"}


def scaled(x, rate):
    if not rate < 5.0:
        raise ValueError("too fast")
    if rate == 3.0:
        rate -= 0.5
    return x * rate


def after_a_check(x, rate):
    return np.sum(scaled(x, rate) * x)


def after_checks_of_sorts(x, rate):
    if rate < 0.0:
        if rate < -1.0:
            raise ValueError("backwards")
        else:
            raise KeyError("slowly backwards")
    elif rate == 0.0:
        raise ZeroDivisionError
    return np.sum(np.sin(x) / rate)


def in_a_loop(x, rate):
    total = 0.0
    for i in range(x.shape[0]):
        if x[i] > 10.0:
            raise ValueError(f"{i}")
        y = np.exp(x[i] * rate)
        total += y * y
    return total


def on_both_sides(x, rate):
    if rate > 1.0:
        raise ValueError
    else:
        raise KeyError
    return np.sum(x)


def caught(x, rate):
    try:
        y = scaled(x, rate)
    except ValueError:
        y = x / rate
    return np.sum(y * y)


def unbound_after_all(x, rate):
    if rate > 4.0:
        raise ValueError
    elif rate > 1.0:
        y = x * rate
    return np.sum(y * x)


VALUED = [after_a_check, after_checks_of_sorts, in_a_loop, caught]


@pytest.mark.parametrize("f", VALUED)
@pytest.mark.parametrize("backend", ["python", "numba"])
def test_the_derivative_is_right(f, backend) -> None:
    check_grads(f, wrt=(0, 1))(X, 1.25)
    value, found = value_and_grad(f, wrt=(0, 1), backend=backend)(X, 1.25)
    assert value == pytest.approx(f(X, 1.25), rel=1e-14)
    for a, b in zip(found, grad(f, wrt=(0, 1))(X, 1.25), strict=True):
        np.testing.assert_allclose(a, b, rtol=1e-13)


@pytest.mark.parametrize(
    ("f", "x", "rate", "error"),
    [
        (after_a_check, X, 5.0, ValueError),
        (after_checks_of_sorts, X, -2.0, ValueError),
        (after_checks_of_sorts, X, -0.5, KeyError),
        (after_checks_of_sorts, X, 0.0, ZeroDivisionError),
        (in_a_loop, 10.0 * X, 0.5, ValueError),
        (on_both_sides, X, 0.5, KeyError),
    ],
)
@pytest.mark.parametrize("backend", ["python", "numba"])
def test_what_is_raised(f, x, rate, error, backend) -> None:
    with pytest.raises(error):
        grad(f, backend=backend)(x, rate)


def test_what_has_no_value_after_all() -> None:
    check_grads(unbound_after_all, wrt=(0, 1))(X, 1.25)
    for rate, error in ((5.0, ValueError), (0.5, UnboundLocalError)):
        with pytest.raises(error):
            grad(unbound_after_all)(X, rate)


def test_what_follows_is_in_no_branch() -> None:
    text = grad(after_a_check).source_for(X, 2.0)
    branches = [node for node in ast.walk(ast.parse(text)) if isinstance(node, ast.If)]
    assert [ast.unparse(b.test) for b in branches] == ["not rate < 5.0", "rate == 3.0"]
    assert "UnboundLocalError" not in text
