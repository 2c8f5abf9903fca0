"""Arrays changed as a whole right after they are made: new arrays, which nothing has to be put back into.

Before::

    def f(x: float64[2], w: float64[2]):
        h = x @ w
        m = np.max(h, axis=1, keepdims=True)
        h[...] -= m
        p = np.exp(h)
        return p

After::

    def f(x, w):
        h = x @ w
        m = np.max(h, axis=1, keepdims=True)
        h_1 = h - m
        p = np.exp(h_1)
        return p

The adjoint of a value is assigned once, where that of an array which changes is an object beside it; and what a rule
asks of the array as it was before is still there, in place of a copy.

Requires: a verified function.
Ensures: the same values, shapes and dtypes. Only an array is renewed that its block made, that has no other name, view
or holder when it is changed, and whose shape and dtype the change is known to keep.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import replace

from s2sad.analysis.effects import is_pure, writes_of
from s2sad.analysis.memory import Memory, is_immutable, makes_object
from s2sad.analysis.sharing import makes_fresh, shared_operands
from s2sad.analysis.whole import Whole
from s2sad.ir import kinds as K
from s2sad.ir import prims
from s2sad.ir.nodes import Atom, Block, Closure, Function, Op, Stmt, Store, Var, kind_of
from s2sad.ir.rewrite import blocks_of, map_operands, use_counts, uses_of, walk, with_blocks, with_body
from s2sad.optimise.shape_rules import broadcast
from s2sad.optimise.shapes import Shapes
from s2sad.rules.infer import result_kind

__all__ = ["renew"]

_OPERATORS = {symbol: fn for fn, symbol in prims.BINARY.items()}
_DTYPES = {"float16", "float32", "float64", "complex64", "complex128"}


def renew(function: Function) -> tuple[Function, dict[Var, Var]]:
    """The function with new arrays in place of those changed as a whole, and the last that goes by each old name."""
    stmts = list(walk(function))
    whole = Whole(stmts)
    stores = any(isinstance(s, Store) and whole.is_index(s.index) for s in stmts)
    if not stores or any(isinstance(s, Closure) for s in stmts):
        return function, {}
    renewer = _Renewer(function, whole)
    body = renewer.block(function.body)
    return with_body(function, body), renewer.now


class _Renewer:
    """Walks a function with the shapes of its variables."""

    def __init__(self, function: Function, whole: Whole) -> None:
        self.whole = whole
        self.memory = Memory(function)
        self.asked = self.memory.asked | self.memory.by_layout
        self.uses = use_counts(function)
        self.shapes = Shapes(function.params)
        self.now: dict[Var, Var] = {}  #: what goes by the name of an array that was renewed

    def block(self, block: Block) -> Block:
        """A block; of what it makes, what is changed as a whole is renewed."""
        mark = self.shapes.mark()
        made: dict[Atom, int] = {}  #: arrays made here that have one name, and which statement makes them
        stmts: list[Stmt] = []
        for s in block.stmts:
            if isinstance(s, Store) and self.is_renewed(s, stmts, made):
                continue
            stmts.append(self.statement(s))
            for a in _shared_by(s):
                made.pop(a, None)
            if isinstance(s, Op) and s.target is not None and makes_object(s) and isinstance(s.target.kind, K.Array):
                made[s.target] = len(stmts) - 1
        self.shapes.forget(mark)
        return Block(tuple(stmts), tuple(map(self.latest, block.outs)))

    def is_renewed(self, s: Store, stmts: list[Stmt], made: Mapping[Atom, int]) -> bool:
        """Have a new array in place of what a store changes, if that can be."""
        old = s.obj
        if not isinstance(old, Var) or old not in made or not self.whole.is_index(s.index):
            return False
        if not self.is_plain(old) or not self.fits(s):
            return False
        new = Var(old.hint, old.kind)
        if s.aug is not None:
            stmts.append(Op(new, _OPERATORS[s.aug], (self.latest(old), self.latest(s.value)), (), s.origin))
        elif s.value in made and self.uses[s.value] == 1:  # type: ignore[index]
            maker = stmts[made[s.value]]
            assert isinstance(maker, Op)
            stmts[made[s.value]] = replace(maker, target=new)
        else:
            return False
        self.now[old] = new
        return True

    def statement(self, s: Stmt) -> Stmt:
        """A statement in terms of the arrays that there are now."""
        if isinstance(s, Op):
            self.shapes.note(s)
        inner = tuple(map(self.block, blocks_of(s)))
        return map_operands(with_blocks(s, inner) if inner else s, self.latest)

    def latest(self, a: Atom) -> Atom:
        """What goes by the name of an operand."""
        return self.now.get(a, a) if isinstance(a, Var) else a

    def is_plain(self, a: Var) -> bool:
        """Whether an operand is an array of known rank and dtype, of which nobody asks whether it is the same."""
        kind = a.kind
        known = isinstance(kind, K.Array) and bool(kind.rank) and kind.dtype in _DTYPES
        return known and self.memory.of(a) not in self.asked

    def fits(self, s: Store) -> bool:
        """Whether an array can be taken for the changed one: of the same shape and dtype."""
        kind = kind_of(s.value) if s.aug is None else result_kind(_OPERATORS[s.aug], (s.obj, s.value))
        old = kind_of(s.obj)
        assert isinstance(old, K.Array)
        if not isinstance(kind, K.Array) or (kind.dtype, kind.rank) != (old.dtype, old.rank):
            return False
        shape, other = (self.shapes.canonical(self.shapes.of(a)) for a in (s.obj, s.value))
        return shape == (other if s.aug is None else broadcast(self.shapes, [shape, other]))


def _shared_by(s: Stmt) -> Iterator[Atom]:
    """What may have another name, a view or a holder after a statement."""
    match s:
        case Op():
            yield from _shared_by_op(s)
        case Store(obj=obj, value=value):
            if not isinstance(kind_of(obj), K.Array):
                yield value
        case _:
            yield from uses_of(s)
            for block in blocks_of(s):
                yield from block.outs
                for inner in block.stmts:
                    yield from _shared_by(inner)


def _shared_by_op(op: Op) -> tuple[Atom, ...]:
    """What an operation gives another name, a view or a holder to; all it takes where that is not known."""
    if not is_pure(op.fn) or writes_of(op):
        return uses_of(op)
    if op.target is None or is_immutable(op.target.kind):
        return ()
    known = makes_fresh(op.fn) or isinstance(op.target.kind, K.Array)
    return shared_operands(op) if known else uses_of(op)
