"""Functions of scipy.special: loaded by the table once the user has imported that module."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
from scipy import special

from s2sad.rules import elementwise as of_numpy
from s2sad.rules.static import is_none, rank, same_shape
from s2sad.rules.table import adjoint, composite, elementwise, tangent
from s2sad.runtime.helpers import quotient, spread, unbroadcast
from s2sad.runtime.stop import stop_gradient

__all__: list[str] = []

# ---------------------------------------------------------------- logistic functions


@elementwise(special.expit)
def expit(x: Any, *, result: Any) -> Any:
    return result * (1.0 - result)


@elementwise(special.logit)
def logit(x: Any) -> Any:
    return 1.0 / (x * (1.0 - x))


@elementwise(special.log_expit)
def log_expit(x: Any) -> Any:
    return special.expit(-x)


@tangent(special.logsumexp)
def logsumexp(
    a: Any, axis: Any = None, b: Any = None, keepdims: Any = False, *, result: Any, da: Any, db: Any = 0.0
) -> Any:
    share = shares(weighed(a, b), b, axis, keepdims, result)
    moved = share * da if is_none(b) else share * (b * da + db)
    return np.sum(moved, axis=axis, keepdims=keepdims)


@adjoint(special.logsumexp, wrt=("a", "b"))
def logsumexp_adjoint(a: Any, axis: Any = None, b: Any = None, keepdims: Any = False, *, result: Any, ct: Any) -> Any:
    wide = weighed(a, b)
    share = spread(ct, wide, axis, keepdims) * shares(wide, b, axis, keepdims, result)
    if is_none(b):
        return share, 0.0
    return unbroadcast(share * b, a), unbroadcast(share, b)


def weighed(a: Any, b: Any) -> Any:
    """``a``, stretched to the shape that it has with its weights."""
    return a if is_none(b) or same_shape(a, b) else a * np.ones_like(b)


def shares(a: Any, b: Any, axis: Any, keepdims: Any, result: Any) -> Any:
    """The exponential of each item, divided by the sum: of large items the result does not tell how many there are."""
    parts = np.exp(a - spread(result, a, axis, keepdims))
    return parts / np.sum(parts if is_none(b) else parts * b, axis=axis, keepdims=rank(a) != 0)


def below_largest(x: Any, axis: Any) -> Any:
    """How far items are below the largest, if that is finite."""
    largest = stop_gradient(np.max(x, axis=axis, keepdims=rank(x) != 0))
    return x - np.where(np.isfinite(largest), largest, 0.0)


@composite(special.softmax)
def softmax(x: Any, axis: Any = None) -> Any:
    parts = np.exp(below_largest(x, axis))
    return parts / np.sum(parts, axis=axis, keepdims=rank(x) != 0)


@composite(special.log_softmax)
def log_softmax(x: Any, axis: Any = None) -> Any:
    below = below_largest(x, axis)
    return below - np.log(np.sum(np.exp(below), axis=axis, keepdims=rank(x) != 0))


if hasattr(special, "softplus"):

    @composite(special.softplus)
    def softplus(x: Any) -> Any:
        return np.logaddexp(0.0, x)


# ---------------------------------------------------------------- error functions


@elementwise(special.erf)
def erf(z: Any) -> Any:
    return 2.0 / math.sqrt(math.pi) * np.exp(-z * z)


@elementwise(special.erfc)
def erfc(x: Any) -> Any:
    return -2.0 / math.sqrt(math.pi) * np.exp(-x * x)


@elementwise(special.erfcx)
def erfcx(x: Any, *, result: Any) -> Any:
    return 2.0 * x * result - 2.0 / math.sqrt(math.pi)


@elementwise(special.erfinv)
def erfinv(y: Any, *, result: Any) -> Any:
    return 0.5 * math.sqrt(math.pi) * np.exp(result * result)


@elementwise(special.erfi)
def erfi(z: Any) -> Any:
    return 2.0 / math.sqrt(math.pi) * np.exp(z * z)


@elementwise(special.dawsn)
def dawsn(x: Any, *, result: Any) -> Any:
    return 1.0 - 2.0 * x * result


@elementwise(special.erfcinv)
def erfcinv(y: Any, *, result: Any) -> Any:
    return -0.5 * math.sqrt(math.pi) * np.exp(result * result)


@elementwise(special.ndtr)
def ndtr(x: Any) -> Any:
    return np.exp(-0.5 * x * x) / math.sqrt(2.0 * math.pi)


@elementwise(special.log_ndtr)
def log_ndtr(x: Any, *, result: Any) -> Any:
    return np.exp(-0.5 * x * x - result) / math.sqrt(2.0 * math.pi)


@elementwise(special.ndtri)
def ndtri(y: Any, *, result: Any) -> Any:
    return math.sqrt(2.0 * math.pi) * np.exp(0.5 * result * result)


@elementwise(special.ndtri_exp)
def ndtri_exp(y: Any, *, result: Any) -> Any:
    return math.sqrt(2.0 * math.pi) * np.exp(y + 0.5 * result * result)


# ---------------------------------------------------------------- gamma functions


@elementwise(special.gamma)
def gamma(z: Any, *, result: Any) -> Any:
    return result * special.digamma(z)


@elementwise(special.gammaln, special.loggamma)
def gammaln(x: Any) -> Any:
    return special.digamma(x)


@elementwise(special.digamma)
def digamma(z: Any) -> Any:
    return special.polygamma(1, z)


@elementwise(special.polygamma)
def polygamma(n: Any, x: Any) -> Any:
    return 0.0, special.polygamma(n + 1, x)


@elementwise(special.beta)
def beta(a: Any, b: Any, *, result: Any) -> Any:
    both = special.digamma(a + b)
    return result * (special.digamma(a) - both), result * (special.digamma(b) - both)


@elementwise(special.betaln)
def betaln(a: Any, b: Any) -> Any:
    both = special.digamma(a + b)
    return special.digamma(a) - both, special.digamma(b) - both


# Not by the shape parameters, for which there are no closed forms: NIST DLMF 8.8.13 and 8.17.7.


@elementwise(special.gammainc, wrt=("x",))
def gammainc(a: Any, x: Any) -> Any:
    return gamma_density(a, x)


@elementwise(special.gammaincc, wrt=("x",))
def gammaincc(a: Any, x: Any) -> Any:
    return -gamma_density(a, x)


@elementwise(special.gammaincinv, wrt=("y",))
def gammaincinv(a: Any, y: Any, *, result: Any) -> Any:
    return 1.0 / gamma_density(a, result)


@elementwise(special.gammainccinv, wrt=("y",))
def gammainccinv(a: Any, y: Any, *, result: Any) -> Any:
    return -1.0 / gamma_density(a, result)


def gamma_density(a: Any, x: Any) -> Any:
    """The slope of the lower incomplete gamma function."""
    return np.exp(special.xlogy(a - 1.0, x) - x - special.gammaln(a))


@elementwise(special.betainc, wrt=("x",))
def betainc(a: Any, b: Any, x: Any) -> Any:
    return beta_density(a, b, x)


@elementwise(special.betaincc, wrt=("x",))
def betaincc(a: Any, b: Any, x: Any) -> Any:
    return -beta_density(a, b, x)


@elementwise(special.betainccinv, wrt=("y",))
def betainccinv(a: Any, b: Any, y: Any, *, result: Any) -> Any:
    return -1.0 / beta_density(a, b, result)


@elementwise(special.betaincinv, wrt=("y",))
def betaincinv(a: Any, b: Any, y: Any, *, result: Any) -> Any:
    return 1.0 / beta_density(a, b, result)


def beta_density(a: Any, b: Any, x: Any) -> Any:
    """The slope of the incomplete beta function."""
    return np.exp(special.xlogy(a - 1.0, x) + special.xlog1py(b - 1.0, -x) - special.betaln(a, b))


# ---------------------------------------------------------------- entropies and losses


@elementwise(special.xlogy)
def xlogy(x: Any, y: Any) -> Any:
    return np.log(y), quotient(x, y)


@elementwise(special.xlog1py)
def xlog1py(x: Any, y: Any) -> Any:
    return np.log1p(y), quotient(x, 1.0 + y)


@elementwise(special.entr)
def entr(x: Any) -> Any:
    return -1.0 - np.log(x)


@elementwise(special.rel_entr)
def rel_entr(x: Any, y: Any) -> Any:
    return np.log(x / y) + 1.0, -x / y


@elementwise(special.kl_div)
def kl_div(x: Any, y: Any) -> Any:
    return np.log(x / y), 1.0 - x / y


@elementwise(special.huber)
def huber(delta: Any, r: Any) -> Any:
    return np.maximum(np.abs(r) - delta, 0.0), np.clip(r, -delta, delta)


@elementwise(special.pseudo_huber)
def pseudo_huber(delta: Any, r: Any) -> Any:
    root = np.hypot(delta, r) / delta
    return delta * (root - 1.0) ** 2 / root, r / root


# ---------------------------------------------------------------- exponential integrals, elliptic and hypergeometric


@elementwise(special.exp1)
def exp1(x: Any) -> Any:
    return -np.exp(-x) / x


@elementwise(special.expi)
def expi(x: Any) -> Any:
    return np.exp(x) / x


@elementwise(special.exp10)
def exp10(x: Any, *, result: Any) -> Any:
    return math.log(10.0) * result


elementwise(special.expm1)(of_numpy.expm1)
elementwise(special.log1p)(of_numpy.log1p)
elementwise(special.cbrt)(of_numpy.cbrt)
elementwise(special.exp2)(of_numpy.exp2)


@elementwise(special.cosm1)
def cosm1(x: Any) -> Any:
    return -np.sin(x)


@elementwise(special.ellipk)
def ellipk(m: Any) -> Any:
    """NIST DLMF 19.5.1: this form is right at zero too, and has derivatives of its own."""
    return 0.125 * math.pi * np.where(m <= 1.0, special.hyp2f1(1.5, 1.5, 2.0, m), np.nan)[()]


@elementwise(special.ellipe)
def ellipe(m: Any) -> Any:
    return -0.125 * math.pi * np.where(m <= 1.0, special.hyp2f1(0.5, 1.5, 2.0, m), np.nan)[()]


@elementwise(special.hyp1f1, wrt=("x",))
def hyp1f1(a: Any, b: Any, x: Any) -> Any:
    return a / b * special.hyp1f1(a + 1, b + 1, x)


@elementwise(special.hyp2f1, wrt=("z",))
def hyp2f1(a: Any, b: Any, c: Any, z: Any) -> Any:
    return a * b / c * special.hyp2f1(a + 1, b + 1, c + 1, z)


# ---------------------------------------------------------------- Bessel functions: NIST DLMF 10.6 and 10.29


@elementwise(special.j0)
def j0(x: Any) -> Any:
    return -special.j1(x)


@elementwise(special.j1)
def j1(x: Any) -> Any:
    return 0.5 * (special.j0(x) - special.jv(2, x))


@elementwise(special.i0)
def i0(x: Any) -> Any:
    return special.i1(x)


@elementwise(special.i1)
def i1(x: Any) -> Any:
    return 0.5 * (special.i0(x) + special.iv(2, x))


@elementwise(special.i0e)
def i0e(x: Any, *, result: Any) -> Any:
    return special.i1e(x) - np.sign(x) * result


@elementwise(special.i1e)
def i1e(x: Any, *, result: Any) -> Any:
    return 0.5 * (special.i0e(x) + special.ive(2, x)) - np.sign(x) * result


@elementwise(special.y0)
def y0(x: Any) -> Any:
    return -special.y1(x)


@elementwise(special.y1)
def y1(x: Any, *, result: Any) -> Any:
    return special.y0(x) - result / x


@elementwise(special.k0)
def k0(x: Any) -> Any:
    return -special.k1(x)


@elementwise(special.k1)
def k1(x: Any, *, result: Any) -> Any:
    return -special.k0(x) - result / x


@elementwise(special.k0e)
def k0e(x: Any, *, result: Any) -> Any:
    return result - special.k1e(x)


@elementwise(special.k1e)
def k1e(x: Any, *, result: Any) -> Any:
    return result - special.k0e(x) - result / x


@elementwise(special.jv, wrt=("z",))
def jv(v: Any, z: Any) -> Any:
    return 0.5 * (special.jv(v - 1, z) - special.jv(v + 1, z))


@elementwise(special.yv, wrt=("z",))
def yv(v: Any, z: Any) -> Any:
    return 0.5 * (special.yv(v - 1, z) - special.yv(v + 1, z))


@elementwise(special.yn, wrt=("x",))
def yn(n: Any, x: Any) -> Any:
    return 0.5 * (special.yn(n - 1, x) - special.yn(n + 1, x))


@elementwise(special.iv, wrt=("z",))
def iv(v: Any, z: Any) -> Any:
    return 0.5 * (special.iv(v - 1, z) + special.iv(v + 1, z))


@elementwise(special.ive, wrt=("z",))
def ive(v: Any, z: Any, *, result: Any) -> Any:
    return 0.5 * (special.ive(v - 1, z) + special.ive(v + 1, z)) - np.sign(z) * result


@elementwise(special.kv, wrt=("z",))
def kv(v: Any, z: Any) -> Any:
    return -0.5 * (special.kv(v - 1, z) + special.kv(v + 1, z))


@elementwise(special.kn, wrt=("x",))
def kn(n: Any, x: Any) -> Any:
    return -0.5 * (special.kn(n - 1, x) + special.kn(n + 1, x))


@elementwise(special.kve, wrt=("z",))
def kve(v: Any, z: Any, *, result: Any) -> Any:
    return result - 0.5 * (special.kve(v - 1, z) + special.kve(v + 1, z))
