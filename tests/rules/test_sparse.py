"""The rules of scipy.sparse, through the public interface."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

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
    "splu": (lambda x: FACTORS.solve(x), lambda x: np.linalg.solve(DENSE, x)),
    "splu transposed": (lambda x: FACTORS.solve(x, "T"), lambda x: np.linalg.solve(DENSE.T, x)),
    "factored here": (lambda x: linalg.splu(MATRIX.tocsc()).solve(x), lambda x: np.linalg.solve(DENSE, x)),
    "factorized": (lambda x: SOLVE(x), lambda x: np.linalg.solve(DENSE, x)),
}


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


def test_compiled_code_has_no_sparse_matrices() -> None:
    with pytest.raises(CompileError, match="real_matrix"):
        grad(lambda x: np.sum(MATRIX @ x), backend="numba")(x)
