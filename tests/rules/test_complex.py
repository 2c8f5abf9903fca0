"""Every rule of calls with complex numbers: both modes and forward over reverse, against central differences.

A cotangent b and a tangent d of a complex number pair as the real part of b * d.
"""

from __future__ import annotations

import cmath
from types import ModuleType
from typing import Any

import numpy as np
import pytest
from rules import walk
from rules.complex_samples import samples_of
from rules.harness import leaves
from rules.walk import Case

import s2sad
from s2sad.rules.table import COMPLEX, RULES
from s2sad.runtime import helpers
from s2sad.runtime.helpers import map_leaves, promoted

pytestmark = pytest.mark.filterwarnings("ignore")
#: Helpers that only other helpers' rules, or transforms, give arguments to: what these make is tested by programs.
BY_PROGRAMS = [
    *(helpers.as_result, helpers.copy_state, helpers.laid_out, helpers.laid_out_leaves, helpers.shadow_view),
    *(helpers.pack, helpers.place, helpers.last_stored, helpers.copy_tree, helpers.eigenvectors),
    *(np.select, np.linalg.lstsq),  # with a list of conditions, and with a result of no fixed length
    *(np.poly1d.__call__, np.polynomial.Polynomial.__call__),  # of objects: see test_polynomials.py
    *(np.linalg.eigh, np.linalg.svd),  # of which the vectors are told up to a factor: see test_complex_linalg.py
]


def is_of_scipy(primitive: Any) -> bool:
    """Whether a primitive is SciPy's, whose ufuncs say of no module: tested beside the other rules of its module."""
    if isinstance(primitive, np.ufunc):
        return getattr(np, primitive.__name__, None) is not primitive
    module = getattr(primitive, "__module__", None) or ""
    own = module.startswith("s2sad.runtime.") and module not in helpers.MODULES  # those are read with SciPy
    return own or module.startswith("scipy")


SMOOTH = {p: rule for p, rule in COMPLEX.items() if rule.form != "zero" and p not in BY_PROGRAMS and not is_of_scipy(p)}
walk.NAMES.update({id(f): f"cmath.{n}" for n, f in vars(cmath).items() if callable(f)})
walk.NAMES.update({id(f): f"np.fft.{n}" for n, f in vars(np.fft).items() if callable(f)})
MOST = 14
#: Of which no second derivatives are taken: what no program calls.
ONCE = (promoted,)


def name_of(primitive: Any) -> str:
    return walk.NAMES[id(primitive)]


@pytest.mark.parametrize("primitive", SMOOTH, ids=name_of)
def test_has_samples(primitive: Any) -> None:
    assert samples_of(primitive)


@pytest.mark.parametrize("primitive", COMPLEX, ids=lambda p: getattr(p, "__name__", "it"))
def test_is_known_of_real_numbers(primitive: Any) -> None:
    assert primitive in RULES


def is_number(x: Any) -> bool:
    return isinstance(x, float | complex | np.inexact) or (isinstance(x, np.ndarray) and x.dtype.kind in "fc")


def parts(x: Any, sign: float = 1.0) -> np.ndarray:
    """Real and imaginary parts of all that is in x, as one vector; the latter with a sign."""
    found = [np.ravel(leaf) for leaf in leaves(x) if is_number(leaf)]
    return np.concatenate([v for a in found for v in (a.real, sign * a.imag)] or [np.zeros(0)])


def paired(ct: Any, dy: Any) -> float:
    return float(np.dot(parts(ct, -1.0), parts(dy)))


def drawn(x: Any, seed: int) -> Any:
    """Random numbers in the structure of x."""
    rng = np.random.default_rng(seed)

    def leaf(y: Any) -> Any:
        if not is_number(y):
            return None
        made = rng.uniform(-1.0, 1.0, np.shape(y))
        if np.iscomplexobj(y):
            made = made + 1j * rng.uniform(-1.0, 1.0, np.shape(y))
        return np.asarray(made, y.dtype) if isinstance(y, np.ndarray) else type(y)(made)

    return map_leaves(leaf, x)


def moved(x: Any, d: Any, h: float) -> Any:
    return map_leaves(lambda y, e: y + h * e if is_number(y) else y, x, d)


def wide(x: Any) -> Any:
    """x in double precision."""
    return map_leaves(lambda y: y + np.zeros((), "c16" if np.iscomplexobj(y) else float) if is_number(y) else y, x)


def differences(f: Any, xs: list[Any], ds: list[Any], h: float = 1e-6) -> np.ndarray:
    up, down = (parts(f(*(moved(wide(x), d, s) for x, d in zip(xs, ds, strict=True)))) for s in (h, -h))
    return (up - down) / (2.0 * h)


def make_cases() -> list[Case]:
    cases: list[Case] = []
    for primitive in SMOOTH:
        samples = samples_of(primitive)
        for sample in samples[:: max(1, -(-len(samples) // MOST))]:
            case = Case(len(cases), primitive, sample)
            if any(map(is_number, leaves(case.given))):
                cases.append(case)
    return cases


CASES = make_cases()
parametrized = pytest.mark.parametrize("case", CASES, ids=lambda c: c.id, scope="module")


def source_of(case: Case) -> str:
    """The case as a function f, one h that is not linear, and g, the cotangents of h."""
    own = case.source.partition("def h")[0]
    params = ", ".join(f"x{i}" for i in range(len(case.given)))
    return (
        f"{own}def h{case.k}({params}):\n    return np.sin(f{case.k}({params}))\n\n\n"
        f"def g{case.k}({params}, ct):\n    _, pullback = s2sad.vjp(h{case.k}, {params})\n    return pullback(ct)\n\n\n"
    )


@pytest.fixture(scope="module")
def module(tmp_path_factory: pytest.TempPathFactory) -> ModuleType:
    for case in CASES:
        case.source = source_of(case)
    CASES[0].source = "import cmath\n\nimport s2sad\n\n\n" + CASES[0].source
    return walk.load(CASES, tmp_path_factory.mktemp("complex") / "with_complex.py")


def precision(case: Case) -> float:
    single = any(getattr(x, "dtype", None) in (np.complex64, np.float32) for x in leaves(case.given))
    return 3e-3 if single or np.complex64 in [case.primitive, *filter(callable, case.sample.args)] else 1e-6


def close(got: Any, want: Any, eps: float) -> None:
    np.testing.assert_allclose(got, want, rtol=eps, atol=eps * max(1.0, np.abs(want).max(initial=0.0)))


@parametrized
def test_both_modes(case: Case, module: ModuleType) -> None:
    f, eps = getattr(module, f"f{case.k}"), precision(case)
    ds = [drawn(x, k) for k, x in enumerate(case.given)]
    h = 1e-2 if eps > 1e-5 and COMPLEX[case.primitive].form == "linear" else 1e-6  # what it gives is rounded
    want = differences(f, case.given, ds, h)
    y, dy = s2sad.jvp(f, tuple(case.given), tuple(ds))
    close(parts(y), parts(f(*case.given)), 1e-12 if eps < 1e-5 else 1e-5)
    close(parts(dy), want, eps)
    y, pullback = s2sad.vjp(f, *case.given)
    ct = drawn(y, 9)
    bxs = pullback(ct)
    for x, bx in zip(case.given, bxs, strict=True):
        for a, ba in zip(leaves(x), leaves(bx), strict=True):
            if is_number(a):
                assert np.shape(ba) == np.shape(a)
                assert np.iscomplexobj(ba) == np.iscomplexobj(a)
                assert not isinstance(a, np.ndarray) or ba.dtype == a.dtype
    close(sum(paired(bx, d) for bx, d in zip(bxs, ds, strict=True)), np.dot(parts(ct, -1.0), want), eps)
    for k, (bx, x) in enumerate(zip(bxs, case.given, strict=True)):
        ones = [drawn(x, k) if i == k else moved(drawn(a, 0), drawn(a, 0), -1.0) for i, a in enumerate(case.given)]
        if any(map(is_number, leaves(x))):
            close(paired(bx, ones[k]), np.dot(parts(ct, -1.0), differences(f, case.given, ones, h)), eps)


@parametrized
def test_forward_over_reverse(case: Case, module: ModuleType) -> None:
    """The derivative of the gradient of a real number made of the result."""
    f = getattr(module, f"f{case.k}")
    y = f(*case.given)
    if precision(case) > 1e-5 or not is_number(y) or np.size(y) == 0 or case.primitive in ONCE:
        pytest.skip("not an array in double precision, or not seen by second derivatives")
    h, g = getattr(module, f"h{case.k}"), getattr(module, f"g{case.k}")
    ct = drawn(h(*case.given), 5)
    ds = tuple(drawn(x, k) for k, x in enumerate(case.given))
    _, found = s2sad.jvp(g, (*case.given, ct), (*ds, moved(ct, ct, -1.0)))
    close(parts(found), differences(lambda *xs: s2sad.vjp(h, *xs)[1](ct), list(case.given), list(ds)), 2e-5)
