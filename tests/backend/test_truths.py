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


def added(x: Any) -> Any:
    a = False
    if x[0] > 0:
        a = True
    b = True if x[2] > 0 else False
    return (a + b) * x[1]


def left_by_it(x: Any) -> Any:
    flag = False
    for i in range(3):
        flag = x[i] > 0
        if flag:
            break
    return (flag + flag) * x[1]


def left_by_it_in_a_while(x: Any) -> Any:
    flag, i = False, 0
    while i < 3:
        flag = x[i] > 1
        if flag:
            break
        i += 1
    return x[1] * 2.0 if flag is True else x[1] * 3.0


def ended_by_it(x: Any) -> Any:
    done, k = False, 0
    while not done:
        done = True if x[k] > 1 else False
        k += 1
    return (done + done + done) * x[0]


@pytest.mark.parametrize("f", [itself, either, of_numpy, added, left_by_it, left_by_it_in_a_while, ended_by_it])
def test_flags_are_what_the_program_says(f: Any) -> None:
    assert value_and_grad(f)(X)[0] == f(X)
    check_grads(f)(X)


def test_a_flag_of_which_only_the_truth_is_asked_is_the_comparison() -> None:
    def f(x: float) -> float:
        far = True if x > 1.0 else False
        return x * x if far else x

    source = value_and_grad(f).source
    assert "True" not in source
