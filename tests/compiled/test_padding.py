"""Which items np.pad repeats, as compiled code finds them."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from s2sad import check_grads, grad, hessian
from s2sad.compiled.lists import places_to_pad


@pytest.mark.parametrize("n", [1, 2, 3, 5])
@pytest.mark.parametrize("mode", ["edge", "wrap", "reflect", "symmetric"])
def test_places(n: int, mode: str) -> None:
    code = ("edge", "wrap", "reflect", "symmetric").index(mode)
    for before in range(12):
        for after in range(12):
            expected = np.pad(np.arange(n), (before, after), mode)  # type: ignore[call-overload]
            np.testing.assert_array_equal(places_to_pad(n, before, after, code), expected)


def test_nothing_to_repeat() -> None:
    with pytest.raises(ValueError, match="empty axis"):
        places_to_pad(0, 1, 1, 1)


def padded_by_numbers(x: Any, p: int) -> Any:
    wide = np.pad(x, ((0, 0), (p, p - 1)))
    return np.sum(wide[:, 1:] ** 2 * np.pad(x, ((0, 0), (p // 2, p)), mode="edge")[:, : wide.shape[1] - 1])


def convolved(x: Any, k: Any) -> Any:
    n = k.shape[0] // 2
    wide, out = np.pad(x, ((n, n), (n, n))), np.zeros(x.shape)
    for i in range(x.shape[0]):
        for j in range(x.shape[1]):
            out[i, j] = np.sum(wide[i : i + 2 * n + 1, j : j + 2 * n + 1] * k)
    return out


def test_widths_known_at_run_time_only() -> None:
    x = np.arange(6.0).reshape(2, 3) ** 1.5
    for backend in ("numba", "python"):
        check_grads(padded_by_numbers, backend=backend)(x, 2)
        check_grads(convolved, wrt=(0, 1), backend=backend)(x, np.cos(np.arange(9.0)).reshape(3, 3))


def image(x):
    y = np.pad(x.reshape(1, 1, 3, 2), ((0, 0), (0, 1), (1, 1), (1, 1)))
    return np.sum(y[..., 1:] ** 2 * y[..., :-1])


def row(x):
    y = np.pad(x.reshape(2, 3), 1).ravel()
    return np.sum(y[1:] ** 3 * y[:-1])


@pytest.mark.parametrize("f", [image, row], ids=lambda f: f.__name__)
def test_what_had_another_shape_before(f):
    x = np.array([0.5, 1.2, 2.7, 0.3, 0.9, -0.4])
    np.testing.assert_allclose(grad(f, backend="numba")(x), grad(f)(x), rtol=1e-13)
    np.testing.assert_allclose(hessian(f, backend="numba")(x), hessian(f)(x), rtol=1e-13, atol=1e-13)
