"""Functions of scipy that take a function: loaded by the table once the user has imported scipy.integrate.

The tangent of an integral is the integral of the tangent. Tolerances are for numbers of the size of one, so
directions and cotangents are brought to that size first.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from scipy import integrate

from s2sad.rules.static import (
    a_number,
    at_positions,
    each_of,
    handed,
    is_none,
    is_still,
    known_rank,
    moved,
    picked,
    positions,
    pullback,
    pulled,
    real_vector,
    swept,
)
from s2sad.rules.table import adjoint, composite, tangent, zero_derivative
from s2sad.runtime.helpers import constant
from s2sad.runtime.solvers import (
    double_error,
    flow,
    integral,
    integral_error,
    integral_of_array,
    ivp_report,
    ivp_states,
    largest,
    odeint_states,
    rows_reached,
    sweep,
)

__all__: list[str] = []

zero_derivative(largest, rows_reached)


@composite(integrate.quad, raises_alike=True)
def quad(
    func: Any,
    a: Any,
    b: Any,
    args: Any = (),
    full_output: Any = 0,
    epsabs: Any = 1.49e-8,
    epsrel: Any = 1.49e-8,
    limit: Any = 50,
    points: Any = None,
) -> Any:
    if full_output:
        raise NotImplementedError("quad is differentiated without full_output")
    given = args if isinstance(args, tuple) else (args,)
    options = {"epsabs": epsabs, "epsrel": epsrel, "limit": limit, "points": points}
    value = handed(integral, lambda t: a_number(func(t, *given)), (0.0,), (a, b), **options)
    return value, handed(integral_error, lambda t: a_number(func(t, *given)), (0.0,), (a, b), **options)


@composite(integrate.dblquad, raises_alike=True)
def dblquad(
    func: Any, a: Any, b: Any, gfun: Any, hfun: Any, args: Any = (), epsabs: Any = 1.49e-8, epsrel: Any = 1.49e-8
) -> Any:
    given = args if isinstance(args, tuple) else (args,)
    lower: Any = gfun if callable(gfun) else lambda x: gfun
    upper: Any = hfun if callable(hfun) else lambda x: hfun

    def inner(x: Any) -> Any:
        return quad(lambda y: func(y, x, *given), lower(x), upper(x), (), 0, epsabs, epsrel)[0]

    def all_of_it(y: Any, x: Any, part: Any) -> Any:
        if part == 0.0:
            return a_number(func(y, x, *given))
        return a_number(lower(x)) if part == 1.0 else a_number(upper(x))

    value = quad(inner, a, b, (), 0, epsabs, epsrel)[0]
    return value, handed(double_error, all_of_it, (0.0, 0.0, 0.0), (a, b), epsabs=epsabs, epsrel=epsrel)


@tangent(integral, integral_of_array)
def integral_tangent(
    f: Any, a: Any, b: Any, others: Any, *args: Any, da: Any, db: Any, result: Any, dargs: Any = (), **options: Any
) -> Any:
    size = largest(*dargs)
    units = each_of(dargs, lambda k: dargs[k] if is_still(dargs[k]) else dargs[k] / size)
    helper = integral if known_rank(result) == 0 else integral_of_array
    inside = size * handed(helper, lambda t: moved(f, (t, *others), args, units), (0.0,), (a, b), **options)
    upper = 0.0 if is_still(db) else f(float(b), *others, *args) * db
    lower = 0.0 if is_still(da) else f(float(a), *others, *args) * da
    return inside + upper - lower


@adjoint(integral, integral_of_array, wrt=("a", "b", "args"))
def integral_adjoint(f: Any, a: Any, b: Any, others: Any, *args: Any, ct: Any, active: Any, **options: Any) -> Any:
    size = ct if known_rank(ct) == 0 else largest(ct)
    unit = 1.0 if known_rank(ct) == 0 else ct / size

    def part(k: int) -> Any:
        if not active[k]:
            return None
        helper = integral if known_rank(args[k]) == 0 else integral_of_array
        integrand = lambda t: pulled(f, (t, *others), args, k, unit)  # noqa: E731
        return size * handed(helper, integrand, (0.0,), (a, b), **options)

    return -np.sum(ct * f(float(a), *others, *args)), np.sum(ct * f(float(b), *others, *args)), each_of(args, part)


# -- differential equations -----------------------------------------------------------------


@dataclass
class Solution:
    """What solve_ivp gives, for times that are asked for."""

    t: Any
    y: Any
    success: Any
    status: Any
    message: Any
    nfev: Any


@composite(integrate.odeint, raises_alike=True)
def odeint(
    func: Any,
    y0: Any,
    t: Any,
    args: Any = (),
    *,
    rtol: Any = None,
    atol: Any = None,
    h0: Any = 0.0,
    hmax: Any = 0.0,
    hmin: Any = 0.0,
    mxstep: Any = 0,
    tfirst: Any = False,
) -> Any:
    given = args if isinstance(args, tuple) else (args,)
    start, times = real_vector(y0), real_vector(t)

    def slope(time: Any, y: Any) -> Any:
        return real_vector(func(time, y, *given) if tfirst else func(y, time, *given))

    options = {"rtol": rtol, "atol": atol, "h0": h0, "hmax": hmax, "hmin": hmin, "mxstep": mxstep}
    return handed(odeint_states, slope, (0.0, start), (start, times[0], times), 1, **options)


@composite(integrate.solve_ivp, raises_alike=True)
def solve_ivp(
    fun: Any,
    t_span: Any,
    y0: Any,
    method: Any = "RK45",
    t_eval: Any = None,
    *,
    args: Any = None,
    rtol: Any = 1e-3,
    atol: Any = 1e-6,
    first_step: Any = None,
    max_step: Any = np.inf,
) -> Any:
    if is_none(t_eval):
        raise NotImplementedError("solve_ivp is differentiated at times that are asked for: give t_eval")
    given = () if is_none(args) else args
    start, begin = real_vector(y0), float(t_span[0])
    times = real_vector([begin] if is_none(t_eval) else t_eval)

    def slope(time: Any, y: Any) -> Any:
        return real_vector(fun(time, y, *given))

    plain = {"rtol": rtol, "atol": atol, "first_step": first_step, "max_step": max_step}
    options = {**plain, "method": method, "stop": constant(float(t_span[1]))}
    rows = handed(ivp_states, slope, (0.0, start), (start, begin, times), 1, **options)
    count = rows_reached(rows)
    report = handed(ivp_report, slope, (0.0, start), (start, begin, times), None, **options)
    ended = bool(report[0]), int(report[1]), str(report[2]), int(report[3])
    return Solution(times[:count], np.transpose(rows[:count]), *ended)


def finer(options: Any) -> Any:
    """The options of a derivative's own solver."""
    names = {"method": "method", "rtol": "rtol", "atol": "atol", "max_step": "max_step", "hmax": "max_step"}
    return {names[k]: options[k] for k in names if k in options}


@tangent(flow, odeint_states, ivp_states)
def moved_states(
    f: Any,
    y0: Any,
    t0: Any,
    ts: Any,
    others: Any,
    *args: Any,
    dy0: Any,
    dt0: Any,
    dts: Any,
    dargs: Any = (),
    **options: Any,
) -> Any:
    """The tangent of the states: that of the equation is solved beside it."""
    n = np.size(y0)
    start = np.zeros_like(y0) if is_still(dy0) else dy0
    if not is_still(dt0):
        start = start - f(t0, y0, *others, *args) * dt0
    size = largest(start, *dargs)
    units = each_of(dargs, lambda k: dargs[k] if is_still(dargs[k]) else dargs[k] / size)
    still = each_of(others, lambda k: 0.0)

    def both(t: Any, z: Any) -> Any:
        y = z[:n]
        given = (y, *others, *args)
        return np.concatenate((f(t, *given), moved(f, (t,), given, (z[n:], *still, *units))))

    pair = np.concatenate((y0, start / size))
    rows = handed(flow, both, (0.0, pair), (pair, t0, ts), 1, **finer(options))
    dys = size * rows[:, n:]
    return dys if is_still(dts) else dys + slopes(f, rows[:, :n], ts, others, args) * dts[:, None]


def slopes(f: Any, states: Any, ts: Any, others: Any, args: Any) -> Any:
    """How fast states change, at their times."""
    return np.stack([f(ts[k], states[k], *others, *args) for k in range(len(ts))])


@adjoint(flow, odeint_states, ivp_states, wrt=("y0", "t0", "ts", "args"))
def pulled_states(
    f: Any,
    y0: Any,
    t0: Any,
    ts: Any,
    others: Any,
    *args: Any,
    result: Any,
    ct: Any,
    active: Any,
    **options: Any,
) -> Any:
    size, wanted = largest(ct), positions(active)
    by0, *bargs = swept(sweep, f, (y0, t0, ts, ct / size), others, args, wanted, **finer(options))
    by0 = size * by0
    bts = np.sum(ct * slopes(f, result, ts, others, args), axis=1)
    scaled = each_of(bargs, lambda k: size * bargs[k])
    bt0 = -np.sum(by0 * f(t0, y0, *others, *args))
    return by0, bt0, bts, at_positions(scaled, wanted, len(args), None)


@tangent(sweep)
def sweep_tangent(
    f: Any,
    back: Any,
    y0: Any,
    t0: Any,
    ts: Any,
    cts: Any,
    others: Any,
    *args: Any,
    dy0: Any,
    dt0: Any,
    dts: Any,
    dcts: Any,
    dargs: Any = (),
    wanted: Any,
    **options: Any,
) -> Any:
    """The tangent of a pullback is a pullback of the tangent: ``d(J^T ct) = J^T dct + (d/dx (J dx))^T ct``."""

    def along(start: Any, *given: Any) -> Any:
        return moved_states(f, start, t0, ts, others, *given, dy0=dy0, dt0=dt0, dts=dts, dargs=dargs, **options)

    _, pull = pullback(along, y0, *args)
    by0, *bargs = pull(cts)
    second = (by0, *picked(bargs, wanted))
    if is_still(dcts):
        return second
    size = largest(dcts)
    first = swept(sweep, f, (y0, t0, ts, dcts / size), others, args, wanted, **options)
    return each_of(first, lambda k: size * first[k] + second[k])


@adjoint(sweep, wrt=("y0", "t0", "ts", "cts", "args"))
def sweep_adjoint(
    f: Any,
    back: Any,
    y0: Any,
    t0: Any,
    ts: Any,
    cts: Any,
    others: Any,
    *args: Any,
    ct: Any,
    wanted: Any,
    **options: Any,
) -> Any:
    dy0, *rest = ct
    dargs = at_positions(rest, wanted, len(args), 0.0)

    def along(start: Any, begin: Any, times: Any, *given: Any) -> Any:
        return moved_states(f, start, begin, times, others, *given, dy0=dy0, dt0=0.0, dts=0.0, dargs=dargs, **options)

    moved_rows, pull = pullback(along, y0, t0, ts, *args)
    by0, bt0, bts, *bargs = pull(cts)
    return by0, bt0, bts, moved_rows, tuple(bargs)
