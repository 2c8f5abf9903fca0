"""Weights of filters of scipy.signal, for derivatives: loaded once the user has imported that module.

The emitter copies the source of those that a module uses into it.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from scipy import signal


def savgol_weights(w: int, order: int, deriv: int) -> Any:
    """The weights by which savgol_filter convolves, samples being one apart."""
    return signal.savgol_coeffs(w, order, deriv)


def savgol_map(w: int, order: int, deriv: int) -> Any:
    """What savgol_filter makes of a single window, as a matrix."""
    return signal.savgol_filter(np.eye(w), w, order, deriv, axis=0)
