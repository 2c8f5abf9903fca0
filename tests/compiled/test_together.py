"""Results that are small lie in one piece of memory."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest

from s2sad import jacobian, jvp

numba = pytest.importorskip("numba")


@pytest.fixture(autouse=True)
def cache(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("S2SAD_CACHE_DIR", str(tmp_path))


def pinhole(camera, point, weight):
    """Two numbers of three arguments."""
    away = point - camera[:3]
    return weight * (camera[3] * away[:2] / away[2] + camera[4:6])


def bent(x, w):
    """As many numbers as x has, of two arguments."""
    return np.sin(w * x) * x


CAMERA, POINT = np.array([0.1, -0.2, -4.0, 1.5, 0.3, 0.4]), np.array([0.5, 0.7, 1.1])


def place(a: Any) -> int:
    return int(a.ctypes.data)


def test_small_blocks_are_side_by_side_and_right() -> None:
    found = jacobian(pinhole, wrt=(0, 1, 2), backend="numba")(CAMERA, POINT, 1.3)
    expected = jacobian(pinhole, wrt=(0, 1, 2))(CAMERA, POINT, 1.3)
    for a, b in zip(found, expected, strict=True):
        np.testing.assert_allclose(a, b, rtol=1e-14, atol=1e-15)
        assert a.shape == b.shape and a.flags.c_contiguous and a.flags.writeable
    assert place(found[1]) == place(found[0]) + found[0].nbytes
    assert place(found[2]) == place(found[1]) + found[1].nbytes


def test_what_is_stored_into_one_is_in_no_other() -> None:
    found = jacobian(pinhole, wrt=(0, 1, 2), backend="numba")(CAMERA, POINT, 1.3)
    assert not any(np.shares_memory(a, b) for k, a in enumerate(found) for b in found[:k])
    before = [a.copy() for a in found]
    found[1][:] = np.nan
    assert np.array_equal(found[0], before[0]) and np.array_equal(found[2], before[2])


def test_one_outlives_the_others() -> None:
    derivative = jacobian(pinhole, wrt=(0, 1, 2), backend="numba")
    kept = [derivative(CAMERA + k, POINT, 1.3)[1] for k in range(50)]
    for k, a in enumerate(kept):
        np.testing.assert_allclose(a, jacobian(pinhole, wrt=1)(CAMERA + k, POINT, 1.3), rtol=1e-13)


@pytest.mark.parametrize("n", [0, 1, 5, 20])
def test_any_length(n: int) -> None:
    x, w = np.linspace(0.5, 2.0, n), np.linspace(1.0, -1.0, n)
    found = jacobian(bent, wrt=(0, 1), mode="forward", backend="numba")(x, w)
    for a, b in zip(found, jacobian(bent, wrt=(0, 1))(x, w), strict=True):
        assert a.shape == b.shape == (n, n)
        np.testing.assert_allclose(a, b, rtol=1e-14)
    is_few = 2 * n * n <= 256
    assert n < 5 or (place(found[1]) == place(found[0]) + found[0].nbytes) == is_few


def test_in_compiled_functions() -> None:
    derivative = jacobian(pinhole, wrt=(0, 1, 2), backend="numba")

    @numba.njit
    def total(camera, point, weight, times):
        a, b, c = derivative(camera, point, weight)
        for _ in range(times):
            x, y, z = derivative(camera, point, weight)
            a += x
            b += y
            c += z
        return a, b, c

    found = total(CAMERA, POINT, 1.3, 3)
    for a, b in zip(found, jacobian(pinhole, wrt=(0, 1, 2))(CAMERA, POINT, 1.3), strict=True):
        np.testing.assert_allclose(a, 4.0 * b, rtol=1e-14)


def of_lengths(x, n, m):
    """As many numbers as is asked for, in two arrays."""
    y, z = np.empty((n, m)), np.empty(200)
    y[:] = x
    z[:] = x * x
    return z, y


@pytest.mark.parametrize(("n", "m"), [(-2, 3), (-150, 1), (2, -3), (-2, -3)])
def test_lengths_below_zero(n: int, m: int) -> None:
    with pytest.raises(ValueError, match="negative dimensions"):
        jvp(of_lengths, (2.0, n, m), (1.0, 0, 0), backend="numba")


@pytest.mark.parametrize(("n", "m"), [(2, 3), (0, 2**40), (1000, 0)])
def test_lengths_whose_product_is_small(n: int, m: int) -> None:
    (z, y), (dz, dy) = jvp(of_lengths, (2.0, n, m), (1.0, 0, 0), backend="numba")
    assert y.shape == dy.shape == (n, m)
    assert np.all(z == 4.0) and np.all(dz == 4.0) and np.all(y == 2.0) and np.all(dy == 1.0)
