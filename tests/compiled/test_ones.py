"""Arguments with axes of length one, and slices of one item: columns and rows, there to be stretched."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import s2sad
from s2sad import natives

pytest.importorskip("numba")

RNG = np.random.default_rng(3)
PLACES, WEIGHTS = RNG.normal(size=(5, 3)), RNG.uniform(0.5, 1.5, size=(5, 1))
TABLE = RNG.normal(size=(5, 4))


@pytest.fixture(autouse=True)
def cache(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("S2SAD_CACHE_DIR", str(tmp_path))


@pytest.fixture
def made(monkeypatch: pytest.MonkeyPatch) -> list[Any]:
    """What the derivatives that are compiled from here on take to be so."""
    backends = []
    of = natives.native_variant

    def noted(*args: Any) -> Any:
        backends.append(args[-1])
        return of(*args)

    monkeypatch.setattr(natives, "native_variant", noted)
    return backends


def drawn(places, weights, n):
    for _ in range(n):
        centre = np.sum(weights * places, axis=0, keepdims=True) / np.sum(weights)
        away = places - centre
        places = places - 0.1 * weights * away / np.sqrt(np.sum(away * away, axis=1, keepdims=True) + 0.1)
    return np.sum(places**2)


def attracted(places, weights):
    moved = places * 1.0
    speeds = places * 0.1
    for _ in range(2):
        moved += 0.1 * speeds
        x, y, z = moved[:, 0:1], moved[:, 1:2], moved[:, 2:3]
        dx, dy, dz = x.T - x, y.T - y, z.T - z
        inverse = (dx**2 + dy**2 + dz**2 + 0.3) ** -1.5
        pull = np.hstack(((dx * inverse) @ weights, (dy * inverse) @ weights, (dz * inverse) @ weights))
        speeds += pull
    return np.sum(speeds**2) + np.sum(np.triu(weights * weights.T * inverse, 1))


def test_what_is_only_tried_may_be_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    of = natives.native_variant

    def refusing(*args: Any) -> Any:
        if args[-1].lengths:
            raise s2sad.CompileError("not for columns", "pass rows")
        return of(*args)

    monkeypatch.setattr(natives, "native_variant", refusing)
    ours = s2sad.grad(drawn, wrt=1, backend="numba")
    same(ours(PLACES, WEIGHTS, 3), s2sad.grad(drawn, wrt=1)(PLACES, WEIGHTS, 3))


def columns(a, b):
    total = 0.0
    for k in range(a.shape[1]):
        total = total + np.sum(a[:, k : k + 1] * b) + np.sum(a[:, -1:] * b**2) + np.sum(b / (2.0 + a[:, :1] ** 2))
    for k in range(1, a.shape[1] + 1):
        total = total + np.sum(a[:, k - 1 : k] ** 2 * b) + np.sum(a[:, -2:-1] * b)
    return total


def layers(net, x):
    return np.mean(np.tanh(x @ net["inner"][0] + net["inner"][1]) @ net["outer"] + net["shift"])


NET = {
    "inner": (RNG.normal(size=(4, 6)), RNG.normal(size=(1, 6))),
    "outer": RNG.normal(size=(6, 2)),
    "shift": RNG.normal(size=(1, 2)),
}


def flat(tree: Any) -> list[Any]:
    if isinstance(tree, dict):
        return [leaf for value in tree.values() for leaf in flat(value)]
    return [leaf for value in tree for leaf in flat(value)] if isinstance(tree, tuple) else [tree]


def same(a: Any, b: Any) -> None:
    for x, y in zip(flat(a), flat(b), strict=True):
        assert np.shape(x) == np.shape(y)
        np.testing.assert_allclose(x, y, rtol=1e-12, atol=1e-13)


@pytest.mark.parametrize(
    ("function", "args", "wrt", "ones"),
    [
        (drawn, (PLACES, WEIGHTS, 3), (0, 1), ((1, 1),)),
        (attracted, (PLACES, WEIGHTS), (0, 1), ((1, 1),)),
        (layers, (NET, TABLE), 0, ((0, "inner", 1, 0), (0, "shift", 0))),
    ],
    ids=lambda p: getattr(p, "__name__", None),
)
def test_columns_are_stretched_without_being_compiled_for_any_lengths(
    made: list[Any], function: Callable[..., Any], args: tuple[Any, ...], wrt: Any, ones: tuple[Any, ...]
) -> None:
    ours = s2sad.grad(function, wrt=wrt, backend="numba")
    for _ in range(2):
        same(ours(*args), s2sad.grad(function, wrt=wrt)(*args))
    assert [b.lengths for b in made] == [(), tuple((*axis, 1) for axis in ones)]
    assert all(b.equal_lengths for b in made)


@pytest.mark.parametrize("b", [TABLE, TABLE[:, :1], TABLE[:, :3]], ids=lambda b: f"{b.shape}")
@pytest.mark.parametrize("a", [TABLE, TABLE[:, :2], TABLE[:, :3]], ids=lambda a: f"{a.shape}")
def test_slices_of_one_item_are_stretched(a: Any, b: Any) -> None:
    ours = s2sad.grad(columns, wrt=(0, 1), backend="numba")
    same(ours(a, b), s2sad.grad(columns, wrt=(0, 1))(a, b))


def scaled(x, y):
    return np.sum(np.sin(x * y) * y)


@pytest.mark.parametrize("orders", [(0, 1, 2, 0), (1, 0, 2, 1), (2, 1, 0, 2)])
def test_whatever_comes_first(orders: tuple[int, ...]) -> None:
    pairs = [(TABLE, TABLE[:1]), (TABLE, TABLE + 1.0), (TABLE[:, :1], TABLE)]
    ours = s2sad.grad(scaled, wrt=(0, 1), backend="numba")
    jacobian = s2sad.jacobian(scaled, wrt=(0, 1), backend="numba")
    for n in orders:
        same(ours(*pairs[n]), s2sad.grad(scaled, wrt=(0, 1))(*pairs[n]))
        same(jacobian(*pairs[n]), s2sad.jacobian(scaled, wrt=(0, 1))(*pairs[n]))
        y, pullback = s2sad.vjp(scaled, *pairs[n], backend="numba")
        same((y, *pullback(1.0)), (scaled(*pairs[n]), *s2sad.grad(scaled, wrt=(0, 1))(*pairs[n])))


def test_lengths_that_do_not_fit_are_an_error_all_the_same() -> None:
    ours = s2sad.grad(scaled, backend="numba")
    with pytest.raises(ValueError, match="broadcast"):
        ours(TABLE[:, :3], TABLE[:1])
    same(ours(TABLE, TABLE[:1]), s2sad.grad(scaled)(TABLE, TABLE[:1]))


def kept_in_place(x, y):
    kept = np.zeros_like(x)
    kept[:, :1] = y[:, :1]
    kept[:1] += y[:1, :1] * x[:1]
    return np.sum(x[:, -1:] * kept * np.mean(x, axis=0, keepdims=True))


def shrinking(x, y):
    while x.shape[0] > 1:
        x = x[:-1] * x[1:] + y[:1]
    return np.sum(x * y[:1])


@pytest.mark.parametrize("function", [kept_in_place, shrinking], ids=lambda f: f.__name__)
def test_lengths_that_change_from_call_to_call(function: Callable[..., Any]) -> None:
    ours, theirs = (s2sad.grad(function, wrt=(0, 1), backend=b) for b in ("numba", "python"))
    for rows, columns in ((4, 1), (1, 4), (4, 4), (1, 1), (4, 4), (4, 1)):
        x, y = TABLE[:rows, :columns], np.cos(TABLE[:rows, :columns])
        same(ours(x, y), theirs(x, y))
        _, pullback = s2sad.vjp(function, x, y, backend="numba")
        same(pullback(1.0), theirs(x, y))


def filtered(a, q, h, r, ys):
    x, p, total = np.zeros(2), np.eye(2), 0.0
    for y in ys:
        x, p = a @ x, a @ p @ a.T + q
        s, away = h @ p @ h.T + r, y - h @ x
        gain = p @ h.T @ np.linalg.inv(s)
        x, p = x + gain @ away, p - gain @ h @ p
        total += 0.5 * np.log(np.linalg.det(s)) + 0.5 * away @ np.linalg.solve(s, away)
    return total


def model(states: int, seen: int) -> tuple[Any, ...]:
    rng = np.random.default_rng(states + 4 * seen)
    a = 0.3 * rng.normal(size=(states, states)) + 0.5 * np.eye(states)
    h = rng.normal(size=(seen, states))
    return a, 0.1 * np.eye(states), h, 0.5 * np.eye(seen), rng.normal(size=(6, seen))


def test_small_matrices_are_taken_to_keep_their_shapes(made: list[Any]) -> None:
    args = model(2, 1)
    ours = s2sad.grad(filtered, wrt=(0, 1, 2, 3, 4), backend="numba")
    for _ in range(2):
        same(ours(*args), s2sad.grad(filtered, wrt=(0, 1, 2, 3, 4))(*args))
    axes = (0, 0, 2), (0, 1, 2), (1, 0, 2), (1, 1, 2), (2, 0, 1), (2, 1, 2), (3, 0, 1), (3, 1, 1), (4, 1, 1)
    assert [b.lengths for b in made] == [(), axes]


def test_small_matrices_of_other_shapes_later(made: list[Any]) -> None:
    ours = s2sad.grad(filtered, wrt=(0, 1, 2, 3, 4), backend="numba")
    for seen in (2, 1, 3, 2):
        args = model(2, seen)
        same(ours(*args), s2sad.grad(filtered, wrt=(0, 1, 2, 3, 4))(*args))
        _, pullback = s2sad.vjp(filtered, *args, backend="numba")
        same(pullback(1.0), s2sad.grad(filtered, wrt=(0, 1, 2, 3, 4))(*args))


def grown(a, x, n):
    for _ in range(n):
        x = np.concatenate((x, a @ x[-2:]))
    return np.sum(x**2)


def turned(a, b):
    total = 0.0
    for k in range(3):
        a, b = b @ a, a
        total += np.sum(a) * (k + 1)
    return total


@pytest.mark.parametrize(
    ("function", "calls"),
    [
        (grown, [(TABLE[:2, :2], TABLE[0, :n], 3) for n in (2, 3, 4, 2)]),
        (turned, [(TABLE[:n, :n], np.cos(TABLE[:n, :n])) for n in (2, 3, 4, 1)]),
    ],
    ids=["grown", "turned"],
)
def test_small_matrices_and_what_meets_them(function: Callable[..., Any], calls: list[tuple[Any, ...]]) -> None:
    ours, theirs = (s2sad.grad(function, wrt=(0, 1), backend=b) for b in ("numba", "python"))
    for args in calls:
        same(ours(*args), theirs(*args))


def test_no_second_derivation_where_no_library_is_called(made: list[Any]) -> None:
    def weighed(w, xs):
        total = 0.0
        for x in xs:
            total += np.sum(w * x)
        return total**2

    args = np.eye(2), TABLE[:, :2]
    same(s2sad.grad(weighed, backend="numba")(*args), s2sad.grad(weighed)(*args))
    assert [b.lengths for b in made] == [()]
