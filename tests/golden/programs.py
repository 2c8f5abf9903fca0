"""Functions whose derivatives are kept as golden files, with arguments to check them at.

They are chosen so that between them they show every form that derivatives are printed in.
"""

from __future__ import annotations

import functools
import math
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np

#: Every derivative that is printed; a scalar function has all four.
MODES = ("grad", "value_and_grad", "jvp", "vjp")


@dataclass(frozen=True)
class Golden:
    """A function, arguments, which of them to differentiate by, and the modes to keep.

    ``general`` keeps the text that is printed before any argument is known, as the command
    prints it; otherwise it is that for arguments like these.
    """

    function: Callable[..., Any]
    args: tuple[Any, ...]
    wrt: tuple[int, ...] = (0,)
    modes: tuple[str, ...] = ("grad", "jvp")
    general: bool = False
    name: str = ""

    @property
    def title(self) -> str:
        """What its files are called by."""
        return self.name or self.function.__name__


# Formulas


def quickstart(x1: float, x2: float):
    return math.log(x1) + x1 * x2 - math.sin(x2)


def anything(x, y):
    """Nothing is known of the arguments: helpers take care of both numbers and arrays."""
    return np.sum(np.tanh(x * y) + y)


def curvature(x: float):
    """A derivative of a derivative."""
    from s2sad import grad

    return grad(grad(lambda z: z**3 * math.sin(z)))(x)


def trained(w: float, rate: float):
    """A loop of gradient steps, differentiated as a whole."""
    from s2sad import grad

    for _ in range(3):
        w = w - rate * grad(lambda v: (v * v - 2.0) ** 2)(w)
    return w


# Control flow


def newton(a: float):
    x = 1.0 + 0.5 * a
    steps = 0
    while True:
        change = (x * x - a) / (2.0 * x)
        x = x - change
        steps += 1
        if abs(change) < 1e-12 or steps == 50:
            break
    return x


def first_above(x: float, bound: float):
    if x <= 0.0:
        return -x
    for k in range(10):
        x = x * (1.0 + 0.1 * k * x)
        if x > bound:
            return x * x
    return x


def steps_of_collatz(x: float, n: int):
    """The branch taken depends on integers alone."""
    for k in range(n):
        if k % 3 == 0:
            continue
        x = math.sin(x) if k % 2 else x * x
    return x


def power(x: float, n: int):
    """Recursion: the derivative calls itself."""
    if n == 0:
        return 1.0
    half = power(x, n // 2)
    return half * half if n % 2 == 0 else half * half * x


def horner(x: float, kind: str = "sine"):
    match kind:
        case "sine":
            coefficients = (0.0, 1.0, 0.0, -1.0 / 6.0)
        case _:
            coefficients = (1.0, 0.0, -0.5, 0.0)
    value = 0.0
    for c in reversed(coefficients):
        value = value * x + c
    return value


# Lists, structures, functions


def collected(x: np.ndarray, n: int):
    """A list that is appended to, and made an array."""
    out = []
    y = x[0]
    for k in range(n):
        y = y * x[k % len(x)] + math.cos(y)
        out.append(y)
    return np.sum(np.array(out) ** 2)


class Point(NamedTuple):
    x: float
    y: float


def path_length(start: Point, moves: dict[str, Any]):
    """A named tuple and a dict, whose derivatives are a named tuple and a dict."""
    end = Point(start.x + moves["east"], start.y + moves["north"])
    return math.hypot(end.x, end.y) * moves["scale"]


def rk4(f: Callable[..., Any], y: np.ndarray, h: float, steps: int):
    for _ in range(steps):
        k1 = f(y)
        k2 = f(y + 0.5 * h * k1)
        k3 = f(y + 0.5 * h * k2)
        k4 = f(y + h * k3)
        y = y + h / 6.0 * (k1 + 2.0 * k2 + 2.0 * k3 + k4)
    return y


def trajectory(y: np.ndarray, k: float):
    """An integrator that takes the right-hand side, a closure, as an argument."""

    def rhs(state):
        return np.array([state[1], -k * np.sin(state[0])])

    return rk4(rhs, y, 0.1, 4)[0]


def bundled(x: float, y: float):
    """Partial application, defaults, keywords and a lambda."""

    def blend(a, b, *, weight=0.25):
        return weight * a + (1.0 - weight) * b

    mix = functools.partial(blend, weight=0.75)
    return mix(x, y) * (lambda z: math.exp(-z))(b := x * y) + b


# Arrays


def mlp(params: dict[str, np.ndarray], x: np.ndarray, labels: np.ndarray):
    hidden = np.maximum(x @ params["w"] + params["b"], 0.0)
    scores = hidden @ params["v"]
    scores = scores - np.max(scores, axis=1, keepdims=True)
    log_p = scores - np.log(np.sum(np.exp(scores), axis=1, keepdims=True))
    return -np.mean(log_p[np.arange(len(labels)), labels])


def picked(x: np.ndarray, index: np.ndarray):
    """Repeated indices: contributions add."""
    return np.sum(x[index] ** 2) + x[-1] * x[0]


def normalised(x: np.ndarray):
    """More than one output."""
    norm = np.linalg.norm(x)
    return x / norm, norm


# Arrays updated in place


def seidel(A: np.ndarray, steps: int):
    n = A.shape[0]
    for t in range(steps):
        for i in range(1, n - 1):
            for j in range(1, n - 1):
                A[i, j] = (A[i, j - 1] + A[i, j] + A[i - 1, j]) / 3.0
    return np.sum(A)


def burgers(u: np.ndarray, steps: int, c: float):
    """A stencil of slices that is not linear: what it overwrites is put back."""
    for _ in range(steps):
        u[1:-1] = u[1:-1] - c * u[1:-1] * (u[2:] - u[:-2])
    return np.sum(u**2)


def through_views(A: np.ndarray, s: float):
    """Stores through views of rows, columns and a transpose."""
    row = A[0]
    row *= s
    A.T[1] += row
    A[A > 2.0] = s
    return np.sum(A * A)


def cholesky(A: np.ndarray):
    n = len(A)
    L = np.zeros_like(A)
    for j in range(n):
        L[j, j] = math.sqrt(A[j, j] - L[j, :j] @ L[j, :j])
        for i in range(j + 1, n):
            L[i, j] = (A[i, j] - L[i, :j] @ L[j, :j]) / L[j, j]
    return L[n - 1, n - 1] * L[n - 1, 0]


def swapped(a: np.ndarray, b: np.ndarray, steps: int):
    """Double buffering: two arrays that change names."""
    for _ in range(steps):
        b[1:-1] = 0.5 * (a[:-2] * a[2:])
        a, b = b, a
    return np.sum(a)


def _sample(*shape: int) -> np.ndarray:
    """Fixed numbers between 0.5 and 1.5, all different."""
    size = math.prod(shape)
    return (0.5 + (np.arange(size) * 0.6180339887 + 0.1) % 1.0).reshape(shape)


def likelihood(K, y):
    """What may fail is tried again with more on the diagonal."""
    jitter = 1e-6
    for _ in range(5):
        try:
            L = np.linalg.cholesky(K + jitter * np.eye(len(y)))
            break
        except np.linalg.LinAlgError:
            jitter *= 100.0
    else:
        return -np.inf
    z = np.linalg.solve(L, y)
    return -0.5 * z @ z - np.sum(np.log(np.diag(L)))


def guarded(x, rate):
    """Two classes of exceptions, and a name that keeps its value."""
    y = rate
    try:
        y = math.log(x) / rate
    except ZeroDivisionError:
        pass
    except ValueError as error:
        if rate < 0.0:
            raise ValueError(f"{x} and {rate}") from error
        y = x * rate
    return y * x


def schroedinger(potential, psi, dt):
    """A wave function, real at first, moved on by Fourier transforms."""
    k = 2.0 * np.pi * np.fft.fftfreq(psi.size)
    for _ in range(3):
        psi = psi * np.exp(-1j * dt * potential)
        psi = np.fft.ifft(np.exp(-0.5j * dt * k**2) * np.fft.fft(psi))
    return np.sum(potential * np.abs(psi) ** 2)


def resonance(r, c, w):
    """Python's own complex numbers."""
    z = r + 1j * w + 1.0 / (1j * w * c)
    return abs(z) + z.imag


_PARAMS = {"w": _sample(3, 4) - 1.0, "b": _sample(4) - 1.0, "v": _sample(4, 3) - 0.9}
_SPD = _sample(4, 4) @ _sample(4, 4).T + np.eye(4)

GOLDEN = (
    Golden(quickstart, (2.0, 5.0), (0, 1), MODES, general=True),
    Golden(anything, (np.array([0.5, -1.0]), 2.0), (0, 1), MODES, general=True),
    Golden(anything, (_sample(2, 3), _sample(3)), (0, 1), ("grad", "jvp"), name="broadcast"),
    Golden(curvature, (0.7,), modes=("grad",)),
    Golden(trained, (1.1, 0.05), (0, 1), ("grad",)),
    Golden(newton, (3.0,), modes=("grad", "jvp", "vjp")),
    Golden(first_above, (0.9, 2.0), modes=("grad", "jvp")),
    Golden(steps_of_collatz, (0.8, 8)),
    Golden(power, (1.1, 13), modes=("grad", "jvp", "vjp")),
    Golden(horner, (0.4, "sine")),
    Golden(collected, (_sample(3), 5), modes=("value_and_grad", "jvp")),
    Golden(path_length, (Point(1.0, 2.0), {"east": 0.5, "north": -1.0, "scale": 2.0}), (0, 1), ("grad", "jvp", "vjp")),
    Golden(trajectory, (np.array([0.3, 0.1]), 2.0), (0, 1), ("value_and_grad", "jvp")),
    Golden(bundled, (0.6, 1.3), (0, 1), ("grad", "vjp")),
    Golden(mlp, (_PARAMS, _sample(5, 3) - 1.0, np.array([0, 2, 1, 1, 0])), modes=("value_and_grad", "jvp")),
    Golden(picked, (_sample(4), np.array([0, 0, 2, -1]))),
    Golden(normalised, (_sample(3),), modes=("jvp", "vjp")),
    Golden(seidel, (_sample(5, 5), 2), modes=("grad", "jvp", "vjp")),
    Golden(burgers, (_sample(6), 3, 0.2), (0, 2), ("grad", "vjp")),
    Golden(through_views, (_sample(3, 3) * 2.0, 0.7), (0, 1), ("grad", "jvp")),
    Golden(cholesky, (_SPD,), modes=("grad", "jvp")),
    Golden(likelihood, (_SPD, _sample(4)), (0, 1), ("grad",)),
    Golden(guarded, (1.3, 0.6), (0, 1), ("grad", "jvp")),
    Golden(schroedinger, (_sample(4), _sample(4), 0.1), (0, 1, 2), ("grad", "jvp")),
    Golden(resonance, (1.5, 0.4, 2.0), (0, 1, 2), ("grad", "jvp")),
    Golden(swapped, (_sample(5), _sample(5) + 0.5, 3), (0, 1), ("grad", "jvp")),
)
CASES = {f"{g.title}_{mode}": (g, mode) for g in GOLDEN for mode in g.modes}
