"""No garbage is collected while a derivative is compiled, and it is before and after."""

from __future__ import annotations

import gc
import math
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from s2sad import grad

pytest.importorskip("numba")

import numba
from numba.core import event

from s2sad.compiled.pausing import MODULE_PREFIX


@pytest.fixture(autouse=True)
def cache(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("S2SAD_CACHE_DIR", str(tmp_path))


class Seen(event.Listener):
    """Whether the collector was on as each function began to be compiled, ours or another's."""

    def __init__(self) -> None:
        self.ours: list[bool] = []
        self.others: list[bool] = []

    def on_start(self, event: Any) -> None:
        is_ours = event.data["dispatcher"].py_func.__module__.startswith(MODULE_PREFIX)
        (self.ours if is_ours else self.others).append(gc.isenabled())

    def on_end(self, event: Any) -> None:
        """Of no interest."""


@pytest.fixture
def seen() -> Iterator[Seen]:
    grad(lambda x: x * x, backend="numba")(0.5)  # the pause is registered, before this
    listener = Seen()
    event.register("numba:compile", listener)
    yield listener
    event.unregister("numba:compile", listener)


def sum_of_sines(x):
    return np.sum(np.sin(x) * x)


def test_while_it_is_compiled(seen: Seen) -> None:
    assert gc.isenabled()
    grad(sum_of_sines, backend="numba")(np.ones(3))
    assert seen.ours and not any(seen.ours + seen.others)
    assert gc.isenabled()


def test_it_stays_off_where_it_was(seen: Seen) -> None:
    gc.disable()
    try:
        grad(lambda x: math.sin(x) * x, backend="numba")(0.5)
        assert seen.ours and not gc.isenabled()
    finally:
        gc.enable()


def test_not_for_functions_of_others(seen: Seen) -> None:
    numba.njit(lambda x: x + 1.0)(1.0)
    assert seen.others[0] and gc.isenabled()


def test_functions_of_no_module_are_compiled() -> None:
    grad(lambda x: x * x, backend="numba")(0.5)  # the pause is registered
    namespace: dict[str, Any] = {}
    exec("def twice(x):\n    return x + x", namespace)
    assert namespace["twice"].__module__ is None
    assert numba.njit(namespace["twice"])(1.5) == 3.0 and gc.isenabled()


def test_it_is_on_again_after_a_failure(seen: Seen) -> None:
    def refused(x):
        return x

    refused.__module__ = MODULE_PREFIX + "refused"
    refused.__code__ = (lambda x: x.nothing_like_it).__code__
    with pytest.raises(numba.core.errors.TypingError):
        numba.njit(refused)(1.0)
    assert seen.ours == [False] and gc.isenabled()
