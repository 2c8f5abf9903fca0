"""Tapes that grow and shrink together become one."""

from __future__ import annotations

from s2sad.ir.printer import show
from s2sad.ir.verify import verify
from s2sad.optimise.tapes import merge_tapes
from tests.ir.reader import read
from tests.ir_interpreter import interpret


def program(forward: str, reverse: str, tapes: str = "a_tape: list[float] = []; b_tape: list[float] = []") -> str:
    """A sweep forth and back over n iterations."""
    lines = ["def f(x: float, n: int):", *(f"    {line}" for line in tapes.split("; "))]
    lines += ["    for i in range(0, n) carrying (y: float = x):", "        a = math.sin(y)", "        b = math.cos(y)"]
    lines += [*(f"        {line}" for line in forward.split("; ")), "        c = a * b", "        next c", "    -> z"]
    lines += ["    for j in range(0, n) carrying (d: float = 1.0):"]
    lines += [
        *(f"        {line}" for line in reverse.split("; ")),
        "        e = p - q",
        "        g = e * d",
        "        next g",
    ]
    return "\n".join([*lines, "    -> w", "    return w"])


def merged(source: str) -> str:
    """The text after the pass, which does what it did before."""
    before = read(source)
    after = verify(merge_tapes(before))
    assert interpret(after, 0.3, 4) == interpret(before, 0.3, 4)
    return show(after)


BOTH = "list_append(a_tape, a); list_append(b_tape, b)"
POPS = "p: float = list_pop(a_tape, -1); q: float = list_pop(b_tape, -1)"


def test_two_become_one() -> None:
    text = merged(program(BOTH, POPS))
    assert text.count("list_append(") == text.count("list_pop(") == text.count("[]") == 1


def test_what_is_recorded_twice_is_recorded_once() -> None:
    text = merged(program("list_append(a_tape, a); list_append(b_tape, a)", POPS))
    assert text.count("list_append(") == text.count("list_pop(") == 1 and "(a, a)" not in text


def test_a_list_that_is_read_otherwise_stays() -> None:
    source = program(BOTH, POPS).replace(
        "-> w\n    return w", "-> w\n    k = len(a_tape)\n    r = (w, k)\n    return r"
    )
    assert merged(source).count("list_append(") == 2


def test_a_loop_in_between_keeps_them_apart() -> None:
    forward = "list_append(a_tape, a); for k in range(0, 2):;     o = math.exp(a); list_append(b_tape, b)"
    assert merged(program(forward, POPS)).count("list_append(") == 2
