"""Which stores may change what was read: random loops, of which each iteration is gone through."""

from __future__ import annotations

import importlib.util
import operator
import random
from types import ModuleType

import numpy as np
import pytest

from s2sad.analysis.sections import Sections
from s2sad.frontend.lower import lower
from s2sad.frontend.specs import Leaf
from s2sad.ir.kinds import FLOAT, INT, Array
from s2sad.ir.nodes import Op, Store
from s2sad.ir.rewrite import walk

COUNT = 500
N = 6

PROGRAM = """
def f{k}(A, n, read, store):
    s = 0.5
    for i in {outer}:
        {early}
        for j in {inner}:
            {first}
            {second}
        {late}
    return s
"""


def write(rng: random.Random, k: int) -> str:
    """A program with two loops, a read and a store somewhere in them."""
    indices = ["i", "j"]
    lines = ["pass"] * 4
    place_of_read, place_of_store = rng.randrange(4), rng.randrange(4)
    for place, text in (
        (place_of_read, "s += read(A, ({index}))"),
        (place_of_store, "store(A, ({index}), s)"),
    ):
        known = indices if place in (1, 2) else indices[:1]
        line = text.format(index=", ".join(item(rng, known) for _ in range(2)))
        lines[place] = line if lines[place] == "pass" else "; ".join(rng.sample([lines[place], line], 2))
    return PROGRAM.format(
        k=k,
        outer=span(rng, []),
        inner=span(rng, ["i"]),
        early=lines[0],
        first=lines[1],
        second=lines[2],
        late=lines[3],
    )


def span(rng: random.Random, known: list[str]) -> str:
    """A range that stays small."""
    low = rng.choice(["0", "1", "2", *known, *(f"{v} + 1" for v in known)])
    high = rng.choice(["n", "n - 1", "4", *known])
    step = rng.choice(["1", "1", "2", "-1"])
    return f"range({high} - 1, {low} - 1, -1)" if step == "-1" else f"range({low}, {high}, {step})"


def item(rng: random.Random, known: list[str]) -> str:
    """An index or a slice."""
    number = rng.choice([*known, *known, "n", "0", "-1"])
    shift = rng.choice(["", "", " - 1", " + 1", " - 2"])
    kind = rng.randrange(6)
    if kind < 4:
        return f"{number}{shift}" if kind or number == "n" else f"{rng.choice([2, 3])} * {number}{shift} - n"
    return f"slice({number}{shift}, None)" if kind == 4 else f"slice(None, {number}{shift})"


def modules(path, rng: random.Random) -> tuple[str, ModuleType]:
    """The programs as a module of plain functions, and the text in which reads and stores are subscripts."""
    text = "\n".join(write(rng, k) for k in range(COUNT))
    plain = text.replace("read(A, ", "np.sum(A[").replace("store(A, ", "A[")
    lines = []
    for line in plain.splitlines():
        parts = []
        for part in line.split("; "):
            if "np.sum(A[(" in part:
                part = part[:-1] + "])"
            elif "A[(" in part:
                part = part.replace(", s)", "] = s")
            parts.append(part)
        lines.append("; ".join(parts))
    file = path / "random_loops.py"
    file.write_text("import numpy as np\n" + "\n".join(lines).replace(", read, store", "") + "\n")
    spec = importlib.util.spec_from_file_location("random_loops", file)
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return text, module


class TooFar(Exception):
    """An index out of range."""


def changes(text: str, k: int, n: int) -> bool | None:
    """Whether, as the program runs, a store comes into what was read; None if an index is out of range."""
    namespace: dict = {}
    exec(text, namespace)
    numbers = np.arange(N * N).reshape(N, N)
    was_read: set[int] = set()
    found = False

    def elements(index) -> set[int]:
        try:
            return set(np.ravel(numbers[index]).tolist())
        except IndexError as e:
            raise TooFar from e

    def read(A, index) -> float:
        was_read.update(elements(index))
        return 0.0

    def store(A, index, value) -> None:
        nonlocal found
        found = found or bool(was_read & elements(index))

    try:
        namespace[f"f{k}"](None, n, read, store)
    except TooFar:
        return None
    return found


def test_random_loops(tmp_path) -> None:
    text, module = modules(tmp_path, random.Random(1))
    programs = text.split("\n\n")
    told_apart = 0
    for k in range(COUNT):
        function = lower(getattr(module, f"f{k}"), (Leaf(Array("float64", 2)), Leaf(INT))).function
        stores = [s for s in walk(function) if isinstance(s, Store)]
        reads = [
            s for s in walk(function) if isinstance(s, Op) and s.fn is operator.getitem and s.args[0] in function.params
        ]
        sections = Sections(function)
        apart = not any(sections.may_change(s, r.target, r) for s in stores for r in reads)
        seen = [changes(programs[k], k, n) for n in (3, N)]
        assert not (apart and any(seen)), programs[k]
        told_apart += apart
    assert told_apart > COUNT / 4  # the others do change what was read, or never run


def chain(x):
    y = np.zeros(9)
    y[0] = x
    for k in range(1, 9):
        y[k] = y[k - 1] * x
    return y[8]


def ring(x):
    y = np.zeros(9)
    for k in range(9):
        y[k] = y[k - 1] * x
    return y[8]


def shifted_up(x):
    y = np.ones(9)
    for k in range(8, 0, -1):
        y[k] = y[k - 1] * x
    return y[8]


def shifted_down(x):
    y = np.ones(9)
    for k in range(8):
        y[k] = y[k + 1] * x
    return y[0]


def chain_down(x):
    y = np.zeros(9)
    y[8] = x
    for k in range(7, -1, -1):
        y[k] = y[k + 1] * x
    return y[0]


def counted(x):
    y = np.zeros(9)
    y[0] = x
    k = 0
    while k < 8 and y[k] < 2.0:
        y[k + 1] = y[k] * x
        k += 1
    return y[k]


def counted_down(x):
    y = np.ones(9)
    k = 8
    while k > 0:
        y[k] = y[k - 1] * x
        k -= 1
    return y[8]


def counted_at_times(x):
    y = np.ones(9)
    k = 0
    for i in range(8):
        y[k] = y[k] * x
        if i % 2 == 0:
            k += 1
    return y[0]


def through_views(x):
    y = np.zeros((9, 2))
    for k in range(8):
        row = y[k + 1]
        row[1] = y[k][0] * x
        row[0] = row[1] * x
    return y[8, 0]


def under_another_name(x):
    y = np.zeros(9)
    for k in range(8):
        rest = y[k:]
        rest[0] = y[k + 1] * x
    return y[0]


@pytest.mark.parametrize(
    ("f", "expected"),
    [
        (chain, False),
        (chain_down, False),
        (ring, True),
        (shifted_up, True),
        (shifted_down, True),
        (through_views, False),
        (counted, False),
        (counted_down, True),
        (counted_at_times, True),
    ],
)
def test_what_is_read_of_a_trajectory(f, expected: bool) -> None:
    assert of_all_reads(f) == expected


def test_a_part_of_a_part_may_be_any_part() -> None:
    assert of_all_reads(under_another_name)


def of_all_reads(f) -> bool:
    """Whether a store in a loop may change any item that is multiplied in it."""
    function = lower(f, (Leaf(FLOAT),)).function
    sections = Sections(function)
    stores = [s for s in walk(function) if isinstance(s, Store)]
    products = [s for s in walk(function) if isinstance(s, Op) and s.fn is operator.mul]
    return any(sections.may_change(s, p.args[0], p) for s in stores for p in products)
