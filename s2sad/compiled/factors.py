"""Whether a matrix has factors, or an inverse, in compiled code: asked where the exception that says so is caught.

All run uncompiled too.
"""

from __future__ import annotations

from typing import Any

import numpy as np

__all__ = ["has_inverse", "is_positive_definite"]


def is_positive_definite(a: Any) -> bool:
    """Whether ``np.linalg.cholesky(a)`` gives a factor of a matrix."""
    try:
        np.linalg.cholesky(a)
    except Exception:  # Numba knows no other class
        return False
    return True


def has_inverse(a: Any) -> bool:
    """Whether ``np.linalg.inv(a)`` gives a matrix, and ``np.linalg.solve(a, b)`` what goes with ``a.shape[0]`` rows."""
    if not np.all(np.isfinite(a)):
        return bool(a.shape[0] == a.shape[1])
    try:
        np.linalg.inv(a)
    except Exception:
        return False
    return True
