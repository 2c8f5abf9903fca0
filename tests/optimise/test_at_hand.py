"""What is taken off a list right where it was put, and what is not."""

from __future__ import annotations

import pytest

from s2sad.ir.printer import show
from s2sad.ir.verify import verify
from s2sad.optimise.at_hand import take_at_hand
from tests.ir.reader import read

IR = """
def f(c: bool, x: float, w: float, n: int):
    tape: list[float] = []
    other: list[float] = []
    list_append(tape, w)
    for i in range(0, n) carrying (y: float = x):
        {lines}
        z = {result} * y
        next z
    -> r
    p: float = list_pop(tape, -1)
    q = r + p
    return q
"""


@pytest.mark.parametrize(
    ("lines", "result", "left"),
    [
        (["list_append(tape, y)", "u: float = list_pop(tape, -1)"], "u", 2),
        (["list_append(tape, y)", "list_append(tape, x)", "u: float = list_pop(tape, -1)"], "u", 3),
        (
            ["list_append(tape, y)", "u: float = list_pop(tape, -1)", "list_append(other, u)"]
            + ["v: float = list_pop(other, -1)"],
            "v",
            2,
        ),
        (["u: float = list_pop(tape, -1)", "list_append(tape, y)"], "u", 4),
        (["list_append(tape, y)", "k: int = len(tape)", "u: float = list_pop(tape, -1)"], "u", 4),
        (["list_append(tape, y)", "u: float = list_pop(tape, 0)"], "u", 4),
        (["list_append(tape, y)", "if c:", "    list_append(tape, x)", "u: float = list_pop(tape, -1)"], "u", 5),
    ],
)
def test_what_is_at_hand(lines: list[str], result: str, left: int) -> None:
    function = read(IR.format(lines="\n        ".join(lines), result=result).strip())
    text = show(verify(take_at_hand(function)))
    assert text.count("list_append") + text.count("list_pop") == left, text
