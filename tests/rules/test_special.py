"""The rules of scipy.special: read only with that module, and right in both modes and at second order."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from rules.harness import Applied

import s2sad
from s2sad.rules.table import RULES

special = pytest.importorskip("scipy.special")

v, w, A = np.array([0.3, 0.8, 0.45]), np.array([0.7, 0.2, 0.5]), np.array([[0.2, 0.9, 0.4], [0.8, 0.1, 0.6]])

SAMPLES: dict[str, list[tuple[Any, ...]]] = {
    **{n: [(v,), (0.4,), (A,)] for n in "expit logit log_expit erf erfc erfcx erfinv ndtr log_ndtr ndtri".split()},
    **{n: [(v,), (0.4,), (A,)] for n in "gamma gammaln digamma entr j0 j1 i0 i1".split()},
    **{n: [(v, w), (0.4, w), (A, 0.3)] for n in "beta betaln xlogy xlog1py rel_entr".split()},
    "polygamma": [(1, v), (2, 0.4)],
    "logsumexp": [(v,), (A,), (A, 1), (A, (0, 1)), (A, None, np.abs(A))],
    "softmax": [(v,), (A,), (A, 1)],
    "log_softmax": [(v,), (A, 0)],
}
CASES = [pytest.param(n, args, id=f"{n}-{k}") for n, samples in SAMPLES.items() for k, args in enumerate(samples)]


def test_every_rule_has_samples() -> None:
    assert special.expit in RULES
    made = {r.primitive for r in RULES.values() if "special" in getattr(r.function or r.tangent_rule, "__module__", "")}
    assert made == {getattr(special, n) for n in SAMPLES}


def test_scipy_is_not_imported() -> None:
    code = "import sys, numpy as np, s2sad; s2sad.grad(np.sin)(1.0); assert 'scipy' not in sys.modules"
    subprocess.run([sys.executable, "-c", code], check=True)


def along(f: Callable[..., Any], args: tuple[Any, ...], k: int, d: Any, h: float = 1e-6) -> np.ndarray:
    """The derivative of f by its argument k along d, by differences."""
    up, down = (f(*args[:k], args[k] + s * d, *args[k + 1 :]) for s in (h, -h))
    return (up - down) / (2 * h)


@pytest.mark.parametrize(("name", "args"), CASES)
def test_tangent_and_adjoint(name: str, args: tuple[Any, ...]) -> None:
    fn = getattr(special, name)
    if RULES[fn].form == "composite":
        np.testing.assert_allclose(RULES[fn].function(*args), fn(*args), rtol=1e-12)  # type: ignore[misc]
        return
    applied = Applied(RULES[fn], args, {})
    for k, x in enumerate(applied.wrt):
        d = np.cos(np.arange(np.size(applied.bound.arguments[x]))).reshape(np.shape(applied.bound.arguments[x]))
        position = list(applied.bound.arguments).index(x)
        want = along(fn, args, position, d)
        np.testing.assert_allclose(applied.tangent({x: d}), want, rtol=1e-6, atol=1e-6)
        ct = np.sin(1.0 + k + np.arange(np.size(want))).reshape(np.shape(want))
        assert np.sum(applied.contributions(ct)[x] * d) == pytest.approx(np.sum(ct * want), rel=1e-6, abs=1e-6)


def expit_sum(x: Any) -> Any:
    return np.sum(special.expit(x) ** 2)


def entropy(x: Any) -> Any:
    p = special.softmax(x)
    return np.sum(special.entr(p)) + special.logsumexp(x)


def gammas(x: Any) -> Any:
    return np.sum(special.gammaln(x) * special.erf(x) + special.xlogy(x, x))


@pytest.mark.parametrize("f", [expit_sum, entropy, gammas])
def test_through_the_compiler(f: Callable[..., Any]) -> None:
    gradient = s2sad.grad(f)
    s2sad.check_grads(f)(v)
    product = s2sad.hvp(f)(v, w)
    np.testing.assert_allclose(product, along(gradient, (v,), 0, w), rtol=1e-6, atol=1e-6)
    assert "s2sad" not in gradient.source_for(v).replace("s2sad grad", "").split('"""')[2]
