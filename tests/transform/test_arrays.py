"""Arrays in place of lists, tuples and numbers, through the public interface."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

from s2sad import check_grads, grad, jvp

Y = np.array([1.3, 0.7])


@pytest.mark.parametrize(
    "f",
    [
        lambda y: np.sum(np.stack([np.asarray(y[0]), 1.0]) * np.array([2.0, 3.0])),
        lambda y: np.sum(np.hstack([0.5, y]) ** 2),
        lambda y: np.sum(np.vstack([y[0], np.asarray(y[1]), 3.0]) ** 2),
        lambda y: np.sum(np.column_stack([y, [3.0, 4.0]]) ** 2),
        lambda y: np.sum(np.append(0.5, y) ** 3) + np.sum(np.r_[0.5, y] ** 2),
    ],
    ids=["stack", "hstack", "vstack", "column_stack", "append"],
)
def test_numbers_joined_with_arrays(f: Callable[..., Any]) -> None:
    check_grads(f)(Y)


def test_numbers_that_numpy_does_not_join_raise() -> None:
    def f(y: Any) -> Any:
        return np.sum(np.concatenate([0.0, y]))

    with pytest.raises(ValueError, match="zero-dimensional"):
        f(Y)
    with pytest.raises(ValueError, match="zero-dimensional"):
        grad(f)(Y)
    with pytest.raises(ValueError, match="zero-dimensional"):
        jvp(f, (Y,), (Y,))
