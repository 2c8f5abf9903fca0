"""Branches: both sides are lowered apart, and the places they wrote are merged."""

from __future__ import annotations

import functools
import operator
from collections.abc import Callable
from typing import Any

from s2sad.errors import UnsupportedSyntax
from s2sad.frontend.builder import FALSE, TRUE, Builder, Place, note_join, same_container
from s2sad.frontend.leaves import (
    RecordShape,
    are_alike,
    common_class,
    hint_of,
    is_record,
    is_tracked,
    join_atoms,
    name_for,
    record_shape,
    records_of,
    shaped,
    tracked_of,
    undefined_like,
)
from s2sad.frontend.options import place_of, with_common_numbers
from s2sad.frontend.values import (
    SERIALS,
    AVal,
    BoundV,
    ClosureV,
    Conflict,
    DictV,
    Frame,
    FuncV,
    GeneratorV,
    IterV,
    LostV,
    MethodV,
    ObjectV,
    PartialV,
    RangeV,
    TupleV,
    UnionV,
    fields_of,
    is_atom,
    is_option,
    is_same_option,
    is_unbound,
    kind_of,
    runtime_kind,
)
from s2sad.ir import kinds as K
from s2sad.ir.nodes import UNDEF, Atom, Block, Const, If, Stmt, Var

__all__ = ["Branches"]


class Branches(Builder):
    """The part of the builder that merges."""

    def branch(
        self,
        cond: Atom,
        then: Callable[[], None],
        orelse: Callable[[], None],
        gone_then: Callable[[], frozenset[Place]] = frozenset,
    ) -> None:
        """Lower both branches and merge the places they wrote; nothing reads those of ``gone_then()`` after them."""
        origin, serial = self.origin, next(SERIALS)
        self.forks += 1
        try:
            with self.overlay() as then_writes, self.block() as then_stmts:
                then()
            self.origin = origin
            with self.overlay() as else_writes, self.block() as else_stmts:
                orelse()
        finally:
            self.forks -= 1
        self.origin = origin
        merge, gone = _Merge(self, cond), gone_then()
        for place in _surviving(_ordered_union(then_writes, else_writes), then_writes, else_writes, serial):
            old = self.read(place)
            a, b = then_writes.get(place, old), else_writes.get(place, old)
            if place in gone and (tracked_of(a) or tracked_of(b)):
                self.write(place, UNDEF)
                continue
            handed = self.handed.found_in(a, self.reader(then_writes)) | self.handed.found_in(
                b, self.reader(else_writes)
            )
            if a is not b and (tracked_of(a) or tracked_of(b)):
                self.make_alike(a, b, else_writes | then_writes)
                a, b = (
                    None if v is None else self.merged_form(place, v, writes, serial, gone)
                    for v, writes in ((a, then_writes), (b, else_writes))
                )
            if (a is None or b is None) and isinstance(place[0], ObjectV):
                self.unsure.add(place)
            a, b = UNDEF if a is None else a, UNDEF if b is None else b
            merge.only_truth = place[1] in _FLAGS
            merge.name = name_for(place)
            merged = merge(self.apart_like(a, b, then_stmts), self.apart_like(b, a, else_stmts))
            self.write(place, self.thaw(merged))
            self.handed.pass_on(handed, self.read(place), self.read)
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

    def apart_like(self, value: AVal, other: AVal, stmts: list[Stmt]) -> AVal:
        """A tuple that exists at run time as its items, where it meets one like it; a block takes them at its end.

        One known while compiling comes to exist at run time where it meets None, or what may be None.
        """
        if isinstance(value, TupleV) and self.may_be_none(other):
            with self.block() as more:
                made = self.as_atom(value) if _is_plain(value) else self.boxed(value)
            stmts.extend(more)
            return made
        value = with_common_numbers(self, value, other, stmts)
        if not (isinstance(other, TupleV) and isinstance(value, Var)) or value in self.nullable:
            return value
        kinds = _kinds_like(value.kind, other)
        if kinds is None:
            return value
        with self.block() as more:
            items = [self.emit(operator.getitem, value, Const(k), kind=kind) for k, kind in enumerate(kinds)]
        stmts.extend(more)
        return TupleV(tuple(self.apart_like(i, o, stmts) for i, o in zip(items, other.items, strict=True)), other.cls)

    def may_be_none(self, value: AVal) -> bool:
        """Whether a value is None, or a variable that may be."""
        return value == Const(None) or (isinstance(value, Var) and (value.kind == K.NONE or value in self.nullable))

    def as_atom(self, value: AVal, hint: str = "") -> Atom:
        """The run-time form of a value."""
        raise NotImplementedError

    def boxed(self, value: TupleV) -> AVal:
        """A tuple that meets None as a row, if those like it are rows."""
        raise NotImplementedError

    def choose(self, cond: Atom, then: Callable[[], AVal], orelse: Callable[[], AVal]) -> AVal:
        """The value of one of two expressions, of which only one is evaluated."""
        place: Place = (object(), "$chosen")
        self.branch(cond, lambda: self.write(place, then()), lambda: self.write(place, orelse()))
        return self.value_at(place)

    def unless_none(self, value: Atom, make: Callable[[], Atom]) -> Atom:
        """What is made of a value, or None where that is None."""
        if not self.may_be_none(value):
            return make()
        there = self.emit(operator.is_not, value, Const(None), kind=K.BOOL)
        return self.as_atom(self.choose(there, make, lambda: Const(None)))

    # -- records --

    def merged_form(
        self,
        place: Place,
        value: AVal,
        writes: dict[Place, AVal],
        serial: int,
        gone: frozenset[Place] = frozenset(),
    ) -> AVal:
        """What a value is merged by, after some writes: records by their fields, and objects that go by one name."""
        every = any(not is_record(v) for v in tracked_of(value))
        try:
            self.check_unshared(place, value, writes, serial, gone, tracked_of)
        except UnsupportedSyntax:
            if not every:
                raise
            every = False
            self.check_unshared(place, value, writes, serial, gone)
        return self.snapshot(value, self.reader(writes), every)

    def snapshot(self, v: AVal, read: Callable[[Place], AVal | None], every: bool = False) -> AVal:
        """A tracked dict or object as a tuple of its fields, by which it can be merged; others as they are.

        With ``every``, also one whose class does not say what it has: by all that was ever stored in it.
        """
        match v:
            case TupleV(items):
                return v.of(self.snapshot(i, read, every) for i in items)
            case DictV():
                keys = read((v, "$keys"))
                if isinstance(keys, TupleV) and all(isinstance(k, Const) for k in keys.items):
                    names = tuple(k.value for k in keys.items)  # type: ignore[union-attr]
                    return self._record(v, record_shape(v.cls, names, v.own), read, every)
            case ObjectV(cls=cls, live=None) if fields_of(cls) and v not in self.extended:
                return self._record(v, record_shape(cls, fields_of(cls)), read, every)
            case ObjectV(cls=cls, live=None) if every and is_tracked(v) and not fields_of(cls) and v in self.attributes:
                return self._record(v, record_shape(cls, tuple(sorted(self.attributes[v]))), read, every)
        return v

    def _record(self, v: AVal, shape: RecordShape, read: Callable[[Place], AVal | None], every: bool) -> AVal:
        fields = [read((v, k)) for k in shape.keys]
        if any(f is None for f in fields):
            return v
        return TupleV(tuple(self.snapshot(f, read, every) for f in fields), shape)  # type: ignore[arg-type]

    def thaw(self, v: AVal) -> AVal:
        """The tracked dict or object that a snapshot stands for, made anew."""
        if not isinstance(v, TupleV):
            return v
        items = tuple(self.thaw(i) for i in v.items)
        if not isinstance(v.cls, RecordShape):
            return v if items == v.items else v.of(items)
        is_dict = issubclass(v.cls.form, dict)
        record: AVal = DictV(cls=v.cls.form, own=v.cls.own) if is_dict else ObjectV(v.cls.form)
        for k, item in zip(v.cls.keys, items, strict=True):
            self.write((record, k), item)
        if is_dict:
            self.write((record, "$keys"), TupleV(tuple(Const(k) for k in v.cls.keys)))
        return record

    def check_unshared(
        self,
        place: Place,
        value: AVal | None,
        writes: dict[Place, AVal],
        serial: int,
        gone: frozenset[Place],
        records_of: Callable[[AVal | None], list[DictV | ObjectV]] = records_of,
    ) -> None:
        """Refuse to merge a record that goes by another name too: a change of one would miss the other.

        The same goes for the records in it, and for those that a tuple holds. ``writes`` are those of the block that it
        comes out of, and what was called there, after ``serial``, has ended. Nothing reads ``gone`` any more.
        """
        records = records_of(value)
        if not records:
            return
        if len(set(records)) < len(records) and not all(map(self.never_changes, records)):
            self.may_help.update(r.cls for r in records if isinstance(r, ObjectV))
            raise self.unsupported(
                f"`{place[1]}` holds one record twice, and is one of several values here.",
                "Copy the record (`dict(d)`, `dataclasses.replace(x)`) for one of its places.",
            )
        known = {p: v for scope in self.scopes for p, v in scope.items()}
        known |= {p: writes[p] for p in _surviving([*writes], writes, {}, serial)}
        running = _running(self.frames, known)
        known = {p: v for p, v in known.items() if p not in gone and (not isinstance(p[0], Frame) or p[0] in running)}
        homes: list[tuple[Place, AVal, bool]] = [(place, record, False) for record in records]
        while homes:
            home, part, within = homes.pop()  # what a record that has another name holds has one, too
            shared = any(p != home and _is_kept(p, known, []) for p in _holders(part, known))
            if shared:
                self.make_at_run_time(part, known)
            if (shared or within) and not self.never_changes(part):
                self.may_help.update((part.cls,) if isinstance(part, ObjectV) else ())
                raise self.unsupported(
                    f"`{home[1]}` is one of several records here, one of which has another name too.",
                    "Copy the record (`dict(d)`, `dataclasses.replace(x)`) before it is changed in a branch or loop.",
                )
            parts = [(p, record) for p, v in known.items() if p[0] is part for record in records_of(v)]
            homes += [(p, record, shared or within) for p, record in parts]

    def never_changes(self, record: AVal) -> bool:
        """Whether no record like this one ever changes: so two names of one may be taken for names of two."""
        cls = record.cls if isinstance(record, ObjectV) else dict
        if cls in self.changing or record in self.constructed:
            return False
        self.unchanging.add(cls)
        return True

    def make_alike(self, a: AVal | None, b: AVal | None, writes: dict[Place, AVal]) -> None:
        """Start again with a tracked dict, or a list of records, at run time where it meets one that exists then."""
        self.note_none(a, b)
        for tracked, other in ((a, b), (b, a)):
            if isinstance(tracked, TupleV) and tracked.site is not None and _is_list_at_run_time(other):
                raise self.needs_list(tracked.site)
            if isinstance(tracked, DictV) and isinstance(other, Var) and isinstance(other.kind, K.Dict):
                self.make_at_run_time(tracked, {p: v for scope in [*self.scopes, writes] for p, v in scope.items()})

    def note_none(self, a: AVal | None, b: AVal | None) -> None:
        """Note where tracked dicts are made that meet None: at run time they can, if what is either is read."""
        if isinstance(a, TupleV) and isinstance(b, TupleV):
            for x, y in zip(a.items, b.items, strict=False):
                self.note_none(x, y)
        for tracked, other in ((a, b), (b, a)):
            if (
                isinstance(tracked, DictV)
                and tracked.site is not None
                and other is not None
                and self.may_be_none(other)
            ):
                self.none_at_times.add(tracked.site)

    def make_at_run_time(self, record: AVal, known: dict[Place, AVal]) -> None:
        """Start again with a tracked dict at run time, if it holds numbers only, or arrays of one kind."""
        if not isinstance(record, DictV) or record.site is None:
            return
        kinds = [runtime_kind(v) for p, v in known.items() if p[0] is record and p[1] != "$keys"]
        if len(set(map(type, kinds))) == 1 and K.is_numeric(functools.reduce(K.join_items, kinds)):
            raise self.needs_runtime(record)

    def needs_runtime(self, d: DictV) -> Exception:
        """Start again with this dict at run time."""
        raise NotImplementedError

    def needs_list(self, site: Any) -> Exception:
        """Start again with the list made at this site at run time."""
        raise NotImplementedError


def _is_list_at_run_time(value: AVal | None) -> bool:
    return isinstance(value, Var) and isinstance(value.kind, K.List)


def _holders(value: AVal, known: dict[Place, AVal]) -> list[Place]:
    """The places that hold a value, in a tuple perhaps."""
    return [p for p, v in known.items() if _holds(v, value)]


def _holds(v: AVal, value: AVal) -> bool:
    return v is value or any(_holds(part, value) for part in _parts(v))


def _parts(v: AVal) -> tuple[AVal, ...]:
    """What a value that exists while compiling only is made of."""
    match v:
        case TupleV(items):
            return items
        case BoundV(function, first):
            return function, first
        case MethodV(first):
            return (first,)
        case PartialV(function, args, kwargs):
            return function, *args, *(value for _, value in kwargs)
        case ClosureV(defaults=defaults, kwdefaults=kwdefaults):
            return *defaults, *(value for _, value in kwdefaults)
        case UnionV(options=options):
            return options
        case GeneratorV(parts=parts, given=given):
            return *parts, *(value for _, value in given)
        case IterV(parts=parts):
            return parts
    return ()


def _running(frames: list[Frame], known: dict[Place, AVal]) -> set[Frame]:
    """The activations whose names can still be read: of calls that go on, and those that functions close over."""
    found: set[Frame] = set()
    values = [*known.values()]
    reached = [*frames]
    while values:
        v = values.pop()
        values += _parts(v)
        if isinstance(v, ClosureV | GeneratorV) and v.frame is not None:
            reached.append(v.frame)
    while reached:
        frame = reached.pop()
        if frame not in found:
            found.add(frame)
            reached += [frame.parent] if frame.parent is not None else []
    return found


def _is_kept(place: Place, known: dict[Place, AVal], beside: list[Any]) -> bool:
    """Whether a place can still be read: a name, or a part of a record that is at such a place."""
    owner = place[0]
    if not isinstance(owner, DictV | ObjectV) or (isinstance(owner, ObjectV) and owner.live is not None):
        return isinstance(owner, DictV | ObjectV | Frame)  # others hold what an expression gives, until it is used
    beside = [*beside, owner]
    return any(p[0] not in beside and _is_kept(p, known, beside) for p in _holders(owner, known))


def _is_plain(value: AVal) -> bool:
    """Whether this is a tuple of numbers, and of tuples of those: their zeros look at no value, which may be None."""
    if isinstance(value, TupleV):
        return not value.listed and not isinstance(value.cls, RecordShape) and all(map(_is_plain, value.items))
    return is_atom(value) and isinstance(kind_of(value), K.Scalar)


def _kinds_like(kind: K.Kind, other: TupleV) -> tuple[K.Kind, ...] | None:
    """The kinds of the items of a tuple of this kind, if it has the length and class of another."""
    if isinstance(kind, K.Bottom):  # an item of a list of which it is not known yet what it holds
        return (K.BOTTOM,) * len(other.items)
    if (
        not isinstance(kind, K.Tuple)
        or other.listed
        or kind.cls is not other.cls
        or len(kind.items) != len(other.items)
    ):
        return None
    return kind.items if issubclass(kind.cls or tuple, tuple) else None


def _ordered_union(a: dict[Place, AVal], b: dict[Place, AVal]) -> list[Place]:
    return list(dict.fromkeys([*a, *b]))


def _surviving(places: list[Place], a: dict[Place, AVal], b: dict[Place, AVal], serial: int) -> list[Place]:
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


#: Names of this package for how blocks are left.
_FLAGS = ("$exit", "$break", "$left")


class _Merge:
    """Merges the values of places after a branch, collecting the If's results."""

    def __init__(self, builder: Builder, cond: Atom) -> None:
        self.builder = builder
        self.cond = cond
        self.then: list[Atom] = []
        self.orelse: list[Atom] = []
        self.results: list[Var] = []
        self.known: dict[tuple[Atom, Atom], Var] = {}
        self.only_truth = False  #: whether what is merged is asked for its truth alone
        self.name = ""  #: what it is called

    def __call__(self, a: AVal, b: AVal) -> AVal:
        if a is b or (is_atom(a) and a == b):
            return a
        match a, b:
            case (LostV() as lost, _) | (_, LostV() as lost):
                return lost
            case (Conflict(), _) | (_, Conflict()):
                return Conflict(a, b)
            case TupleV(xs, c), TupleV(ys, d) if len(xs) == len(ys) and are_alike(c, d):
                cls = common_class(c, d)
                listed, either = a.is_list and b.is_list, a.either or b.either or a.is_list != b.is_list
                return TupleV(tuple(self(x, y) for x, y in zip(xs, ys, strict=True)), cls, listed=listed, either=either)
            case RangeV(), RangeV():
                return RangeV(*(self.atom(getattr(a, f), getattr(b, f)) for f in ("start", "stop", "step")))
            case _ if is_option(a) and is_option(b):
                return a if is_same_option(a, b) else self.union(a, b)
        if is_atom(a) and is_atom(b):
            return self.atom(a, b)
        if is_unbound(a):
            return self(undefined_like(b), b)
        if is_unbound(b):
            return self(a, undefined_like(a))
        return Conflict(a, b)  # reported when, and only when, the value is used

    def union(self, a: FuncV | ObjectV, b: FuncV | ObjectV) -> FuncV:
        options: list[FuncV | ObjectV] = []
        for side in sorted((a, b), key=lambda side: not isinstance(side, UnionV)):  # its members keep their numbers
            members = side.options if isinstance(side, UnionV) else (side,)
            for m in members:
                if not any(is_same_option(m, o) for o in options):
                    options.append(m)
            if isinstance(side, UnionV) and options[: len(members)] != list(members):
                return Conflict(a, b)
        selectors = [s.selector if isinstance(s, UnionV) else Const(place_of(s, options)) for s in (a, b)]
        return UnionV(self.atom(*selectors), tuple(options))

    def atom(self, a: Any, b: Any) -> Atom:
        if a == b:
            return a  # type: ignore[no-any-return]
        if self.only_truth and (a, b) == (TRUE, FALSE) and kind_of(self.cond) == K.BOOL:
            return self.cond  # which may be NumPy's
        if (a, b) in self.known:
            return self.known[a, b]
        result = merged_var(self.builder, a, b, self.name)
        self.then.append(a)
        self.orelse.append(b)
        self.results.append(result)
        self.known[a, b] = result
        return result


def merged_var(builder: Builder, a: Atom, b: Atom, name: str = "") -> Var:
    """A fresh variable for the merge of two atoms, which goes by a name or by theirs."""
    result = Var(name or hint_of(a) or hint_of(b), shaped(join_atoms(a, b)))
    note_join(builder, result, a, b)
    builder.merges[result] = a, b
    for x in (a, b):
        same_container(builder, result, x)
    return result
