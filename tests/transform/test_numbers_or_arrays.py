"""What may be a number or an array, and is read through a copy or a view that is changed in place."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import s2sad


def clipped(a: Any, whole: bool) -> Any:
    r = a * 2.0 if whole else a
    q = np.asarray(r, dtype=np.float64)
    q[q < 0.0] *= -3.0
    return np.sum(q * q)


def grown(a: Any, whole: bool) -> Any:
    r = a if whole else a[0]
    q = np.atleast_1d(r * r)
    q[0] = q[0] * 3.0
    q[q > 5.0] = 2.0 * np.sum(r)
    return np.sum(q)


def doubled(a: Any, whole: bool) -> Any:
    r = np.asarray(a) if whole else a[0]
    q = np.asarray(2.0 * r + 1.0)
    q *= 2.0
    return np.sum(q * q)


def along_a_new_axis(a: Any, whole: bool) -> Any:
    """The items of an array of unknown rank are numbers here, which have subscripts too."""
    rows = np.asarray([a * 2.0, a] if whole else [a[..., 0], a[..., -1] * 2.0])
    return np.sum(np.concatenate([row[..., np.newaxis] for row in rows], axis=-1) ** 2)


ARGUMENTS: tuple[tuple[Any, bool], ...] = (
    (np.float64(-1.3), True),
    (np.float32(1.7), True),
    (np.array(2.3), True),
    (np.array([1.7, -0.4]), True),
    (np.array([1.7, -0.4]), False),
    (np.array([[1.7, -0.4], [0.3, 2.9]]).T, False),
)


@pytest.mark.parametrize("f", [grown, doubled, along_a_new_axis])
@pytest.mark.parametrize(("a", "whole"), ARGUMENTS)
def test_adjoints_are_added_to_whatever_it_is(f: Callable[..., Any], a: Any, whole: bool) -> None:
    s2sad.check_grads(f)(a, whole)
    slope = s2sad.grad(f)(a, whole)
    assert np.shape(slope) == np.shape(a)
    assert np.asarray(slope).dtype == np.asarray(a).dtype


@pytest.mark.parametrize("a", [-1.3, np.float64(-1.3), np.array([1.7, -0.4])])
def test_a_copy_of_a_number_is_changed_by_a_mask(a: Any) -> None:
    s2sad.check_grads(clipped)(a, True)


def test_a_python_float() -> None:
    for f in (grown, doubled):
        s2sad.check_grads(f)(1.7, True)


def used_after(a: Any, whole: bool) -> Any:
    r = a * 2.0 if whole else a[0] * 2.0
    q = np.asarray(r)
    s = q * r
    q *= 3.0
    return np.sum(q * r + s)


def test_where_it_matters_whether_it_is_one_it_is_refused() -> None:
    with pytest.raises(s2sad.NotDifferentiable, match="may hold a number here, or an array"):
        s2sad.grad(used_after)(np.array([1.7, -0.4]), True)
