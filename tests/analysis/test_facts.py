"""What passes ask of a function."""

from __future__ import annotations

import pytest

from s2sad.analysis.facts import Facts
from tests.ir.reader import read

#: Statements, whether there is a store, and whether nothing changes.
CASES = {
    "arithmetic": ("t = x * x; u = math.sin(t)", False, True),
    "a view": ("u: float64[1] = A[0]", False, True),
    "a store": ("A[0] = x", True, False),
    "an append": ("xs: list[float] = []; list_append(xs, x)", False, False),
    "out=": ("u: float64[1] = np.sin(A, out=A)", False, False),
    "a call of anything": ("print(x)", False, False),
}


@pytest.mark.parametrize("name", CASES)
def test_changes(name: str) -> None:
    body, stores, still = CASES[name]
    lines = ["def f(x: float, A: float64[2]):", *(f"    {line}" for line in body.split("; ")), "    return x"]
    facts = Facts(read("\n".join(lines)))
    assert (facts.stores, facts.still) == (stores, still)


def test_facts_are_found_once() -> None:
    facts = Facts(read("def f(x):\n    y = x * x\n    return y"))
    assert facts.memory is facts.memory and facts.uses is facts.uses
