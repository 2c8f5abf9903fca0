"""How each variable is used: how often, where, and whether only to subscript."""

from __future__ import annotations

import operator
from collections.abc import Iterable, Iterator

import numpy as np

from s2sad.ir import prims
from s2sad.ir.kinds import Array, Dict, List, Numeric, Scalar, Tuple
from s2sad.ir.nodes import UNDEF, Atom, Block, Closure, Const, For, Function, If, Op, Stmt, Store, Var, While, With
from s2sad.ir.rewrite import blocks_of, targets_of, use_counts, uses_of, walk

__all__ = ["Usage", "is_const", "is_offset"]

_VALUES = (Scalar, Array, Numeric, Tuple, List, Dict)
#: What fails for operands that are None; `%` does not where the other is text, nor do questions for truth and equality.
_ARITHMETIC = (
    *(operator.add, operator.sub, operator.mul, operator.truediv, operator.floordiv, operator.pow),
    *(operator.neg, operator.matmul, operator.lt, operator.le, operator.gt, operator.ge),
)
_TAKES_NONE = (np.equal, np.not_equal, np.logical_and, np.logical_or, np.logical_xor, np.logical_not)
_INDEX_PARTS = (prims.make_tuple, prims.make_slice)


class Usage:
    """Facts about the variables of a function, nested functions included.

    ``counts``: how often a variable is read. ``read``: those that are, by their own names.
    ``alias``: variables that are another atom by another name (loop results are the loop's params, which are what they
    start as where the body hands them on unchanged; results of an If whose branches agree).
    """

    def __init__(self, function: Function) -> None:
        self.counts: dict[Var, int] = {}
        self.read: set[Var] = set()
        self.alias: dict[Var, Atom] = {}
        self.undefined: set[Var] = set()
        self.moved: set[Var] = set()
        self.fillable: set[Var] = set()
        self._as_index: dict[Var, int] = {}
        self._parts_of: dict[Var, list[Var]] = {}
        self._home: dict[Var, int] = {}
        self._user: dict[Var, int] = {}
        self._blocks = 0
        self._block(function.body)
        self._find_undefined(function)
        if self.undefined:
            self._find_moved(function)

    def atom(self, a: Atom) -> Atom:
        """The atom behind the names it goes by."""
        while type(a) is Var and a in self.alias:
            a = self.alias[a]
        return a

    def is_local(self, v: Var) -> bool:
        """Whether it is read once, and in the block that defines it."""
        return self.counts.get(v, 0) == 1 and self._home.get(v) == self._user.get(v)

    def only_indexes(self, v: Var) -> bool:
        """Whether it is only ever read as a subscript, as part of one, or as a bound of a loop."""
        parts = self._parts_of.get(v, ())
        indexed = self._as_index.get(v, 0) + len(parts)
        return self.counts.get(v, 0) == indexed > 0 and all(map(self.only_indexes, parts))

    # -- collecting -----------------------------------------------------------

    def _read(self, atoms: Iterable[Atom], block: int) -> None:
        counts = self.counts
        for a in atoms:
            if type(a) is Var:
                self.read.add(a)
                a = self.atom(a) if a in self.alias else a
                if type(a) is Var:
                    counts[a] = counts.get(a, 0) + 1
                    self._user[a] = block

    def _index(self, a: Atom) -> None:
        if type(a) is Var:
            self._as_index[a] = self._as_index.get(a, 0) + 1

    def _block(self, block: Block) -> None:
        self._blocks += 1
        number = self._blocks
        for stmt in block.stmts:
            self._read(uses_of(stmt), number)
            if type(stmt) is Op:
                if stmt.target is not None:
                    self._home[stmt.target] = number
                if stmt.fn is operator.getitem:
                    self._index(stmt.args[1])
                elif stmt.fn in _INDEX_PARTS and stmt.target is not None:
                    for a in stmt.args:
                        if type(a) is Var:
                            self._parts_of.setdefault(a, []).append(stmt.target)
                continue
            if type(stmt) is Store:
                self._index(stmt.index)
                continue
            if type(stmt) is For:
                for bound in (stmt.start, stmt.stop, stmt.step):
                    self._index(bound)
            self._merge(stmt)
            for v in targets_of(stmt):
                self._home[v] = number
            for inner in blocks_of(stmt):
                self._block(inner)
        self._read(block.outs, number)

    def _merge(self, stmt: object) -> None:
        match stmt:
            case For(params=params, inits=inits, results=results) | While(params=params, inits=inits, results=results):
                assert isinstance(stmt, For | While)
                for p, init, out, result in zip(params, inits, stmt.body.outs, results, strict=False):
                    if out is p and init != UNDEF:
                        self.alias[p] = self.atom(init)
                    self.alias[result] = p
            case If(then=then, orelse=orelse, results=results):
                for a, b, result in zip(then.outs, orelse.outs, results, strict=True):
                    if a == b and isinstance(a, Var):
                        self.alias[result] = self.atom(a)

    def _find_undefined(self, function: Function) -> None:
        """Variables that may be unbound where they are read: they start as UNDEF, or copy one that may be."""
        merges: list[tuple[Var, Atom]] = []
        for stmt in walk(function):
            match stmt:
                case If(then=then, orelse=orelse, results=results):
                    merges.extend(zip(results, then.outs, strict=True))
                    merges.extend(zip(results, orelse.outs, strict=True))
                case For(params=params, body=body) | While(params=params, body=body):
                    merges.extend(_begun(stmt))
                    merges.extend(zip(params, body.outs, strict=False))
        self.fillable = self._find_fillable(function, merges)
        targets: dict[Atom, list[Var]] = {}
        for target, source in dict.fromkeys(merges):
            source = UNDEF if self.hands_nothing(target, source) else self.atom(source)
            targets.setdefault(source, []).append(target)
        work = list(targets.get(UNDEF, ()))
        while work:
            v = self.atom(work.pop())
            if isinstance(v, Var) and v not in self.undefined:
                self.undefined.add(v)
                work.extend(targets.get(v, ()))

    def _find_fillable(self, function: Function, merges: list[tuple[Var, Atom]]) -> set[Var]:
        """Variables that no one asks whether they are None: what reads them would fail there."""
        found = {target for target, source in merges if source == Const(None) and isinstance(target.kind, _VALUES)}
        if not found:
            return found
        asked = {self.atom(a) for a in (function.result, *(a for s in walk(function) for a in _asked_by(s)))}
        sources: dict[Atom, list[Atom]] = {}
        for target, source in merges:
            sources.setdefault(self.atom(target), []).append(self.atom(source))
        work = [a for a in sources if a in asked]
        while work:
            for a in sources.get(work.pop(), ()):
                if isinstance(a, Var) and a not in asked:
                    asked.add(a)
                    work.append(a)
        return {v for v in found if self.atom(v) not in asked}

    def hands_nothing(self, target: Var, out: Atom) -> bool:
        """Whether a branch has nothing for a variable: None may stand for what only the other branch makes."""
        return out == UNDEF or (out == Const(None) and target in self.fillable)

    def _find_moved(self, function: Function) -> None:
        """Those of them that are put in an object or passed on, bound or not."""
        for stmt in walk(function):
            passed: tuple[Atom, ...] = ()
            match stmt:
                case Op(fn=fn, args=args):
                    if isinstance(fn, Function) or getattr(fn, "__module__", "") == prims.__name__:
                        passed = args
                case Store(value=value):
                    passed = (value,)
            self.moved.update(v for v in map(self.atom, passed) if isinstance(v, Var) and v in self.undefined)
        result = self.atom(function.result)
        if result in self.undefined:
            self.moved.add(result)  # type: ignore[arg-type]


def _begun(s: For | While) -> Iterator[tuple[Var, Atom]]:
    """What a loop carries with what that begins as, but for what an endless one writes before it reads it."""
    pairs = zip(s.params, s.inits, strict=True)
    if isinstance(s, For) or not s.is_endless:
        return pairs
    read = use_counts(s.body)
    return ((p, init) for p, init in pairs if p in read)


def _asked_by(s: Stmt) -> tuple[Atom, ...]:
    """The operands of a statement that may be None: arithmetic fails for those that are, loops only hand them on."""
    match s:
        case Op(fn=fn) if fn in _ARITHMETIC or getattr(fn, "__module__", "") == "math":
            return ()
        case Op(fn=np.ufunc() as fn) if fn not in _TAKES_NONE:
            return ()
        case Op(fn=operator.getitem, args=(_, index)):
            return (index,)
        case For() | While():
            return ()
        case With(body=body):
            return (*uses_of(s), *body.outs)
        case Closure(function=inner):
            return (inner.result,)
    return uses_of(s)


def is_const(a: Atom, *values: object) -> bool:
    """Whether an atom is one of these literals."""
    return isinstance(a, Const) and any(a.value is v for v in values)


def is_offset(op: Op) -> bool:
    """``i + 1``, ``n - 1``: an integer variable and a small literal."""
    if op.fn is not operator.add and op.fn is not operator.sub:
        return False
    a, b = op.args
    return (
        isinstance(a, Var)
        and isinstance(a.kind, Scalar)
        and a.kind.dtype.startswith("int")
        and isinstance(b, Const)
        and isinstance(b.value, int)
    )
