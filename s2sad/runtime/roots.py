"""What derivatives call that finds roots with scipy: loaded once the user has imported scipy.optimize.

The emitter copies the source of those that a module uses into it. Functions take a point, then what they capture.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from scipy import optimize


def bracketed(
    f: Any,
    others: Any,
    *args: Any,
    finder: Any,
    a: Any,
    b: Any,
    xtol: Any,
    rtol: Any = 8.881784197001252e-16,
    maxiter: Any = 100,
    disp: Any = True,
    report: Any = None,
) -> Any:
    """The root of f between a and b that one of scipy's functions finds, or an item of what is reported of it."""
    root, found = getattr(optimize, finder)(f, a, b, (*others, *args), xtol, rtol, maxiter, True, disp)
    return root if report is None else getattr(found, report)


def newton_root(
    f: Any,
    others: Any,
    *args: Any,
    x0: Any,
    x1: Any = None,
    sloped: Any = False,
    tol: Any = 1.48e-8,
    maxiter: Any = 50,
    rtol: Any = 0.0,
    disp: Any = True,
    report: Any = None,
) -> Any:
    """The root that scipy's newton finds from x0: of f, or of the first of what f gives, its slope being the second.

    With ``report`` that item of what is reported of it.
    """
    rest, options = (*others, *args), {"tol": tol, "maxiter": maxiter, "x1": x1, "rtol": rtol}
    value = (lambda x: f(x, *rest)[0]) if sloped else lambda x: f(x, *rest)
    slope = (lambda x: f(x, *rest)[1]) if sloped else None
    root, found = optimize.newton(value, x0, slope, full_output=True, disp=disp, **options)
    return root if report is None else getattr(found, report)


def scalar_root(
    f: Any,
    others: Any,
    *args: Any,
    method: Any = None,
    a: Any = None,
    b: Any = None,
    x0: Any = None,
    x1: Any = None,
    xtol: Any = None,
    rtol: Any = None,
    maxiter: Any = None,
) -> Any:
    """The root that scipy's root_scalar finds."""
    bracket = None if a is None else (a, b)
    options = {"x0": x0, "x1": x1, "xtol": xtol, "rtol": rtol, "maxiter": maxiter}
    return optimize.root_scalar(f, (*others, *args), method, bracket, **options).root


def system_root(
    f: Any, others: Any, *args: Any, x0: Any, xtol: Any = 1.49012e-08, maxfev: Any = 0, full_output: Any = False
) -> Any:
    """The root of a system that scipy's fsolve finds from x0; with ``full_output`` it warns of nothing."""
    found = optimize.fsolve(f, x0, (*others, *args), xtol=xtol, maxfev=maxfev, full_output=full_output)
    return found[0] if full_output else found


def system_report(f: Any, others: Any, *args: Any, x0: Any, xtol: Any = 1.49012e-08, maxfev: Any = 0, item: Any) -> Any:
    """How many calls scipy's fsolve makes, how it ends, by number, and in words."""
    _, counts, ended, words = optimize.fsolve(f, x0, (*others, *args), xtol=xtol, maxfev=maxfev, full_output=True)
    return (counts["nfev"], ended, words)[item]


def found_root(f: Any, others: Any, *args: Any, x0: Any, method: Any = "hybr", tol: Any = None) -> Any:
    """The root of a system that scipy's root finds from x0."""
    return optimize.root(f, x0, (*others, *args), method, tol=tol).x


def root_success(f: Any, others: Any, *args: Any, x0: Any, method: Any = "hybr", tol: Any = None) -> Any:
    """Whether scipy's root finds one."""
    return optimize.root(f, x0, (*others, *args), method, tol=tol).success


def at_root(slope: Any, x: Any, value: Any) -> Any:
    """The slope, or matrix of slopes, at a root; raises ValueError where one more step would go far from there."""
    step = np.linalg.solve(slope, value) if np.ndim(slope) == 2 else value / slope
    if np.any(np.abs(step) > 1e-3 * (1.0 + np.max(np.abs(x), initial=0.0))):
        raise ValueError("what the solver found is no root by which it could be differentiated")
    return slope
