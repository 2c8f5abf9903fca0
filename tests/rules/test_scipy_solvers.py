"""The rules of what scipy does with functions, through the public interface."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from rules.samples import arr
from rules.through import check

import s2sad
from s2sad import CompileError, MissingRule, NotDifferentiable, S2sadError, UnsupportedSyntax, grad

integrate = pytest.importorskip("scipy.integrate")
quad = integrate.quad

TABLE = np.array([1.0, 2.0, 3.0])


class Rate:
    """A number in an object."""

    def __init__(self, rate: Any) -> None:
        self.rate = rate


def gaussian(k: Any, b: Any) -> Any:
    return quad(lambda t: math.exp(-k * t * t), 0.0, b)[0]


def both_ends(a: Any, b: Any) -> Any:
    return quad(np.sin, a, b)[0]


def of_arguments(w: Any) -> Any:
    def integrand(t: Any, p: Any, q: Any) -> Any:
        return np.sum(np.sin(p * t)) * q

    value, _ = quad(integrand, 0, 2, args=(w, 3.0))
    return value**2


def one_argument(a: Any) -> Any:
    return quad(lambda t, b: b * t, 0, 1, args=a)[0]


def within(c: Any) -> Any:
    return quad(lambda s: quad(lambda t: np.exp(-c * s * t), 0, s)[0], 0, 1.0)[0]


def without_end(c: Any) -> Any:
    return quad(lambda t: np.exp(-c * t), 0, np.inf)[0]


def distribution(x: Any, m: Any, s: Any) -> Any:
    def density(t: Any) -> Any:
        return np.exp(-0.5 * ((t - m) / s) ** 2) / (s * np.sqrt(2 * np.pi))

    return quad(density, -np.inf, x)[0]


def in_an_object(a: Any) -> Any:
    p = Rate(a)
    return quad(lambda t: math.cos(p.rate * t), 0, a)[0]


def of_a_table(a: Any) -> Any:
    return quad(lambda t: np.interp(t, TABLE, a * TABLE**2), 1, 3, points=[2.0])[0]


def of_a_matrix(m: Any) -> Any:
    return quad(lambda t: np.sum(np.linalg.solve(m + t * np.eye(2), np.ones(2))), 0, 1)[0]


def changed_later(c: Any) -> Any:
    powers = [1, 2]
    value = quad(lambda t: t * c ** powers[1], 0.0, 1.0)[0]
    powers[1] = 5
    return value * c


def in_a_loop(w: Any) -> Any:
    w = 1.0 * w
    total = 0.0
    for k in range(3):
        w[k] = w[k] * 2.0
        total += quad(lambda t: np.exp(-w[k] * t) * w[0], 0.0, w[k])[0]
        w[0] = w[0] * 1.5
    return total


def of_a_branch(a: Any) -> Any:
    return quad(lambda t: np.exp(-a * t) if t < 0.5 else a, 0, 1, points=[0.5])[0] if a > 0 else a


def derived_inside(a: Any) -> Any:
    return grad(lambda u: quad(lambda t: np.sin(u * t), 0, 1)[0])(a) * a


def to_one_part_in_ten(a: Any) -> Any:
    return quad(lambda t: np.exp(a * t), 0, 1, epsabs=1e-3, epsrel=1e-1, limit=20)[0]


INTEGRALS: list[tuple[Callable[..., Any], tuple[Any, ...]]] = [
    (gaussian, (1.3, 0.7)),
    (both_ends, (0.2, 1.1)),
    (of_arguments, (arr(2),)),
    (one_argument, (0.6,)),
    (within, (1.3,)),
    (without_end, (1.3,)),
    (distribution, (0.3, 0.1, 1.2)),
    (in_an_object, (1.2,)),
    (of_a_table, (2.0,)),
    (of_a_matrix, (np.array([[3.0, 1.0], [0.5, 2.0]]),)),
    (changed_later, (1.2,)),
    (in_a_loop, (np.array([1.0, 0.5, 0.2]),)),
    (of_a_branch, (0.4,)),
    (of_a_branch, (-0.4,)),
    (derived_inside, (0.3,)),
    (to_one_part_in_ten, (0.3,)),
]


@pytest.mark.parametrize(("f", "args"), INTEGRALS, ids=lambda p: getattr(p, "__name__", ""))
def test_integrals(f: Callable[..., Any], args: tuple[Any, ...]) -> None:
    check(f, *args)


def test_third_derivative() -> None:
    third = grad(grad(grad(without_end)))
    np.testing.assert_allclose(third(1.3), -6 / 1.3**4, rtol=1e-8)


@pytest.mark.parametrize("size", [1e-12, 1e12])
def test_derivatives_of_any_size(size: float) -> None:
    """Tolerances of the solver are for numbers of the size of one."""
    want = np.array(s2sad.jvp(of_arguments, (arr(3),), (arr(3, seed=5),))[1])
    np.testing.assert_allclose(s2sad.jvp(of_arguments, (arr(3),), (size * arr(3, seed=5),))[1], size * want, rtol=1e-9)
    scaled = grad(lambda w: size * of_arguments(w))
    np.testing.assert_allclose(scaled(arr(3)), size * grad(of_arguments)(arr(3)), rtol=1e-9)


def test_text_stands_alone() -> None:
    text = grad(gaussian).source_for(1.3, 0.7)
    namespace: dict[str, Any] = {}
    exec(text, namespace)
    assert "s2sad" not in text and namespace["gaussian_grad"](1.3, 0.7) == grad(gaussian)(1.3, 0.7)


def jumps(c: Any) -> Any:
    return quad(lambda t: 1.0 if t > c else 0.0, 0, 1)[0]


def jumps_by_a_mask(c: Any) -> Any:
    return quad(lambda t: np.where(t > c, t, 0.0), 0, 1)[0]


def jumps_by_remainder(c: Any) -> Any:
    return quad(lambda t: (t * c) % 1.0, 0, 1)[0]


def jumps_in_its_derivative(c: Any) -> Any:
    return grad(lambda a: quad(lambda t: abs(t - a), 0, 1)[0])(c)


def effects(c: Any) -> Any:
    seen = []

    def integrand(t: Any) -> Any:
        seen.append(t)
        return c * t

    return quad(integrand, 0, 1)[0]


def counts(c: Any) -> Any:
    n = 0

    def integrand(t: Any) -> Any:
        nonlocal n
        n += 1
        return c * t

    return quad(integrand, 0, 1)[0] + n


def prints(c: Any) -> Any:
    return quad(lambda t: [print(t), c * t][1], 0, 1)[0]


def of_lists(c: Any) -> Any:
    both = [c, 2 * c]
    return quad(lambda t: both[0] * t + both[1], 0, 1)[0]


def estimate(c: Any) -> Any:
    return quad(lambda t: np.exp(-c * t), 0, 1)[1]


def arrays(c: Any) -> Any:
    return quad(lambda t: c * t * np.ones(2), 0, 1)[0]


def all_output(c: Any) -> Any:
    return quad(lambda t: c * t, 0, 1, full_output=1)[0]


def weighted(c: Any) -> Any:
    return quad(lambda t: c * t, 0, 1, weight="cos", wvar=2.0)[0]


REFUSED: list[tuple[Callable[..., Any], type[S2sadError], str]] = [
    (jumps, NotDifferentiable, "may jump"),
    (jumps_by_a_mask, NotDifferentiable, "may jump"),
    (jumps_by_remainder, NotDifferentiable, "may jump"),
    (jumps_in_its_derivative, NotDifferentiable, "may jump"),
    (effects, UnsupportedSyntax, "updates"),
    (counts, UnsupportedSyntax, "changes `n`"),
    (prints, UnsupportedSyntax, "effect"),
    (of_lists, MissingRule, "integral"),
    (estimate, MissingRule, "integral_error"),
    (arrays, UnsupportedSyntax, "no real number"),
    (all_output, NotDifferentiable, "full_output"),
    (weighted, UnsupportedSyntax, "weight"),
]


@pytest.mark.parametrize(("f", "error", "text"), REFUSED, ids=lambda p: getattr(p, "__name__", ""))
@pytest.mark.parametrize("mode", ["grad", "jvp"])
def test_refused(f: Callable[..., Any], error: type[S2sadError], text: str, mode: str) -> None:
    with pytest.raises(error, match=text) as info:
        _ = grad(f)(0.3) if mode == "grad" else s2sad.jvp(f, (0.3,), (1.0,))
    assert "test_scipy_solvers.py" in str(info.value)


def test_refused_in_machine_code() -> None:
    with pytest.raises(CompileError):
        grad(gaussian, backend="numba")(1.3, 0.7)
