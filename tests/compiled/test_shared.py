"""Helpers that modules have in common are compiled once, and only where they are the same."""

from __future__ import annotations

import importlib.util
import subprocess
import sys
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from s2sad import grad

pytest.importorskip("numba")

import numba
from numba.core import event

from s2sad.compiled.shared import Helpers

OPTIONS = {"error_model": "numpy", "fastmath": False}


def loaded(*definitions: str, **options: Any) -> dict[str, Any]:
    """The namespace of a module of helpers."""
    namespace: dict[str, Any] = {"np": np}
    text = "\n\n".join(f"@helper\n{d}\n" for d in definitions)
    helpers = Helpers(namespace, text)
    namespace["helper"] = helpers.decorator(**(OPTIONS | options))
    exec(text, namespace)
    helpers.bind()
    return namespace


def called(namespace: dict[str, Any], name: str, *args: Any) -> Any:
    """What a helper gives: compiled functions alone can call it."""
    helper = namespace[name]
    return numba.njit(lambda *xs: helper(*xs))(*args)


TWICE = "def twice(x):\n    return x + x"
ADDED = "def added(x, y):\n    return (\n        x + y)"
FOUR_TIMES = "def four_times(x):\n    return twice(twice(x))"


def test_definitions_that_are_alike_are_one() -> None:
    one, other = loaded(TWICE, FOUR_TIMES), loaded(ADDED, FOUR_TIMES, TWICE)
    assert one["twice"] is other["twice"]
    assert one["four_times"] is other["four_times"]
    assert called(other, "four_times", 2.0) == 8.0 and called(other, "added", 1.0, 2.0) == 3.0


def test_another_text_is_another() -> None:
    other = TWICE.replace("x + x", "2.0 * x")
    assert loaded(TWICE)["twice"] is not loaded(other)["twice"]


def test_another_last_line_is_another() -> None:
    other = ADDED.replace("x + y", "x - y")
    assert called(loaded(ADDED), "added", 3.0, 2.0) == 5.0
    assert called(loaded(other), "added", 3.0, 2.0) == 1.0


@pytest.mark.parametrize("options", [{"fastmath": True}, {"fastmath": {"contract"}}, {"error_model": "python"}])
def test_other_options_are_others(options: dict[str, Any]) -> None:
    assert loaded(TWICE)["twice"] is not loaded(TWICE, **options)["twice"]


@pytest.mark.parametrize("turned", [False, True])
def test_what_calls_another_helper_of_the_same_name_is_another(turned: bool) -> None:
    """The helpers of a module stand in alphabetical order, so callers may come first."""
    other = TWICE.replace("x + x", "x * x")
    first, second = ((d, FOUR_TIMES)[:: -1 if turned else 1] for d in (TWICE, other))
    assert called(loaded(*first), "four_times", 3.0) == 12.0
    assert called(loaded(*second), "four_times", 3.0) == 81.0


def test_names_within_a_function_within_count() -> None:
    text = "def inner(x):\n    def g(y):\n        return twice(y)\n    return g(x)"
    other = TWICE.replace("x + x", "x * x")
    assert called(loaded(TWICE, text), "inner", 3.0) == 6.0
    assert called(loaded(other, text), "inner", 3.0) == 9.0


def test_helpers_that_call_each_other_are_their_modules_own() -> None:
    even = "def even(n):\n    if n == 0:\n        return True\n    return odd(n - 1)"
    odd = "def odd(n):\n    if n == 0:\n        return {}\n    return even(n - 1)"
    assert not called(loaded(even, odd.format("False")), "even", 3)
    assert called(loaded(even, odd.format("True")), "even", 3)


def test_two_derivatives(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("S2SAD_CACHE_DIR", str(tmp_path))
    compiled: list[str] = []

    class Listener(event.Listener):
        def on_start(self, event: Any) -> None:
            compiled.append(event.data["dispatcher"].py_func.__name__)

        def on_end(self, event: Any) -> None:
            """Of no interest."""

    def first(x):
        return np.sum(np.sin(x) * x)

    def second(x, y):
        return np.sum(np.sin(x) * y) + np.sum(x)

    x, y = np.linspace(0.0, 2.0, 9), np.linspace(1.0, 2.0, 9)
    np.testing.assert_allclose(grad(first, backend="numba")(x), np.cos(x) * x + np.sin(x), rtol=1e-14)
    listener = Listener()
    event.register("numba:compile", listener)
    try:
        np.testing.assert_allclose(grad(second, backend="numba")(x, y), np.cos(x) * y + 1.0, rtol=1e-14)
    finally:
        event.unregister("numba:compile", listener)
    assert compiled[0] == "second_grad"
    assert not {"_sin_row", "_row", "_far", "_sin_near"} & set(compiled)


PAIR = """
import numpy as np
import s2sad

def first(x, y):
    return np.sum(x * y)

def second(x, y):
    return np.sum(np.exp(x - y)) + np.linalg.solve(np.diag(2.0 * y), x)[0]

one_by_one = s2sad.grad(second, backend="numba")
"""
ALONE = """
import sys
from numba.core import event
class Listener(event.Listener):
    def on_start(self, event):
        raise AssertionError("nothing is to be compiled")
    def on_end(self, event):
        pass
event.register("numba:compile", Listener())
import numpy as np
import pair
print(pair.one_by_one(np.ones(3), np.ones(3)).sum())
assert sum(name.startswith("s2sad_compiled_") for name in sys.modules) == 1
"""


def test_machine_code_with_the_helpers_of_another_module_is_read_back(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Where that module is not there, and with a routine of LAPACK."""
    monkeypatch.setenv("S2SAD_CACHE_DIR", str(tmp_path / "cache"))
    monkeypatch.setenv("PYTHONPATH", f"{tmp_path}:{Path(__file__).parents[2]}")
    (tmp_path / "pair.py").write_text(PAIR)
    spec = importlib.util.spec_from_file_location("pair", tmp_path / "pair.py")
    assert spec is not None and spec.loader is not None
    pair = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(pair)
    grad(pair.first, backend="numba")(np.ones(3), np.ones(3))
    pair.one_by_one(np.ones(3), np.ones(3))
    done = subprocess.run([sys.executable, "-c", ALONE], capture_output=True, text=True, check=False)
    assert done.stdout == "3.5\n", done.stderr
