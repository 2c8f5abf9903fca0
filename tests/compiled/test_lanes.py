"""Jacobians many directions at a time: the same as one direction after the other."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest

from s2sad import hessian, jacobian
from tests.texts import own_text

pytest.importorskip("numba")

#: Fewer directions than are done at a time, one more, and some that leave a few over.
SIZES = (0, 1, 5, 33, 70)


@pytest.fixture(autouse=True)
def cache(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("S2SAD_CACHE_DIR", str(tmp_path))


def recurrence(x):
    """Numbers are carried by a loop, and one goes on behind it."""
    y, last, before = np.empty(len(x)), 1.0, 0.5
    for i in range(len(x)):
        last, before = 0.5 * last + x[i] * before, np.tanh(last)
        y[i] = last
    return y * last


def lists(x):
    """Numbers in lists, which grow, are changed and become an array."""
    made = []
    for i in range(len(x)):
        made.append(x[i] * x[i - 1])
    for i in range(1, len(made)):
        made[i] += 0.5 * made[i - 1]
    return np.array(made)


def stack(x):
    """A list that numbers are popped off."""
    left, y, i = [], np.zeros(len(x)), 0
    for v in x:
        left.append(v * v)
    while len(left) > 0:
        y[i] = left.pop() * (1.0 if i == 0 else y[i - 1])
        i += 1
    return y


def rows(x):
    """Arrays in lists, and views of them."""
    kept = [x]
    for k in range(3):
        now = kept[-1].copy()
        for i in range(1, len(x)):
            now[i] = now[i] * now[i - 1] + 0.1 * k
        kept.append(now)
    y = kept[1] * kept[3]
    y[1:][:2] += kept[2][1:][:2]
    return y


def leaves(x, s, y):
    """Several arguments, a number among them, and results."""
    out, total = np.empty(len(x)), s
    for i in range(len(x)):
        total = total * y[i % len(y)] + x[i]
        out[i] = total * s
    return out, total


def branches(x):
    """Branches, which all directions take together, and a loop that is left early."""
    y, seen = np.zeros(len(x)), 0.0
    for i in range(len(x)):
        if x[i] > 0.4:
            seen = seen + x[i] ** 2
        elif x[i] > 0.2:
            y[i] = seen
        else:
            seen = 0.25
        if seen > 5.0:
            break
        y[i] = y[i] + np.sin(seen) * x[0]
    return y


def product(x):
    """A matrix and a vector, then a recurrence."""
    a = np.cos(np.arange(3.0 * len(x))).reshape(3, len(x))
    y = np.tanh(a @ x)
    for i in range(1, 3):
        y[i] = y[i] * y[i - 1]
    return y


def matrices(x):
    """Small matrices, one after the other."""
    turned = np.eye(2)
    for v in x:
        turned = turned @ np.array([[np.cos(v), -np.sin(v)], [np.sin(v), np.cos(v)]])
    return turned


def grid(x):
    """A matrix that is swept in place."""
    u = np.outer(x, x)
    for i in range(1, len(x)):
        for j in range(1, len(x)):
            u[i, j] = 0.25 * (u[i - 1, j] + u[i, j - 1]) + u[i, j] * x[j]
    return u[-1] if len(x) > 0 else x


def of_matrices(a, b):
    """Arguments with two axes."""
    y = np.empty(len(a))
    for i in range(len(a)):
        y[i] = a[i, 0] * b[0, i % b.shape[1]] + (y[i - 1] * a[0, 1] if i > 0 else 0.0)
    return y


def whole(x):
    """The gradient of it takes lists apart."""
    total, made = 0.0, [0.0] * len(x)
    for i in range(len(x)):
        made[i] = x[i] * x[i - 1]
        total = total * 0.5 + made[i] ** 2
    return total


def slices_of_lists(x):
    """Slices of lists, and of lists of them, which are lists of their own, and share the lists that they hold."""
    made = [x[i] * x[i - 1] for i in range(len(x))]
    part = made[1:]
    for i in range(len(part)):
        part[i] = part[i] * x[i] + made[i]
    rows = [[v, v * v, 1.0] for v in x]
    some = rows[:1]
    some[0][1] = made[0] * 3.0
    row = rows[0][:2]
    row[0] = 5.0 * x[-1]
    return np.array(made) * sum(part) + rows[0][1] * row[0] + rows[0][0] * row[1]


def in_dicts(x):
    """Numbers in a dict, which is another for each direction."""
    sums = {0: 0.0, 1: 1.0}
    for i in range(len(x)):
        sums[i % 2] = sums[i % 2] * x[i] + x[i] * x[i - 1]
    y = np.zeros(len(x))
    for i in range(len(x)):
        y[i] = sums[i % 2] * x[i]
    return y


def early(x):
    """A result out of two loops, which is not there before, and names that an iteration may not have given."""
    s = 0.0
    for i in range(len(x)):
        if x[i] > 0.4:
            t = x[i] ** 2
        for j in range(i):
            s += x[i] * x[j] + (t if x[i] > 0.4 else 0.0)
            if s > 1.5:
                return s * x[i]
            s *= 1.1
    return s


FUNCTIONS = (recurrence, lists, stack, rows, branches, product, matrices, grid, slices_of_lists, in_dicts, early)


def agree(here: Any, there: Any) -> None:
    if isinstance(there, tuple):
        assert len(here) == len(there)
        for a, b in zip(here, there, strict=True):
            agree(a, b)
        return
    assert np.shape(here) == np.shape(there)
    scale = np.max(np.abs(there), initial=1.0)
    np.testing.assert_allclose(here, there, rtol=1e-12, atol=1e-13 * scale)


def numbers(n: int) -> np.ndarray:
    return np.random.default_rng(n).uniform(0.1, 0.9, n)


@pytest.mark.parametrize("mode", ["forward", "reverse", "auto"])
@pytest.mark.parametrize("f", FUNCTIONS)
def test_as_one_after_the_other(f: Any, mode: str) -> None:
    compiled, plain = jacobian(f, mode=mode, backend="numba"), jacobian(f, mode=mode)
    for n in SIZES if f not in (matrices, grid, product, slices_of_lists) else SIZES[1:]:
        agree(compiled(numbers(n)), plain(numbers(n)))
        agree(compiled(numbers(n)), plain(numbers(n)))


@pytest.mark.parametrize("f", [recurrence, lists, stack, rows, branches, matrices, grid])
def test_directions_are_side_by_side(f: Any) -> None:
    assert "for lane in range(lanes)" in jacobian(f, mode="forward", backend="numba").source_for(numbers(5))


def test_loops_over_elements_stay() -> None:
    def elements(x, y):
        for _ in range(3):
            y = y + x * x
        return y

    x = numbers(40)
    compiled = jacobian(elements, wrt=(0, 1), mode="forward", backend="numba")
    assert "for lane in" not in compiled.source_for(x, x)
    agree(compiled(x, x), jacobian(elements, wrt=(0, 1))(x, x))


@pytest.mark.parametrize("mode", ["forward", "reverse"])
def test_several_arguments(mode: str) -> None:
    args = numbers(33), 0.75, numbers(7)
    compiled, plain = (jacobian(leaves, wrt=(0, 1, 2), mode=mode, backend=b) for b in ("numba", "python"))
    assert "for lane in" in compiled.source_for(*args)
    agree(compiled(*args), plain(*args))


@pytest.mark.parametrize("mode", ["forward", "reverse"])
def test_arguments_with_two_axes(mode: str) -> None:
    compiled, plain = (jacobian(of_matrices, wrt=(0, 1), mode=mode, backend=b) for b in ("numba", "python"))
    for n, m in ((9, 4), (20, 3), (0, 3), (0, 0)):
        args = numbers(2 * n).reshape(n, 2), numbers(2 * m).reshape(2, m)
        agree(compiled(*args), plain(*args))
    if mode == "forward":
        assert "for lane in" in compiled.source_for(numbers(18).reshape(9, 2), numbers(8).reshape(2, 4))


@pytest.mark.parametrize("n", SIZES)
def test_hessians(n: int) -> None:
    x = numbers(n)
    agree(hessian(whole, backend="numba")(x), hessian(whole)(x))


def test_what_is_not_a_number_stays_in_its_column() -> None:
    x = numbers(40)
    x[3], x[20] = np.inf, np.nan
    with np.errstate(all="ignore"):
        here, there = jacobian(recurrence, mode="forward", backend="numba")(x), jacobian(recurrence)(x)
    assert np.array_equal(np.isnan(here), np.isnan(there))
    assert np.array_equal(here[~np.isnan(here)] == np.inf, there[~np.isnan(there)] == np.inf)


def test_single_precision() -> None:
    x = numbers(40).astype(np.float32)
    here, there = jacobian(grid, mode="forward", backend="numba")(x), jacobian(grid, mode="forward")(x)
    assert here.dtype == there.dtype == np.float32
    np.testing.assert_allclose(here, there, rtol=2e-5, atol=1e-6)


def test_nothing_is_computed_to_learn_that_rows_are_fewer() -> None:
    def two(x):
        return np.array([np.sin(x[0]) * np.prod(x[:3]), np.exp(x[1])])

    text = own_text(jacobian(two, backend="numba").source_for(numbers(5)), "two_jacobian")
    assert text.index("_at_least(") < text.index("np.sin") < text.index("np.exp")
    agree(jacobian(two, backend="numba")(numbers(5)), jacobian(two)(numbers(5)))


def picked(x):
    """Arrays that are picked by masks and indices, and looked at whole."""
    y, places = np.zeros(len(x)), np.arange(len(x))
    for i in range(len(x)):
        near = x[np.abs(places - i) < 3]
        y[i] = near.mean() if len(near) > 3 else np.sum(np.sort(x[places[: i + 1]]))
    return y


@pytest.mark.parametrize("n", SIZES)
def test_what_is_picked_is_about_the_direction_too(n: int) -> None:
    x = numbers(n)
    agree(jacobian(picked, mode="forward", backend="numba")(x), jacobian(picked, mode="forward")(x))


def shares(A, n):
    P = A / A.sum(axis=0)
    r = np.full(len(A), 1 / len(A))
    for _ in range(n):
        r = 0.85 * P @ r + 0.15 / len(A)
    return r


def test_what_is_read_before_the_directions_is_made_before() -> None:
    """The array that a loop fills beside one that depends on the direction stays where it is."""
    A = np.cos(np.arange(16.0)).reshape(4, 4) ** 2 + 0.5
    np.testing.assert_allclose(jacobian(shares, backend="numba")(A, 5), jacobian(shares)(A, 5), rtol=1e-11, atol=1e-14)
