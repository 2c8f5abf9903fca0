"""The rules of scipy.sparse, through the public interface."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import s2sad
from s2sad import CompileError, check_grads, grad, vjp

sparse = pytest.importorskip("scipy.sparse")
linalg = pytest.importorskip("scipy.sparse.linalg")

DENSE = np.array([[1.0, 2.0], [0.5, 3.0]])
MATRIX, ARRAY = sparse.csr_matrix(DENSE), sparse.csc_array(DENSE)
FACTORS, SOLVE = linalg.splu(sparse.csc_matrix(DENSE)), linalg.factorized(sparse.csc_matrix(DENSE))
x = np.array([0.4, 1.3])

PROGRAMS: dict[str, tuple[Callable[..., Any], Callable[..., Any]]] = {
    "matmul": (lambda x: MATRIX @ x, lambda x: DENSE @ x),
    "array": (lambda x: ARRAY @ x, lambda x: DENSE @ x),
    "from the left": (lambda x: x @ ARRAY, lambda x: x @ DENSE),
    "star": (lambda x: MATRIX * x, lambda x: DENSE @ x),
    "dot": (lambda x: MATRIX.dot(x), lambda x: DENSE @ x),
    "transposed": (lambda x: MATRIX.T @ x + ARRAY.T.dot(x), lambda x: 2.0 * DENSE.T @ x),
    "of columns": (lambda x: MATRIX @ np.stack((x, x * x), 1), lambda x: DENSE @ np.stack((x, x * x), 1)),
    "made here": (lambda x: sparse.diags([1.0, 2.0]) @ x, lambda x: np.array([1.0, 2.0]) * x),
    "spsolve": (lambda x: linalg.spsolve(MATRIX, x), lambda x: np.linalg.solve(DENSE, x)),
    "spsolve of one column": (
        lambda x: linalg.spsolve(MATRIX, x[:, None]),
        lambda x: np.linalg.solve(DENSE, x),
    ),
    "splu": (lambda x: FACTORS.solve(x), lambda x: np.linalg.solve(DENSE, x)),
    "splu transposed": (lambda x: FACTORS.solve(x, "T"), lambda x: np.linalg.solve(DENSE.T, x)),
    "factored here": (lambda x: linalg.splu(MATRIX.tocsc()).solve(x), lambda x: np.linalg.solve(DENSE, x)),
    "factorized": (lambda x: SOLVE(x), lambda x: np.linalg.solve(DENSE, x)),
    "squared": (lambda x: (MATRIX @ MATRIX) @ x, lambda x: DENSE @ DENSE @ x),
    "of two classes": (lambda x: (MATRIX @ ARRAY) @ x, lambda x: DENSE @ DENSE @ x),
    "star of two": (lambda x: MATRIX * MATRIX * x, lambda x: DENSE @ DENSE @ x),
    "star from the left": (lambda x: x * MATRIX, lambda x: x @ DENSE),
    "normal": (lambda x: (MATRIX.T @ MATRIX) @ x, lambda x: DENSE.T @ DENSE @ x),
    "sum": (lambda x: (MATRIX + ARRAY - 0.5 * MATRIX) @ x, lambda x: 1.5 * DENSE @ x),
    "multiple": (lambda x: (2.0 * MATRIX) @ x + MATRIX * 3.0 @ x, lambda x: 5.0 * DENSE @ x),
    "quotient": (lambda x: -(ARRAY / 2.0) @ x, lambda x: -0.5 * DENSE @ x),
    "by items": (lambda x: (ARRAY * ARRAY) @ x, lambda x: DENSE**2 @ x),
    "multiply": (lambda x: MATRIX.multiply(MATRIX) @ x, lambda x: DENSE**2 @ x),
    "absolute": (lambda x: abs(-MATRIX) @ x + np.abs(MATRIX) @ x, lambda x: 2.0 * DENSE @ x),
    "converted": (lambda x: MATRIX.tocsc().tolil() @ x + MATRIX.copy() @ x, lambda x: 2.0 * DENSE @ x),
    "rows": (lambda x: MATRIX[:1] @ x + ARRAY[[1]] @ x, lambda x: DENSE[:1] @ x + DENSE[1:] @ x),
    "stacked": (lambda x: sparse.vstack([MATRIX, MATRIX]) @ x, lambda x: np.vstack([DENSE, DENSE]) @ x),
    "in no format": (lambda x: sparse.kron(MATRIX, sparse.eye(1)) @ x, lambda x: DENSE @ x),
    "in no format, of arrays": (
        lambda x: ARRAY.T @ sparse.kron(ARRAY, sparse.eye(1)) @ x,
        lambda x: DENSE.T @ DENSE @ x,
    ),
    "of blocks": (
        lambda x: sparse.bmat([[MATRIX, None], [None, ARRAY]]).T @ np.tile(x, 2),
        lambda x: np.tile(DENSE.T @ x, 2),
    ),
    "stacked, of several classes": (
        lambda x: sparse.hstack([MATRIX, sparse.kron(MATRIX, sparse.eye(1))]) @ np.tile(x, 2),
        lambda x: 2.0 * DENSE @ x,
    ),
    "in several formats": (lambda x: sum(a @ x for a in several(3)), lambda x: 3.0 * x),
    "of a format that is not told": (lambda x: told_apart() @ x, lambda x: 3.0 * x),
    "items of no format": (lambda x: sparse.kron(MATRIX, sparse.eye(1)).tocsr()[0, 1] * x, lambda x: 2.0 * x),
    "implicit heat": (
        lambda x: heat(x),
        lambda x: np.linalg.solve(DENSE_HEAT, np.linalg.solve(DENSE_HEAT, np.tile(x, 2))),
    ),
    "in a format": (lambda x: sparse.kron(MATRIX, sparse.eye(1), "csr") @ x, lambda x: DENSE @ x),
    "dense": (lambda x: MATRIX.toarray() @ x * ARRAY.sum(), lambda x: DENSE @ x * np.sum(DENSE)),
    "made step by step": (lambda x: by_items() @ x, lambda x: np.array([2.0, 3.0]) * x),
    "of a sum": (
        lambda x: linalg.spsolve((sparse.eye(2) + MATRIX @ MATRIX).tocsc(), x),
        lambda x: np.linalg.solve(np.eye(2) + DENSE @ DENSE, x),
    ),
}


def by_items() -> Any:
    a = sparse.lil_matrix((2, 2))
    a[0, 0], a[1, 1] = 2.0, 3.0
    return a.tocsr()


def several(n: int) -> Any:
    matrices = []
    for k in range(n):
        matrices.append(sparse.eye(2) if k % 2 else sparse.eye(2).tocsr())
    return matrices


def told_apart() -> Any:
    a = sparse.kron(sparse.eye(2), sparse.eye(1))
    return a if isinstance(a, sparse.csr_matrix) else 3.0 * a if isinstance(a, sparse.bsr_matrix) else 2.0 * a


def heat(u: Any) -> Any:
    line = sparse.diags([1.0, -2.0, 1.0], [-1, 0, 1], shape=(2, 2))
    plane = sparse.kron(sparse.eye(2), line) + sparse.kron(line, sparse.eye(2))
    step, u = (sparse.eye(4) - 0.1 * plane).tocsc(), np.tile(u, 2)
    for _ in range(2):
        u = linalg.spsolve(step, u)
    return u


_LINE = np.array([[-2.0, 1.0], [1.0, -2.0]])
DENSE_HEAT = np.eye(4) - 0.1 * (np.kron(np.eye(2), _LINE) + np.kron(_LINE, np.eye(2)))


@pytest.mark.parametrize("name", PROGRAMS)
def test_as_of_the_dense_matrix(name: str) -> None:
    f, dense = PROGRAMS[name]

    def total(x: Any) -> Any:
        return np.sum(np.sin(f(x)))

    np.testing.assert_allclose(grad(total)(x), grad(lambda x: np.sum(np.sin(dense(x))))(x), rtol=1e-12)
    check_grads(total)(x)
    check_grads(lambda x: np.sum(np.cos(grad(total)(x))))(x)


def test_as_an_argument() -> None:
    y, pullback = vjp(lambda a, x: a.T @ x, MATRIX, x)
    np.testing.assert_allclose(y, DENSE.T @ x)
    np.testing.assert_allclose(pullback(np.array([1.0, 0.0]))[1], DENSE[:, 0])


def test_complex_matrices_go_with_complex_arrays() -> None:
    turned = sparse.csr_matrix(DENSE * 1j)
    check_grads(lambda x: np.sum(np.abs(turned @ (x + 0j)) ** 2))(x)
    with pytest.raises(NotImplementedError, match="complex sparse matrix"):
        grad(lambda x: np.sum(np.abs(turned @ x)))(x)


def changed(x: Any) -> Any:
    a = sparse.eye(2, format="csr")
    a[0, 0] = x[0]
    return a.T @ x


def changed_within(x: Any) -> Any:
    a = MATRIX.copy()
    a.data[:2] = x
    return a @ x


REFUSED = {
    "and an active array": lambda x: sparse.eye(2) + np.outer(x, x),
    "in np.dot": lambda x: np.dot(np.outer(x, x), MATRIX).toarray(),
    "changed": changed,
    "changed within": changed_within,
    "dense as a matrix": lambda x: MATRIX.todense() * np.outer(x, x),
    "sums, maybe as a matrix": lambda x: sparse.kron(MATRIX, sparse.eye(1)).sum(axis=0) @ x,
    "sums as a matrix": lambda x: MATRIX.sum(axis=1) * x,
}


@pytest.mark.parametrize("name", REFUSED)
def test_refused(name: str) -> None:
    for take in (lambda f: s2sad.vjp(f, x), lambda f: s2sad.jvp(f, (x,), (x,))):
        with pytest.raises((s2sad.MissingRule, s2sad.NotDifferentiable)):
            take(REFUSED[name])


def test_compiled_code_has_no_sparse_matrices() -> None:
    with pytest.raises(CompileError, match="real_matrix"):
        grad(lambda x: np.sum(MATRIX @ x), backend="numba")(x)
