"""Functions of scipy.optimize that only compute: loaded by the table once the user has imported that module."""

from __future__ import annotations

from typing import Any

import numpy as np
from scipy import optimize

from s2sad.rules.table import composite, zero_derivative

__all__: list[str] = []

zero_derivative(optimize.linear_sum_assignment)  # which gives places, not costs


@composite(optimize.rosen)
def rosen(x: Any) -> Any:
    x = np.asarray(x)
    return np.sum(100.0 * (x[1:] - x[:-1] ** 2) ** 2 + (1.0 - x[:-1]) ** 2, axis=0)
