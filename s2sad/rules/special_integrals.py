"""Functions of scipy.special that solve differential equations of the second order, or give several integrals at once.

Formulas are of the NIST DLMF, by section.
"""

from __future__ import annotations

import math
from typing import Any

import numpy as np
from scipy import special

from s2sad.rules.table import adjoint, elementwise, for_complex, of_complex, tangent
from s2sad.runtime.helpers import times

__all__: list[str] = []

# ---------------------------------------------------------------- several integrals at once: 6.2, 7.2(iii)


@tangent(special.sici)
def sici(x: Any, *, dx: Any) -> Any:
    return sine_share(x) * dx, np.cos(x) / x * dx


@adjoint(special.sici, wrt="x")
def sici_adjoint(x: Any, *, ct: Any) -> Any:
    return sine_share(x) * ct[0] + times(ct[1], np.cos(x) / x)


def sine_share(x: Any) -> Any:
    """sin(x) / x, which is 1 at zero."""
    return np.sinc(x / math.pi)


@tangent(special.shichi)
def shichi(x: Any, *, dx: Any) -> Any:
    return hyperbolic_share(x) * dx, np.cosh(x) / x * dx


@adjoint(special.shichi, wrt="x")
def shichi_adjoint(x: Any, *, ct: Any) -> Any:
    return hyperbolic_share(x) * ct[0] + times(ct[1], np.cosh(x) / x)


def hyperbolic_share(x: Any) -> Any:
    """sinh(x) / x, which is 1 at zero."""
    return 0.5 * (special.exprel(x) + special.exprel(-x))


@tangent(special.fresnel)
def fresnel(z: Any, *, dz: Any) -> Any:
    return np.sin(0.5 * math.pi * z * z) * dz, np.cos(0.5 * math.pi * z * z) * dz


@adjoint(special.fresnel, wrt="z")
def fresnel_adjoint(z: Any, *, ct: Any) -> Any:
    return np.sin(0.5 * math.pi * z * z) * ct[0] + np.cos(0.5 * math.pi * z * z) * ct[1]


# ---------------------------------------------------------------- Airy functions: 9.2.1


@tangent(special.airy)
def airy(z: Any, *, result: Any, dz: Any) -> Any:
    return result[1] * dz, z * result[0] * dz, result[3] * dz, z * result[2] * dz


@adjoint(special.airy, wrt="z")
def airy_adjoint(z: Any, *, result: Any, ct: Any) -> Any:
    return result[1] * ct[0] + z * result[0] * ct[1] + result[3] * ct[2] + z * result[2] * ct[3]


# ---------------------------------------------------------------- Struve and Bessel functions, by x: 11.4, 10.6, 10.51


@elementwise(special.struve, wrt=("x",))
def struve(v: Any, x: Any) -> Any:
    return 0.5 * (special.struve(v - 1.0, x) - special.struve(v + 1.0, x) + struve_term(v, x))


@elementwise(special.modstruve, wrt=("x",))
def modstruve(v: Any, x: Any) -> Any:
    return 0.5 * (special.modstruve(v - 1.0, x) + special.modstruve(v + 1.0, x) + struve_term(v, x))


def struve_term(v: Any, x: Any) -> Any:
    """What the recurrences of these functions have beyond those of Bessel functions."""
    return (0.5 * x) ** v * special.rgamma(v + 1.5) / math.sqrt(math.pi)


@elementwise(special.jve, wrt=("z",))
def jve(v: Any, z: Any) -> Any:
    return 0.5 * (special.jve(v - 1, z) - special.jve(v + 1, z))


@elementwise(special.yve, wrt=("z",))
def yve(v: Any, z: Any) -> Any:
    return 0.5 * (special.yve(v - 1, z) - special.yve(v + 1, z))


@elementwise(special.jvp, wrt=("z",))
def jvp(v: Any, z: Any, n: Any = 1) -> Any:
    return special.jvp(v, z, n + 1)


@elementwise(special.yvp, wrt=("z",))
def yvp(v: Any, z: Any, n: Any = 1) -> Any:
    return special.yvp(v, z, n + 1)


@elementwise(special.ivp, wrt=("z",))
def ivp(v: Any, z: Any, n: Any = 1) -> Any:
    return special.ivp(v, z, n + 1)


@elementwise(special.kvp, wrt=("z",))
def kvp(v: Any, z: Any, n: Any = 1) -> Any:
    return special.kvp(v, z, n + 1)


@elementwise(special.spherical_jn, wrt=("z",))
def spherical_jn(n: Any, z: Any) -> Any:
    return spherical_slope(special.spherical_jn, n, z, -1.0)


@elementwise(special.spherical_yn, wrt=("z",))
def spherical_yn(n: Any, z: Any) -> Any:
    return spherical_slope(special.spherical_yn, n, z, -1.0)


@elementwise(special.spherical_in, wrt=("z",))
def spherical_in(n: Any, z: Any) -> Any:
    return spherical_slope(special.spherical_in, n, z, 1.0)


@elementwise(special.spherical_kn, wrt=("z",))
def spherical_kn(n: Any, z: Any) -> Any:
    return -spherical_slope(special.spherical_kn, n, z, 1.0)


def spherical_slope(function: Any, n: Any, z: Any, sign: Any) -> Any:
    """The slope of a spherical Bessel function, of the orders beside it."""
    return (n * function(np.maximum(n - 1, 0), z) + sign * (n + 1) * function(n + 1, z)) / (2 * n + 1)


# ---------------------------------------------------------------- hypergeometric functions, by x: 13.3, 16.3, 10.46


@elementwise(special.hyp0f1, wrt=("z",))
def hyp0f1(v: Any, z: Any) -> Any:
    return special.hyp0f1(v + 1.0, z) / v


@elementwise(special.hyperu, wrt=("x",))
def hyperu(a: Any, b: Any, x: Any) -> Any:
    return -a * special.hyperu(a + 1.0, b + 1.0, x)


@elementwise(special.wright_bessel, wrt=("x",))
def wright_bessel(a: Any, b: Any, x: Any) -> Any:
    return special.wright_bessel(a, a + b, x)


@elementwise(special.zeta, wrt=("q",))
def zeta(x: Any, q: Any = None) -> Any:
    return -x * special.zeta(x + 1.0, q)


# ---------------------------------------------------------------- elliptic functions: 22.13, 19.5, 15.8


@tangent(special.ellipj)
def ellipj(u: Any, m: Any, *, result: Any, du: Any) -> Any:
    sn, cn, dn, _ = result
    return cn * dn * du, -sn * dn * du, -m * sn * cn * du, dn * du


@elementwise(special.ellipkm1)
def ellipkm1(p: Any) -> Any:
    return -0.125 * math.pi * special.hyp2f1(0.5, 0.5, 2.0, 1.0 - p) / p


# ---------------------------------------------------------------- what solves x = w exp(w): 4.13


@elementwise(special.lambertw, wrt=("z",))
@of_complex.elementwise(special.lambertw, wrt=("z",))
def lambertw(z: Any, k: Any = 0, tol: Any = 1e-8, *, result: Any) -> Any:
    return 1.0 / (z + np.exp(result))


@elementwise(special.wrightomega)
def wrightomega(z: Any, *, result: Any) -> Any:
    return result / (1.0 + result)


for_complex(special.wrightomega)
