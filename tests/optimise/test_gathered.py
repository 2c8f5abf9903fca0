"""Lists whose items have one adjoint: iterations that compute them are reversed as soon as they have run."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import pytest

from s2sad import grad, hvp, value_and_grad, vjp
from s2sad.ir.printer import show
from s2sad.ir.rewrite import map_stmts, with_body
from s2sad.ir.verify import verify
from s2sad.optimise.gathered import know_gathered
from tests.compiled.corpus import PROGRAMS
from tests.ir.reader import opaque, read
from tests.optimise.test_at_once import outer_loops
from tests.optimise.test_docstrings import reversing_first

JOINED = (
    *("mean_of_losses", "mean_of_losses_of_a_list", "mean_of_a_list_of_losses", "sum_of_an_array_of_losses"),
    *("mean_of_appended_losses", "losses_by_a_while_loop", "losses_of_batches"),
    "losses_measured_before_and_after",
)
APART = (
    *("losses_above_a_level", "losses_read_again", "losses_with_a_first", "losses_by_another_name"),
    *("losses_that_follow", "losses_until_one_is_small"),
)


@pytest.mark.parametrize("name", JOINED)
def test_iterations_are_reversed_at_once(name: str) -> None:
    p = PROGRAMS[name]
    assert outer_loops(p.function, 0, p.args) == 1


@pytest.mark.parametrize("name", APART)
def test_lists_that_do_more_keep_loops_apart(name: str) -> None:
    p = PROGRAMS[name]
    assert outer_loops(p.function, 0, p.args) >= 2


def test_what_reads_the_items_again_is_a_loop_of_its_own() -> None:
    p = PROGRAMS["losses_added_by_hand"]
    assert outer_loops(p.function, 0, p.args) == 2


def test_no_list_is_left() -> None:
    p = PROGRAMS["mean_of_losses"]
    text = grad(p.function).source_for(*p.args)
    assert "losses.append" not in text
    assert "blosses" not in text


def sines(w: Any, x: Any) -> Any:
    items = []
    for k in range(len(x)):
        h = w
        for _ in range(2):
            h = math.sin(h + w * x[k])
        items.append(h)
    return np.sum(items) / len(items)


@pytest.mark.parametrize("n", [1, 2, 9, 30])
def test_values_are_those_of_the_function(n: int) -> None:
    x = np.linspace(-1.0, 1.0, n)
    value, slope = value_and_grad(sines)(0.3, x)
    assert value == sines(0.3, x)
    h = 1e-6
    assert slope == pytest.approx((sines(0.3 + h, x) - sines(0.3 - h, x)) / (2 * h), rel=1e-7)
    assert vjp(sines, 0.3, x)[1](2.0)[0] == pytest.approx(2 * slope, rel=1e-12)
    assert hvp(sines)(0.3, x, 1.0) == pytest.approx((grad(sines)(0.3 + h, x) - grad(sines)(0.3 - h, x)) / (2 * h))


def test_of_no_items() -> None:
    def f(w: float, x: Any) -> Any:
        items = []
        for v in x:
            items.append(math.sin(w * v))
        return sum(items) + w

    assert grad(f)(0.3, np.zeros(0)) == 1.0
    with pytest.raises(ZeroDivisionError):
        value_and_grad(PROGRAMS["mean_of_losses"].function)(0.3, [])


#: A loop that appends, what makes the list of adjoints, and the loop that takes them.
IR = """
def f(x: float64[1]#1, n: int, b: float):
    terms: list[float] = []
    for k in range({over}):
        t = x[k]
        h = b * t
        list_append(terms, h)
        {within}
    m: int = len(terms)
    {made}
    o = n - 1
    for i in range(o, -1, -1) carrying (bw: float = 0.0):
        u: float = list_pop(bterms, -1)
        v = x[i]
        d = u * v
        e = d + bw
        next e
    -> g
    r = g * m
    return r
"""
REPEATED = "z: list[float] = [0.0]\nbterms: list[float] = list_repeat(z, m)\n"
FILLED = REPEATED + "last = m - 1\nfor j in range(last, -1, -1):\n    bterms[j] += b"


def known(made: str = FILLED, over: str = "0, n", within: str = "") -> str:
    parts = [part.replace("\n", "\n" + " " * width) for part, width in ((made, 4), (within, 8))]
    function = reversing_first(read(IR.format(made=parts[0], within=parts[1], over=over), opaque=opaque))
    assert with_body(function, map_stmts(function.body, lambda s: s)) is function
    return show(verify(know_gathered(function)))


@pytest.mark.parametrize(
    ("made", "factor"),
    [
        (FILLED, "b"),
        (FILLED.replace("last, -1, -1", "0, m"), "b"),
        (FILLED.replace("    bterms[j] += b", "    c = b * 0.5\n    e = c - b\n    bterms[j] += e"), "e"),
        (REPEATED, "0.0"),
        (REPEATED.replace("[0.0]", "[b]"), "b"),
        ("a: float64[1] = np.array(terms)\nq = np.ones_like(a)\nbterms: list[float] = unpack(q, terms)", "1.0"),
        ("a: float64[1] = np.array(terms)\nq = np.full_like(a, b)\nbterms: list[float] = unpack(q, terms)", "b"),
    ],
)
def test_items_that_are_alike(made: str, factor: str) -> None:
    text = known(made)
    assert "list_pop" not in text
    assert f"d = {factor} * v" in text


@pytest.mark.parametrize(
    "made",
    [
        FILLED.replace("last, -1, -1", "last, 0, -1"),
        FILLED.replace("last, -1, -1", "0, n"),
        FILLED.replace("+= b", "-= b"),
        FILLED.replace("+= b", "= b"),
        FILLED.replace("    bterms[j] += b", "    c = x[j]\n    bterms[j] += c"),
        FILLED.replace("    bterms[j] += b", "    if m:\n        bterms[j] += b"),
        FILLED.replace("    bterms[j] += b", "    c = b / 0.5\n    bterms[j] += c"),
        FILLED + "\nbterms[0] += b",
        FILLED + "\nopaque(bterms)",
        FILLED + "\ny = bterms[0]",
        FILLED + "\nlist_append(z, b)",
        REPEATED.replace("[0.0]", "[b, b]"),
        "a: float64[1] = np.array(terms)\nq = np.full_like(a, b)\nq[0] = 2.0\nbterms: list[float] = unpack(q, terms)",
        "q = np.full_like(x, b)\nbterms: list[float] = unpack(q, terms)",
        "bterms: list[float] = opaque(terms)",
    ],
)
def test_items_that_may_differ(made: str) -> None:
    assert "list_pop" in known(made)


def test_lengths() -> None:
    assert "m = max(0, n)" in known()
    assert "len(terms)" not in known(over="0, 7")
    assert "t_1 = range(2, n, 3)\n    m = len(t_1)" in known(over="2, n, 3")


@pytest.mark.parametrize(
    ("made", "within"),
    [
        (FILLED, "list_append(terms, b)"),
        (FILLED, "opaque(terms)"),
        (FILLED + "\nlist_append(terms, b)", ""),
        (FILLED + "\ny: float = list_pop(terms, -1)", ""),
        (
            FILLED
            + "\nothers: list[float] = []\nif m:\n    give terms\nelse:\n    give others\n-> w\nlist_append(w, b)",
            "",
        ),
    ],
)
def test_lengths_that_are_not_known(made: str, within: str) -> None:
    assert "m = len(terms)" in known(made, within=within)
