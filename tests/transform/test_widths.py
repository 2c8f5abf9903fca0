"""The width of numbers: a gradient has that of its argument and a tangent that of its value, where precisions meet."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import pytest

import s2sad

single = np.float32(0.7)
half = np.float16(0.7)
v = np.array([0.5, 0.75, 1.25, 1.5], np.float32)
z = (v + 1j * v[::-1]).astype(np.complex64)


def summed_in_a_loop(x: Any, c: Any) -> Any:
    total = np.float32(0.0)
    for k in range(4):
        total = total + x[k] * c
    return total


def stored(x: Any, c: Any) -> Any:
    y = np.zeros(4, np.float32)
    y[:] = x * c
    y += c
    return np.sum(y * y)


def listed(x: Any, c: Any) -> Any:
    ys = [x, c * x]
    ys.append(np.float32(2.0))
    return ys[0] * ys[1] + sum(ys)


def chosen(x: Any, c: Any) -> Any:
    return x if c > 1 else np.float32(c)


CASES = [
    (lambda x, c: np.sum(x * c), v, 0.5),
    (lambda x, c: np.sum(c * x) + c, v, 0.5),
    (lambda x, c: np.sum(np.power(c, x)), v, np.float64(0.5)),
    (lambda x, c: np.sum(np.hypot(x, c)), v, 0.5),
    (lambda x, c: np.max(np.cumsum(x) * c), v, 0.5),
    (lambda x, c: np.dot(x, x) * math.exp(c), v, 0.5),
    (lambda x, c: np.sum(np.stack([x, x * c])), v, 0.5),
    (lambda x, c: np.sum(np.real(x * c)), z, 0.5),
    (lambda x, c: np.sum(np.abs(x * (c + 0j))), v, 0.5),
    (lambda x, c: np.sum(np.abs(x * c)), z, 0.5 + 0.25j),
    (lambda x, c: x * c, single, 0.5),
    (lambda x, c: x**c, half, 0.5),
    (lambda x, c: math.sin(x) * c, single, 0.5),
    (lambda x, c: float(x) * c, single, 0.5),
    (lambda x, c: x * 2.0, single, 0.5),
    (lambda x, c: np.floor(x) * 2.0, single, 0.5),
    (lambda x, c: np.float32(c * 2.0), single, 0.5),
    (lambda x, c: c * np.sum(x, dtype=np.float32), np.float64(0.5) * v.astype(float), 0.5),
    (summed_in_a_loop, v, 0.5),
    (summed_in_a_loop, v, np.float64(0.5)),
    (stored, v, 0.5),
    (stored, v, np.float64(0.5)),
    (listed, single, 0.5),
    (chosen, single, 0.5),
    (chosen, single, 1.5),
    (lambda x, c: np.sum(np.append(x, c) ** 2), v, 0.5),
    (lambda x, c: np.sum(np.convolve(x, [c, 1.0]) ** 2), v, 0.5),
    (lambda x, c: np.sum(np.concatenate([x, np.array([c, c])]) ** 2), v, 0.5),
]
each_case = pytest.mark.parametrize("case", CASES, ids=range(len(CASES)))


def one_like(x: Any) -> Any:
    return np.ones_like(x) if isinstance(x, np.ndarray) else type(x)(1.0)


def width(x: Any) -> Any:
    return np.asarray(x).dtype


@each_case
def test_gradients_and_tangents(case: tuple[Any, ...]) -> None:
    f, *args = case
    widths = [width(a) for a in args]
    directions = tuple(one_like(a) for a in args)
    y, dy = s2sad.jvp(f, tuple(args), directions)
    assert width(dy) == width(y) == width(f(*args))
    if width(y).kind != "c":
        assert [width(g) for g in s2sad.grad(f, wrt=(0, 1))(*args)] == widths
    value, pullback = s2sad.vjp(f, *args)
    assert [width(g) for g in pullback(one_like(value))] == widths


@each_case
def test_second_derivatives(case: tuple[Any, ...]) -> None:
    f, *args = case

    def pulled(x: Any, c: Any) -> Any:
        return s2sad.vjp(f, x, c)[1](one)

    one = one_like(f(*args))
    gradients, moved = s2sad.jvp(pulled, tuple(args), tuple(one_like(a) for a in args))
    assert [width(g) for g in moved] == [width(g) for g in gradients] == [width(a) for a in args]


def test_items_of_structures() -> None:
    def f(weights: Any, scale: Any, x: Any) -> Any:
        return np.sum(x * weights[0]) * scale["a"] + weights[1] * scale["b"]

    by_list, by_dict = s2sad.grad(f, wrt=(0, 1))([0.5, 0.25], {"a": 2.0, "b": np.float32(3.0)}, v)
    assert [type(g) for g in by_list] == [float, float]
    assert type(by_dict["a"]) is float
    assert type(by_dict["b"]) is np.float32
    unused = s2sad.grad(lambda xs, c: xs[0] * c)([single, single], 0.5)
    assert [type(g) for g in unused] == [np.float32, np.float32]


def test_what_is_double_beside_a_single_sum_keeps_its_digits() -> None:
    def f(x: Any, c: Any) -> Any:
        return float(np.sum(x * c)) + math.sin(c)

    assert s2sad.grad(f, wrt=1)(v, 0.3) == pytest.approx(4.0 + math.cos(0.3), rel=1e-15)


def either(x: Any, n: int) -> Any:
    return np.float32(x) if n else x * 2.1


def given_back(x: Any, n: int) -> Any:
    v = either(x, n)
    return v * v


def in_a_list(x: Any, n: int) -> Any:
    v = either(x, n)
    both = [v, v * x]
    return both[n] * 3.0


def in_an_array(x: Any, n: int) -> Any:
    v = either(x, n)
    return np.sum(np.array([v, v * x]) * 1.1)


def in_a_dict(x: Any, n: int) -> Any:
    found = {}
    for k in range(2):
        found[k] = either(x, n) * (k + 0.5)
    return found[0] * found[1]


def largest(x: Any, n: int) -> Any:
    return max(np.float32(x), x * 2.1) if n == 0 else max(np.float32(x * 3.0), x)


def carried(x: Any, n: int) -> Any:
    y = x * 1.1
    for _ in range(n):
        y = np.float32(y)
    return np.array([y, y * x]) @ np.array([0.3, 0.7])


def beside_double(x: Any, n: int) -> Any:
    return np.sum(np.array([0.1, 0.7]) * either(x, n))


EITHER = [given_back, in_a_list, in_an_array, in_a_dict, largest, carried, beside_double]


@pytest.mark.parametrize("f", EITHER, ids=lambda f: f.__name__)
def test_what_is_of_single_precision_on_one_path_is_of_double_on_the_other(f: Any) -> None:
    x, h = 0.7, 1e-5
    slope = (f(x + h, 0) - f(x - h, 0)) / (2 * h)
    y, dy = s2sad.jvp(f, (x, 0), (1.0, None))
    assert type(dy) is type(y)
    assert dy == pytest.approx(slope, rel=1e-10)
    assert s2sad.grad(f)(x, 0) == pytest.approx(dy, rel=1e-15)
    curved = (s2sad.grad(f)(x + h, 0) - s2sad.grad(f)(x - h, 0)) / (2 * h)
    assert s2sad.hessian(f)(x, 0) == pytest.approx(curved, rel=1e-10, abs=1e-10)
    narrow, slope = s2sad.jvp(f, (x, 1), (1.0, None))
    assert type(slope) is type(narrow)
    assert s2sad.grad(f)(x, 1) == pytest.approx(slope, rel=1e-6)


@pytest.mark.parametrize("f", EITHER[:6], ids=lambda f: f.__name__)
def test_a_variable_of_two_precisions_is_not_compiled(f: Any) -> None:
    with pytest.raises(s2sad.CompileError, match="single precision"):
        s2sad.grad(f, backend="numba")(0.7, 0)


def test_a_sum_that_begins_as_a_number_of_pythons_is_compiled() -> None:
    def f(x: Any, n: int) -> Any:
        total = 0.0
        for i in range(n):
            for j in range(n):
                total += x[i] * x[j] if i != j else 1
        return total

    assert s2sad.grad(f, backend="numba")(v, 4) == pytest.approx(s2sad.grad(f)(v, 4), rel=1e-6)


@pytest.mark.parametrize("k", [0, 5, 10, 12, 14, 18, 20, 25, 26, 27])
def test_compiled(k: int) -> None:
    f, *args = CASES[k]
    _, dy = s2sad.jvp(f, tuple(args), tuple(one_like(a) for a in args), backend="numba")
    assert width(dy) == width(f(*args))
    gradients = s2sad.grad(f, wrt=(0, 1), backend="numba")(*args)
    assert [width(g) for g in gradients] == [width(a) for a in args]
