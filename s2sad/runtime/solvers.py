"""What derivatives call that hands a function to scipy: loaded once the user has imported scipy.integrate.

The emitter copies the source of those that a module uses into it. A function takes first what the solver chooses, then
what it captures: ``others``, and the numbers and arrays that may carry derivatives.
"""

from __future__ import annotations

import math
from typing import Any

import numpy as np
from scipy import integrate


def integral(
    f: Any,
    a: Any,
    b: Any,
    others: Any,
    *args: Any,
    epsabs: Any = 1.49e-8,
    epsrel: Any = 1.49e-8,
    limit: Any = 50,
    points: Any = None,
) -> Any:
    """The integral of f from a to b."""
    return integrate.quad(f, a, b, (*others, *args), 0, epsabs, epsrel, limit, points)[0]


def integral_error(
    f: Any,
    a: Any,
    b: Any,
    others: Any,
    *args: Any,
    epsabs: Any = 1.49e-8,
    epsrel: Any = 1.49e-8,
    limit: Any = 50,
    points: Any = None,
) -> Any:
    """What quad estimates the error of an integral to be."""
    return integrate.quad(f, a, b, (*others, *args), 0, epsabs, epsrel, limit, points)[1]


def double_error(f: Any, a: Any, b: Any, others: Any, *args: Any, epsabs: Any = 1.49e-8, epsrel: Any = 1.49e-8) -> Any:
    """What dblquad estimates the error to be: f(y, x, 0) is the integrand, f(0, x, 1) and f(0, x, 2) are the ends."""
    lower, upper = (lambda x, k=k: f(0.0, x, k, *others, *args) for k in (1.0, 2.0))
    given = (0.0, *others, *args)
    return integrate.dblquad(f, a, b, lower, upper, given, epsabs, epsrel)[1]


def integral_of_array(
    f: Any,
    a: Any,
    b: Any,
    others: Any,
    *args: Any,
    epsabs: Any = 1.49e-8,
    epsrel: Any = 1.49e-8,
    limit: Any = 50,
    points: Any = None,
) -> Any:
    """The integral of f, which may give an array: of each item, to its own error."""
    seen: dict[float, Any] = {}

    def item(t: float, k: int) -> Any:
        if t not in seen:
            seen[t] = f(t, *others, *args)
        return np.ravel(seen[t])[k] if np.size(seen[t]) else 0.0

    first = integrate.quad(item, a, b, (0,), 0, epsabs, epsrel, limit, points)[0]
    like = next(iter(seen.values()))
    if not isinstance(like, np.ndarray):
        return first
    rest = [integrate.quad(item, a, b, (k,), 0, epsabs, epsrel, limit, points)[0] for k in range(1, like.size)]
    return np.array([first, *rest][: like.size]).reshape(like.shape)


def largest(*xs: Any) -> float:
    """The largest absolute value among numbers and arrays; one where that is zero, infinite or undefined."""
    size = max((float(np.max(np.abs(x), initial=0.0)) for x in xs), default=0.0)
    return size if 0.0 < size < np.inf else 1.0


def odeint_states(
    f: Any,
    y0: Any,
    t0: Any,
    ts: Any,
    others: Any,
    *args: Any,
    rtol: Any = None,
    atol: Any = None,
    h0: Any = 0.0,
    hmax: Any = 0.0,
    hmin: Any = 0.0,
    mxstep: Any = 0,
) -> Any:
    """What odeint gives, at times of which the first is t0: a state in each row."""
    tolerances = {"rtol": rtol, "atol": atol}
    steps = {"h0": h0, "hmax": hmax, "hmin": hmin, "mxstep": mxstep}
    return integrate.odeint(f, y0, ts, (*others, *args), tfirst=True, **tolerances, **steps)


def ivp_states(
    f: Any,
    y0: Any,
    t0: Any,
    ts: Any,
    others: Any,
    *args: Any,
    method: Any,
    stop: Any,
    rtol: Any = 1e-3,
    atol: Any = 1e-6,
    first_step: Any = None,
    max_step: Any = np.inf,
) -> Any:
    """What solve_ivp gives at times between t0 and stop: a state in each row, NaN where it did not come to."""
    options = {"rtol": rtol, "atol": atol, "first_step": first_step, "max_step": max_step}
    out = integrate.solve_ivp(f, (t0, stop), y0, method, ts, args=(*others, *args), **options)
    rows = np.full((np.size(ts), np.size(y0)), np.nan)
    rows[: np.shape(out.y)[-1]] = np.transpose(out.y)
    return rows


def rows_reached(rows: Any) -> int:
    """How many rows there are before those of NaN at the end."""
    found = np.flatnonzero(~np.all(np.isnan(rows), axis=1))
    return int(found[-1]) + 1 if found.size else 0


def ivp_report(
    f: Any,
    y0: Any,
    t0: Any,
    ts: Any,
    others: Any,
    *args: Any,
    method: Any,
    stop: Any,
    rtol: Any = 1e-3,
    atol: Any = 1e-6,
    first_step: Any = None,
    max_step: Any = np.inf,
) -> Any:
    """What solve_ivp reports: whether it came to the end, how it ended, in words, and how often it called f."""
    options = {"rtol": rtol, "atol": atol, "first_step": first_step, "max_step": max_step}
    out = integrate.solve_ivp(f, (t0, stop), y0, method, ts, args=(*others, *args), **options)
    return out.success, out.status, out.message, out.nfev


def flow(
    f: Any,
    y0: Any,
    t0: Any,
    ts: Any,
    others: Any,
    *args: Any,
    method: Any = "LSODA",
    rtol: Any = None,
    atol: Any = None,
    max_step: Any = np.inf,
) -> Any:
    """The solution of y' = f from y0 at t0, in rows, at times that rise or fall from there; NaN where there is none."""
    states = np.full((np.size(ts), np.size(y0)), np.nan)
    path = solution(f, y0, t0, ts, (*others, *args), method, rtol, atol, max_step)
    if path is not None:
        states[:] = [y0 if t == t0 else path(t) for t in ts]
    return states


def solution(
    f: Any, y0: Any, t0: Any, ts: Any, args: Any, method: Any, rtol: Any, atol: Any, max_step: Any, dense: Any = True
) -> Any:
    """The solution as a function of time, or its last state; None where there is none.

    To 1e-10, or to what was asked for where that is less.
    """
    if np.size(ts) == 0 or ts[-1] == t0:
        return (lambda t: y0) if dense else y0
    fine = 1e-10 if rtol is None else min(rtol, 1e-10)
    least = 1e-10 if atol is None else min(np.min(atol), 1e-10)
    explicit = method in ("RK23", "RK45", "DOP853")
    out = integrate.solve_ivp(
        lambda t, y: f(t, y, *args),
        (t0, ts[-1]),
        y0,
        "DOP853" if explicit else "LSODA",
        dense_output=dense,
        rtol=fine,
        atol=least,
        max_step=max_step or np.inf,
    )
    if not out.success:
        return None
    return out.sol if dense else out.y[:, -1]


def sweep(
    f: Any,
    back: Any,
    y0: Any,
    t0: Any,
    ts: Any,
    cts: Any,
    others: Any,
    *args: Any,
    wanted: Any = (),
    method: Any = "LSODA",
    rtol: Any = None,
    atol: Any = None,
    max_step: Any = np.inf,
) -> Any:
    """What cotangents of a solution at times contribute to y0, and to those of args that are wanted.

    The adjoint goes backwards from time to time, along the solution, which is found first (Pontryagin).
    """
    rest, n = (*others, *args), np.size(y0)
    shapes = [np.shape(args[k]) for k in wanted]
    path = solution(f, y0, t0, ts, rest, method, rtol, atol, max_step)

    def slope(t: float, z: Any) -> Any:
        parts = back(t, path(t), *rest, z[:n])
        return -np.concatenate([np.ravel(p) for p in parts])

    state: Any = np.zeros(n + sum(math.prod(shape) for shape in shapes))
    at = t0
    for t, ct in zip([] if path is None else ts[::-1], cts[::-1], strict=False):
        if t != at and at != t0:
            state = leg(slope, state, at, t, method, rtol, atol, max_step)
        at = t
        state[:n] += ct
    if at != t0:
        state = leg(slope, state, at, t0, method, rtol, atol, max_step)
    if path is None and np.any(cts):
        state[:] = np.nan
    out, start = [state[:n]], n
    for shape in shapes:
        size = math.prod(shape)
        part = state[start : start + size].reshape(shape)
        out.append(part if shape else float(part))
        start += size
    return tuple(out)


def leg(f: Any, y: Any, start: Any, stop: Any, method: Any, rtol: Any, atol: Any, max_step: Any) -> Any:
    """The state at stop of the solution that has y at start; NaN where there is none."""
    found = solution(f, y, start, [stop], (), method, rtol, atol, max_step, False)
    return np.full_like(y, np.nan) if found is None else found.copy()
