"""The rules of scipy.optimize's functions that only compute, through the public interface."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from s2sad import check_grads, grad

optimize = pytest.importorskip("scipy.optimize")


def assigned(costs: Any) -> Any:
    rows, columns = optimize.linear_sum_assignment(costs**2)
    return np.sum(costs[rows, columns]) ** 2


def test_an_assignment_is_constant() -> None:
    check_grads(assigned)(np.array([[1.0, 2.0, 0.3], [0.2, 0.5, 1.1], [3.0, 2.0, 1.0]]))


@pytest.mark.parametrize("shape", [(4,), (3, 2)])
def test_rosenbrock(shape: tuple[int, ...]) -> None:
    x = np.linspace(0.2, 1.3, int(np.prod(shape))).reshape(shape)
    check_grads(lambda x: np.sum(optimize.rosen(x)))(x)
    if len(shape) == 1:
        np.testing.assert_allclose(grad(optimize.rosen)(x), optimize.rosen_der(x))
