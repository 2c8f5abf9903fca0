"""Sparse matrices that a function makes of numbers that carry derivatives, through the public interface."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import s2sad
from s2sad import CompileError, UnsupportedSyntax, check_grads, grad, jvp, vjp
from tests.texts import own_text

sparse = pytest.importorskip("scipy.sparse")
linalg = pytest.importorskip("scipy.sparse.linalg")

X = np.array([0.5, -1.2, 2.0, 0.3, 1.1])
DENSE = np.diag(np.arange(2.0, 7.0)) + np.diag([0.5, 0.0, -0.4, 0.2], 1)
MATRIX, ARRAY = sparse.csr_matrix(DENSE), sparse.csc_array(DENSE)
COMPLEX = sparse.csr_matrix(1j * DENSE)
LINE = np.diag(np.full(5, -2.0)) + np.diag(np.ones(4), 1) + np.diag(np.ones(4), -1)


def bands(x: Any) -> Any:
    return sparse.diags([x[1:], x**2 + 4.0, 2.0 * x[:-1]], [-1, 0, 1])


def bands_of_an_array(x: Any) -> Any:
    return sparse.diags_array([x[1:], x**2 + 4.0, 2.0 * x[:-1]], offsets=[-1, 0, 1], format="csr")


def dense_bands(x: Any) -> Any:
    return np.diag(x**2 + 4.0) + np.diag(2.0 * x[:-1], 1) + np.diag(x[1:], -1)


def conduction(x: Any) -> Any:
    """The displacement of a chain of springs, assembled by elements."""
    ends = np.array([[0, 1], [1, 2], [2, 3], [3, 4]])
    rows, cols = np.kron(ends, np.ones((2, 1), int)).ravel(), np.kron(ends, np.ones((1, 2), int)).ravel()
    numbers = (np.array([1.0, -1.0, -1.0, 1.0]) * (0.1 + x[:4, None] ** 2)).ravel()
    stiffness = sparse.coo_matrix((numbers, (rows, cols)), shape=(5, 5)).tocsc()
    free, u = np.arange(1, 5), np.zeros(5)
    u[free] = linalg.spsolve(stiffness[free, :][:, free], np.array([0.0, 0.0, x[0], 1.0]))
    return u


def dense_conduction(x: Any) -> Any:
    k = 0.1 + x[:4] ** 2
    stiffness = np.diag(k + np.concatenate((k[1:], np.zeros(1)))) - np.diag(k[1:], 1) - np.diag(k[1:], -1)
    return np.concatenate((np.zeros(1), np.linalg.solve(stiffness, np.array([0.0, 0.0, x[0], 1.0]))))


def implicit(x: Any) -> Any:
    line = sparse.diags([1.0, -2.0, 1.0], [-1, 0, 1], shape=(5, 5))
    step, u = (sparse.eye(5) - x[2] * line).tocsc(), x
    for _ in range(2):
        u = linalg.spsolve(step, u)
    return u


def implicit_by(factor: Callable[..., Any]) -> Callable[..., Any]:
    def run(x: Any) -> Any:
        line = sparse.diags([1.0, -2.0, 1.0], [-1, 0, 1], shape=(5, 5))
        solve, u = factor((sparse.identity(5) - x[2] * line).tocsc()), x
        for _ in range(2):
            u = solve(u)
        return u

    return run


def dense_implicit(x: Any) -> Any:
    step = np.eye(5) - x[2] * LINE
    return np.linalg.solve(step, np.linalg.solve(step, x))


def filled_before(x: Any) -> Any:
    main = np.ones(5)
    main[1:4] = x[1:4]
    y = x
    for _ in range(2):
        y = sparse.diags(main) @ y
    return y


def dense_filled(x: Any) -> Any:
    main = np.concatenate((np.ones(1), x[1:4], np.ones(1)))
    return main * main * x


def by_a_list(x: Any) -> Any:
    diagonals = [x[1:]]
    diagonals.append(x**2 + 4.0)
    diagonals.append(2.0 * x[:-1])
    return sparse.diags(diagonals, [-1, 0, 1]) @ x


def stacked(x: Any) -> Any:
    return np.stack((x, x * x), 1)


ROWS, COLS, RUNS = np.array([0, 1, 1, 3, 4]), np.array([1, 2, 2, 0, 4]), np.array([0, 2, 2, 4, 5, 5])


def dense_of(rows: Any, cols: Any, x: Any) -> Any:
    a = np.zeros((5, 5))
    np.add.at(a, (rows, cols), x)
    return a


ALONG = np.repeat(np.arange(5), np.diff(RUNS))
PROGRAMS: dict[str, tuple[Callable[..., Any], Callable[..., Any]]] = {
    "diagonals": (lambda x: bands(x) @ x, lambda x: dense_bands(x) @ x),
    "of an array": (lambda x: bands_of_an_array(x) @ x, lambda x: dense_bands(x) @ x),
    "from the left": (lambda x: x @ bands_of_an_array(x), lambda x: x @ dense_bands(x)),
    "star": (lambda x: bands(x) * x, lambda x: dense_bands(x) @ x),
    "star from the left": (lambda x: x * bands(x), lambda x: x @ dense_bands(x)),
    "of columns": (lambda x: bands(x) @ stacked(x), lambda x: dense_bands(x) @ stacked(x)),
    "one diagonal": (lambda x: sparse.diags(x) @ x, lambda x: x * x),
    "one number": (
        lambda x: sparse.diags([x[0], -2.0 * x[1]], [1, 0], shape=(5, 5)) @ x,
        lambda x: (np.diag(np.full(4, 1.0) * x[0], 1) - 2.0 * x[1] * np.eye(5)) @ x,
    ),
    "not square": (
        lambda x: sparse.diags([x[:3], x[:4]], [-1, 2], shape=(4, 6)) @ np.ones(6),
        lambda x: np.concatenate((np.zeros(1), x[:3])) + x[:4],
    ),
    "a list of diagonals": (by_a_list, lambda x: dense_bands(x) @ x),
    "rows of an array": (
        lambda x: sparse.diags(np.outer([1.0, 2.0], x), [0, 1], shape=(5, 6)) @ np.ones(6),
        lambda x: 3.0 * x,
    ),
    "filled before": (filled_before, dense_filled),
    "triplets": (
        lambda x: sparse.coo_matrix((x**2, (ROWS, COLS)), shape=(5, 5)) @ x,
        lambda x: dense_of(ROWS, COLS, x**2) @ x,
    ),
    "triplets of an array": (
        lambda x: sparse.csr_array((x**2, (ROWS, COLS)), shape=(5, 5)).dot(x),
        lambda x: dense_of(ROWS, COLS, x**2) @ x,
    ),
    "by rows": (
        lambda x: sparse.csr_matrix((x, COLS, RUNS), shape=(5, 5)) @ x,
        lambda x: dense_of(ALONG, COLS, x) @ x,
    ),
    "by columns": (
        lambda x: sparse.csc_matrix((x, COLS, RUNS), shape=(5, 5)) @ x,
        lambda x: dense_of(COLS, ALONG, x) @ x,
    ),
    "of a dense array": (lambda x: sparse.csr_matrix(np.outer(x, x)) @ x, lambda x: np.outer(x, x) @ x),
    "transposed": (lambda x: bands(x).T @ x + bands(x).transpose() @ x, lambda x: 2.0 * dense_bands(x).T @ x),
    "sum": (
        lambda x: (MATRIX + bands(x) - 0.5 * bands(x) + bands(x) * x[0] - MATRIX) @ x,
        lambda x: (0.5 + x[0]) * dense_bands(x) @ x,
    ),
    "difference from a fixed one": (
        lambda x: (sparse.eye(5) - bands(x)) @ x - (sparse.eye_array(5) + bands_of_an_array(x)) @ x,
        lambda x: -2.0 * dense_bands(x) @ x,
    ),
    "sum of several": (lambda x: sum([bands(x), bands(x)]) @ x, lambda x: 2.0 * dense_bands(x) @ x),
    "multiple of a fixed one": (
        lambda x: (x[0] * MATRIX) @ x + (MATRIX * x[1]) @ x + (ARRAY / x[2]) @ x + (x[3] * ARRAY) @ x,
        lambda x: (x[0] + x[1] + 1.0 / x[2] + x[3]) * (DENSE @ x),
    ),
    "quotient": (lambda x: (-bands(x) / x[0]) @ x, lambda x: -(dense_bands(x) @ x) / x[0]),
    "product": (
        lambda x: (MATRIX.T @ bands(x) @ MATRIX) @ x,
        lambda x: DENSE.T @ dense_bands(x) @ DENSE @ x,
    ),
    "product of two": (lambda x: (bands(x) @ bands(x).T) @ x, lambda x: dense_bands(x) @ dense_bands(x).T @ x),
    "star of two": (lambda x: (bands(x) * MATRIX) * x, lambda x: dense_bands(x) @ DENSE @ x),
    "kron": (
        lambda x: sparse.kron(sparse.eye(2), bands(x)) @ np.tile(x, 2),
        lambda x: np.tile(dense_bands(x) @ x, 2),
    ),
    "items": (
        lambda x: bands_of_an_array(x)[1, 2] * bands_of_an_array(x)[-1, -2] * x,
        lambda x: 2.0 * x[1] * x[4] * x,
    ),
    "rows and columns": (
        lambda x: np.concatenate((bands_of_an_array(x)[1:, :3] @ x[:3], bands_of_an_array(x)[[0, 2]] @ x)),
        lambda x: np.concatenate((dense_bands(x)[1:, :3] @ x[:3], dense_bands(x)[[0, 2]] @ x)),
    ),
    "by masks": (
        lambda x: sparse.csr_matrix(bands(x))[np.arange(5) > 1][:, np.arange(5) < 3] @ x[:3],
        lambda x: dense_bands(x)[2:, :3] @ x[:3],
    ),
    "of a grid": (
        lambda x: bands_of_an_array(x)[np.ix_([0, 1], [1, 2])].toarray() @ x[:2],
        lambda x: dense_bands(x)[:2, 1:3] @ x[:2],
    ),
    "dense": (lambda x: bands(x).toarray() @ x, lambda x: dense_bands(x) @ x),
    "diagonal": (lambda x: bands(x).diagonal() * bands(x).tocsr().trace(), lambda x: (x**2 + 4.0) * np.sum(x**2 + 4.0)),
    "sums": (
        lambda x: bands_of_an_array(x).sum(axis=0) * bands_of_an_array(x).sum() + bands_of_an_array(x).sum(axis=1),
        lambda x: np.sum(dense_bands(x), axis=0) * np.sum(dense_bands(x)) + np.sum(dense_bands(x), axis=1),
    ),
    "times an array": (lambda x: bands(x).multiply(x) @ x, lambda x: dense_bands(x) * x @ x),
    "spsolve": (lambda x: linalg.spsolve(bands(x).tocsc(), x), lambda x: np.linalg.solve(dense_bands(x), x)),
    "spsolve of columns": (
        lambda x: linalg.spsolve(bands(x).tocsc(), stacked(x)),
        lambda x: np.linalg.solve(dense_bands(x), stacked(x)),
    ),
    "factors, transposed": (
        lambda x: linalg.splu(bands(x).tocsc()).solve(x, "T"),
        lambda x: np.linalg.solve(dense_bands(x).T, x),
    ),
    "implicit": (implicit, dense_implicit),
    "implicit, by factors": (implicit_by(lambda a: linalg.splu(a).solve), dense_implicit),
    "implicit, factorized": (implicit_by(linalg.factorized), dense_implicit),
    "assembled by elements": (conduction, dense_conduction),
}


@pytest.mark.parametrize("name", PROGRAMS)
def test_as_of_the_dense_matrix(name: str) -> None:
    f, dense = PROGRAMS[name]

    def total(x: Any) -> Any:
        return np.sum(np.sin(f(x) / 50.0))

    np.testing.assert_allclose(f(X), dense(X), rtol=1e-12)
    np.testing.assert_allclose(
        grad(total)(X), grad(lambda x: np.sum(np.sin(dense(x) / 50.0)))(X), rtol=1e-11, atol=1e-13
    )
    check_grads(total)(X)
    check_grads(lambda x: np.sum(np.cos(grad(total)(x))))(X)


def of_a_dense_array_that_changes(x: Any) -> Any:
    a = np.outer(x, x)
    matrix = sparse.csr_matrix(a)
    a[0, 0] = 0.0
    return np.sum(matrix @ x)


def of_one_column(x: Any) -> Any:
    own = linalg.spsolve(bands(x).tocsc(), x[:, None])
    return np.sum(np.sin(own)) + np.sum(linalg.spsolve(MATRIX.tocsc(), x[:, None]) ** 2)


def in_double_precision(x: Any) -> Any:
    return np.sum(sparse.csr_matrix((x, (ROWS, COLS)), shape=(5, 5), dtype=float) @ x)


def made_matrices_of_arrays(x: Any) -> Any:
    """Stars of arrays go by items, of matrices they are products."""
    return np.sum(sparse.csr_matrix(bands_of_an_array(x)) * x) + np.sum(sparse.csr_array(bands(x)).sum(axis=1) ** 2)


@pytest.mark.parametrize(
    "f", [of_a_dense_array_that_changes, of_one_column, in_double_precision, made_matrices_of_arrays]
)
def test_as_differences_say(f: Callable[..., Any]) -> None:
    check_grads(f)(X)
    check_grads(lambda x: np.sum(np.cos(grad(f)(x))))(X)


@pytest.mark.parametrize(
    "f",
    [
        lambda x: np.sum(np.abs((x[0] * COMPLEX) @ x) ** 2),
        lambda x: np.sum(np.abs((COMPLEX + sparse.diags(x)) @ x) ** 2),
        lambda x: np.sum(np.abs(sparse.kron(COMPLEX, sparse.diags(x)) @ np.tile(x, 5)) ** 2),
    ],
)
def test_fixed_complex_matrices_are_refused(f: Callable[..., Any]) -> None:
    with pytest.raises(NotImplementedError, match="complex sparse matrix"):
        grad(f)(X)


def test_pullbacks_of_pullbacks() -> None:
    def total(x: Any) -> Any:
        return np.sum(bands(x).multiply(x) @ x)

    slope, h = grad(total), 1e-5
    columns = np.array([(slope(X + h * e) - slope(X - h * e)) / (2 * h) for e in np.eye(5)])
    back = vjp(slope, X)[1]
    np.testing.assert_allclose(np.array([back(e)[0] for e in np.eye(5)]), columns, rtol=1e-6, atol=1e-8)


def test_fixed_matrices_are_made_as_they_stand() -> None:
    def f(x: Any) -> Any:
        return np.sum(sparse.diags([1.0, -2.0 * np.ones(5), 1.0], [-1, 0, 1], shape=(5, 5)) @ x)

    assert "sparse.diags(" in grad(f).source and "entries" not in own_text(grad(f).source, "f_grad(")


def test_single_precision_stays() -> None:
    x = X.astype(np.float32)
    found = grad(lambda x: np.sum(sparse.csr_matrix((x, (ROWS, COLS)), shape=(5, 5)) @ x))(x)
    assert found.dtype == np.float32
    np.testing.assert_allclose(found, dense_of(ROWS, COLS, X).T @ np.ones(5) + X[COLS], rtol=1e-6)


def data(x: Any) -> Any:
    return np.sum(bands_of_an_array(x).data)


def changed(x: Any) -> Any:
    a = bands_of_an_array(x)
    a[0, 0] = 1.0
    return np.sum(a @ x)


def scaled_in_place(x: Any) -> Any:
    a = bands_of_an_array(x)
    b = a
    b *= 2.0
    return np.sum(a @ x)


def of_what_changes(x: Any) -> Any:
    numbers = x**2
    a = sparse.csr_matrix((numbers, COLS, RUNS), shape=(5, 5))
    numbers[0] = 0.0
    return np.sum(a @ x)


def other_factors(x: Any) -> Any:
    return np.sum(linalg.splu(bands(x).tocsc()).L @ x)


def in_integers(x: Any) -> Any:
    return np.sum((sparse.csr_matrix((x, (ROWS, COLS)), dtype=int) + bands(x)) @ x)


def truncated(x: Any) -> Any:
    return np.sum(sparse.csr_matrix(bands(x), dtype=int) @ x)


def numbers_of_a_row(x: Any) -> Any:
    return np.sum(sparse.csr_matrix(bands(x))[0].data)


def another_dtype(x: Any) -> Any:
    return np.sum(sparse.diags(x, dtype=np.float32).data)


def items_of_arrays(x: Any) -> Any:
    return np.sum(((ARRAY @ bands(x)) * np.outer(x, x)).toarray())


def of_both_families(x: Any) -> Any:
    return np.sum((bands(x) @ ARRAY) * x)


def items_of_a_kron(x: Any) -> Any:
    return np.sum((sparse.kron(ARRAY, bands(x)) * np.ones((25, 25))).toarray())


def sparse_right_hand_side(x: Any) -> Any:
    return np.sum(linalg.spsolve(bands(x).tocsc(), MATRIX.tocsc()).toarray())


def lower_part(x: Any) -> Any:
    return np.sum(sparse.tril(bands(x)) @ x)


REFUSED = (data, changed, scaled_in_place, of_what_changes, other_factors, in_integers, lower_part)
REFUSED += (
    truncated,
    numbers_of_a_row,
    another_dtype,
    items_of_arrays,
    of_both_families,
    items_of_a_kron,
    sparse_right_hand_side,
)


@pytest.mark.parametrize("f", REFUSED)
def test_refused(f: Callable[..., Any]) -> None:
    for take in (lambda: grad(f)(X), lambda: jvp(f, (X,), (X,))):
        with pytest.raises((UnsupportedSyntax, s2sad.MissingRule, s2sad.NotDifferentiable)) as caught:
            take()
        assert caught.value.lineno is not None


def test_compiled_code_has_none() -> None:
    with pytest.raises(CompileError) as caught:
        grad(lambda x: np.sum(bands(x) @ x), backend="numba")(X)
    assert caught.value.lineno is not None
