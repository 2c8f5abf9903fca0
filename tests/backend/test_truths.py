"""Flags that are numbers, or asked whether they are ``True`` itself, are Python's: comparisons of NumPy give others."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from s2sad import check_grads, value_and_grad

X = np.array([0.3, -0.7, 1.2])


def itself(x: Any) -> Any:
    found = False
    for v in x:
        if v < 0:
            found = True
    return x[1] if found is True else x[0]


def either(x: Any) -> Any:
    a = x[0] > 0.5 if x[1] > 0 else False
    return x[0] * 2.0 if a is False else x[2]


def of_numpy(x: Any) -> Any:
    return ((x[0] > 0 or x[1] > 0) + (x[2] > 0 or x[1] > 0)) * x[1]


@pytest.mark.parametrize("f", [itself, either, of_numpy])
def test_flags_are_what_the_program_says(f: Any) -> None:
    assert value_and_grad(f)(X)[0] == f(X)
    check_grads(f)(X)


def test_a_flag_of_which_only_the_truth_is_asked_is_the_comparison() -> None:
    def f(x: float) -> float:
        far = True if x > 1.0 else False
        return x * x if far else x

    source = value_and_grad(f).source
    assert "True" not in source
