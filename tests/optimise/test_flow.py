"""Shapes of what loops carry, branches give and lists hold: r has the shape of s, or that is not known."""

from __future__ import annotations

import pytest

from s2sad.analysis.memory import Memory
from s2sad.ir.kinds import Array
from s2sad.ir.nodes import Function
from s2sad.ir.rewrite import all_vars
from s2sad.ir.verify import verify
from s2sad.optimise.flow import shapes_through
from s2sad.optimise.tokens import name_shapes
from tests.ir.reader import read

HEAD = "def f(u: float64[1], v: float64[1], n: int, l: list[float64[1]]):\n    s: float64[1] = np.sin(u)\n"

#: Statements, and whether r then has the shape of s.
CASES = {
    "taken out as it was put in": ("a = [u]\nr: float64[1] = a[0]", True),
    "popped": ("a = [u]\nr: float64[1] = list_pop(a, 0)", True),
    "put in by all means": (
        "a = []\nlist_append(a, u)\nlist_insert(a, 0, s)\na[0] = s\nr: float64[1] = a[n]",
        True,
    ),
    "of two shapes": ("a = [u]\nlist_append(a, v)\nr: float64[1] = a[0]", False),
    "of another shape later": ("a = [u]\nr: float64[1] = a[0]\na[0] = v", False),
    "of another shape in a branch": (
        "a = [u]\nc = n > 2\nif c:\n    a[0] = v\n    give 0\nelse:\n    give 1\n-> k: int\nr: float64[1] = a[0]",
        False,
    ),
    "of a caller": ("r: float64[1] = l[0]", False),
    "into a list of a caller": ("list_append(l, u)\nr: float64[1] = l[0]", False),
    "a list that a caller holds": (
        "a: list[float64[1]] = [u]\nlist_append(a, s)\nw: float64[1] = l[0]\nlist_append(a, w)\nr: float64[1] = a[0]",
        False,
    ),
    "a copy of a list": ("a: list[float64[1]] = [u]\nb: list[float64[1]] = list_copy(a)\nr: float64[1] = b[0]", True),
    "into a copy": (
        "a: list[float64[1]] = [u]\nb: list[float64[1]] = list_copy(a)\nlist_append(b, v)\nr: float64[1] = a[0]",
        False,
    ),
    "repeated": (
        "b: list[float64[1]] = [u]\na: list[float64[1]] = list_repeat(b, n)\na[1] = s\nr: float64[1] = a[0]",
        True,
    ),
    "extended": (
        "a: list[float64[1]] = [u]\nb: list[float64[1]] = [v]\nlist_extend(a, b)\nr: float64[1] = a[0]",
        False,
    ),
    "extended by a caller's": ("a: list[float64[1]] = [u]\nlist_extend(a, l)\nr: float64[1] = a[0]", False),
    "a list of lists": (
        "a: list[float64[1]] = [u]\nb: list[list[float64[1]]] = [a]\n"
        "c: list[float64[1]] = b[0]\nr: float64[1] = c[0]",
        True,
    ),
    "into a list of lists": (
        "a: list[float64[1]] = [u]\nb: list[list[float64[1]]] = [a]\n"
        "c: list[float64[1]] = b[0]\nlist_append(c, v)\nr: float64[1] = a[0]",
        False,
    ),
    "in tuples": (
        "t: (float64[1], float64[1]) = (v, u)\na: list[(float64[1], float64[1])] = [t]\n"
        "p: (float64[1], float64[1]) = a[0]\nr: float64[1] = p[1]",
        True,
    ),
    "in the other place of tuples": (
        "t: (float64[1], float64[1]) = (v, u)\na: list[(float64[1], float64[1])] = [t]\n"
        "p: (float64[1], float64[1]) = a[0]\nr: float64[1] = p[0]",
        False,
    ),
    "in tuples of two shapes": (
        "t: (float64[1], int) = (u, 0)\nq: (float64[1], int) = (v, 0)\na: list[(float64[1], int)] = [t, q]\n"
        "p: (float64[1], int) = a[0]\nr: float64[1] = p[0]",
        False,
    ),
    "tuples that move": (
        "t: (float64[1], int) = (u, 0)\na: list[(float64[1], int)] = [t]\n"
        "p: (float64[1], int) = a[0]\nlist_append(a, p)\nr: float64[1] = p[0]",
        True,
    ),
    "carried by a list": (
        "a: list[float64[1]] = [u]\nfor k in range(0, n):\n    w: float64[1] = a[k]\n    x: float64[1] = np.sin(w)\n"
        "    list_append(a, x)\nr: float64[1] = a[n]",
        True,
    ),
    "carried by a list, and broadcast": (
        "a: list[float64[1]] = [u]\nfor k in range(0, n):\n    w: float64[1] = a[k]\n    x: float64[1] = w + v\n"
        "    list_append(a, x)\nr: float64[1] = a[n]",
        False,
    ),
    "of one iteration only": (
        "a: list[float64[1]] = []\nfor k in range(0, n):\n    w: float64[1] = l[k]\n    list_append(a, w)\n"
        "    r: float64[1] = a[0]\n    s: float64[1] = np.sin(w)",
        False,
    ),
    "stored into, and added to": ("a: list[float64[1]] = [u]\na[0] += s\nr: float64[1] = a[0]", True),
    "added to by another shape": ("a: list[float64[1]] = [u]\na[0] += v\nr: float64[1] = a[0]", False),
    "zeros like what a list holds": (
        "a: list[float64[1]] = [u]\nb: list[float64[1]] = zeros_like(a)\nlist_append(b, s)\nr: float64[1] = b[0]",
        True,
    ),
    "zeros like what a list holds by then": (
        "a: list[float64[1]] = [u]\nb: list[float64[1]] = zeros_like(a)\nlist_append(a, v)\nr: float64[1] = b[0]",
        False,
    ),
    "zeros like what a caller's list holds": (
        "b: list[float64[1]] = zeros_like(l)\nlist_append(b, s)\nr: float64[1] = b[1]",
        False,
    ),
    "carried by a loop": (
        "for k in range(0, n) carrying (w: float64[1]#9 = u):\n    x: float64[1] = np.sin(w)\n    next x\n"
        "-> r: float64[1]#8",
        True,
    ),
    "broadcast in a loop": (
        "for k in range(0, n) carrying (w: float64[1]#9 = u):\n    x: float64[1] = w + v\n    next x\n"
        "-> r: float64[1]#8",
        False,
    ),
    "broadcast in a branch in a loop": (
        "for k in range(0, n) carrying (w: float64[1] = u):\n    c = k > 2\n    if c:\n        x: float64[1] = w + v\n"
        "        give x\n    else:\n        give w\n    -> y: float64[1]\n    next y\n-> r: float64[1]",
        False,
    ),
    "the same of two branches": (
        "c = n > 2\nif c:\n    a: float64[1] = np.cos(u)\n    give a\nelse:\n    give s\n-> r: float64[1]#7",
        True,
    ),
    "another of two branches": ("c = n > 2\nif c:\n    give v\nelse:\n    give s\n-> r: float64[1]#7", False),
    "a token that an array in a branch has": (
        "c = n > 2\nif c:\n    same_length(n, 3)\n    a: float64[1]#6 = np.zeros(n)\n    give a\n"
        "else:\n    b: float64[1]#6 = np.copy(v)\n    give b\n-> r: float64[1]",
        False,
    ),
}


def program(body: str) -> Function:
    """The function with these statements."""
    return verify(read(HEAD + "\n".join("    " + line for line in body.split("\n")) + "\n    return n"))


@pytest.mark.parametrize("title", CASES)
def test_tokens(title: str) -> None:
    body, same = CASES[title]
    found = {v.hint: v.kind for v in all_vars(name_shapes(program(body))[0].body) if v.hint in "rs"}
    r, s = found["r"], found["s"]
    assert isinstance(r, Array) and isinstance(s, Array)
    assert (r.shape is not None and r.shape == s.shape) == same


@pytest.mark.parametrize("title", CASES)
def test_shapes_by_what_has_been_checked(title: str) -> None:
    body, same = CASES[title]
    function = program(body)
    u = function.params[0]
    known = {v.hint: shape for v, shape in shapes_through(function, Memory(function)).items()}
    assert (known.get("r") == (("axis", u, 0),)) == same


@pytest.mark.parametrize("second", ["np.sum(w, axis=1, keepdims=True)", "np.copy(w)"])
def test_axes_that_are_as_long_in_all_that_a_list_holds(second: str) -> None:
    """One that a sum keeps has length one, however long the other is."""
    function = read(
        "def f(l: list[float64[2]], n: int):\n"
        "    a: list[(float64[2], int)] = []\n"
        "    for k in range(0, n):\n"
        "        w: float64[2] = l[k]\n"
        "        y: float64[2] = np.sum(w, axis=1, keepdims=True)\n"
        f"        z: float64[2] = {second}\n"
        "        p: (float64[2], int) = (y, 0)\n"
        "        list_append(a, p)\n"
        "        q: (float64[2], int) = (z, 0)\n"
        "        list_append(a, q)\n"
        "    t: (float64[2], int) = list_pop(a, -1)\n"
        "    r: float64[2] = t[0]\n"
        "    return n"
    )
    (r,) = (v for v in all_vars(function) if v.hint == "r")
    expected = (("axis", r, 0), 1) if "sum" in second else None
    assert shapes_through(function, Memory(function)).get(r) == expected


def test_what_a_product_needs_is_not_believed() -> None:
    """It is pure, and may go; a loop over w by the length of u would then read what is not there."""
    function = read(
        "def f(A: float64[2], u: float64[1], n: int):\n"
        "    z: float64[1] = A @ u\n"
        "    a: float64[1] = A[0]\n"
        "    s: float64[1] = a * 2.0\n"
        "    for k in range(0, n) carrying (w: float64[1] = s):\n"
        "        x: float64[1] = np.sin(w)\n"
        "        next x\n"
        "    -> r: float64[1]\n"
        "    t = (z, r)\n    return t\n"
    )
    known = {v.hint: shape for v, shape in shapes_through(function, Memory(function)).items()}
    assert known["w"] == known["r"] == (("axis", function.params[0], 1),)


@pytest.mark.parametrize(
    ("block", "same"),
    [("if c:\n    same_axes(a, b)\n    give 0\nelse:\n    give 1\n-> k: int", False), ("same_axes(a, b)", True)],
)
def test_what_is_checked_in_a_branch_is_not_believed_elsewhere(block: str, same: bool) -> None:
    body = "c = n > 2\na: float64[1]#6 = np.exp(u)\nb: float64[1]#7 = np.exp(v)\n" + block
    found = {v.hint: v.kind for v in all_vars(name_shapes(program(body))[0].body)}
    a, b = found["a"], found["b"]
    assert isinstance(a, Array) and isinstance(b, Array)
    assert (a.shape == b.shape) == same


def test_what_is_checked_of_arrays_of_a_branch_is_believed_of_them() -> None:
    body = (
        "c = n > 2\nif c:\n    a: float64[1]#6 = np.exp(u)\n    b: float64[1]#7 = l[0]\n    same_axes(a, b)\n"
        "    d: float64[1] = np.sin(b)\n    give 0\nelse:\n    give 1\n-> k: int"
    )
    found = {v.hint: v.kind for v in all_vars(name_shapes(program(body))[0].body)}
    assert found["a"] == found["d"]


@pytest.mark.parametrize(
    ("change", "kept"),
    [
        ("w: float64[2] = grown(z, n)", [1]),
        ("w: float64[2] = np.sin(z)", [0, 1]),
        ("w: float64[2] = np.transpose(z)", []),
        (
            "c = i > 2\nif c:\n    a: float64[2] = grown(z, n)\n    give a\nelse:\n    give z\n-> w: float64[2]",
            [1],
        ),
    ],
)
def test_axes_that_a_loop_keeps(change: str, kept: list[int]) -> None:
    body = "".join(f"        {line}\n" for line in change.splitlines())
    text = (
        "def f(x: float64[2], n: int):\n    for i in range(0, n) carrying (z: float64[2] = x):\n"
        f"{body}        next w\n    -> r: float64[2]\n    return r\n"
    )
    function = read(text)
    verify(function)
    [x, r] = [v for v in all_vars(function) if v.hint in ("x", "r")]
    known = shapes_through(function, Memory(function)).get(r, ())
    assert [k for k, dim in enumerate(known) if dim == ("axis", x, k)] == kept
