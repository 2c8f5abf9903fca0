"""Where real numbers and complex ones meet in names, lists and arrays: values, derivatives and their sorts."""

from __future__ import annotations

import cmath
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import s2sad
from tests.fuzz.parts import compare, expected

pytestmark = pytest.mark.filterwarnings("ignore::RuntimeWarning")
z = np.array([0.4 - 1.1j, -0.7 + 0.3j, 0.9 + 0.6j])
x = np.array([-0.9, 0.5, 1.2])


def early(u, w):
    """A name that is real in the first iteration, and added at indices."""
    for _ in range(4):
        if abs(u) > 0.9:
            break
        u = u * (1.2 + 0.3j)
    np.add.at(w, [0, 0, 1], u)
    return np.sum(np.abs(w) ** 2)


def either(a, b, flag):
    """Real arrays on one path, complex ones on the other."""
    t = np.abs(a) if flag else b
    return np.imag(0.2 * t), np.sum(t)


def listed(items):
    """Real numbers and complex ones in one list."""
    return abs(sum(items)) ** 2 + (items[0] * items[-1]).real


def changed(items):
    items.append(items[0] * 1j)
    items[1] = items[1] * items[2]
    return abs(sum(items)) ** 2


def unread(items, v):
    return v * len(items)


def of_arrays(rows):
    """Real arrays and complex ones in one list."""
    return sum(np.real(np.sum(r * 1.5)) for r in rows)


def transformed(v):
    """A transform of real numbers, of an array that is updated in place."""
    v *= 2.0
    spectrum = np.fft.rfft(v)
    v[0] = v[1] ** 2
    return np.sum(np.abs(spectrum) ** 2) + np.sum(v)


def negative(b):
    """Powers of negative numbers that are real."""
    return np.abs((-1.45) ** b) * np.angle(b)


def power(a, b):
    return np.sum(np.abs(a**b))


def on_the_cut(b):
    """On the side of the cut where the imaginary part is -0.0."""
    return abs(np.conj(np.complex128(-1.3 + 0.0j)) ** b)


def itself(v, c):
    """The conjugate of an array of real numbers is the array itself."""
    w = v.conj()
    w[0] = c
    u = v.conjugate()
    u[1:] *= c
    return np.sum(v * v)


def shifted(v):
    """A store of a vector by a mask, which NumPy reads anew."""
    v[np.real(v) > 0.0] = v[:2]
    return np.sum(np.abs(v) ** 2) + v[1].imag


def replaced(u, v):
    """An argument that a loop replaces."""
    for _ in range(2):
        u = 0.5
    return u * v


@pytest.mark.parametrize(
    ("f", "args"),
    [
        (early, (0.3, z)),
        (early, (1.3, z)),
        (either, (x + 1j, z, True)),
        (either, (x + 1j, z, False)),
        (listed, ([1.1, -0.8, -1.3 - 0.9j],)),
        (changed, ([1.1, -0.8, -1.3 - 0.9j],)),
        (unread, ([1.1, -1.3 - 0.9j], 0.5 + 1j)),
        (of_arrays, ([z, x],)),
        (transformed, (x,)),
        (negative, (0.4 - 0.7j,)),
        (power, (x, z)),
        (power, (-0.6, 0.4 + 0.2j)),
        (on_the_cut, (0.4 - 0.7j,)),
        (itself, (x, 0.7)),
        (shifted, (z,)),
        (replaced, (0.3 + 0.2j, 1.2)),
    ],
)
def test_agrees(f: Callable[..., Any], args: tuple[Any, ...]) -> None:
    """Both modes, second derivatives, and gradients of the sort of their arguments."""
    compare(f, expected(f, args, 7))


def test_phase_is_taken_by_the_exponent() -> None:
    assert s2sad.grad(lambda b: abs(cmath.exp(1j * b) ** 2j))(0.3) == pytest.approx(-2.0 * np.exp(-0.6))


def test_the_compiled_tier_takes_lists_of_one_sort() -> None:
    pytest.importorskip("numba")
    gradient = s2sad.grad(listed, backend="numba")
    np.testing.assert_allclose(gradient([1.1 + 0.1j, -0.8j]), s2sad.grad(listed)([1.1 + 0.1j, -0.8j]))
    with pytest.raises(TypeError, match="real numbers and complex ones"):
        gradient([1.1, -0.8j])
