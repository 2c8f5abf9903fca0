"""Families of functions of scipy.special: orthogonal polynomials, distributions, elliptic and other integrals.

By their arguments, and by parameters where there are closed forms. Formulas are of the NIST DLMF, by section.
"""

from __future__ import annotations

import math
from typing import Any

import numpy as np
from scipy import special

from s2sad.rules.static import rank
from s2sad.rules.table import composite, elementwise, zero_derivative

__all__: list[str] = []

zero_derivative(special.gammasgn, special.round)

# ---------------------------------------------------------------- gamma functions: 5.2, 5.15, 25.11.17


@elementwise(special.rgamma)
def rgamma(z: Any, *, result: Any) -> Any:
    return rgamma_slope(z, result)


def rgamma_slope(z: Any, result: Any) -> Any:
    """By reflection where there are poles of the gamma function, at which this is zero with a slope: 5.5.3."""
    low = z < 0.5
    left, right = np.where(low, z, 0.25), np.where(low, 0.75, z)
    reflected = np.cos(np.pi * left) * special.gamma(1.0 - left) - result * special.digamma(1.0 - left)
    return np.where(low, reflected, -result * special.digamma(right))


def is_pole(z: Any) -> Any:
    """Whether the gamma function has a pole."""
    return (z <= 0.0) & (z == np.floor(z))


@elementwise(special.poch)
def poch(z: Any, m: Any, *, result: Any) -> Any:
    """A quotient of gamma functions: at poles of the one below, and of both, by 5.5.3 again."""
    below, above = is_pole(z), is_pole(z + m)
    both, alone = below & above, below & ~above
    plain = result * (special.digamma(z + m) - special.digamma(np.where(below, 1.0, z)))
    start, end = np.where(alone, z, 1.0), np.where(alone, z + m, 1.0)
    inverse = special.rgamma(start)
    at_one = special.gamma(end) * (special.digamma(end) * inverse + rgamma_slope(start, inverse))
    start, end = np.where(both, 1.0 - z, 1.0), np.where(both, 1.0 - z - m, 1.0)
    at_both = result * (special.digamma(end) - special.digamma(start))
    by_m = np.where(both, np.nan, result * special.digamma(z + m))
    return np.where(both, at_both, np.where(alone, at_one, plain)), by_m


@elementwise(special.binom)
def binom(x: Any, y: Any, *, result: Any) -> Any:
    """One gamma function over two: where one of these has a pole, by the slopes of their inverses."""
    pole = is_pole(y + 1.0) | is_pole(x - y + 1.0)
    first, second = np.where(pole, 1.0, y + 1.0), np.where(pole, 1.0, x - y + 1.0)
    above, rest = special.digamma(x + 1.0), special.digamma(second)
    plain_x, plain_y = result * (above - rest), result * (rest - special.digamma(first))
    whole = special.gamma(np.where(pole, x + 1.0, 1.0))
    first, second = np.where(pole, y + 1.0, 1.0), np.where(pole, x - y + 1.0, 1.0)
    p, q = special.rgamma(first), special.rgamma(second)
    dp, dq = rgamma_slope(first, p), rgamma_slope(second, q)
    pole_x, pole_y = whole * p * (above * q + dq), whole * (dp * q - p * dq)
    return np.where(pole, pole_x, plain_x), np.where(pole, pole_y, plain_y)


@composite(special.multigammaln)
def multigammaln(a: Any, d: Any) -> Any:
    a = np.asarray(a, dtype=float) if rank(a) else np.float64(a)  # SciPy computes it in double precision
    total = 0.25 * d * (d - 1) * math.log(math.pi)
    for j in range(d):
        total = total + special.gammaln(a - 0.5 * j)
    return total


# ---------------------------------------------------------------- integrals: 6.2, 7.2, 8.19.13, 25.12


@elementwise(special.expn, wrt=("x",))
def expn(n: Any, x: Any) -> Any:
    first = np.exp(-x) / x * (1.0 + 1.0 / x)
    return -np.where(n < 1, first, special.expn(np.maximum(n - 1, 0), x))


def log_quotient(z: Any) -> Any:
    """log(z) / (1 - z), by its series near 1, which has derivatives there."""
    left, series = 1.0 - z, 0.0
    for k in (9, 8, 7, 6, 5, 4, 3, 2, 1):
        series = series * left + 1.0 / k
    is_near = np.abs(left) < 0.01
    inner = np.where(is_near, 2.0, z)
    return np.where(is_near, -series, np.log(inner) / (1.0 - inner))


@elementwise(special.spence)
def spence(z: Any) -> Any:
    return log_quotient(z)


@elementwise(special.exprel)
def exprel(x: Any) -> Any:
    return 0.5 * special.hyp1f1(2.0, 3.0, x)


@elementwise(special.owens_t)
def owens_t(h: Any, a: Any) -> Any:
    by_h = -np.exp(-0.5 * h * h) * special.erf(a * h / math.sqrt(2.0)) / math.sqrt(8.0 * math.pi)
    return by_h, np.exp(-0.5 * h * h * (1.0 + a * a)) / (2.0 * math.pi * (1.0 + a * a))


# ---------------------------------------------------------------- powers and angles


@elementwise(special.powm1)
def powm1(x: Any, y: Any, *, result: Any) -> Any:
    return y * x ** (y - 1.0), np.log(x) * (result + 1.0)


@elementwise(special.boxcox)
def boxcox(x: Any, lmbda: Any) -> Any:
    return x ** (lmbda - 1.0), by_exponent(np.log(x), lmbda)


@elementwise(special.boxcox1p)
def boxcox1p(x: Any, lmbda: Any) -> Any:
    return (1.0 + x) ** (lmbda - 1.0), by_exponent(np.log1p(x), lmbda)


def by_exponent(log: Any, lmbda: Any) -> Any:
    """The slope of (exp(log * lmbda) - 1) / lmbda, which has one at zero too: 13.4.1."""
    return 0.5 * log * log * special.hyp1f1(2.0, 3.0, log * lmbda)


@elementwise(special.inv_boxcox)
def inv_boxcox(y: Any, lmbda: Any, *, result: Any) -> Any:
    return result ** (1.0 - lmbda), result * by_inverse_exponent(y, lmbda)


@elementwise(special.inv_boxcox1p)
def inv_boxcox1p(y: Any, lmbda: Any, *, result: Any) -> Any:
    return (1.0 + result) ** (1.0 - lmbda), (1.0 + result) * by_inverse_exponent(y, lmbda)


def by_inverse_exponent(y: Any, lmbda: Any) -> Any:
    """The slope of log(1 + y * lmbda) / lmbda, which has one at zero too: 15.4.1, 15.5.1."""
    return -0.5 * y * y * special.hyp2f1(2.0, 2.0, 3.0, -y * lmbda)


@elementwise(special.sindg)
def sindg(x: Any) -> Any:
    return math.radians(1.0) * special.cosdg(x)


@elementwise(special.cosdg)
def cosdg(x: Any) -> Any:
    return -math.radians(1.0) * special.sindg(x)


@elementwise(special.tandg)
def tandg(x: Any, *, result: Any) -> Any:
    return math.radians(1.0) * (1.0 + result * result)


@elementwise(special.cotdg)
def cotdg(x: Any, *, result: Any) -> Any:
    return -math.radians(1.0) * (1.0 + result * result)


@elementwise(special.radian)
def radian(d: Any, m: Any, s: Any) -> Any:
    return math.radians(1.0), math.radians(1.0) / 60.0, math.radians(1.0) / 3600.0


# ---------------------------------------------------------------- orthogonal polynomials, by x: 18.9(iii)


@elementwise(special.eval_jacobi, wrt=("x",))
def eval_jacobi(n: Any, alpha: Any, beta: Any, x: Any) -> Any:
    return np.where(
        n == 0, 0.0, 0.5 * (n + alpha + beta + 1.0) * special.eval_jacobi(n - 1, alpha + 1.0, beta + 1.0, x)
    )


@elementwise(special.eval_legendre, wrt=("x",))
def eval_legendre(n: Any, x: Any) -> Any:
    n = np.where(n < -0.5, -1 - n, n)  # 14.9.5
    return np.where(n == 0, 0.0, 0.5 * (n + 1.0) * special.eval_jacobi(n - 1, 1.0, 1.0, x))


@elementwise(special.eval_gegenbauer, wrt=("x",))
def eval_gegenbauer(n: Any, alpha: Any, x: Any) -> Any:
    return np.where(n == 0, 0.0, 2.0 * alpha * special.eval_gegenbauer(n - 1, alpha + 1.0, x))


@elementwise(special.eval_chebyt, wrt=("x",))
def eval_chebyt(n: Any, x: Any) -> Any:
    return np.where(n == 0, 0.0, n * special.eval_chebyu(n - 1, x))


@elementwise(special.eval_chebyu, wrt=("x",))
def eval_chebyu(n: Any, x: Any) -> Any:
    sign, n = np.where(n < -1, -2.0, 2.0), np.where(n < -1, -2 - n, n)  # sin((n + 1) t) / sin(t) is odd about -1
    return np.where(n == 0, 0.0, sign * special.eval_gegenbauer(n - 1, 2.0, x))


@elementwise(special.eval_genlaguerre, wrt=("x",))
def eval_genlaguerre(n: Any, alpha: Any, x: Any) -> Any:
    return np.where(n == 0, 0.0, -special.eval_genlaguerre(n - 1, alpha + 1.0, x))


@elementwise(special.eval_laguerre, wrt=("x",))
def eval_laguerre(n: Any, x: Any) -> Any:
    return np.where(n == 0, 0.0, -special.eval_genlaguerre(n - 1, 1.0, x))


@elementwise(special.eval_hermite, wrt=("x",))
def eval_hermite(n: Any, x: Any) -> Any:
    return 2.0 * n * special.eval_hermite(np.maximum(n - 1, 0), x)


@elementwise(special.eval_hermitenorm, wrt=("x",))
def eval_hermitenorm(n: Any, x: Any) -> Any:
    return n * special.eval_hermitenorm(np.maximum(n - 1, 0), x)


# ---------------------------------------------------------------- distribution functions, by what has a density


@elementwise(special.stdtr, wrt=("t",))
def stdtr(df: Any, t: Any) -> Any:
    scale = special.gammaln(0.5 * (df + 1.0)) - special.gammaln(0.5 * df)
    return np.exp(scale - 0.5 * (df + 1.0) * np.log1p(t * t / df)) / np.sqrt(df * math.pi)


@elementwise(special.chdtr, wrt=("x",))
def chdtr(v: Any, x: Any) -> Any:
    return chi_square_density(v, x)


@elementwise(special.chdtrc, wrt=("x",))
def chdtrc(v: Any, x: Any) -> Any:
    return -chi_square_density(v, x)


def chi_square_density(v: Any, x: Any) -> Any:
    """The density of the sum of squares of v standard normal variables."""
    return 0.5 * np.exp(special.xlogy(0.5 * v - 1.0, 0.5 * x) - 0.5 * x - special.gammaln(0.5 * v))


@elementwise(special.gdtr, wrt=("a", "x"))
def gdtr(a: Any, b: Any, x: Any) -> Any:
    density = np.exp(special.xlogy(b - 1.0, a * x) - a * x - special.gammaln(b))
    return density * x, density * a


@elementwise(special.gdtrc, wrt=("a", "x"))
def gdtrc(a: Any, b: Any, x: Any) -> Any:
    density = np.exp(special.xlogy(b - 1.0, a * x) - a * x - special.gammaln(b))
    return -density * x, -density * a


@elementwise(special.pdtr, wrt=("m",))
def pdtr(k: Any, m: Any) -> Any:
    return -np.exp(special.xlogy(np.floor(k), m) - m - special.gammaln(np.floor(k) + 1.0))


@elementwise(special.pdtrc, wrt=("m",))
def pdtrc(k: Any, m: Any) -> Any:
    return np.exp(special.xlogy(np.floor(k), m) - m - special.gammaln(np.floor(k) + 1.0))


@elementwise(special.fdtr, wrt=("x",))
def fdtr(dfn: Any, dfd: Any, x: Any) -> Any:
    return ratio_density(dfn, dfd, x)


@elementwise(special.fdtrc, wrt=("x",))
def fdtrc(dfn: Any, dfd: Any, x: Any) -> Any:
    return -ratio_density(dfn, dfd, x)


@elementwise(special.fdtri, wrt=("p",))
def fdtri(dfn: Any, dfd: Any, p: Any, *, result: Any) -> Any:
    return 1.0 / ratio_density(dfn, dfd, result)


def ratio_density(dfn: Any, dfd: Any, x: Any) -> Any:
    """The density of Fisher's distribution."""
    share = dfn / dfd
    log = special.xlogy(0.5 * dfn - 1.0, share * x) - 0.5 * (dfn + dfd) * np.log1p(share * x)
    return share * np.exp(log - special.betaln(0.5 * dfn, 0.5 * dfd))


@elementwise(special.stdtrit, wrt=("p",))
def stdtrit(df: Any, p: Any, *, result: Any) -> Any:
    return 1.0 / stdtr(df, result)


@elementwise(special.chdtri, wrt=("p",))
def chdtri(v: Any, p: Any, *, result: Any) -> Any:
    return -1.0 / chi_square_density(v, result)


@elementwise(special.gdtrix, wrt=("a", "p"))
def gdtrix(a: Any, b: Any, p: Any, *, result: Any) -> Any:
    return -result / a, 1.0 / (a * np.exp(special.xlogy(b - 1.0, a * result) - a * result - special.gammaln(b)))


@elementwise(special.bdtr, wrt=("p",))
def bdtr(k: Any, n: Any, p: Any) -> Any:
    return -order_density(np.floor(k) + 1.0, n - np.floor(k), p)


@elementwise(special.bdtrc, wrt=("p",))
def bdtrc(k: Any, n: Any, p: Any) -> Any:
    return order_density(np.floor(k) + 1.0, n - np.floor(k), p)


@elementwise(special.nbdtr, wrt=("p",))
def nbdtr(k: Any, n: Any, p: Any) -> Any:
    return order_density(n, np.floor(k) + 1.0, p)


@elementwise(special.nbdtrc, wrt=("p",))
def nbdtrc(k: Any, n: Any, p: Any) -> Any:
    return -order_density(n, np.floor(k) + 1.0, p)


def order_density(a: Any, b: Any, p: Any) -> Any:
    """The slope of the incomplete beta function for whole numbers a and b, and zero where one of them is."""
    inner = np.exp(special.xlogy(a - 1.0, p) + special.xlog1py(b - 1.0, -p) - special.betaln(a, b))
    return np.where((a == 0.0) | (b == 0.0), 0.0, inner)[()]


# ---------------------------------------------------------------- elliptic integrals: 19.2(ii), 19.4(i), 19.25(i)


@elementwise(special.ellipkinc)
def ellipkinc(phi: Any, m: Any) -> Any:
    turns = np.round(phi / math.pi)
    s, c = np.sin(phi - turns * math.pi), np.cos(phi)
    square = 1.0 - m * s * s
    by_m = s**3 * special.elliprd(c * c, 1.0, square) + 2.0 * turns * special.elliprd(0.0, 1.0, complement(m, turns))
    return 1.0 / np.sqrt(square), by_m / 6.0


@elementwise(special.ellipeinc)
def ellipeinc(phi: Any, m: Any) -> Any:
    turns = np.round(phi / math.pi)
    s, c = np.sin(phi - turns * math.pi), np.cos(phi)
    square = 1.0 - m * s * s
    by_m = s**3 * special.elliprd(c * c, square, 1.0) + 2.0 * turns * special.elliprd(0.0, complement(m, turns), 1.0)
    return np.sqrt(square), -by_m / 6.0


def complement(m: Any, turns: Any) -> Any:
    """1 - m, of which a complete integral is made: 1 where there is none of it, which may be infinite."""
    return np.where(turns == 0.0, 1.0, 1.0 - m)
