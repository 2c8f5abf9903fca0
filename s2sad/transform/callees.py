"""Derivatives of called functions: a pair for each mode, made once.

For the reverse mode a callee gives its result and a pullback; for the forward mode, the result and
its tangent.  A recursive function's derivative calls itself where the function did.
"""

from __future__ import annotations

from s2sad.ir.nodes import Atom, Block, Callee, Const, Function, Op, Stmt
from s2sad.ir.rewrite import clone, map_stmts, walk, with_body
from s2sad.optimise import optimise
from s2sad.optimise.dead import dead_code

__all__ = ["derived_callee", "link", "named_by", "with_callees"]


def derived_callee(callee: Callee, mode: str) -> Callee:
    """The callee that gives the derivative of a called function, made on first use."""
    from s2sad.transform.assemble import callee_derivative

    known = callee.derived.get(mode)
    if known is not None:
        return known
    assert callee.function is not None
    base = callee if mode == "vjp" else None
    derived = callee.derived[mode] = Callee(f"{callee.name}_{mode}", pure=callee.pure, spares=callee.spares, base=base)
    try:
        derived.function = optimise(callee_derivative(clone(callee.function), mode))  # no two functions share variables
    except BaseException:  # whoever asks again is refused in the same way
        del callee.derived[mode]
        raise
    return derived


def with_callees(function: Function) -> list[Function]:
    """A function and those that it calls, each once."""
    found = {id(function): function}
    work = [function]
    while work:
        for s in walk(work.pop()):
            for callee in named_by(s) if isinstance(s, Op) else ():
                if (made := callee.function) and id(made) not in found:
                    found[id(made)] = made
                    work.append(made)
    return list(found.values())


def link(function: Function) -> Function:
    """The function, with callees replaced by the functions they stand for, ready to be emitted.

    Functions may then refer to themselves: nothing but the emitter is to see them.
    """
    shells: dict[Callee, Function] = {}
    return _linked(function, shells)


def _linked(function: Function, shells: dict[Callee, Function]) -> Function:
    callees = [c for s in walk(function) if isinstance(s, Op) for c in named_by(s)]
    if not callees:
        return function
    for callee in dict.fromkeys(callees):
        if callee in shells:
            continue
        made = callee.function
        assert made is not None
        if callee.varies:
            made = optimise(made)
        if made.catches:  # what it computes is read by nobody, and may raise all the same
            made = dead_code(made, has_effect=lambda fn: True)
        shell = shells[callee] = Function(callee.name, made.params, Block(), made.doc, made.origin, made.catches)
        object.__setattr__(shell, "body", _linked(made, shells).body)

    def change(s: Stmt) -> Stmt:
        if not isinstance(s, Op) or not named_by(s):
            return s
        fn = shells[s.fn] if isinstance(s.fn, Callee) else s.fn
        args = tuple(Const(shells[a.value]) if _is_handed(a) else a for a in s.args)  # type: ignore[union-attr]
        return Op(s.target, fn, args, s.kwargs, s.origin)

    body = map_stmts(function.body, change)
    return with_body(function, body)


def named_by(op: Op) -> list[Callee]:
    """The functions of their own that an operation calls, or hands to a helper."""
    called = [op.fn] if isinstance(op.fn, Callee) else []
    return called + [a.value for a in op.args if _is_handed(a)]  # type: ignore[union-attr]


def _is_handed(a: Atom) -> bool:
    return isinstance(a, Const) and isinstance(a.value, Callee)
