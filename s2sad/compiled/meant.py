"""None that says something: an end of a slice, what a number is compared with.

Before::

    def f(x: float64[1], n: int):
        c = n == 0
        if c:
            give None
        else:
            give n
        -> stop: int
        s: slice = make_slice(None, stop, None)
        v: float64[1] = x[s]
        return v

After::

    def f(x, n):
        c = n == 0
        if c:
            give None
        else:
            give n
        -> stop
        none = stop is None
        if none:
            give 9223372036854775807
        else:
            give stop
        -> end
        s = make_slice(None, end, None)
        v = x[s]
        return v

A variable has one type in compiled code, and what stands there for None is a number like others. Where Python would
not take None nobody sees it; where it does, it has to be asked for. The questions are answered by flags
(:mod:`s2sad.compiled.absent`, :mod:`s2sad.compiled.nothing`).

Requires: the three-address form of a function, before it is differentiated: each None in it is its author's.
Ensures: the same values. A number that is None at times goes to no operation to which None says something, or the
function is refused.
"""

from __future__ import annotations

import builtins
import inspect
import operator
import sys
from collections.abc import Iterable
from dataclasses import replace
from functools import cache
from typing import Any

import numpy as np

from s2sad.compiled.absent import ANSWERED, Held
from s2sad.compiled.check import refuse
from s2sad.compiled.expand import kind_of
from s2sad.compiled.items import FIRST_ITEM
from s2sad.compiled.nothing import Told
from s2sad.ir import kinds as K
from s2sad.ir import prims
from s2sad.ir.nodes import Atom, Block, Const, For, Function, If, Op, Stmt, Store, Var, While
from s2sad.ir.rewrite import blocks_of, definitions, walk, with_blocks, with_body

__all__ = ["none_as_meant"]

_NONE = Const(None)
#: Where a slice without a first or a last end begins or stops, by whether its step is forward.
_ENDS = {True: (0, sys.maxsize), False: (sys.maxsize, -sys.maxsize)}
#: What takes None beside what its signature tells.
_TAKES_NONE: tuple[Any, ...] = (
    builtins.round,
    builtins.str,
    builtins.repr,
    builtins.print,
    prims.format_value,
    np.clip,
)
_NEW_AXIS = "an index is None here: compiled code takes it for a number; use backend='python'"
#: What makes an array of objects of None, which raises where it is used.
_OF_OBJECTS = (np.where, np.array, np.asarray)


def none_as_meant(function: Function) -> Function:
    """The function asking for None wherever None says something."""
    return _Asker(function).changed() if _gives_none(function) else function


def _gives_none(function: Function) -> bool:
    """Whether a variable, or an item of a list, gets None at some place."""
    for s in walk(function):
        match s:
            case Store(value=value) if value == _NONE:
                return True
            case Op(fn=fn, args=args) if fn in FIRST_ITEM or fn is prims.make_dict:
                if _NONE in args:
                    return True
            case For(inits=inits) | While(inits=inits) if _NONE in inits:
                return True
        if any(_NONE in b.outs for b in blocks_of(s)):
            return True
    return False


class _Asker:
    """Puts questions before what None says something to."""

    def __init__(self, function: Function) -> None:
        self.function = function
        self.made = definitions(function)
        self.held = Held(function)

    def changed(self) -> Function:
        return with_body(self.function, self.block(self.function.body, frozenset()))

    def block(self, block: Block, told: Told) -> Block:
        """A block that is run where some conditions are told."""
        stmts: list[Stmt] = []
        for s in block.stmts:
            if isinstance(s, If):
                sides = ((s.then, True), (s.orelse, False))
                s = with_blocks(
                    s, tuple(self.block(b, told | self.held.merged.implied(s.cond, side)) for b, side in sides)
                )
            else:
                s = with_blocks(s, tuple(self.block(b, told) for b in blocks_of(s)))
            stmts += self.asked(s, told)
        new = tuple(stmts)
        return block if new == block.stmts else Block(new, block.outs)

    def may_be_none(self, a: Atom, told: Told) -> bool:
        """Whether an atom may be None where these conditions hold."""
        if not isinstance(a, Var) or self.held.merged.is_told(a, told):
            return False
        held, memory = self.held, self.held.memory
        items = held.merged.reached([a]) & held.taken.keys()
        if any(memory.of(held.taken[v]) in held.holding for v in items):
            return True
        return held.merged.may_be_none([a], told)

    def asked(self, s: Stmt, told: Told) -> list[Stmt]:
        """A statement behind the questions that it needs."""
        match s:
            case Op(fn=prims.make_slice):
                return self.ends(s, told)
            case Op(fn=operator.eq | operator.ne as fn, args=args) if _NONE in args and any(map(_is_number, args)):
                return [replace(s, fn=operator.is_ if fn is operator.eq else operator.is_not)]
            case Op(target=Var(), fn=fn, args=args) if fn in ANSWERED:
                return self.question(s, told)
            case If(cond=Var() as cond) if _is_number(cond) and self.may_be_none(cond, told):
                truth = Var("", K.BOOL)
                return [*self.question(Op(truth, bool, (cond,), (), s.origin), told), replace(s, cond=truth)]
            case Store(index=Var() as index) | Op(fn=operator.getitem, args=(_, Var() as index)) if _is_number(index):
                return [*self.no_new_axis(s, index, told), s]
            case Op() | Store() if any(self.may_be_none(a, told) for a in _taken_as_none(s)):
                refuse("a value that is None at times, given to what takes None,", s.origin)
        return [s]

    def no_new_axis(self, s: Op | Store, index: Var, told: Told) -> list[Stmt]:
        """What raises where an index of an array is None: what comes out would have one axis more."""
        if not _taken_as_none(s) or not self.may_be_none(index, told):
            return []
        none, error = Var("none", K.BOOL), Var("", K.Other(TypeError))
        made = Op(error, TypeError, (Const(_NEW_AXIS),), (), s.origin)
        fails = Block((made, Op(None, prims.raise_, (error,), (), s.origin)))
        return [Op(none, operator.is_, (index, _NONE), (), s.origin), If(none, fails, Block(), (), s.origin)]

    def question(self, op: Op, told: Told) -> list[Stmt]:
        """A question that is asked of numbers, which None answers first."""
        absent = [a for a in op.args if isinstance(a, Var) and self.may_be_none(a, told)]
        flagged = [a for a in absent if _is_number(a) and not (a.kind == K.BOOL and len(op.args) == 1)]
        if self.holds_none(op.args, told) or len(flagged) > 1:
            refuse("a comparison with a value that is None at times", op.origin)
        if not flagged:
            return [op]
        none, answer = Var("none", K.BOOL), Var("", K.BOOL)
        assert op.target is not None
        asked = Block((replace(op, target=answer),), (answer,))
        given = Block((), (Const(ANSWERED[op.fn]),))
        ask = Op(none, operator.is_, (flagged[0], _NONE), (), op.origin)
        return [ask, If(none, given, asked, (op.target,), op.origin)]

    def holds_none(self, args: Iterable[Atom], told: Told) -> bool:
        """Whether one of these is a tuple in which something may be None."""
        makers = [self.made.get(a) for a in args if isinstance(a, Var)]
        parts = [s.args for s in makers if isinstance(s, Op) and s.fn is prims.make_tuple]
        return any(self.may_be_none(a, told) for held in parts for a in held) or any(
            self.holds_none(held, told) for held in parts
        )

    def ends(self, op: Op, told: Told) -> list[Stmt]:
        """A slice whose ends are numbers."""
        if not any(self.may_be_none(a, told) for a in op.args):
            return [op]
        start, stop, step = op.args
        before: list[Stmt] = []
        forward = isinstance(step, Var) or step.value is None or step.value > 0
        if isinstance(step, Var) and not start == stop == _NONE:
            refuse("a slice whose ends, or whose step, are None at times", op.origin)
        ends = tuple(
            self.end(a, instead, before, op) if self.may_be_none(a, told) else a
            for a, instead in zip(op.args, (*_ENDS[forward], 1), strict=True)
        )
        return [*before, replace(op, args=ends)]

    def end(self, a: Atom, instead: int, before: list[Stmt], op: Op) -> Var:
        """An end, or what stands for it where it is None."""
        none, end = Var("none", K.BOOL), Var("end", K.INT)
        before.append(Op(none, operator.is_, (a, _NONE), (), op.origin))
        before.append(If(none, Block((), (Const(instead),)), Block((), (a,)), (end,), op.origin))
        return end


def _is_number(a: Atom) -> bool:
    return isinstance(a, Var) and isinstance(a.kind, K.Scalar)


def _taken_as_none(s: Op | Store) -> Iterable[Atom]:
    """The operands of a statement that may be None, and say something then."""
    match s:
        case Store(obj=obj, index=index) | Op(fn=operator.getitem, args=(obj, index)):
            return () if isinstance(kind_of(obj), K.List | K.Tuple) else (index,)
        case Op(fn=prims.make_dict, args=args):
            return args[::2]
        case Op(fn=Function() | prims.contains, args=args):
            return args
        case Op(fn=fn, args=args, kwargs=kwargs) if not isinstance(fn, np.ufunc):
            named = [a for _, a in kwargs]
            if fn in _TAKES_NONE:
                return (*args, *named)
            return (*(a for k, a in enumerate(args) if k in _places_for_none(fn)), *named)
    return ()


@cache
def _places_for_none(fn: Any) -> frozenset[int]:
    """Which arguments of a function may be left out, or None, as its signature tells."""
    if fn in _OF_OBJECTS or not callable(fn):
        return frozenset()
    try:
        parameters = inspect.signature(fn).parameters.values()
    except (TypeError, ValueError):  # one written in C that does not tell
        return frozenset()
    left_out = (None, np._NoValue)
    return frozenset(k for k, p in enumerate(parameters) if any(p.default is value for value in left_out))
