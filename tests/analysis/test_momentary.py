"""Subscripts of which only a run tells whether they give a view, read before the array changes."""

import numpy as np
import pytest

from s2sad import NotDifferentiable, grad, hvp, jvp


def matrices(seed=3):
    rng = np.random.default_rng(seed)
    return rng.normal(size=(4, 4)), rng.normal(size=(4, 4))


def items(x, y):
    y = y.copy()
    for k in np.argwhere(x > 0):
        y[tuple(k)] *= x[tuple(k)]
    return np.sum(y**2)


def rows(x, y):
    y = y.copy()
    for k in np.argwhere(np.sum(x, axis=0) > 0):
        v = y[tuple(k)]
        y[tuple(k)] = np.sin(v) * np.sum(v) + v * x[tuple(k)]
    return np.sum(y**2)


def of_any_length(x, y):
    y = y.copy()
    for k in [(0,), (1, 2), (2,), (3, 3), (1,)]:
        v = y[tuple(np.array(k))]
        y[tuple(np.array(k))] = v * x[tuple(np.array(k))] + 2 * v**2
    return np.sum(y**2)


def in_branches(x, y):
    y = y.copy()
    for k in np.argwhere(x > -1):
        v = y[tuple(k)]
        if np.sum(v) > 0:
            w = v * x[tuple(k)]
        else:
            w = v**2
        y[tuple(k)] = w + v
    return np.sum(y**3)


PROGRAMS = [items, rows, of_any_length, in_branches]


@pytest.mark.parametrize("f", PROGRAMS, ids=lambda f: f.__name__)
def test_what_is_read_at_once_may_be_a_view_or_a_copy(f):
    (x, y), (dx, dy) = matrices(), matrices(4)
    h = 1e-6
    expected = (f(x + h * dx, y + h * dy) - f(x - h * dx, y - h * dy)) / (2 * h)
    bx, by = grad(f, wrt=(0, 1))(x, y)
    np.testing.assert_allclose(np.vdot(bx, dx) + np.vdot(by, dy), expected, rtol=1e-7)
    np.testing.assert_allclose(jvp(f, (x, y), (dx, dy))[1], expected, rtol=1e-7)
    again = (grad(f)(x + h * dx, y) - grad(f)(x - h * dx, y)) / (2 * h)
    np.testing.assert_allclose(hvp(f)(x, y, dx), again, rtol=1e-6, atol=1e-6)


def read_later(x, y):
    y = y.copy()
    for k in [(0,), (1, 2), (2,)]:
        v = y[tuple(np.array(k))]
        y[tuple(np.array(k))] = v * x[tuple(np.array(k))]
        y[tuple(np.array(k))] *= v
    return np.sum(y**2)


def handed_on(x, y):
    y = y.copy()
    seen = []
    for k in [(0,), (1, 2), (2,)]:
        v = y[tuple(np.array(k))]
        seen.append((v, 1.0))
        y[tuple(np.array(k))] = x[tuple(np.array(k))] * v
    return np.sum(y**2) + np.sum(seen[0][0])


def transposed(x, y):
    y = y.copy()
    for k in [(0,), (1, 2), (2,)]:
        v = np.transpose(y[tuple(np.array(k))])
        y[tuple(np.array(k))] = v * x[tuple(np.array(k))]
        y[tuple(np.array(k))] *= v
    return np.sum(y**2)


@pytest.mark.parametrize("f", [read_later, handed_on, transposed], ids=lambda f: f.__name__)
def test_what_is_read_after_a_change_is_refused(f):
    with pytest.raises(NotDifferentiable, match=r"whether this is a view|may be a number, or an array|held by a tuple"):
        grad(f, wrt=(0, 1))(*matrices())


def put_into_a_list(x):
    y = x.copy()
    rows = [0, 1] if x[0, 0] > 9 else slice(0, 2)
    seen = []
    seen.append(y[rows, 1:])
    y[rows, 1:] = 2.0 * x[:2, 1:] ** 2
    return np.sum(seen[0] ** 2) + np.sum(y)


def in_a_list(x):
    y = x.copy()
    rows = [0, 1] if x[0, 0] > 9 else slice(0, 2)
    both = [y[rows, 1:], x[:2, 1:]]
    y[rows, 1:] = 2.0 * x[:2, 1:] ** 2
    return sum(np.sum(a**2) for a in both) + np.sum(y)


def in_a_tuple(x):
    y = x.copy()
    rows = [0, 1] if x[0, 0] > 9 else slice(0, 2)
    both = (y[rows, 1:], x)
    y[rows, 1:] = 2.0 * x[:2, 1:] ** 2
    return np.sum(both[0] ** 2) + np.sum(y)


def in_a_dict(x):
    y = x.copy()
    rows = [0, 1] if x[0, 0] > 9 else slice(0, 2)
    named = {"part": y[rows, 1:]}
    y[rows, 1:] = 2.0 * x[:2, 1:] ** 2
    return np.sum(named["part"] ** 2) + np.sum(y)


def handed_through(x):
    def same(v, n):
        return v if n == 0 else same(v, n - 1)

    y = x.copy()
    rows = [0, 1] if x[0, 0] > 9 else slice(0, 2)
    part = same(y[rows, 1:], 2)
    y[rows, 1:] = 2.0 * x[:2, 1:] ** 2
    return np.sum(part**2) + np.sum(y)


@pytest.mark.parametrize(
    "f", [put_into_a_list, in_a_list, in_a_tuple, in_a_dict, handed_through], ids=lambda f: f.__name__
)
def test_what_something_holds_is_no_copy(f):
    with pytest.raises(NotDifferentiable, match="whether this is a view"):
        grad(f)(matrices()[0])
