"""Factorisations of complex matrices, and what is made of them, through the public interface.

Vectors that are told up to a factor are taken together such that the factors make no difference.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from fuzz.parts import compare, expected

import s2sad

RNG = np.random.default_rng(11)


def numbers(*shape: int) -> Any:
    return RNG.normal(size=shape) + 1j * RNG.normal(size=shape)


G, W, T, B, b = numbers(4, 4), numbers(3, 4), numbers(5, 3), numbers(4, 2), numbers(4)
H = G @ G.conj().T + np.eye(4)
STACK, ROWS = numbers(2, 3, 3), numbers(5)
REAL = RNG.normal(size=(4, 4))


def spread(w: Any, v: Any) -> Any:
    """What does not depend on the phases of eigenvectors."""
    return np.sum(np.abs(v) ** 4, axis=-1) * w, v @ np.diag(np.sin(w)) @ np.conj(v).T


def joined(u: Any, s: Any, vt: Any) -> Any:
    """What does not depend on the common phases of singular vectors."""
    return np.sin(s), u @ np.diag(s**2) @ vt, np.abs(u) ** 2, np.abs(vt) ** 4


def covered(q: Any, r: Any) -> Any:
    return q @ np.conj(q).T, q @ np.sin(r), np.abs(q)


CASES: dict[str, tuple[Callable[..., Any], tuple[Any, ...]]] = {
    "slogdet": (lambda a: np.linalg.slogdet(a), (G,)),
    "slogdet of a stack": (lambda a: np.linalg.slogdet(a)[1] * np.linalg.slogdet(a)[0], (STACK,)),
    "log of a determinant": (lambda a: np.linalg.slogdet(a)[1], (H,)),
    "cholesky": (lambda a: np.linalg.cholesky(a + np.conj(a).T), (H,)),
    "cholesky of one triangle": (lambda a: np.linalg.cholesky(a), (H,)),
    "cholesky of the upper triangle": (lambda a: np.linalg.cholesky(a, upper=True), (H,)),
    "qr": (lambda a: np.linalg.qr(a), (G,)),
    "qr, narrow": (lambda a: np.linalg.qr(a), (T,)),
    "qr, wide": (lambda a: np.linalg.qr(a), (W,)),
    "qr, r alone": (lambda a: np.linalg.qr(a, mode="r"), (T,)),
    "qr of a stack": (lambda a: covered(*(x[1] for x in np.linalg.qr(a))), (STACK,)),
    "eigh": (lambda a: spread(*np.linalg.eigh(a)), (H,)),
    "eigh of the upper triangle": (lambda a: spread(*np.linalg.eigh(a, UPLO="U")), (H,)),
    "eigh of a stack": (lambda a: np.linalg.eigh(a)[0], (STACK,)),
    "eigvalsh": (lambda a: np.linalg.eigvalsh(a) ** 2, (G,)),
    "eigvalsh of the upper triangle": (lambda a: np.linalg.eigvalsh(a, "U"), (G,)),
    "svd": (lambda a: joined(*np.linalg.svd(a)), (G,)),
    "svd, narrow": (lambda a: joined(*np.linalg.svd(a, full_matrices=False)), (T,)),
    "svd, wide": (lambda a: joined(*np.linalg.svd(a, full_matrices=False)), (W,)),
    "singular values": (lambda a: np.linalg.svd(a, compute_uv=False), (W,)),
    "singular values of a stack": (lambda a: np.linalg.svdvals(a), (STACK,)),
    "norm 2": (lambda a: np.linalg.norm(a, 2), (T,)),
    "norm -2": (lambda a: np.linalg.norm(a, -2), (W,)),
    "nuclear norm": (lambda a: np.linalg.norm(a, "nuc"), (T,)),
    "norm 2 of one item": (lambda a: np.linalg.norm(a, 2, keepdims=True), (T,)),
    "select": (lambda a: np.select([a.real > 0.3, a.imag > 0.0], [a, a * a], 0.3 + 1j), (T,)),
    "choose": (lambda a, b: np.choose(np.array([0, 1, 1, 0]), [a, b * a]), (b, b[::-1].copy())),
    "select among real and complex numbers": (lambda a, x: np.select([x > 0.3], [a], x), (b, np.real(b))),
    "linspace": (lambda x, z: np.linspace(x, z, 5), (0.3, 0.2 + 1j)),
    "interp": (lambda x, f: np.interp(x, np.arange(4.0), f), (np.array([0.3, 2.2]), b)),
    "interp of what is real": (lambda x, f: np.interp(x, f, b), (np.array([0.3, 2.2]), np.arange(4.0))),
    "cond": (lambda a: np.linalg.cond(a), (G,)),
    "pinv": (lambda a: np.linalg.pinv(a), (T,)),
    "pinv, wide": (lambda a: np.linalg.pinv(a), (W,)),
    "lstsq": (lambda a, b: np.linalg.lstsq(a, b)[:2], (T, ROWS)),
    "lstsq, wide": (lambda a, b: np.linalg.lstsq(a, b)[0], (W, ROWS[:3])),
    "lstsq, several": (lambda a, b: np.linalg.lstsq(a, b, rcond=None)[0], (T, numbers(5, 2))),
    "lstsq of real numbers by complex ones": (lambda a, b: np.linalg.lstsq(a, b)[:2], (T, np.real(ROWS))),
    "lstsq of complex numbers by real ones": (lambda a, b: np.linalg.lstsq(a, b)[:2], (np.real(T), ROWS)),
    "matrix_power": (lambda a: np.linalg.matrix_power(a, 3) + np.linalg.matrix_power(a, -1), (G,)),
    "solve of a real matrix": (lambda a, b: np.linalg.solve(a, b), (REAL, b)),
}


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("name", CASES)
def test_agrees_with_differences(name: str) -> None:
    check(*CASES[name])


def check(f: Callable[..., Any], args: tuple[Any, ...]) -> None:
    def total(*xs: Any) -> Any:
        y = f(*xs)
        if isinstance(y, tuple):
            return sum([measured(part) for part in y])
        return measured(y)

    compare(f, expected(f, args, 3))
    compare(total, expected(total, args, 3))


def measured(x: Any) -> Any:
    return np.sum(np.cos(np.real(x)) + np.sin(np.imag(x) * np.real(x)))


def test_vectors_do_not_turn() -> None:
    """Nothing of the tangent of an eigenvector is along it: a convention, as phases are not told."""
    d = numbers(4, 4)
    (_, v), (_, dv) = s2sad.jvp(lambda a: np.linalg.eigh(a), (H,), (d,))
    np.testing.assert_allclose(np.sum(np.conj(v) * dv, axis=0), 0.0, atol=1e-12)
    (_, _, vt), (_, _, dvt) = s2sad.jvp(lambda a: np.linalg.svd(a), (G,), (d,))
    np.testing.assert_allclose(np.sum(np.conj(vt) * dvt, axis=1), 0.0, atol=1e-12)


def summed(m: Any, *parts: Any) -> Any:
    return sum([m.sum(m.cos(m.real(p)) + m.sin(m.imag(p) * m.real(p))) for p in parts])


OF_EITHER: dict[str, tuple[Callable[..., Any], Any]] = {
    "cholesky": (lambda m, a: summed(m, m.linalg.cholesky(a + m.conj(a).T)), H),
    "slogdet": (lambda m, a: summed(m, *m.linalg.slogdet(a)), G),
    "qr": (lambda m, a: summed(m, *m.linalg.qr(a)), T),
    "eigh": (lambda m, a: summed(m, m.abs(m.linalg.eigh(a + m.conj(a).T)[1]) ** 3), H),
    "svd": (lambda m, a: summed(m, m.abs(m.linalg.svd(a, full_matrices=False)[0]) ** 3), G),
    "pinv": (lambda m, a: summed(m, m.linalg.pinv(a)), T),
    "norm": (lambda m, a: m.linalg.norm(a, "nuc"), T),
    "convolve": (lambda m, a: summed(m, m.convolve(a[0], a[1], "same")), T),
    "linspace": (lambda m, a: summed(m, m.linspace(a[0], a[1], 4)), T),
}


@pytest.mark.parametrize("name", OF_EITHER)
def test_agrees_with_jax(name: str) -> None:
    jax = pytest.importorskip("jax")
    f, a = OF_EITHER[name]
    with jax.enable_x64(True):
        wanted = np.asarray(jax.grad(lambda x: f(jax.numpy, x))(jax.numpy.asarray(a)))
    np.testing.assert_allclose(s2sad.grad(lambda x: f(np, x))(a), wanted, rtol=1e-7, atol=1e-9)
