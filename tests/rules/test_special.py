"""The rules of scipy.special: read only with that module, and right in both modes and at second order."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from rules.harness import Applied
from rules.through import check

import s2sad
from s2sad.rules.table import RULES

special = pytest.importorskip("scipy.special")

v, w, A = np.array([0.3, 0.8, 0.45]), np.array([0.7, 0.2, 0.5]), np.array([[0.2, 0.9, 0.4], [0.8, 0.1, 0.6]])

POLYNOMIALS = [f"eval_{n}" for n in "legendre chebyt chebyu laguerre hermite hermitenorm".split()]
SAMPLES: dict[str, list[tuple[Any, ...]]] = {
    **{n: [(v,), (0.4,), (A,)] for n in "expit logit log_expit erf erfc erfcx erfinv ndtr log_ndtr ndtri".split()},
    **{n: [(v,), (0.4,), (A,)] for n in "gamma gammaln digamma entr j0 j1 i0 i1".split()},
    **{n: [(v, w), (0.4, w), (A, 0.3)] for n in "beta betaln xlogy xlog1py rel_entr".split()},
    **{n: [(v,), (0.4,), (A,)] for n in "erfi dawsn erfcinv loggamma exp1 expi exp10 cosm1 ellipk ellipe".split()},
    **{n: [(v,), (0.4,), (A,)] for n in "expm1 log1p cbrt exp2".split()},
    **{n: [(v,), (0.4,), (A,)] for n in "i0e i1e y0 y1 k0 k1 k0e k1e".split()},
    **{n: [(1.5, v), (2, 0.4), (v, A)] for n in "jv yv iv ive kv kve".split()},
    **{n: [(2, v), (0, 0.4), (np.array([[1], [2]]), v)] for n in "yn kn".split()},
    **{n: [(2.0, v), (v, 0.4), (0.7, A)] for n in "gammainc gammaincc gammaincinv gammainccinv".split()},
    **{n: [(2.0, 3.0, v), (v, w, 0.4), (1.5, w, A)] for n in "betainc betaincinv".split()},
    **{n: [(v, w), (0.4, w), (A, 0.3)] for n in "kl_div huber pseudo_huber".split()},
    **{n: [(v, w), (0.4, w), (A, 0.3), (v, np.array([0.0, -0.7, 1e-9]))] for n in "boxcox inv_boxcox".split()},
    **{n: [(v,), (0.4,), (A,)] for n in "rgamma spence exprel sindg cosdg tandg cotdg".split()},
    **{n: [(v, w), (0.4, w), (A, 0.3)] for n in "poch owens_t powm1 ellipkinc ellipeinc".split()},
    **{n: [(0, v), (3, 0.4), (np.array([[1], [2]]), v)] for n in POLYNOMIALS},
    **{n: [(0.0, 1.5, v), (3, w, 0.4), (2, 0.5, A)] for n in ("eval_gegenbauer", "eval_genlaguerre")},
    **{n: [(2.5, v), (3.0, 0.4), (w, A)] for n in ("stdtr", "chdtr", "chdtrc")},
    **{n: [(v, 2.0, w), (0.7, w, 0.4), (1.5, 0.8, A)] for n in ("gdtr", "gdtrc")},
    **{n: [(2.0, v), (np.array([0.0, 1.0, 3.5]), 0.4), (1.0, A)] for n in ("pdtr", "pdtrc")},
    **{n: [(v,), (0.4,), (A,)] for n in "sici shichi fresnel airy ndtri_exp ellipkm1 wrightomega".split()},
    "ndtri_exp": [(-v,), (-0.4,), (-A,)],
    **{n: [(1.5, v), (2, 0.4), (v, A), (-0.5, w)] for n in "struve modstruve".split()},
    **{n: [(1.5, v), (2, 0.4), (v, A)] for n in "jve yve jvp yvp ivp kvp hyp0f1".split()},
    **{n: [(0, v), (2, 0.4), (np.array([[1], [3]]), v)] for n in "jn yn in kn".split() for n in (f"spherical_{n}",)},
    **{n: [(2.0, 3.0, v), (v, w, 0.4), (1.5, w, A)] for n in "betaincc betainccinv hyperu fdtr fdtrc fdtri".split()},
    **{n: [(2.5, v), (3.0, 0.4), (w, A)] for n in "stdtrit chdtri".split()},
    **{n: [(2.0, 5, v), (np.array([0.0, 1.0, 5.0]), 5, 0.4), (1.0, 4, A)] for n in "bdtr bdtrc".split()},
    **{n: [(2, 5, v), (np.array([0, 1, 5]), 5, 0.4), (1, 4, A)] for n in "nbdtr nbdtrc".split()},
    "gdtrix": [(v, 2.0, w), (0.7, w, 0.4), (1.5, 0.8, A)],
    "wright_bessel": [(1.0, 2.0, v), (w, 1.5, 0.4), (0.5, v, w)],
    "zeta": [(2.5, v), (3.0, 0.4), (w + 1.0, A)],
    "ellipj": [(v, 0.3), (0.4, w), (A, 0.5)],
    "lambertw": [(v,), (0.4,), (A,), (-0.2, -1)],
    "ellipkinc": [(v, w), (0.4, w), (A, 0.0), (np.array([2.0, -4.1, 9.9]), v), (0.0, 0.3)],
    "ellipeinc": [(v, w), (0.4, w), (A, 0.0), (np.array([2.0, -4.1, 9.9]), v), (0.0, 0.3)],
    **{n: [(v, w), (0.4, w), (A, 0.3), (v, np.array([0.0, -0.7, 1e-9]))] for n in "boxcox1p inv_boxcox1p".split()},
    "binom": [(5.3, v), (np.array([3.0, 4.5, 7.2]), w), (4.0, A)],
    "expn": [(1, v), (0, 0.4), (np.array([[2], [5]]), v)],
    **{n: [(0, v), (3, 0.4), (-1, v), (-4, w), (np.array([[-3], [2]]), v), (-1.7, 0.4)] for n in POLYNOMIALS[:3]},
    "exprel": [(v,), (0.4,), (A,), (1e-7,), (-30.0,)],
    "spence": [(v,), (0.4,), (np.array([1.0, 2.0]),)],
    "eval_jacobi": [(0, 0.5, 1.5, v), (3, w, 0.5, 0.4), (2.5, 1.0, 2.0, A)],
    "radian": [(v, w, 0.4), (30.0, 1.0, A)],
    "multigammaln": [(v + 3.0, 2), (4.5, 3), (A + 2.0, 1)],
    "gammasgn": [(v,), (-0.4,)],
    "round": [(v,), (0.4,)],
    "huber": [(0.5, v), (w, v), (0.4, A), (1.0, -2.0)],
    "hyp1f1": [(0.7, 1.3, v), (v, 1.5, A), (2, 3, 0.4)],
    "hyp2f1": [(0.7, 1.3, 2.2, v), (v, 1.5, w, A), (1, 2, 3, -0.4)],
    "polygamma": [(1, v), (2, 0.4)],
    "logsumexp": [
        (v,),
        (A,),
        (A, 1),
        (A, (0, 1)),
        (A, None, np.abs(A)),
        (A, 1, w),
        (A, 0, w[0]),
        (v, 0, w, True),
        (v, None, np.abs(A)),
    ],
    **{n: [(v,), (0.4,), (A,)] for n in "ber bei ker kei berp beip kerp keip factorial".split()},
    "factorial": [(v,), (0.4,), (np.array([-1.5, 0.0, 3.0]),)],
    **{n: [(3, v), (0, 0.4)] for n in "sh_legendre sh_chebyt sh_chebyu chebyc chebys".split() for n in (f"eval_{n}",)},
    "comb": [(5.3, v), (np.array([3.0, 4.5, -7.2]), w), (4.0, np.array([5.0, 4.0, -1.0]))],
    "voigt_profile": [(v, 0.7, w), (0.4, v, 0.3)],
    "softmax": [(v,), (A,), (A, 1), (np.array(0.4),)],
    "log_softmax": [(v,), (A, 0), (np.array(0.4),)],
    **({"softplus": [(v,), (0.4,), (A,)]} if hasattr(special, "softplus") else {}),
}
CASES = [pytest.param(n, args, id=f"{n}-{k}") for n, samples in SAMPLES.items() for k, args in enumerate(samples)]


def test_every_rule_has_samples() -> None:
    assert special.expit in RULES
    numpys = set(map(id, vars(np).values()))  # some of which scipy.special hands on
    own = {id(f) for f in vars(special).values()} - numpys
    made = {p for p in RULES if id(p) in own}
    hankels = {special.hankel1, special.hankel2, special.hankel1e, special.hankel2e}
    # What is complex is below, and in test_complex_special.py.
    assert made == {getattr(special, n) for n in SAMPLES} | {special.wofz} | hankels


def test_scipy_is_not_imported() -> None:
    code = "import sys, numpy as np, s2sad; s2sad.grad(np.sin)(1.0); assert 'scipy' not in sys.modules"
    subprocess.run([sys.executable, "-c", code], check=True)


def along(f: Callable[..., Any], args: tuple[Any, ...], k: int, d: Any, h: float = 1e-6) -> np.ndarray:
    """The derivative of f by its argument k along d, by differences."""
    up, down = (stacked(f(*args[:k], args[k] + s * d, *args[k + 1 :])) for s in (h, -h))
    return (up - down) / (2 * h)


def stacked(y: Any) -> Any:
    """The results of a function as one array."""
    return np.stack(y) if isinstance(y, tuple) else y


@pytest.mark.parametrize(("name", "args"), CASES)
def test_tangent_and_adjoint(name: str, args: tuple[Any, ...]) -> None:
    fn = getattr(special, name)
    if RULES[fn].form == "composite":
        np.testing.assert_allclose(RULES[fn].function(*args), fn(*args), rtol=1e-12)  # type: ignore[misc]
        return
    if RULES[fn].form == "zero":
        np.testing.assert_array_equal(along(fn, args, 0, 1.0), 0.0)
        return
    applied = Applied(RULES[fn], args, {})
    for k, x in enumerate(applied.wrt):
        d = np.cos(np.arange(np.size(applied.bound.arguments[x]))).reshape(np.shape(applied.bound.arguments[x]))
        position = list(applied.bound.arguments).index(x)
        want = along(fn, args, position, d)
        np.testing.assert_allclose(stacked(applied.tangent({x: d})), want, rtol=1e-6, atol=1e-6)
        if RULES[fn].function is None and RULES[fn].adjoint_rule is None:
            continue  # the adjoint is derived: below
        ct = np.sin(1.0 + k + np.arange(np.size(want))).reshape(np.shape(want))
        seed = tuple(ct) if isinstance(applied.result, tuple) else ct
        assert np.sum(applied.contributions(seed)[x] * d) == pytest.approx(np.sum(ct * want), rel=1e-6, abs=1e-6)


TWICE: list[tuple[Callable[..., Any], tuple[Any, ...]]] = [
    (lambda x: special.ellipk(x) * special.ellipe(x), (np.array([-1.5, 0.0, 0.45]),)),
    (lambda x: special.ellipkm1(x), (v,)),
    (lambda x: special.sici(x), (v,)),
    (lambda x: special.sici(x)[1], (0.4,)),
    (lambda x: special.shichi(x)[0] * special.fresnel(x)[1], (A,)),
    (lambda x: special.airy(x), (v,)),
    (lambda x: special.airy(x)[2], (-0.7,)),
    (lambda u: special.ellipj(u, 0.3), (v,)),
    (lambda u: special.ellipj(u, w)[0], (0.4,)),
    (lambda x: special.struve(1.5, x) + special.modstruve(0, x), (v,)),
    (lambda x: special.lambertw(x).real, (v,)),
    (lambda x: special.lambertw(x, k=-1).real, (-0.2,)),
    (lambda x: np.abs(special.lambertw(x)), (-0.9,)),
    (lambda x: special.wrightomega(x), (A,)),
    (lambda x, k: special.boxcox(x, k) + special.boxcox1p(x, k), (v, np.array([0.0, -0.7, 0.3]))),
    (lambda x, k: special.inv_boxcox(x, k) + special.inv_boxcox1p(x, k), (v, np.array([0.0, -0.7, 0.3]))),
    (lambda x: special.hyp1f1(0.5, 1.5, x) + special.hyp2f1(0.5, 1.5, 2.5, x), (v,)),
    (lambda x: special.hyp0f1(0.5, x) + special.hyperu(0.5, 1.5, x) + special.wright_bessel(0.5, 1.5, x), (v,)),
    (lambda x: special.expn(np.array([0, 1, 3]), x), (v,)),
    (lambda x: special.jvp(1, x) + special.kvp(0.5, x, 2) + special.jve(1, x) + special.yve(1, x), (v,)),
    (lambda x: special.ivp(1, x) + special.yvp(0.5, x, n=0), (v,)),
    (lambda x: special.spherical_jn(2, x) + special.spherical_kn(0, x), (v,)),
    (lambda x: special.spherical_in(1, x) + special.spherical_yn(np.array([0, 1, 2]), x), (v,)),
    (lambda x: special.fdtr(3.0, 4.0, x) + special.fdtrc(2.0, 4.0, x) + special.stdtr(2.0, x), (v,)),
    (lambda p: special.fdtri(3.0, 4.0, p) + special.stdtrit(2.0, p) + special.chdtri(3.0, p), (v,)),
    (lambda p, a: special.gdtrix(a, 2.5, p) + special.gdtr(a, 2.5, p), (v, w)),
    (
        lambda p: special.bdtr(2.0, 5, p) + special.bdtrc(5.0, 5, p) + special.nbdtr(2, 5, p) + special.nbdtrc(0, 1, p),
        (v,),
    ),
    (lambda p: special.betaincc(1.5, 2.5, p) + special.betainccinv(1.5, 2.5, p) + special.ndtri_exp(-p), (v,)),
    (lambda q: special.zeta(2.5, q), (v,)),
    (lambda x: np.abs(special.wofz(x + 0.3j)) * np.imag(special.wofz(x)), (v,)),
    (lambda x, s, g: special.voigt_profile(x, s, g), (v, 0.7, w)),
    (lambda n, k: special.comb(n, k) + special.comb(n, k, repetition=True), (v + 4.0, w)),
    (lambda x: special.factorial(x) + special.berp(x) * special.kei(x) + special.eval_chebyc(3, x), (v,)),
]


@pytest.mark.parametrize(("f", "args"), TWICE, ids=range(len(TWICE)))
def test_derivatives_through_the_compiler(f: Callable[..., Any], args: tuple[Any, ...]) -> None:
    check(f, *args)


def test_no_infinity_where_only_another_part_has_one() -> None:
    def first_parts(x: Any) -> Any:
        return np.sum(special.sici(x)[0] + special.shichi(x)[0])

    with np.errstate(divide="ignore"):
        np.testing.assert_allclose(s2sad.grad(first_parts)(np.array([0.0, 1e-9])), 2.0)


def test_elliptic_integrals_beyond_their_domain() -> None:
    assert np.isnan(s2sad.grad(special.ellipk)(1.5)) and np.isnan(s2sad.grad(special.ellipe)(1.5))


def test_exponents_of_transforms_against_their_definition() -> None:
    def written(x: Any, k: Any) -> Any:
        return (x**k - 1.0) / k + (1.0 + x * k) ** (1.0 / k)

    def called(x: Any, k: Any) -> Any:
        return special.boxcox(x, k) + special.inv_boxcox(x, k)

    assert s2sad.grad(called, wrt=1)(1.7, 0.4) == pytest.approx(s2sad.grad(written, wrt=1)(1.7, 0.4), rel=1e-12)


def bessel_functions(x: Any) -> Any:
    return np.sum(special.j1(x) + special.i1(x) + special.i1e(x) + special.jv(1, x) * special.iv(1, x))


def test_bessel_functions_at_zero() -> None:
    np.testing.assert_allclose(s2sad.grad(bessel_functions)(np.zeros(2)), [1.5, 1.5], rtol=1e-12)
    np.testing.assert_allclose(s2sad.grad(bessel_functions)(1e-4 * np.ones(2)), [1.5, 1.5], rtol=1e-3)


def test_elliptic_integrals_at_zero() -> None:
    def both(m: Any) -> Any:
        return special.ellipk(m) + 2.0 * special.ellipe(m)

    assert s2sad.grad(both)(0.0) == pytest.approx(-np.pi / 8)


@pytest.mark.parametrize("phi", [-1.0, 0.0, 0.5, 1.5])
def test_incomplete_elliptic_integrals_where_the_complete_ones_are_infinite(phi: float) -> None:
    s, first = np.sin(phi), np.arctanh(np.sin(phi))
    by_m = s2sad.grad(special.ellipkinc, wrt=1)(phi, 1.0), s2sad.grad(special.ellipeinc, wrt=1)(phi, 1.0)
    assert by_m == pytest.approx((0.25 * (s / np.cos(phi) ** 2 - first), 0.5 * (s - first)))


def test_shape_parameters_are_refused() -> None:
    def shaped(a: Any) -> Any:
        return special.gammainc(a, 2.0)

    with pytest.raises(s2sad.MissingRule, match="gammainc"):
        s2sad.grad(shaped)(1.5)


def test_what_has_no_rule_is_named() -> None:
    def distribution(x: Any) -> Any:
        return special.elliprf(x, 1.0, 2.0)

    with pytest.raises(s2sad.MissingRule, match=r"special\.elliprf has no"):
        s2sad.grad(distribution)(1.5)


def expit_sum(x: Any) -> Any:
    return np.sum(special.expit(x) ** 2)


def entropy(x: Any) -> Any:
    p = special.softmax(x)
    return np.sum(special.entr(p)) + special.logsumexp(x)


def gammas(x: Any) -> Any:
    return np.sum(special.gammaln(x) * special.erf(x) + special.xlogy(x, x))


def mixture(x: Any) -> Any:
    return special.logsumexp(np.sin(x), b=x * x) + np.sum(special.betainc(1.5, 2.0, x) * special.kv(0.5, x))


def families(x: Any) -> Any:
    values = special.eval_legendre(3, x) * special.exprel(x) + special.stdtr(4.0, x) * special.spence(x)
    return np.sum(values + special.multigammaln(x + 2.0, 3) * special.expn(2, x))


@pytest.mark.parametrize("f", [expit_sum, entropy, gammas, bessel_functions, mixture, families])
def test_through_the_compiler(f: Callable[..., Any]) -> None:
    gradient = s2sad.grad(f)
    s2sad.check_grads(f)(v)
    product = s2sad.hvp(f)(v, w)
    np.testing.assert_allclose(product, along(gradient, (v,), 0, w), rtol=1e-6, atol=1e-6)
    assert "s2sad" not in gradient.source_for(v).replace("s2sad grad", "").split('"""')[2]


@pytest.mark.parametrize("n", range(5))
def test_slopes_at_zeros_of_the_inverse_of_the_gamma_function(n: int) -> None:
    """``(-1)**n n!``, and of its own slope by differences."""
    slope = s2sad.grad(special.rgamma)
    np.testing.assert_allclose(slope(-float(n)), (-1) ** n * special.gamma(n + 1.0), rtol=1e-14)
    np.testing.assert_allclose(s2sad.grad(slope)(-float(n)), (slope(-n + 1e-5) - slope(-n - 1e-5)) / 2e-5, rtol=1e-8)


@pytest.mark.parametrize(
    ("f", "args", "want"),
    [
        (special.binom, (5.0, 7.0), (-1 / 42, 1 / 42)),
        (special.binom, (5.0, -1.0), (0.0, 1 / 6)),
        (special.poch, (-2.0, 5.0), (4.0, 0.0)),
        (special.poch, (-3.0, 2.0), (-5.0, np.nan)),
        (special.poch, (-4.0, 1.0), (1.0, np.nan)),
    ],
)
def test_slopes_at_poles_of_gamma_functions(f: Any, args: tuple[float, float], want: tuple[float, float]) -> None:
    np.testing.assert_allclose(s2sad.grad(f, wrt=(0, 1))(*args), want, rtol=1e-13)


@pytest.mark.parametrize("level", [0.0, 3e15, -1e100, np.float32(2e6)])
def test_shares_of_what_is_large(level: Any) -> None:
    """Items that are far from zero: their largest and the result are one number, of which all shares would be 1."""
    x = np.array([level, level, level - abs(level) - 800.0])
    weights = np.array([2.0, 1.0, 1.0], dtype=x.dtype)
    for part, share in zip(s2sad.grad(special.logsumexp)(x), (0.5, 0.5, 0.0), strict=True):
        assert part == pytest.approx(share, rel=1e-6)
    for f, exact in ((special.softmax, special.softmax(x)), (special.log_softmax, special.log_softmax(x))):
        value, back = s2sad.vjp(f, x)
        np.testing.assert_array_equal(value, exact)
        moved = back(weights)[0]
        shares = np.array([0.5, 0.5, 0.0])
        by = shares * (weights - weights @ shares) if f is special.softmax else weights - weights.sum() * shares
        np.testing.assert_allclose(moved, by, rtol=1e-6, atol=1e-7)


@pytest.mark.parametrize("away", [0.0, 1e-8, -3e-4, 0.0099, 0.0101])
def test_derivatives_of_spence_near_one(away: float) -> None:
    """By the integral of 1 / (1 - (1 - z) t) for t from 0 to 1, which is log(z) / (z - 1)."""
    t, w = np.polynomial.legendre.leggauss(20)
    t, w = (t + 1.0) / 2.0, w / 2.0
    z, below = 1.0 + away, 1.0 + away * t
    assert s2sad.grad(special.spence)(z) == pytest.approx(-w @ (1.0 / below), rel=1e-12)
    assert s2sad.hvp(special.spence)(z, 1.0) == pytest.approx(w @ (t / below**2), rel=1e-10)
    assert s2sad.hvp(lambda x: special.spence(x + 0j).real)(z, 1.0) == pytest.approx(w @ (t / below**2), rel=1e-10)
