"""Endless loops with a test, for Numba."""

from __future__ import annotations

import ast
import inspect
import re
import textwrap
from pathlib import Path

import pytest

from s2sad import value_and_grad
from s2sad.backend import endless
from s2sad.backend.endless import with_tests


def with_tests_in(text: str) -> str:
    """The function of these statements with tests, its statements as text."""
    (function,) = ast.parse("def f(x):\n" + textwrap.indent(text, "    ")).body
    assert isinstance(function, ast.FunctionDef)
    return "\n".join(map(ast.unparse, ast.fix_missing_locations(with_tests(function)).body))


def test_the_docstring() -> None:
    before, after = re.findall(r"(?:Before|After)::\n\n((?:    .*\n|\n)+)", inspect.getdoc(endless) or "")
    assert with_tests_in(textwrap.dedent(before)) == textwrap.dedent(after).strip()


@pytest.mark.parametrize(
    "text",
    [
        "while True:\n    x = x / 2\n    if x < 1:\n        break",
        "while x > 1:\n    if x > 2:\n        x = 0\n        break\n    x -= 1",
        "for k in range(9):\n    while True:\n        if x < 1:\n            x = 2\n            break\n        x -= 1",
        "while True:\n    while x > 2:\n        x = x - 1\n        break\n    if x < 1:\n        break",
    ],
)
def test_loops_that_stay(text: str) -> None:
    assert with_tests_in(text) == ast.unparse(ast.parse(text))


def test_names_that_are_taken() -> None:
    text = "while True:\n    again = x\n    if again < 1:\n        x += 1\n        break\n    x -= 1"
    assert with_tests_in(text).startswith("again1 = True\nwhile again1:")


def test_compiled_loops_end(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    pytest.importorskip("numba")
    monkeypatch.setenv("S2SAD_CACHE_DIR", str(tmp_path))

    def moved(a, b, n):
        k = 0
        while True:
            t = a * b
            a, b = a - 0.1 * t, b + 0.2 * t
            k += 1
            if k >= n or b > 100.0:
                break
        return a * b

    expected = value_and_grad(moved, wrt=(0, 1))(0.3, 0.4, 7)
    assert value_and_grad(moved, wrt=(0, 1), backend="numba")(0.3, 0.4, 7) == expected
