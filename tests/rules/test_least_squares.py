"""np.linalg.lstsq, whose result has an integer among its parts, through the public interface."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from rules.samples import arr, square

import s2sad

PAIRS = [(arr(5, 3), arr(5)), (arr(5, 3), arr(5, 2)), (arr(2, 4), arr(2)), (arr(2, 4), arr(2, 3)), (square(3), arr(3))]


def solution(a: np.ndarray, b: np.ndarray) -> Any:
    return np.sum(np.sin(np.linalg.lstsq(a, b)[0]))


def residuals(a: np.ndarray, b: np.ndarray) -> Any:
    return np.sum(np.sin(np.linalg.lstsq(a, b, rcond=None)[1]))


def values(a: np.ndarray, b: np.ndarray) -> Any:
    return np.sum(np.sin(np.linalg.lstsq(a, b)[3]))


@pytest.mark.parametrize("pair", PAIRS, ids=lambda pair: str([x.shape for x in pair]))
@pytest.mark.parametrize("f", [solution, residuals, values])
def test_parts(f: Any, pair: tuple[np.ndarray, np.ndarray]) -> None:
    s2sad.check_grads(f, wrt=(0, 1))(*pair)


def test_the_parts_are_those_of_numpy() -> None:
    def everything(a: np.ndarray, b: np.ndarray) -> Any:
        return np.linalg.lstsq(a, b, rcond=None)

    for pair in PAIRS:
        got, _ = s2sad.vjp(everything, *pair)
        for part, want in zip(got, np.linalg.lstsq(*pair, rcond=None), strict=True):
            np.testing.assert_allclose(part, want, atol=1e-12)
