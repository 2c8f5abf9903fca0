"""The tables: times, ratios, the figures to reach, as text and as Markdown."""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from tests.benchmarks.memory import Memory
from tests.benchmarks.program import Program
from tests.benchmarks.race import CONTESTANTS, Result

__all__ = ["Goal", "duration", "goals", "markdown", "memory", "ratios", "text", "times"]

Table = list[list[str]]  #: rows of cells, the header first
NONE = "–"


def duration(seconds: float | None) -> str:
    """Three digits and a unit."""
    if seconds is None:
        return NONE
    for unit, factor in (("s", 1.0), ("ms", 1e3), ("µs", 1e6)):
        if seconds * factor >= 1.0:
            return f"{_three(seconds * factor)} {unit}"
    return f"{_three(seconds * 1e9)} ns"


def _three(x: float) -> str:
    return f"{x:.0f}" if x >= 100 else f"{x:.1f}" if x >= 10 else f"{x:.2f}"


def _ratio(x: float | None) -> str:
    return NONE if x is None else _three(x)


def times(results: Sequence[Result]) -> Table:
    """What each contestant takes."""
    rows = [[r.label, *(duration(r.seconds.get(name)) for name in CONTESTANTS)] for r in results]
    return [["program", *CONTESTANTS], *rows]


#: Columns of the table of ratios: heading, over, under.
RATIOS = (
    ("s2sad / primal", "s2sad", "primal"),
    ("hand / primal", "hand", "primal"),
    ("s2sad numba / primal numba", "s2sad numba", "primal numba"),
    ("hand numba / primal numba", "hand numba", "primal numba"),
    ("s2sad numba / hand numba", "s2sad numba", "hand numba"),
    ("jax / s2sad numba", "jax", "s2sad numba"),
    ("jax / hand numba", "jax", "hand numba"),
    ("jax / s2sad", "jax", "s2sad"),
)


def ratios(results: Sequence[Result]) -> Table:
    """Ratios of times, and their geometric means."""
    found = [[r.ratio(over, under) for _, over, under in RATIOS] for r in results]
    means = [geometric_mean(column) for column in zip(*found)]
    rows = [[r.label, *map(_ratio, row)] for r, row in zip(results, found)]
    return [["program", *(heading for heading, _, _ in RATIOS)], *rows, ["geometric mean", *map(_ratio, means)]]


def geometric_mean(values: Iterable[float | None]) -> float | None:
    """That of the values which are there."""
    logs = [math.log(v) for v in values if v is not None]
    return math.exp(sum(logs) / len(logs)) if logs else None


@dataclass(frozen=True)
class Goal:
    """A figure to reach: of a ratio, for programs of some kinds.

    Those against primals are for gradients; a Jacobian has as many columns as the inputs have numbers.
    """

    what: str
    over: str
    under: str
    limit: float
    kinds: tuple[str, ...] = ("scalar", "in place", "loop", "array")
    at_least: bool = False
    mean: bool = False  #: of the geometric mean, rather than of every program

    def covers(self, program: Program) -> bool:
        """Whether a program is one of those meant."""
        return program.kind in self.kinds and (program.mode == "grad" or not self.under.startswith("primal"))

    def met(self, value: float) -> bool:
        """Whether a ratio is on the right side of the limit."""
        return value >= self.limit if self.at_least else value <= self.limit


GOALS = (
    Goal(
        "compiled gradient / its own compiled primal, loops and stencils: at most 3",
        "s2sad numba",
        "primal numba",
        3.0,
        kinds=("scalar", "in place", "loop"),
    ),
    Goal(
        "compiled gradient / its own compiled primal, the rest: at most 4",
        "s2sad numba",
        "primal numba",
        4.0,
        kinds=("array",),
    ),
    Goal("faster than JAX on every program", "jax", "s2sad numba", 1.0, at_least=True),
    Goal("JAX / compiled gradient, geometric mean: at least 10", "jax", "s2sad numba", 10.0, at_least=True, mean=True),
    Goal(
        "JAX / compiled gradient, scalar and in-place programs: at least 20",
        "jax",
        "s2sad numba",
        20.0,
        kinds=("scalar", "in place"),
        at_least=True,
    ),
    Goal("compiled gradient / hand-written adjoint under Numba: at most 1.5", "s2sad numba", "hand numba", 1.5),
    Goal("Python tier: gradient / NumPy primal: at most 4", "s2sad", "primal", 4.0),
)


def goals(results: Sequence[Result]) -> Table:
    """Each figure to reach: how many rows reach it, and those which do not."""
    table = [["figure to reach", "met", "rows that miss it"]]
    for goal in GOALS:
        found = [(r, r.ratio(goal.over, goal.under)) for r in results if goal.covers(r.program)]
        known = [(r, ratio) for r, ratio in found if ratio is not None]
        if not known:
            table.append([goal.what, NONE, ""])
        elif goal.mean:
            mean = geometric_mean(ratio for _, ratio in known)
            assert mean is not None
            table.append([goal.what, "yes" if goal.met(mean) else "no", f"mean {_three(mean)} over {len(known)} rows"])
        else:
            missed = [f"{r.label} {_three(ratio)}" for r, ratio in known if not goal.met(ratio)]
            met = f"{len(known) - len(missed)} of {len(found)}"
            table.append([goal.what, met if missed or len(known) < len(found) else "yes", ", ".join(missed)])
    return table


def memory(memories: Sequence[Memory]) -> Table:
    """Bytes at the peak, next to those of the arguments and of the derivative by hand."""
    rows = [
        [m.program.name, _bytes(m.arguments), *(_bytes(m.peaks[name]) for name in ("python", "numba", "hand"))]
        for m in memories
    ]
    return [["program", "arguments", "s2sad", "s2sad numba", "hand"], *rows]


def _bytes(count: int | None) -> str:
    if count is None:
        return NONE
    return f"{count / 2**20:.2f} MiB" if count >= 2**17 else f"{count / 2**10:.0f} KiB"


def text(table: Table) -> str:
    """For a terminal: columns in line, numbers to the right."""
    widths = [max(len(row[i]) for row in table) for i in range(len(table[0]))]
    lines = []
    for row in table:
        first, *rest = (cell.ljust(w) if i == 0 else cell.rjust(w) for i, (cell, w) in enumerate(zip(row, widths)))
        lines.append("  ".join((first, *rest)).rstrip())
    return "\n".join(lines)


def markdown(table: Table) -> str:
    """For a document."""
    head, *rows = table
    rule = ["---", *("---:" for _ in head[1:])]
    return "\n".join(f"| {' | '.join(row)} |" for row in (head, rule, *rows))
