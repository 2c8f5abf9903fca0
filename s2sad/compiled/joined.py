"""Arrays of real numbers that are handed on where complex ones may be, made complex.

Before::

    def f(x: float64[1], w: complex128[1], n: int):
        for k in range(n) carrying z: complex128[1] = x:
            z_1: complex128[1] = z * w
            give z_1
        -> r: complex128[1]
        return r

After::

    def f(x, w, n):
        t: complex128[1] = promoted(x)
        for k in range(n) carrying z = t:
            z_1 = z * w
            give z_1
        -> r
        return r

NumPy converts operands as it goes, and a variable in machine code has one type.

Requires: nothing.
Ensures: the same values. What may share memory with an array that is stored into stays as it is.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from s2sad.analysis.memory import Memory
from s2sad.ir import kinds as K
from s2sad.ir.nodes import Atom, Block, For, Function, If, Op, Stmt, Var, While
from s2sad.ir.rewrite import map_stmts, walk, with_body
from s2sad.runtime import helpers

__all__ = ["handed_on_as_complex"]


def handed_on_as_complex(function: Function) -> Function:
    """Convert what loops and branches hand on."""
    found = [s for s in walk(function) if isinstance(s, If | For | While) and any(map(_is_complex, _taking(s)))]
    if not any(_are_real(a, r) for s in found for given in _given(s) for a, r in zip(given, _taking(s), strict=False)):
        return function
    memory = Memory(function)

    def converted(atoms: Sequence[Atom], taking: Sequence[Var], made: list[Stmt]) -> tuple[Atom, ...]:
        out = list(atoms)
        for k, (a, r) in enumerate(zip(atoms, taking, strict=False)):
            if _are_real(a, r) and isinstance(a, Var) and memory.of(a) not in memory.written:
                new = out[k] = Var("", K.without_shape(r.kind))
                made.append(Op(new, helpers.promoted, (a,)))
        return tuple(out)

    def ended(block: Block, taking: Sequence[Var]) -> Block:
        made: list[Stmt] = []
        outs = converted(block.outs, taking, made)
        return Block((*block.stmts, *made), outs)

    def change(s: Stmt) -> Stmt | list[Stmt]:
        before: list[Stmt] = []
        match s:
            case If(results=results):
                return If(s.cond, ended(s.then, results), ended(s.orelse, results), results, s.origin)
            case For(params=params) | While(params=params):
                inits = converted(s.inits, params, before)
                return [*before, replace(s, inits=inits, body=ended(s.body, params))]
        return s

    return with_body(function, map_stmts(function.body, change))


def _taking(s: If | For | While) -> tuple[Var, ...]:
    """What goes by one name for several values."""
    return s.results if isinstance(s, If) else s.params


def _given(s: If | For | While) -> tuple[tuple[Atom, ...], ...]:
    """The values that go by these names."""
    return (s.then.outs, s.orelse.outs) if isinstance(s, If) else (s.inits, s.body.outs)


def _is_complex(v: Var) -> bool:
    return isinstance(v.kind, K.Array) and v.kind.dtype == "complex128"


def _are_real(a: Atom, taking: Var) -> bool:
    """Whether an array of real numbers goes by the name of complex ones."""
    return _is_complex(taking) and isinstance(a, Var) and isinstance(a.kind, K.Array) and a.kind.dtype == "float64"
