"""The builder: where lowered statements and the values of names are put down.

A store maps places (a name in a frame, a field of a tracked object) to abstract values.
Branches and loop bodies write to an overlay of it; when they close, places that differ
become results of the :class:`~s2sad.ir.nodes.If` or params of the loop.
"""

from __future__ import annotations

import itertools
import operator
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

import numpy as np

from s2sad.analysis.effects import WRITES, is_pure, writes_of
from s2sad.errors import NotDifferentiable, UnsupportedSyntax, qualified_name
from s2sad.frontend.containers import Containers, Form
from s2sad.frontend.definitions import Definitions, is_followed
from s2sad.frontend.handed import Handed
from s2sad.frontend.kept import Kept
from s2sad.frontend.leaves import shaped
from s2sad.frontend.values import (
    AVal,
    DictV,
    Frame,
    ObjectV,
    kind_of,
)
from s2sad.ir import kinds as K
from s2sad.ir import prims
from s2sad.ir.nodes import Atom, Const, Function, Op, Origin, Ref, Stmt, Store, Var
from s2sad.rules.infer import result_kind
from s2sad.rules.table import rule_for
from s2sad.runtime import helpers

__all__ = ["FALSE", "TRUE", "Builder", "Fails", "Place", "Restart", "is_numpy", "note_join"]


Place = tuple[Any, str]
FALSE, TRUE = Const(False), Const(True)

_TAKE_ITEMS = (operator.getitem, prims.list_pop)


#: What gives one of its arguments, or an integer for some and a float for others; and what gives one type always.
_EITHER = (max, min, pow, operator.pow)
_ALWAYS = (float, int, bool, len)


#: What does with a list what it does with a tuple of its items; and what tells the two apart whatever they hold.
_TAKES_LISTS = (
    *(len, tuple, operator.getitem, operator.is_, operator.is_not, helpers.as_index),
    *(fn for fn in vars(prims).values() if callable(fn)),
)
#: Among what is known of containers: that what is at places of lists and dicts may change; by site, with that.
_CHANGED = "changed"
_MAKE_RECORDS = (prims.make_tuple, prims.make_dict, prims.make_instance)
_COMPARES = (operator.eq, operator.ne, operator.lt, operator.le, operator.gt, operator.ge)
#: What the operators and types of Python make of numbers.
_ARITHMETIC = (
    *(operator.add, operator.sub, operator.mul, operator.truediv, operator.mod, operator.pow, operator.matmul),
    *(
        helpers.astype,
        operator.setitem,
        operator.neg,
        operator.pos,
        operator.abs,
        abs,
        float,
        complex,
        pow,
        divmod,
        sum,
    ),
)


class Restart(Exception):
    """Lowering starts again: something it learnt changes what it did before."""


class Fails(UnsupportedSyntax):
    """What is being lowered is known to raise, when it is reached: an exception of class ``raised``.

    ``depth`` and ``into`` say where: how many overlays were open, and which statements were being put down.
    """

    raised: type[BaseException] = Exception
    depth: int = 0
    into: list[Stmt] | None = None


class Builder:
    """Collects statements of one function, block by block."""

    def __init__(self, items: dict[Any, K.Kind] | None = None) -> None:
        self.containers = Containers({} if items is None else items)
        self.stmts: list[Stmt] = []
        self.scopes: list[dict[Place, AVal]] = [{}]
        self.made_at: dict[AVal, int] = {}  # in how many overlays objects were made
        self.constructed: list[AVal] = []  # the objects whose constructors are being followed
        self.attributes: dict[ObjectV, set[str]] = {}  # that were ever stored in an object
        self.forks = 0  # branches that are open: what fails in one of them may not be reached
        self.definitions = Definitions()
        self.written: set[Atom] = set()  # what something is stored into, or may be
        self.merges: dict[Var, tuple[Atom, ...]] = {}  # what a branch may give for a variable, and a loop for some
        self.unread: set[Any] = set()  # cotangents of parts of results that nothing reads: zeros
        self.mixed: set[Var] = set()  # arrays of integers or of floats: only the run tells
        self.certain: set[Var] = set()  # what is of the kind it has, and of no other that this one covers
        self.pythons: set[Var] = set()  # truth values that were passed, and are Python's
        self.rebound: dict[Var, tuple[Var, Origin | None]] = {}  # by new value: the old one of a name that is updated
        self.flat_stores: list[tuple[Var, Var, Origin | None]] = []  # of what, into `.flat` of what
        self.conjugates: dict[Var, tuple[Atom, Origin | None]] = {}  # what may be the array itself, if that is real
        self.kept: dict[Var, Kept] = {}  # what functions have read or given that keep what they gave
        self.kept_places: dict[Place, Kept] = {}  # and the attributes and items that are followed while compiling
        self.keeping: set[Place] | None = None  # those that such a function, if one is being called, has read so far
        self.settled: dict[Any, dict[str, AVal]] = {}  # what loops carry, by them and the calls around
        self.calls: list[tuple[int, ...]] = []  # the places of the calls that are lowered, outer first
        self.around: list[int] = []  # the loops that are lowered and not spelt out, outer first
        self.iterations: set[Var] = set()  # indices of loops over what may be a list
        self.frames: list[Frame] = []  # the activations that are being lowered
        self.watched: set[Place] = set()  # places that outlive the loop which first writes them
        self.none_at_times: set[Any] = set()  # where dicts are made that meet None, which they can at run time
        self.unsure: set[Place] = set()  # attributes that an object has after some runs only
        self.handed = Handed()
        self.fielded: set[Var] = set()  # lists and dicts at run time of which it is known what is at each place
        self.changed: set[Var] = set()  # lists and dicts at run time that are changed
        self.uneven: set[Any] = set()  # where lists of numbers and arrays of several ranks are made, known one by one
        self.changed_sites: set[Any] = set()  # where lists that exist while compiling are made that are changed later
        self.extended: set[ObjectV] = set()  # records that have attributes besides their fields
        self.changing: set[type] = set()  # classes of records that change, or are asked whether they are one
        self.unchanging: set[type] = set()  # those of which it was relied upon that none does
        self.may_help: set[type] = set()  # classes whose objects may be rows, which may help where something is refused
        self.origin: Origin | None = None
        self.empty_known = False  #: whether lists of which nothing is known by now are empty
        self.empty_used = False  #: whether it matters
        self.learnt = False  #: whether this pass found of the lists what the one before it did not

    @property
    def nullable(self) -> set[Var]:
        """The variables that may be None, whatever their kinds say."""
        return self.containers.nullable

    # -- places --

    def read(self, place: Place) -> AVal | None:
        """The value at a place, None where nothing was ever stored."""
        if self.keeping is not None and isinstance(place[0], ObjectV | DictV):
            self.keeping.add(place)
        for scope in reversed(self.scopes):
            if place in scope:
                return scope[place]
        return None

    def value_at(self, place: Place) -> AVal:
        """The value at a place where one was stored."""
        value = self.read(place)
        assert value is not None
        return value

    def write(self, place: Place, value: AVal) -> None:
        """Store a value at a place."""
        if place in self.kept_places and self.read(place) is not value:
            raise self.kept_places[place].refusal()
        self.scopes[-1][place] = value
        if isinstance(place[0], ObjectV):
            self.attributes.setdefault(place[0], set()).add(place[1])

    def write_default(self, place: Place, value: AVal) -> None:
        """Store what an object has at a place before anything is stored there: from where it was made on."""
        self.scopes[self.made_at.get(place[0], 0)].setdefault(place, value)

    def was_before(self, owner: Frame | DictV | ObjectV, serial: int) -> bool:
        """Whether a scope, a dict or an object was there before something else was lowered."""
        if isinstance(owner, DictV):  # which may stand for one outside, first met later
            return any(place[0] is owner for scope in self.scopes for place in scope)
        return owner.is_older(serial) if isinstance(owner, ObjectV) else owner.serial < serial

    def reader(self, writes: dict[Place, AVal]) -> Callable[[Place], AVal | None]:
        """Reads places as they are after some writes."""
        return lambda place: writes[place] if place in writes else self.read(place)

    def holders(self, value: AVal) -> list[Place]:
        """The places that hold this very value."""
        seen: dict[Place, AVal] = {}
        for scope in self.scopes:
            seen.update(scope)
        return [p for p, v in seen.items() if v is value]

    # -- statements --

    def emit(
        self,
        fn: Callable[..., Any] | Function,
        *args: Atom,
        kind: K.Kind | None = None,
        hint: str = "",
        kwargs: tuple[tuple[str, Atom], ...] = (),
    ) -> Var:
        """Append ``hint = fn(*args, **kwargs)`` and return the new variable."""
        if any(isinstance(a, Var) and isinstance(a.kind, K.List) for a in (*args, *(v for _, v in kwargs))):
            args = tuple(self.given(fn, a) for a in args)
            kwargs = tuple((name, self.given(fn, a)) for name, a in kwargs)
        if any(isinstance(a, Var) and isinstance(a.kind, K.Tuple | K.List) for a in args):
            self.refuse_records(fn, args)
        if kind is None:
            kind = self.infer(fn, args, kwargs)
        kind = shaped(kind)
        target = Var(hint, kind)
        op = Op(target, fn, args, kwargs, self.origin)
        if fn in _TAKE_ITEMS and isinstance(args[0], Var) and self.containers.may_hold_none(args[0]):
            self.nullable.add(target)
        self.containers.note_tuple(op)
        if fn in _ALWAYS or (fn not in _EITHER and all(map(self.is_certain, args)) and not self.takes_item(fn, args)):
            self.certain.add(target)
        if isinstance(kind, K.Array) and fn is not operator.truediv and self.is_of_mixed(args):
            self.mixed.add(target)
        if isinstance(kind, K.List | K.Dict) and kind.fields is not None:
            self.fielded.add(target)
        self.note_change(fn, args)
        if kwargs or isinstance(fn, Function) or not is_pure(fn) or fn in WRITES:
            self.written.update(writes_of(op))
        self.definitions.add(op)
        self.stmts.append(op)
        return target

    def refuse_records(self, fn: Any, args: tuple[Atom, ...]) -> None:
        """Refuse an object of the user's where numbers are meant: how its class makes numbers of it is not seen."""
        found = next((cls for a in args for cls in _records_in(kind_of(a))), None)
        if found is not None and _computes(fn):
            raise self.unsupported(
                f"an object of class {found.__name__} is given to `{qualified_name(fn)}`, which takes numbers.",
                "Give it the fields, or what a method of the class makes of them.",
            )

    def is_late_tuple(self, value: AVal) -> bool:
        """Whether a value is a list where the function has a tuple, the length of which is known at run time."""
        if not isinstance(value, Var) or not isinstance(value.kind, K.List):
            return False
        forms = self.containers.forms_of(value)
        if len(forms) > 1:
            raise self.unsupported(
                "it cannot be told whether this is a list or a tuple.", "Make it the same on all paths."
            )
        return forms == {tuple}

    def refuse_late_tuples(self, result: Atom) -> None:
        """Refuse a result that would have lists where the function has tuples of lengths known at run time."""
        if not isinstance(result, Var):
            return
        maker = self.definitions.get(result)
        if maker is not None and maker.fn in _MAKE_RECORDS:
            for part in maker.args:
                self.refuse_late_tuples(part)
        held, kind = result, result.kind
        while isinstance(kind, K.List | K.Dict):
            if any(isinstance(form, Form) for form in self.containers.forms_of(held)):
                raise self.unsupported(
                    "a deque or a dict with defaults cannot be returned.", "Return `list(...)` or `dict(...)` of it."
                )
            if isinstance(kind, K.List) and tuple in self.containers.forms_of(held):
                raise self.unsupported("the length of a tuple that is returned is not known here.", "Return a list.")
            held, kind = self.containers.item(held), kind.item

    def form_of(self, value: AVal) -> Form | None:
        """The deque or dict with defaults that the function has where there is this list or dict, if so."""
        if not isinstance(value, Var) or not isinstance(value.kind, K.List | K.Dict):
            return None
        if self.containers.may_be_several(value):
            raise self.unsupported(
                "it cannot be told whether this is a deque or a list, or a dict with defaults or without.",
                "Make it the same on all paths.",
            )
        return self.containers.form_of(value)

    def limit_of(self, form: Form | None) -> Atom:
        """The ``maxlen`` of a deque where it is used."""
        assert form is not None
        if form.within is not None and not any(scope is form.within for scope in self.scopes):
            raise self.unsupported(
                "the `maxlen` of this deque is not known here: it was made in a loop or branch that has ended.",
                "Give it a number known while compiling, or an argument.",
            )
        return form.detail if form.within is None else form.limit  # type: ignore[no-any-return]

    def refuse_deques(self, *values: AVal) -> None:
        """Refuse an operation that does something else with a deque than with a list."""
        if any(self.form_of(v) is not None for v in values):
            raise self.unsupported("this operation on a deque is not handled.", "Make a list of it: `list(...)`.")

    def as_sequence_of(self, source: AVal, out: Var) -> Var:
        """A list made of part of a sequence or of more than it: of what is a tuple for the function, it is one, too."""
        if self.is_late_tuple(source):
            self.containers.as_tuple(out)
        return out

    def takes_item(self, fn: Any, args: tuple[Atom, ...]) -> bool:
        """Whether an operation takes something out of what holds things of several kinds."""
        return fn in (*_TAKE_ITEMS, prims.getattr_) and not K.is_numeric(kind_of(args[0]))

    def is_certain(self, atom: Atom) -> bool:
        """Whether a number has the type, an array the dtype, that its kind names, or what a list holds theirs.

        What branches, loops and lists join may be of any kind that theirs covers: an integer where it is a float's.
        """
        if not isinstance(atom, Var):
            return True
        return atom in self.certain and not (isinstance(atom.kind, K.List) and self.holders(atom))  # it may change

    def is_of_mixed(self, args: tuple[Atom, ...]) -> bool:
        """Whether what is computed of these may be integers where an array is one of integers."""
        return any(a in self.mixed for a in args) and all(a in self.mixed or not K.is_float(kind_of(a)) for a in args)

    def take_for_certain(self, var: Var) -> None:
        """Say that a variable's kind is that of its value: one that was made for this value."""
        if K.is_numeric(var.kind):
            self.certain.add(var)

    def given(self, fn: Any, atom: Atom) -> Atom:
        """What an operation is given: a tuple where the function has one, unless a list of its items serves."""
        if fn in _COMPARES:
            self.refuse_deques(atom)
        if not self.is_late_tuple(atom) or fn in _TAKES_LISTS:
            return atom
        item = atom.kind.item  # type: ignore[union-attr]
        if fn not in _COMPARES and (K.is_container(item) or (K.is_numeric(item) and not K.is_integer(item))):
            return atom
        return self.unless_none(atom, lambda: self.emit(tuple, atom, kind=K.Other(tuple)))

    def unless_none(self, value: Atom, make: Callable[[], Atom]) -> Atom:
        """What is made of a value, or None where that is None."""
        raise NotImplementedError

    def infer(self, fn: Any, args: tuple[Atom, ...], kwargs: tuple[tuple[str, Atom], ...]) -> K.Kind:
        """The kind of a result; nothing is known of what follows from nothing."""
        if any(isinstance(kind_of(a), K.Bottom) for a in args) or (fn in _ARITHMETIC and _raises(args)):
            return K.BOTTOM
        if is_numpy(fn):
            args, kwargs = tuple(map(self.by_items, args)), tuple((name, self.by_items(a)) for name, a in kwargs)
            if any(_holds_nothing(kind_of(a)) for a in args):
                return K.BOTTOM
        kind = result_kind(fn, args, kwargs)
        if not self.empty_known and isinstance(kind, K.Array | K.Numeric) and any(_is_empty(kind_of(a)) for a in args):
            self.empty_used = True
            return K.BOTTOM
        return kind

    def by_items(self, atom: Atom) -> Atom:
        """What tells the dtypes of the numbers in a list that is written down where it is used, if they differ."""
        made = self.definitions.get(atom) if isinstance(atom, Var) and not atom.hint else None
        if made is None or made.fn is not prims.make_list or not _holds_any(kind_of(atom)) or self.holders(atom):
            return atom
        return Var("", K.Tuple(tuple(kind_of(self.by_items(a)) for a in made.args)))

    def effect(self, fn: Callable[..., Any] | Function, *args: Atom, kwargs: tuple[tuple[str, Atom], ...] = ()) -> None:
        """Append a statement for its effect only."""
        self.note_change(fn, args)
        self.stmts.append(Op(None, fn, args, kwargs, self.origin))

    def note_change(self, fn: Callable[..., Any] | Function, args: tuple[Atom, ...]) -> None:
        """Note that an operation changes a list."""
        place = None if isinstance(fn, Function) else WRITES.get(fn)
        if place is not None and isinstance(changed := args[place], Var) and isinstance(changed.kind, K.List | K.Dict):
            self.changed.add(changed)
            if isinstance(changed.kind, K.Dict):
                self.note_changing(dict)

    def note_changing(self, cls: type) -> None:
        """A record of a class changes, or is told apart by identity: start anew if that was relied on not to be."""
        self.changing.add(cls)
        if cls in self.unchanging:
            raise Restart

    def store(self, obj: Atom, index: Atom, value: Atom, aug: str | None = None) -> None:
        """Append ``obj[index] aug= value``."""
        if K.is_numeric(kind_of(obj)):
            self.refuse_records(operator.setitem, (value,))
        if obj in self.mixed and K.is_float(kind_of(value)):
            raise self.unsupported(
                "it cannot be told whether this array is one of integers, which would cut off what is stored.",
                "Make it of one dtype on all paths.",
            )
        if isinstance(obj, Var) and isinstance(obj.kind, K.List | K.Dict):
            self.changed.add(obj)
        if isinstance(obj, Var) and (isinstance(obj.kind, K.Dict) or obj.kind == K.ANY):
            self.note_changing(dict)  # what tracked dicts are made at run time goes by their names as well
            self.containers.put_key(obj, kind_of(index))
            self.containers.any_keys |= obj.kind == K.ANY
        self.written.add(obj)
        self.stmts.append(Store(obj, index, value, aug, self.origin))

    def has_fields(self, site: Any = None) -> bool:
        """Whether kinds of lists and dicts made at a site say what is at each place: if none was found to change."""
        return self.containers.items.keys().isdisjoint((_CHANGED, (_CHANGED, site)))

    def note_unknown_keys(self) -> None:
        """Note the dicts that come from outside, or from where they are not followed: they have keys of any kind."""
        for v in (*self.definitions.unfollowed, *(v for v in self.containers.parent if isinstance(v, Ref))):
            self.containers.put_key(v)

    def keeps_fields(self) -> bool:
        """Whether nothing may have been changed that is known to be at its place, nor what that holds; noted if so."""
        known: dict[Any, set[Any]] = {}  # by what may be changed: the sites of what it is, or is within
        for v in self.fielded:
            for root in self.containers.within(v):
                known.setdefault(root, set()).update(self.containers.sites_of(v) or (None,))
        kept = True
        for d in self.changed if known else ():
            sites = {None} if self.is_unknown(d) else known.get(self.containers.find(d))
            if sites is not None:
                self.changed_sites |= sites & self.uneven
                found = {(_CHANGED, site) for site in sites - {None}} - self.containers.items.keys()
                self.containers.items.update(dict.fromkeys(found or (_CHANGED,), K.NONE))
                kept = False
        return kept

    def is_unknown(self, d: Var) -> bool:
        """Whether it is not followed which list or dict this is, as an operation gave it that may give any."""
        op = self.definitions.get(d)
        if op is None or is_followed(op):
            return False
        found = isinstance(op.fn, Function) or op.fn in (operator.getitem, prims.getattr_) or not is_pure(op.fn)
        return found or isinstance(d.kind, K.Dict)

    @contextmanager
    def block(self) -> Iterator[list[Stmt]]:
        """Collect statements apart."""
        outer, self.stmts = self.stmts, []
        try:
            yield self.stmts
        finally:
            self.stmts = outer

    def is_outermost(self) -> bool:
        """Whether what is put down here is in sight of all that follows: it is in no loop or branch."""
        return len(self.scopes) == 1

    @contextmanager
    def overlay(self) -> Iterator[dict[Place, AVal]]:
        """Collect writes to places apart."""
        scope: dict[Place, AVal] = {}
        self.scopes.append(scope)
        try:
            yield scope
        finally:
            self.scopes.pop()

    def refuse_failure(self, start: int) -> None:
        """Refuse an operation whose rule, lowered from ``start`` on, is known to raise."""
        for s in self.stmts[start:]:
            if isinstance(s, Op) and s.fn is prims.raise_:
                error = self.definitions.get(s.args[0])  # type: ignore[arg-type]
                said = error.args[0] if error is not None and error.args else Const("the rule does not cover this.")
                raise NotDifferentiable(f"{said.value}." if isinstance(said, Const) else "", origin=self.origin)

    def fails(self, raised: type[BaseException], message: str) -> Fails:
        """An error at the statement being lowered, which Python finds when it runs: that in ``try`` may be caught."""
        error = Fails(message, origin=self.origin)
        error.raised, error.depth, error.into = raised, len(self.scopes), self.stmts
        return error

    def unsupported(self, message: str, help: str = "") -> UnsupportedSyntax:
        """An error at the statement being lowered."""
        return UnsupportedSyntax(message, help=help, origin=self.origin)


def _holds_nothing(kind: K.Kind) -> bool:
    """Whether this is a tuple of which a part is not known yet, as what a function gives that calls itself."""
    return isinstance(kind, K.Tuple) and any(isinstance(k, K.Bottom) or _holds_nothing(k) for k in kind.items)


def is_numpy(fn: Any) -> bool:
    """Whether a function is one of NumPy's, which take lists as arrays."""
    own = getattr(fn, "__self__", None)  # of a method of a ufunc, np.maximum.accumulate
    if isinstance(fn, np.ufunc) or isinstance(own, np.ufunc):
        return True
    return (getattr(fn, "__module__", None) or "").startswith("numpy")


def _records_in(kind: K.Kind) -> Iterator[type]:
    """The classes of the records that are no tuples, among a value of this kind and what it holds."""
    match kind:
        case K.Tuple(cls=cls) if cls is not None and not issubclass(cls, tuple):
            yield cls
        case K.Tuple(items=items):
            for item in items:
                yield from _records_in(item)
        case K.List(item):
            yield from _records_in(item)


def _raises(args: tuple[Atom, ...]) -> bool:
    """Whether arithmetic raises, of None beside numbers: what a name has, perhaps, before a loop is first run."""
    kinds = [kind_of(a) for a in args]
    return K.NONE in kinds and all(k == K.NONE or K.is_numeric(k) for k in kinds)


def _computes(fn: Any) -> bool:
    """Whether this makes numbers of numbers, which a derivative passes through."""
    if fn in _ARITHMETIC or (isinstance(fn, type) and issubclass(fn, np.generic)):
        return True
    module = getattr(fn, "__module__", None) or ("numpy" if isinstance(fn, np.ufunc) else "")
    rule = rule_for(fn) if module.partition(".")[0] in ("numpy", "math", "cmath", "scipy", "statistics") else None
    return rule is not None and rule.form != "zero"


def _holds_any(kind: K.Kind) -> bool:
    """Whether this is a list of numbers, or of lists of them, the dtypes of which differ."""
    return isinstance(kind, K.List) and (kind.item == K.Scalar("any") or _holds_any(kind.item))


def _is_empty(kind: K.Kind) -> bool:
    """Whether this is a list of nothing, or holds one: what it holds may be found later."""
    match kind:
        case K.List(item) | K.Dict(item):
            return isinstance(item, K.Bottom) or _is_empty(item)
        case K.Tuple(items):
            return any(map(_is_empty, items))
    return False


def note_join(builder: Builder, result: Var, *atoms: Atom) -> None:
    """Note of a variable that is one of several values what its kind does not say: None, or arrays of two sorts."""
    if any(a == Const(None) or a in builder.nullable for a in atoms):
        builder.nullable.add(result)
    kinds = [kind_of(a) for a in atoms]
    if any(a in builder.mixed for a in atoms) or any(K.mixes(a, b) for a, b in itertools.pairwise(kinds)):
        builder.mixed.add(result)
    if result.kind in (K.INT, K.FLOAT) and any(a in builder.merges or kind_of(a) == K.BOOL for a in atoms):
        builder.merges[result] = atoms  # a sum of truth values may be one of NumPy's
    builder.containers.meetings.update(*(K.rows_that_meet(a, b) for a, b in itertools.pairwise(kinds)))


def same_container(builder: Builder, a: Any, b: Any) -> None:
    """Note that two variables may be one list or dict."""
    if isinstance(a, Var) and isinstance(b, Var) and isinstance(a.kind, K.List | K.Dict):
        builder.containers.union(a, b)
