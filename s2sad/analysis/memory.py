"""Who may share memory with whom: alias classes by union-find.

Two references of different classes never lead to the same array, list or dict. A
container has one class for itself and one for all that it holds.
"""

from __future__ import annotations

import operator
import types
from collections.abc import Callable
from functools import cached_property
from typing import Any

import numpy as np

from s2sad.analysis.effects import ASKS_IDENTITY, KEEPS_NOTHING, WRITES, WRITES_DEEP, is_of_text, is_pure, writes_of
from s2sad.analysis.literals import literal_lists
from s2sad.analysis.sharing import SHARES_ALL, makes_fresh, shared_operands
from s2sad.ir import prims
from s2sad.ir.kinds import PARTED, Array, Bottom, Dict, Key, Kind, List, Numeric, Other, Scalar, Tuple
from s2sad.ir.nodes import Atom, Callee, Closure, Const, For, Function, If, Op, Ref, Stmt, Store, Var, While, With
from s2sad.ir.rewrite import blocks_of, use_counts, uses_of, walk
from s2sad.rules.aliasing import BY_LAYOUT
from s2sad.runtime import helpers

__all__ = ["Class", "Memory", "is_immutable", "makes_object"]

Class = Any  # the representative of a class: a Var, a Ref or an integer; only equality matters

_IMMUTABLE_TYPES = {
    type(None), str, bytes, slice, range, type, type(Ellipsis), types.ModuleType, types.FunctionType,
    types.BuiltinFunctionType, np.ufunc, Key,
}  # fmt: skip


def is_immutable(kind: Kind) -> bool:
    """Whether nothing reachable from a value of this kind can change.

    >>> is_immutable(Tuple((Scalar("int"), Other(slice)))), is_immutable(Array("float64", 1))
    (True, False)
    """
    match kind:
        case Scalar() | Bottom():
            return True
        case Tuple(items):
            return all(is_immutable(k) for k in items)
        case Other(cls):
            return cls in _IMMUTABLE_TYPES or (cls is not None and issubclass(cls, np.dtype))
    return False


def makes_object(op: Op) -> bool:
    """Whether an operation gives an array, list or dict that there was not before."""
    return op.fn in _NEW or makes_fresh(op.fn)


class Memory:
    """The alias classes of a function, with the classes that are written, external or escaping.

    ``written`` classes are stored into somewhere; ``external`` ones hold memory that
    others made (parameters, globals, results of unknown calls); ``escaping`` ones are
    reachable from the result. ``counts`` gives how often each variable is read, if that is known elsewhere.
    """

    def __init__(self, function: Function, counts: Callable[[], dict[Var, int]] | None = None) -> None:
        self.function = function
        self.parent: dict[Class, Class] = {}
        self.elements: dict[Class, Class] = {}
        self.fresh_ids = 0
        self._written: list[Atom] = []
        self._asked: list[Atom] = []
        self._changed_within: list[Atom] = []
        self._external: list[Atom] = []
        self._escaping: list[Atom] = []
        self.written: set[Class] = set()
        self.asked: set[Class] = set()  #: of arrays of which it is asked whether they are one; written, too
        self.external: set[Class] = set()
        self.escaping: set[Class] = set()
        self.opaque = False  #: whether there are calls that may change what they can reach
        self.result_tuples: set[Var] = set()
        stmts = list(walk(function))
        self._find_result_tuples(function, stmts, counts or (lambda: use_counts(function)))
        self.bundles = _bundles(function, stmts)
        self._function(function, stmts)
        self._collect()

    def _collect(self) -> None:
        self.asked = {c for a in self._asked if (c := self.of(a)) is not None}
        self.written = {c for a in self._written if (c := self.of(a)) is not None} | self.asked
        self.written |= self.changed_by_calls
        self.external = {c for a in self._external for c in self.reachable(a)}
        self.escaping = {c for a in self._escaping for c in self.reachable(a)}

    @cached_property
    def foreign(self) -> set[Class]:
        """The written classes, save those that are only written through the name with which an object was made.

        Parameters of other classes are left as they are, and so is all that they hold.
        """
        return self.foreign_by(lambda kind: True)

    def foreign_by(self, of_kind: Callable[[Kind], bool]) -> set[Class]:
        """Those of :attr:`foreign` that are written through a name of such a kind, or by what is not known."""
        made = {s.target for s in walk(self.function) if type(s) is Op and makes_object(s)}
        through = (a for a in self._written if a not in made and of_kind(_kind(a)))
        return {c for a in through if (c := self.of(a)) is not None} | self.changed_by_calls

    @cached_property
    def changed_by_calls(self) -> set[Class]:
        """The classes of what calls may change of which nothing is known."""
        return {c for a in self._changed_within for c in self.reachable(a)}

    @property
    def outside(self) -> set[Class]:
        """The classes of what the function finds outside of it."""
        return {self.find(k) for k in self.parent if type(k) is Ref}

    @cached_property
    def by_layout(self) -> set[Class]:
        """The classes with an array whose layout tells whether what is made of it is a view, or what a store finds."""
        fns = BY_LAYOUT | {helpers.copy_order}
        used = [s.args[0] for s in walk(self.function) if type(s) is Op and s.args and s.fn in fns]
        return {c for a in used if (c := self.of(a)) is not None}

    @cached_property
    def told_by_layout(self) -> set[Class]:
        """The classes with an array whose layout tells what a store changes.

        Something that may be a view of it is stored into, or such an array is laid out as it is.
        """
        found = self.by_layout & self.written
        ops = [s for s in walk(self.function) if type(s) is Op and s.fn is not np.copy]
        made = [(s.target, (*s.args, *(a for _, a in s.kwargs))) for s in ops if s.target is not None]
        new = bool(found)
        while new:
            operands = (a for v, given in made if self.of(v) in found for a in given)
            reached = {c for a in operands for c in self.reachable(a)}
            new = not reached <= found
            found |= reached
        return found

    # ------------------------------------------------------------ classes

    def of(self, a: Atom) -> Class | None:
        """The class of the object an atom refers to; None if it is immutable."""
        if type(a) is Var:
            kind = a.kind
            if type(kind) is Scalar:
                return None
            up = self.parent.get(a)
            if up is not None:
                return a if up is a else self.find(a)
            return None if is_immutable(kind) else self._new(a, kind)
        if type(a) is Ref and not is_immutable(a.kind):
            return self.find(a) if a in self.parent else self._new(a, a.kind)
        return None

    def find(self, c: Class) -> Class:
        """The representative of a class."""
        parent = self.parent
        root = c
        while (up := parent[root]) is not root:
            root = up
        while c is not root:
            parent[c], c = root, parent[c]
        return root

    def element(self, c: Class) -> Class:
        """The class of what the members of class ``c`` hold."""
        c = self.find(c)
        e = self.elements.get(c)
        if e is None:
            self.fresh_ids += 1
            e = self.elements[c] = self.parent[self.fresh_ids] = self.fresh_ids
        return self.find(e)

    def reachable(self, a: Atom) -> list[Class]:
        """The classes of all objects that can be reached from an atom."""
        if type(a) is Const or type(a.kind) is Scalar:  # type: ignore[union-attr]
            return []
        found: list[Class] = []
        bundle = self.bundles.get(a) if type(a) is Var else None
        for item in () if bundle is None else bundle.args:
            found += [c for c in self.reachable(item) if c not in found]
        c = self.of(a)
        if c is None or not found:
            return found if c is None else self.within(c)
        return found + [held for held in self.within(c) if held not in found]

    def within(self, c: Class) -> list[Class]:
        """A class and those of what its members hold, and what these hold."""
        found: list[Class] = []
        held: Class | None = self.find(c)
        while held is not None and held not in found:
            found.append(held)
            e = self.elements.get(held)
            held = None if e is None else self.find(e)
        return found

    def union(self, a: Class | None, b: Class | None) -> list[tuple[Class, Class]]:
        """Make two classes one, and what they hold: each that is left, with the one that it has taken in."""
        joined: list[tuple[Class, Class]] = []
        pairs = [] if a is None or b is None else [(a, b)]
        while pairs:
            x, y = (self.find(c) for c in pairs.pop())
            if x is y:
                continue
            self.parent[y] = x
            joined.append((x, y))
            for classes in (self.written, self.asked, self.external, self.escaping):
                if y in classes:
                    classes.add(x)
            held = self.elements.pop(y, None)
            if held is not None:
                own = self.elements.setdefault(x, held)
                if own is not held:
                    pairs.append((own, held))
        return joined

    def unify(self, a: Atom, b: Atom) -> list[tuple[Class, Class]]:
        """Say that two atoms may refer to one object; the classes as :meth:`union` gives them."""
        ca = self.of(a)
        return [] if ca is None else self.union(ca, self.of(b))

    def _new(self, key: Class, kind: Kind) -> Class:
        self.parent[key] = key
        if not isinstance(kind, Array | Numeric | Tuple | List | Dict) and kind not in _PARTED:
            self.elements[key] = key  # unknown, but no dict that is taken apart: holds whatever it is
        if type(key) is Ref:
            self._external.append(key)
        return key

    # ------------------------------------------------------------ building

    def _find_result_tuples(
        self, function: Function, stmts: list[Stmt], counts_of: Callable[[], dict[Var, int]]
    ) -> None:
        """Tuples made only to be returned: their items escape one by one, and stay apart."""
        results = {function.body.outs[0]}
        makers: dict[Var, Op] = {}
        for s in stmts:
            if type(s) is Op:
                if s.fn is prims.make_tuple and s.target is not None:
                    makers[s.target] = s
            elif type(s) is Closure:
                results.add(s.function.body.outs[0])
        todo = [r for r in results if type(r) is Var and r in makers]
        counts = counts_of() if todo else {}
        while todo:
            r = todo.pop()
            if counts.get(r) == 1:
                self.result_tuples.add(r)
                todo.extend(a for a in makers[r].args if type(a) is Var and a in makers)

    def _function(self, f: Function, stmts: list[Stmt]) -> None:
        self._external.extend(f.params)
        self._escaping.append(f.body.outs[0])
        for s in stmts:
            if type(s) is not Op:
                self._stmt(s)
            elif s.kwargs or not makes_fresh(s.fn):
                self._op(s)

    def _stmt(self, s: Stmt) -> None:
        match s:
            case Store(obj=obj, value=value, aug=aug):
                self._written.append(obj)
                self._hold(obj, value)
                if aug and not isinstance(_kind(obj), Array | Numeric):
                    self._changed_within.append(obj)  # an array held by a list or dict is updated in place
            case If(then=then, orelse=orelse, results=results):
                for r, a, b in zip(results, then.outs, orelse.outs, strict=True):
                    self.unify(r, a)
                    self.unify(r, b)
            case For() | While():
                outs = s.body.outs[:-1] if s.has_exit else s.body.outs
                for r, p, a, b in zip(s.results, s.params, s.inits, outs, strict=True):
                    for other in (p, a, b):
                        self.unify(r, other)
            case With(context=context, target=target, body=body, results=results):
                if target is not None:
                    self.unify(target, context)
                for r, a in zip(results, body.outs, strict=True):
                    self.unify(r, a)
            case Closure(function=function):
                self._external.extend(function.params)
                self._escaping.append(function.body.outs[0])

    def _hold(self, container: Atom, item: Atom) -> None:
        """``container`` may hold ``item`` from now on (an array holds numbers only)."""
        if isinstance(item, Const) or isinstance(getattr(container, "kind", None), Array | Numeric | Scalar):
            return
        c, i = self.of(container), self.of(item)
        if c is not None and i is not None:
            self.union(self.element(c), i)

    def _op(self, op: Op) -> None:
        fn, target = op.fn, op.target
        if is_of_text(op):  # what it gives is text, or numbers and lists of its own
            return
        if not isinstance(fn, Function) and fn in ASKS_IDENTITY and not any(isinstance(a, Const) for a in op.args):
            # as if stored into: passes must neither merge such arrays nor make others of them
            self._asked.extend(a for a in op.args if isinstance(_kind(a), Array))
        if isinstance(fn, Function) or not (is_pure(fn) or (isinstance(fn, Callee) and fn.spares)):
            self._written.extend(writes_of(op))
            self._opaque(op)
            return
        if op.kwargs or fn in WRITES:
            self._written.extend(writes_of(op))
            if fn in WRITES_DEEP:
                self._changed_within.append(op.args[0])
                self._hold_same(op.args[0], op.args[-1])
        if fn in _STRUCTURAL:
            self._structural(op)
        elif target is not None and type(target.kind) is not Scalar:
            for a in shared_operands(op):
                self._share(target, a, op.fn in SHARES_ALL)

    def _structural(self, op: Op) -> None:
        fn, args, target = op.fn, op.args, op.target
        if fn is prims.list_append or fn is prims.list_insert:
            self._hold(args[0], args[-1])
        elif fn is prims.list_extend or fn is helpers.put_back:
            self._hold_same(args[0], args[-1])
        elif target is None or self.of(target) is None:
            return
        elif fn in prims.COPIES or fn is helpers.kept_item:
            self._hold_same(target, args[0])
        elif fn is operator.getitem or fn is prims.list_pop or fn is prims.getattr_:
            self._item(target, op)
        elif target in self.result_tuples:
            self._escaping.extend(args)
        elif fn in _MAKERS and target not in self.bundles:
            for a in args:
                self._hold(target, a)

    def _share(self, target: Var, a: Atom, anything: bool) -> None:
        """``target`` may be ``a``, a view of it, or a container of either; or ``anything`` made of it."""
        t, c = self.of(target), self.of(a)
        if t is None or c is None:
            return
        holds, held = (isinstance(_kind(x), List | Tuple | Dict) for x in (target, a))
        if anything and (holds or held):
            self.union(t, c)
            self.union(t, self.element(t))
        elif holds == held:
            self.union(t, c)
        elif holds:
            self.union(self.element(t), c)
        else:
            self.union(self.element(c), t)

    def _hold_same(self, a: Atom, b: Atom) -> None:
        """Two containers that hold the same items."""
        ca, cb = self.of(a), self.of(b)
        if ca is not None and cb is not None:
            self.union(self.element(ca), self.element(cb))

    def _item(self, target: Var, op: Op) -> None:
        """``target`` is a part of the first operand: a view, an item, an attribute."""
        obj = op.args[0]
        c, t = self.of(obj), self.of(target)
        if c is None:
            return
        if isinstance(_kind(obj), Array | Numeric):
            if shared_operands(op):
                self.union(c, t)
            return
        index = _kind(op.args[1]) if len(op.args) > 1 else None
        if isinstance(index, Other) and index.type in (slice, None):
            self._hold_same(target, obj)  # a slice of a list or tuple is a fresh one
            if index.type is slice:
                return
        self.union(self.element(c), t)

    def _opaque(self, op: Op) -> None:
        """Anything may end up anywhere: one class for the result, the arguments and all they hold."""
        if any(op.fn is f for f in KEEPS_NOTHING):
            return
        self.opaque = self.opaque or not is_pure(op.fn)
        atoms = [*op.args, *(a for _, a in op.kwargs)] + ([] if op.target is None else [op.target])
        self._external.extend(atoms)
        classes = [c for a in atoms for c in self.reachable(a)]
        for c in classes[1:]:
            self.union(classes[0], c)


def _kind(a: Atom) -> Kind:
    return Other(type(a.value)) if isinstance(a, Const) else a.kind


def _bundles(function: Function, stmts: list[Stmt]) -> dict[Var, Op]:
    """The tuples, and literal lists, that only pass arrays to operations whose results share nothing with these.

    ``np.concatenate((a, b))`` does not make one class of ``a`` and ``b``.
    """
    made = (s for s in stmts if type(s) is Op and s.fn in (prims.make_tuple, prims.make_list))
    found = {s.target: s for s in made if s.target is not None and _passes_arrays(s)}
    if any(s.fn is prims.make_list for s in found.values()):
        literals = literal_lists(function)
        found = {v: s for v, s in found.items() if s.fn is prims.make_tuple or v in literals}
    if not found:
        return found
    blocks = [function.body, *(b for s in stmts for b in blocks_of(s))]
    held = [a for b in blocks for a in b.outs]
    for s in stmts:
        keeps = uses_of(s)
        if found.keys().isdisjoint(keeps):
            continue
        if type(s) is Op and not isinstance(s.fn, Function) and is_pure(s.fn) and s.fn not in _STRUCTURAL:
            keeps = () if not s.kwargs and makes_fresh(s.fn) else shared_operands(s)
        held += keeps
    for a in held:
        if type(a) is Var:
            found.pop(a, None)
    return found


def _passes_arrays(op: Op) -> bool:
    """Whether a tuple or a list is one of arrays and numbers, of which one at least can change."""
    if not all(isinstance(_kind(a), Array | Scalar) for a in op.args):
        return False
    return any(isinstance(_kind(a), Array) for a in op.args)


_NEW = {prims.make_list, prims.make_dict, *prims.COPIES}
_PARTED = (Other(dict), PARTED)  #: The kinds of what is taken apart where it is passed.
_MAKERS = {prims.make_tuple, prims.make_list, prims.make_dict, prims.make_instance}
_STRUCTURAL = _MAKERS | prims.COPIES | {
    prims.list_append, prims.list_extend, prims.list_insert, prims.list_pop, prims.getattr_, operator.getitem,
    helpers.kept_item, helpers.put_back,
}  # fmt: skip
