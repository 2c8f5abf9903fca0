"""Which stores reverse sweeps undo: those whose object is read again as it was before them."""

from __future__ import annotations

import numpy as np
import pytest

from s2sad import grad, vjp


def lower(diagonal):
    factor = np.zeros((2, 2))
    for j in range(2):
        factor[j, j] = np.exp(diagonal[j])
        factor[1, 0] = diagonal[0]
    return factor


def transposed(x, n):
    total = 0.0
    for k in range(n):
        factor = lower(x)
        total += np.sum(((x - total) @ factor.T) ** 2)
    return total


def a_row(x, n):
    total = 0.0
    for k in range(n):
        factor = lower(x)
        row = factor[1]
        row[1] += x[1]
        total += np.sum(np.sin(total + x) * row)
    return total


def read_between(x, n):
    total = 0.1
    for k in range(n):
        made = np.ones(3)
        for j in range(3):
            rest = made[j:]
            total += np.sum(np.sin(rest * total) ** 2)
            made[j] = x[0] * total
            total += np.sum(made[: j + 1] ** 2 * x[1])
    return total


def read_in_the_next_iteration(x, n):
    total, last = 0.0, np.ones(3)
    for k in range(n):
        made = x[0] * last
        total += np.sum(last[1:] ** 2 * made[:2])
        last[0] = total * x[1]
        last = made[:]
        made[1] = np.sin(total)
    return total + np.sum(last**2)


def views_of_what_a_list_keeps(x, n):
    total, kept = 0.0, []
    for k in range(n):
        made = np.ones(2) * x[0]
        kept.append(made[:1])
        made[0] = x[1] ** 2 + total
        total += np.sum(made**2) * 0.1
        if k > 0:
            total += np.sum(kept[k - 1] ** 2 * made)
            kept[k - 1][0] = total * 0.2
    return total + sum(np.sum(part**2) for part in kept)


def copies_and_views(x, n):
    total, product = 0.0, np.eye(2)
    for k in range(n):
        made = np.outer(x, x)
        flat, copy = made.reshape(4), made.flatten()
        product = product @ made.T + 0.1
        flat[1], copy[2] = total * 0.1 + 1.0, x[1]
        product = product @ made * 0.3
        total += np.sum(product[0] * flat[:2] * copy[2:])
        made[0, 0] = 0.7
    return total + np.sum(product)


def number_in_a_row(x, n):
    total, rows = 0.0, np.zeros((n, 2))
    for k in range(n):
        size = np.exp(-(x[0] ** 2) * (k + 1.0))
        rows[k] = size
        total += size * size * x[1]
    return total + np.sum(np.sin(rows))


X = np.array([0.4, 0.7])


@pytest.mark.parametrize("f", [transposed, a_row])
def test_what_each_iteration_makes_anew_and_reads_by_views_is_not_restored(f) -> None:
    assert "_old" not in grad(f).source_for(X, 3)


@pytest.mark.parametrize("f", [read_between, read_in_the_next_iteration])
def test_what_is_read_before_a_store_is_restored(f) -> None:
    assert "_old" in grad(f).source_for(X, 3)


@pytest.mark.parametrize("backend", ["python", "numba"])
@pytest.mark.parametrize(
    "f",
    [
        transposed,
        a_row,
        read_between,
        read_in_the_next_iteration,
        views_of_what_a_list_keeps,
        copies_and_views,
        number_in_a_row,
    ],
)
def test_derivatives_with_and_without_restoring_are_right(f, backend: str) -> None:
    if backend == "numba":
        pytest.importorskip("numba")
    step = 1e-6
    expected = [(f(X + step * e, 3) - f(X - step * e, 3)) / (2 * step) for e in np.eye(2)]
    np.testing.assert_allclose(grad(f, backend=backend)(X, 3), expected, rtol=1e-6)


ROWS, NUMBERS = np.zeros((5, 2)), np.zeros(6)


def rows_outside(x):
    ROWS[0] = x
    for k in range(4):
        ROWS[k + 1] = np.sin(ROWS[k]) * 1.1
    return np.sum(ROWS[4])


def numbers_outside(x):
    NUMBERS[0] = x[0]
    for k in range(5):
        NUMBERS[k + 1] = np.sin(NUMBERS[k]) * 1.1 + x[1] * NUMBERS[k]
    return NUMBERS[5]


@pytest.mark.parametrize("backend", ["python", "numba"])
@pytest.mark.parametrize("f", [rows_outside, numbers_outside])
def test_pullbacks_read_what_their_own_call_left(f, backend: str) -> None:
    if backend == "numba":
        pytest.importorskip("numba")
    expected = grad(f)(X)
    _, pullback = vjp(f, X, backend=backend)
    vjp(f, X + 0.5, backend=backend)
    for _ in range(2):
        np.testing.assert_allclose(pullback(1.0)[0], expected, rtol=1e-12)


def stepped(u, n):
    for _ in range(n):
        new = u.copy()
        new[1:-1] = u[1:-1] - 0.1 * u[2:] ** 2 * u[:-2]
        u = new
    return np.sum(u**2)


def test_a_view_of_what_was_there_before_an_object_was_made_is_none_of_it() -> None:
    u = np.linspace(0.2, 0.9, 7)
    g = grad(stepped)
    assert "_old" not in g.source_for(u, 3)
    moved = [stepped(u + 1e-6 * d, 3) - stepped(u - 1e-6 * d, 3) for d in np.eye(7)]
    np.testing.assert_allclose(g(u, 3), np.array(moved) / 2e-6, rtol=1e-7)


def mask_changed_later(x, n):
    a = x * 1.5
    mask = a > 0.7
    a[mask] = 1.4 * n
    mask[0] = True
    a[mask] *= 0.4
    return np.sum(a**3)


def places_changed_later(x, n):
    a = x * 1.5
    places = np.array([0])
    a[places] = 2.0 * n
    places[0] = 1
    return np.sum(a**2)


def places_changed_in_a_loop(x, n):
    places, a = np.array([0]), x * 1.5
    for k in range(n):
        a[places] = 2.0 * k
        places[0] = 1 - places[0]
        a = a + k * x
    return np.sum(a**2)


def places_read_at_before(x, n):
    places = np.array([0, 0])
    total = np.sum(x[places] ** 2)
    places += 1
    return n * total + np.sum(x[places] ** 3)


def places_read_at_in_a_loop(x, n):
    places, total = np.array([0, 1]), 0.0
    for k in range(n):
        total = total + np.sum(x[places]) * k
        places[0] = 1 - places[0]
    return total


@pytest.mark.parametrize(
    "f",
    [
        mask_changed_later,
        places_changed_later,
        places_changed_in_a_loop,
        places_read_at_before,
        places_read_at_in_a_loop,
    ],
)
def test_where_adjoints_are_added_or_cleared_is_restored(f) -> None:
    moved = [f(X + 1e-6 * d, 3) - f(X - 1e-6 * d, 3) for d in np.eye(2)]
    np.testing.assert_allclose(grad(f)(X, 3), np.array(moved) / 2e-6, rtol=1e-7)
