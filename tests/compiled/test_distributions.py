"""Methods of distributions of ``scipy.stats`` in compiled code: SciPy's numbers, also beyond the support."""

from __future__ import annotations

import linecache
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from s2sad import CompileError, grad, hessian, structure, value_and_grad, vjp

pytest.importorskip("numba")
stats = pytest.importorskip("scipy.stats")

from s2sad.rules.table import RULES, rule_for  # noqa: E402


@pytest.fixture(autouse=True)
def cache(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("S2SAD_CACHE_DIR", str(tmp_path))


SHAPES: dict[str, tuple[Any, ...]] = {
    **{"t": (3.5,), "gamma": (2.5,), "beta": (2.0, 3.0), "f": (3.0, 4.0), "lognorm": (0.7,), "chi2": (3.0,)},
    **{"invgamma": (2.5,), "weibull_min": (1.5,), "pareto": (2.0,), "poisson": (2.5,), "bernoulli": (0.3,)},
    **dict.fromkeys("powerlaw skewnorm rice lomax fisk invweibull gompertz loggamma truncexpon".split(), (1.4,)),
    **dict.fromkeys(
        "foldnorm powernorm chi invgauss nakagami exponnorm gennorm loglaplace weibull_max".split(), (0.8,)
    ),
    **dict.fromkeys("betaprime johnsonsu johnsonsb gengamma burr12 burr".split(), (1.3, 0.8)),
    **{
        "vonmises": (1.3,),
        "triang": (0.26,),
        "loguniform": (0.1, 2.5),
        "reciprocal": (0.1, 2.5),
        "truncnorm": (-0.5, 1.5),
    },
    **{"binom": (5, 0.3), "geom": (0.3,), "nbinom": (4, 0.3), "betabinom": (5, 2.0, 3.0)},
}
ALL = ("pdf", "logpdf", "cdf", "sf", "logcdf", "logsf", "ppf", "isf")
#: What SciPy computes by a library of its own, or by a formula that asks or hands its arguments on.
REFUSED = {
    *[f"{name}.{m}" for name in ("gibrat", "powerlaw", "skewnorm", "truncnorm") for m in ALL],
    *[f"betaprime.{m}" for m in ALL[2:]],
    *[f"{name}.{m}" for name in ("burr", "fisk", "gengamma", "triang") for m in ("pdf", "logpdf")],
    *["halflogistic.isf", "semicircular.ppf", "semicircular.isf", "wald.ppf", "wald.isf"],
    *[f"beta.{m}" for m in ("logcdf", "logsf", "ppf")],
    *[f"binom.{m}" for m in ("cdf", "sf", "logcdf", "logsf")],
    *["bernoulli.cdf", "nbinom.cdf", "nbinom.sf"],
    *["cauchy.ppf", "cauchy.isf", "laplace.logcdf", "laplace.logsf"],
}


def groups() -> list[list[Any]]:
    """The methods that have derivatives and are compiled, of one distribution and of one sort of argument each."""
    rule_for(stats.norm.pdf)  # brings the tables of scipy.stats
    found: dict[tuple[str, bool], list[Any]] = {}
    for fn in RULES:
        if hasattr(getattr(fn, "__self__", None), "_get_support") and _name(fn) not in REFUSED:
            found.setdefault((fn.__self__.name, fn.__name__ in ("ppf", "isf")), []).append(fn)
    return [found[key] for key in sorted(found)]


def _name(fn: Any) -> str:
    return f"{fn.__self__.name}.{fn.__name__}"


def points(fn: Any) -> np.ndarray:
    if fn.__name__ in ("ppf", "isf"):
        return np.array([0.0, 0.1, 0.5, 0.9, 1.0, 1.2, -0.1, np.nan])
    if not hasattr(fn.__self__, "pdf"):
        return np.array([0.0, 1.0, 2.0, 5.0, 4.0, 7.0, -1.0, 1.5])
    return np.array([0.2, 0.5, 0.9, 1.3, -0.4, 0.1, 1.8, np.nan, np.inf, -np.inf])


def function_of(fns: list[Any], x: np.ndarray) -> tuple[Callable[[Any], Any], Any]:
    """The methods as a function of what they have a derivative by, x or the last shape, and where to take it."""
    shapes = SHAPES.get(fns[0].__self__.name, ())
    if hasattr(fns[0].__self__, "pdf"):
        call, at = f"(v{''.join([f', {s!r}' for s in shapes])}, 0.1, 1.7)", x
    else:
        call, at = f"(x{''.join([f', {s!r}' for s in shapes[:-1]])}, v)", shapes[-1]
    text = f"def f(v):\n    return {', '.join([f'stats.{_name(fn)}{call}' for fn in fns])},\n"
    file = f"<{_name(fns[0])} and others>"
    linecache.cache[file] = len(text), None, text.splitlines(True), file
    scope: dict[str, Any] = {"stats": stats, "x": x}
    exec(compile(text, file, "exec"), scope)
    return scope["f"], at


@pytest.mark.parametrize("fns", groups(), ids=lambda fns: _name(fns[0]))
def test_values_and_slopes_are_those_of_the_python_tier(fns: list[Any]) -> None:
    f, at = function_of(fns, points(fns[0]))
    with np.errstate(all="ignore"):
        (expected, back), (found, compiled_back) = vjp(f, at), vjp(f, at, backend="numba")
        for fn, a, b in zip(fns, found, expected, strict=True):
            np.testing.assert_allclose(a, b, rtol=1e-13, err_msg=_name(fn))
        for k in range(len(fns)):
            seeds = tuple([np.full_like(e, float(k == m)) for m, e in enumerate(expected)])
            slopes = zip(structure.leaves(compiled_back(seeds)), structure.leaves(back(seeds)), strict=True)
            for a, b in slopes:
                np.testing.assert_allclose(a, b, rtol=1e-12, err_msg=_name(fns[k]))


@pytest.mark.parametrize("name", ["beta.logsf", "beta.ppf", "binom.sf", "nbinom.cdf", "cauchy.isf", "laplace.logcdf"])
def test_what_scipy_has_no_formula_for_is_refused(name: str) -> None:
    distribution, method = name.split(".")
    fn = getattr(getattr(stats, distribution), method)
    f, at = function_of([fn], points(fn))
    with pytest.raises(CompileError, match=rf"machine code has no `scipy\.stats\.{distribution}`"):
        vjp(f, at, backend="numba")


@pytest.mark.parametrize("scale", [0.0, -1.0, np.nan])
def test_scales_that_are_not_allowed_give_no_number(scale: float) -> None:
    def f(x, s):
        return stats.norm.logpdf(x, scale=s) + stats.gamma.pdf(x, s) + stats.expon.cdf(x, loc=0.5, scale=s)

    with np.errstate(all="ignore"):
        assert np.isnan(value_and_grad(f, backend="numba")(0.7, scale)[0])


def likelihood(p, x, counts, y):
    total = np.sum(stats.poisson.logpmf(counts, np.exp(p[0] + p[1] * x))) + stats.norm.logpdf(p[0], 0.0, 2.0)
    total += np.sum(stats.t.logpdf(y, 4.0, loc=p[2] * x, scale=np.exp(p[3])))
    for i in range(len(x)):
        if y[i] > 0.0:
            total += stats.gamma.logpdf(y[i], 2.0, scale=np.exp(p[1])) + stats.norm.logcdf(p[2] - y[i])
    return total + stats.binom.logpmf(counts, 9, 1.0 / (1.0 + np.exp(-p[2]))).sum()


ARGS = (
    np.array([0.3, 0.2, 0.8, -0.1]),
    np.array([0.5, 1.5, -0.7]),
    np.array([1, 4, 0]),
    np.array([0.4, 1.1, -0.6]),
)


@pytest.mark.parametrize("make", [grad, value_and_grad, hessian])
def test_a_likelihood_of_several(make: Callable[..., Any]) -> None:
    expected, found = make(likelihood)(*ARGS), make(likelihood, backend="numba")(*ARGS)
    for a, b in zip(structure.leaves(found), structure.leaves(expected), strict=True):
        np.testing.assert_allclose(a, b, rtol=1e-11)
