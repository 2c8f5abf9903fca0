"""Lists and dicts that exist at run time: which may be one object, and what is put into them."""

from __future__ import annotations

import functools
import operator
from dataclasses import dataclass, field
from typing import Any

from s2sad.ir import kinds as K
from s2sad.ir import prims
from s2sad.ir.nodes import Atom, Const, Op, Ref, Var, kind_of

__all__ = ["Containers", "Form"]

#: With a place among the items of :class:`Containers`: integers are put there at one time, and floats at another.
_BOTH_SORTS = "integers and floats"
#: With a place where dicts are made at run time among the items of :class:`Containers`: the kind of their keys.
_KEYS = "keys"
#: With a place in tuples and a kind among the items of :class:`Containers`: what is there may be None in some tuples.
_IN_TUPLES = "in tuples"


@dataclass(frozen=True)
class Form:
    """What the function has where there is a list or a dict: a deque, with its ``maxlen``, or a dict with defaults.

    Where a ``maxlen`` known at run time is in sight of a scope only, ``within``, it is the ``limit``, and ``detail`` is
    where the deque was made: another iteration makes such a one.
    """

    cls: type
    detail: Any
    within: Any = field(default=None, compare=False)
    limit: Any = field(default=None, compare=False)


class Containers:
    """Which lists (and dicts) may be one object, and what may be put into them.

    Kinds of items are found by lowering again until nothing new is put anywhere: ``items`` maps
    the place in the source where a container is made to the kind of its items, those apart that
    are None; ``(NONE, place)`` is among its keys where there may be such, and ``(tuple, place)`` where a list goes
    by one name with a tuple. A tuple whose length is known at run time is a list in the IR. A third sort of key is for
    lists of integers that floats are put into later, if at all: an array of them may be one of integers. A fourth
    is for the kinds of the keys of dicts.
    """

    def __init__(self, items: dict[Any, K.Kind]) -> None:
        self.items = items
        self.parent: dict[Any, Any] = {}
        self.inner: dict[Any, Any] = {}
        self.sites: dict[Any, set[Any]] = {}
        self.pending: dict[Any, K.Kind] = {}
        self.meetings: set[frozenset[type]] = set()  # classes of which there are rows in one list, or under one name
        self.nones: set[Any] = set()
        self.in_tuples: set[Any] = set()  # places in tuples, and kinds, where there may be None
        self.nullable: set[Var] = set()  # variables that may be None, whatever their kinds say
        self.integers: dict[Any, set[bool]] = {}  # whether numbers that are put in are integers
        self.forms: dict[Any, set[Any]] = {}  # what the function has where there is a list: lists, tuples or both
        self.keys: dict[Any, K.Kind] = {}  # the kinds of the keys of dicts
        self.any_keys = False  # whether what may be any dict is stored into

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
            self.forms.setdefault(a, set()).update(self.forms.pop(b, ()))
            self.integers.setdefault(a, set()).update(self.integers.pop(b, ()))
            if b in self.keys:
                self.keys[a] = _of_keys(self.keys.get(a, K.BOTTOM), self.keys.pop(b))
            if b in self.pending:
                known, more = self.pending.get(a, K.BOTTOM), self.pending.pop(b)
                self.meetings |= K.rows_that_meet(known, more)
                self.pending[a] = K.join_items(known, more)
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

    def within(self, v: Any) -> list[Any]:
        """The class of a container, that of its items, if they are containers, and so on."""
        found = [self.find(v)]
        while (inner := self.inner.get(found[-1])) is not None and (root := self.find(inner)) not in found:
            found.append(root)
        return found

    def made(self, v: Any, site: Any) -> None:
        """A container, or the containers that are items of one, were made at ``site``."""
        root = self.find(v)
        self.sites.setdefault(root, set()).add(site)
        self.forms.setdefault(root, set()).add(list)

    def sites_of(self, v: Any) -> set[Any]:
        """Where a container may have been made."""
        return self.sites.get(self.find(v), set())

    def as_tuple(self, v: Var) -> None:
        """What was just made as a list is a tuple for the function."""
        self.forms[self.find(v)] = {tuple}

    def take_form(self, v: Any, form: Form) -> None:
        """What was just made as a list or a dict is something else for the function."""
        self.forms[self.find(v)] = {form}

    def take_forms_of(self, v: Any, *others: Any) -> None:
        """What a loop carries is, at the beginning of an iteration, what it was at the end of the one before."""
        found = set[Any]().union(*(self.forms.get(self.find(other), ()) for other in others))
        if found:
            self.forms.setdefault(self.find(v), set()).update(found)

    def has_forms_of(self, v: Any, other: Any) -> bool:
        """Whether it is known of one container that it may be what another is, where that is more than a list."""
        more = self.forms.get(self.find(other), set()) - {list}
        return not more or more <= self.forms.get(self.find(v), set())

    def form_of(self, v: Any) -> Form | None:
        """What the function has for certain where there is a list or a dict that is neither a list, tuple nor dict."""
        (form,) = forms if len(forms := self.forms.get(self.find(v), set())) == 1 else (None,)
        return form if isinstance(form, Form) else None

    def may_be_several(self, v: Any) -> bool:
        """Whether it cannot be told which form the function has here, one of them a deque or a dict with defaults."""
        root = self.find(v)
        forms = self.forms.get(root, set())
        found = any((Form, site) in self.items for site in self.sites.get(root, ()))
        return found or (len(forms) > 1 and any(isinstance(form, Form) for form in forms))

    def forms_of(self, v: Any) -> set[Any]:
        """Whether the function has a list where there is this one, or a tuple, or it may be either."""
        root = self.find(v)
        both = any((tuple, site) in self.items for site in self.sites.get(root, ()))
        return {list, tuple} if both else self.forms.get(root, set())

    def put(self, container: Any, value: Any, kind: K.Kind) -> None:
        """An item was put into a container."""
        root = self.find(container)
        if kind == K.NONE or value in self.nullable:
            self.nones.add(root)
        if kind == K.NONE:
            return
        self.meetings |= K.rows_that_meet(known := self.pending.get(root, K.BOTTOM), kind)
        self.pending[root] = K.join_items(known, _in_general(kind))
        if isinstance(kind, K.List | K.Dict) and isinstance(value, Var):
            self.union(self.item(container), value)

    def put_key(self, container: Any, kind: K.Kind = K.ANY) -> None:
        """An item was put into a dict by a key of this kind, or may have been."""
        root = self.find(container)
        self.keys[root] = _of_keys(self.keys.get(root, K.BOTTOM), kind)

    def key(self, container: Any) -> K.Kind:
        """The kind of the keys of a dict that is made here."""
        sites = set() if (_KEYS, None) in self.items else self.sites_of(container)
        kinds = [self.items.get((_KEYS, site), K.BOTTOM) for site in sites]
        return functools.reduce(_of_keys, kinds) if kinds else K.ANY

    def filled(self, container: Any, kinds: list[K.Kind]) -> None:
        """Numbers were put into a container at once."""
        numbers = [k for k in kinds if K.is_numeric(k)]
        if numbers:
            self.integers.setdefault(self.find(container), set()).add(all(map(K.is_integer, numbers)))

    def may_hold_integers_only(self, container: Any) -> bool:
        """Whether a container of floats may turn out to hold integers, as it does before floats are put into it."""
        return any((_BOTH_SORTS, site) in self.items for site in self.sites.get(self.find(container), ()))

    def may_hold_none(self, container: Any) -> bool:
        """Whether an item may be None."""
        return any((K.NONE, site) in self.items for site in self.sites.get(self.find(container), ()))

    def note_tuple(self, op: Op) -> None:
        """Note what may be None of what is put into a tuple, or taken out of one: of any, they are not told apart."""
        match op:
            case Op(fn=prims.make_tuple, args=items):
                self.in_tuples |= {_in_tuples(k, a) for k, a in enumerate(items) if a in self.nullable}
            case Op(fn=prims.make_instance, args=(_, Const(value=names), *items)):
                places = (*enumerate(items), *zip(names, items, strict=True))
                self.in_tuples |= {_in_tuples(k, a) for k, a in places if a in self.nullable}
            case Op(target=Var() as v, fn=operator.getitem | prims.getattr_, args=(Var(kind=K.Tuple(kinds)), Const(k))):
                place = k % len(kinds) if isinstance(k, int) and kinds else k
                self.nullable |= {v} if _in_tuples(place, v) in self.items else set()

    def copied(self, copy: Var, source: Any, site: Any) -> None:
        """A container was made at ``site`` of the items of another."""
        self.made(copy, site)
        if isinstance(source, Var | Ref) and isinstance(source.kind, K.List | K.Dict):
            self.union(self.item(copy), self.item(source))
            if self.may_hold_none(source):
                self.nones.add(self.find(copy))
            both = {True, False} if self.may_hold_integers_only(source) else self.integers.get(self.find(source), set())
            self.integers.setdefault(self.find(copy), set()).update(both)

    def settle(self) -> bool:
        """Whether ``items`` already held all that was put; it does now."""
        found: dict[Any, K.Kind] = {
            (K.NONE, site): K.NONE for root in self.nones for site in self.sites.get(self.find(root), ())
        }
        found.update(dict.fromkeys(self.in_tuples, K.NONE))
        both = (root for root, forms in self.forms.items() if len(forms) > 1)
        found.update({(tuple, site): K.NONE for root in both for site in self.sites.get(root, ())})
        several = [root for root in self.forms if self.may_be_several(root)]
        found.update({(Form, site): K.NONE for root in several for site in self.sites.get(root, ())})
        mixed = (root for root, sorts in self.integers.items() if len(sorts) > 1)
        found.update({(_BOTH_SORTS, site): K.NONE for root in mixed for site in self.sites.get(self.find(root), ())})
        found.update({(_KEYS, None): K.NONE} if self.any_keys else {})
        settled = found.keys() <= self.items.keys()
        self.items.update(found)
        for root, kind in self.keys.items():
            for site in self.sites.get(self.find(root), ()):
                known = self.items.get((_KEYS, site), K.BOTTOM)
                self.items[_KEYS, site] = told = _of_keys(known, kind)
                settled = settled and told == known
        for root, kind in self.pending.items():
            for site in self.sites.get(self.find(root), ()):
                known = self.items.get(site, K.BOTTOM)
                wider = K.join_items(known, kind)
                self.meetings |= K.rows_that_meet(known, kind)
                if wider != known:
                    self.items[site] = wider
                    settled = False
        return settled


def _in_tuples(place: int | str, item: Atom) -> Any:
    kind = kind_of(item)
    return _IN_TUPLES, place, type(kind), getattr(kind, "cls", None)


def _of_keys(a: K.Kind, b: K.Kind) -> K.Kind:
    """The kind of all keys of a dict, of which some have one kind and some another: a dict has them as they came."""
    if K.BOTTOM in (a, b):
        return _as_key(b if a == K.BOTTOM else a)
    return _as_key(a) if a == b else K.ANY


def _as_key(kind: K.Kind) -> K.Kind:
    """What is told of a key: integers and texts, and tuples of them, through which no derivative passes."""
    match kind:
        case K.Scalar(dtype):
            return kind if dtype.startswith(("int", "uint")) else K.ANY
        case K.Tuple(items, None):
            return kind if K.ANY not in map(_as_key, items) else K.ANY
    return kind if kind in (K.STR, K.BOTTOM) else K.ANY


def _in_general(kind: K.Kind) -> K.Kind:
    """The kind of an item, with no claim about its shape, nor that what it holds so far will be all None."""
    match kind:
        case K.List(K.NONE):
            return K.List(K.BOTTOM)
        case K.List(item, fields):
            return K.List(_in_general(item), fields and tuple(map(_in_general, fields)))
        case K.Dict(item, fields):
            return K.Dict(_in_general(item), fields and tuple([(key, _in_general(k)) for key, k in fields]))
    return K.without_shape(kind)
