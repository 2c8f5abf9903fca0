"""Many directions at a time: iterations of the loop over the columns, or rows, of a Jacobian, or terms, side by side.

Before::

    def f(x: float64[1]#1, J: float64[2], n: int):
        dx: float64[1] = np.empty(n)
        for k: int in range(0, n) independently:
            dx[k] = 1.0
            for i: int in range(0, n):
                u: float = x[i]
                v: float = 2.0 * u
                d: float = dx[i]
                w: float = v * d
                at: (int, int) = (i, k)
                J[at] = w
            dx[k] = 0.0
        return J

After::

    def f(x, J, n):
        width = min(n, 32)
        t = (n, width)
        dx = np.empty(t)
        for first in range(0, n, 32):
            t_1 = n - first
            lanes = min(width, t_1)
            for lane in range(0, lanes):
                k = first + lane
                t_2 = (k, lane)
                dx[t_2] = 1.0
            for i in range(0, n):
                u = x[i]
                v = 2.0 * u
                for lane_1 in range(0, lanes):
                    t_3 = (i, lane_1)
                    d = dx[t_3]
                    w = v * d
                    k_1 = first + lane_1
                    at = (i, k_1)
                    J[at] = w
            for lane_2 in range(0, lanes):
                k_2 = first + lane_2
                t_4 = (k_2, lane_2)
                dx[t_4] = 0.0
        return J

What an iteration computes is for the most part not about its direction, and is computed for many of them at once. What
is about it is done in innermost loops over directions, which LLVM makes vector code of, whatever the loops around them
are like. An array that depends on the direction has one more axis, the last; numbers go from one such loop to another
by way of an array (:mod:`s2sad.compiled.lane_loops`).

The terms of a sum are done so as well, if that pays: what they add to an item of an array is added up first, and sums
that the loop carries are added to behind all else (:mod:`s2sad.compiled.lane_terms`).

Requires: loops that take items one by one (:func:`s2sad.loops.lower_to_loops`), of which the outermost may say that
their iterations are independent.
Ensures: the same values, but for the order of sums of adjoints, and of terms that are sums. A loop stays as it is where
it does more with what depends on the direction than to compute numbers of numbers, to put arrays into lists and to
multiply by matrices.
"""

from __future__ import annotations

import operator
from collections.abc import Iterator, Sequence, Set
from dataclasses import dataclass, replace

from s2sad.analysis.effects import writes_of
from s2sad.analysis.memory import Class, Memory
from s2sad.compiled.lane_costs import Costs, costs_of
from s2sad.compiled.lane_gain import gains
from s2sad.compiled.lane_loops import (
    FEW,
    TERMS,
    WIDTH,
    Group,
    LaneLoops,
    Stays,
)
from s2sad.compiled.lane_rows import alike, rows_copied, rows_of
from s2sad.compiled.lane_terms import Condition, either, iterations, many_terms, short, sums_apart
from s2sad.compiled.lane_writer import LaneWriter
from s2sad.compiled.varied import Varied
from s2sad.ir import kinds as K
from s2sad.ir.nodes import Atom, Block, Const, For, Function, If, Op, Stmt, Store, Var
from s2sad.ir.rewrite import (
    blocks_of,
    definitions,
    map_stmts,
    targets_of,
    uses_of,
    walk,
    with_blocks,
    with_body,
)
from s2sad.optimise.dead import dead_code

__all__ = ["directions_side_by_side"]


def directions_side_by_side(function: Function) -> Function:
    """The function with independent iterations of its loops side by side."""
    if not any(isinstance(s, For) and s.independent for s in walk(function)):
        return function
    function = dead_code(function)
    while (body := _block(function, function.body)) is not function.body:
        function = with_body(function, body)
    return dead_code(function)


def _block(function: Function, block: Block, above: tuple[Stmt, ...] = ()) -> Block:
    """A block that is in no loop, with one more of its loops side by side, if there is one.

    ``above`` are the statements before the branches that it is in.
    """
    for k, s in enumerate(block.stmts):
        if isinstance(s, For) and s.independent:
            try:
                return _side_by_side(function, block, s, above)
            except Stays:
                continue
        if isinstance(s, If):
            blocks = blocks_of(s)
            new = tuple(_block(function, b, (*above, *block.stmts[:k])) for b in blocks)
            if any(map(operator.is_not, new, blocks)):
                return replace(block, stmts=tuple(with_blocks(s, new) if x is s else x for x in block.stmts))
    return block


def _side_by_side(function: Function, block: Block, loop: For, above: tuple[Stmt, ...]) -> Block:
    """A block with one of its loops over so many directions at a time; ``above`` as for :func:`_block`."""
    place = next(k for k, s in enumerate(block.stmts) if s is loop)
    before, after = block.stmts[:place], block.stmts[place + 1 :]
    found = _found(function, loop)
    made = _made_for_directions((*above, *before), found)
    rest = [s for s in before if not any(s is x for x in made)]
    own = [s for s in made if any(s is x for x in before)]
    trips, count = iterations(loop)
    if isinstance(trips, Const) and trips.value < FEW:
        raise Stays
    conditions, many = _many(found, made, trips)
    plain = Block((*own, replace(loop, independent="")), loop.results)
    return replace(block, stmts=(*rest, *count, *either(conditions, many, plain), *after))


@dataclass(frozen=True)
class _Found:
    """A loop of a function, and what is known of it; ``inner`` is without the sums that it carries."""

    function: Function
    loop: For
    inner: For
    sums: Group
    varied: Varied
    terms: Costs | None  #: what terms take; None for directions


def _found(function: Function, loop: For) -> _Found:
    """What is known of a loop that gains by being done for many directions at a time."""
    are_terms = loop.independent == "terms"
    copied, given = rows_copied(loop) if are_terms else (loop, {})
    function = with_body(function, map_stmts(function.body, lambda s: copied if s is loop else s))
    sums, inner = sums_apart(copied)
    varied = Varied(inner, Memory(function), given)
    terms = costs_of(varied, definitions(function)) if are_terms else None
    if varied.has_others or not all(map(varied.is_left_alone, given)):
        raise Stays
    if not (gains(varied) if terms is None else terms.gains):
        raise Stays
    return _Found(function, copied, inner, sums, varied, terms)


def _made_for_directions(before: Sequence[Stmt], found: _Found) -> list[Stmt]:
    """The statements before a loop that make what each direction needs for itself."""
    varied, function = found.varied, found.function
    made = [s for s in before if varied.concerns(s)]
    others = [*function.params, *_atoms(function, {id(s) for s in walk(Block((*made, found.loop)))})]
    numbers = [v for s in made for v in targets_of(s) if not varied.reaches_wide(v)]
    if numbers or varied.wide & varied.memory.outside or any(map(varied.reaches_wide, others)):
        raise Stays
    if _is_needed_before(before, set(map(id, made)), varied.memory):
        raise Stays  # what is done for all directions would come after what it is done for
    return made


def _many(found: _Found, made: Sequence[Stmt], trips: Atom) -> tuple[list[Condition], Block]:
    """The loop over many directions at a time, with what each needs made before, and what must hold for that."""
    loop, sums, terms, defined = found.loop, found.sums, found.terms, definitions(found.function)
    first, width, lanes, left = (Var(hint, K.INT) for hint in ("first", "width", "lanes", ""))
    rows = [] if terms is None else rows_of(found.varied, defined)
    wide = {row.array: row.wide for row in rows}
    loops = LaneLoops(found.varied, defined, first, width, wide, WIDTH if terms is None else TERMS)
    writer = LaneWriter(found.varied, loops, width)
    prepared = [*writer.block(Block(tuple(made))), *(x for row in rows for x in row.made(width))]
    loops.lanes = lanes
    stmts: list[Stmt] = [Op(left, operator.sub, (loop.stop, first)), Op(lanes, min, (width, left))]
    stmts += [x for row in rows for x in row.before(first, lanes)]
    stmts += writer.block(found.inner.body)
    stmts += [x for row in rows for x in row.after(first, lanes)]
    stmts += loops.put(sums) if sums.sums else ()
    conditions = alike(found.varied.given.values())
    if terms is not None:
        conditions += [*short(terms.lengths), *(x for row in rows for x in row.conditions), *many_terms(trips)]
    results = tuple(Var(v.hint, v.kind) for v in loop.results) if conditions else loop.results
    params, outs = tuple(x.init for x in sums.sums if isinstance(x.init, Var)), tuple(x.result for x in sums.sums)
    body, step = Block(tuple(stmts), outs), Const(loops.most)
    many = For(first, loop.start, loop.stop, step, params, loop.inits, body, results, origin=loop.origin)
    filled = loops.fill(Block((*prepared, many)))
    return conditions, Block((Op(width, min, (trips, step)), *loops.room(), *filled.stmts), results)


def _is_needed_before(stmts: Sequence[Stmt], moved: Set[int], memory: Memory) -> bool:
    """Whether some of these statements, told by their ids, may not be moved behind all of the others: they store into
    what one behind them reads or stores into, or read what it stores into."""
    read: set[Class] = set()
    written: set[Class] = set()
    for s in reversed(stmts):
        of_this, changed = _touched(s, memory)
        if id(s) not in moved:
            read |= of_this
            written |= changed
        elif not (changed.isdisjoint(read | written) and of_this.isdisjoint(written)):
            return True
    return False


def _touched(s: Stmt, memory: Memory) -> tuple[set[Class], set[Class]]:
    """The memory that a statement reads, and that it stores into."""
    inner = list(walk(Block((s,))))
    read = {c for x in inner for a in uses_of(x) for c in memory.reachable(a)}
    stored = (a for x in inner if isinstance(x, Op | Store) for a in writes_of(x))
    return read, {c for a in stored for c in memory.reachable(a)}


def _atoms(function: Function, apart: set[int]) -> Iterator[Atom]:
    """What a function reads, some statements apart, and its result."""
    yield from function.body.outs
    for s in walk(function):
        if id(s) not in apart:
            yield from uses_of(s)
            for b in blocks_of(s):
                yield from b.outs
