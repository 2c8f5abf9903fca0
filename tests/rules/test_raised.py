"""What NumPy raises for arrays that are too short, and for parts that there are none of, derivatives raise too."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import s2sad

TIERS = pytest.mark.parametrize("backend", ["python", "numba"])


def first_part(x: Any, n: int) -> Any:
    return np.sum(np.array_split(x, n)[0])


def no_parts(x: Any) -> Any:
    return np.sum(np.array_split(x, 0)[0])


def even_parts(x: Any, n: int) -> Any:
    return np.sum(np.split(x, n)[0])


def no_even_parts(x: Any) -> Any:
    return np.sum(np.split(x, 0)[0])


@TIERS
@pytest.mark.parametrize("function", [first_part, even_parts])
@pytest.mark.parametrize("n", [0, -1])
def test_no_parts(function: Any, n: int, backend: str) -> None:
    with pytest.raises(ValueError, match="larger than 0"):
        s2sad.grad(function, backend=backend)(np.ones(4), n)
    assert s2sad.grad(function, backend=backend)(np.ones(4), 2).tolist() == [1.0, 1.0, 0.0, 0.0]


@TIERS
@pytest.mark.parametrize("function", [no_parts, no_even_parts])
def test_no_parts_that_are_written_down(function: Any, backend: str) -> None:
    with pytest.raises(s2sad.S2sadError, match="larger than 0"):
        s2sad.grad(function, backend=backend)(np.ones(4))


def slopes(x: Any) -> Any:
    return np.sum(np.gradient(x))


def slopes_of_columns(x: Any) -> Any:
    return np.sum(np.gradient(x, axis=0) ** 2)


def parabolas(x: Any) -> Any:
    return np.sum(np.gradient(x, 0.5, edge_order=2))


@TIERS
@pytest.mark.parametrize(
    ("function", "shape"), [(slopes, (1,)), (slopes, (0,)), (slopes_of_columns, (1, 3)), (parabolas, (2,))]
)
def test_slopes_of_too_few_items(function: Any, shape: tuple[int, ...], backend: str) -> None:
    for run in (function, s2sad.grad(function, backend=backend)):
        with pytest.raises(ValueError, match="too s"):
            run(np.ones(shape))


def covariance(x: Any) -> Any:
    return np.cov(x) * 2.0


@TIERS
def test_covariances_of_lists(backend: str) -> None:
    x = [0.3, 1.2, 0.9]
    want = s2sad.grad(covariance)(np.array(x))
    np.testing.assert_allclose(s2sad.grad(covariance, backend=backend)(x), want)
