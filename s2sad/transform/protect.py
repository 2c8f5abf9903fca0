"""Protection of arguments and results: a derivative has no side effects.

Requires: the optimised IR of a derivative.
Ensures: arguments (and arrays and lists outside the function) that it stores into are copied at entry, and
results are copied where they might share memory with an argument, with each other, or with what a
pullback reads later. A pullback finds what is outside as it was when the function ran.
"""

from __future__ import annotations

import operator
from typing import Any

import numpy as np

from s2sad.analysis.memory import Memory
from s2sad.analysis.outside import data_refs, hint_of
from s2sad.ir import kinds as K
from s2sad.ir import prims
from s2sad.ir.nodes import Block, Closure, Function, Op, Ref, Stmt, Var
from s2sad.ir.rewrite import map_atoms, substitute, walk, with_body
from s2sad.runtime import helpers

__all__ = ["protect"]

_REFERENCES = (K.Array, K.Numeric, K.List, K.Dict)
_PARTS = (operator.getitem, prims.getattr_, prims.identity)


def protect(function: Function) -> Function:
    """Copy arguments that are changed, and results that are shared."""
    function = read_early(function)
    memory = Memory(function)
    copied = protect_arguments(function, memory)
    return protect_results(copied, memory if copied is function else Memory(copied))


def read_early(function: Function) -> Function:
    """Read what pullbacks read outside when the function runs: it may be another when they are called."""
    refs = {r: None for s in walk(function) if isinstance(s, Closure) for r in data_refs(s.function)}
    if not refs:
        return function
    early = {r: Var(hint_of(r), r.kind) for r in refs}
    body = map_atoms(function.body, lambda a: early.get(a, a) if isinstance(a, Ref) else a)
    assert isinstance(body, Block)
    reads = tuple(Op(v, prims.identity, (r,)) for r, v in early.items())
    return with_body(function, Block((*reads, *body.stmts), body.outs))


def roots_of(function: Function) -> list[Var]:
    """References to objects that the caller holds: parameters, their parts, captured data."""
    roots = list(function.params)
    known: set[Any] = set(function.params)
    for s in function.body.stmts:
        if isinstance(s, Op) and s.target is not None and s.fn in _PARTS:
            base = s.args[0]
            # What is inside a list is copied with the list, once and for all.
            if not isinstance(base, Var) or (base in known and not isinstance(base.kind, _REFERENCES)):
                roots.append(s.target)
                known.add(s.target)
    return [r for r in roots if isinstance(r.kind, _REFERENCES)]


def protect_arguments(function: Function, memory: Memory) -> Function:
    """Copy at entry what is stored into, and what a pullback reads that is outside."""
    kept = captured_classes(function, memory)
    outside = outside_of(function)
    copies: dict[Var, Var] = {}
    whole = {s.target: s.args[0] for s in function.body.stmts if isinstance(s, Op) and s.fn in _PARTS}

    def copied(v: Any) -> bool:
        return v in copies or (v in whole and copied(whole[v]))

    for r in roots_of(function):
        taken = memory.foreign | kept if r in outside else memory.foreign
        if any(c in taken for c in memory.reachable(r)) and not copied(r):
            copies[r] = Var(r.hint, r.kind)
    if not copies:
        return function
    body = substitute(function.body, copies)
    assert isinstance(body, Block)
    exact = not memory.by_layout.isdisjoint(memory.written)
    stmts: list[Stmt] = [copy_of(r, c, exact) for r, c in copies.items() if r in function.params]
    for s in body.stmts:
        stmts.append(s)
        original = s.target if isinstance(s, Op) else None
        if original in copies:
            stmts.append(copy_of(original, copies[original], exact))
    return with_body(function, Block(tuple(stmts), body.outs))


def outside_of(function: Function) -> set[Var]:
    """The variables that hold objects outside the function, or their parts."""
    found: set[Var] = set()
    for s in function.body.stmts:
        if not isinstance(s, Op) or s.target is None or s.fn not in _PARTS:
            continue
        if isinstance(s.args[0], Ref) or s.args[0] in found:
            found.add(s.target)
    return found


def copy_of(source: Var, target: Var, exact: bool = False) -> Op:
    """``target = copy of source``, as deep as it may be stored into; ``exact`` where layouts matter."""
    if exact:
        fn = helpers.laid_out if isinstance(source.kind, K.Array) else helpers.laid_out_leaves
        return Op(target, fn, (source, source))
    match source.kind:
        case K.Array():
            return Op(target, np.copy, (source,))
        case K.List(K.Scalar()):
            return Op(target, prims.list_copy, (source,))
    return Op(target, helpers.copy_tree, (source,))


def protect_results(function: Function, memory: Memory) -> Function:
    """Copy results that may share memory with an argument or with another result."""
    makers = {s.target: s for s in function.body.stmts if isinstance(s, Op) and s.target is not None}
    result = function.result
    if not isinstance(result, Var):
        return function
    taken: set[Any] = {c for r in roots_of(function) for c in memory.reachable(r)}
    taken |= captured_classes(function, memory)
    new: list[Stmt] = []

    def secured(v: Any) -> Any:
        if not isinstance(v, Var):
            return v
        maker = makers.get(v)
        if maker is not None and maker.fn is prims.make_tuple:
            args = tuple(secured(a) for a in maker.args)
            if args == maker.args:
                return v
            again = Var(v.hint, v.kind)
            new.append(Op(again, prims.make_tuple, args, (), maker.origin))
            return again
        if not isinstance(v.kind, _REFERENCES):
            return v
        classes = set(memory.reachable(v))
        if not classes & taken:
            taken.update(classes)
            return v
        copy = Var(v.hint, v.kind)
        new.append(copy_of(v, copy))
        return copy

    secure = secured(result)
    if secure is result:
        return function
    body = Block((*function.body.stmts, *new), (secure,))
    return with_body(function, body)


def captured_classes(function: Function, memory: Memory) -> set[Any]:
    """Classes of memory that a nested function (a pullback) reads after the function returned."""
    from s2sad.ir.rewrite import free_vars

    found: set[Any] = set()
    for s in walk(function):
        if isinstance(s, Closure):
            for v in free_vars(s.function):
                if isinstance(v.kind, _REFERENCES):
                    found.update(memory.reachable(v))
    return found
