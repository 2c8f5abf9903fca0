"""Names of which only the run tells whether they hold a number or an array."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import s2sad

NEVER = 90.0


def number_or_array(x: float, p: Any) -> Any:
    y = np.max(p)
    if x > NEVER:
        y = p
    p[:] = p * p
    return y


def number_or_row(x: float, p: Any) -> Any:
    y = p[0, 1]
    for _ in range(0):
        y = p[0]
    p[0] *= x
    return y * x


@pytest.mark.parametrize("f", [number_or_array, number_or_row])
def test_a_number_beside_an_array_that_changes_is_refused(f: Callable[..., Any]) -> None:
    with pytest.raises(s2sad.NotDifferentiable, match="names of their own") as caught:
        s2sad.grad(f, wrt=1)(0.5, np.array([[1.2, -0.4], [0.3, 0.8]]))
    assert "test_uncertain.py" in str(caught.value)
