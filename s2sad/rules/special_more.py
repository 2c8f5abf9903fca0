"""Functions of scipy.special that are others in disguise, Kelvin's, and the error function of complex numbers.

Formulas are of the NIST DLMF, by section.
"""

from __future__ import annotations

import math
from typing import Any

import numpy as np
from scipy import special

from s2sad.rules.table import composite, elementwise, of_complex

__all__: list[str] = []

# ---------------------------------------------------------------- counting: 5.4, 26.3


@composite(special.comb)
def comb(N: Any, k: Any, *, exact: Any = False, repetition: Any = False) -> Any:
    if exact:
        raise NotImplementedError("scipy.special.comb of integers has no derivative: exact=False")
    n = N + k - 1 if repetition else N
    some = (k <= n) & (n >= 0) & (k >= 0)
    return np.where(some, special.binom(np.where(some, n, 1.0), np.where(some, k, 1.0)), 0.0)[()]


@composite(special.factorial)
def factorial(n: Any, exact: Any = False, extend: Any = "zero") -> Any:
    if exact or extend != "zero":
        raise NotImplementedError("scipy.special.factorial is differentiated with exact=False and extend='zero'")
    some = ~(np.asarray(n) < 0.0)
    return np.where(some, special.gamma(np.where(some, n, 1.0) + 1.0), 0.0)[()]


# ---------------------------------------------------------------- polynomials on other intervals: 18.7


@composite(special.eval_sh_legendre)
def eval_sh_legendre(n: Any, x: Any) -> Any:
    return special.eval_legendre(n, 2.0 * x - 1.0)


@composite(special.eval_sh_chebyt)
def eval_sh_chebyt(n: Any, x: Any) -> Any:
    return special.eval_chebyt(n, 2.0 * x - 1.0)


@composite(special.eval_sh_chebyu)
def eval_sh_chebyu(n: Any, x: Any) -> Any:
    return special.eval_chebyu(n, 2.0 * x - 1.0)


@composite(special.eval_chebyc)
def eval_chebyc(n: Any, x: Any) -> Any:
    return 2.0 * special.eval_chebyt(n, 0.5 * x)


@composite(special.eval_chebys)
def eval_chebys(n: Any, x: Any) -> Any:
    return special.eval_chebyu(n, 0.5 * x)


# ---------------------------------------------------------------- Kelvin functions: 10.61(ii)


@elementwise(special.ber)
def ber(x: Any) -> Any:
    return special.berp(x)


@elementwise(special.bei)
def bei(x: Any) -> Any:
    return special.beip(x)


@elementwise(special.ker)
def ker(x: Any) -> Any:
    return special.kerp(x)


@elementwise(special.kei)
def kei(x: Any) -> Any:
    return special.keip(x)


@elementwise(special.berp)
def berp(x: Any, *, result: Any) -> Any:
    return -special.bei(x) - result / x


@elementwise(special.beip)
def beip(x: Any, *, result: Any) -> Any:
    return special.ber(x) - result / x


@elementwise(special.kerp)
def kerp(x: Any, *, result: Any) -> Any:
    return -special.kei(x) - result / x


@elementwise(special.keip)
def keip(x: Any, *, result: Any) -> Any:
    return special.ker(x) - result / x


# ---------------------------------------------------------------- error functions of complex numbers: 7.10, 7.19


@elementwise(special.wofz)
@of_complex.elementwise(special.wofz)
def wofz(z: Any, *, result: Any) -> Any:
    return 2.0j / math.sqrt(math.pi) - 2.0 * z * result


@elementwise(special.voigt_profile)
def voigt_profile(x: Any, sigma: Any, gamma: Any, *, result: Any) -> Any:
    """The real part of wofz(z) over sigma sqrt(2 pi), z = (x + i gamma) / (sigma sqrt(2))."""
    z = (x + 1j * gamma) / (math.sqrt(2.0) * sigma)
    slope = (2.0j / math.sqrt(math.pi) - 2.0 * z * special.wofz(z)) / (2.0 * math.sqrt(math.pi) * sigma * sigma)
    turned = np.real(slope) * x - np.imag(slope) * gamma
    return np.real(slope), -(result + turned) / sigma, -np.imag(slope)
