"""Arrays of complex numbers as loops: what Numba makes of them against the Python tier."""

from __future__ import annotations

import cmath
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

pytest.importorskip("numba")

from s2sad import grad, jvp, vjp

RNG = np.random.default_rng(5)
Z, W = (RNG.normal(size=7) + 1j * RNG.normal(size=7) for _ in "zw")
R = RNG.normal(size=7)


def arithmetic(z, w, r):
    return z * w - r * z + w / z + z / r - (-w) + 2.0 / z


def powers(z, w, r):
    return z**2 + z**3 - z**-1 + z**-2 + z**0.5 + z**2.5 + z ** (1 + 2j) + z**w + 2.0**z + np.square(w) + (r * r) ** z


def elementary(z, w, r):
    first = np.exp(z) + np.log(w) + np.sqrt(z) + np.sin(w) + np.cos(z) + np.tan(w) + np.sinh(z) + np.cosh(w)
    return first + np.tanh(z) + np.expm1(w) + np.log1p(z) + np.log10(w) + np.log2(z) + np.exp2(w)


def inverses(z, w, r):
    return np.arcsin(z) + np.arccos(w) + np.arctan(z) + np.arcsinh(w) + np.arccosh(z) + np.arctanh(w)


def parts(z, w, r):
    return z.real * w.imag + np.angle(z) + np.abs(w) ** 2 + abs(z) + (np.conj(z) * w).real + np.hypot(z.real, r)


def choices(z, w, r):
    picked = np.where(r > 0.0, z, w) + np.where(r > 0.3, z, 1.0) + np.where(np.abs(z) > 1.0, r, w)
    return picked + (z != w) * z + np.where(z == w, 0.0, w) + np.where(np.isfinite(z), z, 0.0)


def sums(z, w, r):
    return np.sum(z * w) + np.mean(z * r) + np.prod(z) + np.dot(z, w) + np.vdot(z, w) + z @ r + np.sum(z.real * w)


def over_axes(z, w, r):
    a = np.outer(z, w) + r
    return a.sum(axis=0) + a.sum(axis=1) + a.mean(axis=0) + (a * a).sum(axis=1, keepdims=True)[:, 0] + a.T[1]


def pieces(z, w, r):
    a = np.concatenate((z[1:], w[:1])) * z[::-1]
    return a + z[np.array([0, 2, 2, 5, 1, 1, 6])] + np.full(7, 1j) * r + np.zeros_like(z) + np.roll(w, 2)


def stored(z, w, r):
    a = np.zeros(7, dtype=complex)
    a[1:-1] = z[2:] - 2.0 * z[1:-1] + z[:-2]
    a[:3] = r[:3]
    a += w
    a[2:] *= 1j
    a[:4] /= z[:4]
    a -= a.mean()
    a[r > 0.5] = 1.0
    b = a.real * a.imag
    a[0] = b[1]
    return a * b


def many_steps(z, w, r):
    u = z.copy()
    for k in range(4):
        u[1:-1] += 0.1j * (u[2:] - 2.0 * u[1:-1] + u[:-2])
        u = u * np.exp(1j * r * np.abs(u) ** 2 * 0.1) + 0.01 * k * w
    return u


PROGRAMS: tuple[Callable[..., Any], ...] = (
    *(arithmetic, powers, elementary, inverses, parts, choices, sums, over_axes, pieces, stored, many_steps),
)


def same(found: Any, expected: Any) -> None:
    """Fail unless arrays agree to rounding, relative to the largest item."""
    found, expected = np.asarray(found), np.asarray(expected)
    assert found.dtype == expected.dtype and found.shape == expected.shape
    np.testing.assert_allclose(found, expected, rtol=1e-13, atol=1e-13 * np.max(np.abs(expected)))


@pytest.mark.parametrize("f", PROGRAMS, ids=lambda f: f.__name__)
def test_loops_over_complex_numbers(f: Callable[..., Any]) -> None:
    expected, pullback = vjp(f, Z, W, R)
    same(expected, f(Z, W, R))
    found, ours = vjp(f, Z, W, R, backend="numba")
    same(found, expected)
    seed = np.ones_like(expected) * (0.7 if np.isrealobj(expected) else 1.3 - 0.4j)
    seed = seed if np.ndim(expected) else seed[()]
    for a, b in zip(ours(seed), pullback(seed), strict=True):
        same(a, b)
    same(jvp(f, (Z, W, R), (W, Z, R), backend="numba")[1], jvp(f, (Z, W, R), (W, Z, R))[1])


def of_neighbours(z):
    return np.sum(np.abs(z * z[::-1] + np.exp(1j * z.real)) ** 2)


def test_no_call_for_an_array_is_left() -> None:
    lines = grad(of_neighbours, backend="numba").source_for(Z).splitlines()
    code = "\n".join(line for line in lines if not line.strip().startswith("#"))
    assert "for i in range" in code
    assert not any(call in code for call in ("np.abs(", "np.sum(", ".astype("))


def quotients(z, w):
    return np.sum(np.abs(np.where(np.isfinite(z / w), z, 0.0)) ** 2)


def test_nothing_is_raised_where_numpy_divides_by_zero() -> None:
    w = np.array([1.0, 0.0, 2j, 0.0, 1.0, 1.0, 1.0])
    with np.errstate(all="ignore"):
        same(grad(quotients, backend="numba")(Z, w), grad(quotients)(Z, w))


def near_zero(z):
    return np.expm1(z)


def nothing_to_a_power(z):
    return z ** (1 + 2j) + z**2.5


def above_the_cut(z):
    return np.arccosh(z)


def far_from_the_axis(z):
    return np.tanh(z)


@pytest.mark.parametrize(
    ("f", "z"),
    [
        (
            far_from_the_axis,
            np.array([800.0 + 1j, -360.0 - 0.5j, 20.0 + 2j, 1e-9 + 1.5j, complex(np.inf, 1.0), 0.3 - 1j]),
        ),
        (near_zero, np.array([1e-10 + 1e-10j, -3e-9j, 1e-200, 0.5 - 2j])),
        (nothing_to_a_power, np.array([0j, 1.0 - 1j])),
        (above_the_cut, np.array([complex(-2.0, -0.0), complex(-2.0, 0.0), complex(0.5, -0.0), 3.0 + 0j])),
    ],
    ids=["far_from_the_axis", "near_zero", "nothing_to_a_power", "above_the_cut"],
)
def test_values_are_those_of_numpy(f: Callable[[Any], Any], z: Any) -> None:
    found, _ = vjp(f, z, backend="numba")
    np.testing.assert_allclose(found.real, f(z).real, rtol=1e-13)
    np.testing.assert_allclose(found.imag, f(z).imag, rtol=1e-13)
    number, _ = vjp(f, complex(z[-1]), backend="numba")
    np.testing.assert_allclose(number, f(complex(z[-1])), rtol=1e-13)


def by_phase(x):
    total = 0.0
    for k in range(3):
        total = total + abs(cmath.acosh(complex(x, -k)) - cmath.exp(1j * x * k))
    return total


def test_numbers() -> None:
    same(grad(by_phase, backend="numba")(1.7), grad(by_phase)(1.7))
