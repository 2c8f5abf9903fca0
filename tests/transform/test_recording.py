"""What reverse sweeps compute again, and what they record."""

from __future__ import annotations

import re

import numpy as np
import pytest

from s2sad import grad


def off_the_diagonal(x, n):
    total = 1.0
    for i in range(n):
        for j in range(n):
            if i != j:
                total = np.sin(total * x[i]) + x[j]
    return total


def while_positive(x, n):
    total = 0.0
    for i in range(n):
        margin = 1.0 - total * x[i]
        if margin > 0.0:
            total = total + x[i]
    return np.log(total)


def squares(x, n):
    total = 0.0
    for i in range(n):
        total += np.exp(x[i] ** 2)
    return np.log(total)


def scaled(x, y, n):
    total = 0.0
    for i in range(n):
        total = total + np.sum(np.sin((x - y[i]) * 2.0))
    return np.log(total)


@pytest.mark.parametrize(("f", "recorded"), [(off_the_diagonal, "total)"), (while_positive, "test)"), (squares, "t)")])
def test_one_number_is_recorded_for_each_iteration(f, recorded) -> None:
    source = grad(f).source_for(np.full(4, 0.3), 4)
    (line,) = [line for line in source.splitlines() if "tape.append(" in line]
    assert line.endswith(f"_tape.append({recorded}")


@pytest.mark.parametrize("backend", ["python", "numba"])
def test_arrays_are_computed_again_where_they_become_loops(backend: str) -> None:
    pytest.importorskip("numba")
    source = grad(scaled, backend=backend).source_for(np.ones(3), np.ones(4), 4)
    assert ("tape" in source) == (backend == "python")


def eliminated(x, steps):
    """Columns of a coefficient that is overwritten in each step, each read beside the one that is stored."""
    n = x.shape[1]
    p, q = np.zeros_like(x), np.zeros_like(x)
    for _ in range(steps):
        for j in range(1, n - 1):
            p[:, j] = 0.25 / (0.5 * p[:, j - 1] + 1.5)
            q[:, j] = (x[:, j] - 0.5 * q[:, j - 1]) / (0.5 * p[:, j - 1] + 1.5)
        for j in range(n - 2, 0, -1):
            x[:, j] = p[:, j] * x[:, j + 1] + q[:, j]
    return np.sum(x**2)


def overwritten_after(x, steps):
    """What arithmetic reads is stored into in the same iteration."""
    p = np.ones_like(x)
    for k in range(steps):
        for j in range(1, x.shape[1]):
            scale = 2.0 * p[:, j - 1] + 1.0
            p[:, j - 1] = np.cos(scale) + k
            x[:, j] = np.sin(x[:, j - 1]) * scale
    return np.sum(x**2)


def overwritten_in_a_loop(x, steps):
    """It is stored into by a loop within the iteration."""
    p = np.ones_like(x)
    for k in range(steps):
        for j in range(1, x.shape[1]):
            scale = 2.0 * p[:, j] + 1.0
            for i in range(j, x.shape[1]):
                p[:, i] = 0.5 * p[:, i] + k
            x[:, j] = np.sin(x[:, j - 1]) * scale
    return np.sum(x**2)


def overwritten_by_the_next(x, steps):
    """It is stored into by a later iteration."""
    p = np.ones_like(x)
    for k in range(steps):
        for j in range(1, x.shape[1]):
            scale = 2.0 * p[:, j] + 1.0
            p[:, j - 1] = np.cos(0.1 * k + j) * p[:, j]
            x[:, j] = np.sin(x[:, j - 1]) * scale
    return np.sum(x**2)


def lowered_gradient(f, *args):
    """The compiled gradient as it reads, and what it gives where it is not compiled."""
    source = grad(f, backend="numba").source_for(*args)
    namespace: dict = {}
    exec(source, namespace)
    return source, namespace[f"{f.__name__}_grad"](*(a.copy() if isinstance(a, np.ndarray) else a for a in args))


@pytest.mark.parametrize(
    ("f", "tapes"),
    [
        (eliminated, {"old_tape"}),
        (overwritten_after, {"scale_tape", "x_old_tape"}),
        (overwritten_in_a_loop, {"scale_tape", "x_old_tape"}),
        (overwritten_by_the_next, {"p_old_tape", "x_old_tape"}),
    ],
)
def test_arithmetic_is_repeated_on_items_that_are_left_in_an_iteration(f, tapes: set[str]) -> None:
    pytest.importorskip("numba")
    x = np.sin(np.arange(10.0)).reshape(2, 5)
    source, found = lowered_gradient(f, x, 3)
    np.testing.assert_allclose(found, grad(f)(x.copy(), 3), rtol=1e-13)
    assert set(re.findall(r"\w+_tape\w*", source)) == tapes


def limited(u, steps):
    """Slopes that are limited, and an upwind choice: of each step, what it began with tells all else."""
    for _ in range(steps):
        v = np.concatenate((u[-2:], u, u[:2]))
        d = v[1:] - v[:-1]
        s = np.where(d[:-1] * d[1:] > 0.0, np.where(np.abs(d[:-1]) < np.abs(d[1:]), d[:-1], d[1:]), 0.0)
        left, right = v[1:-2] + 0.5 * s[:-1], v[2:-1] - 0.5 * s[1:]
        f = left**2 + right**2 - np.maximum(np.abs(left), np.abs(right)) * (right - left)
        u = u - 0.1 * (f[1:] - f[:-1])
    return np.sum(u**2)


def clipped(x, steps):
    """A test of what nothing else asks for: the truth values take less memory than what they are of."""
    total = 0.0
    for k in range(steps):
        noisy = np.sin(x * k)
        total = total + np.sum(np.where(noisy > 0.3, x, 0.5 * x))
    return np.log(total)


@pytest.mark.parametrize(("f", "args", "tapes"), [(limited, (6,), {"v_tape"}), (clipped, (5,), {"test_tape"})])
def test_choices_are_made_again_of_what_is_at_hand(f, args: tuple[int, ...], tapes: set[str]) -> None:
    pytest.importorskip("numba")
    x = np.sin(np.arange(9.0)) + 0.2
    source, found = lowered_gradient(f, x, *args)
    np.testing.assert_allclose(found, grad(f)(x.copy(), *args), rtol=1e-12)
    assert set(re.findall(r"\w+_tape\w*", source)) == tapes


def carried_upwind(u, steps):
    """A choice between two numbers in a loop: the number that is chosen from is left where it is."""
    flux, speed = np.zeros(len(u) + 1), np.cos(u)
    u = u.copy()
    for _ in range(steps):
        for i in range(1, len(u)):
            flux[i] = max(speed[i], 0.0) * u[i - 1] ** 2 + min(speed[i], 0.0) * u[i] ** 2
        for i in range(len(u)):
            u[i] -= 0.1 * (flux[i + 1] - flux[i])
    return np.sum(u**2)


def chosen_and_overwritten(u, steps):
    """The number that is chosen from is changed in the same iteration: what was chosen has to be recorded."""
    u = u.copy()
    for _ in range(steps):
        for i in range(1, len(u)):
            high = max(u[i], 0.3)
            u[i] = high * u[i - 1] * np.sin(high)
    return np.sum(u**2)


def computed_in_a_branch(u, steps):
    total = 1.0
    for k in range(steps):
        for i in range(len(u)):
            part = u[i] * total
            if part > 0.1 * k:
                part = np.exp(-part)
            total = np.sin(total * part) + 1.0
    return total


@pytest.mark.parametrize("f", [carried_upwind, chosen_and_overwritten, computed_in_a_branch])
def test_choices_between_numbers(f) -> None:
    pytest.importorskip("numba")
    x = np.sin(np.arange(9.0)) + 0.2
    source, found = lowered_gradient(f, x, 4)
    np.testing.assert_allclose(found, grad(f)(x.copy(), 4), rtol=1e-12)
    np.testing.assert_allclose(grad(f, backend="numba")(x, 4), found, rtol=1e-12)
    tapes = set(re.findall(r"\w+_tape\w*", source))
    assert tapes == ({"u_old_tape"} if f is carried_upwind else tapes)
    assert f is carried_upwind or tapes
