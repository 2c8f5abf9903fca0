"""Matrices and masked arrays beside arrays that carry a derivative: refused, or made arrays by the function itself."""

from __future__ import annotations

from collections.abc import Callable
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest

from s2sad import MissingRule, check_grads, jvp, vjp

pytestmark = pytest.mark.filterwarnings("ignore::PendingDeprecationWarning")

CLASSES = r"numpy\.matrix|MaskedArray"
X = np.array([[0.4, 1.3], [0.2, 0.7]])
MATRIX = np.asmatrix([[1.0, 2.0], [0.5, 3.0]])
MASKED = np.ma.masked_array(X.copy(), mask=[[True, False], [False, False]])
HELD = SimpleNamespace(matrix=MATRIX)

REFUSED: dict[str, Callable[..., Any]] = {
    "times": lambda x: MATRIX * x,
    "from the right": lambda x: x @ MATRIX,
    "transposed": lambda x: MATRIX.T * x,
    "a row": lambda x: x[0] * MATRIX[0].T,
    "held by an object": lambda x: HELD.matrix * x,
    "in a list": lambda x: [MATRIX, MATRIX][1] * x,
    "made here": lambda x: np.matrix([[1.0, 2.0], [3.0, 4.0]]) * x,
    "made of an array": lambda x: np.asmatrix(X) * x,
    "means of rows": lambda x: np.mean(MATRIX, axis=0) * x,
    "twice": lambda x: (2.0 * MATRIX) * x,
    "stacked": lambda x: np.vstack([MATRIX, x]),
    "by name": lambda x: np.multiply(x, MATRIX),
    "an argument": lambda x, a=MATRIX: a * x,
    "masked": lambda x: MASKED * x,
    "masked from the right": lambda x: x - MASKED,
    "masked and doubled": lambda x: (MASKED * 2.0) * x,
    "masked means": lambda x: MASKED.mean(axis=0) * x,
    "masked here": lambda x: np.ma.masked_array([1.0, 2.0], mask=[True, False]) * x,
    "masked where": lambda x: np.ma.masked_where(X > 1.0, X) * x,
}


@pytest.mark.parametrize("name", REFUSED)
def test_refused(name: str) -> None:
    with pytest.raises(MissingRule, match=CLASSES):
        vjp(REFUSED[name], X)
    with pytest.raises(MissingRule, match=CLASSES):
        jvp(REFUSED[name], (X,), (X,))


HANDLED: dict[str, Callable[..., Any]] = {
    "as an array": lambda x: np.asarray(MATRIX) * x,
    "its array": lambda x: MATRIX.A * x + MATRIX.A1[0],
    "an item": lambda x: MATRIX[0, 1] * x,
    "a sum": lambda x: np.sum(MATRIX) * x + MATRIX.sum(),
    "filled": lambda x: MASKED.filled(0.0) * x,
    "a mask": lambda x: x[np.asarray(MATRIX) > 1.0],
}


@pytest.mark.parametrize("name", HANDLED)
def test_handled(name: str) -> None:
    f = HANDLED[name]
    check_grads(lambda x: np.sum(np.sin(f(x))))(X)
