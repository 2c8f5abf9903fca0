"""Equations, inverses, determinants and factors of stacks of matrices, through both tiers."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

pytest.importorskip("numba")

from s2sad import grad, jvp, value_and_grad

RNG = np.random.default_rng(11)
A = RNG.normal(size=(4, 3, 3)) + 2.0 * np.eye(3)
B = RNG.normal(size=(4, 3, 2))


def solved(a, b):
    return np.sum(np.linalg.solve(a, b) ** 2)


def solved_for_one_side(a, b):
    return np.sum(np.linalg.solve(a, b[0]) ** 2)


def solved_for_one_matrix(a, b):
    return np.sum(np.linalg.solve(a[1], b) ** 3)


def solved_for_a_vector(a, b):
    return np.sum(np.linalg.solve(a, b[0, :, 1]) ** 2)


def solved_for_vectors(a, b):
    return np.sum(np.linalg.solve(a, b[:, :, :1])[..., 0] ** 2)


def solved_in_pairs(a, b):
    four = np.stack((a[:2], a[2:]))
    return np.sum(np.linalg.solve(four, b[:2]) ** 2) + np.sum(np.linalg.solve(np.swapaxes(four, -1, -2), b[2:]))


def inverted(a, b):
    return np.sum(np.linalg.inv(a) ** 2) + np.sum(np.linalg.inv(a) @ b)


def determinants(a, b):
    return np.sum(np.linalg.det(a) ** 2 * b[:, 0, 0])


def factors(a, b):
    spd = a @ np.swapaxes(a, -1, -2) + np.eye(3)
    return np.sum(np.linalg.cholesky(spd) @ b)


def complex_ones(a, b):
    return np.sum(np.abs(np.linalg.solve(a + 1j * np.eye(3), b)) ** 2) + np.sum(np.real(np.linalg.inv(a * (1 + 1j))))


def logarithms_of_determinants(a, b):
    signs, logs = np.linalg.slogdet(a)
    return np.sum(signs * logs * b[:, 0, 1])


def eigenvalues_and_vectors(a, b):
    w, v = np.linalg.eigh(a + np.swapaxes(a, 1, 2))
    return np.sum(w**3) + np.sum(v[..., 0] ** 2 * b[..., 0]) + np.sum(np.linalg.eigvalsh(a) ** 2)


def singular_values_and_vectors(a, b):
    u, s, vt = np.linalg.svd(b, full_matrices=False)
    p, _, qt = np.linalg.svd(a)
    inner = np.sum(p[..., 0] ** 2 * qt[:, 0] ** 2)
    return np.sum(s[:, None] * u * vt[:, :1]) + inner + np.sum(np.linalg.svd(b, compute_uv=False) ** 3)


def orthogonal_and_triangular(a, b):
    q, r = np.linalg.qr(b)
    wide, rest = np.linalg.qr(np.swapaxes(b, 1, 2))
    return np.sum(q[..., 0] * a[..., 0]) + np.sum(r[:, 0] ** 3) + np.sum(rest**2 * wide[:, :1, :1])


def pseudo_inverses(a, b):
    return np.sum(np.linalg.pinv(b) @ a) + np.sum(np.linalg.pinv(np.stack((b, 2.0 * b)))[1, 2] ** 2)


PROGRAMS: tuple[Callable[..., Any], ...] = (
    *(solved, solved_for_one_side, solved_for_one_matrix, solved_for_a_vector, solved_for_vectors, solved_in_pairs),
    *(inverted, determinants, factors, complex_ones, logarithms_of_determinants, eigenvalues_and_vectors),
    *(singular_values_and_vectors, orthogonal_and_triangular, pseudo_inverses),
)


@pytest.mark.parametrize("f", PROGRAMS, ids=lambda f: f.__name__)
def test_both_tiers_agree_on_stacks(f: Callable[..., Any]) -> None:
    value, gradients = value_and_grad(f, wrt=(0, 1))(A, B)
    found, ours = value_and_grad(f, wrt=(0, 1), backend="numba")(A, B)
    np.testing.assert_allclose(found, value, rtol=1e-12)
    for mine, theirs in zip(ours, gradients, strict=True):
        np.testing.assert_allclose(mine, theirs, rtol=1e-10, atol=1e-12 * np.max(np.abs(theirs)))
    assert jvp(f, (A, B), (B @ np.swapaxes(B, 1, 2), B), backend="numba")[1] == pytest.approx(
        jvp(f, (A, B), (B @ np.swapaxes(B, 1, 2), B))[1], rel=1e-10
    )


def test_no_matrices() -> None:
    for f in (logarithms_of_determinants, eigenvalues_and_vectors, orthogonal_and_triangular):
        found = grad(f, wrt=(0, 1), backend="numba")(A[:0], B[:0])
        assert [g.shape for g in found] == [(0, 3, 3), (0, 3, 2)]


def test_a_stack_with_a_singular_matrix() -> None:
    singular = A.copy()
    singular[2] = 0.0
    with pytest.raises(np.linalg.LinAlgError):
        grad(solved)(singular, B)
    with pytest.raises(np.linalg.LinAlgError):
        grad(solved, backend="numba")(singular, B)


def test_stacks_that_do_not_go_together() -> None:
    for backend in ("python", "numba"):
        with pytest.raises(ValueError):
            grad(solved, backend=backend)(A, B[:3])
