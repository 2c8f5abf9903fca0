"""scipy.special of complex numbers, and functions of it that give such, through the public interface."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

special = pytest.importorskip("scipy.special")

from rules.test_complex_linalg import check  # noqa: E402

import s2sad  # noqa: E402

Z = np.array([1.1 - 0.8j, -1.2 + 0.9j, 1.3 + 0.2j])
X = np.array([0.6, 1.7, 2.4])

ALONE = "erf erfc erfcx erfi dawsn ndtr log_ndtr exp1 expi expm1 log1p spence wofz".split()
OF_ORDERS = [
    *"jv yv iv kv kve jvp yvp ivp kvp hankel1 hankel2 hankel1e hankel2e".split(),
    *"spherical_jn spherical_yn spherical_in spherical_kn".split(),
]
GAMMAS = ["gamma", "loggamma", "rgamma"]
HANKELS = [n for n in OF_ORDERS if n.startswith("hankel")]


CASES: dict[str, tuple[Callable[..., Any], tuple[Any, ...]]] = {
    **{n: (lambda z, f=getattr(special, n): f(z), (Z,)) for n in ALONE},
    **{n: (lambda z, f=getattr(special, n): f(1, z), (Z,)) for n in OF_ORDERS},
    **{f"{n} of real numbers": (lambda x, f=getattr(special, n): f(1, x), (X,)) for n in HANKELS},
    "xlogy": (lambda y, z: special.xlogy(y, z) + special.xlog1py(z, y), (Z, Z[::-1].copy())),
    "hypergeometric": (
        lambda z: special.hyp0f1(0.7, z) + special.hyp1f1(0.5, 1.5, z) * special.hyp2f1(0.5, 1.5, 2.5, 0.3 * z),
        (Z,),
    ),
    "of a real part and an imaginary one": (lambda x, y: special.erf(x + 1j * y), (X, 0.5 * X[::-1])),
}


@pytest.mark.parametrize("name", CASES)
def test_agrees_with_differences(name: str) -> None:
    check(*CASES[name])


@pytest.mark.parametrize("name", GAMMAS)
def test_gamma_functions(name: str) -> None:
    function = getattr(special, name)
    slopes = (function(Z + 1e-5) - function(Z - 1e-5)) / 2e-5
    d = np.array([1.0, 0.5j, 1.0 - 2.0j])
    np.testing.assert_allclose(s2sad.jvp(function, (Z,), (d,))[1], slopes * d, rtol=1e-8)
    np.testing.assert_allclose(s2sad.vjp(function, Z)[1](d)[0], slopes * d, rtol=1e-8)


def test_second_derivatives_of_gamma_functions_are_refused() -> None:
    with pytest.raises(s2sad.MissingRule, match="of complex numbers"):
        s2sad.grad(lambda x: np.abs(s2sad.grad(lambda x: np.abs(special.gamma(x + 1j)))(x)))(0.5)


def test_slopes_where_gamma_functions_have_poles() -> None:
    z = np.array([-1.0, 0.0, -3.2])
    found = s2sad.jvp(special.rgamma, (z + 0j,), (np.ones(3) + 0j,))[1]
    np.testing.assert_allclose(found, s2sad.jvp(special.rgamma, (z,), (np.ones(3),))[1], rtol=1e-12)
