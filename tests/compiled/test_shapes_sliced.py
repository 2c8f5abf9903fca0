"""A slice of the lengths of an array: how long it is, is known."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from s2sad import check_grads

pytest.importorskip("numba")


def correlated(x: Any, k: Any) -> Any:
    windows = np.lib.stride_tricks.sliding_window_view(x, k.shape[1:], axis=(1, 2))
    return np.einsum("chwij,cij->hw", windows, k)


def widened(x: Any, k: Any) -> Any:
    out = np.zeros(x.shape[:-1] + (2,))
    out[..., 0] = np.sum(x, axis=-1)
    out[..., 1] = np.sum(k) * out[..., 0]
    return out.reshape((-1,) + x.shape[::2][:1])


@pytest.mark.parametrize("backend", ["python", "numba"])
@pytest.mark.parametrize("function", [correlated, widened])
def test_slices_of_shapes(function: Any, backend: str) -> None:
    x, k = np.cos(np.arange(18.0)).reshape(2, 3, 3), np.sin(np.arange(8.0)).reshape(2, 2, 2)
    check_grads(function, wrt=(0, 1), backend=backend)(x, k)
