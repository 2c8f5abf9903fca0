"""Where NumPy's layout tells what is a view: what compiled code does is what NumPy does, or it is refused."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import s2sad
from s2sad import grad, jvp, structure, value_and_grad
from s2sad.compiled.layouts import BY_ROWS
from tests.rules.samples import SAMPLES

pytest.importorskip("numba")


@pytest.fixture(autouse=True)
def cache(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("S2SAD_CACHE_DIR", str(tmp_path))


ROWS = np.arange(1.0, 7.0).reshape(2, 3) / 10
OTHERS = {"columns": np.asfortranarray(ROWS), "strided": np.repeat(ROWS, 2, axis=1)[:, ::2]}


def through_itself(x):
    flat = x.reshape(-1)
    flat[0] = flat[1] * x[1, 1]
    return np.sum(x * x)


def through_a_product(x):
    y = x * 2.0
    for k in range(2):
        y = y + x[0, k]
        flat = y.ravel()
        flat[k] = 5.0 * x[0, 1]
    return np.sum(y * y)


def through_a_branch(x):
    y = x.copy() if x[0, 0] > 0.5 else np.where(x > 0.2, x, 0.0)
    y.ravel()[1] *= x[1, 1]
    return np.sum(y * y)


def agree(f: Callable[..., Any], x: np.ndarray) -> None:
    """Both tiers give the function's value and the same derivatives, in both modes."""
    value = f(np.array(x))
    found = value_and_grad(f, backend="numba")(x), jvp(f, (x,), (x,), backend="numba")
    expected = value_and_grad(f)(x), jvp(f, (x,), (x,))
    for a, b in zip(structure.leaves(found), structure.leaves(expected), strict=True):
        np.testing.assert_allclose(a, b, rtol=1e-13, atol=1e-13)
    assert found[0][0] == pytest.approx(value)


def overwritten_before_it_is_read(x):
    x[1, :2] = x[:, 1]
    return np.sum(x**3)


@pytest.mark.parametrize("f", [through_itself, through_a_product, through_a_branch, overwritten_before_it_is_read])
def test_arguments_whose_layout_tells(f: Callable[..., Any]) -> None:
    agree(f, ROWS)
    for x in OTHERS.values():
        for derivative in (value_and_grad(f, backend="numba"), s2sad.hessian(f, backend="numba")):
            with pytest.raises(s2sad.NotDifferentiable, match="not laid out by rows") as caught:
                derivative(x)
            assert caught.value.lineno is not None


def transposed(x):
    y = x.T * 2.0
    y.reshape(-1)[0] = 5.0 * x[0, 1]
    return np.sum(y * y)


def copied(x):
    y = np.copy(x.T)
    y.ravel()[1] = 5.0 * x[0, 1]
    return np.sum(y * y)


def columns_picked(x):
    y = x[:, [0, 1]]
    y.ravel()[1] = 5.0 * x[0, 1]
    return np.sum(y * y)


def in_a_list(x):
    ys = [x * 1.0, x.T * 2.0]
    for y in ys:
        y.ravel()[1] = 5.0 * x[0, 1]
    return np.sum(ys[0] * ys[0]) + np.sum(ys[1] * ys[1])


@pytest.mark.parametrize("f", [transposed, copied, columns_picked, in_a_list])
def test_arrays_that_may_be_by_columns_are_refused(f: Callable[..., Any]) -> None:
    with pytest.raises(s2sad.CompileError, match="layout") as caught:
        value_and_grad(f, backend="numba")(ROWS)
    assert caught.value.lineno is not None


def by_rows_again(x):
    y = (x.T * 2.0).copy()
    y.reshape(-1)[0] = 5.0 * x[0, 1]
    return np.sum(y * y)


def of_a_vector(x):
    y = x[0] * 2.0
    y.reshape(3, 1)[0] = 5.0 * x[0, 1]
    return np.sum(y * y)


def views_of_rows(x):
    y = x.copy()
    y.T.ravel()[0] = 5.0
    y[:, :2].ravel()[0] = 5.0
    y[0, ::2].ravel()[0] = 5.0
    y[1, ::-1].reshape(3, 1)[0] *= x[0, 1]
    y[1:].ravel()[1] *= x[0, 2]
    return np.sum(y * y)


@pytest.mark.parametrize("f", [by_rows_again, of_a_vector, views_of_rows])
def test_arrays_that_are_by_rows_whatever_the_argument_is(f: Callable[..., Any]) -> None:
    for x in (ROWS, *OTHERS.values()):
        agree(f, x)


def changed_before(x):
    y = np.zeros(6)
    y[0] = x[1, 2]
    y[1:] = x.ravel()[:5]
    for _ in range(3):
        y = np.moveaxis(y.reshape(2, 3), 1, 0).reshape(-1) * y[1]
    z = x.T * 2.0
    z[0] = x[0, 1]
    return np.sum(y[:2] ** 2) + np.sum(z.reshape(-1)[:3] ** 2)


def turned_until_it_is_done(x, n):
    y = x.ravel() * 2.0
    for _ in range(n):
        y = y.reshape(2, 3)
        y = y.T.reshape(-1)
    y = y.reshape(3, 2)
    return np.sum(y[0] ** 3)


def test_what_changes_only_before_it_is_reshaped() -> None:
    """A view and a copy are the same then, whatever the layout is."""
    for x in (ROWS, *OTHERS.values()):
        agree(changed_before, x)


def test_views_that_a_loop_hands_on_are_reshaped() -> None:
    for n in range(3):
        agree(lambda x: turned_until_it_is_done(x, n), ROWS)


@pytest.mark.parametrize("fn", sorted(BY_ROWS & SAMPLES.keys(), key=lambda fn: fn.__name__), ids=lambda fn: fn.__name__)
def test_functions_that_give_arrays_by_rows(fn: Callable[..., Any]) -> None:
    """NumPy lays results out by rows where the operands are."""
    for sample in SAMPLES[fn]:
        args = [np.ascontiguousarray(a) if isinstance(a, np.ndarray) and a.ndim else a for a in sample.args]
        if "order" in sample.kwargs:
            continue
        result = fn(*args, **sample.kwargs)
        for made in result if isinstance(result, tuple | list) else [result]:
            steps = [abs(s) for s, n in zip(made.strides, made.shape, strict=True) if n > 1] if np.ndim(made) else []
            assert steps == sorted(steps, reverse=True)


def reshaped_and_changed(x):
    y = x * 2.0
    copied, seen = np.reshape(y.T, (-1,)), np.reshape(y, (2, -1))
    copied[1] *= 3.0
    seen[0] *= 2.0
    turned = np.reshape(np.transpose(y * y, (2, 0, 1)), (3, -1))
    turned *= 2.0
    return np.sum(np.abs(copied) ** 2) + np.sum(np.abs(seen) ** 3) + np.sum(np.abs(turned)) + np.sum(y.real)


@pytest.mark.parametrize("scale", [1.0, 1.0 - 0.5j])
def test_adjoints_of_reshaped_copies_and_views(scale: complex) -> None:
    x = scale * (np.arange(24.0).reshape(2, 4, 3) + 0.5)
    np.testing.assert_allclose(
        grad(reshaped_and_changed, backend="numba")(x), grad(reshaped_and_changed)(x), rtol=1e-12
    )


def length_backwards(x):
    return np.linalg.norm(x) * np.linalg.norm(x[::-2], ord=2) + np.linalg.norm(np.flip(x))


def lengths_of_rows_backwards(x):
    total = 0.0
    for row in x.reshape(2, 3):
        total += np.linalg.norm(row[::-1]) * row[0]
    return total


@pytest.mark.parametrize("f", [length_backwards, lengths_of_rows_backwards])
@pytest.mark.parametrize("step", [1, -1, 2, -2])
def test_lengths_of_vectors_that_go_backwards(f: Callable[..., Any], step: int) -> None:
    agree(f, np.array([3.0, 4.0, 12.0, 5.0, -2.0, 7.0, 1.0, 0.5, 9.0, -6.0, 2.5, 8.0])[::step][:6])


def products_of_blocks(x):
    return np.sum(np.kron(x, x[0]) ** 2) + np.sum(np.kron(x[0], x[:, 0]) ** 3)


def of_neighbours(x):
    return np.sum(np.diff(x[0]) ** 2) + np.sum(np.diff(x[::-1, 0], 1) ** 3)


@pytest.mark.parametrize("f", [products_of_blocks, of_neighbours])
@pytest.mark.parametrize("dtype", [np.float64, np.float32])
def test_arrays_that_are_not_in_one_piece(f: Callable[..., Any], dtype: type) -> None:
    x = OTHERS["strided"].astype(dtype)[::-1, ::-1]
    found, expected = grad(f, backend="numba")(x), grad(f)(x)
    assert found.dtype == expected.dtype == dtype
    np.testing.assert_allclose(found, expected, rtol=1e-12 if dtype is np.float64 else 1e-5)


def copies_in_an_order(x):
    total = 0.0
    for order in ("C", "F", "A", "K"):
        y = x.copy(order=order)
        y[1] += x[0] * y[0]
        z = np.array(np.copy(x, order), order=order)
        z[:, 0] = y[:, 1]
        total += np.sum(y * z)
    return total


def made_in_an_order(x):
    y = np.zeros((2, 3), order="F")
    y[:] = x * x
    z = np.full((2, 3), 2.0, order="F")
    z *= y
    w = np.ones_like(x, order="F")
    w[1] = z[0]
    v = np.empty((3, 2), float, "F")
    v[:] = w.T
    u = np.full_like(x, x[0, 0], None, "F")
    u += v.T
    return np.sum(y * u) + np.sum(z * w) + np.sum(np.asfortranarray(x) * np.asarray(u, order="F"))


@pytest.mark.parametrize("layout", ["rows", "columns", "strided"])
@pytest.mark.parametrize("f", [copies_in_an_order, made_in_an_order])
def test_arrays_in_another_order_hold_the_same(f, layout):
    agree(f, {"rows": ROWS, **OTHERS}[layout])


@pytest.mark.parametrize(
    "make",
    [
        lambda x: x.copy("F"),
        lambda x: np.copy(x, order="F"),
        lambda x: np.array(x, order="F"),
        lambda x: np.zeros((2, 3), float, "F") + x,
        lambda x: np.full((2, 3), 1.0, order="F"),
        lambda x: np.ones_like(x, order="F"),
        lambda x: np.asarray(x * 1.0, order="F"),
        lambda x: np.asfortranarray(x * 1.0),
        lambda x: x.copy(order="K"),
    ],
)
def test_what_is_by_columns_has_no_view_as_one_row(make):
    def stored(x):
        y = make(x)
        flat = y.reshape(-1)
        flat[0] = 7.0 * x[1, 1]
        return np.sum(y * y) + np.sum(flat**3)

    with pytest.raises(s2sad.CompileError, match="layout"):
        jvp(stored, (ROWS,), (ROWS,), backend="numba")
