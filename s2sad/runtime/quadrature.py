"""Weights of rules of integration, for derivatives: loaded once the user has imported scipy.integrate.

The emitter copies the source of those that a module uses into it.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from scipy import special


def gauss_legendre(n: int) -> Any:
    """The places and weights of Gauss for n places between -1 and 1."""
    places, weights = special.roots_legendre(n)
    return np.real(places), weights


def romberg_weights(n: int) -> Any:
    """How much each of n samples counts in Romberg's rule, one apart."""
    k = (n - 1).bit_length() - 1 if n > 1 else 0
    if n - 1 != 1 << k:
        raise ValueError("Number of samples must be one plus a non-negative power of 2.")
    rules = np.zeros((k + 1, n))  # of trapezoids, from one to as many as there can be
    for i in range(k + 1):
        step = 1 << (k - i)
        rules[i, ::step] = step
        rules[i, [0, -1]] = 0.5 * step
    for j in range(1, k + 1):
        rules = rules[1:] + (rules[1:] - rules[:-1]) / (4**j - 1)
    return rules[0]
