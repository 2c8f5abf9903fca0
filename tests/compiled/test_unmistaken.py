"""Names that Numba would take for others of its own."""

from __future__ import annotations

import dis
from types import FunctionType
from typing import Any

import numpy as np
import pytest

numba = pytest.importorskip("numba")

from s2sad.compiled.unmistaken import unmistaken  # noqa: E402


def made(short: int, long: int) -> FunctionType:
    """A sum of two lengths, whose names differ by a digit, with steps in between, of two lengths in the bytecode."""
    text = ["def f(x, y):", " n0 = x.shape[0]", " n02 = y.shape[0]", " s = 0.0"]
    text += [" for i in range(3):", "  s += 1.0", " for i in range(n02):", "  s += 1.0"]
    text += [" for i in range(3):", *["  s = -s"] * short, *["  s += 1.0"] * long]
    text += [" for i in range(n0):", "  s += 1.0", " return s"]
    namespace: dict[str, Any] = {}
    exec("\n".join(text), namespace)
    function: FunctionType = namespace["f"]
    return function


def is_mistaken(function: FunctionType) -> bool:
    """Whether both are read at places that make one name of them."""
    read = {i.argval: f"{i.argval}{i.offset + 2}" for i in dis.get_instructions(function) if i.opname == "LOAD_FAST"}
    return read["n0"] == read["n02"]


def mistaken() -> FunctionType:
    found = (made(n, m) for m in range(1, 4) for n in range(400))
    function = next((f for f in found if is_mistaken(f)), None)
    return function or pytest.skip("not at any of these places under this Python")


def test_a_name_and_a_place_that_read_like_another() -> None:
    x, y = np.ones(2), np.ones(5)
    function = mistaken()
    expected = function(x, y)
    assert numba.njit(unmistaken(function))(x, y) == expected


def test_names_that_are_there_already() -> None:
    def f(x1, x1_, x2):
        return x1 - 2 * x1_ + 3 * x2

    assert unmistaken(f)(1, 2, 3) == 6
    assert f.__code__.co_varnames == ("x1__", "x1_", "x2_")


def test_variables_that_functions_within_share_stay() -> None:
    def f(x1):
        def g():
            return x1

        return g()

    assert unmistaken(f)(2) == 2
    assert "x1" in f.__code__.co_varnames + f.__code__.co_cellvars
