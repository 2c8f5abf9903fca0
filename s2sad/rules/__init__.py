"""The derivative rules of primitives, by topic, and what is known of their results."""

from s2sad.rules import (
    applying,
    choosing,
    complex_linalg,
    complex_numbers,
    eigenvalues,
    elementwise,
    fourier,
    histograms,
    linalg,
    options,
    polynomials,
    quantiles,
    reductions,
    shape,
    standard,
    structural,
)

__all__ = [
    "applying",
    "choosing",
    "complex_linalg",
    "complex_numbers",
    "eigenvalues",
    "elementwise",
    "fourier",
    "histograms",
    "linalg",
    "options",
    "polynomials",
    "quantiles",
    "reductions",
    "shape",
    "standard",
    "structural",
]
