"""Lengths that are checked at the beginning: those that will be needed, and no others."""

from __future__ import annotations

import pytest

from s2sad.ir.printer import show
from s2sad.optimise.foresee import foresee_lengths
from tests.ir.reader import read

HEAD = "def f(u: float64[1]#1, v: float64[1]#2, m: float64[2]#3, n: int):\n"


def checks(body: str) -> set[str]:
    """The checks that are put before a function, with arrays for lengths."""
    text = show(foresee_lengths(read(HEAD + "\n".join("    " + line for line in body.strip("\n").split("\n")))))
    lines = [line.strip() for line in text.split("\n")]
    shapes = {k: a[len("np.shape(") : -1] for k, _, a in (line.partition(" = ") for line in lines) if "np.shape" in a}
    lengths = {}
    for name, _, item in (line.partition(" = ") for line in lines):
        array, _, axis = item.rstrip("]").partition("[")
        if array in shapes:
            lengths[name] = f"{shapes[array]}.{axis}"
    found = (line.removesuffix(")").split("(") for line in lines if line.startswith(("at_least", "same_length")))
    return {f"{fn} {' '.join(lengths.get(a, a) for a in args.split(', '))}" for fn, args in found}


@pytest.mark.parametrize(
    ("body", "expected"),
    [
        ("a = u[5]\nreturn a", {"at_least u.0 6"}),
        ("a = u[-2]\nb = u[1]\nreturn a", {"at_least u.0 2"}),
        ("u[3] = 1.0\nreturn n", {"at_least u.0 4"}),
        ("s = make_slice(1, -2, None)\na: float64[1] = u[s]\nreturn n", {"at_least u.0 2"}),
        ("s = make_slice(2, None, None)\na: float64[1] = u[s]\nb = a[1]\nreturn b", {"at_least u.0 4"}),
        ("t = (1, 2)\na = m[t]\nreturn a", {"at_least m.0 2", "at_least m.1 3"}),
        ("a = u[n]\nreturn a", set()),
        ("same_axes(u, v)\nreturn n", {"same_length v.0 u.0"}),
        (
            "l = [1.0, 2.0]\na: float64[1] = np.array(l)\nsame_axes(m, a)\nsame_axes(u, v)\nreturn n",
            {"same_length m.1 2", "same_length v.0 u.0"},
        ),
        ("for i in range(0, n):\n    a = u[2]\nreturn n", {"at_least u.0 3"}),
        ("c = n > 2\nif c:\n    a = u[2]\n    give a\nelse:\n    give 0.0\n-> r: float\nreturn r", {"at_least u.0 3"}),
        (
            "s = np.shape(u)\nk = s[0]\nc = k > 2\nif c:\n    a = u[2]\n    give a\nelse:\n    give 0.0\n"
            "-> r: float\nreturn r",
            set(),
        ),
    ],
)
def test_checks(body: str, expected: set[str]) -> None:
    assert checks(body) == expected


LOOP = """
for i in range(0, n) carrying (x: float64[1]#4 = u):
    {0}
    next y
-> z: float64[1]
w = z[2]
return w
"""


def test_a_loop_that_keeps_the_shape_of_an_argument() -> None:
    assert checks(LOOP.format("y: float64[1] = x * 2.0")) == {"at_least u.0 3"}


def test_a_loop_that_does_not() -> None:
    assert checks(LOOP.format("t = (x, v)\n    y: float64[1] = np.concatenate(t)")) == set()


BRANCH = """a: float64[1] = x * 2.0
    if n:
        {0}
        give b
    else:
        give x
    -> y: float64[1]"""


def test_branches_that_keep_the_shape_of_an_argument() -> None:
    assert checks(LOOP.format(BRANCH.format("b: float64[1] = a + x"))) == {"at_least u.0 3"}


def test_branches_that_do_not() -> None:
    other = BRANCH.format("t = (x, v)\n        b: float64[1] = np.concatenate(t)")
    assert checks(LOOP.format(other)) == set()
