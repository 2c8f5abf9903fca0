"""What derivatives call of polynomials that are objects of NumPy.

The emitter copies the source of those that a module uses into it.
"""

from __future__ import annotations

from typing import Any

import numpy as np


def polynomial_at(p: Any, x: Any, m: int) -> Any:
    """The derivative of an order m of a polynomial at x; of real coefficients, as it is else complex for a real x."""
    if np.iscomplexobj(p.coef) and not np.iscomplexobj(x):
        raise NotImplementedError(
            "a polynomial of complex coefficients is differentiated at complex numbers: pass x + 0j"
        )
    return p.deriv(m)(x) if m else p(x)


def polynomial_slope(p: Any, m: int) -> Any:
    """The polynomial that is a derivative of an order of another."""
    return p.deriv(m)


def polynomial_integral(p: Any, m: int, *bounds: Any, **named: Any) -> Any:
    """A polynomial of which another is a derivative of an order."""
    return p.integ(m, *bounds, **named)
