"""Tuples whose length is known only at run time, where a list does not do instead."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import s2sad


def returned(x: Any, n: int) -> Any:
    return tuple(x[i] for i in range(n))


def returned_in_a_tuple(x: Any, n: int) -> Any:
    return x[0], tuple(x[i] for i in range(n))


def returned_in_a_dict(x: Any, n: int) -> Any:
    return {"parts": tuple(x[i] for i in range(n))}


def returned_in_a_list(x: Any, n: int) -> Any:
    rows = []
    for _ in range(n):
        rows.append(tuple(x[i] for i in range(n)))
    return rows


@pytest.mark.parametrize("f", [returned, returned_in_a_tuple, returned_in_a_dict, returned_in_a_list])
def test_a_result_is_refused(f: Callable[..., Any]) -> None:
    with pytest.raises(s2sad.UnsupportedSyntax, match="length of a tuple that is returned") as caught:
        s2sad.vjp(f, np.array([0.5, 1.5]), 2)
    assert "test_tuples.py" in str(caught.value)


def list_or_tuple(x: Any, n: int) -> Any:
    index = [i for i in range(n)]
    if n > 1:
        index = tuple(i for i in range(n))
    return np.sum(x[index])


def tuple_from_the_second_iteration(x: Any, n: int) -> Any:
    index, total = [i for i in range(n)], 0.0
    for _ in range(n):
        total = total + np.sum(x[index])
        index = tuple(i for i in range(n))
    return total


@pytest.mark.parametrize("f", [list_or_tuple, tuple_from_the_second_iteration])
def test_a_list_on_one_path_is_refused(f: Callable[..., Any]) -> None:
    with pytest.raises(s2sad.UnsupportedSyntax, match="a list or a tuple") as caught:
        s2sad.vjp(f, np.ones((3, 3)), 2)
    assert "test_tuples.py" in str(caught.value)
