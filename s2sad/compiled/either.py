"""What has one rank on one path and another on another, told apart: what uses it is put into the branches.

Before::

    def f(y: float64[1], c: bool):
        if c:
            a: float64[1] = y * 2.0
            give a
        else:
            give 0.0
        -> s: float64[..1]
        t: float64[..1] = s * 3.0
        z: float64[1] = y + t
        return z

After::

    def f(y, c):
        if c:
            a = y * 2.0
            t = a * 3.0
            z = y + t
            give z
        else:
            t_1 = 0.0 * 3.0
            z_1 = y + t_1
            give z_1
        -> z_2
        return z_2

A variable has one type in machine code. All up to the last statement that uses such a value goes into both branches, in
the order that it has. The same is done where an array is of single precision on one path and of double on another
(:mod:`s2sad.compiled.single_or_double`).

Requires: the three-address form of a function, before it is differentiated.
Ensures: the same values, by the same operations in the same order. A value of the sort that leaves its block is left.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace

from s2sad.compiled.expand import kind_of
from s2sad.compiled.first_rounds import first_rounds_apart, rank_if_run
from s2sad.compiled.idle_loops import drop_idle_loops
from s2sad.compiled.settle import resettled
from s2sad.compiled.single_or_double import may_be_single, of_two_precisions, to_be_told
from s2sad.compiled.turning import turning_apart, with_tail
from s2sad.frontend.lower import Lowered
from s2sad.ir import kinds as K
from s2sad.ir.nodes import Atom, Block, Closure, For, Function, If, Stmt, Var, While, With
from s2sad.ir.rewrite import all_vars, blocks_of, free_vars, targets_of, walk, with_blocks, with_body
from s2sad.transform.assemble import retold

__all__ = ["in_use", "numbers_apart", "tell_apart"]

#: How many statements a function may have in the end, for each that it has, and besides.
_GROWTH, _SMALL = 3, 300

#: How often what is told apart may let something else be told apart.
_STEPS = 5


def tell_apart(lowered: Lowered) -> Lowered:
    """:func:`numbers_apart` of a function with its templates, of loops by their first iterations.

    What would make the function grow to several times its size is not done.
    """
    most = _GROWTH * _size(lowered.function) + _SMALL
    for _ in range(_STEPS):
        function = lowered.function
        kinds = [v.kind for v in all_vars(function)]
        if not any(map(_is_of_any_rank, kinds)) and not any(K.dtype_of(kind) == "float32" for kind in kinds):
            break
        for step in (first_rounds_apart, turning_apart, numbers_apart, drop_idle_loops):
            if (apart := step(lowered.function)) is not lowered.function and _size(apart) <= most:
                told, renamed = resettled(apart, {})
                lowered = replace(lowered, function=told, result=retold(lowered.result, renamed))
        if lowered.function is function:
            break
    return lowered


def numbers_apart(function: Function) -> Function:
    """The function with such values told apart."""
    return with_body(function, _block(function.body))


def _size(function: Function) -> int:
    return sum(1 for _ in walk(function))


def _block(block: Block) -> Block:
    stmts = list(block.stmts)
    for k in range(len(stmts) - 1, -1, -1):
        s = stmts[k]
        if isinstance(s, If):
            stmts[k:] = _told(s, stmts[k + 1 :], block.outs)
        stmts[k] = with_blocks(stmts[k], tuple(map(_block, blocks_of(stmts[k]))))
    return Block(tuple(stmts), block.outs) if tuple(stmts) != block.stmts else block


def _told(s: If, rest: list[Stmt], outs: tuple[Atom, ...]) -> list[Stmt]:
    """A branch and the statements behind it, those that use what it gives put into its sides."""
    cases = [(in_use, _unsure(s), K.without_shape), (_singles_in_use, of_two_precisions(s), to_be_told)]
    for used, unsure, kind in cases:
        if unsure and (count := used(rest, unsure, outs)) is not None:
            after = Block(tuple(rest[count:]), outs)
            return [with_tail(s, rest[:count], after, kind), *rest[count:]]
    return [s, *rest]


def _unsure(s: If) -> set[Var]:
    """The results of a branch that have one rank on one side and another on the other."""
    found = set()
    for k, r in enumerate(s.results):
        ranks = _ranks(s, k) if _is_of_any_rank(r.kind) else set()
        if len(ranks) > 1 and None not in ranks:
            found.add(r)
    return found


def _ranks(s: If, k: int) -> set[int | None]:
    """The ranks that a result of a branch may have, those that its sides decide at their ends too."""
    return _ranks_of(s.then.outs[k], s.then) | _ranks_of(s.orelse.outs[k], s.orelse)


def _ranks_of(out: Atom, block: Block) -> set[int | None]:
    """The ranks that what a block hands on may have; a loop leaves what it begins with, or its last iteration's."""
    for t in block.stmts:
        match t:
            case If() if out in t.results:
                return _ranks(t, t.results.index(out))
            case For() | While() if out in t.results:
                k = t.results.index(out)
                return _ranks_of(t.inits[k], block) | {rank_if_run(t.body.outs[k], t.body)}
    return {K.rank_of(kind_of(out))}


def _is_of_any_rank(kind: K.Kind) -> bool:
    """Whether it is a number, or an array, of a rank that is not known."""
    return K.is_numeric(kind) and K.rank_of(kind) is None


def in_use(stmts: Sequence[Stmt], unsure: set[Var], outs: tuple[Atom, ...]) -> int | None:
    """How many of these statements use such values, or come before one that does; None where they are used beyond."""
    return _in_use(stmts, unsure, outs, lambda s, _: {v for v in targets_of(s) if _is_of_any_rank(v.kind)})


def _singles_in_use(stmts: Sequence[Stmt], unsure: set[Var], outs: tuple[Atom, ...]) -> int | None:
    """The same of arrays that are of single precision or of double."""
    return _in_use(stmts, unsure, outs, lambda s, unsure: may_be_single((s,), unsure))


def _in_use(
    stmts: Sequence[Stmt],
    unsure: set[Var],
    outs: tuple[Atom, ...],
    given: Callable[[Stmt, set[Var]], set[Var]],
) -> int | None:
    """The same; ``given`` says of which of its results the same is not known, if it is not of some values."""
    unsure, last = set(unsure), 0
    for k, s in enumerate(stmts, 1):
        if unsure.isdisjoint(free_vars(Block((s,)))):
            continue
        if any(isinstance(t, With | Closure) for t in (s, *walk(Block((s,))))):
            return None
        unsure |= given(s, unsure)
        last = k
    return last if unsure.isdisjoint(outs) else None
