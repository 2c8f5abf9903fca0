"""The builder: where lowered statements and the values of names are put down.

A store maps places (a name in a frame, a field of a tracked object) to abstract values.
Branches and loop bodies write to an overlay of it; when they close, places that differ
become results of the :class:`~s2sad.ir.nodes.If` or params of the loop.
"""

from __future__ import annotations

import functools
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, replace
from typing import Any

from s2sad.errors import UnsupportedSyntax
from s2sad.frontend.values import (
    SERIALS,
    AVal,
    DictV,
    Frame,
    FuncV,
    ObjectV,
    RangeV,
    TupleV,
    UnionV,
    fields_of,
    is_atom,
    kind_of,
    runtime_kind,
)
from s2sad.ir import kinds as K
from s2sad.ir.nodes import (
    UNDEF,
    Atom,
    Block,
    Const,
    For,
    Function,
    If,
    Op,
    Origin,
    Ref,
    Stmt,
    Store,
    Var,
    While,
)
from s2sad.ir.prims import make_tuple
from s2sad.rules.infer import result_kind

__all__ = ["Builder", "Conflict", "Place", "Restart"]

Place = tuple[Any, str]
FALSE, TRUE = Const(False), Const(True)


class Restart(Exception):
    """Lowering starts again: something it learnt changes what it did before."""


class Containers:
    """Which lists (and dicts) may be one object, and what may be put into them.

    Kinds of items are found by lowering again until nothing new is put anywhere: ``items`` maps
    the place in the source where a container is made to the kind of its items.
    """

    def __init__(self, items: dict[Any, K.Kind]) -> None:
        self.items = items
        self.parent: dict[Any, Any] = {}
        self.inner: dict[Any, Any] = {}
        self.sites: dict[Any, set[Any]] = {}
        self.pending: dict[Any, K.Kind] = {}

    def find(self, v: Any) -> Any:
        while self.parent.get(v, v) != v:
            v = self.parent[v]
        return v

    def union(self, a: Any, b: Any) -> None:
        """The two may be one container."""
        work = [(a, b)]
        while work:
            a, b = (self.find(x) for x in work.pop())
            if a == b:
                continue
            self.parent[b] = a
            self.sites.setdefault(a, set()).update(self.sites.pop(b, ()))
            if b in self.pending:
                self.pending[a] = K.join(self.pending.get(a, K.BOTTOM), self.pending.pop(b))
            if b in self.inner:
                inner = self.inner.pop(b)
                if a in self.inner:
                    work.append((self.inner[a], inner))
                else:
                    self.inner[a] = inner

    def item(self, v: Any) -> Any:
        """The class of a container's items."""
        root = self.find(v)
        return self.find(self.inner.setdefault(root, ("items", root)))

    def made(self, v: Var, site: Any) -> None:
        """A container was made at ``site``."""
        self.sites.setdefault(self.find(v), set()).add(site)

    def put(self, container: Any, value: Any, kind: K.Kind) -> None:
        """An item was put into a container."""
        root = self.find(container)
        self.pending[root] = K.join(self.pending.get(root, K.BOTTOM), K.without_shape(kind))
        if isinstance(kind, K.List | K.Dict) and isinstance(value, Var):
            self.union(self.item(container), value)

    def settle(self) -> bool:
        """Whether ``items`` already held all that was put; it does now."""
        settled = True
        for root, kind in self.pending.items():
            for site in self.sites.get(self.find(root), ()):
                wider = K.join(self.items.get(site, K.BOTTOM), kind)
                if wider != self.items.get(site, K.BOTTOM):
                    self.items[site] = wider
                    settled = False
        return settled


class Builder:
    """Collects statements of one function, block by block."""

    def __init__(self, items: dict[Any, K.Kind] | None = None) -> None:
        self.containers = Containers({} if items is None else items)
        self.stmts: list[Stmt] = []
        self.scopes: list[dict[Place, AVal]] = [{}]
        self.definitions: dict[Var, Op] = {}
        self.nullable: set[Var] = set()
        self.settled: dict[Any, dict[str, AVal]] = {}
        self.watched: set[Place] = set()  # places that outlive the loop which first writes them
        self.origin: Origin | None = None

    # -- places -------------------------------------------------------------------------

    def read(self, place: Place) -> AVal | None:
        """The value at a place, None where nothing was ever stored."""
        for scope in reversed(self.scopes):
            if place in scope:
                return scope[place]
        return None

    def write(self, place: Place, value: AVal) -> None:
        """Store a value at a place."""
        self.scopes[-1][place] = value

    def holders(self, value: AVal) -> list[Place]:
        """The places that hold this very value."""
        seen: dict[Place, AVal] = {}
        for scope in self.scopes:
            seen.update(scope)
        return [p for p, v in seen.items() if v is value]

    # -- statements ---------------------------------------------------------------------

    def emit(
        self,
        fn: Callable[..., Any] | Function,
        *args: Atom,
        kind: K.Kind | None = None,
        hint: str = "",
        kwargs: tuple[tuple[str, Atom], ...] = (),
    ) -> Var:
        """Append ``hint = fn(*args, **kwargs)`` and return the new variable."""
        if kind is None:
            kind = self.infer(fn, args, kwargs)
        kind = shaped(kind)
        target = Var(hint, kind)
        op = Op(target, fn, args, kwargs, self.origin)
        self.definitions[target] = op
        self.stmts.append(op)
        return target

    def infer(self, fn: Any, args: tuple[Atom, ...], kwargs: tuple[tuple[str, Atom], ...]) -> K.Kind:
        """The kind of a result; nothing is known of what follows from nothing."""
        if any(isinstance(kind_of(a), K.Bottom) for a in args):
            return K.BOTTOM
        return result_kind(fn, args, kwargs)

    def effect(self, fn: Callable[..., Any], *args: Atom, kwargs: tuple[tuple[str, Atom], ...] = ()) -> None:
        """Append a statement for its effect only."""
        self.stmts.append(Op(None, fn, args, kwargs, self.origin))

    def store(self, obj: Atom, index: Atom, value: Atom, aug: str | None = None) -> None:
        """Append ``obj[index] aug= value``."""
        self.stmts.append(Store(obj, index, value, aug, self.origin))

    @contextmanager
    def block(self) -> Iterator[list[Stmt]]:
        """Collect statements apart."""
        outer, self.stmts = self.stmts, []
        try:
            yield self.stmts
        finally:
            self.stmts = outer

    @contextmanager
    def overlay(self) -> Iterator[dict[Place, AVal]]:
        """Collect writes to places apart."""
        scope: dict[Place, AVal] = {}
        self.scopes.append(scope)
        try:
            yield scope
        finally:
            self.scopes.pop()

    def unsupported(self, message: str, help: str = "") -> UnsupportedSyntax:
        """An error at the statement being lowered."""
        return UnsupportedSyntax(message, help=help, origin=self.origin)

    # -- branches -----------------------------------------------------------------------

    # -- records ------------------------------------------------------------------------

    def snapshot(self, v: AVal, read: Callable[[Place], AVal | None]) -> AVal:
        """A tracked dict or object as a tuple of its fields, by which it can be merged; others as they are."""
        match v:
            case TupleV(items, cls):
                return TupleV(tuple(self.snapshot(i, read) for i in items), cls)
            case DictV():
                keys = read((v, "$keys"))
                if isinstance(keys, TupleV):
                    names = tuple(k.value for k in keys.items)  # type: ignore[union-attr]
                    return self._record(v, record_shape(dict, names), read)
            case ObjectV(cls=cls, live=None) if fields_of(cls):
                return self._record(v, record_shape(cls, fields_of(cls)), read)
        return v

    def _record(self, v: AVal, shape: RecordShape, read: Callable[[Place], AVal | None]) -> AVal:
        fields = [read((v, k)) for k in shape.keys]
        if any(f is None for f in fields):
            return v
        return TupleV(tuple(self.snapshot(f, read) for f in fields), shape)  # type: ignore[arg-type]

    def thaw(self, v: AVal) -> AVal:
        """The tracked dict or object that a snapshot stands for, made anew."""
        if not isinstance(v, TupleV):
            return v
        items = tuple(self.thaw(i) for i in v.items)
        if not isinstance(v.cls, RecordShape):
            return v if items == v.items else TupleV(items, v.cls)
        record: AVal = DictV() if v.cls.form is dict else ObjectV(v.cls.form)
        for k, item in zip(v.cls.keys, items, strict=True):
            self.write((record, k), item)
        if v.cls.form is dict:
            self.write((record, "$keys"), TupleV(tuple(Const(k) for k in v.cls.keys)))
        return record

    def check_unshared(self, place: Place, *records: AVal) -> None:
        """Refuse to merge a record that goes by another name too: a change of one would miss the other."""
        for r in records:
            if isinstance(r, DictV | ObjectV) and any(p != place for p in self.holders(r)):
                raise self.unsupported(
                    f"`{place[1]}` is one of several records here, one of which has another name too.",
                    "Copy the record (`dict(d)`, `dataclasses.replace(x)`) before it is changed in a branch or loop.",
                )

    def branch(self, cond: Atom, then: Callable[[], None], orelse: Callable[[], None]) -> None:
        """Lower both branches and merge the places they wrote."""
        origin, serial = self.origin, next(SERIALS)
        with self.overlay() as then_writes, self.block() as then_stmts:
            then()
        self.origin = origin
        with self.overlay() as else_writes, self.block() as else_stmts:
            orelse()
        self.origin = origin
        merge = _Merge(self, cond)
        for place in _surviving(_ordered_union(then_writes, else_writes), then_writes, else_writes, serial):
            old = self.read(place)
            a, b = then_writes.get(place, old), else_writes.get(place, old)
            if a is not b and (is_record(a) or is_record(b)):
                self.check_unshared(place, *(r for r in (a, b) if r is not None))
                a = self.snapshot(a, self.reader(then_writes)) if a is not None else a
                b = self.snapshot(b, self.reader(else_writes)) if b is not None else b
            merged = merge(UNDEF if a is None else a, UNDEF if b is None else b)
            self.write(place, self.thaw(merged))
        if then_stmts or else_stmts or merge.results:
            self.stmts.append(
                If(
                    cond,
                    Block(tuple(then_stmts), tuple(merge.then)),
                    Block(tuple(else_stmts), tuple(merge.orelse)),
                    tuple(merge.results),
                    origin,
                )
            )

    def reader(self, writes: dict[Place, AVal]) -> Callable[[Place], AVal | None]:
        """Reads places as they are after some writes."""
        return lambda place: writes[place] if place in writes else self.read(place)

    def choose(self, cond: Atom, then: Callable[[], AVal], orelse: Callable[[], AVal]) -> AVal:
        """The value of one of two expressions, of which only one is evaluated."""
        place: Place = (object(), "value")
        self.branch(cond, lambda: self.write(place, then()), lambda: self.write(place, orelse()))
        value = self.read(place)
        assert value is not None
        return value

    # -- loops --------------------------------------------------------------------------

    def loop(
        self,
        make: Callable[[tuple[Var, ...], tuple[Atom, ...], Block, tuple[Var, ...], bool], Stmt],
        body: Callable[[], Atom],
        seeds: list[Place],
        node: Any,
        before: Callable[[], None] = lambda: None,
    ) -> None:
        """Lower a loop: find what it carries, at which kinds, by iteration to a fixpoint.

        ``body`` lowers one iteration and returns the exit flag; ``before`` lowers what
        precedes it in each iteration (the test of a while). ``seeds`` are places the body
        is known to write.  What an earlier visit to the same ``node`` settled on is where this
        one starts, which keeps nested loops linear in their depth.
        """
        guesses = self.settled.get(loop_key(node), {})
        carried: dict[Place, AVal] = {}
        entry: dict[Place, AVal] = {}
        for place in seeds:
            value = self.read(place)
            entry[place] = UNDEF if value is None else value
            guess = guesses.get(place[1])
            carried[place] = entry[place] if guess is None else _wider(self, guess, entry[place])
        origin = self.origin
        for _ in range(40):
            self.origin = origin
            attempt = _Attempt(self, carried, entry)
            with self.overlay() as writes, self.block() as stmts:
                for place, value in attempt.at_start.items():
                    writes[place] = self.thaw(value)
                before()
                flag = body()
            if not attempt.settle(writes):
                carried = attempt.next
                continue
            outs = tuple(attempt.outs)
            has_exit = flag != FALSE
            results = tuple(Var(p.hint, shaped(K.without_shape(p.kind))) for p in attempt.params)
            self.nullable.update(r for r, p in zip(results, attempt.params, strict=True) if p in self.nullable)
            for same in zip(results, attempt.params, attempt.inits, outs, strict=True):
                for other in same[1:]:
                    same_container(self, same[0], other)
            block = Block(tuple(stmts), (*outs, flag) if has_exit else outs)
            self.origin = origin
            self.stmts.append(make(tuple(attempt.params), tuple(attempt.inits), block, results, has_exit))
            self.settled[loop_key(node)] = {p[1]: v for p, v in carried.items()}
            replacement = dict(zip(attempt.params, results, strict=True))
            for place, value in attempt.at_start.items():
                self.write(place, self.thaw(replace_leaves(value, replacement)))
            return
        raise self.unsupported(
            "the kinds of the variables this loop changes do not settle.",
            "Give each variable one kind (number, array, tuple of fixed length) throughout the loop.",
        )


@dataclass(frozen=True)
class RecordShape:
    """The class and field names of a snapshot of a record."""

    form: type
    keys: tuple[Any, ...]


@functools.lru_cache(maxsize=1024)
def record_shape(form: type, keys: tuple[Any, ...]) -> RecordShape:
    """The one shape of a class with these fields."""
    return RecordShape(form, keys)


def is_record(v: Any) -> bool:
    """Whether a value is a tracked dict or object of the function's own."""
    return isinstance(v, DictV) or isinstance(v, ObjectV) and v.live is None and bool(fields_of(v.cls))


def loop_key(node: Any) -> Any:
    """What names a loop from one visit to the next."""
    return (node.lineno, node.col_offset) if isinstance(node, Origin) else id(node)


def _ordered_union(a: dict[Place, AVal], b: dict[Place, AVal]) -> list[Place]:
    return list(dict.fromkeys([*a, *b]))


def _surviving(
    places: list[Place], a: dict[Place, AVal], b: dict[Place, AVal], serial: int
) -> list[Place]:
    """The places that are read after a branch: not the variables of calls that ended in it.

    They are, though, where a closure made in such a call leaves the branch.
    """
    inner = [p for p in places if isinstance(p[0], Frame) and p[0].serial > serial]
    if not inner:
        return places
    gone = set(inner)
    if any(isinstance(v, FuncV) for w in (a, b) for p, v in w.items() if p not in gone):
        return places
    return [p for p in places if p not in gone]


def hint_of(v: AVal) -> str:
    """The name a value goes by."""
    return v.hint if isinstance(v, Var) else ""


class _Merge:
    """Merges the values of places after a branch, collecting the If's results."""

    def __init__(self, builder: Builder, cond: Atom) -> None:
        self.builder = builder
        self.cond = cond
        self.then: list[Atom] = []
        self.orelse: list[Atom] = []
        self.results: list[Var] = []
        self.known: dict[tuple[Atom, Atom], Var] = {}

    def __call__(self, a: AVal, b: AVal, hint: str = "") -> AVal:
        if a is b or (is_atom(a) and a == b):
            return a
        match a, b:
            case TupleV(xs, c), TupleV(ys, d) if len(xs) == len(ys) and c is d:
                return TupleV(tuple(self(x, y) for x, y in zip(xs, ys, strict=True)), c)
            case RangeV(), RangeV():
                return RangeV(*(self.atom(getattr(a, f), getattr(b, f)) for f in ("start", "stop", "step")))
            case FuncV(), FuncV():
                return a if a == b else self.union(a, b)
        if a == UNDEF:
            return self(undefined_like(b), b) if not is_atom(b) else self.atom(a, b)
        if b == UNDEF:
            return self(a, undefined_like(a)) if not is_atom(a) else self.atom(a, b)
        if is_atom(a) and is_atom(b):
            return self.atom(a, b)
        return self.mixed(a, b)

    def mixed(self, a: AVal, b: AVal) -> AVal:
        match a, b:
            case TupleV(), Const(value=None):
                return a if False else self.refuse(a, b)
            case TupleV(items), Var(kind=K.Tuple(kinds)) if len(items) == len(kinds):
                return self.refuse(a, b)
        return self.refuse(a, b)

    def refuse(self, a: AVal, b: AVal) -> AVal:
        return Conflict(a, b)  # reported when, and only when, the value is used

    def union(self, a: Any, b: Any) -> None:
        """The two may be one container."""
        work = [(a, b)]
        while work:
            a, b = (self.find(x) for x in work.pop())
            if a == b:
                continue
            self.parent[b] = a
            self.sites.setdefault(a, set()).update(self.sites.pop(b, ()))
            if b in self.pending:
                self.pending[a] = K.join(self.pending.get(a, K.BOTTOM), self.pending.pop(b))
            if b in self.inner:
                inner = self.inner.pop(b)
                if a in self.inner:
                    work.append((self.inner[a], inner))
                else:
                    self.inner[a] = inner

    def item(self, v: Any) -> Any:
        """The class of a container's items."""
        root = self.find(v)
        return self.find(self.inner.setdefault(root, ("items", root)))

    def made(self, v: Var, site: Any) -> None:
        """A container was made at ``site``."""
        self.sites.setdefault(self.find(v), set()).add(site)

    def put(self, container: Any, value: Any, kind: K.Kind) -> None:
        """An item was put into a container."""
        root = self.find(container)
        self.pending[root] = K.join(self.pending.get(root, K.BOTTOM), K.without_shape(kind))
        if isinstance(kind, K.List | K.Dict) and isinstance(value, Var):
            self.union(self.item(container), value)

    def settle(self) -> bool:
        """Whether ``items`` already held all that was put; it does now."""
        settled = True
        for root, kind in self.pending.items():
            for site in self.sites.get(self.find(root), ()):
                wider = K.join(self.items.get(site, K.BOTTOM), kind)
                if wider != self.items.get(site, K.BOTTOM):
                    self.items[site] = wider
                    settled = False
        return settled


class Builder:
    """Collects statements of one function, block by block."""

    def __init__(self, items: dict[Any, K.Kind] | None = None) -> None:
        self.containers = Containers({} if items is None else items)
        self.stmts: list[Stmt] = []
        self.scopes: list[dict[Place, AVal]] = [{}]
        self.definitions: dict[Var, Op] = {}
        self.nullable: set[Var] = set()
        self.settled: dict[Any, dict[str, AVal]] = {}
        self.watched: set[Place] = set()  # places that outlive the loop which first writes them
        self.origin: Origin | None = None

    # -- places -------------------------------------------------------------------------

    def read(self, place: Place) -> AVal | None:
        """The value at a place, None where nothing was ever stored."""
        for scope in reversed(self.scopes):
            if place in scope:
                return scope[place]
        return None

    def write(self, place: Place, value: AVal) -> None:
        """Store a value at a place."""
        self.scopes[-1][place] = value

    def holders(self, value: AVal) -> list[Place]:
        """The places that hold this very value."""
        seen: dict[Place, AVal] = {}
        for scope in self.scopes:
            seen.update(scope)
        return [p for p, v in seen.items() if v is value]

    # -- statements ---------------------------------------------------------------------

    def emit(
        self,
        fn: Callable[..., Any] | Function,
        *args: Atom,
        kind: K.Kind | None = None,
        hint: str = "",
        kwargs: tuple[tuple[str, Atom], ...] = (),
    ) -> Var:
        """Append ``hint = fn(*args, **kwargs)`` and return the new variable."""
        if kind is None:
            kind = self.infer(fn, args, kwargs)
        kind = shaped(kind)
        target = Var(hint, kind)
        op = Op(target, fn, args, kwargs, self.origin)
        self.definitions[target] = op
        self.stmts.append(op)
        return target

    def infer(self, fn: Any, args: tuple[Atom, ...], kwargs: tuple[tuple[str, Atom], ...]) -> K.Kind:
        """The kind of a result; nothing is known of what follows from nothing."""
        if any(isinstance(kind_of(a), K.Bottom) for a in args):
            return K.BOTTOM
        return result_kind(fn, args, kwargs)

    def effect(self, fn: Callable[..., Any], *args: Atom, kwargs: tuple[tuple[str, Atom], ...] = ()) -> None:
        """Append a statement for its effect only."""
        self.stmts.append(Op(None, fn, args, kwargs, self.origin))

    def store(self, obj: Atom, index: Atom, value: Atom, aug: str | None = None) -> None:
        """Append ``obj[index] aug= value``."""
        self.stmts.append(Store(obj, index, value, aug, self.origin))

    @contextmanager
    def block(self) -> Iterator[list[Stmt]]:
        """Collect statements apart."""
        outer, self.stmts = self.stmts, []
        try:
            yield self.stmts
        finally:
            self.stmts = outer

    @contextmanager
    def overlay(self) -> Iterator[dict[Place, AVal]]:
        """Collect writes to places apart."""
        scope: dict[Place, AVal] = {}
        self.scopes.append(scope)
        try:
            yield scope
        finally:
            self.scopes.pop()

    def unsupported(self, message: str, help: str = "") -> UnsupportedSyntax:
        """An error at the statement being lowered."""
        return UnsupportedSyntax(message, help=help, origin=self.origin)

    # -- branches -----------------------------------------------------------------------

    # -- records ------------------------------------------------------------------------

    def snapshot(self, v: AVal, read: Callable[[Place], AVal | None]) -> AVal:
        """A tracked dict or object as a tuple of its fields, by which it can be merged; others as they are."""
        match v:
            case TupleV(items, cls):
                return TupleV(tuple(self.snapshot(i, read) for i in items), cls)
            case DictV():
                keys = read((v, "$keys"))
                if isinstance(keys, TupleV):
                    names = tuple(k.value for k in keys.items)  # type: ignore[union-attr]
                    return self._record(v, record_shape(dict, names), read)
            case ObjectV(cls=cls, live=None) if fields_of(cls):
                return self._record(v, record_shape(cls, fields_of(cls)), read)
        return v

    def _record(self, v: AVal, shape: RecordShape, read: Callable[[Place], AVal | None]) -> AVal:
        fields = [read((v, k)) for k in shape.keys]
        if any(f is None for f in fields):
            return v
        return TupleV(tuple(self.snapshot(f, read) for f in fields), shape)  # type: ignore[arg-type]

    def thaw(self, v: AVal) -> AVal:
        """The tracked dict or object that a snapshot stands for, made anew."""
        if not isinstance(v, TupleV):
            return v
        items = tuple(self.thaw(i) for i in v.items)
        if not isinstance(v.cls, RecordShape):
            return v if items == v.items else TupleV(items, v.cls)
        record: AVal = DictV() if v.cls.form is dict else ObjectV(v.cls.form)
        for k, item in zip(v.cls.keys, items, strict=True):
            self.write((record, k), item)
        if v.cls.form is dict:
            self.write((record, "$keys"), TupleV(tuple(Const(k) for k in v.cls.keys)))
        return record

    def check_unshared(self, place: Place, *records: AVal) -> None:
        """Refuse to merge a record that goes by another name too: a change of one would miss the other."""
        for r in records:
            if isinstance(r, DictV | ObjectV) and any(p != place for p in self.holders(r)):
                raise self.unsupported(
                    f"`{place[1]}` is one of several records here, one of which has another name too.",
                    "Copy the record (`dict(d)`, `dataclasses.replace(x)`) before it is changed in a branch or loop.",
                )

    def branch(self, cond: Atom, then: Callable[[], None], orelse: Callable[[], None]) -> None:
        """Lower both branches and merge the places they wrote."""
        origin, serial = self.origin, next(SERIALS)
        with self.overlay() as then_writes, self.block() as then_stmts:
            then()
        self.origin = origin
        with self.overlay() as else_writes, self.block() as else_stmts:
            orelse()
        self.origin = origin
        merge = _Merge(self, cond)
        for place in _surviving(_ordered_union(then_writes, else_writes), then_writes, else_writes, serial):
            old = self.read(place)
            a, b = then_writes.get(place, old), else_writes.get(place, old)
            if a is not b and (is_record(a) or is_record(b)):
                self.check_unshared(place, *(r for r in (a, b) if r is not None))
                a = self.snapshot(a, self.reader(then_writes)) if a is not None else a
                b = self.snapshot(b, self.reader(else_writes)) if b is not None else b
            merged = merge(UNDEF if a is None else a, UNDEF if b is None else b)
            self.write(place, self.thaw(merged))
        if then_stmts or else_stmts or merge.results:
            self.stmts.append(
                If(
                    cond,
                    Block(tuple(then_stmts), tuple(merge.then)),
                    Block(tuple(else_stmts), tuple(merge.orelse)),
                    tuple(merge.results),
                    origin,
                )
            )

    def reader(self, writes: dict[Place, AVal]) -> Callable[[Place], AVal | None]:
        """Reads places as they are after some writes."""
        return lambda place: writes[place] if place in writes else self.read(place)

    def choose(self, cond: Atom, then: Callable[[], AVal], orelse: Callable[[], AVal]) -> AVal:
        """The value of one of two expressions, of which only one is evaluated."""
        place: Place = (object(), "value")
        self.branch(cond, lambda: self.write(place, then()), lambda: self.write(place, orelse()))
        value = self.read(place)
        assert value is not None
        return value

    # -- loops --------------------------------------------------------------------------

    def loop(
        self,
        make: Callable[[tuple[Var, ...], tuple[Atom, ...], Block, tuple[Var, ...], bool], Stmt],
        body: Callable[[], Atom],
        seeds: list[Place],
        node: Any,
        before: Callable[[], None] = lambda: None,
    ) -> None:
        """Lower a loop: find what it carries, at which kinds, by iteration to a fixpoint.

        ``body`` lowers one iteration and returns the exit flag; ``before`` lowers what
        precedes it in each iteration (the test of a while). ``seeds`` are places the body
        is known to write.  What an earlier visit to the same ``node`` settled on is where this
        one starts, which keeps nested loops linear in their depth.
        """
        guesses = self.settled.get(loop_key(node), {})
        carried: dict[Place, AVal] = {}
        entry: dict[Place, AVal] = {}
        for place in seeds:
            value = self.read(place)
            entry[place] = UNDEF if value is None else value
            guess = guesses.get(place[1])
            carried[place] = entry[place] if guess is None else _wider(self, guess, entry[place])
        origin = self.origin
        for _ in range(40):
            self.origin = origin
            attempt = _Attempt(self, carried, entry)
            with self.overlay() as writes, self.block() as stmts:
                for place, value in attempt.at_start.items():
                    writes[place] = self.thaw(value)
                before()
                flag = body()
            if not attempt.settle(writes):
                carried = attempt.next
                continue
            outs = tuple(attempt.outs)
            has_exit = flag != FALSE
            results = tuple(Var(p.hint, shaped(K.without_shape(p.kind))) for p in attempt.params)
            self.nullable.update(r for r, p in zip(results, attempt.params, strict=True) if p in self.nullable)
            for same in zip(results, attempt.params, attempt.inits, outs, strict=True):
                for other in same[1:]:
                    same_container(self, same[0], other)
            block = Block(tuple(stmts), (*outs, flag) if has_exit else outs)
            self.origin = origin
            self.stmts.append(make(tuple(attempt.params), tuple(attempt.inits), block, results, has_exit))
            self.settled[loop_key(node)] = {p[1]: v for p, v in carried.items()}
            replacement = dict(zip(attempt.params, results, strict=True))
            for place, value in attempt.at_start.items():
                self.write(place, self.thaw(replace_leaves(value, replacement)))
            return
        raise self.unsupported(
            "the kinds of the variables this loop changes do not settle.",
            "Give each variable one kind (number, array, tuple of fixed length) throughout the loop.",
        )


@dataclass(frozen=True)
class RecordShape:
    """The class and field names of a snapshot of a record."""

    form: type
    keys: tuple[Any, ...]


@functools.lru_cache(maxsize=1024)
def record_shape(form: type, keys: tuple[Any, ...]) -> RecordShape:
    """The one shape of a class with these fields."""
    return RecordShape(form, keys)


def is_record(v: Any) -> bool:
    """Whether a value is a tracked dict or object of the function's own."""
    return isinstance(v, DictV) or isinstance(v, ObjectV) and v.live is None and bool(fields_of(v.cls))


def loop_key(node: Any) -> Any:
    """What names a loop from one visit to the next."""
    return (node.lineno, node.col_offset) if isinstance(node, Origin) else id(node)


def _ordered_union(a: dict[Place, AVal], b: dict[Place, AVal]) -> list[Place]:
    return list(dict.fromkeys([*a, *b]))


def hint_of(v: AVal) -> str:
    """The name a value goes by."""
    return v.hint if isinstance(v, Var) else ""


class _Merge:
    """Merges the values of places after a branch, collecting the If's results."""

    def __init__(self, builder: Builder, cond: Atom) -> None:
        self.builder = builder
        self.cond = cond
        self.then: list[Atom] = []
        self.orelse: list[Atom] = []
        self.results: list[Var] = []
        self.known: dict[tuple[Atom, Atom], Var] = {}

    def __call__(self, a: AVal, b: AVal, hint: str = "") -> AVal:
        if a is b or (is_atom(a) and a == b):
            return a
        match a, b:
            case TupleV(xs, c), TupleV(ys, d) if len(xs) == len(ys) and c is d:
                return TupleV(tuple(self(x, y) for x, y in zip(xs, ys, strict=True)), c)
            case RangeV(), RangeV():
                return RangeV(*(self.atom(getattr(a, f), getattr(b, f)) for f in ("start", "stop", "step")))
            case FuncV(), FuncV():
                return a if a == b else self.union(a, b)
        if a == UNDEF:
            return self(undefined_like(b), b) if not is_atom(b) else self.atom(a, b)
        if b == UNDEF:
            return self(a, undefined_like(a)) if not is_atom(a) else self.atom(a, b)
        if is_atom(a) and is_atom(b):
            return self.atom(a, b)
        return self.mixed(a, b)

    def mixed(self, a: AVal, b: AVal) -> AVal:
        match a, b:
            case TupleV(), Const(value=None):
                return a if False else self.refuse(a, b)
            case TupleV(items), Var(kind=K.Tuple(kinds)) if len(items) == len(kinds):
                return self.refuse(a, b)
        return self.refuse(a, b)

    def refuse(self, a: AVal, b: AVal) -> AVal:
        return Conflict(a, b)  # reported when, and only when, the value is used

    def merge_objects(self, a: Any, b: Any) -> AVal:
        builder = self.builder
        if isinstance(a, DictV) and isinstance(b, DictV):
            keys_a, keys_b = builder.read((a, "$keys")), builder.read((b, "$keys"))
            if keys_a != keys_b:
                return Conflict(a, b)
        return Conflict(a, b)

    def union(self, a: FuncV, b: FuncV) -> FuncV:
        options: list[FuncV] = []
        sides = []
        for side in (a, b):
            members = side.options if isinstance(side, UnionV) else (side,)
            for m in members:
                if m not in options:
                    options.append(m)
            sides.append((side, members))
        selectors: list[Atom] = []
        for side, members in sides:
            if isinstance(side, UnionV):
                if options[: len(members)] != list(members):
                    return Conflict(a, b)  # type: ignore[return-value]
                selectors.append(side.selector)
            else:
                selectors.append(Const(options.index(side)))
        return UnionV(self.atom(selectors[0], selectors[1]), tuple(options))

    def atom(self, a: Any, b: Any) -> Atom:
        if a == b:
            return a  # type: ignore[no-any-return]
        if (a, b) == (TRUE, FALSE) and kind_of(self.cond) == K.BOOL:
            return self.cond
        if (a, b) in self.known:
            return self.known[a, b]
        result = merged_var(self.builder, a, b)
        self.then.append(a)
        self.orelse.append(b)
        self.results.append(result)
        self.known[a, b] = result
        return result


def join_atoms(a: Atom, b: Atom) -> K.Kind:
    """The kind of a variable that is one or the other; None joins as "may be None"."""
    x, y = kind_of(a), kind_of(b)
    if x == K.NONE and y != K.NONE:
        return y
    if y == K.NONE and x != K.NONE:
        return x
    return K.join(x, y)


def shaped(kind: K.Kind) -> K.Kind:
    """The kind of one value: an array of unknown shape still has a shape of its own."""
    return replace(kind, shape=K.fresh_shape()) if isinstance(kind, K.Array) and kind.shape is None else kind


def merged_var(builder: Builder, a: Atom, b: Atom) -> Var:
    """A fresh variable for the merge of two atoms."""
    result = Var(hint_of(a) or hint_of(b), shaped(join_atoms(a, b)))
    if any(x == Const(None) or x in builder.nullable for x in (a, b)):
        builder.nullable.add(result)
    for x in (a, b):
        same_container(builder, result, x)
    return result


def same_container(builder: Builder, a: Any, b: Any) -> None:
    """Note that two variables may be one list or dict."""
    if isinstance(a, Var) and isinstance(b, Var) and isinstance(a.kind, K.List | K.Dict):
        builder.containers.union(a, b)


class Conflict(FuncV):
    """A value that is one of two things the compiler cannot treat as one."""

    __slots__ = ("a", "b")

    def __init__(self, a: AVal, b: AVal) -> None:
        self.a, self.b = a, b


def undefined_like(v: AVal) -> AVal:
    """A value of the same structure with unbound leaves."""
    match v:
        case TupleV(items, cls):
            return TupleV(tuple(undefined_like(i) for i in items), cls)
        case RangeV():
            return RangeV(UNDEF, UNDEF, UNDEF)
        case Var() | Const() | Ref():
            return UNDEF
    return v


def leaves(v: AVal) -> list[Var]:
    """The variables a value is made of."""
    match v:
        case Var():
            return [v]
        case TupleV(items):
            return [leaf for i in items for leaf in leaves(i)]
        case RangeV(a, b, c):
            return [x for x in (a, b, c) if isinstance(x, Var)]
        case UnionV(selector):
            return leaves(selector)
    return []


def replace_leaves(v: AVal, table: dict[Any, Any]) -> AVal:
    """The value with variables replaced."""
    match v:
        case Var():
            return table.get(v, v)  # type: ignore[no-any-return]
        case TupleV(items, cls):
            return TupleV(tuple(replace_leaves(i, table) for i in items), cls)
        case RangeV(a, b, c):
            return RangeV(*(replace_leaves(x, table) for x in (a, b, c)))  # type: ignore[arg-type]
        case UnionV(s, options):
            return UnionV(replace_leaves(s, table), options)  # type: ignore[arg-type]
    return v


class _Attempt:
    """One try at a loop: params made for the places it is assumed to carry."""

    def __init__(self, builder: Builder, carried: dict[Place, AVal], entry: dict[Place, AVal]) -> None:
        self.builder = builder
        self.serial = next(SERIALS)
        self.entry = entry
        self.carried = carried
        self.params: list[Var] = []
        self.inits: list[Atom] = []
        self.outs: list[Atom] = []
        self.next: dict[Place, AVal] = dict(carried)
        self.at_start: dict[Place, AVal] = {
            place: self.param_for(value, entry[place], place[1]) for place, value in carried.items()
        }

    def param_for(self, assumed: AVal, init: AVal, hint: str) -> AVal:
        match assumed:
            case TupleV(items, cls):
                inits = init.items if isinstance(init, TupleV) else (UNDEF,) * len(items)
                return TupleV(tuple(self.param_for(i, j, hint) for i, j in zip(items, inits, strict=True)), cls)
            case RangeV():
                inits = (init.start, init.stop, init.step) if isinstance(init, RangeV) else (UNDEF,) * 3
                return RangeV(
                    *(
                        self.param_for(i, j, hint)  # type: ignore[arg-type]
                        for i, j in zip((assumed.start, assumed.stop, assumed.step), inits, strict=True)
                    )
                )
            case Var() | Const() | Ref():
                kind = shaped(K.without_shape(kind_of(assumed)))
                param = Var(hint if hint.isidentifier() else hint_of(assumed), kind)
                if assumed == Const(None) or assumed in self.builder.nullable:
                    self.builder.nullable.add(param)
                self.params.append(param)
                self.inits.append(init if is_atom(init) else UNDEF)  # type: ignore[arg-type]
                return param
        return assumed

    def settle(self, writes: dict[Place, AVal]) -> bool:
        """Whether the body gave back what was assumed; else ``next`` holds what to assume."""
        stable = True
        for place, value in writes.items():
            if place in self.carried:
                continue
            outer = self.builder.read(place)
            if outer is not None and outer is not value and outer != value:
                self.entry[place] = outer
                self.next[place] = outer
                stable = False
            elif outer is None and place in self.builder.watched and place[0].serial < self.serial:
                self.entry[place] = UNDEF if is_atom(value) else undefined_like(value)
                self.next[place] = value
                stable = False
        read = self.builder.reader(writes)
        ends = {place: self.end_of(place, start, writes, read) for place, start in self.at_start.items()}
        for place, end in ends.items():
            widened = self.widen(self.carried[place], end, place)
            if widened is not None:
                self.next[place] = widened
                stable = False
        if stable:
            for place, start in self.at_start.items():
                self.collect(start, ends[place])
        return stable

    def end_of(
        self, place: Place, start: AVal, writes: dict[Place, AVal], read: Callable[[Place], AVal | None]
    ) -> AVal:
        """A carried place's value after the body: a record as its fields once it is a different one."""
        end = writes.get(place, start)
        entry = self.entry[place]
        if is_record(end) and end is not self.carried[place]:
            self.builder.check_unshared(place, end)
            if is_record(entry):
                self.builder.check_unshared(place, entry)
                self.entry[place] = self.builder.snapshot(entry, self.builder.read)
            return self.builder.snapshot(end, read)
        return end

    def widen(self, assumed: AVal, end: AVal, place: Place) -> AVal | None:
        """None where ``end`` fits what was assumed, else something wider to assume."""
        if isinstance(assumed, TupleV) and isinstance(end, TupleV):
            if len(assumed.items) != len(end.items) or assumed.cls is not end.cls:
                raise self.builder.unsupported(
                    f"the tuple {place[1]!r} changes its length in the loop.",
                    "Use a list for a sequence that grows, or keep the length fixed.",
                )
            parts = [self.widen(a, e, place) for a, e in zip(assumed.items, end.items, strict=True)]
            if all(p is None for p in parts):
                return None
            return TupleV(
                tuple(a if p is None else p for a, p in zip(assumed.items, parts, strict=True)), assumed.cls
            )
        if isinstance(assumed, RangeV) and isinstance(end, RangeV):
            return None
        if is_atom(assumed) and is_atom(end):
            return self.widen_atom(assumed, end)  # type: ignore[arg-type]
        if assumed == UNDEF:
            return undefined_like(end) if isinstance(end, TupleV | RangeV) else end
        if end is assumed or end == assumed or end == UNDEF:
            return None
        if is_record(assumed) and isinstance(end, TupleV) and isinstance(self.entry[place], TupleV):
            return self.entry[place]
        raise self.builder.unsupported(
            f"{place[1]!r} is not the same sort of value in every iteration of the loop.",
            "Keep one kind of value (number, array, tuple, function) in each variable a loop changes.",
        )

    def widen_atom(self, assumed: Atom, end: Atom) -> Atom | None:
        kind = K.without_shape(join_atoms(assumed, end))
        may_be_none = end == Const(None) or end in self.builder.nullable
        was_none = assumed == Const(None) or assumed in self.builder.nullable
        if kind == K.without_shape(kind_of(assumed)) and (was_none or not may_be_none):
            return None
        wider = Var(hint_of(assumed), kind)
        if may_be_none or was_none:
            self.builder.nullable.add(wider)
        return wider

    def collect(self, start: AVal, end: AVal) -> None:
        """Append the outs that correspond to the params in ``start``."""
        match start:
            case TupleV(items):
                ends = end.items if isinstance(end, TupleV) else (UNDEF,) * len(items)
                for s, e in zip(items, ends, strict=True):
                    self.collect(s, e)
            case RangeV(a, b, c):
                ends = (end.start, end.stop, end.step) if isinstance(end, RangeV) else (UNDEF,) * 3
                for s, e in zip((a, b, c), ends, strict=True):
                    self.collect(s, e)
            case Var():
                self.outs.append(end if is_atom(end) else UNDEF)  # type: ignore[arg-type]


def _wider(builder: Builder, guess: AVal, init: AVal) -> AVal:
    """What to assume of a carried place: an earlier finding, widened to cover its first value."""
    match guess, init:
        case TupleV(xs, c), TupleV(ys, d) if len(xs) == len(ys) and c is d:
            return TupleV(tuple(_wider(builder, x, y) for x, y in zip(xs, ys, strict=True)), c)
    if not (is_atom(guess) and is_atom(init)):
        return init if init != UNDEF else guess
    if (guess in builder.nullable or guess == Const(None)) and init != Const(None):
        builder.nullable.add(wide := Var(hint_of(init), join_atoms(guess, init)))  # type: ignore[arg-type]
        return wide
    return Var(hint_of(init) or hint_of(guess), join_atoms(guess, init))  # type: ignore[arg-type]


def as_runtime(builder: Builder, v: AVal, hint: str = "") -> Atom:
    """Make a compile-time value exist at run time where it can."""
    if is_atom(v):
        return v  # type: ignore[return-value]
    match v:
        case TupleV(items, None):
            atoms = tuple(as_runtime(builder, i) for i in items)
            return builder.emit(make_tuple, *atoms, kind=runtime_kind(v), hint=hint)
        case RangeV(a, b, c):
            return builder.emit(range, a, b, c, kind=K.Other(range), hint=hint)
    raise builder.unsupported(
        "this value exists only while compiling and cannot be stored in a container here.",
        "Keep functions and objects in variables or tuples rather than in lists built at run time.",
    )
