"""Functions of scipy.integrate that take a function: loaded by the table once the user has imported that module.

The tangent of an integral is the integral of the tangent. Tolerances are for numbers of the size of one, so
directions and cotangents are brought to that size first.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from scipy import integrate

from s2sad.rules.static import a_number, each_of, handed, is_still, known_rank, moved, pulled
from s2sad.rules.table import adjoint, composite, tangent, zero_derivative
from s2sad.runtime.solvers import integral, integral_error, integral_of_array, largest

__all__: list[str] = []

zero_derivative(largest)


@composite(integrate.quad)
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
        integrand = lambda t: pulled(f, (t, *others), args, (k,), unit)[0]  # noqa: E731
        return size * handed(helper, integrand, (0.0,), (a, b), **options)

    return -np.sum(ct * f(float(a), *others, *args)), np.sum(ct * f(float(b), *others, *args)), each_of(args, part)
