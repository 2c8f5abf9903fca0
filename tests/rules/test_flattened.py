"""Functions that take an array for a vector where their axis is None, however that is written."""

from __future__ import annotations

import numpy as np
import pytest

import s2sad

A = np.array([[0.7, 1.3], [1.9, 0.4]])


def by_name(a):
    return np.sort(a, axis=None)[1]


def by_place(a):
    return np.sort(a, None)[1]


def all_by_name(a):
    return np.sort(a=a, axis=None)[1]


def parted_by_place(a):
    return np.partition(a, 1, None)[1]


def order_by_place(a):
    return a.ravel()[np.argsort(a, None)[1]]


@pytest.mark.parametrize("f", [by_name, by_place, all_by_name, parted_by_place, order_by_place])
def test_the_second_smallest(f):
    assert np.array_equal(s2sad.grad(f)(A), [[1.0, 0.0], [0.0, 0.0]])
    assert s2sad.jvp(f, (A,), (A,)) == (0.7, 0.7)


def test_an_axis_by_place_keeps_the_shape():
    def f(a):
        return np.sort(a, 0)[1] @ np.partition(a, 0, 1)[:, 1]

    s2sad.check_grads(f)(A)
