"""Distributions of several variables of scipy.stats: loaded by the table once the user has imported that module."""

from __future__ import annotations

from typing import Any

import numpy as np
from scipy import special, stats

from s2sad.ir import kinds as K
from s2sad.rules.distributions import log_within
from s2sad.rules.forms import Arg, as_numeric
from s2sad.rules.infer import FORMS
from s2sad.rules.static import is_none, rank
from s2sad.rules.table import adjoint, composite, tangent
from s2sad.runtime.helpers import quotient, unbroadcast

__all__: list[str] = []


# ---------------------------------------------------------------- several normal variables


#: Up to this part of the largest, SciPy takes an eigenvalue of a covariance for zero.
NEGLIGIBLE = 1e6 * np.finfo(float).eps


def several(mean: Any, cov: Any, allow_singular: Any = False) -> None:
    """Refuse what stands for a mean or a covariance without being it, and covariances without an inverse.

    Where there may be none, SciPy leaves out the directions of the least eigenvalues, which is to find out at run time.
    """
    if rank(cov) != 2 or not (is_none(mean) or rank(mean) == 1):
        raise NotImplementedError("multivariate_normal is differentiated for a vector and a matrix")
    if allow_singular:
        spectrum = np.linalg.eigvalsh(cov)
        if spectrum[0] <= NEGLIGIBLE * np.max(np.abs(spectrum)):
            raise NotImplementedError("multivariate_normal is differentiated where the covariance is not singular")


def lower_read(a: Any) -> Any:
    """The symmetric matrix of which the lower triangle is read."""
    return np.tril(a) + np.transpose(np.tril(a, -1))


@tangent(stats.multivariate_normal.logpdf)
def logpdf_of_several(
    x: Any,
    mean: Any = None,
    cov: Any = 1,
    allow_singular: Any = False,
    *,
    result: Any,
    dx: Any = 0.0,
    dmean: Any = 0.0,
    dcov: Any = 0.0,
) -> Any:
    several(mean, cov, allow_singular)
    inverse, moved = np.linalg.inv(lower_read(cov)), lower_read(dcov)
    pull = (x if is_none(mean) else x - mean) @ inverse
    by_point = np.sum(pull * (0.5 * (pull @ moved) - (dx if is_none(mean) else dx - dmean)), axis=-1)
    return np.reshape(by_point - 0.5 * np.sum(inverse * moved), np.shape(result))


@adjoint(stats.multivariate_normal.logpdf, wrt=("x", "mean", "cov"))
def logpdf_of_several_adjoint(x: Any, mean: Any = None, cov: Any = 1, allow_singular: Any = False, *, ct: Any) -> Any:
    several(mean, cov, allow_singular)
    inverse = np.linalg.inv(lower_read(cov))
    pull = (x if is_none(mean) else x - mean) @ inverse
    weighted = np.reshape(ct, np.shape(pull[..., :1])) * pull
    n = np.shape(pull)[-1]
    bcov = 0.5 * (np.transpose(np.reshape(weighted, (-1, n))) @ np.reshape(pull, (-1, n)) - np.sum(ct) * inverse)
    bmean = 0.0 if is_none(mean) else unbroadcast(weighted, mean)
    return unbroadcast(-weighted, x), bmean, np.tril(bcov) + np.tril(bcov, -1)


@composite(stats.multivariate_normal.pdf)
def pdf_of_several(x: Any, mean: Any = None, cov: Any = 1, allow_singular: Any = False) -> Any:
    return np.exp(stats.multivariate_normal.logpdf(x, mean, cov, allow_singular))


@tangent(stats.multivariate_normal.entropy)
def entropy_of_several(mean: Any = None, cov: Any = 1, *, dmean: Any = 0.0, dcov: Any = 0.0) -> Any:
    """Half the logarithm of the determinant, and a constant."""
    several(mean, cov)
    return 0.5 * np.sum(np.linalg.inv(lower_read(cov)) * lower_read(dcov))


@adjoint(stats.multivariate_normal.entropy, wrt=("mean", "cov"))
def entropy_of_several_adjoint(mean: Any = None, cov: Any = 1, *, ct: Any) -> Any:
    several(mean, cov)
    bcov = 0.5 * ct * np.linalg.inv(lower_read(cov))
    return 0.0 if is_none(mean) else np.zeros_like(mean), np.tril(bcov) + np.tril(bcov, -1)


def density_of_several(x: Arg, *_: Arg, **__: Arg) -> K.Kind:
    """Of one point a number; of an array of points, whose axes of length one are gone, a number or an array."""
    return K.Scalar("float64") if K.rank_of(as_numeric(x[0])) == 1 else K.Numeric("float64")


FORMS[stats.multivariate_normal.logpdf] = density_of_several

# ---------------------------------------------------------------- shares of one


def with_the_last(x: Any, alpha: Any, total: Any) -> Any:
    """The shares, with the last one where it was left out: what the others leave of the total."""
    if np.shape(x)[0] == np.shape(alpha)[0]:
        return x
    return np.concatenate((x, total - np.sum(x, axis=0, keepdims=True)))


def dirichlet_slope(x: Any, alpha: Any, result: Any, dx: Any, dalpha: Any) -> Any:
    """The tangent of the logarithm of the density; each share is taken by itself, whatever they add up to."""
    if rank(alpha) != 1 or rank(x) not in (1, 2):
        raise NotImplementedError("dirichlet is differentiated for a vector alpha, and a vector or a matrix of shares")
    shares, moved = with_the_last(x, alpha, 1.0), with_the_last(dx, alpha, 0.0)
    by_alpha = np.sum(dalpha * (special.digamma(np.sum(alpha)) - special.digamma(alpha)))
    if rank(x) == 2:
        alpha, dalpha = alpha[:, None], dalpha[:, None]
    by_share = np.sum(quotient(alpha - 1.0, shares) * moved + special.xlogy(dalpha, shares), axis=0)
    return np.reshape(by_share + by_alpha, np.shape(result))[()]


@tangent(stats.dirichlet.logpdf)
def dirichlet_logpdf(x: Any, alpha: Any, *, result: Any, dx: Any, dalpha: Any) -> Any:
    return dirichlet_slope(x, alpha, result, dx, dalpha)


@tangent(stats.dirichlet.pdf)
def dirichlet_pdf(x: Any, alpha: Any, *, result: Any, dx: Any, dalpha: Any) -> Any:
    return result * dirichlet_slope(x, alpha, result, dx, dalpha)


def multinomial_slope(x: Any, p: Any, dp: Any) -> Any:
    """The tangent of the logarithm of the probability, of which the last chance is what the others leave of one."""
    if rank(p) != 1:
        raise NotImplementedError("multinomial is differentiated by a vector of chances")
    last = 1.0 - np.sum(p[:-1])
    return np.sum(quotient(x[..., :-1], p[:-1]) * dp[:-1], axis=-1) - quotient(x[..., -1], last) * np.sum(dp[:-1])


@tangent(stats.multinomial.logpmf)
def multinomial_logpmf(x: Any, n: Any, p: Any, *, result: Any, dp: Any) -> Any:
    return log_within(result, multinomial_slope(np.asarray(x), p, dp))


@tangent(stats.multinomial.pmf)
def multinomial_pmf(x: Any, n: Any, p: Any, *, result: Any, dp: Any) -> Any:
    return result * multinomial_slope(np.asarray(x), p, dp)


def log_probability_of_several(x: Arg, *_: Arg, **__: Arg) -> K.Kind:
    """Of one row of counts an array without axes."""
    rank = K.rank_of(as_numeric(x[0]))
    return K.Array("float64", None if rank is None else rank - 1)


for _method in (stats.dirichlet.pdf, stats.dirichlet.logpdf, stats.multinomial.pmf):
    FORMS[_method] = density_of_several
FORMS[stats.multinomial.logpmf] = log_probability_of_several
