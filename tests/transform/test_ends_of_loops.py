"""What the text of a derivative says of how loops end: no more than the program does."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

from s2sad import grad
from tests.compiled.corpus import PROGRAMS


def summed(f: Callable[..., Any]) -> Callable[..., Any]:
    """The sum of an array that a function of three gives."""

    def total(A: Any, b: Any, x: Any) -> Any:
        return np.sum(f(A, b, x))

    return total


def source(name: str) -> str:
    """The text of the gradient, without where it is from and the helpers that come with it."""
    p = PROGRAMS[name]
    f = summed(p.function) if len(p.args) == 3 else p.function
    text = grad(f, wrt=p.wrt).source_for(*p.args)
    return text.partition("\n\n\n")[2].partition("\n\n\ndef _")[0]


def reverse_sweep(text: str) -> str:
    """The last loop and what follows it."""
    return text[text.rindex("    for ") :]


@pytest.mark.parametrize(
    ("name", "line"),
    [
        ("by_a_call", "while abs(x * x - a) > 1e-09:"),
        ("by_one_of_two", "while abs(x * x - a) > 1e-09 and"),
        ("by_no_other", "while not math.isclose(x * x, a, rel_tol=0.001):"),
        ("by_the_norm", "while np.linalg.norm(r) > 0.2:"),
    ],
)
def test_tests_are_in_front(name: str, line: str) -> None:
    text = source(name)
    assert line in text and "if" not in reverse_sweep(text)


@pytest.mark.parametrize("name", ["in_the_middle", "in_the_middle_with_both"])
def test_the_last_iteration_is_known_without_a_record(name: str) -> None:
    text = source(name)
    assert "test" not in text and "            break\n" in text


def test_what_nobody_reads_is_bound_as_in_other_iterations() -> None:
    text = source("in_the_middle_of_some")
    assert (
        "if" not in reverse_sweep(text) and "        if abs(y - x) < 0.001:\n            break\n        x = y\n" in text
    )


def test_what_a_loop_does_at_its_end_needs_no_reversed_loop() -> None:
    assert source("by_bisection").count("while") == 1 and "    for " not in source("by_bisection")


def test_where_both_do_the_same_with_arrays_it_is_done_once() -> None:
    assert source("by_what_the_body_needs_too").count("= A @ x") == 1


def unbound(x: float, n: int) -> float:
    while n > 0:
        y = x * n
        n -= 1
    return y


def test_names_of_loops_that_may_not_run_are_asked() -> None:
    with pytest.raises(UnboundLocalError, match="'y'"):
        grad(unbound)(1.0, 0)


def not_a_number(x: float) -> float:
    while abs(x) < 1.0:
        x = x * 2.0
    while not abs(x) < 1.0:
        x = x * 0.5
    return x


def test_comparisons_that_fail_for_nan_are_not_turned() -> None:
    assert "while abs(x) < 1.0:" in grad(not_a_number).source_for(0.3)
    assert "while not abs(x) < 1.0:" in grad(not_a_number).source_for(0.3)
