"""Functions of ``scipy.special`` that machine code calls at their addresses: values and derivatives."""

from __future__ import annotations

import subprocess
import sys
import textwrap
import warnings
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from s2sad import CompileError, grad, hessian, jacobian, structure, value_and_grad

numba = pytest.importorskip("numba")
special = pytest.importorskip("scipy.special")

from s2sad.compiled.special_functions import letters_for, real_functions, routine  # noqa: E402
from s2sad.ir import kinds as K  # noqa: E402


@pytest.fixture(autouse=True)
def cache(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("S2SAD_CACHE_DIR", str(tmp_path))


#: Functions that SciPy gives no routine for real numbers of, or for integers only, or another name.
WITHOUT = {"eval_hermite", "eval_hermitenorm", "hankel1", "hankel1e", "hankel2", "hankel2e", "digamma", "wofz"}


POINTS = ((0.3, 0.4, 0.25, 0.35), (2.5, 1.5, 0.5, 3.5), (-0.6, 0.7, -0.2, 0.1), (0.0, 0.0, 1.0, 0.0), (np.nan,) * 4)


def test_routines_compute_what_ufuncs_do() -> None:
    """All of them in one function, which is compiled once: at numbers that have values and at some that have none."""
    names: dict[str, Any] = {}
    for fn, name in real_functions().items():
        if letters_for(fn, (K.FLOAT,) * fn.nin) == "d" * fn.nin:
            names.setdefault(name, fn)
    assert {real_functions()[fn] for fn in real_functions()} - names.keys() <= WITHOUT
    assert len(names) > 150
    calls = [f"{name}({', '.join('abcd'[: fn.nin])}, 0)" for name, fn in names.items()]
    scope = {name: routine(name, "d" * fn.nin) for name, fn in names.items()}
    exec("def run(out, a, b, c, d):\n" + "".join([f"    out[{k}] = {c}\n" for k, c in enumerate(calls)]), scope)
    run = numba.njit(scope["run"])
    for point in POINTS:
        out = np.empty(len(names))
        with np.errstate(all="ignore"), warnings.catch_warnings(action="ignore"):
            run(out, *point)
            expected = np.array([fn(*point[: fn.nin]) for fn in names.values()])
        np.testing.assert_array_equal(out, expected)


def test_integers_choose_the_routine_that_numpy_does() -> None:
    assert letters_for(special.eval_legendre, (K.INT, K.FLOAT)) == "ld"
    assert letters_for(special.eval_hermite, (K.INT, K.Array("float64", 2))) == "ld"
    assert letters_for(special.jv, (K.INT, K.FLOAT)) == "dd"
    assert letters_for(special.jv, (K.INT, K.Array("float32", 1))) is None
    assert letters_for(special.wofz, (K.FLOAT,)) is None


def likelihood(p, x, n):
    total = 0.0
    for i in range(len(x)):
        total += special.betaln(p[0] + x[i], p[1] + n - x[i]) - special.betaln(p[0], p[1])
        if special.i0e(p[2] * x[i]) > 0.1:
            total += np.log(special.i0e(p[2] * x[i])) * special.expn(2, p[0])
    return total


def of_arrays(p, x, n):
    tails = special.gammaincc(n, x * p[0]) * special.betainc(2.0, 3.5, x) + special.log_ndtr(p[1] * x)
    return np.sum(tails * special.eval_legendre(3, x)[:, np.newaxis]) + np.sum(special.jv(np.arange(3), p) / p)


def second_kind(p, x, n):
    return np.sum(special.ellipk(x * p[0] / 3.0) + special.erfinv(x * p[1] / 4.0) * special.i1e(p[2])) + special.k0(
        p[2]
    )


P, X = np.array([1.5, 2.5, 0.7]), np.array([0.1, 0.35, 0.6, 0.85])


@pytest.mark.parametrize("f", [likelihood, of_arrays, second_kind])
@pytest.mark.parametrize("make", [grad, value_and_grad, hessian, lambda f, **k: jacobian(f, mode="forward", **k)])
def test_both_tiers_agree(f: Callable[..., Any], make: Callable[..., Any]) -> None:
    for expected, found in zip(
        structure.leaves(make(f)(P, X, 2)), structure.leaves(make(f, backend="numba")(P, X, 2)), strict=True
    ):
        np.testing.assert_allclose(found, expected, rtol=1e-12)


def test_derivatives_are_called_in_compiled_functions() -> None:
    slope = grad(likelihood, backend="numba")

    @numba.njit
    def stepped(p, x):
        return p + 0.1 * slope(p, x, 2)

    np.testing.assert_allclose(stepped(P, X), P + 0.1 * grad(likelihood)(P, X, 2), rtol=1e-12)


def test_text_names_the_functions_of_scipy() -> None:
    text = grad(likelihood, backend="numba").source_for(P, X, 2)
    assert "from scipy import special" in text and "special.i0e(" in text and "s2sad_special" not in text


def test_complex_numbers_are_refused() -> None:
    with pytest.raises(CompileError, match="lambertw"):
        value_and_grad(lambda x: np.sum(special.lambertw(x).real * x), backend="numba")(X)


def likely(x, y):
    z = special.gammaln(x) * special.logsumexp(y) + special.i0e(y) + special.gammainc(1.5, x) * special.polygamma(0, y)
    return np.sum(z) + special.erf(x[0]) * special.expit(y[1])


def test_single_precision_is_computed_in_double() -> None:
    x = np.array([0.3, 1.2, 0.8], np.float32)
    (value, slopes), (expected, of_python) = (
        value_and_grad(likely, wrt=(0, 1), backend=tier)(x, x) for tier in ("numba", "python")
    )
    assert np.isclose(value, expected, rtol=1e-5)
    for found, wanted in zip(slopes, of_python, strict=True):
        assert found.dtype == wanted.dtype == np.float32
        np.testing.assert_allclose(found, wanted, rtol=1e-5)


def over_two_axes(x):
    z = special.logsumexp(x, axis=(0, 2))
    return np.sum(special.expit(z) * special.gammaln(z)) + np.sum(special.softmax(x, axis=(1, -1)) ** 2)


def test_over_axes_that_a_tuple_names() -> None:
    x = np.random.default_rng(0).random((3, 4, 2))
    gradient = grad(over_two_axes)
    assert "axis=(0, 2)" in gradient.source_for(x)
    np.testing.assert_allclose(grad(over_two_axes, backend="numba")(x), gradient(x), rtol=1e-12)


def test_machine_code_is_read_back_in_another_process(tmp_path: Path) -> None:
    (tmp_path / "model.py").write_text(textwrap.dedent("""
            import sys
            import numpy as np
            from scipy import special
            from s2sad import grad

            @grad(backend="numba")
            def f(x):
                return np.sum(special.k1(x) * special.eval_legendre(2, x))

            print(f(np.array([0.5, 1.5])).tolist())
            print("s2sad.transform.adjoint" in sys.modules)
            """))
    first, second = (
        subprocess.run([sys.executable, "model.py"], cwd=tmp_path, capture_output=True, text=True, check=True).stdout
        for _ in range(2)
    )
    assert first.splitlines()[0] == second.splitlines()[0]
    assert first.splitlines()[1] == "True" and second.splitlines()[1] == "False"  # nothing is derived again
