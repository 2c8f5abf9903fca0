"""The state of a program that is being written: its lines, its scopes, what each variable holds.

The generator knows the type of every variable, arrays with their concrete shape, so
that what it writes runs; values stay small because every expression carries a bound on
its magnitude and an assignment squashes what exceeds :data:`LIMIT`.
"""

from __future__ import annotations

import random
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import Any, NamedTuple, TypeAlias

__all__ = [
    "LIMIT",
    "Arr",
    "Bool",
    "Builder",
    "Dic",
    "Expr",
    "Frame",
    "Fun",
    "Idx",
    "Int",
    "Lst",
    "Num",
    "Shape",
    "Tup",
    "Type",
    "Var",
    "bare",
]

Shape: TypeAlias = tuple[int, ...]

#: The magnitude a variable is held to (loops may carry an accumulator somewhat beyond).
LIMIT = 2.0

NAMES = tuple(
    "a b c d s t u v w z x y r q h p e g bx dx by ct bd result tape x_1 out tmp acc y_1 bt i_1 res dt bz scratch cur"
    " prev f_grad f_jvp pullback stack_ shape_ λ θ total fwd bwd np_ numpy math_ one it value state id vars type_"
    " Ab bA dA A B C M K buf grid row_ col_ helpers operator by_1 b_t ba bb bc bs bu bv bw f_ d_x flag"
    " trips n_1 bound".split()
)

COUNTERS = tuple("i j k l m_ ii jj t_ step idx_ count n_i".split())


class Expr(NamedTuple):
    """Source text that stands anywhere an operand may, and a bound on the value's magnitude."""

    text: str
    bound: float


@dataclass(frozen=True)
class Num:
    """A float."""


@dataclass(frozen=True)
class Int:
    """An integer within bounds."""

    lo: int
    hi: int


@dataclass(frozen=True)
class Bool:
    """A truth value."""


@dataclass(frozen=True)
class Arr:
    """A float array."""

    shape: Shape


@dataclass(frozen=True)
class Idx:
    """An array of ``length`` indices, each below ``hi``; ``unique`` when none repeats."""

    length: int
    hi: int
    unique: bool


@dataclass(frozen=True)
class Lst:
    """A list of at least ``least`` floats."""

    least: int


@dataclass(frozen=True)
class Dic:
    """A dict of floats."""

    keys: tuple[str, ...]


@dataclass(frozen=True)
class Tup:
    """A tuple of floats."""

    length: int


@dataclass(frozen=True)
class Fun:
    """A function: parameter types, the result's (None: called for its effect), and what it costs to call."""

    params: tuple[Any, ...]
    result: Any
    names: tuple[str, ...] = ()
    mutates: bool = False
    defaults: int = 0
    cost: int = 1


Type: TypeAlias = Num | Int | Bool | Arr | Idx | Lst | Dic | Tup | Fun


@dataclass
class Var:
    """A visible variable. ``fixed`` ones are not assigned to; ``frozen`` ones are not stored into."""

    name: str
    type: Type
    depth: int
    fixed: bool = False
    frozen: bool = False
    pinned: bool = False


@dataclass
class Frame:
    """A function being written."""

    result: Callable[[], str] | None
    base: int = 1
    loops: list[bool] = field(default_factory=list)
    may_return: bool = True


@dataclass
class Builder:
    """Writes one program."""

    rng: random.Random
    features: dict[str, float]
    lines: list[str] = field(default_factory=list)
    indent: int = 0
    scopes: list[dict[str, Var]] = field(default_factory=lambda: [{}])
    frames: list[Frame] = field(default_factory=list)
    trips: int = 1
    cost: int = 0
    left: int = 10
    nested: int = 0
    locked: set[str] = field(default_factory=set)
    shapes: list[Shape] = field(default_factory=list)

    # ---- choices

    def chance(self, p: float) -> bool:
        """True with probability ``p``."""
        return self.rng.random() < p

    def pick(self, items: Any) -> Any:
        """One of them."""
        return self.rng.choice(items)

    def weighted(self, table: list[tuple[str, float, Any]]) -> Any:
        """One entry's value, by weight, the weight scaled by the feature of that name."""
        weights = [weight * self.features.get(name, 1.0) for name, weight, _ in table]
        return self.rng.choices(table, weights)[0][2]

    # ---- text

    def line(self, text: str) -> None:
        """Write a line."""
        self.lines.append("    " * self.indent + text)
        self.cost += self.trips

    @contextmanager
    def block(self, header: str, trips: int = 1) -> Iterator[None]:
        """An indented block with a scope of its own."""
        self.line(header)
        self.indent += 1
        self.scopes.append({})
        self.trips *= max(trips, 1)
        start = len(self.lines)
        yield
        if len(self.lines) == start:
            self.line("pass")
        self.trips //= max(trips, 1)
        self.scopes.pop()
        self.indent -= 1

    # ---- variables

    def visible(self, *types: type, writable: bool = False, assignable: bool = False) -> list[Var]:
        """The variables of these types, innermost last."""
        return [
            var
            for scope in self.scopes
            for var in scope.values()
            if isinstance(var.type, types)
            and self.lookup(var.name) is var
            and not (writable and var.frozen)
            and not (assignable and var.fixed)
        ]

    def lookup(self, name: str) -> Var | None:
        """The variable of that name, if visible."""
        for scope in reversed(self.scopes):
            if name in scope:
                return scope[name]
        return None

    def fresh(self, pool: tuple[str, ...] = NAMES) -> str:
        """A name not in use; sometimes one of this block, to be bound to something of another type."""
        if pool is NAMES and self.chance(0.1):
            mine = [v.name for v in self.scopes[-1].values() if not (v.fixed or v.pinned) and v.name not in self.locked]
            if mine:
                return str(self.pick(mine))
        for _ in range(20):
            name = self.pick(pool)
            if self.lookup(name) is None:
                return str(name)
        k = 0
        while self.lookup(f"v{k}") is not None:
            k += 1
        return f"v{k}"

    def declare(self, name: str, type_: Type, fixed: bool = False, frozen: bool = False) -> Var:
        """Make a variable visible to the end of the block."""
        var = Var(name, type_, len(self.scopes), fixed, frozen)
        self.scopes[-1][name] = var
        return var

    def target(self, type_: Type, new: float = 0.5) -> str:
        """A name to assign a value of this type to: a new one, or a variable of just this type."""
        same = [v for v in self.visible(type(type_), assignable=True) if v.type == type_ and self.owned(v)]
        if same and not self.chance(new):
            return str(self.pick(same).name)
        return self.fresh()

    def owned(self, var: Var) -> bool:
        """Whether the variable belongs to the function being written."""
        return not self.frames or var.depth > self.frames[-1].base

    def bind(self, name: str, type_: Type) -> None:
        """Note an assignment just written: declares the name unless it is visible with that type."""
        var = self.lookup(name)
        if var is None or var.type != type_ or not self.owned(var):
            self.declare(name, type_)


def bare(text: str) -> str:
    """The text without a pair of parentheses around all of it."""
    if not text.startswith("("):
        return text
    level = 0
    for k, c in enumerate(text):
        level += (c in "([{") - (c in ")]}")
        if level == 0:
            inner = text[1:-1]
            return inner if k == len(text) - 1 and "," not in inner and ":=" not in inner else text
    return text
