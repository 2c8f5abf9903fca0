"""Small arrays of known shape as numbers: the same derivatives, and no arrays made for them."""

from __future__ import annotations

import re
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from s2sad import CompileError, grad, jacobian, jvp, structure, value_and_grad, vjp
from tests.texts import own_text

pytest.importorskip("numba")

RNG = np.random.default_rng(3)


@pytest.fixture(autouse=True)
def cache(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("S2SAD_CACHE_DIR", str(tmp_path))


def compared(f: Callable[..., Any], *args: Any, lines: str = "") -> str:
    """Both tiers agree, in both modes; the text of the compiled gradient."""
    wrt = tuple(k for k, a in enumerate(args) if not isinstance(a, int))
    reverse = value_and_grad(f, wrt=wrt, backend="numba")
    same(reverse(*args), value_and_grad(f, wrt=wrt)(*args))
    tangents = tuple(None if isinstance(a, int) else np.cos(a) for a in args)
    same(jvp(f, args, tangents, backend="numba"), jvp(f, args, tangents))
    return str(reverse.source_for(*args))


def same(found: Any, expected: Any) -> None:
    for a, b in zip(structure.leaves(found), structure.leaves(expected), strict=True):
        np.testing.assert_allclose(a, b, rtol=1e-12, atol=1e-13)


def body_of(text: str) -> str:
    """The compiled function, without helpers."""
    return text[text.index("_grad") :]


# ---------------------------------------------------------------- operations


def products(a, b, u):
    m = a[:3, :3] @ b[:3, :3].T
    w = m @ u[:3] + u[:3] @ m
    return np.sum(np.outer(w, u[1:4]) * m) + np.dot(w, u[:3])


def crosses(u, v):
    w = np.cross(u[:3], v[2:5])
    return np.sum(np.cross(w, u[:3]) * np.where(w > 0.1, w, v[:3] ** 2)) + np.sum(np.cross(v[:3], w)[:2])


def pieces(u, v):
    m = np.array([[u[0], -u[1], 0.0], [u[1], u[0], v[0]]])
    joined = np.concatenate((m[0], m[:, 2], u[:2]))
    stretched = m + joined[:3] * np.array([[2.0], [v[1]]])
    return np.sum(stretched[:, ::-1] * m, axis=0)[1] * np.sum(joined[-3:]) + np.sum(np.sum(m, axis=1, keepdims=True))


def shapes(u, v):
    m = np.reshape(u[:4], (2, 2))
    ones = np.ones_like(m) + np.eye(2) * v[0] - np.zeros(2)
    return np.sum(np.expand_dims(m[0], 1) * ones) * len(m) * m.shape[1] + np.sum(
        np.maximum(m, ones) * np.clip(m, -1.0, 0.5)
    )


@pytest.mark.parametrize(
    ("f", "args"),
    [
        (products, (RNG.normal(size=(3, 4)), RNG.normal(size=(5, 3)), RNG.normal(size=4))),
        (crosses, (RNG.normal(size=4), RNG.normal(size=6))),
        (pieces, (RNG.normal(size=3), RNG.normal(size=2))),
        (shapes, (RNG.normal(size=5), RNG.normal(size=1))),
    ],
)
def test_operations(f: Callable[..., Any], args: tuple[Any, ...]) -> None:
    body = body_of(compared(f, *args))
    assert body.count("np.empty") <= 2 * len(args), "no more than the adjoints of the arguments"


def columns_against_themselves(p, m, w):
    """Taken to be as long as what they are stretched to, the columns of these slices are empty."""
    x = p * m
    y, v = x[:, 1:2], x[:, 0:1]
    p[:, :] = p * y
    return np.sum(np.sin(y.T - y) * w * (v.T - v)) + np.sum(p)


def test_nothing_to_add_up() -> None:
    rng = np.random.default_rng(5)
    compared(columns_against_themselves, rng.normal(size=(4, 3)), np.ones((4, 1)), rng.normal(size=(4, 4)))


# ---------------------------------------------------------------- stores, branches, loops


def filled(u, n):
    z = np.zeros(3)
    z[0] = u[0] * u[1]
    z[1:] += u[2:4]
    z[:2] *= 2.0
    z[-1] -= z[0] / 3.0
    for _ in range(n):
        w = z * 0.5
        w[1] += u[0]
        z = np.sin(w) + z
    return np.sum(z**2)


def carried_after_stores(u, n):
    s = np.zeros(3)
    for i in range(n):
        t = s * 0.5
        t[0] = u[i % 3] * s[1] + u[0]
        t[1] -= t[0]
        s = t
    return np.sum(s * u[:3])


def kept_by_another_name(u, n):
    z = np.zeros(3)
    alias = z
    z[0] = u[0]
    held = [z]
    z[1] = u[1] * u[2]
    alias[2] += z[1]
    for _ in range(n):
        held.append(held[-1] * 2.0)
    held[0][0] += 1.5
    return np.sum(held[-1] * u[:3]) + np.sum(z * alias)


def branches(u, v):
    if u[0] > v[0]:
        w = np.array([u[0], u[1], v[1]])
        extra = w * 2.0
    elif u[1] > 0.0:
        w = u[:3] * v[0]
        extra = np.cross(w, v[:3])
    else:
        return np.sum(u[:3] ** 3)
    return np.sum(w * extra)


def lorenz(state, p, steps):
    x = state * 1.0
    for _ in range(steps):
        k = np.array([p[0] * (x[1] - x[0]), x[0] * (p[1] - x[2]) - x[1], x[0] * x[1] - p[2] * x[2]])
        x = x + 0.01 * k
    return np.sum(x**2)


def until(state, p):
    x, t = state * 1.0, 0.0
    while t < 1.0:
        x = x + 0.1 * np.array([x[1], -p[0] * x[0]])
        t += 0.1
        if x[0] < -5.0:
            break
    return x[0] * x[1]


def rows(points, mass):
    force = np.zeros((len(mass), 3))
    for i in range(len(mass)):
        for j in range(i):
            d = points[j] - points[i]
            pull = mass[i] * mass[j] * d / (d[0] ** 2 + d[1] ** 2 + d[2] ** 2 + 0.1)
            force[i] += pull
            force[j, :] -= pull
            force[j, 1:] *= np.array([1.5, mass[i]])
    return np.sum(force**2)


def changing_places(u, n):
    a, b = u[:2] * 1.0, u[1:3] * 2.0
    for k in range(n):
        a, b = b, a + b * u[k % 3]
    return np.sum(a * b)


@pytest.mark.parametrize(
    ("f", "args"),
    [
        (filled, (RNG.normal(size=5), 3)),
        (filled, (RNG.normal(size=5), 0)),
        (carried_after_stores, (RNG.normal(size=3), 4)),
        (kept_by_another_name, (RNG.normal(size=4), 2)),
        (branches, (np.array([2.0, 0.5, 0.3]), np.array([1.0, -0.5, 0.2]))),
        (branches, (np.array([0.2, 0.5, 0.3]), np.array([1.0, -0.5, 0.2]))),
        (branches, (np.array([0.2, -0.5, 0.3]), np.array([1.0, -0.5, 0.2]))),
        (lorenz, (np.array([1.0, 2.0, 3.0]), np.array([10.0, 28.0, 2.5]), 7)),
        (until, (np.array([1.0, 0.5]), np.array([2.0]))),
        (rows, (RNG.normal(size=(4, 3)), RNG.uniform(1.0, 2.0, size=4))),
        (changing_places, (RNG.normal(size=3), 5)),
        (changing_places, (RNG.normal(size=3), 0)),
    ],
)
def test_programs(f: Callable[..., Any], args: tuple[Any, ...]) -> None:
    compared(f, *args)


@pytest.mark.parametrize(
    ("f", "args"),
    [
        (products, (RNG.normal(size=(3, 4)), RNG.normal(size=(5, 3)), RNG.normal(size=4))),
        (crosses, (RNG.normal(size=4), RNG.normal(size=6))),
        (filled, (RNG.normal(size=5), 3)),
        (carried_after_stores, (RNG.normal(size=3), 4)),
        (kept_by_another_name, (RNG.normal(size=4), 2)),
        (lorenz, (np.array([1.0, 2.0, 3.0]), np.array([10.0, 28.0, 2.5]), 7)),
        (rows, (RNG.normal(size=(4, 3)), RNG.uniform(1.0, 2.0, size=4))),
        (changing_places, (RNG.normal(size=3), 5)),
    ],
)
def test_pullbacks(f: Callable[..., Any], args: tuple[Any, ...]) -> None:
    (value, pullback), (expected, reference) = (vjp(f, *args, backend=tier) for tier in ("numba", "python"))
    same(value, expected)
    for _ in range(2):  # what is on the tapes is left as it is
        same([a for a in pullback(1.5) if a is not None], [a for a in reference(1.5) if a is not None])


def test_a_state_that_a_loop_carries_is_numbers() -> None:
    source = compared(lorenz, np.array([1.0, 2.0, 3.0]), np.array([10.0, 28.0, 2.5]), 7)
    text = own_text(source, "lorenz_value_and_grad")
    before, loop, after = text.partition("    for _ in range(steps):")
    assert (
        loop and re.search(r"np\.empty\(\(n\d*, 3\), np\.float64\)", before) and after.count("np.empty") == 1
    )  # the result


# ---------------------------------------------------------------- lengths that are not what they were taken to be


def may_be_short(u, v):
    return np.sum(u[:3] * 2.0) + np.sum(v[1:4]) + (u[4] if len(u) > 4 else 0.0)


def meets_a_literal(u, v):
    return np.sum(u * np.array([1.0, 2.0, 3.0])) * np.sum(v)


def grows(u, n):
    x = u * 1.0
    for _ in range(n):
        x = np.concatenate((x, x[:1] * u[1]))
    return np.sum(x[2:] ** 2)


@pytest.mark.parametrize(
    ("f", "args"),
    [
        (may_be_short, (np.array([1.0, 2.0]), np.array([3.0]))),
        (may_be_short, (np.array([1.0, 2.0, 5.0, 6.0, 7.0]), np.array([3.0, 4.0]))),
        (may_be_short, (np.zeros(0), np.zeros(0))),
        (meets_a_literal, (np.array([1.5]), np.array([2.0, 3.0]))),
        (grows, (np.array([0.5, 1.5]), 3)),
        (grows, (np.array([0.5, 1.5, 2.5]), 0)),
    ],
)
def test_other_lengths(f: Callable[..., Any], args: tuple[Any, ...]) -> None:
    compared(f, *args)


def test_lengths_are_checked_before_anything_is_read() -> None:
    def late(u, v):
        w = np.sin(v)
        return np.sum(w) + u[7] * w[2]

    text = compared(late, RNG.normal(size=8), RNG.normal(size=3))
    body = body_of(text)
    assert body.index("_at_least") < body.index("np.sin")


def test_special_values_stay() -> None:
    def f(u):
        w = np.array([u[0], 0.0, -0.0])
        return np.sum(w * u[:3] / np.array([1.0, u[1], 2.0]))

    u = np.array([np.inf, 0.0, np.nan])
    with np.errstate(all="ignore"):
        same(value_and_grad(f, backend="numba")(u), value_and_grad(f)(u))


def test_jacobians_by_rows_and_columns() -> None:
    def f(camera, point):
        axis = camera[:3] / np.sqrt(np.sum(camera[:3] ** 2))
        turned = np.cross(axis, point - camera[3:6])
        return turned[:2] / turned[2] * camera[6]

    args = RNG.normal(size=7), RNG.normal(size=3)
    for mode in ("forward", "reverse", "auto"):
        same(jacobian(f, wrt=(0, 1), mode=mode, backend="numba")(*args), jacobian(f, wrt=(0, 1))(*args))


def one_of_two(u, v):
    a, b = np.array([u[0], u[1]]), np.array([v[0], v[1]])
    best = a if u[0] > v[0] else b
    return np.sum(best**2) * (3.0 if best is a else 5.0)


@pytest.mark.parametrize("first", [2.0, 0.5])
def test_arrays_stay_arrays_where_it_is_asked_whether_they_are_one(first: float) -> None:
    compared(one_of_two, np.array([first, 0.5]), np.array([1.0, -0.5]))


def of_a_view(x, n):
    y = x * 1.0
    w = y[:]
    total = 0.0
    for k in range(n):
        if w is not y:
            total += np.sum(np.sin(w) * y)
        y[k] = y[k] * total
    return total


def test_whether_a_view_is_its_array_is_refused() -> None:
    """To Numba, a view of all of an array is the array."""
    with pytest.raises(CompileError, match="whether a view of an array is that array"):
        grad(of_a_view, backend="numba")(np.ones(3), 3)


def accepted_steps(y, a, limit):
    """A state that a branch may leave as it is, in steps that adapt."""
    t, h = 0.0, 0.1
    while t < limit:
        k = np.array([y[1], -a * y[0]])
        m = np.array([y[1] + h * k[1], -a * (y[0] + h * k[0])])
        error = np.sqrt(np.sum((h * (m - k)) ** 2))
        if error < 0.05:
            y = y + 0.5 * h * (k + m)
            t += h
        h = h * min(2.0, max(0.3, 0.04 / (error + 1e-9)))
    return np.sum(y**2) + y[0]


def test_a_state_that_a_branch_may_leave() -> None:
    text = compared(accepted_steps, np.array([0.4, 1.1]), 2.0, 1)
    body = text[text.index("def accepted_steps") : text.index("\ndef _")]
    made = [line for line in body.splitlines() if "np.empty(" in line and "tape" not in line]
    assert not any(line.startswith(" " * 8) for line in made)  # none in the loops
    compared(accepted_steps, np.array([0.4, 1.1]), 2.0, 0)
    with pytest.raises((ValueError, IndexError)):
        value_and_grad(accepted_steps, backend="numba")(np.ones(3), 2.0, 1)
