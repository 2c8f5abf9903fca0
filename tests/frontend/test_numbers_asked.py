"""Questions about numbers of which little is known, and calls of what is known at run time only."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import s2sad


def summed(x: Any, form: str) -> Any:
    y = np.einsum(form, x, x)
    if isinstance(y, list | tuple | dict):
        total = 0.0
        for a, b in zip(y, 2.0, strict=True):
            total = total + a * b
        return total
    if isinstance(y, np.ndarray):
        return np.sum(y) * 2.0
    return y.append(1.0) if hasattr(y, "append") else y


def test_a_number_or_an_array_is_neither_a_list_nor_a_dict() -> None:
    x = np.array([0.3, 1.1])
    np.testing.assert_allclose(s2sad.grad(summed)(x, "i,i->i"), 4.0 * x)
    np.testing.assert_allclose(s2sad.grad(summed)(x, "i,i->"), 2.0 * x)


def test_a_function_known_at_run_time_only_is_called_so() -> None:
    with pytest.raises(s2sad.MissingRule, match="a function that is known at run time only has no derivative rule"):
        s2sad.grad(lambda x, functions, k: functions[k](x))(0.5, {1: np.sin, 2: np.cos}, 1)
