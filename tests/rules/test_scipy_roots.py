"""The rules of scipy.optimize's functions that find roots, through the public interface."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from rules.through import check

import s2sad
from s2sad import CompileError, NotDifferentiable, S2sadError, UnsupportedSyntax, grad

optimize = pytest.importorskip("scipy.optimize")
integrate = pytest.importorskip("scipy.integrate")


def in_a_bracket(c: Any) -> Any:
    return optimize.brentq(lambda x: math.cos(x) - c * x, 0, 2, xtol=1e-14)


def by_others(c: Any) -> Any:
    def f(x: Any, p: Any) -> Any:
        return math.exp(x) - p

    given = (c,)
    return (
        optimize.brenth(f, 0.0, 2.0, given, 1e-14)
        + optimize.bisect(f, 0.0, 2.0, args=c, xtol=1e-14)
        + optimize.ridder(f, 0.0, 2.0, given, xtol=1e-14)
    )


def by_a_secant(c: Any, x0: Any) -> Any:
    return optimize.newton(lambda x, p: x**3 - p, x0, args=(c,), tol=1e-14)


def by_newton(c: Any) -> Any:
    return optimize.newton(lambda x, p: x**3 - p, 1.5, lambda x, p: 3 * x**2, args=(c,), tol=1e-14)


def from_a_result(w: Any) -> Any:
    return optimize.root_scalar(lambda x: np.sum(np.exp(w * x)) - 5.0, bracket=(0.0, 5.0), xtol=1e-14).root


def secant_from_a_result(w: Any) -> Any:
    out = optimize.root_scalar(lambda x, a: x**2 - a[0] * a[1], (w,), "secant", x0=1.0, x1=1.2, xtol=1e-14)
    return out.root


def equations(z: Any, p: Any) -> Any:
    return [z[0] + p[0] * z[1] - 1.0, z[0] * z[1] ** 2 - p[1]]


def of_a_system(p: Any) -> Any:
    return optimize.fsolve(equations, [1.0, 1.0], args=(p,), xtol=1e-14)


def of_a_system_with_success(p: Any) -> Any:
    out = optimize.root(equations, np.array([1.0, 1.0]), (p,), tol=1e-14)
    return out.x * p[0] if out.success else 0 * p


def implied_volatility(price: Any, k: Any) -> Any:
    return optimize.brentq(lambda s: np.exp(-s * k) * s - price, 0.0, 0.9, xtol=1e-14) ** 2


def of_one_branch(c: Any) -> Any:
    return optimize.brentq(lambda x: x**2 - c if x < 3.0 else 2 * x + c, 0, 2.9, xtol=1e-14)


def in_a_loop(c: Any) -> Any:
    total = 0.0
    for k in range(1, 4):
        total += optimize.brentq(lambda x: x**3 - k * c, 0.0, 3.0, xtol=1e-14) * c
    return total


def where_a_maximum_is(c: Any) -> Any:
    """The root of a derivative that is taken inside."""
    slope = grad(lambda x: -((x - c) ** 2) - 0.1 * x**4)
    return optimize.brentq(lambda x: slope(x), -1.0, 2.0, xtol=1e-14)


def shooting(l: Any) -> Any:
    """The slope from which a pendulum comes to a place in time."""

    def miss(v: Any) -> Any:
        out = integrate.solve_ivp(
            lambda t, y: [y[1], -l * np.sin(y[0])], (0, 1), [0.0, v], t_eval=[1.0], rtol=1e-12, atol=1e-12
        )
        return out.y[0, 0] - 0.5

    return optimize.brentq(miss, 0.1, 2.0, xtol=1e-13)


def test_a_root_of_a_solution() -> None:
    check(shooting, 1.1, again=False, rtol=1e-5)
    slope = s2sad.grad(shooting)
    np.testing.assert_allclose(s2sad.grad(slope)(1.1), (slope(1.1 + 1e-3) - slope(1.1 - 1e-3)) / 2e-3, rtol=1e-5)


def with_an_alternative(c: Any, b: Any) -> Any:
    try:
        x = optimize.brentq(lambda x: x**2 - c, 0.0, b, xtol=1e-14)
    except ValueError:
        return c * b * 3.0
    return x


def test_what_solvers_raise_is_caught() -> None:
    check(with_an_alternative, 2.0, 5.0)
    check(with_an_alternative, 2.0, 0.5)


def with_a_report(c: Any) -> Any:
    x, report = optimize.brentq(lambda x: x**2 - c, 0.0, 5.0, xtol=1e-14, full_output=True)
    return x * report.iterations + report.root * report.function_calls if report.converged else c


def with_reports_of_newton(c: Any) -> Any:
    x, first = optimize.newton(lambda x: x**3 - c, 1.5, tol=1e-14, full_output=True, disp=False)
    y, second = optimize.newton(lambda x: x**3 - c, 1.5, lambda x: 3 * x**2, tol=1e-14, full_output=True)
    return x * first.iterations + y * second.iterations


def with_a_report_of_a_system(p: Any) -> Any:
    x, counts, ended, words = optimize.fsolve(equations, [1.0, 1.0], args=(p,), xtol=1e-14, full_output=True)
    if ended != 1:
        raise RuntimeError(words)
    return x + counts["fvec"]


PAIR = np.array([0.3, 0.2])
CASES: list[tuple[Callable[..., Any], tuple[Any, ...]]] = [
    (in_a_bracket, (0.7,)),
    (by_others, (2.0,)),
    (by_a_secant, (2.0, 1.5)),
    (by_newton, (2.0,)),
    (from_a_result, (np.array([0.5, 0.3]),)),
    (secant_from_a_result, (np.array([1.5, 1.3]),)),
    (of_a_system, (PAIR,)),
    (of_a_system_with_success, (PAIR,)),
    (implied_volatility, (0.2, 0.5)),
    (with_a_report, (2.0,)),
    (with_reports_of_newton, (2.0,)),
    (with_a_report_of_a_system, (PAIR,)),
    (of_one_branch, (2.0,)),
    (in_a_loop, (1.3,)),
    (where_a_maximum_is, (0.6,)),
]


@pytest.mark.parametrize(("f", "args"), CASES, ids=lambda p: getattr(p, "__name__", ""))
def test_derivatives(f: Callable[..., Any], args: tuple[Any, ...]) -> None:
    check(f, *args)


def test_third_derivative_of_a_cube_root() -> None:
    third = grad(grad(grad(by_newton)))
    np.testing.assert_allclose(third(2.0), 10 / 27 * 2.0 ** (-8 / 3), rtol=1e-9)


def test_the_slope_does_not_depend_on_where_the_search_begins() -> None:
    assert s2sad.grad(by_a_secant, wrt=(0, 1))(2.0, 1.5)[1] == 0.0


def at_a_jump_that_moves(c: Any) -> Any:
    return optimize.brentq(lambda x: x - 5 if x < c else x + 5, -3, 3)


def by_halley(c: Any) -> Any:
    return optimize.newton(lambda x: x**2 - c, 1.0, lambda x: 2 * x, fprime2=lambda x: 2.0)


def many(c: Any) -> Any:
    return optimize.newton(lambda x: x**2 - c, np.ones(2))[0]


def with_a_jacobian(c: Any) -> Any:
    return optimize.root(lambda x: x**2 - c, [1.0], jac=lambda x: 2 * x).x[0]


def that_prints(c: Any) -> Any:
    return optimize.brentq(lambda x: [print(x), x - c][1], -3, 3)


REFUSED: list[tuple[Callable[..., Any], type[S2sadError], str]] = [
    (at_a_jump_that_moves, NotDifferentiable, "may jump"),
    (by_halley, NotDifferentiable, "fprime2"),
    (many, UnsupportedSyntax, "no real number"),
    (with_a_jacobian, UnsupportedSyntax, "jac"),
    (that_prints, UnsupportedSyntax, "effect"),
]


def test_what_did_not_converge_is_told_by_the_report() -> None:
    def value(c: Any) -> Any:
        x, report = optimize.newton(lambda x: x**2 + c, 1.0, maxiter=5, full_output=True, disp=False)
        return -1.0 if not report.converged else x

    y, _ = s2sad.vjp(value, 2.0)
    assert y == value(2.0) == -1.0
    with pytest.raises(RuntimeError, match="Failed to converge"):
        grad(lambda c: optimize.newton(lambda x: x**2 + c, 1.0, maxiter=5))(2.0)


@pytest.mark.parametrize(("f", "error", "text"), REFUSED, ids=lambda p: getattr(p, "__name__", ""))
@pytest.mark.parametrize("mode", ["grad", "jvp"])
def test_refused(f: Callable[..., Any], error: type[S2sadError], text: str, mode: str) -> None:
    with pytest.raises(error, match=text) as info:
        _ = grad(f)(0.3) if mode == "grad" else s2sad.jvp(f, (0.3,), (1.0,))
    assert "test_scipy_roots.py" in str(info.value)


def test_what_is_no_root_is_not_differentiated() -> None:
    """The function jumps over zero, at a place that does not move: its slopes say nothing of that."""

    def value(c: Any) -> Any:
        return optimize.brentq(lambda x: c - 5 * (x < 0.25) + x, -1, 1) if c > 0 else c

    assert abs(value(2.0) - 0.25) < 1e-9
    for derived in (lambda: grad(value)(2.0), lambda: s2sad.jvp(value, (2.0,), (1.0,))):
        with pytest.raises(ValueError, match="no root"):
            derived()


def test_refused_in_machine_code() -> None:
    with pytest.raises(CompileError):
        grad(in_a_bracket, backend="numba")(0.7)
