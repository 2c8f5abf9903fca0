"""What depends on the direction: the values and arrays of a loop over directions that differ between its iterations."""

from __future__ import annotations

import operator
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property

import numpy as np

from s2sad.analysis.effects import is_pure, only_raises, writes_of
from s2sad.analysis.memory import Class, Memory, makes_object
from s2sad.analysis.owners import Owners
from s2sad.analysis.sharing import shared_operands
from s2sad.compiled import helpers
from s2sad.compiled.expand import kind_of
from s2sad.ir import kinds as K
from s2sad.ir import prims
from s2sad.ir.nodes import Atom, Block, For, Function, If, Op, Stmt, Store, Var, While
from s2sad.ir.rewrite import blocks_of, inner_targets_of, uses_of, walk

__all__ = ["Varied", "is_help_with_numbers"]


@dataclass
class Varied:
    """Of a loop whose iterations are independent, all that differs between them.

    ``given`` are rows that iterations copy, by what they are out of. ``values`` are numbers and tuples of indices.
    ``wide`` are classes of arrays, and of lists of numbers, of which each iteration needs its own; ``outputs`` those of
    arrays from before the loop that it stores into only, at places of its own, and ``sums`` those that it adds to only.
    ``has_others`` says that there are dicts which differ, or that something which all iterations have in common is not
    as it was after each of them.
    """

    loop: For
    memory: Memory
    given: Mapping[Var, Atom] = field(default_factory=dict)
    values: set[Atom] = field(default_factory=set)
    wide: set[Class] = field(default_factory=set)
    outputs: set[Class] = field(default_factory=set)
    sums: set[Class] = field(default_factory=set)
    has_others: bool = False
    _reached: dict[Atom, list[Class]] = field(default_factory=dict)

    def __post_init__(self) -> None:
        self.values |= {self.loop.index, *self.given}
        self.outputs = self._only_stored()
        self.sums = self._only_added()
        before = -1
        while len(self.values) + len(self.wide) != before:
            before = len(self.values) + len(self.wide)
            self._block(self.loop.body, False)
        if self.loop.independent == "terms":
            self.has_others = self.has_others or any(map(self._moves_on, walk(self.loop.body)))

    def _only_stored(self) -> set[Class]:
        """Classes of arrays that the loop did not make, and which it stores into and does nothing else with."""
        made = {v for s in walk(self.loop.body) for v in (*_targets(s), *inner_targets_of(s))}
        stored = {c for s in walk(self.loop.body) if isinstance(s, Store) and (c := self.memory.of(s.obj)) is not None}
        read = {c for v in made for c in self.memory.reachable(v)}
        for s in walk(self.loop.body):
            used: Iterable[Atom] = (s.value,) if isinstance(s, Store) else uses_of(s)
            read.update(c for a in used for c in self.memory.reachable(a))
        return stored - read

    def _only_added(self) -> set[Class]:
        """Classes of arrays of doubles that the loop did not make, and which it adds to and does nothing else with."""
        added: set[Class] = set()
        others: set[Class] = set()
        for s in walk(self.loop.body):
            match s:
                case Store(obj=obj, aug="+" | "-") if _is_of_doubles(obj):
                    added.add(self.memory.of(obj))
                    others.update(self.memory.reachable(s.value))
                case Op(fn=fn) if _is_on_the_way(s) or fn in (len, np.shape):
                    continue
                case _:
                    atoms = (
                        *uses_of(s),
                        *_targets(s),
                        *inner_targets_of(s),
                        *(a for b in blocks_of(s) for a in b.outs),
                    )
                    others.update(c for a in atoms for c in self.memory.reachable(a))
        return added - others - {None}

    def _moves_on(self, s: Stmt) -> bool:
        """Whether a statement that all iterations have in common changes, of what there was before, what it finds."""
        match s:
            case Store(obj=obj, aug=str()):
                return not self.is_sum(obj) and not self.concerns(s) and self._was_before(obj)
            case Op(fn=prims.list_append | prims.list_pop, args=(xs, *_)):
                return not self.is_wide(xs) and self._was_before(xs)
            case Op(fn=fn):
                return isinstance(fn, Function) or not (is_pure(fn) or only_raises(fn) or is_help_with_numbers(s))
        return False

    def _was_before(self, a: Atom) -> bool:
        """Whether this may be an object that there was before the loop."""
        return self.memory.of(a) not in self._own

    @cached_property
    def _own(self) -> set[Class]:
        """The classes of what each iteration makes anew."""
        return Owners(self.memory).of((self.loop.body,))

    def is_sum(self, a: Atom) -> bool:
        """Whether this is an array that iterations add to only."""
        return self.memory.of(a) in self.sums

    def is_row(self, x: Atom, index: Sequence[Atom]) -> bool:
        """Whether an index is of the iteration's place along the first axis of an array.

        It must be one that no iteration changes, or that all of them only add to.
        """
        is_own = index[0] is self.loop.index and not any(map(self.is_value, index[1:]))
        return is_own and (self.is_left_alone(x) or self.is_sum(x))

    def is_left_alone(self, a: Atom) -> bool:
        """Whether this is an array that no iteration changes."""
        return self.memory.of(a) not in self._changed

    @cached_property
    def viewed(self) -> set[Class]:
        """The classes in which arrays may be parts of others, so that one place has several indices."""
        ops = (s for s in walk(self.memory.function) if isinstance(s, Op) and not makes_object(s))
        views = [t for s in ops if any(map(_is_array, s.args)) for t in _targets(s) if _is_array(t)]
        return {self.memory.of(v) for v in views}

    @cached_property
    def _inside(self) -> set[int]:
        """The statements of the loop, by their ids."""
        return {id(s) for s in walk(self.loop.body)}

    @cached_property
    def _changed(self) -> set[Class]:
        """The classes of what the loop writes to."""
        stmts = [s for s in walk(self.loop.body) if isinstance(s, Op | Store)]
        return {c for s in stmts for a in writes_of(s) for c in self.memory.reachable(a)}

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
        if isinstance(s, Store) and self.is_sum(s.obj) and id(s) in self._inside:
            return True  # once for each iteration, whether or not they add the same
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
                        self._follows(r, (s.cond, a, b))
                case For() | While():
                    self._loop(s, chosen)

    def _loop(self, s: For | While, chosen: bool) -> None:
        outs = s.body.outs[:-1] if s.has_exit else s.body.outs
        for b in blocks_of(s):
            self._block(b, chosen)
        for result, param, init, out in zip(s.results, s.params, s.inits, outs, strict=True):
            self._follows(param, (init, out))
            self._follows(result, (param, init, out))

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

    def _follows(self, target: Var, sources: Iterable[Atom]) -> None:
        """Note what is given to a variable: the same for all iterations that come here, if its sources are."""
        if not _holds_more(target.kind) and any(a in self.values for a in sources):
            self.values.add(target)

    def _widen(self, a: Atom) -> None:
        c = self.memory.of(a)
        if c is None or c in self.outputs or c in self.sums or _nested(a):
            return
        if isinstance(kind_of(a), K.Array | K.List):
            self.wide.add(c)
        self.has_others = self.has_others or isinstance(kind_of(a), K.Dict)


def is_help_with_numbers(s: Op) -> bool:
    """Whether an operation is one of the helpers of compiled code, of numbers: it gives one, or raises something."""
    return getattr(s.fn, "__module__", None) == helpers.__name__ and all(
        isinstance(kind_of(a), K.Scalar) for a in (*s.args, *([] if s.target is None else [s.target]))
    )


#: What looks at the shape of an array only.
_OF_SHAPES = (len, np.shape, np.empty_like, np.zeros_like, np.ones_like)


def _is_array(a: Atom) -> bool:
    return isinstance(kind_of(a), K.Array)


def _is_of_doubles(a: Atom) -> bool:
    """Whether this is an array of doubles."""
    kind = kind_of(a)
    return isinstance(kind, K.Array) and kind.dtype == "float64"


def _is_on_the_way(s: Op) -> bool:
    """Whether an operation takes an item of a list or of a tuple."""
    return s.fn is operator.getitem and isinstance(kind_of(s.args[0]), K.List | K.Tuple)


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
