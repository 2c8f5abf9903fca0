"""What derivatives call that hands a function to scipy: loaded once the user has imported scipy.integrate.

The emitter copies the source of those that a module uses into it. A function takes first what the solver chooses, then
what it captures: ``others``, and the numbers and arrays that may carry derivatives.
"""

from __future__ import annotations

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
