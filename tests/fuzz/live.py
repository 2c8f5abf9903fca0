"""A function body that is run while it is written.

What lists hold after a few copies, slices and appends, and through which names, is for
Python to say: :class:`Live` keeps the values of the variables, and a statement stays
in the program only if it runs on them and leaves every number small.  A statement of
a loop's body is tried on what the loop meets first; the loop as a whole is then run.
"""

from __future__ import annotations

import ast
import copy
import random
import sys
import types
import warnings
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field, fields, is_dataclass
from typing import Any

import numpy as np

from .builder import NAMES

__all__ = ["RETURN", "Live", "kind_of", "run_limited", "stores"]

#: Stands for ``return`` in the lines of a candidate, which is run outside of a function.
RETURN = "raise _Returned, "

#: What the texts that are run are compiled under: lines of libraries do not count, which are more the first time.
TEXT = "<live>"

#: No number beyond this, no list longer than that, no more lines run than that.
LARGEST, LONGEST, STEPS = 25.0, 9, 3000

#: Nor may a list, with the lists in it, be longer than that for a moment: one that doubles grows fast.
CROWD = 200


class _Endless(Exception):
    """Too many lines were run, or a list has grown too long."""


class _Returned(Exception):
    """A candidate would return early: that is fine, but what follows it is then dead."""


def run_limited(source: str | ast.Module, space: dict[str, Any]) -> None:
    """Run a program that might not end."""
    code = compile(source, TEXT, "exec", dont_inherit=True)
    left = STEPS

    def trace(frame: types.FrameType, event: str, arg: Any) -> Any:
        nonlocal left
        if frame.f_code.co_filename != TEXT:
            return None
        left -= 1
        if left < 0 or any(_size(x) > CROWD for x in _values(frame) if type(x) is list):
            raise _Endless
        return trace

    previous = sys.gettrace()
    sys.settrace(trace)
    try:
        with warnings.catch_warnings(), np.errstate(all="ignore"):
            warnings.simplefilter("ignore")
            warnings.simplefilter("error", np.exceptions.ComplexWarning)
            exec(code, space)
    finally:
        sys.settrace(previous)


class _Watched(ast.NodeTransformer):
    """Loops go through :func:`_steady`."""

    def visit_For(self, node: ast.For) -> ast.For:
        self.generic_visit(node)
        inner = [node.iter]
        while any(isinstance(x, ast.Call) for x in inner):
            inner = [y for x in inner for y in (x.args if isinstance(x, ast.Call) else [x])]
        node.iter = ast.Call(ast.Name("_steady", ast.Load()), [node.iter, *inner], [])
        return node


def _steady(items: Any, *sources: Any) -> Iterator[Any]:
    """The items, of lists that must not grow or shrink while they are iterated over."""
    lists = [x for x in sources if isinstance(x, list)]
    sizes = [len(x) for x in lists]
    for item in items:
        yield item
        if [len(x) for x in lists] != sizes:
            raise _Returned


def _values(frame: types.FrameType) -> Iterator[Any]:
    """What the variables of a frame hold.

    Not those that inner functions share, where each is asked for: while CPython 3.13 goes through a comprehension
    that binds one of these again, it takes an item for a cell, and reads beyond it.
    """
    held = frame.f_locals
    if isinstance(held, dict):
        yield from held.values()
        return
    for name in frame.f_code.co_varnames:
        if name not in frame.f_code.co_cellvars and name in held:
            yield held[name]


def _size(items: list[Any]) -> int:
    return len(items) + (sum(len(x) for x in items if type(x) is list) if len(items) <= CROWD else 0)


def kind_of(x: Any, depth: int = 0) -> str:
    """``float``, ``int``, ``array:2,3``, ``list:list:float``, ``dict:array:2``, ``tuple``, ``object`` or ``mixed``.

    >>> kind_of([[1.0], [2.0, 3.0]])
    'list:list:float'
    """
    match x:
        case bool():
            return "bool"
        case float():
            return "float"
        case int() | np.integer():
            return "int"
        case complex() | np.complexfloating():
            return "complex"
        case np.ndarray() if x.dtype.kind in "fc" and x.size:
            return ("complex " if x.dtype.kind == "c" else "") + "array:" + ",".join(map(str, x.shape))
        case list() | dict():
            items = list(x.values()) if isinstance(x, dict) else x
            kinds = {_item_kind(item, depth + 1) for item in items} if depth < 4 else {"mixed"}
            inside = kinds.pop() if len(kinds) == 1 else "mixed" if kinds else "none"
            return ("dict:" if isinstance(x, dict) else "list:") + inside
        case tuple():
            return "tuple"
    return "object" if is_dataclass(x) else "other"


def _item_kind(x: Any, depth: int) -> str:
    """The kind of an item; an empty list is taken for one of floats."""
    kind = kind_of(x, depth)
    return "list:float" if kind == "list:none" else kind


def stores(kind: str, inside: str = "") -> Callable[[Any], bool]:
    """A test for values of a kind, given by how it begins and what it holds."""
    return lambda x: kind_of(x).startswith(kind) and inside in kind_of(x) and "mixed" not in kind_of(x)


def _tame(x: Any, loose: bool, depth: int = 0) -> bool:
    alike = loose or "mixed" not in kind_of(x)
    match x:
        case np.ndarray():
            return x.size <= 30 and bool(np.all(np.abs(x) < LARGEST)) if x.dtype.kind in "fc" else True
        case float() | int() | complex():
            return abs(x) < LARGEST
        case list() | tuple():
            return len(x) <= LONGEST and depth < 4 and alike and all(_tame(v, loose, depth + 1) for v in x)
        case dict():
            return len(x) <= 4 and alike and all(_tame(v, loose, depth + 1) for v in x.values())
    return all(_tame(getattr(x, f.name), loose, depth + 1) for f in fields(x)) if is_dataclass(x) else True


@dataclass
class Live:
    """A body that is being written: its lines, and its variables as they are at their end.

    A ``loose`` one has lists of things of several kinds. ``texts`` are what :mod:`.live_texts` fills.
    """

    rng: random.Random
    space: dict[str, Any]
    env: dict[str, Any]
    lines: list[str] = field(default_factory=list)
    nested: int = 0
    constant: float = 0.1
    loose: bool = False
    texts: Any = None

    # ---- choices

    def chance(self, p: float) -> bool:
        """True with probability ``p``."""
        return self.rng.random() < p

    def pick(self, items: Any) -> Any:
        """One of them."""
        return self.rng.choice(items)

    def fresh(self, pool: tuple[str, ...] = NAMES) -> str:
        """A name not in use."""
        free = [name for name in pool if name not in self.env and name not in self.space]
        return str(self.pick(free))

    def target(self, kind: str) -> str:
        """A name to assign something of this kind to, sometimes one that holds another such thing."""
        same = [name for name, value in self.env.items() if kind_of(value) == kind]
        return str(self.pick(same)) if same and self.chance(0.5 if self.nested else 0.25) else self.fresh()

    # ---- running

    def value(self, text: str) -> Any:
        """What an expression gives; None where it cannot be evaluated."""
        space = {**self.space, **copy.deepcopy(self.env), "_value": None}
        try:
            run_limited(f"_value = {text}", space)
        except Exception:
            return None
        return space["_value"]

    def attempt(self, lines: list[str], new: tuple[str, ...] = ()) -> bool:
        """Take the lines if they run; ``new`` are the names that may be used from then on."""
        env = copy.deepcopy(self.env)
        space = {**self.space, **env, "_Returned": _Returned, "_steady": _steady}
        try:
            tree = ast.fix_missing_locations(_Watched().visit(ast.parse("\n".join(lines))))
            run_limited(tree, space)
        except Exception:
            return False
        after = {name: space[name] for name in (*env, *new) if name in space}
        if len(after) < len({*env, *new}) or not all(_tame(x, self.loose) for x in after.values()):
            return False
        if not all(_stays(self.env[name], after[name], self.loose) for name in env):
            return False
        self.env = after
        self.lines += lines
        return True

    @contextmanager
    def inside(self, **bound: str) -> Iterator[list[str]]:
        """A block that is being written: variables bound to what the texts give, on a copy of the values."""
        lines, env = self.lines, self.env
        self.lines, self.env = [], copy.deepcopy(env)
        self.nested += 1
        space = {**self.space, **self.env}
        for name, text in bound.items():
            try:
                self.env[name] = eval(text, space)
            except Exception:
                self.env[name] = 0.5
        yield self.lines
        self.nested -= 1
        self.lines, self.env = lines, env

    # ---- places

    def places(self, test: Callable[[Any], bool], depth: int = 3) -> list[str]:
        """Texts of the variables, items and fields that pass the test."""
        found: list[str] = []
        for name, value in self.env.items():
            self._walk(name, value, test, depth, found)
        return found

    def place(self, test: Callable[[Any], bool], depth: int = 3) -> str | None:
        """One of them; of those with the shortest texts most often."""
        found = self.places(test, depth)
        if not found:
            return None
        return str(min((self.pick(found) for _ in range(2)), key=len) if self.chance(0.4) else self.pick(found))

    def _walk(self, text: str, x: Any, test: Callable[[Any], bool], depth: int, found: list[str]) -> None:
        if test(x):
            found.append(text)
        if not depth:
            return
        match x:
            case np.ndarray() if x.ndim and kind_of(x) != "other":
                self._walk(f"{text}[{self.index(len(x))}]", x[0], test, depth - 1, found)
                if x.ndim == 2:
                    both = f"{self.index(x.shape[0])}, {self.index(x.shape[1])}"
                    self._walk(f"{text}[{both}]", x[0, 0], test, 0, found)
            case tuple() if hasattr(x, "_fields"):
                for name in x._fields:
                    self._walk(f"{text}.{name}", getattr(x, name), test, depth - 1, found)
            case list() | tuple() if x:
                k = self.rng.randrange(len(x))
                at = self.index(len(x), k) if isinstance(x, list) else str(k)
                self._walk(f"{text}[{at}]", x[k], test, depth - 1, found)
            case dict():
                for key in x:
                    self._walk(f'{text}["{key}"]', x[key], test, depth - 1, found)
            case _ if is_dataclass(x):
                for f in fields(x):
                    self._walk(f"{text}.{f.name}", getattr(x, f.name), test, depth - 1, found)

    def index(self, n: int, k: int | None = None) -> str:
        """A position in something of length ``n``, from either end, or a counter."""
        counters = [(name, value) for name, value in self.env.items() if type(value) is int and 0 <= value < n]
        if counters and self.chance(0.6):
            name, value = self.pick(counters)
            places = [(name, value), (name, value), (f"{name} - 1", (value - 1) % n), (f"-1 - {name}", n - 1 - value)]
            options = [text for text, place in places if k in (None, place)]
            if options:
                return str(self.pick(options))
        k = self.rng.randrange(n) if k is None else k
        return str(self.pick((str(k), str(k), str(k - n))))

    # ---- numbers

    def literal(self) -> str:
        """A float constant."""
        x = round(self.rng.uniform(0.2, 1.6), self.pick((1, 2)))
        return f"{x}" if self.chance(0.8) else f"(-{x})"


def _stays(old: Any, new: Any, loose: bool) -> bool:
    """Whether a variable still holds what it held: a list of any length, but (unless loose) of the same items."""
    before, after = kind_of(old), kind_of(new)
    return (
        before == after
        or (loose and _sortless(before) == _sortless(after))
        or (loose and isinstance(old, list) and isinstance(new, list))
        or (before, after) == ("list:float", "list:none")
        or (before == "list:none" and after.startswith("list"))
    )


def _sortless(kind: str) -> str:
    """The kind with real numbers for complex ones."""
    return kind.replace("complex array", "array").replace("complex", "float")


def module(source: str) -> dict[str, Any]:
    """The names of a module."""
    space = types.ModuleType("live").__dict__
    exec(compile(source, TEXT, "exec", dont_inherit=True), space)
    return space
