"""Functions of scipy.special: loaded by the table once the user has imported that module."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
from scipy import special

from s2sad.rules.static import is_none
from s2sad.rules.table import adjoint, composite, elementwise, tangent
from s2sad.runtime.helpers import quotient, spread

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
def logsumexp(a: Any, axis: Any = None, b: Any = None, keepdims: Any = False, *, result: Any, da: Any) -> Any:
    return np.sum(shares(a, axis, b, keepdims, result) * da, axis=axis, keepdims=keepdims)


@adjoint(special.logsumexp, wrt="a")
def logsumexp_adjoint(a: Any, axis: Any = None, b: Any = None, keepdims: Any = False, *, result: Any, ct: Any) -> Any:
    return spread(ct, a, axis, keepdims) * shares(a, axis, b, keepdims, result)


def shares(a: Any, axis: Any, b: Any, keepdims: Any, result: Any) -> Any:
    """What each item has in the sum of exponentials."""
    share = np.exp(a - spread(result, a, axis, keepdims))
    return share if is_none(b) else b * share


@composite(special.softmax)
def softmax(x: Any, axis: Any = None) -> Any:
    return np.exp(x - special.logsumexp(x, axis=axis, keepdims=True))


@composite(special.log_softmax)
def log_softmax(x: Any, axis: Any = None) -> Any:
    return x - special.logsumexp(x, axis=axis, keepdims=True)


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


@elementwise(special.ndtr)
def ndtr(x: Any) -> Any:
    return np.exp(-0.5 * x * x) / math.sqrt(2.0 * math.pi)


@elementwise(special.log_ndtr)
def log_ndtr(x: Any, *, result: Any) -> Any:
    return np.exp(-0.5 * x * x - result) / math.sqrt(2.0 * math.pi)


@elementwise(special.ndtri)
def ndtri(y: Any, *, result: Any) -> Any:
    return math.sqrt(2.0 * math.pi) * np.exp(0.5 * result * result)


# ---------------------------------------------------------------- gamma functions


@elementwise(special.gamma)
def gamma(z: Any, *, result: Any) -> Any:
    return result * special.digamma(z)


@elementwise(special.gammaln)
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


# ---------------------------------------------------------------- entropies


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


# ---------------------------------------------------------------- Bessel functions


@elementwise(special.j0)
def j0(x: Any) -> Any:
    return -special.j1(x)


@elementwise(special.j1)
def j1(x: Any, *, result: Any) -> Any:
    return special.j0(x) - quotient(result, x)


@elementwise(special.i0)
def i0(x: Any) -> Any:
    return special.i1(x)


@elementwise(special.i1)
def i1(x: Any, *, result: Any) -> Any:
    return special.i0(x) - quotient(result, x)
