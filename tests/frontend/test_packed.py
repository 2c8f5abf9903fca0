"""Lists made to be spread over the parameters of a call."""

from __future__ import annotations

import doctest
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import s2sad
from s2sad.frontend import packed


def weighted(a: Any, b: Any, c: Any) -> Any:
    return a * np.sum(b) + np.sin(c) * a


def three(a: Any, b: Any, c: Any) -> Any:
    return a * b * c


def product(a: Any, b: Any) -> Any:
    return np.sum(a * b)


def symmetrized(fun: Callable[..., Any], k: int) -> Callable[..., Any]:
    def inner(*args: Any, **kwargs: Any) -> Any:
        args = list(args)  # type: ignore[assignment]
        args[k] = 0.5 * (args[k] + args[k].T)  # type: ignore[index]
        return fun(*args, **kwargs)

    return inner


def of_several_kinds(x: Any, y: Any, z: Any) -> Any:
    args = [x, y, z]
    args[1] *= 2.0
    if y[0] > 0:
        args[0] = x * y[0]
    k = -1
    args[k] = args[2] + args[0]
    return weighted(*args)


def at_known_places_of_numbers(xs: Any, y: Any) -> Any:
    args = [0.0] * 3
    for i in range(3):
        args[i] = xs[i] * y
    return three(*args)


def at_an_unknown_place(xs: Any, n: Any) -> Any:
    args = [1.0, 2.0, 3.0]
    args[n] = xs[0]
    return three(*args) + xs[1]


def array_added_to_in_place(a: Any) -> Any:
    args = [a, a]
    args[0] += 1.0  # both are the one array
    return product(*args)


def seen_elsewhere(x: Any) -> Any:
    args = [x, 2.0 * x]
    other = args
    args[0] = x * x
    return other[0] + product(*args)


CASES: list[tuple[Callable[..., Any], tuple[Any, ...], Any]] = [
    (symmetrized(lambda a, b: np.sum(np.sin(a) @ b), 0), (np.arange(9.0).reshape(3, 3), np.ones(3)), (0, 1)),
    (symmetrized(lambda a, b: np.sum(np.sin(b) @ a), 1), (np.ones(3), np.arange(9.0).reshape(3, 3)), (0, 1)),
    (of_several_kinds, (1.3, np.array([0.5, 2.0]), 0.7), (0, 1, 2)),
    (of_several_kinds, (1.3, np.array([-0.5, 2.0]), 0.7), (0, 1, 2)),
    (at_known_places_of_numbers, (np.array([1.0, 2.0, 3.0]), 1.5), (0, 1)),
    (at_an_unknown_place, (np.array([1.5, 2.0]), 1), 0),
    (array_added_to_in_place, (np.array([1.0, 2.0]),), 0),
    (seen_elsewhere, (1.5,), 0),
]


@pytest.mark.parametrize(("f", "args", "wrt"), CASES)
def test_they_are_differentiated(f: Callable[..., Any], args: tuple[Any, ...], wrt: Any) -> None:
    s2sad.check_grads(f, wrt=wrt)(*args)
    value, _ = s2sad.value_and_grad(f, wrt=wrt)(*args)
    assert value == f(*[np.copy(a) if isinstance(a, np.ndarray) else a for a in args])


PLACE = 0


def at_a_place_outside(x: Any, v: Any) -> Any:
    args = [x, v]
    args[PLACE] = args[PLACE] * 3.0
    return product(*args)


def one_of_a_tuple(x: Any, v: Any) -> Any:
    parts = (x, v)
    return np.sum(parts[PLACE]) * x


@pytest.mark.parametrize("backend", ["python", "numba"])
def test_a_number_outside_may_change(monkeypatch: pytest.MonkeyPatch, backend: str) -> None:
    if backend == "numba":
        pytest.importorskip("numba")
    x, v = 2.0, np.array([1.0, 2.0])
    stored = s2sad.grad(at_a_place_outside, wrt=1, backend=backend)
    picked = s2sad.grad(one_of_a_tuple, backend=backend)
    for place, d_stored, d_picked in ((0, 6.0, 4.0), (1, 6.0, 3.0), (0, 6.0, 4.0), (-1, 6.0, 3.0)):
        monkeypatch.setitem(at_a_place_outside.__globals__, "PLACE", place)
        np.testing.assert_allclose(stored(x, v), [d_stored, d_stored])
        assert picked(x, v) == d_picked
        again = s2sad.grad(one_of_a_tuple, backend=backend)  # not what the cache has for another place
        assert again(x, v) == d_picked


def outside_its_length(x: Any) -> Any:
    args = [x, 1.0]
    args[5] = x
    return product(*args)


def test_a_place_outside_the_list_raises() -> None:
    with pytest.raises(IndexError, match="list assignment index out of range"):
        s2sad.grad(outside_its_length)(2.0)


def test_the_docstring() -> None:
    assert doctest.testmod(packed).failed == 0
