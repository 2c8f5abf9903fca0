"""Distances of scipy.spatial.distance: loaded by the table once the user has imported scipy.spatial."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
from scipy import special
from scipy.spatial import distance

from s2sad.rules.static import is_none, rank
from s2sad.rules.table import composite

__all__: list[str] = []


# ---------------------------------------------------------------- between two vectors


def apart(u: Any, v: Any) -> Any:
    """The difference of two vectors."""
    if rank(u) != 1 or rank(v) != 1:
        raise NotImplementedError("distances are differentiated between vectors")
    return np.asarray(u) - np.asarray(v)


def not_negative(w: Any) -> None:
    """Refuse weights as the functions do."""
    if not is_none(w) and np.any(np.asarray(w) < 0.0):
        raise ValueError("Input weights should be all non-negative")


@composite(distance.minkowski)
def minkowski(u: Any, v: Any, p: Any = 2, w: Any = None) -> Any:
    """At p = 2 the weights are of squares, as for other p of powers."""
    not_negative(w)
    if p <= 0:
        raise ValueError("p must be greater than 0")
    between = apart(u, v)
    if p == 2:
        return np.linalg.norm(between if is_none(w) else np.sqrt(w) * between)
    if p == 1:
        return np.sum(np.abs(between) if is_none(w) else w * np.abs(between))
    if p == math.inf:
        return np.max(np.abs(between) if is_none(w) else np.where(np.asarray(w) != 0.0, np.abs(between), 0.0))
    return np.linalg.norm(between if is_none(w) else np.asarray(w) ** (1.0 / p) * between, p)


@composite(distance.euclidean)
def euclidean(u: Any, v: Any, w: Any = None) -> Any:
    not_negative(w)
    between = apart(u, v)
    return float(np.linalg.norm(between if is_none(w) else np.sqrt(w) * between))


@composite(distance.sqeuclidean)
def sqeuclidean(u: Any, v: Any, w: Any = None) -> Any:
    not_negative(w)
    between = apart(u, v)
    return np.dot(between, between) if is_none(w) else np.sum(w * between**2)


@composite(distance.cityblock)
def cityblock(u: Any, v: Any, w: Any = None) -> Any:
    not_negative(w)
    between = np.abs(apart(u, v))
    return np.sum(between if is_none(w) else w * between)


@composite(distance.chebyshev)
def chebyshev(u: Any, v: Any) -> Any:
    return np.max(np.abs(apart(u, v)))


@composite(distance.braycurtis)
def braycurtis(u: Any, v: Any, w: Any = None) -> Any:
    not_negative(w)
    between, both = np.abs(apart(u, v)), np.abs(np.asarray(u) + np.asarray(v))
    return np.sum(between) / np.sum(both) if is_none(w) else np.sum(w * between) / np.sum(w * both)


@composite(distance.cosine)
def cosine(u: Any, v: Any, w: Any = None) -> Any:
    apart(u, v)
    not_negative(w)
    wv = v if is_none(w) else w * np.asarray(v)
    wu = u if is_none(w) else w * np.asarray(u)
    return 1.0 - np.dot(u, wv) / np.sqrt(np.dot(u, wu) * np.dot(v, wv))


@composite(distance.correlation)
def correlation(u: Any, v: Any, w: Any = None, centered: Any = True) -> Any:
    apart(u, v)
    if not centered:
        return distance.cosine(u, v, w)
    u, v = np.asarray(u), np.asarray(v)
    return distance.cosine(u - np.average(u, weights=w), v - np.average(v, weights=w), w)


@composite(distance.mahalanobis)
def mahalanobis(u: Any, v: Any, VI: Any) -> Any:
    between = apart(u, v)
    return np.sqrt(np.dot(np.dot(between, VI), between))


@composite(distance.seuclidean)
def seuclidean(u: Any, v: Any, V: Any) -> Any:
    return np.linalg.norm(apart(u, v) / np.sqrt(V))


# ---------------------------------------------------------------- between many


def lengths(between: Any, metric: Any, p: Any) -> Any:
    """How long vectors are, that lie along the last axis."""
    if not is_none(p) and p <= 0:
        raise ValueError("p must be greater than 0")
    if metric == "euclidean":
        return np.linalg.norm(between, axis=-1)
    if metric == "sqeuclidean":
        return np.sum(between**2, axis=-1)
    if metric == "cityblock":
        return np.sum(np.abs(between), axis=-1)
    if metric == "chebyshev":
        return np.max(np.abs(between), axis=-1)
    return np.linalg.norm(between, 2 if is_none(p) else p, axis=-1)


def known(metric: Any, p: Any) -> None:
    """Refuse other metrics, and a power where there is none."""
    if metric not in ("euclidean", "sqeuclidean", "cityblock", "chebyshev", "minkowski", "cosine"):
        raise NotImplementedError("distances of many are differentiated for metrics of differences and the cosine")
    if metric != "minkowski" and not is_none(p):
        raise NotImplementedError("`p` is for the metric minkowski alone")


@composite(distance.cdist)
def cdist(XA: Any, XB: Any, metric: Any = "euclidean", *, p: Any = None) -> Any:
    known(metric, p)
    first, second = np.asarray(XA, dtype=float), np.asarray(XB, dtype=float)
    if rank(first) != 2 or rank(second) != 2:
        raise NotImplementedError("cdist is differentiated of two matrices")
    if np.shape(first)[1] != np.shape(second)[1]:
        raise ValueError("XA and XB must have the same number of columns (i.e. feature dimension.)")
    if metric == "cosine":
        sizes = np.sqrt(np.sum(first**2, axis=1))[:, None] * np.sqrt(np.sum(second**2, axis=1))
        return 1.0 - first @ second.T / sizes
    return lengths(first[:, None, :] - second[None, :, :], metric, p)


@composite(distance.pdist)
def pdist(X: Any, metric: Any = "euclidean", *, p: Any = None) -> Any:
    known(metric, p)
    rows = np.asarray(X, dtype=float)
    if rank(rows) != 2:
        raise NotImplementedError("pdist is differentiated of a matrix")
    i, j = np.triu_indices(len(rows), 1)
    if metric == "cosine":
        unit = rows / np.sqrt(np.sum(rows**2, axis=1, keepdims=True))
        return 1.0 - np.sum(unit[i] * unit[j], axis=1)
    return lengths(rows[i] - rows[j], metric, p)


@composite(distance.squareform)
def squareform(X: Any) -> Any:
    """A matrix of the distances of pairs."""
    if rank(X) != 1:
        raise NotImplementedError("squareform is differentiated of the distances of pairs, in a vector")
    n = math.ceil(math.sqrt(2 * len(X)))
    if n * (n - 1) != 2 * len(X):
        raise ValueError("incompatible vector size: it must be a binomial coefficient n choose 2")
    above = np.zeros((n, n))
    above[np.triu_indices(n, 1)] = X
    return above + above.T


@composite(distance.canberra)
def canberra(u: Any, v: Any, w: Any = None) -> Any:
    """Where both items are zero they are not apart."""
    not_negative(w)
    between, sizes = np.abs(apart(u, v)), np.abs(u) + np.abs(v)
    shares = np.where(sizes != 0.0, between, 0.0) / np.where(sizes != 0.0, sizes, 1.0)
    return np.sum(shares if is_none(w) else w * shares)


@composite(distance.jensenshannon)
def jensenshannon(p: Any, q: Any, base: Any = None, *, axis: Any = 0, keepdims: Any = False) -> Any:
    """The root of how far both are from their mean, by relative entropy."""
    p, q = np.asarray(p), np.asarray(q)
    p, q = p / np.sum(p, axis=axis, keepdims=True), q / np.sum(q, axis=axis, keepdims=True)
    middle = (p + q) / 2.0
    far = np.sum(special.rel_entr(p, middle), axis=axis, keepdims=keepdims)
    far = far + np.sum(special.rel_entr(q, middle), axis=axis, keepdims=keepdims)
    return np.sqrt((far if is_none(base) else far / np.log(base)) / 2.0)
