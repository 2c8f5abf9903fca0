"""Functions that are called get what they read outside as arguments.

Before::

    def f_jvp(x: float, n: int, dx: float):
        ...
        t = cases.RATE * x
        d = f_jvp(x, n - 1, dx)

    def g_jvp(x: float, n: int, dx: float):
        d = f_jvp(x, n, dx)

After::

    def f_jvp(x, n, dx, RATE):
        ...
        t = RATE * x
        d = f_jvp(x, n - 1, dx, RATE)

    def g_jvp(x, n, dx):
        d = f_jvp(x, n, dx, cases.RATE)

To Numba a global is a constant, of which it notes the value once. What the derivative itself reads is read before it is
called (:mod:`s2sad.compiled.boundary`).

Requires: the linked IR of a derivative.
Ensures: no function but the derivative reads data outside.
"""

from __future__ import annotations

from dataclasses import replace

from s2sad.analysis.effects import called
from s2sad.analysis.outside import data_refs, hint_of
from s2sad.ir.nodes import Function, Op, Ref, Stmt, Var
from s2sad.ir.rewrite import all_vars, map_atoms, map_stmts, walk
from s2sad.names import Namer

__all__ = ["outside_as_arguments", "rebuilt"]


def outside_as_arguments(function: Function) -> Function:
    """The derivative, which passes to the functions that it calls what they read outside."""
    _, *others = called(function)
    reads = _all_read(others)
    if not any(reads.values()):
        return function
    params = {f: _params(f, refs) for f, refs in reads.items()}

    def passing(f: Function) -> Function:
        own = params.get(f, {})

        def change(s: Stmt) -> Stmt:
            if isinstance(s, Op) and isinstance(s.fn, Function) and reads.get(s.fn):
                return replace(s, args=(*s.args, *reads[s.fn]))
            return s

        body = map_atoms(map_stmts(f.body, change), lambda a: own.get(a, a) if type(a) is Ref else a)
        return Function(f.name, (*f.params, *own.values()), body, f.doc, f.origin, f.catches)

    return rebuilt([function, *others], {f: passing(f) for f in (function, *others)})


def _params(function: Function, refs: dict[Ref, None]) -> dict[Ref, Var]:
    names = Namer()
    for v in all_vars(function):
        names.fresh(v.hint)
    return {ref: Var(names.fresh(hint_of(ref)), ref.kind) for ref in refs}


def _all_read(functions: list[Function]) -> dict[Function, dict[Ref, None]]:
    """What functions read outside, themselves and by what they call."""
    reads = {f: data_refs(f) for f in functions}
    calls = {f: [s.fn for s in walk(f) if isinstance(s, Op) and isinstance(s.fn, Function)] for f in functions}
    while True:
        more = {f: {**refs, **{r: None for g in calls[f] for r in reads[g]}} for f, refs in reads.items()}
        if more == reads:
            return reads
        reads = more


def rebuilt(functions: list[Function], new: dict[Function, Function]) -> Function:
    """The first of some functions, each in its new form, calling the others in theirs: they may call themselves."""
    shells = {f: Function(g.name, g.params, g.body, g.doc, g.origin, g.catches) for f, g in new.items()}

    def change(s: Stmt) -> Stmt:
        return replace(s, fn=shells[s.fn]) if isinstance(s, Op) and s.fn in shells else s

    for shell in shells.values():
        object.__setattr__(shell, "body", map_stmts(shell.body, change))
    return shells[functions[0]]
