"""scipy.linalg and scipy.signal of complex numbers, through the public interface."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

linalg = pytest.importorskip("scipy.linalg")
signal = pytest.importorskip("scipy.signal")

from rules.test_complex_linalg import B, G, H, T, W, b, check, joined, numbers, spread  # noqa: E402

SMALL = 0.4 * numbers(3, 3)
FACTORS = linalg.lu_factor(G)
LONG, SHORT, AREA, PATCH = numbers(9), numbers(4), numbers(5, 6), numbers(2, 3)
Q = numbers(3, 3)


def factored(a: Any, lower: Any = False) -> Any:
    return linalg.cho_factor(a + np.conj(a).T, lower)


CASES: dict[str, tuple[Callable[..., Any], tuple[Any, ...]]] = {
    "solve": (lambda a, b: linalg.solve(a, b), (G, b)),
    "solve, real right side": (lambda a, b: linalg.solve(a, b), (G, np.real(B))),
    "solve, symmetric": (lambda a, b: linalg.solve(a, b, assume_a="sym"), (G + G.T, b)),
    "solve, hermitian": (lambda a, b: linalg.solve(a, b, assume_a="her"), (H, B)),
    "solve, positive": (lambda a, b: linalg.solve(a, b, lower=True, assume_a="pos"), (H, b)),
    "solve_triangular": (lambda a, b: linalg.solve_triangular(a, b), (H, b)),
    "solve_triangular, transposed": (lambda a, b: linalg.solve_triangular(a, b, trans=1, lower=True), (H, B)),
    "solve_triangular, conjugated": (lambda a, b: linalg.solve_triangular(a, b, trans="C"), (H, B)),
    "solve_triangular, conjugated vector": (
        lambda a, b: linalg.solve_triangular(a, b, trans=2, lower=True, unit_diagonal=True),
        (0.3 * G, b),
    ),
    "cho_solve": (lambda a, b: linalg.cho_solve(factored(a), b), (H, b)),
    "cho_solve, lower": (lambda a, b: linalg.cho_solve(factored(a, True), b), (H, B)),
    "lu_solve": (lambda b: linalg.lu_solve(FACTORS, b), (B,)),
    "lu_solve, conjugated": (lambda b: linalg.lu_solve(FACTORS, b, trans=2), (b,)),
    "inv": (lambda a: linalg.inv(a), (G,)),
    "det": (lambda a: linalg.det(a), (G,)),
    "pinv": (lambda a: linalg.pinv(a), (T,)),
    "norm": (lambda a: linalg.norm(a) + linalg.norm(a, 2), (W,)),
    "cholesky": (lambda a: linalg.cholesky(a), (H,)),
    "cholesky, lower": (lambda a: linalg.cholesky(a, lower=True), (H,)),
    "eigh": (lambda a: spread(*linalg.eigh(a)), (H,)),
    "eigh, upper": (lambda a: spread(*linalg.eigh(a, lower=False)), (H,)),
    "eigvalsh": (lambda a: linalg.eigvalsh(a), (H,)),
    "svd": (lambda a: joined(*linalg.svd(a, full_matrices=False)), (T,)),
    "svdvals": (lambda a: linalg.svdvals(a), (W,)),
    "expm": (lambda a: linalg.expm(a), (SMALL,)),
    "solve_sylvester": (lambda a, b, q: linalg.solve_sylvester(a, b, q), (Q, SMALL + 4.0 * np.eye(3), SMALL)),
    "lyapunov": (lambda a, q: linalg.solve_continuous_lyapunov(a, q), (Q + 4.0 * np.eye(3), SMALL)),
    "discrete lyapunov": (lambda a, q: linalg.solve_discrete_lyapunov(a, q), (0.5 * SMALL, Q)),
    "toeplitz": (lambda c: linalg.toeplitz(c), (b,)),
    "toeplitz of two": (lambda c, r: linalg.toeplitz(c, r), (b, SHORT)),
    "circulant": (lambda c: linalg.circulant(c), (b,)),
    "hankel": (lambda c: linalg.hankel(c), (b,)),
    "block_diag": (lambda x, y: linalg.block_diag(x, y), (SMALL, np.real(SMALL))),
    "convolve": (lambda x, y: signal.convolve(x, y), (LONG, SHORT)),
    "convolve, same": (lambda x, y: signal.convolve(x, y, "same"), (SHORT, LONG)),
    "convolve, valid": (lambda x, y: signal.convolve(x, y, mode="valid", method="fft"), (LONG, SHORT)),
    "convolve real and complex": (lambda x, y: signal.convolve(x, y, "same"), (np.real(LONG), SHORT)),
    "fftconvolve": (lambda x, y: signal.fftconvolve(x, y, "same"), (AREA, PATCH)),
    "oaconvolve": (lambda x, y: signal.oaconvolve(x, y), (LONG, SHORT)),
    "correlate": (lambda x, y: signal.correlate(x, y, "same"), (LONG, SHORT)),
    "convolve2d": (lambda x, y: signal.convolve2d(x, y, "valid"), (AREA, PATCH)),
    "correlate2d": (lambda x, y: signal.correlate2d(x, y, "same"), (AREA, PATCH)),
    "lfilter": (lambda b, a, x: signal.lfilter(b, a, x), (SHORT, np.array([1.0, 0.3j, -0.2]), LONG)),
}


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("name", CASES)
def test_agrees_with_differences(name: str) -> None:
    check(*CASES[name])
