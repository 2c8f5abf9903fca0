"""What Numba refuses is said in words of the program, with its line."""

from __future__ import annotations

import doctest
from pathlib import Path

import numpy as np
import pytest

from s2sad import CompileError, grad
from s2sad.compiled import messages

pytest.importorskip("numba")


@pytest.fixture(autouse=True)
def cache(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("S2SAD_CACHE_DIR", str(tmp_path))


@pytest.mark.parametrize(
    ("said", "cause"),
    [
        ("No implementation of function Function(<function flip at 0x7f>) found for signature.", "no `flip` for"),
        ("No implementation of function Function(<built-in function isub>) found", "no `-=` for"),
        ("No implementation of function Function(<ufunc 'arctan2'>) found", "no `arctan2` for"),
        (
            "No implementation of function Function(<function literal_list_banned_append at 0x7f>)",
            "a list that changes",
        ),
        ("Cannot unify float64 and array(float64, 2d, C) for 't.2', defined at m.py (3)", "a float and an array of fl"),
        ("failed to unpack undefined.", "no path to it gives"),
        ("Unknown attribute 'shape' of type undefined", "no path to it gives"),
        (
            "Use of unsupported NumPy function 'numpy.modf' or unsupported use of the function.",
            "no `numpy.modf`, or not",
        ),
        ("Cannot infer the type of variable 'z', have imprecise type: list(undefined)<iv=None>.", "an empty list"),
        ("can't unbox heterogeneous list: int64 != unicode_type", "an integer and text"),
        ("can't unbox heterogeneous list: UniTuple(float64 x 2) != Tuple(float64, int64)", "a tuple and another"),
        ("non-precise type pyobject", "a type that machine code has not"),
        ("Type of variable 'b.9' cannot be determined, operation: $x, location: m.py (5)", "the type of a value"),
    ],
)
def test_causes(said: str, cause: str) -> None:
    found = messages.told(said)
    assert found is not None
    assert cause in found.cause
    assert "backend='python'" in found.help


def test_what_is_not_known_is_left() -> None:
    assert messages.told("something else") is None


def test_examples() -> None:
    assert doctest.testmod(messages).failed == 0


def spectrum(x):
    y = x * 2.0
    return np.sum(np.abs(np.fft.fft(y)) ** 2)


def test_the_line_is_the_users() -> None:
    with pytest.raises(CompileError, match=r"machine code has no `numpy\.fft\.fft`") as caught:
        grad(spectrum, backend="numba")(np.ones(4, np.float32))
    assert caught.value.lineno == spectrum.__code__.co_firstlineno + 2
    assert "numba" not in str(caught.value).lower().replace("in a form that numba compiles", "")


def chosen(x, y):
    return np.sum((x if np.sum(x) < 1.0 else y * np.array([1.0, 2.0])) ** 2)


def test_text_for_arguments_of_any_kinds_says_how_to_tell_them() -> None:
    g = grad(chosen, backend="numba")
    with pytest.raises(CompileError, match=r"number or an array.*\n.*source_for\(\*args\)"):
        _ = g.source
    assert "def chosen_grad" in g.source_for(np.ones(2), 2.0)
