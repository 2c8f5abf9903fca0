"""Lists of floats as arrays, where they get their lengths when they are made.

Before::

    def f(xs: float64[1], n: int):
        ys: list[float] = list_copy(xs)
        zs: list[float] = []
        m = len(ys)
        for i in range(0, m):
            y = ys[i]
            z = math.sin(y)
            list_append(zs, z)
        return zs

After::

    def f(xs, n):
        ys = np.copy(xs)
        m = len(ys)
        n_1 = max(m, 0)
        zs = np.empty(n_1)
        for i in range(0, m):
            y = ys[i]
            z = math.sin(y)
            zs[i] = z
        zs_1 = list_copy(zs)
        return zs_1

A list may be made by copying, slicing or repeating another, or by a loop that appends one item in each iteration and
does nothing else with it. The reverse sweep takes such a list to pieces by a loop that pops one item in each
iteration, which becomes one that reads them from the last to the first::

        for j in range(m_1, -1, -1):          same_length(trips, len(zs))
            b = list_pop(zs, -1)              for j in range(m_1, -1, -1):
            ...                                   b = zs[j]

The array keeps its length then. So the loop is checked to take all items, and afterwards nothing may ask such a list,
or another that may be the same, how long it is.

Lists in lists, in tuples and on tapes are arrays there. It is all of the lists of floats of a function or none.

Requires: what is put into a list of floats is a float (:mod:`s2sad.compiled.items`); one compiled function does all.
Ensures: the same values, lists where the function returns lists; ``ValueError`` (that lengths differ) where a loop pops
another number of items than there are.
"""

from __future__ import annotations

import operator
from collections.abc import Iterator
from typing import Any

import numpy as np

from s2sad.analysis.memory import Memory
from s2sad.analysis.owners import Owners
from s2sad.compiled.crossing import ragged_of, rows_of
from s2sad.compiled.expand import kind_of
from s2sad.compiled.parts import split_tapes
from s2sad.compiled.viewing import cut
from s2sad.ir import kinds as K
from s2sad.ir import prims
from s2sad.ir.nodes import Atom, Block, Const, For, Function, If, Op, Stmt, Store, Var, While, With
from s2sad.ir.rewrite import (
    all_blocks,
    all_vars,
    blocks_of,
    free_vars,
    map_atoms,
    use_counts,
    uses_of,
    walk,
    with_blocks,
    with_body,
)
from s2sad.optimise.tapes import merge_tapes
from s2sad.runtime import helpers

__all__ = ["lists_as_arrays"]

VECTOR = K.Array("float64", 1)
_ITEMS = (K.FLOAT, K.Scalar("float64"))
_Place = tuple[tuple[Block, int], ...]  #: the blocks that a statement is in, outer before inner, and where in each
#: What is done with lists and tuples of such lists: the same when arrays are in them.
_HOLDING = {
    *(prims.make_tuple, prims.make_list, prims.list_append, prims.list_pop, prims.list_copy),
    *(operator.getitem, len, zip, cut, rows_of, ragged_of, helpers.zeros_like),
}


def lists_as_arrays(function: Function) -> Function:
    """Make arrays of the lists of floats in a function, if that can be done with all of them."""
    if not any(_changes(v.kind) for v in all_vars(function)) or any(_changes(p.kind) for p in function.params):
        return function
    apart = split_tapes(function)
    rewriter = _Rewriter(apart)
    if not rewriter.fits():
        return function
    return merge_tapes(with_body(apart, rewriter.body()))


def _is_list(kind: K.Kind) -> bool:
    return isinstance(kind, K.List) and kind.item in _ITEMS


def _converted(kind: K.Kind) -> K.Kind:
    """A kind with arrays for lists of floats."""
    match kind:
        case K.List(item):
            return VECTOR if item in _ITEMS else K.List(_converted(item))
        case K.Tuple(items, cls):
            return K.Tuple(tuple(map(_converted, items)), cls)
    return kind


def _changes(kind: K.Kind) -> bool:
    return _converted(kind) != kind


class _Rewriter:
    """Finds out what is done with the lists of a function, and does it with arrays."""

    def __init__(self, function: Function) -> None:
        self.function = function
        self.definitions = {s.target: s for s in walk(function) if isinstance(s, Op) and s.target is not None}
        self.counts = use_counts(function)
        self.builds: dict[int, list[Op]] = {}  #: the appends in a loop that makes lists, by its identity
        self.undoes: dict[int, list[Op]] = {}  #: the pops in one that takes them to pieces
        self.found: set[int] = set()  #: those appends and pops, and what made the lists

    # ------------------------------------------------------------ whether it can be done

    def fits(self) -> bool:
        """Whether all lists can be arrays."""
        for block in all_blocks(self.function):
            self.find_loops(block)
        return (
            all(map(self.allowed, walk(self.function)))
            and all(_handed_on(s) for s in walk(self.function))
            and self.keep_lengths()
        )

    def find_loops(self, block: Block) -> None:
        """The loops of a block that make lists, or take them to pieces."""
        fresh: dict[Var, Op] = {}
        for s in block.stmts:
            if isinstance(s, Op) and s.fn is prims.make_list and not s.args and s.target and _is_list(s.target.kind):
                fresh[s.target] = s
                continue
            used = set(free_vars(Block((s,))))
            if isinstance(s, For) and not s.has_exit:
                for op in s.body.stmts:
                    if isinstance(op, Op) and op.fn in (prims.list_append, prims.list_pop):
                        self.note(s, op, fresh, used)
            for v in used:
                fresh.pop(v, None)

    def note(self, loop: For, op: Op, fresh: dict[Var, Op], used: set[Var]) -> None:
        """An append or pop that each iteration of a loop does once."""
        xs = op.args[0]
        if not isinstance(xs, Var) or not _is_list(xs.kind) or xs not in used or xs in loop.inits:
            return
        if use_counts(Block((*loop.body.stmts,), loop.body.outs)).get(xs) != 1:
            return
        if op.fn is prims.list_append and xs in fresh and loop.step == Const(1):
            self.builds.setdefault(id(loop), []).append(op)
            self.found |= {id(op), id(fresh[xs])}
        if op.fn is prims.list_pop and op.args[1:] in ((), (Const(-1),)) and loop.step == Const(-1):
            self.undoes.setdefault(id(loop), []).append(op)
            self.found.add(id(op))

    def allowed(self, s: Stmt) -> bool:
        """Whether a statement does only what can be done with arrays."""
        match s:
            case Op():
                atoms = [*uses_of(s), *([] if s.target is None else [s.target])]
                return id(s) in self.found or not any(_changes(kind_of(a)) for a in atoms) or self.op(s)
            case Store(obj, index, value):
                return not (_changes(kind_of(obj)) or _changes(kind_of(value))) or (
                    _is_number(index) and (kind_of(value) in _ITEMS or _changes(kind_of(value)))
                )
        return True

    def op(self, s: Op) -> bool:
        """Whether an operation on such a list, or on what holds some, is a known one."""
        made = s.target is not None and _is_list(s.target.kind)
        match s:
            case Op(kwargs=kwargs) if kwargs:
                return False
            case Op(fn=prims.make_list):
                if made:
                    return len(s.args) > 0 and all(kind_of(a) in _ITEMS for a in s.args)
                return s.target is not None and all(_holds(_item(s.target), a) for a in s.args)
            case Op(fn=prims.make_tuple, target=Var(kind=K.Tuple(items))):
                return all(map(_holds, items, s.args))
            case Op(fn=prims.list_repeat):
                return made and self.repeated(s) is not None
            case Op(fn=prims.list_copy, args=(xs,)):
                return not made or kind_of(xs) == VECTOR or _is_list(kind_of(xs))
            case Op(fn=operator.getitem, args=(xs, index)):
                return _is_number(index) or (made and _is_list(kind_of(xs)) and kind_of(index) == K.SLICE)
            case Op(fn=prims.list_append, args=(xs, x)):
                return not _is_list(kind_of(xs)) and _holds(_item(xs), x)
            case Op(fn=prims.list_pop, args=(xs, *_)):
                return not _is_list(kind_of(xs))
        return s.fn in _HOLDING

    def repeated(self, s: Op) -> Atom | None:
        """The number that is repeated, where a list of one is."""
        maker = self.definitions.get(s.args[0]) if isinstance(s.args[0], Var) else None
        if maker is None or maker.fn is not prims.make_list or self.counts[s.args[0]] != 1:  # type: ignore[index]
            return None
        return maker.args[0] if len(maker.args) == 1 else None

    def keep_lengths(self) -> bool:
        """Whether nobody asks for the length of a list after it was taken to pieces."""
        if not self.undoes:
            return True
        memory, function = Memory(self.function), self.function
        owners = Owners(memory)
        ends = {c for a in function.body.outs for c in memory.reachable(a)} | memory.external
        pops: list[tuple[Any, _Place, Atom]] = []
        asks: list[tuple[set[Any], _Place, Atom]] = []
        for place, s in _placed(function):
            pops += [(memory.of(op.args[0]), place, op.args[0]) for op in self.undoes.get(id(s), ())]
            if isinstance(s, Op) and id(s) not in self.found and not _keeps_to_items(s):
                for a in uses_of(s):
                    if _changes(kind_of(a)):
                        asks.append(({memory.of(a)} if s.fn is len else set(memory.reachable(a)), place, a))
        owned = {id(block): owners.of((block,)) for block in {id(b): b for _, p, _ in pops for b, _ in p}.values()}
        return all(
            c is not None
            and c not in ends
            and all(
                c not in classes or self.before(there, a, here, xs, sum(c in owned[id(b)] for b, _ in here[1:]))
                for classes, there, a in asks
            )
            for c, here, xs in pops
        )

    def before(self, there: _Place, a: Atom, here: _Place, xs: Atom, depth: int) -> bool:
        """Whether ``a`` is asked for its length before any list that it may be is taken to pieces, as ``xs``.

        ``depth``: that of the innermost block that has such lists of its own each time that it is run.
        """
        (block, asked), (_, taken) = there[depth], here[depth]
        if asked != taken:
            return asked < taken
        block, at = here[-1]
        return a is xs and there[-1][0] is block and there[-1][1] < at and self.is_new(xs, block)

    def is_new(self, xs: Atom, block: Block) -> bool:
        """Whether a variable is another list each time that its block is run."""
        made = next((s for s in block.stmts if isinstance(s, Op) and s.target is xs), None)
        if made is None or made.fn is not prims.list_pop:
            return made is not None and made.fn in (prims.make_list, prims.list_repeat, prims.list_copy)
        sites = [(b, s) for b in all_blocks(self.function) for s in b.stmts if isinstance(s, Op)]
        into = [(b, s.args[1]) for b, s in sites if s.fn is prims.list_append and s.args[0] is made.args[0]]
        tape = self.definitions.get(made.args[0])  # type: ignore[arg-type]
        known = tape is not None and tape.fn is prims.make_list and self.counts[made.args[0]] == 2  # type: ignore[index]
        return (
            known and len(into) == 1 and not _is_popped(into[0][1], into[0][0]) and self.is_new(into[0][1], into[0][0])
        )

    # ------------------------------------------------------------ doing it

    def body(self) -> Block:
        """The body of the function with arrays."""
        body = self.block(self.function.body)
        new = {v: Var(v.hint, _converted(v.kind)) for v in all_vars(body) if _changes(v.kind)}
        listed: list[Stmt] = []
        outs = tuple(_as_lists(new[a], a.kind, listed) if isinstance(a, Var) and a in new else a for a in body.outs)
        body = map_atoms(Block(body.stmts), lambda a: new.get(a, a) if type(a) is Var else a, lambda v: new.get(v, v))
        return Block((*body.stmts, *listed), outs)

    def block(self, block: Block, found: dict[int, list[Stmt]] | None = None) -> Block:
        """A block, in which some statements become others; variables are the same for now."""
        out: list[Stmt] = []
        for s in block.stmts:
            if found and id(s) in found:
                out += found[id(s)]
                continue
            if isinstance(s, Op):
                out += self.changed(s)
                continue
            if isinstance(s, For) and (id(s) in self.builds or id(s) in self.undoes):
                s = self.loop(s, out)
            else:
                s = with_blocks(s, tuple(map(self.block, blocks_of(s))))
            out.append(s)
        return Block(tuple(out), block.outs)

    def loop(self, s: For, out: list[Stmt]) -> For:
        """A loop that makes lists or takes them to pieces; what comes before it is added to ``out``."""
        found: dict[int, list[Stmt]] = {}
        down = id(s) in self.undoes
        first, last = (_sum(out, s.stop, Const(1)), _sum(out, s.start, Const(1))) if down else (s.start, s.stop)
        trips = _number(out, max, _difference(out, last, first), Const(0))
        shift: list[Stmt] = []
        k = _difference(shift, s.index, first)
        for op in self.builds.get(id(s), ()):
            out.append(Op(op.args[0], np.empty, (trips,)))  # type: ignore[arg-type]
            found[id(op)] = [Store(op.args[0], k, op.args[1], None, op.origin)]
        for op in self.undoes.get(id(s), ()):
            out.append(Op(None, helpers.same_length, (trips, _number(out, len, op.args[0]))))
            found[id(op)] = (
                [] if op.target is None else [Op(op.target, operator.getitem, (op.args[0], k), (), op.origin)]
            )
        body = self.block(s.body, found)
        return with_blocks(s, (Block((*shift, *body.stmts), body.outs),))  # type: ignore[return-value]

    def changed(self, s: Op) -> list[Stmt]:
        """What becomes of an operation."""
        target = s.target
        if id(s) in self.found:
            return []
        match s:
            case Op(fn=prims.make_list) if target and _is_list(target.kind):
                places = [Store(target, Const(k), a, None, s.origin) for k, a in enumerate(s.args)]
                return [Op(target, np.empty, (Const(len(s.args)),)), *places]
            case Op(fn=prims.list_repeat) if target and _is_list(target.kind):
                out: list[Stmt] = []
                n = _number(out, max, s.args[1], Const(0))
                return [*out, Op(target, np.full, (n, self.repeated(s) or Const(0.0)), (), s.origin)]
            case Op(fn=prims.list_copy) if target and _is_list(target.kind):
                return [Op(target, np.copy, s.args, (), s.origin)]
            case Op(fn=operator.getitem, args=(xs, _)) if target and _is_list(target.kind) and _is_list(kind_of(xs)):
                view = Var("", VECTOR)
                return [Op(view, s.fn, s.args, (), s.origin), Op(target, np.copy, (view,), (), s.origin)]
            case Op(fn=fn, args=(pair,)) if fn is rows_of:
                flat, lengths = Var("", VECTOR), Var("", K.Array("int64", 1))
                parts = [Op(v, operator.getitem, (pair, Const(k))) for k, v in enumerate((flat, lengths))]
                return [*parts, Op(target, cut, (flat, lengths), (), s.origin)]
        return [s]


def _placed(function: Function) -> Iterator[tuple[_Place, Stmt]]:
    """All statements, and where they are."""

    def within(block: Block, around: _Place) -> Iterator[tuple[_Place, Stmt]]:
        for k, s in enumerate(block.stmts):
            place = (*around, (block, k))
            yield place, s
            for inner in blocks_of(s):
                yield from within(inner, place)

    return within(function.body, ())


def _is_popped(a: Atom, block: Block) -> bool:
    """Whether a value comes from another list."""
    return any(isinstance(s, Op) and s.target is a and s.fn is prims.list_pop for s in block.stmts)


def _is_number(a: Atom) -> bool:
    """Whether a subscript is an integer."""
    return isinstance(kind_of(a), K.Scalar) and K.is_integer(kind_of(a))


def _item(xs: Atom) -> K.Kind:
    """The kind of what is in a list."""
    kind = kind_of(xs)
    return kind.item if isinstance(kind, K.List) else K.ANY


def _holds(kind: K.Kind, a: Atom) -> bool:
    """Whether a value is what a container has for it, as far as lists of floats are concerned."""
    return not (_changes(kind) or _changes(kind_of(a))) or _converted(kind) == _converted(kind_of(a))


def _handed_on(s: Stmt) -> bool:
    """Whether what blocks hand over has arrays where it is handed to."""
    match s:
        case If(then=then, orelse=orelse, results=results):
            pairs = [*zip(results, then.outs, strict=True), *zip(results, orelse.outs, strict=True)]
        case For() | While():
            rows = zip(s.params, s.results, s.inits, s.body.outs, strict=False)
            pairs = [(v, a) for p, r, *given in rows for v in (p, r) for a in given]
        case With(results=results, body=body):
            pairs = list(zip(results, body.outs, strict=True))
        case _:
            return True
    return all(_holds(v.kind, a) for v, a in pairs)


def _keeps_to_items(s: Op) -> bool:
    """Whether an operation only takes or passes on items: it would do the same with a longer list."""
    if s.fn is operator.getitem:
        index = s.args[1]
        return _is_number(index) and not (isinstance(index, Const) and index.value < 0)
    return s.fn in (prims.make_tuple, prims.make_list, prims.list_append, prims.list_pop)


def _number(out: list[Stmt], fn: Any, *args: Atom) -> Var:
    """An integer, computed here."""
    target = Var("n", K.INT)
    out.append(Op(target, fn, args))
    return target


def _sum(out: list[Stmt], a: Atom, b: Const) -> Atom:
    """The sum of two integers."""
    return Const(a.value + b.value) if isinstance(a, Const) else _number(out, operator.add, a, b)


def _difference(out: list[Stmt], a: Atom, b: Atom) -> Atom:
    """The difference of two integers."""
    return a if b == Const(0) else _number(out, operator.sub, a, b)


def _as_lists(a: Atom, kind: K.Kind, out: list[Stmt]) -> Var:
    """What the function returns, with lists of this kind again."""
    result = Var(getattr(a, "hint", ""), kind)
    match kind:
        case K.List(item) if item in _ITEMS:
            out.append(Op(result, prims.list_copy, (a,)))
        case K.List(item):
            index, x = Var("k", K.INT), Var("", _converted(item))
            body: list[Stmt] = [Op(x, operator.getitem, (a, index))]
            body.append(Op(None, prims.list_append, (result, _as_lists(x, item, body))))
            out.append(Op(result, prims.make_list, ()))
            n = _number(out, len, a)
            out.append(For(index, Const(0), n, Const(1), (), (), Block(tuple(body)), ()))
        case K.Tuple(items):
            parts = []
            for k, item in enumerate(items):
                x = Var("", _converted(item))
                out.append(Op(x, operator.getitem, (a, Const(k))))
                parts.append(_as_lists(x, item, out) if _changes(item) else x)
            out.append(Op(result, prims.make_tuple, tuple(parts)))
    return result
