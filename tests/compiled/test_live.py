"""Functions that compiled code calls read what is outside as it is when it is called."""

from __future__ import annotations

import math
from pathlib import Path

import pytest

from s2sad import grad, jacobian, jvp

pytest.importorskip("numba")


@pytest.fixture(autouse=True)
def cache(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("S2SAD_CACHE_DIR", str(tmp_path))


RATE = 1.1
WEIGHTS = [0.5, 2.0]


def power(x, n):
    return x if n == 0 else RATE * x * power(x, n - 1)


def weighted(x, RATE_, n):
    return x * RATE_ if n == 0 else WEIGHTS[n % 2] * other(x * 0.9, RATE_, n - 1)


def other(x, RATE_, n):
    return RATE * x if n == 0 else weighted(math.sin(x), RATE_, n - 1) + RATE


@pytest.mark.parametrize("mode", ["forward", "reverse"])
def test_globals_that_change(mode: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """Numba notes the value of a global when it compiles."""
    compiled = jacobian(power, mode=mode, backend="numba")
    for rate in (1.1, 1.3):
        monkeypatch.setitem(globals(), "RATE", rate)
        assert compiled(1.1, 14) == pytest.approx(15 * (1.1 * rate) ** 14, rel=1e-12)


def test_what_functions_pass_on_to_each_other(monkeypatch: pytest.MonkeyPatch) -> None:
    slope = grad(weighted, backend="numba")
    for rate, first in ((1.1, 0.5), (0.7, 1.5)):
        monkeypatch.setitem(globals(), "RATE", rate)
        monkeypatch.setitem(globals(), "WEIGHTS", [first, 2.0])
        assert slope(0.8, 2.0, 15) == pytest.approx(grad(weighted)(0.8, 2.0, 15), rel=1e-12)
        found, expected = (
            jvp(lambda x: weighted(x, 2.0, 15), (0.8,), (1.0,), backend=b)[1] for b in ("numba", "python")
        )
        assert found == pytest.approx(expected, rel=1e-12)
