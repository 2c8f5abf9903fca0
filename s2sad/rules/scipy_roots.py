"""Functions of scipy.optimize that find roots: loaded by the table once the user has imported that module.

By the implicit function theorem: of ``f(x, p) = 0``, ``df/dx dx = -df/dp dp`` at the root, however it was found.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from scipy import optimize

from s2sad.rules.static import a_number, each_of, handed, is_none, known_rank, moved, pulled, real_vector
from s2sad.rules.table import adjoint, composite, tangent
from s2sad.runtime.helpers import constant
from s2sad.runtime.roots import (
    at_root,
    bracketed,
    found_root,
    newton_root,
    root_success,
    scalar_root,
    system_report,
    system_root,
)

__all__: list[str] = []


@dataclass
class Report:
    """What is reported of a root with ``full_output``."""

    root: Any
    converged: Any
    iterations: Any
    function_calls: Any


@dataclass
class Root:
    """What root_scalar gives."""

    root: Any


@dataclass
class Found:
    """What root gives."""

    x: Any
    success: Any


def in_bracket(
    finder: str,
    f: Any,
    a: Any,
    b: Any,
    args: Any = (),
    xtol: Any = 2e-12,
    rtol: Any = 8.881784197001252e-16,
    maxiter: Any = 100,
    full_output: Any = False,
    disp: Any = True,
) -> Any:
    """What one of the functions that find a root in a bracket gives."""
    given = args if isinstance(args, tuple) else (args,)
    options = {"finder": finder, "a": constant(a), "b": constant(b), "xtol": xtol, "rtol": rtol, "maxiter": maxiter}
    return reported(bracketed, lambda x: a_number(f(x, *given)), full_output, disp=disp, **options)


def reported(helper: Any, function: Any, full_output: Any, more_axes: Any = 0, **options: Any) -> Any:
    """A root, and with ``full_output`` what is reported of it, for which each item is asked anew."""
    root = handed(helper, function, (0.0,), (), more_axes, **options)
    if not full_output:
        return root
    converged = bool(handed(helper, function, (0.0,), (), None, report="converged", **options))
    iterations = int(handed(helper, function, (0.0,), (), None, report="iterations", **options))
    calls = int(handed(helper, function, (0.0,), (), None, report="function_calls", **options))
    return root, Report(root, converged, iterations, calls)


@composite(optimize.brentq, raises_alike=True)
def brentq(f: Any, a: Any, b: Any, *args: Any, **options: Any) -> Any:
    return in_bracket("brentq", f, a, b, *args, **options)


@composite(optimize.brenth, raises_alike=True)
def brenth(f: Any, a: Any, b: Any, *args: Any, **options: Any) -> Any:
    return in_bracket("brenth", f, a, b, *args, **options)


@composite(optimize.bisect, raises_alike=True)
def bisect(f: Any, a: Any, b: Any, *args: Any, **options: Any) -> Any:
    return in_bracket("bisect", f, a, b, *args, **options)


@composite(optimize.ridder, raises_alike=True)
def ridder(f: Any, a: Any, b: Any, *args: Any, **options: Any) -> Any:
    return in_bracket("ridder", f, a, b, *args, **options)


@composite(optimize.newton, raises_alike=True)
def newton(
    func: Any,
    x0: Any,
    fprime: Any = None,
    args: Any = (),
    tol: Any = 1.48e-8,
    maxiter: Any = 50,
    fprime2: Any = None,
    x1: Any = None,
    rtol: Any = 0.0,
    full_output: Any = False,
    disp: Any = True,
) -> Any:
    if not is_none(fprime2):
        raise NotImplementedError("newton is differentiated without fprime2")
    given = args if isinstance(args, tuple) else (args,)
    options = {"x0": a_number(constant(x0)), "x1": constant(x1), "tol": tol, "maxiter": maxiter, "rtol": rtol}
    if is_none(fprime):
        return reported(newton_root, lambda x: a_number(func(x, *given)), full_output, disp=disp, **options)

    def both(x: Any) -> Any:
        return np.array([a_number(func(x, *given)), a_number(fprime(x, *given))])

    return reported(newton_root, both, full_output, -1, sloped=True, disp=disp, **options)


@composite(optimize.root_scalar, raises_alike=True)
def root_scalar(
    f: Any,
    args: Any = (),
    method: Any = None,
    bracket: Any = None,
    *,
    x0: Any = None,
    x1: Any = None,
    xtol: Any = None,
    rtol: Any = None,
    maxiter: Any = None,
) -> Any:
    given = args if isinstance(args, tuple) else (args,)
    a, b = (None, None) if is_none(bracket) else bracket
    numbers = {"a": constant(a), "b": constant(b), "x0": constant(x0), "x1": constant(x1)}
    plain = {"method": method, "xtol": xtol, "rtol": rtol, "maxiter": maxiter}
    return Root(handed(scalar_root, lambda x: a_number(f(x, *given)), (0.0,), (), **numbers, **plain))


@composite(optimize.fsolve, raises_alike=True)
def fsolve(
    func: Any, x0: Any, args: Any = (), *, full_output: Any = False, xtol: Any = 1.49012e-08, maxfev: Any = 0
) -> Any:
    given, start = args if isinstance(args, tuple) else (args,), constant(real_vector(x0))
    function: Any = lambda x: real_vector(func(x, *given))  # noqa: E731
    options = {"x0": start, "xtol": xtol, "maxfev": maxfev}
    x = handed(system_root, function, (start,), (), full_output=bool(full_output), **options)
    if not full_output:
        return x
    calls = int(handed(system_report, function, (start,), (), None, item=0, **options))
    ended = int(handed(system_report, function, (start,), (), None, item=1, **options))
    words = handed(system_report, function, (start,), (), None, item=2, **options)
    return x, {"nfev": calls, "fvec": constant(function(x))}, ended, words


@composite(optimize.root, raises_alike=True)
def root(fun: Any, x0: Any, args: Any = (), method: Any = "hybr", *, tol: Any = None) -> Any:
    given, start = args if isinstance(args, tuple) else (args,), constant(real_vector(x0))
    function = lambda x: real_vector(fun(x, *given))  # noqa: E731
    options = {"x0": start, "method": method, "tol": tol}
    x = handed(found_root, function, (start,), (), **options)
    return Found(x, bool(handed(root_success, function, (start,), (), None, **options)))


# -- the theorem ----------------------------------------------------------------------------


@tangent(at_root)
def at_root_tangent(slope: Any, x: Any, value: Any, *, dslope: Any) -> Any:
    return dslope


def slope_at(f: Any, x: Any, rest: Any) -> Any:
    """The slope of a function at its root, or the matrix of slopes."""
    given = (x, *rest)
    value, place = constant(f(*given)), constant(x)
    if known_rank(x) == 0 and known_rank(value) == 1:  # with a slope of the user's
        return at_root(pulled(f, (), given, 0, np.array([1.0, 0.0]), True), place, value[0])
    if known_rank(x) == 0:
        return at_root(pulled(f, (), given, 0, 1.0, True), place, value)
    return at_root(np.stack([pulled(f, (), given, 0, unit, True) for unit in np.eye(np.size(x))]), place, value)


@tangent(bracketed, newton_root, scalar_root, system_root, found_root)
def root_tangent(f: Any, others: Any, *args: Any, result: Any, dargs: Any = (), **options: Any) -> Any:
    rest = (*others, *args)
    still = each_of(others, lambda k: 0.0)
    slope, value = slope_at(f, result, rest), moved(f, (result,), rest, (*still, *dargs))
    if known_rank(result) == 1:
        return -np.linalg.solve(slope, value)
    return -(value[0] if known_rank(value) == 1 else value) / slope


@adjoint(bracketed, newton_root, scalar_root, system_root, found_root, wrt=("args",))
def root_adjoint(f: Any, others: Any, *args: Any, result: Any, ct: Any, active: Any, **options: Any) -> Any:
    rest = (*others, *args)
    slope = slope_at(f, result, rest)
    if known_rank(result) == 1:
        weight = -np.linalg.solve(np.transpose(slope), ct)
    else:
        weight = -ct / slope
        if known_rank(f(result, *rest)) == 1:
            weight = np.array([weight, 0.0])

    def part(k: int) -> Any:
        return pulled(f, (result, *others), args, k, weight) if active[k] else None

    return each_of(args, part)
