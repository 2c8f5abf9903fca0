"""Lists to which a loop adds arrays: the same derivatives, of arrays with rows."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from s2sad import grad, jvp, structure, value_and_grad, vjp
from tests.texts import own_text

pytest.importorskip("numba")

X, Y = np.array([0.7, -0.3, 1.1]), np.array([0.2, 0.5, -0.8])


@pytest.fixture(autouse=True)
def cache(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("S2SAD_CACHE_DIR", str(tmp_path))


def same(found: Any, expected: Any) -> None:
    for a, b in zip(structure.leaves(found), structure.leaves(expected), strict=True):
        assert np.shape(a) == np.shape(b)
        np.testing.assert_allclose(a, b, rtol=1e-11, atol=1e-12)


def compared(f: Callable[..., Any], *args: Any) -> str:
    """Both tiers agree, in both modes, and with differences; the text of the compiled gradient, without helpers."""
    wrt = tuple(k for k, a in enumerate(args) if isinstance(a, np.ndarray))
    ours = value_and_grad(f, wrt=wrt, backend="numba")
    for _ in range(2):
        same(ours(*args), value_and_grad(f, wrt=wrt)(*args))
    tangents = tuple(np.cos(a) if isinstance(a, np.ndarray) else None for a in args)
    _, slope = jvp(f, args, tangents, backend="numba")
    ends = [
        f(*(a if t is None else a + side * t for a, t in zip(args, tangents, strict=True))) for side in (1e-6, -1e-6)
    ]
    np.testing.assert_allclose(slope, (ends[0] - ends[1]) / 2e-6, rtol=1e-6, atol=1e-7)
    pulled = vjp(f, *args, backend="numba")[1](1.0)
    same([p for k, p in enumerate(pulled) if k in wrt], grad(f, wrt=wrt)(*args))
    text = own_text(ours.source_for(*args), f"{f.__name__}_value_and_grad")
    return "\n".join(line for line in text.splitlines() if not line.lstrip().startswith("#"))


# ---------------------------------------------------------------- as arrays


def last_of_all(x, y, n):
    states = [x]
    for _ in range(n):
        states.append(0.5 * states[-1] + np.sin(states[-1]) * y)
    total = 0.0
    for s in states:
        total += s[0] * s[2] - s[1] ** 2
    return total + states[-1][1] * states[0][0] * len(states)


def made_an_array(x, y, n):
    u, kept = x.copy(), []
    for _ in range(n):
        kept.append(u)
        u = u + 0.1 * y * np.cos(u)
    table = np.array(kept)
    return np.sum(table[:, 0] * table[:, 1]) + np.sum(table[-1] ** 2) + len(kept)


def copies_of_what_changes(x, y, n):
    u = x.copy()
    kept = [u.copy()]
    for k in range(n):
        u[1:] += 0.3 * y[1:] * u[:-1]
        u[0] *= 1.0 + 0.1 * k
        kept.append(u.copy())
    return np.sum(np.stack(kept) ** 2) + kept[1 % len(kept)][0]


def two_before(x, y, n):
    kept = [x, y]
    for k in range(2, n + 2):
        kept.append(kept[k - 1] * kept[k - 2] + kept[-2] * 0.1 + kept[0] * len(kept))
    return np.sum(kept[-1] * kept[-2])


def after_the_append(x, y, n):
    kept = []
    total = 0.0
    for k in range(1, n + 1):
        kept.append(x * k + y)
        total += np.sum(kept[-1] ** 2) * len(kept) + kept[k - 1][1]
    return total


def of_matrices(x, y, n):
    m = np.outer(x, y)
    kept = [m]
    for _ in range(n):
        kept.append(np.tanh(kept[-1] @ m) + 0.1)
    return np.sum(np.array(kept)[:, 1, 2] ** 2) + np.sum(kept[-1])


def made_in_a_loop(x, y, n):
    total = 0.0
    for k in range(3):
        kept = [x * (k + 1)]
        for _ in range(n):
            kept.append(kept[-1] * y)
        for s in kept:
            total += np.sum(s * s)
    return total


def read_in_branches(x, y, n):
    kept = [x]
    for _ in range(n):
        if kept[-1][0] > 0.5:
            step = kept[-1] * y
        else:
            step = kept[0] + y
        kept.append(step)
    return np.sum(kept[n // 2] * kept[-1])


@pytest.mark.parametrize("n", [0, 1, 5])
@pytest.mark.parametrize(
    "f",
    [last_of_all, copies_of_what_changes, two_before, after_the_append, of_matrices, made_in_a_loop, read_in_branches],
    ids=lambda f: f.__name__,
)
def test_rows_of_an_array(f: Callable[..., Any], n: int) -> None:
    assert "append" not in compared(f, X, Y, n)


def test_all_made_an_array() -> None:
    assert "append" not in compared(made_an_array, X, Y, 4)
    with pytest.raises(IndexError):
        made_an_array(X, Y, 0)
    with pytest.raises((IndexError, ValueError)):
        grad(made_an_array, backend="numba")(X, Y, 0)


# ---------------------------------------------------------------- as lists


def one_object_throughout(x, y, n):
    u, kept = x.copy(), []
    for _ in range(n):
        kept.append(u)
        u += y
    total = 0.0
    for s in kept:
        total += np.sum(s * s)
    return total


def changed_in_the_list(x, y, n):
    kept = [x * 1.0]
    for _ in range(n):
        kept.append(kept[-1] * y)
    kept[0][1] = y[0] * x[0]
    kept[-1][:] *= 2.0
    return np.sum(kept[0] ** 2) + np.sum(kept[-1] * x)


def replaced_in_the_list(x, y, n):
    kept = [x * 1.0]
    for _ in range(n):
        kept.append(kept[-1] * y)
    kept[-1] = x * y
    return np.sum(kept[0] * kept[-1])


def some_of_them(x, y, n):
    kept = [x]
    for k in range(n):
        if k % 2 == 0:
            kept.append(kept[-1] * y + 0.1)
    return np.sum(kept[-1] ** 2) * len(kept)


def left_early(x, y, n):
    kept = [x]
    for _ in range(n):
        kept.append(0.5 * kept[-1] + 0.1 * y)
        if kept[-1][0] < 0.3:
            break
    return np.sum(kept[-1] ** 2) * len(kept)


def in_two_loops(x, y, n):
    kept = [x]
    for _ in range(n):
        kept.append(kept[-1] * y)
    for _ in range(n):
        kept.append(kept[-1] + x)
    return np.sum(kept[-1] * kept[n])


def under_two_names(x, y, n):
    kept = [x]
    other = kept
    for _ in range(n):
        kept.append(other[-1] * y)
    return np.sum(other[-1] * x) + len(other)


def asked_for_any_item(x, y, n):
    kept = [x]
    for k in range(n):
        kept.append(kept[k // 2] * y + kept[-1])
    return np.sum(kept[-1] * x)


def asked_which_it_is(x, y, n):
    kept = [x * 1.0]
    for _ in range(n):
        kept.append(kept[-1] * y)
    return np.sum(kept[-1]) * (2.0 if kept[0] is kept[-1] else 3.0)


@pytest.mark.parametrize("n", [1, 4])
@pytest.mark.parametrize(
    "f",
    [
        one_object_throughout,
        changed_in_the_list,
        replaced_in_the_list,
        some_of_them,
        left_early,
        in_two_loops,
        under_two_names,
        asked_for_any_item,
    ],
    ids=lambda f: f.__name__,
)
def test_what_is_done_with_lists_alone(f: Callable[..., Any], n: int) -> None:
    compared(f, X, Y, n)


def test_identity_is_that_of_the_list() -> None:
    for n in (0, 2):
        same(grad(asked_which_it_is)(X, Y, n), grad(asked_which_it_is, backend="numba")(X, Y, n))


def longer_and_longer(x, y, n):
    kept = [x]
    for _ in range(n):
        kept.append(np.concatenate((kept[-1], y)))
    total = 0.0
    for s in kept:
        total += np.sum(s**2) * len(s)
    return total


def stretched(x, y, n):
    kept = [x]
    for _ in range(n):
        kept.append(kept[-1] * y)
    return np.sum(kept[-1]) + np.sum(kept[0])


def test_arrays_of_several_shapes() -> None:
    compared(longer_and_longer, X, Y, 3)
    compared(stretched, X[:1], Y, 2)
    compared(stretched, X, Y[:1], 2)


@pytest.mark.parametrize("place", [-3, 3])
def test_places_that_are_not_there(place: int) -> None:
    def f(x, n, place):
        kept = [x]
        for _ in range(n):
            kept.append(kept[-1] * 2.0)
        return np.sum(kept[place])

    with pytest.raises(IndexError):
        grad(f, backend="numba")(X, 1, place)
    same(grad(f, backend="numba")(X, 3, place), grad(f)(X, 3, place))
