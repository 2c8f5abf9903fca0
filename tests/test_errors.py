"""Errors say where, show the line with a caret, and survive a trip to another process."""

from __future__ import annotations

import math
import pickle
from pathlib import Path

import numpy as np
import pytest

from s2sad.errors import (
    CompileError,
    MissingRule,
    NotDifferentiable,
    S2sadError,
    SourceUnavailable,
    UnsupportedSyntax,
    qualified_name,
)
from s2sad.ir.nodes import Origin


def shown(line: str, part: str, **more: int) -> str:
    """The caret line under a part of a line."""
    start = len(line[: line.index(part)].encode())
    error = S2sadError(
        "no.", filename="f.py", lineno=3, col_offset=start, end_col_offset=start + len(part.encode()), line=line, **more
    )
    _, text, carets, _ = error.render().splitlines()
    assert text == "    " + line.strip()
    return carets


def test_all_parts_in_order() -> None:
    error = UnsupportedSyntax(
        "this is the cause.",
        "this is the help.",
        filename="model.py",
        lineno=12,
        col_offset=8,
        end_col_offset=15,
        line="    y = yield x\n",
    )
    expected = ["model.py:12", "    y = yield x", "        ^^^^^^^", "this is the cause.", "help: this is the help."]
    assert str(error).splitlines() == expected


@pytest.mark.parametrize(
    ("line", "part", "carets"),
    [
        ("y = foo(x)", "foo(x)", "        ^^^^^^"),
        ("    y = x", "y", "    ^"),
        ("\ty =\tfoo", "foo", "       \t^^^"),
        ("é = ü + foo", "foo", "            ^^^"),
        ("s = '数学' + foo", "foo", "                 ^^^"),
        ("e\u0301 = foo", "foo", "        ^^^"),
    ],
)
def test_the_caret_is_under_the_character_meant(line: str, part: str, carets: str) -> None:
    assert shown(line, part) == carets


def test_a_part_that_goes_on_is_marked_to_the_end_of_its_line() -> None:
    error = S2sadError("no.", filename="f", lineno=3, col_offset=4, end_lineno=5, end_col_offset=1, line="y = (x +\n")
    assert error.render().splitlines()[2] == "        ^^^^"


def test_without_columns_or_place() -> None:
    assert str(S2sadError("cause.")) == "cause."
    assert str(S2sadError("cause.", "help.")) == "cause.\nhelp: help."
    assert str(S2sadError("cause.", filename="f.py")) == "f.py\ncause."
    assert str(S2sadError("cause.", filename="f.py", lineno=2, line="x = 1")) == "f.py:2\n    x = 1\ncause."


def test_the_line_is_read_when_the_error_is_made(tmp_path: Path) -> None:
    path = tmp_path / "f.py"
    path.write_text("first\nsecond\n")
    error = S2sadError("cause.", filename=str(path), lineno=2, col_offset=0, end_col_offset=6)
    path.unlink()
    assert error.line == "second"
    assert "    second\n    ^^^^^^\n" in str(error)


def test_a_place_is_taken_from_an_origin_and_kept() -> None:
    first, second = Origin("a.py", 3, 4, "", 3, 9), Origin("b.py", 7, 0)
    error = NotDifferentiable("cause.", origin=first)
    assert (error.filename, error.lineno, error.col_offset) == ("a.py", 3, 4)
    assert (error.end_lineno, error.end_col_offset) == (3, 9)
    assert error.locate(second) is error
    assert error.filename == "a.py"
    assert NotDifferentiable("cause.").locate(second).filename == "b.py"


def test_family() -> None:
    for member in (UnsupportedSyntax, NotDifferentiable, MissingRule, CompileError, SourceUnavailable):
        assert issubclass(member, S2sadError)


def test_missing_rule_names_the_primitive_and_the_mode() -> None:
    error = MissingRule(np.linalg.eig, "reverse", filename="f.py", lineno=1, col_offset=0, line="np.linalg.eig(a)")
    assert (error.primitive, error.mode) == ("numpy.linalg.eig", "reverse")
    assert "numpy.linalg.eig has no derivative rule for reverse mode." in str(error)
    assert "help: " in str(error)


@pytest.mark.parametrize(
    "error",
    [
        UnsupportedSyntax("cause.", "help.", filename="f.py", lineno=3, col_offset=4, end_col_offset=6, line="a = bc"),
        MissingRule(np.sin, "forward", filename="f.py", lineno=3, col_offset=4, line="a = bc"),
        S2sadError("cause."),
    ],
)
def test_pickling(error: S2sadError) -> None:
    error.add_note("a note")
    copy = pickle.loads(pickle.dumps(error))
    assert type(copy) is type(error)
    assert str(copy) == str(error)
    assert vars(copy) == vars(error)


def test_qualified_names() -> None:
    names = [qualified_name(f) for f in (np.sin, np.sum, np.linalg.solve, math.sin, len, Origin.__init__)]
    assert names[:5] == ["numpy.sin", "numpy.sum", "numpy.linalg.solve", "math.sin", "len"]
    assert names[5] == "s2sad.ir.nodes.Origin.__init__"
    special = pytest.importorskip("scipy.special")
    assert qualified_name(special.gamma) == "scipy.special.gamma"
