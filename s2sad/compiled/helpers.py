"""Helpers of compiled derivatives: what :mod:`s2sad.runtime.helpers` does, written for Numba.

Each is specialised by Numba for the types it is called with; tests of ``ndim`` cost nothing then.
All run uncompiled too.
"""

from __future__ import annotations

from typing import Any

import numpy as np

# ---------------------------------------------------------------- at the boundary


def as_floats(xs: Any) -> Any:
    """A list of numbers as an array, to be passed to compiled code."""
    return np.array(xs, dtype=np.float64)


def as_array(xs: Any) -> Any:
    """A list of numbers or flags as an array, to be passed to compiled code."""
    return np.array(xs)
