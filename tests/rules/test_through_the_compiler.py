"""Every rule through the public interface: jvp, vjp and forward over reverse of a function that calls the primitive."""

from __future__ import annotations

from types import ModuleType
from typing import Any

import numpy as np
import pytest
from rules.harness import as_float64, floats, is_float_leaf, leaves, like, shifted
from rules.walk import Case, load, make_cases, random_like

import s2sad

CASES = make_cases()
#: All tests of one case come together, while what they derive is kept.
parametrized = pytest.mark.parametrize("case", CASES, ids=lambda c: c.id, scope="module")
pytestmark = pytest.mark.filterwarnings("ignore")


@pytest.fixture(scope="module")
def module(tmp_path_factory: pytest.TempPathFactory) -> ModuleType:
    return load(CASES, tmp_path_factory.mktemp("walk") / "walked.py")


def differences(f: Any, xs: list[Any], ds: list[Any], h: float = 1e-6) -> np.ndarray:
    """The directional derivative, in double precision."""
    wide = [as_float64(x) for x in xs]
    up, down = (floats(f(*(shifted(x, d, s) for x, d in zip(wide, ds, strict=True)))) for s in (h, -h))
    return (up - down) / (2 * h)


def close(got: Any, want: Any, eps: float) -> None:
    want = np.asarray(want)
    np.testing.assert_allclose(got, want, rtol=eps, atol=eps * max(1.0, np.abs(want).max(initial=0.0)))


@parametrized
def test_jvp(case: Case, module: ModuleType) -> None:
    f = getattr(module, f"f{case.k}")
    ds = [random_like(x, i) for i, x in enumerate(case.given)]
    y, dy = s2sad.jvp(f, tuple(case.given), tuple(ds))
    if case.primitive in (np.empty, np.empty_like) or not floats(y).size:
        return  # it ran
    close(floats(y), floats(f(*case.given)), 1e-12 if case.tolerance < 1e-5 else 1e-5)
    close(floats(dy), differences(f, case.given, ds), case.tolerance)


@parametrized
def test_vjp(case: Case, module: ModuleType) -> None:
    f = getattr(module, f"f{case.k}")
    y = f(*case.given)
    if case.primitive in (np.empty, np.empty_like) or not floats(y).size:
        pytest.skip("no float in the result")
    ct = random_like(y, 9)
    _, pullback = s2sad.vjp(f, *case.given)
    bxs = pullback(ct)
    assert len(bxs) == len(case.given)
    for i, (x, bx) in enumerate(zip(case.given, bxs, strict=True)):
        if not any(map(is_float_leaf, leaves(x))):
            assert bx is None
            continue
        for a, ba in zip(leaves(x), leaves(bx), strict=True):
            if is_float_leaf(a):
                assert np.shape(ba) == np.shape(a)
                assert not isinstance(a, np.ndarray) or ba.dtype == a.dtype
        ds = [random_like(g, i) if k == i else like(g, np.zeros) for k, g in enumerate(case.given)]
        want = np.dot(floats(ct), differences(f, case.given, ds))
        close(np.dot(floats(ds[i]), floats(bx)), want, case.tolerance)


@parametrized
def test_forward_over_reverse(case: Case, module: ModuleType) -> None:
    f, h = getattr(module, f"f{case.k}"), getattr(module, f"h{case.k}")
    y = f(*case.given)
    if not is_float_leaf(y) or case.tolerance > 1e-5:
        pytest.skip("not a float array in double precision")
    for i, x in enumerate(case.given):
        if not any(map(is_float_leaf, leaves(x))):
            continue
        d = random_like(x, i)
        ds = [d if k == i else like(g, np.zeros) for k, g in enumerate(case.given)]
        product = s2sad.hvp(h, wrt=i)(*case.given, d)
        gradient = s2sad.grad(h, wrt=i)
        close(floats(product), differences(gradient, case.given, ds), 2e-5)
