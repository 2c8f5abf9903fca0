"""``np.add.at`` by lists of indices and by masks: one value for all, values of the array itself, too many values."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import s2sad

pytest.importorskip("numba")


@pytest.fixture(autouse=True)
def cache(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("S2SAD_CACHE_DIR", str(tmp_path))


def one_for_all(x):
    y = x * 2.0
    np.add.at(y, [0, 0, 1], x[:1] * 3.0)
    np.subtract.at(y, x > 0.25, x[1:2])
    return y * 1.0


def of_itself(x):
    y = x * 2.0
    np.add.at(y, [0, 0, 1], y[::-1])
    np.add.at(y, x > 0.25, y[::-1][1:])
    return y * 1.0


@pytest.mark.parametrize("f", [one_for_all, of_itself])
def test_what_is_added(f: Callable[..., Any]) -> None:
    x = np.array([0.3, 0.5, 0.2])
    value, slope = s2sad.jvp(f, (x,), (x,), backend="numba")
    expected = s2sad.jvp(f, (x,), (x,))
    np.testing.assert_allclose(value, f(x), rtol=1e-14)
    np.testing.assert_allclose(slope, expected[1], rtol=1e-14)
    for mode in ("forward", "reverse"):
        found = s2sad.jacobian(f, mode=mode, backend="numba")(x)
        np.testing.assert_allclose(found, s2sad.jacobian(f, mode=mode)(x), rtol=1e-14)


def too_many(x):
    y = x * 2.0
    np.add.at(y, [0, 2], x)
    return y


def too_many_by_a_mask(x):
    y = x * 2.0
    np.add.at(y, x > 0.25, x)
    return y


@pytest.mark.parametrize("f", [too_many, too_many_by_a_mask])
def test_what_does_not_fit_is_refused(f: Callable[..., Any]) -> None:
    x = np.array([0.3, 0.5, 0.2])
    for call in (lambda: f(x), lambda: s2sad.jvp(f, (x,), (x,), backend="numba")):
        with pytest.raises(ValueError, match="broadcastable"):
            call()
