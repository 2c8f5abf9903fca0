"""Tapes in compiled code: what the reverse sweep reads is what the forward sweep recorded, however it is kept."""

from __future__ import annotations

import inspect
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from s2sad import grad, structure, value_and_grad, vjp
from s2sad.compiled.tapes import tapes_as_arrays
from tests.ir.reader import read
from tests.ir_interpreter import interpret

pytest.importorskip("numba")


@pytest.fixture(autouse=True)
def cache(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("S2SAD_CACHE_DIR", str(tmp_path))


def numbers(*shape: int, dtype: Any = np.float64) -> np.ndarray:
    return np.sin(1.0 + np.arange(np.prod(shape, dtype=int))).reshape(shape).astype(dtype)


def check(f: Callable[..., Any], *args: Any, rtol: float = 1e-12, pulled: bool = True) -> Any:
    """Both tiers agree, on value, gradient and (``pulled``) pullback, twice over; the compiled derivative."""
    compiled = value_and_grad(f, wrt=0, backend="numba")
    expected = structure.leaves(value_and_grad(f, wrt=0)(*args))
    for _ in range(2):
        for a, b in zip(structure.leaves(compiled(*args)), expected, strict=True):
            assert np.shape(a) == np.shape(b) and np.asarray(a).dtype == np.asarray(b).dtype
            np.testing.assert_allclose(a, b, rtol=rtol, atol=rtol)
    if not pulled:
        return compiled
    _, pullback = vjp(f, *args, backend="numba")
    _, reference = vjp(f, *args)
    for ct in (1.0, 2.0):
        ct = np.asarray(expected[0]).dtype.type(ct) if np.asarray(expected[0]).dtype == np.float32 else ct
        for a, b in zip(structure.leaves(pullback(ct)), structure.leaves(reference(ct)), strict=True):
            if b is not None:
                np.testing.assert_allclose(a, b, rtol=rtol, atol=rtol)
    return compiled


# ---------------------------------------------------------------- the shape is known


def steps(x, n):
    y = x
    for _ in range(n):
        y = np.sin(y) * x + np.tanh(y)
    return np.sum(y**2)


@pytest.mark.parametrize("n", [-2, 0, 1, 7])
@pytest.mark.parametrize("shape", [(5,), (3, 4), (0,), (1,), (2, 1, 3)])
def test_arrays_of_one_shape(n: int, shape: tuple[int, ...]) -> None:
    compiled = check(steps, numbers(*shape), n)
    assert ".append" not in compiled.source_for(numbers(*shape), n)


@pytest.mark.parametrize("view", [lambda a: a.T, lambda a: a[::-1, ::2], np.asfortranarray])
def test_rows_that_are_not_contiguous(view: Callable[[Any], Any]) -> None:
    check(steps, view(numbers(4, 6)), 3)


def test_single_precision_stays_so() -> None:
    def thirds(x, n):
        y = x
        for _ in range(n):
            y = 0.5 * y + np.maximum(x, 0.0) / 3
        return np.sum(y**2)

    x = numbers(4, dtype=np.float32)
    for f in (steps, thirds):
        value, gradient = check(f, x, 5, rtol=1e-5)(x, 5)
        assert type(value) is np.float32 and gradient.dtype == np.float32
    assert "np.float32" in grad(steps, backend="numba").source_for(x, 5)


def test_loops_in_loops() -> None:
    def f(x, n, m):
        s = 0.0
        for i in range(n):
            y = x * (i + 1.0)
            for j in range(m):
                y = np.sin(y) * np.exp(-y) + x
                for _ in range(j):
                    y = y * np.cos(y)
            s += np.sum(y)
        return s

    def triangle(x, n, m):
        s = x
        for i in range(n):
            for j in range(i + m):
                if s > 0.1:
                    s = s * np.sin(s) + x / (j + 1.0)
        return s

    for n, m in ((0, 3), (2, 0), (3, 4)):
        check(f, numbers(3), n, m)
        check(triangle, 0.3, n, m)
    for g, x in ((f, numbers(3)), (triangle, 0.3)):
        assert ".append" not in grad(g, backend="numba").source_for(x, 2, 2)


def test_slices_with_bounds_of_the_loop() -> None:
    def f(u, n):
        m = u.shape[0]
        for _ in range(n):
            k = m - 1
            t = np.sin(u[1:k]) * u[2:m]
            u[1:k] = t * u[0 : m - 2]
        return np.sum(u * u)

    compiled = check(f, numbers(6), 3)
    assert ".append" not in compiled.source_for(numbers(6), 3)
    for size in (0, 1, 2, 3):
        check(f, numbers(size), 0, pulled=False)


def test_under_a_branch() -> None:
    def f(x, n):
        y = x
        for i in range(n):
            if np.sum(y) > 0.5 * i:
                y = np.sin(y) * x
            elif i % 2 == 0:
                y = np.exp(-y * y) + y
        return np.sum(y)

    check(f, numbers(4), 6)


def test_integers_and_truths() -> None:
    def f(x, n):
        y = x
        for _ in range(n):
            mask = y > 0.1
            order = np.argsort(y)
            y = np.where(mask, y * y, np.sin(y))[order] * x
        return np.sum(y)

    check(f, numbers(5), 4)


def test_tuples_that_are_recorded_whole() -> None:
    def f(x, n):
        y = x
        for _ in range(n):
            z = np.concatenate((y[2:], np.sin(y[:2]) * y[:2]))
            y = z * np.cos(z)
        return np.sum(y)

    check(f, numbers(5), 4)


# ---------------------------------------------------------------- the shape is not


def test_shapes_that_change() -> None:
    def grows(x, n):
        y = x
        for _ in range(n):
            y = np.concatenate((np.sin(y), y[:1] * x[:1]))
        return np.sum(y * y)

    def shrinks(x, n):
        y = x
        for _ in range(n):
            y = np.sin(y[1:]) * y[:-1]
        return np.sum(y * y)

    def alternates(x, n):
        y = x
        for i in range(n):
            k = 3 + i % 2
            t = np.sin(x[:k])
            y = y * np.sum(t * np.exp(t))
        return np.sum(y)

    check(grows, numbers(3), 4)
    check(shrinks, numbers(9), 4)
    check(alternates, numbers(5), 4)


def test_triangles() -> None:
    def f(A, n):
        s = 0.0
        for i in range(n):
            r = np.sin(A[i, :i])
            t = np.exp(r) * r
            s += np.sum(t * t)
        return s

    check(f, numbers(5, 5), 5)


def test_layers_of_other_widths() -> None:
    def f(layers, x):
        h = x
        for w, b in layers:
            h = np.tanh(w @ h + b)
        return np.sum(h * h)

    layers = [(numbers(4, 3), numbers(4)), (numbers(2, 4), numbers(2)), (numbers(5, 2), numbers(5))]
    check(f, layers, numbers(3))
    check(f, [(numbers(3, 3), numbers(3))] * 2, numbers(3))


def test_one_row_is_not_stretched() -> None:
    """An array of another shape is no row of the tape, though NumPy would stretch it to one."""

    def f(x, c, n):
        y = x
        for i in range(n):
            z = y if i > 1 else c
            y = np.sin(z) * np.sum(z) + np.exp(z)
        return np.sum(y) + np.sum(c)

    for c in (numbers(4), numbers(1)):
        check(f, numbers(4), c, 4)


# ---------------------------------------------------------------- loops that end early


def test_breaks_and_while() -> None:
    def broken(x, n):
        y = x
        for _ in range(n):
            y = np.sin(y) * x + y
            if np.sum(y) > 2.0:
                break
        return np.sum(y * y)

    def until(x):
        y = x
        k = 0
        while np.sum(y * y) > 0.05 and k < 20:
            y = np.sin(y) * 0.8 * np.cos(x)
            k += 1
        return np.sum(y)

    def returning(x, n):
        y = x
        for i in range(n):
            y = np.sin(y) + y * x
            if i == 2:
                return np.sum(y)
        return np.sum(y * y)

    for n in (0, 2, 30, 10**12):
        check(broken, np.abs(numbers(3)), n)
    check(until, numbers(4))
    for n in (0, 1, 3, 9):
        check(returning, numbers(3), n)


def test_numbers_one_by_one_stay_in_lists() -> None:
    def linked(x, heads, following):
        total = 0.0
        for h in heads:
            j = h
            while j >= 0:
                d = np.sin(x[j]) - x[h]
                if d > 0.0:
                    total += np.exp(d)
                j = following[j]
        return total

    args = np.abs(numbers(9)), np.array([0, 4, 6]), np.array([2, 3, 1, -1, 5, 7, 8, -1, -1])
    compiled = check(linked, *args)
    source = compiled.source_for(*args)
    assert "tape.append" in source and "_grown" not in source
    _, pullback = vjp(linked, *args, backend="numba")
    (sweep,) = (cell.cell_contents for cell in pullback.__closure__ if inspect.isfunction(cell.cell_contents))
    held = [cell.cell_contents for cell in sweep.__closure__]
    assert any(isinstance(x, np.ndarray) and x.ndim for x in held) and not any(isinstance(x, list) for x in held)


def test_room_for_all_that_a_loop_within_records() -> None:
    def relaxed(x, tolerance):
        y, change, rounds = x, 1.0, 0
        while change > tolerance and rounds < 30:
            new = np.zeros_like(y)
            for i in range(1, y.shape[0] - 1):
                for j in range(1, i + 1):
                    new[i, j] = np.sin(y[i - 1, j] * y[i, j - 1]) + 0.3 * x[i, j]
            change = np.max(np.abs(new - y))
            y = new
            rounds += 1
        return np.sum(y * y)

    compiled = check(relaxed, numbers(7, 7), 1e-6)
    lines = [line.strip() for line in compiled.source_for(numbers(7, 7), 1e-6).splitlines()]
    inner = next(k for k, line in enumerate(lines) if line.startswith("new[i, j] ="))
    room = [k for k, line in enumerate(lines) if "= _grown(" in line]
    assert room and all(k < inner for k in room[:2]) and not any(inner <= k <= inner + 12 for k in room)
    check(relaxed, numbers(2, 2), 1e-6)


def test_axes_of_one_item_are_known_where_there_are_more_rows() -> None:
    """Else the derivative finds that lengths differ at its first call, and is compiled again."""

    def f(x, counts):
        total = 0.0
        for m in counts:
            for h in range(m):
                e = np.exp(x * (1.0 + h))
                p = e / np.sum(e, axis=1, keepdims=True)
                total += np.sum(p * p * x)
                if total > 1e9:
                    return total
        return total

    x, counts = numbers(2, 3), np.array([1, 9, 2])
    text = grad(f, backend="numba").source_for(x, counts)
    namespace: dict[str, Any] = {}
    exec(text, namespace)
    assert "_grown(" in text
    np.testing.assert_allclose(namespace["f_grad"](x, counts), grad(f)(x, counts), rtol=1e-12)


# ---------------------------------------------------------------- what changes after it was recorded


def test_arrays_that_change_later() -> None:
    def reused(x, n):
        buffer = np.zeros(x.shape[0])
        y = x
        for _ in range(n):
            buffer[:] = np.sin(y)
            z = buffer * buffer
            y = z * np.exp(buffer) + y
        return np.sum(y)

    def in_place(x, n):
        u = x.copy()
        for _ in range(n):
            v = np.exp(u)
            u[1:] = u[:-1] * v[1:]
            v[0] = 2.0 * u[1]
            u *= v * v
        return np.sum(u)

    def swapped(x, n):
        a, b = x.copy(), np.zeros(x.shape[0])
        for _ in range(n):
            b[:] = np.sin(a) * a
            a, b = b, a
        return np.sum(a * a)

    def later(x, n):
        rows = []
        for i in range(n):
            r = x * (i + 1.0)
            s = np.sin(r) * r
            rows.append(s)
            if i > 0:
                rows[i - 1][0] = np.sum(s * s)
        return np.sum(np.stack(rows) ** 2)

    for f in (reused, in_place, swapped):
        for n in (0, 1, 2, 4):
            check(f, numbers(4), n, pulled=n > 0)
    check(later, numbers(3), 4)


def test_bounds_that_fail_are_not_computed_before_it_comes_to_that() -> None:
    def f(x, n, m):
        y = x
        for _ in range(n):
            for _ in range(7 // m):
                y = np.sin(y) * x
            for _ in range(0, 3, m):
                y = np.cos(y) * x
        return np.sum(y)

    check(f, numbers(3), 2, 3)
    check(f, numbers(3), 0, 0)


def test_indices_are_those_of_the_loops_that_are_reversed() -> None:
    def f(A, n, m):
        s = 0.0
        p = 0
        for i in range(n):
            for j in range(m - 1, i, -1):
                for _ in range(2):
                    s += np.sin(A[i, p] * s) * A[j, p]
                    p = (p + i + 1) % m
        return s

    compiled = check(f, numbers(4, 5), 3, 4)
    assert "i_tape" not in compiled.source_for(numbers(4, 5), 3, 4)
    check(f, numbers(4, 5), 0, 4)
    check(f, numbers(4, 5), 3, 0)

    def other_steps(A, n, k):
        s = 0.0
        p = 0
        for i in range(0, n, k):
            for j in range(i, -2, -1):
                s += np.sin(A[i, p]) * A[j, p] * s + A[p, i]
                p = (p + 2) % n
        return s

    check(other_steps, numbers(5, 5), 5, 2)
    check(other_steps, numbers(5, 5), 4, 1)


def test_what_an_iteration_makes_is_not_restored_for_another() -> None:
    """A store into what each iteration makes anew changes nothing that others read: it needs no record."""

    def f(x, n):
        total = 0.0
        for k in range(n):
            away = np.zeros(len(x))
            for i in range(len(x)):
                for j in range(i, len(x)):
                    away[j] += x[i] * x[k]
            for i in range(len(x)):
                total += away[i] ** 2
        return total

    compiled = check(f, numbers(5), 4)
    text = compiled.source_for(numbers(5), 4)
    assert "old" not in text and ".append" not in text


def test_arrays_that_are_asked_for_their_shape_are_not_kept() -> None:
    """The shapes are not known before the loop: they are recorded, and the arrays that only have them are not."""

    def f(x, widths):
        total = 0.0
        for width in widths:
            part = x[:width]
            moved = np.sin(part)
            total += np.sum(moved[: width // 2]) * np.sum(np.exp(moved[1:] + x[1:width]))
        return np.log(total)

    compiled = check(f, numbers(6), [5, 3, 6, 2, 2])
    text = compiled.source_for(numbers(6), [5, 3, 6, 2, 2])
    assert "moved.shape" not in text and "n_tape[k] = " in text and text.count(".append(") == 1


def test_tapes_of_an_iteration_are_made_once() -> None:
    """What an iteration records for its own reversal has the same length in each: the array is made before the loop."""

    def f(x, n):
        total = 0.0
        for i in range(len(x)):
            h = x[i]
            for _ in range(n):
                h = np.sin(h * x[0] + 0.1)
            total += h
        return total

    text = check(f, numbers(5), 4).source_for(numbers(5), 4)
    loops = text.partition("    total = 0.0\n")[2].partition("\n\n\n")[0]
    assert loops.count("for i in range(") == 1 and "np.empty(" not in loops
    assert "h_tape = np.empty(" in text
    for n in (0, 1, 7):
        check(f, numbers(3), n, pulled=False)


def test_tapes_of_an_iteration_that_grow() -> None:
    def f(x, counts):
        total = 0.0
        for i in range(len(x)):
            h = x[i]
            while h < 2.0:
                h = np.exp(h) + x[0] ** 2
            for _ in range(counts[i]):
                h = np.sin(h + x[1])
            total += h
        return total

    text = check(f, numbers(4), [0, 20, 3, 1]).source_for(numbers(4), [0, 20, 3, 1])
    loops = text.partition("    total = 0.0\n")[2].partition("\n\n\n")[0]
    assert loops.count("for i in range(") == 1 and "_tape1 = np.empty(" in loops


# ---------------------------------------------------------------- what is computed again


def picked(x, labels):
    total = 0.0
    for t in range(1, len(labels)):
        x = np.tanh(x) * 1.5
        total += np.sum(x[np.arange(len(x)), labels[t]] ** 2)
    return total


def picked_in_another_order(x, labels):
    total = 0.0
    for t in range(1, len(labels)):
        rows = np.arange(len(x))
        rows[0] = t % 2
        x = np.tanh(x) * 1.5
        total += np.sum(x[rows, labels[t]] ** 2)
        labels[t] = 0
    return total


@pytest.mark.parametrize("f", [picked, picked_in_another_order])
def test_indices_of_rows(f: Callable[..., Any]) -> None:
    """Those that are counted are counted again, and rows of what is passed are looked at there, unless they change."""
    x, labels = numbers(3, 4), np.array([[0, 1, 2], [3, 3, 1], [2, 0, 0], [1, 2, 3]])
    text = value_and_grad(f, backend="numba").source_for(x, labels)
    code = [line for line in text.splitlines() if not line.lstrip().startswith("#")]
    assert sum("np.arange(" in line for line in code) == (2 if f is picked else 1)
    expected = value_and_grad(f)(x, labels.copy())
    found = value_and_grad(f, backend="numba")(x, labels.copy())
    assert found[0] == pytest.approx(expected[0], rel=1e-13)
    np.testing.assert_allclose(found[1], expected[1], rtol=1e-12)


# ---------------------------------------------------------------- taken where it was put

SAME_BLOCK = """
def f(x: float, n: int):
    t_tape: list[float] = []
    for i in range(0, n) carrying (y: float = x):
        c = y > 0.5
        if c:
            list_append(t_tape, y)
            t: float = list_pop(t_tape, -1)
            give t
        else:
            give x
        -> z
        next z
    -> r
    return r
"""


def test_what_is_taken_in_the_block_that_put_it_there_is_in_a_list() -> None:
    """The count of an array's items is that of the block, which either puts or takes."""
    function = read(SAME_BLOCK.strip())
    assert interpret(tapes_as_arrays(function), 0.7, 3) == interpret(function, 0.7, 3) == 0.7
