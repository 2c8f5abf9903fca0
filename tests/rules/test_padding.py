"""np.pad where it is not linear, or where its widths are not told for each axis."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import s2sad

x, A = np.array([0.7, 0.3, 1.3]), np.arange(6.0).reshape(2, 3)


def by_largest(v: Any) -> Any:
    return np.pad(v, 1, mode="maximum")


def by_smallest(v: Any) -> Any:
    return np.pad(v, 1, mode="minimum")


def by_middle(v: Any) -> Any:
    return np.pad(v, 1, "median")


@pytest.mark.parametrize("padded", [by_largest, by_smallest, by_middle])
def test_what_is_not_linear_is_refused(padded: Any) -> None:
    with pytest.raises(s2sad.NotDifferentiable, match="not linear"):
        s2sad.jvp(padded, (x,), (-x,))


def test_widths_by_axis() -> None:
    def padded(a: Any) -> Any:
        return np.sum(np.pad(a, {1: (1, 2)}) ** 2)

    with pytest.raises(s2sad.NotDifferentiable, match="widths of all axes"):
        s2sad.grad(padded)(A)
