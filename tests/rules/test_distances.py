"""The rules of scipy.spatial.distance, through the public interface."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from rules.samples import arr, spd
from rules.through import check

import s2sad

distance = pytest.importorskip("scipy.spatial.distance")

u, v, w = arr(4), arr(4, seed=1), arr(4, seed=2)
A, B = arr(3, 4), arr(2, 4, seed=1)

CASES: list[tuple[Callable[..., Any], tuple[Any, ...]]] = [
    (lambda u, v: distance.euclidean(u, v), (u, v)),
    (lambda u, v, w: distance.euclidean(u, v, w), (u, v, w)),
    (lambda x, y: distance.euclidean([x, 1.0], (y, 2.0)), (0.3, 0.9)),
    (lambda u, v: distance.minkowski(u, v), (u, v)),
    (lambda u, v, w: distance.minkowski(u, v, 3, w), (u, v, w)),
    (lambda u, v, w: distance.minkowski(u, v, p=2.5, w=w), (u, v, w)),
    (lambda u, v, w: distance.minkowski(u, v, p=1, w=w), (u, v, w)),
    (lambda u, v: distance.minkowski(u, v, np.inf), (u, v)),
    (lambda u, v: distance.minkowski(u, v, np.inf, [1.0, 0.0, 2.0, 0.5]), (u, v)),
    (lambda u, v, w: distance.sqeuclidean(u, v) * distance.sqeuclidean(u, v, w), (u, v, w)),
    (lambda u, v, w: distance.cityblock(u, v) * distance.cityblock(u, v, w), (u, v, w)),
    (lambda u, v: distance.chebyshev(u, v), (u, v)),
    (lambda u, v: distance.canberra(u, v) * distance.canberra(u, v, np.array([1.0, 2.0, 0.0, 3.0])[: len(u)]), (u, v)),
    (lambda u, v, w: distance.braycurtis(u, v) * distance.braycurtis(u, v, w=w), (u, v, w)),
    (lambda u, v, w: distance.cosine(u, v) * distance.cosine(u, v, w), (u, v, w)),
    (lambda u, v, w: distance.correlation(u, v) * distance.correlation(u, v, w), (u, v, w)),
    (lambda u, v, w: distance.correlation(u, v, w, centered=False), (u, v, w)),
    (lambda u, v, a: distance.mahalanobis(u, v, a), (u, v, spd(4))),
    (lambda u, v, w: distance.seuclidean(u, v, w), (u, v, w)),
    (lambda u, v: distance.jensenshannon(u, v), (u, v)),
    (lambda a, b: distance.jensenshannon(a, b, 2.0, axis=1, keepdims=True), (A, arr(3, 4, seed=2))),
    (lambda a, b: distance.cdist(a, b), (A, B)),
    (lambda a, b: distance.cdist(a, b, "sqeuclidean") * distance.cdist(a, b, metric="cityblock"), (A, B)),
    (lambda a, b: distance.cdist(a, b, "minkowski", p=3) + distance.cdist(a, b, "minkowski"), (A, B)),
    (lambda a, b: distance.cdist(a, b, "chebyshev") * distance.cdist(a, b, "cosine"), (A, B)),
    (lambda a: distance.pdist(a), (A,)),
    (lambda a: distance.pdist(a, "cosine") * distance.pdist(a, "minkowski", p=1.5), (A,)),
    (lambda a: distance.pdist(a), (A[:1],)),
    (lambda a: distance.squareform(distance.pdist(a)), (A,)),
]


@pytest.mark.parametrize(("f", "args"), CASES, ids=range(len(CASES)))
def test_derivatives(f: Callable[..., Any], args: tuple[Any, ...]) -> None:
    check(f, *args)


def test_a_point_lies_at_no_distance_from_itself() -> None:
    np.testing.assert_allclose(s2sad.grad(lambda a: np.sum(distance.cdist(a, a)))(A), 2.0 * sum_of_directions(A))
    assert not np.any(s2sad.grad(lambda x: distance.euclidean(x, u))(u))


def sum_of_directions(a: Any) -> Any:
    between = a[:, None] - a
    sizes = np.linalg.norm(between, axis=-1, keepdims=True)
    return np.sum(between / np.where(sizes == 0.0, 1.0, sizes), axis=1)


def test_cosine_of_what_points_one_way_bends() -> None:
    bend = s2sad.hessian(lambda x: distance.cosine(x, u))(u)
    np.testing.assert_allclose(bend, (np.eye(4) - np.outer(u, u) / (u @ u)) / (u @ u), atol=1e-12)


def of_matrices(a: Any) -> Any:
    return np.sum(distance.euclidean(a, a))


def by_another_metric(a: Any) -> Any:
    return np.sum(distance.cdist(a, a, "canberra"))


def of_weights(a: Any) -> Any:
    return np.sum(distance.cdist(a, a, w=np.ones(4)))


def of_a_power(a: Any) -> Any:
    return np.sum(distance.pdist(a, p=3))


def to_a_vector(a: Any) -> Any:
    return np.sum(distance.squareform(a @ a.T))


@pytest.mark.parametrize("f", [of_matrices, by_another_metric, of_weights, of_a_power, to_a_vector])
def test_what_is_refused(f: Callable[..., Any]) -> None:
    with pytest.raises((s2sad.NotDifferentiable, s2sad.UnsupportedSyntax)):
        s2sad.grad(f)(A)


def test_arguments_that_do_not_fit() -> None:
    with pytest.raises(ValueError, match="number of columns"):
        s2sad.grad(lambda a: np.sum(distance.cdist(a, A)))(A[:, :1])
    with pytest.raises(ValueError, match="non-negative"):
        s2sad.grad(lambda x: distance.cityblock(x, u, -w))(v)
