"""Copies of what is put together, as what is put together of copies.

Before::

    def f(x: float64[1], a: float):
        t: dict[?] = make_dict('o', x, 'p', a)
        u: dict[?] = copy_tree(t)
        return u

After::

    def f(x, a):
        t = make_dict('o', x, 'p', a)
        o = copy_tree(x)
        u = make_dict('o', o, 'p', a)
        return u

Dicts and records of results are made in Python, around what is compiled. One with an argument in it is copied, and a
copy of the whole would have to be compiled.

Requires: nothing of the IR.
Ensures: the same values. Dicts and lists that change are copied as they are then.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

from s2sad.analysis.memory import Memory
from s2sad.compiled.expand import kind_of
from s2sad.ir import kinds as K
from s2sad.ir import prims
from s2sad.ir.nodes import Atom, Function, Op, Stmt, Var
from s2sad.ir.rewrite import definitions, map_stmts, walk, with_body
from s2sad.runtime import helpers

__all__ = ["copies_of_parts"]

_PUT_TOGETHER = (prims.make_tuple, prims.make_list, prims.make_dict, prims.make_instance)


def copies_of_parts(function: Function) -> Function:
    """Copy the parts of what is put together, and put them together again."""
    copied = [s for s in walk(function) if isinstance(s, Op) and s.fn is helpers.copy_tree]
    if not any(isinstance(kind_of(s.args[0]), K.Dict | K.Tuple) for s in copied):
        return function
    parts = _Parts(function)
    return with_body(function, map_stmts(function.body, lambda s: list(parts.copied(s))))


class _Parts:
    """Knows what things are put together of."""

    def __init__(self, function: Function) -> None:
        self.made = definitions(function)
        self.memory = Memory(function)

    def copied(self, s: Stmt) -> Iterator[Stmt]:
        """A statement; a copy of what is put together, part by part."""
        whole = self.whole(s)
        if whole is None or not isinstance(s, Op):
            yield s
            return
        args: list[Atom] = []
        for a in whole.args:
            if isinstance(a, Var) and not isinstance(a.kind, K.Scalar):
                part = Var(a.hint, a.kind)
                yield from self.copied(Op(part, helpers.copy_tree, (a,), (), s.origin))
                args.append(part)
            else:
                args.append(a)
        yield replace(whole, target=s.target, args=tuple(args), origin=s.origin)

    def whole(self, s: Stmt) -> Op | None:
        """What puts together, from what has not changed since, that of which a statement makes a copy."""
        match s:
            case Op(target=Var(), fn=helpers.copy_tree, args=(Var() as v,)):
                made = self.made.get(v)
                if isinstance(made, Op) and made.fn in _PUT_TOGETHER and self.memory.of(v) not in self.memory.written:
                    return made
        return None
