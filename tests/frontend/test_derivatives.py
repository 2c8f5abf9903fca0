"""Derivatives that are taken inside a function."""

from __future__ import annotations

import numpy as np
import pytest

from s2sad import UnsupportedSyntax, grad, hessian, jacobian, jvp, vjp


def split(x):
    return np.split(x * x, [1, 3])


X, PARTS = np.arange(1.0, 6.0), [np.ones(1), np.array([2.0, -1.0]), np.ones(2)]


def of_pullback(x, parts):
    return np.sum(vjp(split, x)[1](parts)[0] ** 2)


def test_a_list_of_cotangents_for_parts_of_an_array() -> None:
    v = np.array([1.0, 0.5, -1.0, 0.0, 2.0])
    _, tangent = jvp(lambda x: of_pullback(x, PARTS), (X,), (v,))
    e = 1e-6
    expected = (of_pullback(X + e * v, PARTS) - of_pullback(X - e * v, PARTS)) / (2.0 * e)
    assert tangent == pytest.approx(expected, rel=1e-7)
    slope = grad(of_pullback)(X, PARTS)
    assert slope @ v == pytest.approx(tangent, rel=1e-13)


def test_a_list_of_as_many() -> None:
    with pytest.raises(AssertionError, match="other lists"):
        jvp(lambda x: of_pullback(x, PARTS[:2]), (X,), (X,))


@pytest.mark.parametrize("operator", [jacobian, hessian])
def test_a_matrix_by_an_array_without_axes_has_no_axes(operator) -> None:
    def outer(x):
        return operator(lambda t: t**3 * np.sin(t))(x)

    x, e = np.array(1.3), 1e-6
    value, tangent = jvp(outer, (x,), (np.array(1.0),))
    assert np.shape(value) == np.shape(tangent) == ()
    assert value == pytest.approx(outer(x), rel=1e-13)
    assert tangent == pytest.approx((outer(x + e) - outer(x - e)) / (2.0 * e), rel=1e-7)
    assert grad(outer)(x) == pytest.approx(tangent, rel=1e-13)


@pytest.mark.parametrize("several", [lambda x: (x, x**2), lambda x: [x, x**2], lambda x: {"a": x, "b": x**2}])
def test_matrices_of_several_results_are_refused(several) -> None:
    def outer(x):
        return jacobian(several)(x)

    with pytest.raises(UnsupportedSyntax, match="one number or array"):
        jvp(outer, (X,), (X,))
