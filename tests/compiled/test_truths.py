"""Truth values of NumPy's and of Python's, one type to Numba: as in Python, or refused."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import s2sad

X = np.array([0.3, -0.7, 1.2])
FLAG = np.True_


def of_a_comparison(x):
    return x[1] if (x[0] > 0.0) is True else x[2]


def of_what_is_outside(x):
    return x[1] if FLAG is True else x[2]


def of_a_branch(x):
    t = x[0] > 0.0 if x[1] < 0.0 else True
    return x[1] if t is True else x[2]


def of_what_is_passed_on(x, n=20):
    def last(n, flag):
        if n == 0:
            return x[1] if flag is True else x[2]
        return last(n - 1, flag)

    return last(n, x[0] > 0.0)


@pytest.mark.parametrize("f", [of_a_comparison, of_what_is_outside, of_a_branch, of_what_is_passed_on])
def test_a_truth_value_of_numpy_is_not_true_itself(f: Any) -> None:
    with pytest.raises(s2sad.CompileError, match="itself cannot be compiled"):
        s2sad.grad(f, backend="numba")(X)
    assert np.array_equal(s2sad.grad(f)(X), [0.0, 0.0, 1.0])


def test_made_one_of_python_it_is() -> None:
    def f(x):
        return x[1] if bool(x[0] > 0.0) is True else x[2]

    assert np.array_equal(s2sad.grad(f, backend="numba")(X), [0.0, 1.0, 0.0])


def test_which_is_passed_is_told() -> None:
    def f(x, flag):
        return x * 3.0 if flag is True else x * x

    derivative = s2sad.grad(f, backend="numba")
    assert (derivative(5.0, True), derivative(5.0, False)) == (3.0, 10.0)
    with pytest.raises(s2sad.CompileError, match="itself cannot be compiled"):
        derivative(5.0, np.True_)


def test_inverting_one_of_numpy_is_compiled() -> None:
    def f(x):
        return x[1] if ~(x[0] > 0.0) | ~np.any(x > 1.0) else x[2]

    assert np.array_equal(s2sad.grad(f, backend="numba")(X), [0.0, 0.0, 1.0])


def test_inverting_one_of_python_is_refused() -> None:
    def f(x, n):
        return x * (~(n > 2))

    assert s2sad.grad(f)(1.5, 3) == -2.0
    with pytest.raises(s2sad.CompileError, match="may be one of Python's"):
        s2sad.grad(f, backend="numba")(1.5, 3)


def test_attributes_of_a_number_of_two_classes_are_refused() -> None:
    def f(x):
        v = x[0] if x[1] > 0.0 else 1.5
        return x[1] if hasattr(v, "dtype") else x[2]

    assert np.array_equal(s2sad.grad(f)(X), [0.0, 0.0, 1.0])
    assert np.array_equal(s2sad.grad(f)(-X), [0.0, 1.0, 0.0])
    with pytest.raises(s2sad.CompileError, match="the class of a number"):
        s2sad.grad(f, backend="numba")(X)


@pytest.mark.parametrize("text", [str, repr])
def test_the_text_of_an_integer_or_a_float_is_refused(text: Any) -> None:
    def f(x):
        v = 3 if x[1] < 0.0 else 3.0
        return x[1] if text(v) == "3" else x[2]

    assert np.array_equal(s2sad.grad(f)(X), [0.0, 1.0, 0.0])
    with pytest.raises(s2sad.CompileError, match="as text"):
        s2sad.grad(f, backend="numba")(X)
