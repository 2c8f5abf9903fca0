"""The rules of scipy.linalg, through the public interface."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from rules.samples import arr, spd, square
from rules.through import check

import s2sad

linalg = pytest.importorskip("scipy.linalg")

G, P, b, B = square(4), spd(4), arr(4), arr(4, 3)
V = [arr(2, 4)[0], arr(2, 4)[1]]
FACTORS = linalg.lu_factor(G)
SMALL = 0.3 * arr(3, 3)
TALL = np.array([[1.0, 0.2], [-0.3, 0.8], [0.5, -0.6]])


def log_det(a: Any) -> Any:
    """By factors that are used twice."""
    lu, piv = linalg.lu_factor(a)
    return np.sum(np.log(np.abs(np.diag(lu)))), linalg.lu_solve((lu, piv), b)


CASES: list[tuple[Callable[..., Any], tuple[Any, ...]]] = [
    (lambda a, b: linalg.solve(a, b), (G, b)),
    (lambda a, b: linalg.solve(a, b), (G, B)),
    (lambda a, b: linalg.solve(a, b, assume_a="gen", check_finite=False), (G, B)),
    (lambda a, b: linalg.solve(a, b, assume_a="pos"), (P, b)),
    (lambda a, b: linalg.solve(a, b, lower=True, assume_a="pos"), (P, B)),
    (lambda a, b: linalg.solve(a, b, assume_a="sym"), (P, B)),
    (lambda a, b: linalg.solve_triangular(a, b), (G, b)),
    (lambda a, b: linalg.solve_triangular(a, b, lower=True), (G, B)),
    (lambda a, b: linalg.solve_triangular(a, b, trans=1), (G, B)),
    (lambda a, b: linalg.solve_triangular(a, b, trans="T", lower=True), (G, b)),
    (lambda a, b: linalg.solve_triangular(a, b, 0, True, True), (G, b)),
    (lambda a, b: linalg.solve_triangular(a, b, trans="N", unit_diagonal=True, check_finite=False), (G, B)),
    (lambda a, b: linalg.cho_solve(linalg.cho_factor(a), b), (P, b)),
    (lambda a, b: linalg.cho_solve(linalg.cho_factor(a, lower=True), b), (P, B)),
    (lambda a, b: linalg.cho_solve((linalg.cholesky(a, True), True), b), (P, b)),
    (lambda a, b: linalg.cho_solve((np.linalg.cholesky(a), True), b, check_finite=False), (P, B)),
    (lambda b: linalg.lu_solve(FACTORS, b), (b,)),
    (lambda b: linalg.lu_solve(linalg.lu_factor(G), b, trans=1), (B,)),
    (lambda a, b: linalg.lu_solve(linalg.lu_factor(a), b), (G, b)),
    (lambda a, b: linalg.lu_solve(linalg.lu_factor(a), b), (G[::-1].copy(), B)),
    (lambda a, b: linalg.lu_solve(linalg.lu_factor(a, check_finite=False), b, 1), (G[::-1].copy(), B)),
    (lambda a: linalg.lu_factor(a)[0], (G[[2, 0, 3, 1]],)),
    (lambda a: log_det(a), (G[::-1].copy(),)),
    (lambda a: linalg.coshm(a) + linalg.sinhm(a) @ linalg.tanhm(a), (SMALL,)),
    (lambda a: linalg.cosm(a) + linalg.sinm(a) @ linalg.tanm(a), (SMALL,)),
    (lambda a, b: linalg.solve_continuous_are(a, b, np.eye(3), 2.0 * np.eye(2)), (SMALL, TALL)),
    (lambda a, b: linalg.solve_discrete_are(a, b, np.eye(3), 2.0 * np.eye(2)), (SMALL, TALL)),
    (lambda q, r: linalg.solve_continuous_are(SMALL, TALL, q * np.eye(3), r * np.eye(2)), (1.5, 0.7)),
    (lambda q, r: linalg.solve_discrete_are(SMALL, TALL, q * np.eye(3), r * np.eye(2)), (1.5, 0.7)),
    (lambda c, x: linalg.matmul_toeplitz(c, x) + linalg.matmul_toeplitz((c, x), x), (b, b[::-1].copy())),
    (lambda a: linalg.sqrtm(a), (P,)),
    (lambda a: linalg.sqrtm(a), (P + 0.3 * G,)),
    (lambda a: linalg.logm(a), (P,)),
    (lambda a: linalg.logm(a), (P + 0.3 * G,)),
    (lambda a, b: linalg.solve(a, [b[0], 1.0, 2.0, b[3]]), (G, b)),
    (lambda a: linalg.inv(a), (G,)),
    (lambda a: linalg.det(a), (G,)),
    (lambda a: linalg.pinv(a), (arr(4, 3),)),
    (lambda a: linalg.norm(a), (G,)),
    (lambda a: linalg.norm(a, ord=1, axis=0, check_finite=False), (G,)),
    (lambda a: linalg.cholesky(a), (P,)),
    (lambda a: linalg.cholesky(a, lower=True), (P,)),
    (lambda a: linalg.eigh(a)[0], (P,)),
    (lambda a: np.abs(linalg.eigh(a, lower=False)[1]), (P,)),
    (lambda a: linalg.eigh(a, eigvals_only=True), (P,)),
    (lambda a: linalg.eigvalsh(a, lower=False), (P,)),
    (lambda a: linalg.svd(a, full_matrices=False)[1], (arr(4, 3),)),
    (lambda a: linalg.svd(a, compute_uv=False), (G,)),
    (lambda a: linalg.svdvals(a), (arr(3, 4),)),
    (lambda a: linalg.expm(a), (SMALL,)),
    (lambda a: linalg.expm(a), (G,)),
    (lambda ab, b: linalg.solve_banded((1, 1), ab, b), (arr(3, 4) + [[0.0], [4.0], [0.0]], b)),
    (lambda ab, b: linalg.solve_banded((2, 1), ab, b), (arr(4, 4) + [[0.0], [6.0], [0.0], [0.0]], B)),
    (lambda ab, b: linalg.solve_banded((0, 2), ab, b), (arr(3, 4) + [[0.0], [0.0], [4.0]], b)),
    (lambda a, b, q: linalg.solve_sylvester(a, b, q), (G, square(3), B)),
    (lambda a, q: linalg.solve_continuous_lyapunov(a, q), (G, P)),
    (lambda a, q: linalg.solve_discrete_lyapunov(a, q), (SMALL, arr(3, 3))),
    (lambda c: linalg.toeplitz(c), (b,)),
    (lambda c, r: linalg.toeplitz(c, r), (b, arr(3))),
    (lambda c: linalg.circulant(c), (b,)),
    (lambda c: linalg.hankel(c), (b,)),
    (lambda c, r: linalg.hankel(c, r), (b, arr(3))),
    (lambda x, y, z: linalg.block_diag(x, y, z), (arr(2, 3), b, 0.5)),
    (lambda a: linalg.lu(a), (arr(4, 4),)),
    (lambda a: linalg.lu(a, permute_l=True), (arr(4, 4),)),
    (lambda a: linalg.qr(a), (G,)),
    (lambda a: linalg.qr(a), (arr(2, 4),)),
    (lambda a: linalg.qr(a, mode="economic"), (arr(5, 3),)),
    (lambda a: linalg.qr(a, mode="r")[0], (G,)),
    (lambda a: linalg.polar(a), (G,)),
    (lambda a: linalg.polar(a), (arr(5, 3),)),
    (lambda a: linalg.polar(a, side="left"), (arr(3, 5),)),
    (lambda a: linalg.polar(a), (np.eye(3),)),
    (lambda a: linalg.pinvh(a) + linalg.pinvh(a, lower=False), (P,)),
    (lambda a, x: linalg.khatri_rao(a, x), (arr(2, 3), arr(4, 3))),
    (lambda c, x: linalg.solve_toeplitz(c, x), (b + 3.0 * np.eye(4)[0], B)),
    (lambda c, r, x: linalg.solve_toeplitz((c, r), x), (b + 3.0 * np.eye(4)[0], arr(4, seed=2), b)),
    *[(lambda a, m=m: linalg.convolution_matrix(a, 3, m), (b,)) for m in ("full", "same", "valid")],
    *[(lambda a, m=m: linalg.convolution_matrix(a, 6, mode=m), (b,)) for m in ("full", "same", "valid")],
]


@pytest.mark.parametrize(("f", "args"), CASES, ids=range(len(CASES)))
def test_derivatives(f: Callable[..., Any], args: tuple[Any, ...]) -> None:
    check(f, *args)


def test_scipy_is_not_imported() -> None:
    code = "import sys, numpy as np, s2sad; s2sad.grad(np.linalg.det)(np.eye(2)); assert 'scipy' not in sys.modules"
    subprocess.run([sys.executable, "-c", code], check=True)


def test_one_triangle_counts() -> None:
    """What is not read has derivative zero."""

    def upper(a: Any) -> Any:
        return np.sum(linalg.solve(a, b, assume_a="pos"))

    def lower(a: Any) -> Any:
        return np.sum(linalg.cho_solve(linalg.cho_factor(a, lower=True), b))

    assert np.all(np.tril(s2sad.grad(upper)(P), -1) == 0.0)
    assert np.all(np.triu(s2sad.grad(lower)(P), 1) == 0.0)


def overwrites(a: Any) -> Any:
    return linalg.solve(a, b, overwrite_a=True)


def overwrites_by_position(a: Any) -> Any:
    return linalg.inv(a, True)


def assumes_a_band(a: Any) -> Any:
    return linalg.solve(a, b, assume_a="tridiagonal")


def turns(a: Any) -> Any:
    return linalg.solve(a, b, transposed=True)


def pivots(a: Any) -> Any:
    return linalg.qr(a, pivoting=True)[1]


def overwrites_factors(a: Any) -> Any:
    return linalg.lu(a, overwrite_a=True)[1]


def of_rank(a: Any) -> Any:
    return linalg.pinvh(a, rtol=0.1)


REFUSED = [overwrites, overwrites_by_position, assumes_a_band, turns, pivots, overwrites_factors, of_rank]


@pytest.mark.parametrize("f", [lambda a: linalg.qr(a)[0], lambda a: linalg.lu(a)[1], lambda a: linalg.polar(a.T)[0]])
def test_shapes_that_are_refused(f: Callable[..., Any]) -> None:
    with pytest.raises(s2sad.NotDifferentiable, match=r"test_scipy_linalg.py:\d+(.|\n)*differentiated"):
        s2sad.grad(lambda a: np.sum(f(a)))(arr(4, 3))


@pytest.mark.parametrize("f", REFUSED)
def test_what_is_refused(f: Callable[..., Any]) -> None:
    with pytest.raises((s2sad.NotDifferentiable, s2sad.MissingRule, s2sad.UnsupportedSyntax)):
        s2sad.jvp(f, (G,), (G,))


def gaussian_process(scale: Any, noise: Any, x: Any, y: Any) -> Any:
    kernel = np.exp(-0.5 * (x[:, None] - x) ** 2 / scale**2) + noise * np.eye(len(x))
    factor = linalg.cho_factor(kernel, lower=True)
    fit = linalg.cho_solve(factor, y)
    return -0.5 * y @ fit - np.sum(np.log(np.diag(factor[0])))


def test_gaussian_process() -> None:
    s2sad.check_grads(gaussian_process, wrt=(0, 1, 2, 3))(0.7, 0.3, arr(5, low=0.0, high=3.0), arr(5, seed=1))
    text = s2sad.grad(gaussian_process).source_for(0.7, 0.3, arr(5), arr(5))
    assert "linalg.solve_triangular(" in text


@pytest.mark.parametrize("function", [linalg.sqrtm, linalg.logm])
def test_complex_functions_of_real_matrices_are_refused(function: Callable[..., Any]) -> None:
    with pytest.raises(s2sad.NotDifferentiable, match=r"test_scipy_linalg.py:\d+(.|\n)*complex"):
        s2sad.grad(lambda a: np.sum(function(a)))(-P)


def test_the_logarithm_along_directions_of_any_size() -> None:
    want = s2sad.jvp(linalg.logm, (P,), (G,))[1]
    for size in (1e-200, 1e12):
        np.testing.assert_allclose(s2sad.jvp(linalg.logm, (P,), (size * G,))[1], size * want, rtol=1e-10)
