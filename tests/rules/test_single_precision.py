"""Single precision stays single: the derivatives of every rule have the dtypes of what they are derivatives of."""

from __future__ import annotations

from types import ModuleType
from typing import Any

import numpy as np
import pytest
from rules.harness import floats, is_float_leaf, leaves
from rules.walk import Case, load, make_cases, random_like

import s2sad
from s2sad.runtime.helpers import map_leaves


def narrowed(x: Any) -> Any:
    """x with double precision made single; Python's floats stay as they are."""

    def leaf(y: Any) -> Any:
        return y.astype(np.float32) if isinstance(y, np.ndarray | np.generic) and y.dtype == np.float64 else y

    return map_leaves(leaf, x)


CASES = [c for c in make_cases(narrowed) if not c.id.startswith("math.")]  # those give Python floats


@pytest.fixture(scope="module")
def module(tmp_path_factory: pytest.TempPathFactory) -> ModuleType:
    return load(CASES, tmp_path_factory.mktemp("narrow") / "narrow.py")


def same_types(derivatives: Any, primal: Any) -> None:
    """Each derivative has the dtype of its primal, and is an array where that is one with axes."""
    for d, x in zip(leaves(derivatives), leaves(primal), strict=True):
        if isinstance(x, np.ndarray | np.floating) and is_float_leaf(x):
            assert isinstance(d, np.ndarray) or not np.ndim(x)
            assert np.asarray(d).dtype == x.dtype


@pytest.mark.parametrize("case", CASES, ids=lambda c: c.id)
@pytest.mark.filterwarnings("ignore")
def test_dtypes(case: Case, module: ModuleType) -> None:
    f = getattr(module, f"f{case.k}")
    want = f(*case.given)
    y, dy = s2sad.jvp(f, tuple(case.given), tuple(random_like(x, k) for k, x in enumerate(case.given)))
    same_types(y, want)
    same_types(dy, want)
    if floats(want).size:
        _, pullback = s2sad.vjp(f, *case.given)
        for x, bx in zip(case.given, pullback(random_like(want, 9)), strict=True):
            if bx is not None:
                same_types(bx, x)


def clipped(x: Any, low: Any) -> Any:
    return np.sum(np.clip(x, low, 3.0))


def stepped(x: Any, half: Any) -> Any:
    return np.sum(np.heaviside(x, half) * 2.0)


@pytest.mark.parametrize("f", [clipped, stepped])
@pytest.mark.parametrize("x", [0.5, np.float32(0.0), np.zeros(3, np.float32)])
def test_slopes_of_bounds_and_halves(f: Any, x: Any) -> None:
    """NumPy makes an array of double precision of a number that is clipped."""
    bounds = np.array([0.3, 1.2, 0.8], np.float32)
    assert s2sad.grad(f, wrt=1)(x, bounds).dtype == np.float32


@pytest.mark.parametrize("operator", [s2sad.jacobian, s2sad.hessian])
def test_matrices_within_differentiated_code(operator: Any) -> None:
    x = np.array([0.3, 1.2, 0.8], np.float32)
    inner = (lambda x: np.sin(x)) if operator is s2sad.jacobian else lambda x: np.sum(np.sin(x))
    value, pullback = s2sad.vjp(lambda x: operator(inner)(x), x)
    assert value.dtype == operator(inner)(x).dtype == np.float32
    assert pullback(np.ones((3, 3), np.float32))[0].dtype == np.float32


@pytest.mark.parametrize("backend", ["python", "numba"])
@pytest.mark.parametrize("x", [np.float32(3.0), np.array(3.0, np.float32), np.array([3.0, 2.5], np.float32)])
def test_what_scipy_computes_in_double_precision(x: Any, backend: str) -> None:
    special = pytest.importorskip("scipy.special")
    f = lambda x: special.multigammaln(x, 2)
    value, pullback = s2sad.vjp(f, x, backend=backend)
    assert np.asarray(value).dtype == f(x).dtype == np.float64
    assert pullback(value)[0].dtype == np.float32
    np.testing.assert_allclose(value, f(x))


@pytest.mark.parametrize("dtype", [np.float16, np.float32, np.float64])
def test_roots_of_matrices(dtype: Any) -> None:
    linalg = pytest.importorskip("scipy.linalg")
    f = lambda a: linalg.sqrtm(a)
    a = np.array([[4.0, 1.0], [0.5, 3.0]], dtype)
    value, pullback = s2sad.vjp(f, a)
    assert value.dtype == f(a).dtype
    assert pullback(value)[0].dtype == dtype
    assert s2sad.jvp(f, (a,), (a,))[1].dtype == f(a).dtype


@pytest.mark.parametrize("backend", ["python", "numba"])
@pytest.mark.parametrize("q", [0.3, [0.2, 0.7]])
def test_quantiles_of_what_is_no_nan(q: Any, backend: str) -> None:
    """A list of fractions is of double precision, a number of Python's has none."""
    f = lambda x: np.nanquantile(x, q)
    x = np.array([0.3, np.nan, 1.2, 0.8], np.float32)
    value, pullback = s2sad.vjp(f, x, backend=backend)
    assert value.dtype == f(x).dtype
    np.testing.assert_allclose(value, f(x), rtol=1e-6)
    assert pullback(np.ones_like(value))[0].dtype == np.float32
