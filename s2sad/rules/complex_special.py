"""The functions of scipy.special of complex numbers: those that are complex differentiable where they are defined.

Bessel functions that are scaled by the size of a part are not (``jve``, ``ive``), nor have all slopes a function to
spell them: of ``digamma`` they are polygamma functions, which SciPy has of real numbers alone.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from scipy import special

from s2sad.rules.special_families import log_quotient
from s2sad.rules.table import elementwise, for_complex, of_complex

__all__: list[str] = []

for_complex(
    *(special.erf, special.erfc, special.erfcx, special.erfi, special.dawsn, special.ndtr, special.log_ndtr),
    *(special.gamma, special.loggamma, special.exp1, special.expi, special.expm1, special.log1p),
    *(special.xlogy, special.xlog1py, special.hyp0f1, special.hyp1f1, special.hyp2f1),
    *(special.jv, special.yv, special.iv, special.kv, special.kve),
    *(special.jvp, special.yvp, special.ivp, special.kvp),
    *(special.spherical_jn, special.spherical_yn, special.spherical_in, special.spherical_kn),
)


@of_complex.elementwise(special.rgamma)
def rgamma(z: Any, *, result: Any) -> Any:
    """By reflection to the left of a line, where there are poles of the gamma function: 5.5.3."""
    low = np.real(z) < 0.5
    left, right = np.where(low, z, 0.25), np.where(low, 0.75, z)
    reflected = np.cos(np.pi * left) * special.gamma(1.0 - left) - result * special.digamma(1.0 - left)
    return np.where(low, reflected, -result * special.digamma(right))


@of_complex.elementwise(special.spence)
def spence(z: Any) -> Any:
    return log_quotient(z)


# ---------------------------------------------------------------- Hankel functions: 10.6


@elementwise(special.hankel1, wrt=("z",))
@of_complex.elementwise(special.hankel1, wrt=("z",))
def hankel1(v: Any, z: Any) -> Any:
    return 0.5 * (special.hankel1(v - 1, z) - special.hankel1(v + 1, z))


@elementwise(special.hankel2, wrt=("z",))
@of_complex.elementwise(special.hankel2, wrt=("z",))
def hankel2(v: Any, z: Any) -> Any:
    return 0.5 * (special.hankel2(v - 1, z) - special.hankel2(v + 1, z))


@elementwise(special.hankel1e, wrt=("z",))
@of_complex.elementwise(special.hankel1e, wrt=("z",))
def hankel1e(v: Any, z: Any, *, result: Any) -> Any:
    return 0.5 * (special.hankel1e(v - 1, z) - special.hankel1e(v + 1, z)) - 1j * result


@elementwise(special.hankel2e, wrt=("z",))
@of_complex.elementwise(special.hankel2e, wrt=("z",))
def hankel2e(v: Any, z: Any, *, result: Any) -> Any:
    return 0.5 * (special.hankel2e(v - 1, z) - special.hankel2e(v + 1, z)) + 1j * result
