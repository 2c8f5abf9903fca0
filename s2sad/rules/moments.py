"""What scipy.stats says of samples: loaded by the table once the user has imported that module."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
from scipy import special, stats

from s2sad.rules.static import is_none
from s2sad.rules.table import composite, zero_derivative

__all__: list[str] = []


def propagated(nan_policy: Any) -> None:
    """Refuse to leave out what is no number."""
    if nan_policy != "propagate":
        raise NotImplementedError("samples are differentiated with nan_policy='propagate'")


def count(a: Any, axis: Any) -> Any:
    """How many numbers there are along an axis, or in all."""
    if isinstance(axis, tuple):
        raise NotImplementedError("samples are differentiated along one axis, or all")
    return np.size(a) if is_none(axis) else np.shape(a)[axis]


def central(a: Any, order: Any, axis: Any, keepdims: Any) -> Any:
    """A moment about the mean."""
    return np.mean((a - np.mean(a, axis=axis, keepdims=True)) ** order, axis=axis, keepdims=keepdims)


@composite(stats.skew)
def skew(a: Any, axis: Any = 0, bias: Any = True, nan_policy: Any = "propagate", *, keepdims: Any = False) -> Any:
    propagated(nan_policy)
    a = np.asarray(a)
    n = count(a, axis)
    ratio = central(a, 3, axis, keepdims) / central(a, 2, axis, keepdims) ** 1.5
    return ratio if bias or n < 3 else math.sqrt(n * (n - 1.0)) / (n - 2.0) * ratio


@composite(stats.kurtosis)
def kurtosis(
    a: Any, axis: Any = 0, fisher: Any = True, bias: Any = True, nan_policy: Any = "propagate", *, keepdims: Any = False
) -> Any:
    propagated(nan_policy)
    a = np.asarray(a)
    n = count(a, axis)
    ratio = central(a, 4, axis, keepdims) / central(a, 2, axis, keepdims) ** 2
    if not bias and n > 3:
        ratio = ((n * n - 1.0) * ratio - 3.0 * (n - 1.0) ** 2) / ((n - 2.0) * (n - 3.0)) + 3.0
    return ratio - 3.0 if fisher else ratio


@composite(stats.sem)
def sem(a: Any, axis: Any = 0, ddof: Any = 1, nan_policy: Any = "propagate", *, keepdims: Any = False) -> Any:
    propagated(nan_policy)
    a = np.asarray(a)
    return np.std(a, axis=axis, ddof=ddof, keepdims=keepdims) / math.sqrt(count(a, axis))


@composite(stats.variation)
def variation(a: Any, axis: Any = 0, nan_policy: Any = "propagate", ddof: Any = 0, *, keepdims: Any = False) -> Any:
    propagated(nan_policy)
    a = np.asarray(a)
    return np.std(a, axis=axis, ddof=ddof, keepdims=keepdims) / np.mean(a, axis=axis, keepdims=keepdims)


@composite(stats.zscore)
def zscore(a: Any, axis: Any = 0, ddof: Any = 0, nan_policy: Any = "propagate") -> Any:
    propagated(nan_policy)
    a = np.asarray(a)
    return (a - np.mean(a, axis=axis, keepdims=True)) / np.std(a, axis=axis, ddof=ddof, keepdims=True)


@composite(stats.gmean)
def gmean(
    a: Any, axis: Any = 0, dtype: Any = None, weights: Any = None, nan_policy: Any = "propagate",
    *, keepdims: Any = False,
) -> Any:  # fmt: skip
    propagated(nan_policy)
    if not is_none(dtype):
        raise NotImplementedError("gmean is differentiated without dtype")
    return np.exp(np.average(np.log(np.asarray(a)), axis=axis, weights=weights, keepdims=keepdims))


@composite(stats.hmean)
def hmean(
    a: Any, axis: Any = 0, dtype: Any = None, *, weights: Any = None, nan_policy: Any = "propagate",
    keepdims: Any = False,
) -> Any:  # fmt: skip
    propagated(nan_policy)
    if not is_none(dtype):
        raise NotImplementedError("hmean is differentiated without dtype")
    a = np.asarray(a)
    return 1.0 / np.average(1.0 / np.where(a < 0.0, np.nan, a), axis=axis, weights=weights, keepdims=keepdims)


@composite(stats.entropy)
def entropy(
    pk: Any, qk: Any = None, base: Any = None, axis: Any = 0, *, nan_policy: Any = "propagate", keepdims: Any = False
) -> Any:
    propagated(nan_policy)
    pk = np.asarray(pk)
    shares = pk / np.sum(pk, axis=axis, keepdims=True)
    if is_none(qk):
        total = np.sum(special.entr(shares), axis=axis, keepdims=keepdims)
    else:
        qk = np.asarray(qk)
        others = qk / np.sum(qk, axis=axis, keepdims=True)
        total = np.sum(special.rel_entr(shares, others), axis=axis, keepdims=keepdims)
    return total if is_none(base) else total / np.log(base)


# ---------------------------------------------------------------- by order

zero_derivative(stats.rankdata)


@composite(stats.trim_mean)
def trim_mean(a: Any, proportiontocut: Any, axis: Any = 0) -> Any:
    if axis is None:
        a, axis = np.ravel(a), 0
    ordered = np.moveaxis(np.sort(a, axis=axis), axis, 0)
    n = len(ordered)
    cut = int(proportiontocut * n)
    if 2 * cut >= n:
        raise ValueError("Proportion too big.")
    return np.mean(ordered[cut : n - cut], axis=0)


def between_steps(u: Any, v: Any) -> Any:
    """By how much the shares of two samples up to a number differ, and to how many numbers that applies."""
    both = np.sort(np.concatenate((u, v)))
    places = both[:-1]
    of_u = np.searchsorted(np.sort(u), places, side="right") / len(u)
    of_v = np.searchsorted(np.sort(v), places, side="right") / len(v)
    return np.abs(of_u - of_v), both[1:] - both[:-1]


@composite(stats.wasserstein_distance)
def wasserstein_distance(u_values: Any, v_values: Any, u_weights: Any = None, v_weights: Any = None) -> Any:
    if not (is_none(u_weights) and is_none(v_weights)):
        raise NotImplementedError("scipy.stats.wasserstein_distance is differentiated without weights")
    differences, widths = between_steps(np.asarray(u_values), np.asarray(v_values))
    return np.sum(differences * widths)


@composite(stats.energy_distance)
def energy_distance(u_values: Any, v_values: Any, u_weights: Any = None, v_weights: Any = None) -> Any:
    if not (is_none(u_weights) and is_none(v_weights)):
        raise NotImplementedError("scipy.stats.energy_distance is differentiated without weights")
    differences, widths = between_steps(np.asarray(u_values), np.asarray(v_values))
    return np.sqrt(2.0) * np.sqrt(np.sum(differences * differences * widths))
