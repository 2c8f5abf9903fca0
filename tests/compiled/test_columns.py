"""Matrices are laid out by columns where loops go along these, and come back by rows."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from s2sad import grad, value_and_grad, vjp

pytest.importorskip("numba")

RNG = np.random.default_rng(8)
A = RNG.normal(size=(6, 5))
Y = RNG.normal(size=(6, 5))


@pytest.fixture(autouse=True)
def cache(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("S2SAD_CACHE_DIR", str(tmp_path))


def orthogonal(A, Y):
    Q = np.zeros_like(A)
    for k in range(A.shape[1]):
        Q[:, k] = A[:, k] / np.sqrt(np.dot(A[:, k], A[:, k]))
        for j in range(k + 1, A.shape[1]):
            A[:, j] -= Q[:, k] * np.dot(Q[:, k], A[:, j])
    return np.sum(Y * Q)


def orthogonal_and_more(A, Y):
    B = A.copy()
    for k in range(B.shape[1]):
        for j in range(k + 1, B.shape[1]):
            B[:, j] -= B[:, k] * np.dot(B[:, k], B[:, j])
    flat = B.ravel()  # what is more than items stays by rows
    flat[1] = 0.0
    return np.sum(Y * B) + np.sum(flat[:7] ** 2)


def by_rows(A, Y):
    B = A.copy()
    for k in range(B.shape[0]):
        for j in range(k + 1, B.shape[0]):
            B[j] -= B[k] * np.dot(B[k], B[j])
    return np.sum(Y * B)


def chosen(A, Y, first):
    B = np.empty_like(A) if first else A.copy()
    for k in range(B.shape[1]):
        for j in range(k, B.shape[1]):
            B[:, j] = A[:, k] * Y[:, j]
    return np.sum(B * B)


def test_the_layout_is_by_columns() -> None:
    source = grad(orthogonal, backend="numba").source_for(A, Y)
    assert "A = A.T.copy().T" in source
    assert "bA = np.ascontiguousarray(bA)" in source
    assert ".T" not in grad(by_rows, backend="numba").source_for(A, Y)


@pytest.mark.parametrize("f", [orthogonal, orthogonal_and_more, by_rows])
@pytest.mark.parametrize("change", [np.asarray, np.asfortranarray, np.float32, lambda A: A[:, :1], lambda A: A[:, :0]])
def test_both_tiers_agree(f: Callable[..., Any], change: Callable[..., Any]) -> None:
    args = change(A), change(Y)
    if f is orthogonal_and_more and args[0].size < 7:
        args = A[::2], Y[::2]
    rtol = 1e-4 if args[0].dtype == np.float32 else 1e-12
    value, found = value_and_grad(f, wrt=(0, 1), backend="numba")(*(a.copy() for a in args))
    expected_value, expected = value_and_grad(f, wrt=(0, 1))(*(a.copy() for a in args))
    np.testing.assert_allclose(value, expected_value, rtol=rtol)
    for a, b in zip(found, expected, strict=True):
        np.testing.assert_allclose(a, b, rtol=rtol, atol=rtol)
        assert a.flags.c_contiguous
        assert a.dtype == b.dtype
    _, pull_back = vjp(f, *(a.copy() for a in args), backend="numba")
    for _ in range(2):
        for a, b in zip(pull_back(args[0].dtype.type(1.0)), expected, strict=True):
            np.testing.assert_allclose(a, b, rtol=rtol, atol=rtol)


@pytest.mark.parametrize("first", [True, False])
def test_two_ways_to_make_a_matrix(first: bool) -> None:
    found = grad(chosen, wrt=(0, 1), backend="numba")(A, Y, first)
    for a, b in zip(found, grad(chosen, wrt=(0, 1))(A, Y, first), strict=True):
        np.testing.assert_allclose(a, b, rtol=1e-12)
