"""Adjoints of np.einsum are np.einsum of other subscripts, where these say it all."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

from s2sad import grad
from tests.programs.differences import gradient


def products(a, b):
    return np.sum(np.einsum("bij,bjk->bik", a, b) ** 2)


def implied(a, b):
    return np.sum(np.sin(np.einsum("bij, bkj", a, b)))


def to_a_number(a, b):
    return np.einsum("bij,bji->", a, b) ** 2


def turned(a, b):
    return np.sum(np.einsum("bij->jbi", a)[0] * b[0, 0, 0])


def of_three(a, b):
    return np.sum(np.einsum("bij,bjk,bk->i", a, b, a[:, :, 0]) ** 2)


def diagonal(a, b):
    return np.sum(np.einsum("bii,bij->ij", a, b) ** 2)


def of_one_by_itself(a, b):
    return np.sum(np.einsum("bij,bjk->k", a, b) ** 2)


def with_dots(a, b):
    return np.sum(np.einsum("...ij,...jk->...ik", a, b) ** 2)


def check(f: Callable[..., Any], a: np.ndarray, b: np.ndarray) -> str:
    """The gradient is that of differences; its text."""
    derivative = grad(f, wrt=(0, 1))
    found = derivative(a, b)
    for mine, other in zip(found, gradient(f, (a, b), (0, 1)), strict=True):
        np.testing.assert_allclose(mine, other, rtol=1e-6, atol=1e-7)
    return derivative.source_for(a, b)


def args(*stretched: int) -> tuple[np.ndarray, np.ndarray]:
    a, b = np.random.default_rng(3).normal(size=(2, 3, 3, 3))
    return tuple(x[:1] if k in stretched else x for k, x in enumerate((a, b)))  # type: ignore[return-value]


@pytest.mark.parametrize("f", [products, implied, to_a_number, turned, of_three])
def test_subscripts_say_it_all(f: Callable[..., Any]) -> None:
    assert "_einsum_transpose" not in check(f, *args())


@pytest.mark.parametrize("f", [diagonal, of_one_by_itself, with_dots])
def test_where_they_do_not(f: Callable[..., Any]) -> None:
    assert "_einsum_transpose(" in check(f, *args())


@pytest.mark.parametrize("stretched", [0, 1])
@pytest.mark.parametrize("f", [products, implied, to_a_number, of_three])
def test_an_axis_that_is_stretched(f: Callable[..., Any], stretched: int) -> None:
    assert "_unbroadcast(np.einsum(" in check(f, *args(stretched))


def test_the_text() -> None:
    text = grad(products, wrt=(0, 1)).source
    assert 'np.einsum("bik,bjk->bij", ' in text and 'np.einsum("bik,bij->bjk", ' in text
