"""Pullbacks of functions that call themselves, as numbers of records.

Before::

    def f_vjp(x: float, n: int):
        ...
        pair = f_vjp(t, m)
        y = pair[0]
        back = pair[1]
        ...
        def f_pullback(by):
            c = by * y
            d = pull_back(back, c)
            ...
            return r
        result = (z, f_pullback)
        return result

After::

    def f_vjp(x, n, y_record, back_record):
        ...
        pair = f_vjp(t, m, y_record, back_record)
        y = pair[0]
        back = pair[1]
        ...
        k = len(y_record)
        list_append(y_record, y)
        list_append(back_record, back)
        result = (z, k)
        return result

    def f_pullback(k, by, y_record, back_record):
        y = y_record[k]
        back = back_record[k]
        c = by * y
        d = f_pullback(back, c, y_record, back_record)
        ...
        return r

There are no functions made at run time in machine code. What one captures goes into lists that the derivative makes and
passes to all functions that call such, and its number in them stands for it. Records are only read: pullbacks may be
called in any order, and many times.

Requires: the linked IR of a derivative.
Ensures: no function but the derivative makes pullbacks, and none calls one; it is refused where it is not known which
function a pullback is of, or what it captures.
"""

from __future__ import annotations

import operator
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace

from s2sad.analysis.effects import called
from s2sad.compiled.captured_lengths import lengths_captured
from s2sad.compiled.errors import HELP
from s2sad.compiled.expand import kind_of
from s2sad.compiled.indices import indices_made_again
from s2sad.compiled.live import rebuilt
from s2sad.compiled.parts import split_tapes
from s2sad.compiled.restored import copied_together, copies_spelt_out, empty_in_any_layout
from s2sad.compiled.viewing import in_one_piece
from s2sad.errors import CompileError
from s2sad.ir import kinds as K
from s2sad.ir import prims
from s2sad.ir.nodes import Atom, Block, Closure, Const, For, Function, If, Op, Origin, Stmt, Var, While
from s2sad.ir.rewrite import (
    all_vars,
    clone_block,
    definitions,
    free_vars,
    map_atoms,
    map_stmts,
    substitute,
    walk,
    with_body,
)
from s2sad.names import Namer
from s2sad.runtime import helpers

__all__ = ["pullbacks_as_records"]


def pullbacks_as_records(function: Function) -> Function:
    """The derivative, in which functions that give pullbacks give the numbers of their records."""
    functions = called(function)
    if not any(_closure_of(f) for f in functions[1:]):
        return function
    plain = {f: lengths_captured(indices_made_again(split_tapes(f))) for f in functions}
    told = rebuilt(functions, plain)
    functions = called(told)
    return _Records(functions).told()


def _closure_of(function: Function) -> Closure | None:
    """The pullback that a function gives beside its result."""
    made = definitions(function)
    whole = made.get(function.result) if isinstance(function.result, Var) else None
    back = whole.args[-1] if isinstance(whole, Op) and whole.fn is prims.make_tuple and len(whole.args) == 2 else None
    closure = made.get(back) if isinstance(back, Var) else None
    return closure if isinstance(closure, Closure) and closure in function.body.stmts else None


@dataclass(frozen=True, eq=False)
class _Pair:
    """A function that gives a pullback, what that captures, the lists for it, and the pullback as a function.

    ``overlapping`` are the arrays among what it captures that are copied together: these stay views of each other.
    """

    function: Function
    closure: Closure
    captured: tuple[Var, ...]
    lists: tuple[Var, ...]
    again: tuple[Op, ...]
    back: Function
    overlapping: frozenset[Atom]


class _Records:
    """The functions of a derivative, and the records of those that give pullbacks."""

    def __init__(self, functions: list[Function]) -> None:
        self.functions = functions
        self.main = functions[0]
        self.names = Namer()
        for v in (v for f in functions for v in all_vars(f)):
            self.names.fresh(v.hint)
        self.pairs = {f: self.pair(f, c) for f in functions[1:] if (c := _closure_of(f)) is not None}
        self.lists = tuple(v for p in self.pairs.values() for v in p.lists)
        self.passing = self.those_that_pass()
        self.calls = {s.target: s.fn for f in functions for s in walk(f) if isinstance(s, Op) and s.fn in self.pairs}
        self.owners: dict[Var, Function] = {}
        for f in functions:
            self.owners.update(_owners(f, self.pairs, self.calls))
        self.numbers = {v: Var(v.hint, _number_kind(v.kind)) for v in (*self.owners, *self.calls) if v is not None}

    def pair(self, f: Function, closure: Closure) -> _Pair:
        """What a function that gives a pullback becomes; the pullback has no body yet."""
        made = definitions(f)
        captured, again = _apart(free_vars(closure.function), made)
        lists = tuple(Var(self.names.fresh(f"{v.hint or 't'}_record"), K.List(v.kind)) for v in captured)
        back = Function(f"{f.name.removesuffix('_vjp')}_pullback", (), Block(), "", f.origin)
        return _Pair(f, closure, captured, lists, again, back, copied_together(f))

    def those_that_pass(self) -> set[Function]:
        """The functions that are passed the lists: those that give pullbacks, and all that call one that is."""
        found = set(self.pairs)
        while True:
            callers = {
                f for f in self.functions[1:] for s in walk(f) if isinstance(s, Op) and s.fn in found and f not in found
            }
            if not callers:
                return found
            found |= callers

    def told(self) -> Function:
        """The derivative."""
        new: dict[Function, Function] = {}
        for f in self.functions:
            lists = self.own_lists(f)
            new[f] = self.started(f, lists) if f is self.main else self.passed(f, lists)
        for p in self.pairs.values():
            new[p.back] = self.pulled(p)
        return rebuilt([self.main], new)

    def own_lists(self, f: Function) -> dict[Var, Var]:
        """The lists as one function knows them."""
        if f is not self.main and f not in self.passing:
            return {}
        return {v: Var(v.hint, self.list_kind(v)) for v in self.lists}

    def list_kind(self, v: Var) -> K.Kind:
        """The kind of a list of what is captured."""
        assert isinstance(v.kind, K.List)
        captured = next(c for p in self.pairs.values() for c, x in zip(p.captured, p.lists, strict=True) if x is v)
        kind = self.numbers[captured].kind if captured in self.numbers else captured.kind
        owner = next(f for f, p in self.pairs.items() if v in p.lists)
        _need_kept(kind, owner.origin)
        return K.List(K.without_shape(kind))

    def started(self, f: Function, lists: dict[Var, Var]) -> Function:
        """The derivative itself, which makes the lists."""
        body = self.renumbered(f.body, lists)
        pairs = [(v, xs, p) for p in self.pairs.values() for v, xs in zip(p.captured, p.lists, strict=True)]
        overlapping = {xs for v, xs, p in pairs if v in p.overlapping}
        made: list[Stmt] = []
        for known, v in lists.items():
            made += empty_in_any_layout(v) if known in overlapping else [Op(v, prims.make_list, (), (), f.origin)]
        return with_body(f, Block((*made, *body.stmts), body.outs))

    def passed(self, f: Function, lists: dict[Var, Var]) -> Function:
        """A function that is called, with the lists; one that gives a pullback puts down what that captures."""
        pair = self.pairs.get(f)
        body = f.body if pair is None else self.recorded(pair, lists)
        return Function(f.name, (*f.params, *lists.values()), self.renumbered(body, lists), f.doc, f.origin, f.catches)

    def recorded(self, pair: _Pair, lists: dict[Var, Var]) -> Block:
        """The body of a function that gives a pullback, with a record in its place."""
        number = Var(pair.closure.target.hint, K.INT)
        own = [lists[v] for v in pair.lists]
        note: list[Stmt] = []
        for xs, v in zip(own, pair.captured, strict=True):
            whole = Var(v.hint, v.kind) if isinstance(v.kind, K.Array) and v.kind.rank else v
            laid_out = helpers.as_it_lies if v in pair.overlapping else in_one_piece  # to stay views of each other
            note += [Op(whole, laid_out, (v,), (), pair.closure.origin)] if whole is not v else []
            note.append(Op(None, prims.list_append, (xs, whole), (), pair.closure.origin))
        # in a function that hands on none of the lists, one that it did not ask would be written for nobody
        asked = own[:1] if any(s.fn in self.passing for s in walk(pair.function) if isinstance(s, Op)) else own
        stmts: list[Stmt] = []
        for s in _items_in_one_piece(pair).stmts:
            stmts += [*_count(number, asked), *note] if s is pair.closure else [s]
        body = substitute(Block(tuple(stmts), pair.function.body.outs), {pair.closure.target: number})
        result = pair.function.result
        assert isinstance(result, Var) and isinstance(result.kind, K.Tuple)
        whole = Var(result.hint, K.Tuple((*result.kind.items[:-1], K.INT)))
        return map_atoms(body, lambda a: whole if a is result else a, lambda v: whole if v is result else v)

    def pulled(self, pair: _Pair) -> Function:
        """A pullback as a function of the number of its record and the cotangent."""
        number = Var(self.names.fresh("k"), K.INT)
        lists = self.own_lists(pair.function)
        inner = pair.closure.function
        loads: list[Stmt] = [
            Op(v, operator.getitem, (lists[xs], number), (), pair.closure.origin)
            for v, xs in zip(pair.captured, pair.lists, strict=True)
        ]
        body = copies_spelt_out(Block((*loads, *pair.again, *inner.body.stmts), inner.body.outs), pair.function)
        body = self.renumbered(body, lists)
        given = {p: Var(p.hint, K.without_shape(p.kind)) for p in inner.params}
        kept = {v: v for v in (number, *lists.values())}
        body = clone_block(body, {**given, **kept}, K.without_shape)
        return Function(pair.back.name, (number, *given.values(), *lists.values()), body, "", pair.function.origin)

    def renumbered(self, block: Block, lists: dict[Var, Var]) -> Block:
        """A block in which pullbacks are numbers, those of functions that are called here with the lists."""

        def change(s: Stmt) -> Stmt:
            match s:
                case Op(fn=Function() as fn) if fn in self.passing:
                    return replace(s, args=(*s.args, *lists.values()))
                case Op(fn=prims.pull_back, args=(back, ct)):
                    owner = self.owners.get(back) if isinstance(back, Var) else None
                    if owner is None:
                        raise CompileError(
                            "a pullback of which it is not known what function it is of cannot be compiled.",
                            HELP,
                            origin=s.origin,
                        )
                    return replace(s, fn=self.pairs[owner].back, args=(back, ct, *lists.values()))
            return s

        block = map_stmts(block, change)
        names = self.numbers
        return map_atoms(block, lambda a: names.get(a, a) if type(a) is Var else a, lambda v: names.get(v, v))


def _count(number: Var, lists: Sequence[Var]) -> list[Stmt]:
    """How many records there are, asked of these lists."""
    match lists:
        case []:
            return [Op(number, prims.identity, (Const(0),))]
        case [xs]:
            return [Op(number, len, (xs,))]
    counts = [Var(number.hint, K.INT) for _ in lists]
    return [*(Op(n, len, (xs,)) for n, xs in zip(counts, lists, strict=True)), Op(number, max, tuple(counts))]


def _items_in_one_piece(pair: _Pair) -> Block:
    """The body of a function whose pullback captures tapes of arrays, with these in one piece, as the lists are for."""
    body = pair.function.body
    tapes = {v for v in pair.captured if isinstance(v.kind, K.List) and v not in pair.overlapping}

    def change(s: Stmt) -> Stmt | list[Stmt]:
        match s:
            case Op(fn=prims.list_append, args=(xs, Var(kind=K.Array(_, int(rank))) as a)) if rank and xs in tapes:
                whole = Var(a.hint, a.kind)
                return [Op(whole, in_one_piece, (a,), (), s.origin), replace(s, args=(xs, whole))]
        return s

    return map_stmts(body, change) if tapes else body


def _apart(captured: Iterable[Var], made: dict[Var, Stmt]) -> tuple[tuple[Var, ...], tuple[Op, ...]]:
    """What is captured, and slices and constants among it that are made again instead, of what is captured then."""
    kept: dict[Var, None] = {}
    again: dict[Var, Op] = {}

    def take(v: Var) -> None:
        s = made.get(v)
        if isinstance(s, Op) and s.fn in (prims.make_slice, prims.make_tuple) and _has_slices(v.kind):
            for a in s.args:
                if isinstance(a, Var) and a not in again:
                    take(a)
            again[v] = s
        else:
            kept[v] = None

    for v in captured:
        if v not in again:
            take(v)
    return tuple(kept), tuple(again.values())


def _has_slices(kind: K.Kind) -> bool:
    return kind == K.SLICE or (isinstance(kind, K.Tuple) and any(map(_has_slices, kind.items)))


def _number_kind(kind: K.Kind) -> K.Kind:
    """The kind of what holds the number of a record in the place of a pullback."""
    match kind:
        case K.List():
            return K.List(K.INT)
        case K.Tuple(items):
            return K.Tuple((*items[:-1], K.INT))
    return K.INT


def _need_kept(kind: K.Kind, origin: Origin | None) -> None:
    """Refuse what cannot be in a list."""
    match kind:
        case K.Scalar(dtype) if dtype != "any":
            return
        case K.Array(dtype, int()) if dtype != "any":
            return
        case K.List(item) if isinstance(item, K.Scalar | K.Array):
            return _need_kept(item, origin)
        case K.Tuple(items, None):
            for item in items:
                _need_kept(item, origin)
            return
    raise CompileError(
        "what the reverse sweep of a function that calls itself keeps, and is no number, array or list of these, "
        "cannot be compiled.",
        HELP,
        origin=origin,
    )


def _owners(function: Function, pairs: dict[Function, _Pair], calls: dict[Var | None, Function]) -> dict[Var, Function]:
    """Of what function each pullback is, of those that variables hold, and lists."""
    found: dict[Var, Function] = {}
    stmts = list(walk(function))
    while True:
        before = len(found)
        for s in stmts:
            for v, sources in _sources(s):
                owners = {found[a] for a in sources if isinstance(a, Var) and a in found}
                if isinstance(s, Op) and s.fn is operator.getitem and s.args[1] == Const(1) and s.args[0] in calls:
                    owners = {calls[s.args[0]]}  # type: ignore[index]
                if len(owners) == 1:
                    found.setdefault(v, owners.pop())
        if len(found) == before:
            return found


def _sources(s: Stmt) -> Iterable[tuple[Var, tuple[Atom, ...]]]:
    """What a statement hands on under which names."""
    match s:
        case If(results=results, then=then, orelse=orelse):
            yield from ((r, (a, b)) for r, a, b in zip(results, then.outs, orelse.outs, strict=True))
        case For(params=params) | While(params=params):
            for p, r, init, out in zip(params, s.results, s.inits, s.body.outs, strict=False):
                yield p, (init, out)
                yield r, (init, out)
        case Op(fn=prims.list_append, args=(Var() as xs, a)):
            yield xs, (a,)
        case Op(target=Var() as target, fn=prims.identity | prims.list_copy | prims.list_pop, args=args):
            yield target, args[:1]
        case Op(target=Var() as target, fn=operator.getitem, args=args):
            yield target, args[:1] if isinstance(kind_of(args[0]), K.List) else ()
