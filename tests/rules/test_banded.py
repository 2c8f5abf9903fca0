"""The rules for symmetric banded matrices of scipy.linalg, through the public interface."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from rules.samples import arr
from rules.through import check

import s2sad

linalg = pytest.importorskip("scipy.linalg")

UPPER = np.array([[0.0, 0.0, 0.1, 0.2, 0.3], [0.0, 0.3, -0.2, 0.1, 0.5], [4.0, 5.0, 6.0, 4.0, 5.0]])
LOWER = np.array([[4.0, 5.0, 6.0, 4.0, 5.0], [0.3, -0.2, 0.1, 0.5, 0.0], [0.1, 0.2, 0.3, 0.0, 0.0]])
D, E = np.array([0.3, -1.2, 2.2, 0.9, 0.1]), np.array([0.5, -0.4, 1.1, 0.7])

CASES: dict[str, tuple[Callable[..., Any], tuple[Any, ...]]] = {
    "upper": (lambda a, b: linalg.solveh_banded(a, b), (UPPER, arr(5))),
    "columns": (lambda a, b: linalg.solveh_banded(a, b), (UPPER, arr(5, 2))),
    "lower": (lambda a, b: linalg.solveh_banded(a, b, lower=True), (LOWER, arr(5))),
    "lower columns": (lambda a, b: linalg.solveh_banded(a, b, lower=True), (LOWER, np.asfortranarray(arr(5, 2)))),
    "diagonal": (lambda a, b: linalg.solveh_banded(a, b), (UPPER[2:], arr(5))),
    "by the right side": (lambda b: linalg.solveh_banded(UPPER, b), (arr(10)[::2],)),
    "by the matrix": (lambda a: linalg.solveh_banded(a, np.ones(5)), (UPPER,)),
    "eigenvalues": (lambda d, e: linalg.eigh_tridiagonal(d, e, eigvals_only=True), (D, E)),
    "eigenvalues alone": (lambda d: linalg.eigvalsh_tridiagonal(d, E), (D,)),
    "by the other diagonal": (lambda e: linalg.eigvalsh_tridiagonal(D, e), (E,)),
    "of one": (lambda d: linalg.eigvalsh_tridiagonal(d, np.zeros(0)), (D[:1],)),
}


@pytest.mark.parametrize("name", CASES)
def test_cases(name: str) -> None:
    f, args = CASES[name]
    check(f, *args)


def test_eigenvectors() -> None:
    check(lambda d, e: linalg.eigh_tridiagonal(d, e), D, E, again=False)
    check(lambda d, e: linalg.eigh_tridiagonal(d, e)[1] ** 2, D, E, rtol=1e-5)


def test_refused() -> None:
    with pytest.raises(s2sad.S2sadError, match=r"all are asked for|no derivative rule"):
        s2sad.vjp(lambda d: linalg.eigvalsh_tridiagonal(d, E, select="i", select_range=(0, 1)), D)
    with pytest.raises(s2sad.S2sadError, match=r"leave their arguments alone"):
        s2sad.vjp(lambda b: linalg.solveh_banded(UPPER, b, overwrite_b=True), arr(5))
