"""Arrays made with the dtype of another, in the compiled tier."""

from __future__ import annotations

import math
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from s2sad import CompileError, grad, jacobian, jvp, value_and_grad

pytest.importorskip("numba")


@pytest.fixture(autouse=True)
def cache(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("S2SAD_CACHE_DIR", str(tmp_path))


def gathered(x):
    out = np.zeros((x.shape[0], 2), dtype=x.dtype)
    for i in range(x.shape[0]):
        out[i, 0] = x[i] ** 2
        out[i, 1] = np.sin(x[i])
    return np.sum(out)


def relaxed(x, steps):
    y = np.zeros(x.shape[0], x.dtype)
    for _ in range(steps):
        y = 0.5 * y + x * x
    return np.sum(y * x)


def branched(x, flag):
    y = np.ones(3, dtype=x.dtype)
    if flag:
        y = np.full(3, 2.0, dtype=x.dtype)
    return np.sum(y * x) ** 2


def converted(x):
    total = np.array([0.0, 1.0, 2.0], dtype=x.dtype) + x
    return np.sum(total.astype(x.dtype) ** 3)


def given_back(x):
    y = np.empty(x.shape, dtype=x.dtype)
    y[:] = x**2
    return y


@pytest.mark.parametrize("dtype", ["float64", "float32"])
@pytest.mark.parametrize("f, rest", [(gathered, ()), (relaxed, (4,)), (branched, (True,)), (converted, ())])
def test_the_dtype_of_an_argument(f: Any, rest: tuple[Any, ...], dtype: str) -> None:
    x = np.array([0.5, -1.25, 2.0], dtype=dtype)
    here, there = grad(f, backend="numba")(x, *rest), grad(f)(x, *rest)
    assert here.dtype == there.dtype == dtype
    assert np.allclose(here, there, rtol=1e-13 if dtype == "float64" else 1e-5, atol=0.0)


def test_what_is_given_back() -> None:
    x = np.array([0.5, -1.25, 2.0])
    assert np.array_equal(jacobian(given_back, backend="numba")(x), np.diag(2.0 * x))


def test_sums_over_several_axes_of_what_is_made_of_five() -> None:
    def f(x, w):
        out = np.empty((2, 3), dtype=x.dtype)
        for i in range(2):
            out[i] = np.sum(x[i, :, :, :, np.newaxis] * w, axis=(0, 1, 2))
        return np.sum(out**2)

    rng = np.random.default_rng(0)
    x, w = rng.normal(size=(2, 2, 3, 4)), rng.normal(size=(2, 3, 4, 3))
    for here, there in zip(grad(f, wrt=(0, 1), backend="numba")(x, w), grad(f, wrt=(0, 1))(x, w), strict=True):
        assert np.allclose(here, there, rtol=1e-13, atol=0.0)


def test_records_of_which_only_the_shape_is_asked() -> None:
    def f(x, w):
        total = 0.0
        for i in range(x.shape[0] - 1):
            part = np.sum(x[i : i + 2, :, np.newaxis] * w[np.newaxis, :, :], axis=(0, 1))
            total = total + np.sum(part**2) * x[i, 0]
        return total

    rng = np.random.default_rng(0)
    x, w = rng.normal(size=(4, 3)), rng.normal(size=(3, 2))
    derivative = grad(f, wrt=(0, 1), backend="numba")
    for here, there in zip(derivative(x, w), grad(f, wrt=(0, 1))(x, w), strict=True):
        assert np.allclose(here, there, rtol=1e-13, atol=1e-15)


def stored_and_stretched(x, y):
    x[:1] = y[:1] * 2.0
    y[0] = x[0]
    return np.sum((x * y) ** 2)


@pytest.mark.parametrize(
    ("single", "double"), [((3,), (3,)), ((3, 1), (3, 4)), ((3, 1), (1, 4)), ((2, 3, 1), (2, 1, 4))]
)
def test_both_precisions_in_one_operation(single: tuple[int, ...], double: tuple[int, ...]) -> None:
    rng = np.random.default_rng(4)
    x, y = rng.normal(size=single).astype(np.float32), rng.normal(size=double)

    def f(x, y):
        return stored_and_stretched(x, y) if len(x.shape) == 1 else np.sum((x * y) ** 2)

    for args in (x, y), (y[..., :1].copy(), x[..., :1].copy()):
        found = grad(f, wrt=(0, 1), backend="numba")(*(a.copy() for a in args))
        expected = grad(f, wrt=(0, 1))(*(a.copy() for a in args))
        for a, b in zip(found, expected, strict=True):
            assert (a.dtype, a.shape) == (b.dtype, b.shape)
            np.testing.assert_allclose(a, b, rtol=1e-5)


def differences(w, u):
    total = 0.0
    for i in range(1, len(u)):
        total += w[i] * (u[i] - u[i - 1])
    return total


def counted_up(w, u):
    k = u[0]
    total = 0.0
    for i in range(len(u)):
        k = k * 3 + u[i]
        total = total * 0.5 + w[i] * -k
    return total


@pytest.mark.parametrize("dtype", [np.int8, np.uint8, np.int16, np.int32, np.uint32, np.uint64])
@pytest.mark.parametrize("f", [differences, counted_up])
def test_integers_keep_their_bits(f: Any, dtype: Any) -> None:
    top = np.iinfo(dtype).max
    w, u = np.array([0.3, 0.7, 1.1, 0.55]), np.array([top - 1, 3, top - 7, 100], dtype=dtype)
    with np.errstate(over="ignore"):
        expected = jvp(f, (w, u), (w, None))
    found = jvp(f, (w, u), (w, None), backend="numba")
    assert np.allclose(found, expected, rtol=1e-14, atol=0.0)


@pytest.mark.parametrize("dtype", [np.int8, np.int16, np.int32, np.uint8, np.uint16, np.uint32, np.uint64])
def test_numbers_that_are_made_integers_keep_their_bits(dtype: Any) -> None:
    def made(k: int, x: Any) -> Any:
        return x[0] * float(dtype(k) * dtype(2) + dtype(3))

    for k in (5, min(np.iinfo(dtype).max - 1, 2**63 - 1)):
        with np.errstate(over="ignore"):
            expected = grad(made, wrt=1)(k, np.array([1.1]))
        np.testing.assert_array_equal(grad(made, wrt=1, backend="numba")(k, np.array([1.1])), expected)


def product(w, u):
    return np.sum(w) * (u @ u)


def test_products_of_integers_keep_their_bits() -> None:
    w = np.array([0.3, 0.7, 1.1, 0.55])
    for u in (np.array([120, 3, 117, 100], np.int8), np.array([70_000, 3, 80_000, 1], np.int32)):
        found = jvp(product, (w, u), (w, None), backend="numba")
        assert np.allclose(found, jvp(product, (w, u), (w, None)), rtol=1e-14, atol=0.0)


def in_double(x):
    return np.sum(np.asarray(x, dtype=float) ** 2) * np.sum(np.ascontiguousarray(x.T, dtype=np.float64))


def in_single(x):
    return np.sum(np.asarray(x[:, ::2], np.float32) ** 2)


def masked(x):
    return np.sum(np.asarray(x > 0.0, dtype=float) * x)


def summed(x):
    return np.sum(np.cumsum(x, dtype=float) ** 2) + np.sum(np.cumsum(x, 0, dtype=np.float32) ** 2)


def counted(x):
    return np.sum(np.cumsum(x > 0.0, axis=1, dtype=float) * x) + np.sum(np.cumprod(x[0], dtype=float))


def spaced(x):
    a, b = np.linspace(x[0, 0], x[1, 1], 4, dtype=np.float32), np.linspace(x[0, 1], 1.0, 4, dtype=float)
    return np.sum(a * b)


@pytest.mark.parametrize("dtype", ["float64", "float32"])
@pytest.mark.parametrize("f", [in_double, in_single, masked, summed, counted, spaced])
def test_dtypes_that_are_asked_for(f: Any, dtype: str) -> None:
    x = np.array([[0.5, -1.25, 2.0], [1.5, 0.75, -0.5]], dtype=dtype)
    (value, slope), (expected, there) = value_and_grad(f, backend="numba")(x), value_and_grad(f)(x)
    assert value == pytest.approx(expected, rel=1e-6)
    assert slope.dtype == there.dtype == dtype
    assert np.allclose(slope, there, rtol=1e-6, atol=1e-6)
    double = value_and_grad(f)(x.astype(float))
    assert np.allclose(slope, double[1], rtol=1e-5, atol=1e-5)


def by_a_difference(x, ks):
    whole, items = int(ks[0]) - int(ks[1]), ks.tolist()
    item = ks[0].item() - ks[:2].max().item()
    return (
        np.sum(x) * (2.0 if whole < 0 else 3.0) * (5.0 if item < 0 else 7.0) * (11.0 if items[0] < items[1] - 1 else 0)
    )


@pytest.mark.parametrize("dtype", [np.uint8, np.uint16, np.uint32, np.uint64, np.int8])
def test_integers_of_python_have_a_sign(dtype: Any) -> None:
    """Whatever they are made of."""
    x, ks = np.ones(2), np.array([100, 120], dtype)
    np.testing.assert_array_equal(grad(by_a_difference, backend="numba")(x, ks), [110.0, 110.0])
    np.testing.assert_array_equal(grad(by_a_difference)(x, ks), [110.0, 110.0])


def of_small_integers(x, ks):
    bent = x[0] * math.log(ks[2]) + x[1] * math.sqrt(ks[1]) + ks[2] ** x[2]
    return bent + x[0] * math.atan2(ks[0], ks[2]) + ks[1] ** (x[1] + 0.5)


@pytest.mark.parametrize("dtype", [np.uint8, np.int16, np.int32])
def test_floats_of_small_integers_are_doubles(dtype: Any) -> None:
    x, ks = np.array([0.3, 1.2, 1.7]), np.array([1, 3, 5], dtype)
    slopes = [
        math.log(5) + math.atan2(1, 5),
        math.sqrt(3) + math.log(3) * 3**1.7,
        math.log(5) * 5**1.7,
    ]
    np.testing.assert_allclose(grad(of_small_integers, backend="numba")(x, ks), slopes, rtol=1e-14)
    np.testing.assert_allclose(grad(of_small_integers)(x, ks), slopes, rtol=1e-14)


def test_arrays_of_lists_of_mixed_precision_are_refused() -> None:
    """Of what precision such an array is only the run tells; of numbers that are converted alike it is known."""

    def mixed(x: Any) -> Any:
        return np.array([np.float32(x) if k == 0 else 2.0 for k in range(2)])

    def alike(x: Any) -> Any:
        return np.array([np.float32(x) if k == 0 else np.float32(2.0) for k in range(2)])

    with pytest.raises(CompileError, match="single precision"):
        jvp(mixed, (0.75,), (1.0,), backend="numba")
    for backend in ("python", "numba"):
        y, dy = jvp(alike, (0.75,), (1.0,), backend=backend)
        assert y.dtype == dy.dtype == np.float32
        assert dy.tolist() == [1.0, 0.0]
