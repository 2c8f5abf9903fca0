"""The compiled tier: results as the Python tier's, refusals that name the place, options."""

from __future__ import annotations

import math
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import s2sad
from s2sad import grad, hessian, hvp, jacobian, jvp, value_and_grad, vjp

pytest.importorskip("numba")

RATE = 2.0


@pytest.fixture(autouse=True)
def cache(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("S2SAD_CACHE_DIR", str(tmp_path))


def wave(x, n):
    y = 0.5
    for k in range(n):
        y = y + x * math.sin(y) / (k + 1.0)
    return y


def nested(p, n):
    a, (b, c) = p["a"], p["rest"]
    for _ in range(n):
        a = a * b + c
    return a


def scaled(x):
    return RATE * x * x


def test_a_scalar_loop() -> None:
    assert grad(wave, backend="numba")(0.3, 5) == pytest.approx(grad(wave)(0.3, 5), rel=1e-14)
    assert value_and_grad(wave, backend="numba")(0.3, 5) == pytest.approx(value_and_grad(wave)(0.3, 5), rel=1e-14)


def test_every_operator() -> None:
    assert jvp(wave, (0.3, 4), (1.0, None), backend="numba") == pytest.approx(jvp(wave, (0.3, 4), (1.0, None)))
    y, pullback = vjp(wave, 0.3, 4, backend="numba")
    assert (y, pullback(1.0)[0], pullback(2.0)[0]) == pytest.approx((y, grad(wave)(0.3, 4), 2.0 * grad(wave)(0.3, 4)))
    assert hessian(wave, backend="numba")(0.3, 4) == pytest.approx(hessian(wave)(0.3, 4))
    assert hvp(wave, backend="numba")(0.3, 4, 2.0) == pytest.approx(hvp(wave)(0.3, 4, 2.0))
    assert jacobian(wave, backend="numba")(0.3, 4) == pytest.approx(jacobian(wave)(0.3, 4))
    s2sad.check_grads(wave, backend="numba")(0.3, 4)


def test_structures_keep_their_shape() -> None:
    p = {"a": 0.5, "rest": (1.5, -1.0)}
    assert grad(nested, backend="numba")(p, 3) == grad(nested)(p, 3)


def test_globals_are_read_live(monkeypatch: pytest.MonkeyPatch) -> None:
    g = grad(scaled, backend="numba")
    assert g(3.0) == 12.0
    monkeypatch.setitem(globals(), "RATE", 5.0)
    assert g(3.0) == 30.0


def test_what_numba_cannot_do_is_refused_with_its_place() -> None:
    def printed(x: float) -> float:
        y = x * x
        print(f"{y:.3f}")
        return y

    with pytest.raises(s2sad.CompileError) as caught:
        grad(printed, backend="numba")(2.0)
    assert caught.value.line.strip() == 'print(f"{y:.3f}")'


def test_the_source_runs_as_it_is() -> None:
    text = grad(nested, backend="numba").source_for({"a": 0.5, "rest": (1.5, -1.0)}, 3)
    namespace: dict[str, Any] = {}
    exec(text, namespace)
    p = {"a": 0.5, "rest": (1.5, -1.0)}
    assert namespace["nested_grad"](p, 3) == grad(nested)(p, 3)
    assert "numba" not in text


def test_functions_of_numba_come_back_compiled() -> None:
    import numba

    @numba.njit
    def f(x):
        return x * np.sin(x)

    assert grad(f).backend == "numba"
    assert grad(f)(0.5) == pytest.approx(math.sin(0.5) + 0.5 * math.cos(0.5))
