"""What scipy.stats says of samples: loaded by the table once the user has imported that module."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
from scipy import special, stats

from s2sad.rules.static import is_none
from s2sad.rules.table import composite

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
