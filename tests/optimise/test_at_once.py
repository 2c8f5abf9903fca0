"""Loops whose iterations are reversed as soon as they have run, and those that are not."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import replace
from typing import Any

import numpy as np
import pytest

from s2sad import grad, hvp, value_and_grad
from s2sad.ir.nodes import For
from s2sad.ir.printer import show
from s2sad.ir.rewrite import map_stmts, walk, with_body
from s2sad.ir.verify import verify
from s2sad.optimise.at_once import reverse_at_once
from tests.compiled.corpus import PROGRAMS
from tests.ir.reader import read
from tests.optimise.test_docstrings import reversing
from tests.texts import own_text

JOINED = (
    *("network_of_lists", "two_sums", "filled_in_each_iteration", "batches", "with_counts", "with_sums_read_behind"),
    "sum_of_a_generator",
)
APART = (
    *("filled_for_some_numbers", "filled_after_it_is_read", "filled_where_positive", "kept_from_the_last"),
    *("scratch_seen_later", "squared", "of_running_sums", "of_sums_squared", "of_an_array_that_changes"),
    *("of_one_that_changes_first", "of_a_stack", "with_the_greatest_behind"),
)


def outer_loops(f: Callable[..., Any], wrt: Any, args: tuple[Any, ...]) -> int:
    """How many loops of the gradient are in no other."""
    body = own_text(grad(f, wrt=wrt).source_for(*args), f"{f.__name__}_grad(")
    return sum(line.startswith("    for ") for line in body.splitlines())


@pytest.mark.parametrize("name", JOINED)
def test_iterations_are_reversed_at_once(name: str) -> None:
    p = PROGRAMS[name]
    assert outer_loops(p.function, p.wrt, p.args) == {"network_of_lists": 2, "two_sums": 2}.get(name, 1)


@pytest.mark.parametrize("name", APART)
def test_iterations_that_others_ask_for_are_not(name: str) -> None:
    p = PROGRAMS[name]
    assert outer_loops(p.function, p.wrt, p.args) >= 2


@pytest.mark.parametrize(
    ("name", "loops"),
    [
        *(("sum_by_a_flag", 3), ("sum_by_no_flag", 3), ("sums_by_what_they_are_of", 3)),
        *(("squared_by_a_flag", 2), ("by_a_flag_and_changed_behind", 1), ("by_a_flag_that_is_asked_again", 3)),
    ],
)
def test_branches_are_reversed_where_their_loops_are(name: str, loops: int) -> None:
    """One loop for each that is a sum, with those inside: no loop goes over the same again."""
    p = PROGRAMS[name]
    text = grad(p.function, wrt=0).source_for(*p.args)
    assert sum(line.lstrip().startswith("for ") for line in text.splitlines()) == loops


def test_only_the_loop_whose_adjoint_is_known_is_joined() -> None:
    p = PROGRAMS["scaled_by_the_first"]
    assert outer_loops(p.function, p.wrt, p.args) == 3


def sines(w: Any, x: Any) -> Any:
    total = 0.0
    for i in range(len(x)):
        h = w
        for _ in range(3):
            h = math.sin(h + w * x[i])
        total += 0.1 * h
    return total / len(x)


def test_values_are_those_of_the_function() -> None:
    """To the last bit: what is added up for the value is so in the order of the program."""
    for n in (1, 2, 17):
        x = np.linspace(-1.0, 1.0, n)
        assert value_and_grad(sines)(0.3, x)[0] == sines(0.3, x)


def test_printing_happens_once_and_in_order(capsys: pytest.CaptureFixture[str]) -> None:
    def f(w, n):
        total = 0.0
        for i in range(n):
            h = math.sin(w * i)
            print("term", i)
            for _ in range(2):
                h = math.sin(h)
            total += h
        print("done")
        return total

    text = grad(f).source_for(0.3, 3)
    assert "list_pop" not in text and "tape = []\n    for" not in text
    grad(f)(0.3, 3)
    assert capsys.readouterr().out == "term 0\nterm 1\nterm 2\ndone\n"


def test_calls_that_may_change_anything_keep_loops_apart() -> None:
    rng = np.random.default_rng(1)

    def f(w, n):
        total = 0.0
        for _ in range(n):
            h = w * rng.normal()
            for _ in range(2):
                h = math.sin(h)
            total += h
        return total

    assert outer_loops(f, 0, (0.3, 3)) == 2


def test_derivatives_of_such_derivatives() -> None:
    w, x = 0.3, np.linspace(0.1, 0.7, 5)
    h = 1e-5
    expected = (grad(sines)(w + h, x) - grad(sines)(w - h, x)) / (2 * h)
    assert hvp(sines)(w, x, 1.0) == pytest.approx(expected, rel=1e-7)
    assert grad(lambda w, x: grad(sines)(w, x))(w, x) == pytest.approx(expected, rel=1e-7)


#: A loop, what is between, and the loop that reverses it.
IR = """
def f(x: float64[1]#1, y: float64[1]#2, n: int):
    h_tape: list[float] = []
    for i in range(0, n) carrying (total: float = 0.0):
        t: float = x[i]
        h: float = math.tanh(t)
        list_append(h_tape, h)
        {forward}
        v: float = total + h
        next v
    -> s
    {between}
    m: int = n - 1
    for j in range(m, -1, -1) carrying (b: float = 0.0):
        k: float = list_pop(h_tape, -1)
        {reverse}
        c: float = {added}
        next c
    -> g
    return g
"""


@pytest.mark.parametrize(
    ("forward", "between", "reverse", "added", "joins"),
    [
        ("pass", "pass", "pass", "k + b", True),
        ("pass", "y[0] = 1.0", "pass", "k + b", True),
        ("pass", "y[0] = s", "pass", "k + b", True),
        ("pass", "y[0] = s", "y[j] += k", "k + b", False),  # what is stored comes after what was added
        ("pass", "y[0] = s", "x[j] += k", "k + b", False),  # the first loop reads it
        ("pass", "pass", "y[j] += k", "k + b", True),
        ("pass", "pass", "y[j] = k", "k + b", False),  # the last one counts
        ("y[i] = h", "pass", "y[j] += k", "k + b", False),
        ("y[i] += h", "pass", "y[j] += k", "k + b", True),
        ("y[i] += h", "z: float = y[0]", "y[j] += k", "k + b", False),
        ("y[i] = h", "pass", "pass", "k + b", True),
        ("print(h)", "pass", "pass", "k + b", True),
        ("pass", "print(n)", "pass", "k + b", True),
        ("print(h)", "print(n)", "pass", "k + b", True),
        ("pass", "print(s)", "pass", "k + b", True),
        ("pass", "print(n)", "print(k)", "k + b", True),
        ("print(h)", "pass", "print(k)", "k + b", False),
        ("list_append(h_tape, t)", "pass", "pass", "k + b", False),
        ("pass", "u: int = len(h_tape)", "pass", "k + b", False),
        ("pass", "pass", "z: float = k * s", "z + b", False),
        ("pass", "pass", "pass", "k * b", False),
        ("pass", "pass", "pass", "k - b", False),
        ("pass", "pass", "pass", "b - k", True),
        ("pass", "pass", "z: float = k * b", "z + b", False),
    ],
)
def test_which_loops_are_joined(forward: str, between: str, reverse: str, added: str, joins: bool) -> None:
    lines = IR.format(forward=forward, between=between, reverse=reverse, added=added).strip().splitlines()
    function = read("\n".join(line for line in lines if line.strip() != "pass"))
    joined = show(reverse_at_once(reversing(function)))
    assert (joined.count("for ") == 1) == joins, joined


def test_a_loop_is_joined_with_one_that_reverses_it() -> None:
    """A derivative of a derivative may have two."""
    text = IR.format(forward="list_append(t_tape, t)", between="pass", reverse="pass", added="k + b")
    again = """
    for l in range(m, -1, -1) carrying (e: float = 0.0):
        p: float = list_pop(t_tape, -1)
        q: float = p + e
        next q
    -> r
    o: float = g + r
    return o
"""
    text = text.replace("\n    return g\n", again).replace("    h_tape:", "    t_tape: list[float] = []\n    h_tape:")
    function = read("\n".join(line for line in text.strip().splitlines() if line.strip() != "pass"))
    loops = [s for s in walk(function) if isinstance(s, For)]
    told = with_body(
        function, map_stmts(function.body, lambda s: replace(s, reverses=loops[0].index) if s in loops[1:] else s)
    )
    joined = show(verify(reverse_at_once(told)))
    assert joined.count("for ") == 2 and "list_pop(h_tape" not in joined and "list_pop(t_tape" in joined
