"""Restructure: say of flags what control flow already says.

Before::                                    After::

    if c: ...; give 1.0, True                   if c: ...; give 1.0
    else: give x, False                         else: give x
    -> y, done                                  -> y
    if done: give 2.0                           if c: give 2.0
    else: give y                                else: give y

* In the branches of ``if c`` a boolean ``c`` is True and False; a result that is True in one
  branch and False in the other is ``c``, or its negation, unless more is asked of it than its truth
  (:mod:`s2sad.backend.truths`).
* A loop's exit flag is decided in the branches of the statement that ends its body.
* A flag that starts as a literal and changes only where the loop is left keeps it until then.

The fold pass and :mod:`s2sad.backend.jumps` write ``break`` and ``return`` from what is left.
"""

from __future__ import annotations

import operator
from collections.abc import Iterable, Set
from dataclasses import replace
from typing import Any

from s2sad.backend.truths import taken_whole
from s2sad.ir.kinds import BOOL, Scalar
from s2sad.ir.nodes import Atom, Block, Closure, Comment, Const, For, Function, If, Op, Stmt, Var, While, With
from s2sad.ir.rewrite import map_atoms, substitute, with_body

__all__ = ["restructure"]

TRUE, FALSE = Const(True), Const(False)


def restructure(function: Function) -> Function:
    """The function with fewer flags."""
    if not any(isinstance(s, If | For | While | With | Closure) for s in function.body.stmts):
        return function
    return with_body(function, _Restructurer(taken_whole(function)).block(function.body))


class _Restructurer:
    """Rebuilds blocks in order of the text, replacing what is known as it goes."""

    def __init__(self, whole: set[Var]) -> None:
        self.whole = whole  #: of which more is asked than their truth
        self.known: dict[Var, Atom] = {}
        self.opposite: dict[Var, Var] = {}

    def use(self, a: Atom) -> Atom:
        """What is known of an atom here."""
        while type(a) is Var and a in self.known:
            a = self.known[a]
        return a

    def block(self, block: Block) -> Block:
        """A block, and what it hands on."""
        stmts: list[Stmt] = []
        for stmt in block.stmts:
            stmts.extend(self.stmt(stmt))
        return Block(tuple(stmts), tuple(map(self.use, block.outs)))

    def assuming(self, block: Block, cond: Atom, value: Const) -> Block:
        """A branch, in which its condition is known."""
        if not _is_bool(cond):
            return self.block(block)
        assert isinstance(cond, Var)
        facts = {} if cond in self.whole else {cond: value}
        facts |= {v: FALSE if value is TRUE else TRUE for v, base in self.opposite.items() if base is cond}
        hidden = {v: self.known[v] for v in facts if v in self.known}
        self.known.update(facts)
        new = self.block(block)
        for v in facts:
            del self.known[v]
        self.known.update(hidden)
        return new

    def stmt(self, stmt: Stmt) -> Iterable[Stmt]:
        """What replaces a statement."""
        match stmt:
            case If():
                return self.if_(stmt)
            case For() | While():
                return self.loop(stmt)
            case With():
                return (replace(stmt, context=self.use(stmt.context), body=self.block(stmt.body)),)
            case Closure(function=f):
                return (replace(stmt, function=with_body(f, self.block(f.body))),)
            case Comment():
                return (stmt,)
        return (map_atoms(stmt, self.use) if self.known else stmt,)

    # -- branches -----------------------------------------------------------------

    def if_(self, s: If) -> Iterable[Stmt]:
        """A branch: results that only repeat the condition are known by it."""
        cond, then, orelse = self.use(s.cond), s.then, s.orelse
        if isinstance(cond, Var) and cond in self.opposite:
            cond, then, orelse = self.opposite[cond], orelse, then
        if isinstance(cond, Const):
            taken = self.block(then if cond.value else orelse)
            self.known.update(zip(s.results, taken.outs, strict=True))
            return taken.stmts
        then, orelse = self.assuming(then, cond, TRUE), self.assuming(orelse, cond, FALSE)
        kept: list[tuple[Var, Atom, Atom]] = []
        after: list[Stmt] = []
        for result, a, b in zip(s.results, then.outs, orelse.outs, strict=True):
            if a == b:
                self.known[result] = a
            elif (a, b) == (TRUE, FALSE) and _is_bool(cond) and result not in self.whole:
                self.known[result] = cond
            elif (a, b) == (FALSE, TRUE) and _is_bool(cond):
                assert isinstance(cond, Var)
                self.opposite[result] = cond
                after.append(Op(result, operator.not_, (cond,), (), s.origin))
            else:
                kept.append((result, a, b))
        if not kept and not then.stmts and not orelse.stmts:
            return after
        results, a_outs, b_outs = (tuple(column) for column in zip(*kept, strict=True)) if kept else ((), (), ())
        return (If(cond, replace(then, outs=a_outs), replace(orelse, outs=b_outs), results, s.origin), *after)

    # -- loops ----------------------------------------------------------------------

    def loop(self, s: For | While) -> Iterable[Stmt]:
        """A loop: its exit flag is decided where its body ends."""
        s = replace(s, inits=tuple(map(self.use, s.inits)))
        body, facts = self.loop_body(s)
        doubled = dict(_congruent_params(s, body))
        if doubled:
            for i, k in doubled.items():
                self.known[s.results[i]] = s.results[k]
            body = substitute(body, {s.params[i]: s.params[k] for i, k in doubled.items()})
            s, body = _without(s, body, set(doubled))
        if s.has_exit and body.outs[-1] == FALSE:
            s, body = replace(s, has_exit=False), replace(body, outs=body.outs[:-1])
        if isinstance(s, While):
            return (replace(s, test=self.block(substitute(s.test, facts)), body=body),)
        start, stop, step = map(self.use, (s.start, s.stop, s.step))
        return (replace(s, start=start, stop=stop, step=step, body=body),)

    def loop_body(self, s: For | While) -> tuple[Block, dict[Var, Atom]]:
        """The body, and the params that keep their literal until the loop is left."""
        if not s.has_exit:
            return self.block(s.body), {}
        facts: dict[Var, Atom] = {p: init for p, init in zip(s.params, s.inits, strict=True) if init in (TRUE, FALSE)}
        whole = {i for i, pair in enumerate(zip(s.params, s.results, strict=False)) if not self.whole.isdisjoint(pair)}
        while True:
            known, opposite = dict(self.known), dict(self.opposite)
            body = ending_in_branch(self.block(substitute(s.body, facts)), whole)
            changed = [
                p
                for i, p in enumerate(s.params)
                if p in facts and not _stays(body, body.outs[i], body.outs[-1], {p, facts[p]})
            ]
            if not changed:
                break
            self.known, self.opposite = known, opposite
            for p in changed:
                del facts[p]
        for i, p in enumerate(s.params):
            if p in facts:
                body = _kept(body, i, p, facts[p])
        return body, facts


def _is_bool(a: Atom) -> bool:
    return isinstance(a, Var) and isinstance(a.kind, Scalar) and a.kind.dtype == "bool"


def _last_if(block: Block) -> If | None:
    last = block.stmts[-1] if block.stmts else None
    return last if isinstance(last, If) else None


def ending_in_branch(body: Block, whole: Set[int] = frozenset()) -> Block:
    """The body of a loop with its exit flag among the results of its last statement, where that decides it.

    Of what is handed on at the places ``whole`` more is asked than its truth: that stays what it is.
    """

    def places(a: Atom) -> list[int]:
        return [i for i, o in enumerate(body.outs) if o is a and i not in whole]

    flag = body.outs[-1]
    last = _last_if(body)
    if last is not None and last.cond is not flag and _is_bool(last.cond) and last.cond in body.outs:
        body = _decided(body, last, places(last.cond), TRUE, FALSE)
        last = _last_if(body)
    if not isinstance(flag, Var) or (last is not None and flag in last.results):
        return body
    if last is not None and flag is last.cond:
        return _decided(body, last, places(flag), TRUE, FALSE)
    match body.stmts[-2:]:
        case (If() as branch, Op(target=target, fn=operator.not_, args=(cond,))):
            if target is flag and cond is branch.cond and not any(o is flag for o in body.outs[:-1]):
                return _decided(replace(body, stmts=body.stmts[:-1]), branch, places(flag), FALSE, TRUE)
    if _is_bool(flag) and any(o is flag for o in body.outs[:-1]):
        branch = If(flag, Block(), Block(), (), None)
        return _decided(replace(body, stmts=(*body.stmts, branch)), branch, places(flag), TRUE, FALSE)
    return body


def _decided(body: Block, branch: If, places: list[int], then: Const, orelse: Const) -> Block:
    """The body with these outs as results of its last branch, each of its own."""
    results = tuple(Var("", BOOL) for _ in places)
    new = If(
        branch.cond,
        replace(branch.then, outs=(*branch.then.outs, *(then for _ in places))),
        replace(branch.orelse, outs=(*branch.orelse.outs, *(orelse for _ in places))),
        (*branch.results, *results),
        branch.origin,
    )
    outs = list(body.outs)
    for i, r in zip(places, results, strict=True):
        outs[i] = r
    return Block((*body.stmts[:-1], new), tuple(outs))


def _stays(block: Block, out: Atom, flag: Atom, same: set[Atom]) -> bool:
    """Whether ``out`` is one of ``same`` on each path to the block's end on which ``flag`` is not surely true."""
    if flag == TRUE or out in same:
        return True
    last = _last_if(block)
    if last is None or not isinstance(out, Var) or out not in last.results:
        return False
    i = last.results.index(out)
    j = last.results.index(flag) if isinstance(flag, Var) and flag in last.results else None
    return all(_stays(b, b.outs[i], flag if j is None else b.outs[j], same) for b in (last.then, last.orelse))


def _kept(block: Block, i: int, p: Var, literal: Atom) -> Block:
    """The block with out number i handed on as ``p`` wherever it is the literal that ``p`` still has."""
    out = block.outs[i]
    if out == literal:
        return replace(block, outs=(*block.outs[:i], p, *block.outs[i + 1 :]))
    last = _last_if(block)
    if last is None or not isinstance(out, Var) or out not in last.results or block.outs.count(out) > 1:
        return block
    k = last.results.index(out)
    new = replace(last, then=_kept(last.then, k, p, literal), orelse=_kept(last.orelse, k, p, literal))
    return Block((*block.stmts[:-1], new), block.outs)


def _congruent_params(s: For | While, body: Block) -> Iterable[tuple[int, int]]:
    """Params that are always equal to an earlier one: flags that are set together."""
    literal = [i for i, init in enumerate(s.inits) if init in (TRUE, FALSE)]
    for n, i in enumerate(literal):
        for k in literal[:n]:
            if s.inits[i] == s.inits[k]:
                same = {(s.params[i], s.params[k])}
                if _congruent(body, body.outs[i], body.outs[k], same):
                    yield i, k
                    break


def _congruent(block: Block, a: Atom, b: Atom, same: set[tuple[Var, Var]]) -> bool:
    """Whether two outs of a block are equal, given that pairs of params are."""
    if a == b or (a, b) in same:
        return True
    last = _last_if(block)
    if last is None or a not in last.results or b not in last.results:
        return False
    i, k = last.results.index(a), last.results.index(b)
    return all(_congruent(branch, branch.outs[i], branch.outs[k], same) for branch in (last.then, last.orelse))


def _without(s: For | While, body: Block, dropped: set[int]) -> tuple[For | While, Block]:
    """The loop without some of its params."""

    def kept(atoms: tuple[Any, ...]) -> tuple[Any, ...]:
        return tuple(a for i, a in enumerate(atoms) if i not in dropped)

    s = replace(s, params=kept(s.params), inits=kept(s.inits), results=kept(s.results))
    return s, replace(body, outs=kept(body.outs))
