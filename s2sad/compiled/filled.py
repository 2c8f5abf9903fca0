"""Arrays that are filled where they are made, and change no more.

In ``z = zeros(3); z[0] = a; z[1] += b; f(z)`` the array is what it is from the last store on. Until then nothing else
holds it, so the stores may as well be to numbers of their own.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Hashable, Iterator
from dataclasses import dataclass

from s2sad.analysis.effects import is_pure
from s2sad.analysis.memory import Class, Memory
from s2sad.analysis.reads import classes_written
from s2sad.analysis.sharing import shared_operands
from s2sad.ir import prims
from s2sad.ir.kinds import Array, Scalar
from s2sad.ir.nodes import Block, Closure, Function, Op, Stmt, Store, Var
from s2sad.ir.rewrite import all_blocks, blocks_of, uses_of, walk

__all__ = ["Filled"]


#: Primitives that give an array which has a name, or is held, elsewhere.
_GIVE_WHAT_IS_THERE = (prims.identity, prims.list_pop, prims.pull_back)


@dataclass(frozen=True)
class Filled:
    """How often each such array is stored into, and the alias classes that nothing else is ever stored into."""

    stores: dict[Var, int]
    classes: frozenset[Hashable]

    @classmethod
    def of(cls, function: Function, memory: Memory, without: frozenset[Var] = frozenset()) -> Filled:
        """Those of a function, some arrays left out."""
        if memory.opaque:
            return cls({}, frozenset())
        stores: dict[Var, int] = {}
        for block in all_blocks(function):
            stores |= {v: n for v, n in _filled_in(block, memory) if v not in without}
        writes = Counter(
            c for s in walk(function) if isinstance(s, Op | Store) for c in set(classes_written(memory, s))
        )
        mine: Counter[Class] = Counter()
        for v, n in stores.items():
            mine[memory.of(v)] += n
        classes = frozenset(c for c, n in mine.items() if n == writes[c] and c not in memory.external)
        return cls({v: n for v, n in stores.items() if memory.of(v) in classes}, classes)


def _filled_in(block: Block, memory: Memory) -> Iterator[tuple[Var, int]]:
    """The arrays made in a block, with how often it stores into them, that nothing else holds before the last store."""
    last: dict[Var, int] = {}
    counts: Counter[Var] = Counter()
    made = {s.target: k for k, s in enumerate(block.stmts) if isinstance(s, Op) and _is_new(s)}
    for k, s in enumerate(block.stmts):
        if isinstance(s, Store) and isinstance(s.obj, Var) and s.obj in made:
            last[s.obj] = k
            counts[s.obj] += 1
    for v, end in last.items():
        between = Block(block.stmts[made[v] + 1 : end])
        if not any(_may_hold(s, v, memory) for s in walk(between)):
            yield v, counts[v]


def _is_new(op: Op) -> bool:
    """Whether an operation makes an array that nothing else holds."""
    if op.target is None or not isinstance(op.target.kind, Array) or isinstance(op.fn, Function):
        return False
    return is_pure(op.fn) and op.fn not in _GIVE_WHAT_IS_THERE and not shared_operands(op)


def _may_hold(s: Stmt, v: Var, memory: Memory) -> bool:
    """Whether something may hold an array after a statement, or have changed it otherwise than by a store by name."""
    if any(v in block.outs for block in blocks_of(s)):
        return True
    match s:
        case Closure():
            return True
        case Store(obj=obj, value=value) if v in (obj, value):
            return not (isinstance(obj, Var) and isinstance(obj.kind, Array))
        case Op(target=target) if v in uses_of(s):
            if target is None or isinstance(s.fn, Function) or not is_pure(s.fn):
                return True
            return not isinstance(target.kind, Array | Scalar) or memory.of(target) == memory.of(v)
    return v in uses_of(s)
