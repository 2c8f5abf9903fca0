"""What depends on the direction: the values and arrays of a loop over directions that differ between its iterations."""

from __future__ import annotations

import operator
from collections.abc import Iterable
from dataclasses import dataclass, field

import numpy as np

from s2sad.analysis.effects import writes_of
from s2sad.analysis.memory import Class, Memory
from s2sad.analysis.sharing import shared_operands
from s2sad.compiled.expand import kind_of
from s2sad.ir import kinds as K
from s2sad.ir import prims
from s2sad.ir.nodes import Atom, Block, For, If, Op, Stmt, Store, Var, While
from s2sad.ir.rewrite import blocks_of, inner_targets_of, uses_of, walk

__all__ = ["Varied"]


@dataclass
class Varied:
    """Of a loop whose iterations are independent, all that differs between them.

    ``values`` are numbers and tuples of indices. ``wide`` are classes of arrays, and of lists of numbers, of which each
    iteration needs its own; ``outputs`` those of arrays from before the loop that it stores into only, at places of
    its own. ``has_others`` says that there are dicts which differ.
    """

    loop: For
    memory: Memory
    values: set[Atom] = field(default_factory=set)
    wide: set[Class] = field(default_factory=set)
    outputs: set[Class] = field(default_factory=set)
    has_others: bool = False
    _reached: dict[Atom, list[Class]] = field(default_factory=dict)

    def __post_init__(self) -> None:
        self.values.add(self.loop.index)
        self.outputs = self._only_stored()
        before = -1
        while len(self.values) + len(self.wide) != before:
            before = len(self.values) + len(self.wide)
            self._block(self.loop.body, False)

    def _only_stored(self) -> set[Class]:
        """Classes of arrays that the loop did not make, and which it stores into and does nothing else with."""
        made = {v for s in walk(self.loop.body) for v in (*_targets(s), *inner_targets_of(s))}
        stored = {c for s in walk(self.loop.body) if isinstance(s, Store) and (c := self.memory.of(s.obj)) is not None}
        read = {c for v in made for c in self.memory.reachable(v)}
        for s in walk(self.loop.body):
            used: Iterable[Atom] = (s.value,) if isinstance(s, Store) else uses_of(s)
            read.update(c for a in used for c in self.memory.reachable(a))
        return stored - read

    def is_value(self, a: Atom) -> bool:
        """Whether a number, or a tuple of indices, differs between iterations."""
        return a in self.values

    def is_wide(self, a: Atom) -> bool:
        """Whether this is an array, or a list of numbers, each iteration of which needs its own."""
        c = self.memory.of(a)
        return c is not None and c in self.wide

    def reaches_wide(self, a: Atom) -> bool:
        """Whether such an array can be reached from here: it may be an item of a list."""
        if a not in self._reached:
            self._reached[a] = self.memory.reachable(a)
        return any(c in self.wide for c in self._reached[a])

    def concerns(self, s: Stmt) -> bool:
        """Whether anything in a statement differs between iterations."""
        return any(self._differs(x) for x in walk(Block((s,))))

    def _differs(self, s: Stmt) -> bool:
        atoms = (*uses_of(s), *_targets(s), *inner_targets_of(s), *(a for b in blocks_of(s) for a in b.outs))
        return any(a in self.values or self.reaches_wide(a) for a in atoms)

    # ------------------------------------------------------------ what follows from what

    def _block(self, block: Block, chosen: bool) -> None:
        """Note what follows from a block; ``chosen`` is whether iterations differ in whether they run it."""
        for s in block.stmts:
            match s:
                case Op():
                    self._op(s, chosen)
                case Store():
                    if chosen or s.value in self.values or s.index in self.values:
                        self._widen(s.obj)
                case If():
                    chosen_here = chosen or s.cond in self.values
                    self._block(s.then, chosen_here)
                    self._block(s.orelse, chosen_here)
                    for r, a, b in zip(s.results, s.then.outs, s.orelse.outs, strict=True):
                        self._follows(r, (a, b), chosen_here)
                case For() | While():
                    self._loop(s, chosen)

    def _loop(self, s: For | While, chosen: bool) -> None:
        outs = s.body.outs[:-1] if s.has_exit else s.body.outs
        for b in blocks_of(s):
            self._block(b, chosen)
        for result, param, init, out in zip(s.results, s.params, s.inits, outs, strict=True):
            self._follows(param, (init, out), chosen)
            self._follows(result, (param, init, out), chosen)

    def _op(self, s: Op, chosen: bool) -> None:
        args = (*s.args, *(a for _, a in s.kwargs))
        differs = any(a in self.values or (self.is_wide(a) and s.fn not in _OF_SHAPES) for a in args)
        if s.target is not None and not _holds_more(s.target.kind):
            if differs:
                self.values.add(s.target)
        elif differs and not _is_view(s) and not _nested(s.target or s.args[0]):
            for a in (*writes_of(s), *([] if s.target is None else [s.target])):
                self._widen(a)
        if chosen and s.fn in prims.WRITES:
            self._widen(s.args[0])

    def _follows(self, target: Var, sources: Iterable[Atom], chosen: bool) -> None:
        if not _holds_more(target.kind) and (chosen or any(a in self.values for a in sources)):
            self.values.add(target)

    def _widen(self, a: Atom) -> None:
        c = self.memory.of(a)
        if c is None or c in self.outputs or _nested(a):
            return
        if isinstance(kind_of(a), K.Array | K.List):
            self.wide.add(c)
        self.has_others = self.has_others or isinstance(kind_of(a), K.Dict)


#: What looks at the shape of an array only.
_OF_SHAPES = (len, np.shape, np.empty_like, np.zeros_like, np.ones_like)


def _targets(s: Stmt) -> tuple[Var, ...]:
    match s:
        case Op(target=Var() as target):
            return (target,)
        case If(results=results) | For(results=results) | While(results=results):
            return results
    return ()


def _holds_more(kind: K.Kind) -> bool:
    """Whether a value of this kind is neither a number nor a tuple of numbers."""
    if isinstance(kind, K.Tuple):
        return any(not isinstance(k, K.Scalar) for k in kind.items)
    return not isinstance(kind, K.Scalar)


def _is_view(s: Op) -> bool:
    """Whether an operation takes something that there is already out of another.

    A slice of a list is a new list, and what is picked from an array by indices or a mask is a new array.
    """
    if s.fn is not operator.getitem:
        return False
    if isinstance(kind_of(s.args[0]), K.List):
        return kind_of(s.args[1]) != K.SLICE
    return bool(shared_operands(s))


def _nested(a: Atom) -> bool:
    """Whether this is a list of something else than numbers."""
    kind = kind_of(a)
    return isinstance(kind, K.List) and not isinstance(kind.item, K.Scalar)
