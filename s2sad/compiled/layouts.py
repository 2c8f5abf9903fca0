"""Layouts that tell whether what is stored into is a view.

Before::

    def f(x: float64[2]):
        y: float64[2] = x * 2.0
        z: float64[1] = np.reshape(y, -1)
        z[0] = 1.0
        return y

After::

    def f(x):
        need_rows(x)
        y = x * 2.0
        z = np.reshape(y, -1)
        z[0] = 1.0
        return y

NumPy lays a result out as the operands are: of a matrix by columns, ``y`` is by columns, ``z`` is a copy, and the
store leaves ``y`` alone. Compiled code makes all arrays by rows. Where no store comes later, a view and a copy are the
same.

Requires: the three-address form of a function, before it is differentiated.
Ensures: the same values; arguments whose layout tells are checked to be by rows. :class:`~s2sad.errors.CompileError`
where an array that the function makes may be laid out otherwise.
"""

from __future__ import annotations

import operator
from collections.abc import Iterable, Iterator
from dataclasses import replace
from typing import Any, TypeAlias

import numpy as np

from s2sad.analysis.later import changed_later
from s2sad.analysis.memory import Memory
from s2sad.analysis.sharing import shared_operands
from s2sad.compiled.errors import HELP
from s2sad.compiled.expand import kind_of
from s2sad.errors import CompileError
from s2sad.frontend.lower import Lowered
from s2sad.ir import kinds as K
from s2sad.ir import prims
from s2sad.ir.nodes import Atom, Block, Const, For, Function, If, Op, Stmt, Var, While, With
from s2sad.ir.rewrite import map_stmts, walk, with_body
from s2sad.rules.aliasing import BY_LAYOUT
from s2sad.runtime import helpers

__all__ = ["BY_ROWS", "need_rows", "orders_checked", "orders_dropped", "rows_checked"]

#: What an array is by rows if they are: parameters; None where it may not be by rows whatever they are.
Needs: TypeAlias = "frozenset[Var] | None"

_NOTHING: frozenset[Var] = frozenset()


def need_rows(lowered: Lowered) -> Lowered:
    """:func:`rows_checked` of a function with its templates."""
    function = rows_checked(lowered.function)
    return lowered if function is lowered.function else replace(lowered, function=function)


def rows_checked(function: Function) -> Function:
    """Check the layouts of arguments, where it matters, and refuse what may be by columns."""
    memory = Memory(function)
    asked = [s for s in walk(function) if isinstance(s, Op) and s.fn in BY_LAYOUT]
    changed = changed_later(function, memory, asked) if asked else ()
    told = [(s, s.target) for s in asked if s.target in changed and s.target is not None]
    return _checked(function, memory, told)


def orders_checked(function: Function) -> Function:
    """Check the layouts of arguments of which a part is stored into another item by item, and refuse other layouts.

    Which items such a store reads as overwritten is found as the function runs, from where they are in memory.
    """
    told = [(s, a) for s in walk(function) if isinstance(s, Op) and s.fn is helpers.copy_order for a in s.args[:1]]
    return _checked(function, Memory(function), [(s, a) for s, a in told if isinstance(a, Var)])


def _checked(function: Function, memory: Memory, told: list[tuple[Op, Var]]) -> Function:
    """Check what makes arrays by rows of those that operations ask for their layouts."""
    if not told:
        return function
    layouts = _Layouts(function, memory)
    found: dict[Var, Op] = {}
    for s, v in told:
        needs = layouts.of_owners(v)
        if needs is None or Const("F") in (*s.args, *dict(s.kwargs).values()):
            message = "what this comes to is told by NumPy's layout of the array, which is not known here."
            raise CompileError(message, HELP, origin=s.origin)
        found = dict.fromkeys(needs, s) | found
    checks = tuple(Op(None, helpers.need_rows, (p,), (), found[p].origin) for p in function.params if p in found)
    return with_body(function, Block((*checks, *function.body.stmts), function.body.outs)) if checks else function


def orders_dropped(function: Function) -> Function:
    """The function without the orders in which it asks for arrays: here all are by rows.

    Requires: that what the layout of an array tells is checked.
    """

    def change(s: Stmt) -> Stmt:
        if not isinstance(s, Op):
            return s
        if s.fn is np.asfortranarray and isinstance(kind := kind_of(s.args[0]), K.Array) and kind.rank:
            return replace(s, fn=np.ascontiguousarray)
        place = _ORDERED.get(s.fn, -1)
        order = _order_of(s)
        if place < 0 or len(s.args) > place + 1 or not isinstance(order, Const) or order.value not in _ORDERS:
            return s
        return replace(s, args=s.args[:place], kwargs=tuple(item for item in s.kwargs if item[0] != "order"))

    return with_body(function, map_stmts(function.body, change))


def _order_of(s: Op) -> Atom | None:
    """The order that an operation is given for the array that it makes."""
    place = _ORDERED.get(s.fn, len(s.args))
    return s.args[place] if len(s.args) > place else dict(s.kwargs).get("order")


def _is_by_columns(s: Op) -> bool:
    """Whether an operation gives an array by columns: another one, where its operand is not."""
    return s.fn is np.asfortranarray or (s.fn in _ORDERED and _order_of(s) == Const("F"))


class _Layouts:
    """What the arrays of a function need in order to have their axes in memory as they are counted."""

    def __init__(self, function: Function, memory: Memory) -> None:
        self.memory = memory
        self.stmts = list(walk(function))
        self.params = set(function.params)
        self.needs: dict[Var, Needs] = {}
        for p in function.params:
            self.needs[p] = frozenset({p}) if isinstance(p.kind, K.Array) else None
        news = [True]
        while any(news):
            news = [self.note(v, found) for s in self.stmts for v, found in self.given(s)]

    def of_owners(self, v: Var) -> Needs:
        """What the arrays that an array may show need in order to be by rows."""
        c = self.memory.of(v)
        if c in {d for outside in self.memory.outside for d in self.memory.within(outside)}:
            return None
        held = [p for p in self.params if c in self.memory.reachable(p)]
        made = [s for s in self.stmts if isinstance(s, Op) and s.target is not None and self.memory.of(s.target) == c]
        found = [self.made(s) for s in made if not self.is_view(s) or _is_by_columns(s)]
        return _all(found + [frozenset({p}) if isinstance(p.kind, K.Array) else None for p in held])

    def is_view(self, s: Op) -> bool:
        """Whether an array is another one, or shows it: compiled code lays it out as that."""
        return bool(shared_operands(s)) or s.fn is prims.list_pop

    def given(self, s: Stmt) -> Iterator[tuple[Var, list[Needs]]]:
        """The results of a statement, each with what that which it may be needs."""
        match s:
            case Op(target=Var() as target):
                yield target, [self.made(s)]
            case If(then=then, orelse=orelse, results=results):
                for r, a, b in zip(results, then.outs, orelse.outs, strict=True):
                    yield r, [self.of(a), self.of(b)]
            case For() | While():
                for r, p, *carried in zip(s.results, s.params, s.inits, s.body.outs, strict=False):
                    for v in (p, r):
                        yield v, [self.of(a) for a in carried]
            case With(body=body, results=results):
                for r, a in zip(results, body.outs, strict=True):
                    yield r, [self.of(a)]

    def note(self, v: Var, found: Iterable[Needs]) -> bool:
        """Add to what a variable needs; whether that is news."""
        known = self.needs.get(v, _NOTHING)
        self.needs[v] = _all([known, *found])
        return self.needs[v] != known

    def of(self, a: Atom) -> Needs:
        """What an operand needs: nothing, where it has one axis at most."""
        kind = kind_of(a)
        if isinstance(kind, K.Scalar) or (isinstance(kind, K.Array) and kind.rank in (0, 1)):
            return _NOTHING
        if isinstance(kind, K.Array | K.Numeric) and isinstance(a, Var):
            return self.needs.get(a, _NOTHING)
        return self.of_held(a) if K.is_container(kind) else _NOTHING

    def of_held(self, a: Atom) -> Needs:
        """What the arrays in a list or tuple need."""
        classes = set(self.memory.reachable(a))
        held = [v for v in self.needs if isinstance(v.kind, K.Array | K.Numeric) and self.memory.of(v) in classes]
        return _all([self.of(v) for v in held])

    def made(self, s: Op) -> Needs:
        """What the result of an operation needs."""
        rank = K.rank_of(s.target.kind) if s.target is not None else 0
        order = _order_of(s)
        if rank in (0, 1) or (s.fn in _ALWAYS and order in (None, Const("C"))):
            return _NOTHING
        if s.fn in _PARTS and not isinstance(kind_of(s.args[0]), K.Array | K.Numeric):
            return self.of_held(s.args[0])
        if s.fn is operator.getitem and not shared_operands(s) and isinstance(kind_of(s.args[1]), K.Tuple):
            return None  # the axes of x[:, indices] are in memory the other way round
        if order is not None or not (isinstance(s.fn, np.ufunc) or s.fn in BY_ROWS):
            return None
        return _all([self.of(a) for a in (*s.args, *(a for _, a in s.kwargs))])


def _all(found: Iterable[Needs]) -> Needs:
    """What is needed for all of these."""
    whole: set[Var] = set()
    for needs in found:
        if needs is None:
            return None
        whole |= needs
    return frozenset(whole)


def _named(module: Any, names: str) -> set[Any]:
    return {getattr(module, n) for n in names.split()}


_ORDERS = ("C", "F", "A", "K", None)
#: Make arrays in an order, which this one of their operands says, if it is not given by name.
_ORDERED: dict[Any, int] = {
    **{np.copy: 1, np.full: 3, np.full_like: 3, np.eye: 4, np.asarray: 2, np.array: 9},
    **dict.fromkeys(_named(np, "zeros ones empty zeros_like ones_like empty_like"), 2),
}
#: Give what a list, a tuple or a dict holds.
_PARTS = {operator.getitem, prims.getattr_, prims.list_pop, prims.identity}
#: Make arrays by rows, of whatever operands.
_ALWAYS = {np.copy}
#: Give arrays by rows, if their operands are arrays by rows or parts of such.
BY_ROWS: set[Any] = (
    _named(
        operator, "add sub mul truediv floordiv mod pow matmul neg pos abs getitem lt le gt ge eq ne and_ or_ xor inv"
    )
    | _named(np, "zeros ones empty full eye identity tri zeros_like ones_like empty_like full_like array asarray")
    | _named(np, "reshape ravel ascontiguousarray expand_dims squeeze flip fliplr flipud atleast_2d")
    | _named(np, "where clip outer dot diag sum mean prod max min amax amin var std cumsum cumprod sort diff round")
    | _named(np, "concatenate stack vstack hstack column_stack tile repeat take triu tril pad roll append kron")
    | _named(np.linalg, "inv solve cholesky pinv matrix_power")
    | {prims.identity, helpers.cast, helpers.astype, helpers.zeros_like, helpers.ones_like, helpers.unbroadcast}
    | {helpers.spread, helpers.shadow_view, helpers.laid_out, abs}
)
