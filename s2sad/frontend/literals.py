"""Lowering of tuples, lists, dicts and sets, and how they are made."""

from __future__ import annotations

import functools
import itertools
import operator
from collections.abc import Callable, Iterable
from typing import Any

import gast

from s2sad.errors import UnsupportedSyntax
from s2sad.frontend import list_changes
from s2sad.frontend.apart import note_stored
from s2sad.frontend.builder import Restart
from s2sad.frontend.computed_names import are_names
from s2sad.frontend.displays import spread_out, stars_in
from s2sad.frontend.dtypes import plain_conversion
from s2sad.frontend.handed import GIVEN, Sites
from s2sad.frontend.interface import Lowering
from s2sad.frontend.leaves import may_be_held
from s2sad.frontend.methods import put_pairs
from s2sad.frontend.object_lists import HELD, ObjectList
from s2sad.frontend.values import (
    MOST_SPELT_OUT,
    AVal,
    DictV,
    IterV,
    ObjectV,
    TupleV,
    holds_functions,
    is_atom,
    is_made_here,
    kind_of,
    runtime_kind,
)
from s2sad.ir import kinds as K
from s2sad.ir import prims
from s2sad.ir.nodes import Atom, Const, Op, Origin, Var

__all__ = ["Literals", "site_key"]


def _form(value: AVal) -> Any:
    """How many axes NumPy takes a value to have: by rank, for arrays and numbers, or by how deep lists are nested."""
    kind = runtime_kind(value)
    return K.rank_of(kind) if isinstance(kind, K.Scalar | K.Array) else type(kind)


def _is_key(kind: K.Kind) -> bool:
    """Whether a value of this kind is an integer, text or a tuple of these, which carry no derivative."""
    match kind:
        case K.Tuple(items):
            return all(map(_is_key, items))
    return kind == K.STR or (isinstance(kind, K.Scalar) and K.is_integer(kind))


class Literals(Lowering):
    """The part of the lowerer that makes containers."""

    def expr_Tuple(self, node: Any, hint: str) -> AVal:
        if not any(isinstance(e, gast.Starred) for e in node.elts):
            return TupleV(tuple(self.elements(node.elts)))
        made = self.starred_display(node, hint)
        if isinstance(made, list):
            return TupleV(tuple(made))
        self.containers.as_tuple(made)
        return made

    def expr_List(self, node: Any, hint: str) -> AVal:
        if any(isinstance(e, gast.Starred) for e in node.elts):
            made = self.starred_display(node, hint)
            return self.make_list(made, hint, node) if isinstance(made, list) else made
        items = self.elements(node.elts)
        if id(node) in self.items_only and len({_form(i) for i in items}) > 1:
            return TupleV(tuple(items))
        return self.make_list(items, hint, node)

    def expr_Set(self, node: Any, hint: str) -> AVal:
        return self.make_set(self.elements(node.elts), hint, node)

    def starred_display(self, node: Any, hint: str) -> list[AVal] | Var:
        """The items of ``*xs, y`` if their number is known, else a list that is extended."""
        self.at_once |= stars_in(node.elts)
        self.items_only |= stars_in(node.elts)
        parts = [
            (star := isinstance(e, gast.Starred), self.starred(e.value) if star else self.expr(e))
            for e in spread_out(node.elts)
        ]
        known = [self.known_items(value) if star else [value] for star, value in parts]
        if all(items is not None for items in known):
            return [item for items in known for item in items or ()]
        out = self.new_list([], hint, node)
        self.copied_from[out] = tuple(value for star, value in parts if star and is_atom(value))
        for star, value in parts:
            if star:
                self.each(value, lambda item: self.append(out, item))
            else:
                self.append(out, value)
        return out

    def make_set(self, items: list[AVal] | None, hint: str = "", site: Any = None) -> AVal:
        """A set: of constants, in the order in which Python goes through it; at run time where it changes."""
        place = None if site is None else site_key(site)
        known = [i.value for i in items or () if isinstance(i, Const)]
        if items is not None and len(known) == len(items) and (place is None or place not in self.runtime_sites):
            return TupleV(tuple(map(Const, set(known))), site=place, is_set=True)
        if items is None or place is None or not all(_is_key(runtime_kind(i)) for i in items):
            raise self.unsupported(
                "a set of values that may carry derivatives is not handled: which of them are equal is not known.",
                "Use a list or a tuple.",
            )
        return self.emit(set, self.emit(prims.make_list, *map(self.as_atom, items)), hint=hint)

    def needs_set(self, known: TupleV, refusal: str) -> Restart | UnsupportedSyntax:
        """Start again with this set at run time."""
        if known.site is None or known.site in self.runtime_sites:
            return self.unsupported(refusal, "Make them in the function, or use lists or tuples.")
        self.runtime_sites.add(known.site)
        return Restart()

    def make_list(self, items: list[AVal], hint: str, site: Any) -> AVal:
        """A list literal: at run time, unless it holds functions or objects."""
        if site_key(site) in self.runtime_sites and all(map(may_be_held, items)):
            return self.new_list([self.as_atom(i) for i in items], hint, site)
        changes = site_key(site) in self.changed_sites
        made_here = any(isinstance(i, ObjectV | DictV) or holds_functions(i) for i in items)
        known = (self.names_apart and are_names(items)) or (self.lists_apart and len(items) <= MOST_SPELT_OUT)
        if changes or made_here or known or _is_mixed(items):
            return self.make_apart(items, site_key(site))
        return self.new_list([self.as_atom(i) for i in items], hint, site)

    def make_apart(self, items: list[AVal], site: Any) -> AVal:
        """A list that exists while compiling only: a tuple, or an object where it changes."""
        if site not in self.changed_sites:
            return TupleV(tuple(items), site=site)
        made = ObjectV(ObjectList)
        self.write((made, HELD), TupleV(tuple(items)))
        self.made_within[made] = site, tuple(self.around)
        return made

    def starred(self, node: Any) -> AVal:
        """The value of what comes after a star: of ``[x] * n``, if ``n`` is known, so many items."""
        match node:
            case gast.BinOp(left=gast.List(elts=elts) as part, op=gast.Mult(), right=times):
                items, n = self.elements(elts), self.known_value(self.expr(times))
                if isinstance(n, Const) and type(n.value) is int and n.value * len(items) <= MOST_SPELT_OUT:
                    return TupleV(tuple(items * n.value))
                return self.binary(operator.mul, self.make_list(items, "", part), n)
        return self.expr(node)

    def elements(self, nodes: list[Any]) -> list[AVal]:
        """Evaluate items left to right, stars unpacked."""
        items: list[AVal] = []
        for n in spread_out(nodes):
            if isinstance(n, gast.Starred):
                items.extend(self.all_items(self.starred(n.value)))
            else:
                items.append(self.expr(n))
        return items

    def expr_Dict(self, node: Any, hint: str) -> AVal:
        pairs: list[tuple[AVal, AVal]] = []
        out: Var | None = None  # of which keys are known at run time only
        for k, v in zip(node.keys, node.values, strict=True):
            if k is not None:
                more = [(self.expr(k), self.expr(v))]
            elif isinstance(source := self.fields_apart(self.expr(v)), DictV):
                more = [(Const(key), self.value_at((source, key))) for key in self.dict_keys(source)]
            elif isinstance(runtime_kind(source), K.Dict):
                more = []
                out = out or self.runtime_dict(pairs, hint, node)
                put_pairs(self, out, source)
            else:
                raise self.unsupported("`**` of what is not known to be a dict is not handled.")
            if out is None:
                pairs += more
                continue
            for key, value in more:
                self.put_item(out, key, value)
        return out or self.fresh_dict(pairs, hint, node)

    # -- lists --

    def new_list(self, atoms: list[Atom], hint: str, site: Any) -> Var:
        """A fresh list of these items, of the kind that is ever put into it."""
        item = self.item_kind(site_key(site), atoms)
        kinds = tuple(K.without_shape(kind_of(a)) for a in atoms)
        known = 1 < len(kinds) <= MOST_SPELT_OUT and _are_mixed(item, kinds)
        if known:
            self.uneven.add(site_key(site))
            known = self.has_fields(site_key(site))
        out = self.emit(prims.make_list, *atoms, kind=K.List(item, kinds if known else None), hint=hint)
        self.containers.made(out, site_key(site))
        for a in atoms:
            self.containers.put(out, a, kind_of(a))
        self.containers.filled(out, list(map(kind_of, atoms)))
        return out

    def item_kind(self, key: Any, atoms: list[Atom]) -> K.Kind:
        """The kind of the items of a container made of these: of those that are ever put into it and are not None."""
        put = self.containers.items.get(key, K.BOTTOM)
        kinds = [K.without_shape(kind_of(a)) for a in atoms]
        return self.beside_none(kinds, put, K.NONE in kinds or (K.NONE, key) in self.containers.items)

    def beside_none(self, kinds: Iterable[K.Kind], put: K.Kind, none: bool) -> K.Kind:
        """The kind of the items of a list that are not None; if that is all it ever holds, of None."""
        item = functools.reduce(K.join_items, [k for k in kinds if k != K.NONE], put)
        if not none or item != K.BOTTOM:
            return item
        self.empty_used |= not self.empty_known
        return K.NONE if self.empty_known else item

    def copied_list(
        self,
        source: Atom,
        copy: Callable[[K.Kind], Var],
        also: Atom | None = None,
        known: tuple[K.Kind, ...] | None = None,
    ) -> Var:
        """A copy of a list, made by ``copy`` of its kind: what is put into it widens its items from the start.

        ``also`` is another list or a tuple, the items of which are put into it, too. ``known`` are the kinds of the
        items one by one, if these are known.
        """
        held = kind_of(source)
        sort = type(held.item) if isinstance(held, K.List) else None
        key = (site_key(self.place), sort)  # a call may copy several lists
        fields = known if known and self.has_fields(key) else None
        kinds = list(fields or (k for a in (source, also) if a is not None for k in _item_kinds(kind_of(a))))
        put = self.containers.items.get(key, K.BOTTOM)
        item = self.beside_none(kinds, put, K.NONE in kinds)
        out = copy(K.List(item, fields if fields and _are_mixed(item, fields) else None))
        self.copied_from[out] = tuple(a for a in (source, also) if a is not None)
        for a in self.copied_from[out]:
            self.containers.copied(out, a, key)
        return out

    def change_next_time(self, sites: Iterable[Any]) -> None:
        """Start anew with the lists made at these sites as objects, as functions or objects are put into them."""
        found = set(sites) - self.changed_sites
        if found:
            self.changed_sites |= found
            raise Restart

    def check_changes(self, changed: ObjectV, by: str) -> None:
        """Start anew with loops spelt out that change a list of functions or objects made before them.

        Where a loop cannot be, a list of records exists at run time from then on. So does one of arrays of several
        ranks of which the length changes; what such a list holds, loops carry.
        """
        site, within = self.made_within.get(changed, (None, ()))
        if site in self.uneven:
            if by != "__setitem__":
                self.runtime_sites.add(site)
                raise Restart
            return
        loops = [loop for loop in self.around if loop not in within]
        if not loops or (site in self.shape_sites and by == "__setitem__" and loops[-1] not in self.few):
            return
        if loops[-1] in self.spelt_out or loops[-1] not in self.few:
            held = self.held_by(changed).items
            if site is not None and held and all(map(may_be_held, held)):
                self.runtime_sites.add(site)
                raise Restart
            self.spell_out_around()
            self.try_rows_in(changed)
            raise self.unsupported(
                "a list of functions or objects changes in a loop whose number of iterations is not known here.",
                f"Loop over a tuple, or a range of up to {MOST_SPELT_OUT} that is known while compiling.",
            )
        self.spelt_out.add(loops[-1])
        raise Restart

    def check_place(self, changed: ObjectV, place: AVal) -> None:
        """Start anew where it is known at run time only which item of a list of arrays of several ranks is replaced.

        Either a short loop around is spelt out, or the list exists at run time.
        """
        site, _ = self.made_within.get(changed, (None, ()))
        if site in self.uneven | self.shape_sites and not isinstance(place, Const):
            self.spell_out_around()
            self.runtime_sites.add(site)
            raise Restart

    def spell_out_around(self) -> None:
        """Start anew with a short loop around spelt out, the innermost of those, as something cannot be in a loop."""
        short = (self.few | self.tested) - self.spelt_out
        loop = next((x for x in reversed(self.around) if x in short), None)
        if loop is not None:
            self.spelt_out.add(loop)
            self.recursive.clear()  # what calls itself on any item, without end, may end for each
            raise Restart

    def check_handed(self, record: DictV | ObjectV) -> None:
        """Start anew, or refuse, where a record changes that was made at run time as well."""
        if record not in self.constructed:  # an object that gets what it has from the first does not change
            self.note_changing(record.cls if isinstance(record, ObjectV) else dict)
        self.check_given(record)
        note_stored(self, record)
        if record in self.handed.sites:
            self.try_rows(record)
            raise self.made_twice(self.handed.sites[record])

    def check_given(self, record: DictV | ObjectV) -> None:
        """Refuse to read, or to change, a record that a call may have changed which is not looked into."""
        if self.handed.was_given(record):
            what = "a dict" if isinstance(record, DictV) else f"an object of class {record.cls.__name__}"
            raise self.unsupported(
                f"{what} is used here that was given to a function before which is not looked into, and may change it.",
                "Give that function a copy.",
            )

    def check_missed(self) -> None:
        """Start anew where what was stored into a dict at run time is missed by the tracked one that it was made of."""
        sites = self.handed.missed(self.containers, self.definitions.unfollowed)
        if sites:
            raise self.made_twice(sites)

    def made_twice(self, sites: Sites) -> Restart | UnsupportedSyntax:
        """Start again with the dicts made at these sites at run time; other records are only tracked."""
        if None not in sites and GIVEN not in sites:
            self.runtime_sites |= sites
            return Restart()
        return self.unsupported(
            "this changes a record that a list, or a tuple that is looked into at run time, has taken as it was.",
            "Put a copy there (`dict(d)`, `dataclasses.replace(x)`), or change it before.",
        )

    def append(self, container: Atom, value: AVal) -> None:
        """``container.append(value)``"""
        if is_made_here(value):
            sites = self.containers.sites_of(container)
            self.note_put(sites, value)
            self.change_next_time(sites)
        atom = self.as_atom(self.with_keys(value))
        self.containers.put(container, atom, kind_of(atom))
        self.containers.filled(container, [kind_of(atom)])
        self.make_room(container, Const(0), lambda: self.effect(prims.list_append, container, atom))

    def with_keys(self, value: AVal) -> AVal:
        """A tuple to be put into a list, with keys of dicts as such: what is beside them may carry a derivative."""

        def made_by(v: AVal, fn: Any) -> Op | None:
            made = self.definitions.get(v) if isinstance(v, Var) else None
            return made if made is not None and made.fn is fn else None

        def part(v: AVal) -> AVal:
            taken = made_by(v, operator.getitem)
            is_key = taken is not None and made_by(taken.args[0], prims.dict_items) is not None
            return self.emit(prims.identity, v, kind=K.KEY) if is_key and is_atom(v) and kind_of(v) == K.ANY else v

        return value.of(map(part, value.items)) if isinstance(value, TupleV) else value

    def keys_of(self, d: Atom) -> Var:
        """The keys of a dict that exists at run time, as they are now."""
        known = isinstance(d, Var) and isinstance(d.kind, K.Dict)
        return self.emit(prims.dict_items, d, kind=K.List(self.containers.key(d) if known else K.ANY))

    def make_room(self, container: Atom, at: Atom, put: Callable[[], None]) -> None:
        """Put an item into a list; into a deque that is full in place of the one ``at`` the other end."""

        def drop() -> None:
            list_changes.pop(self, container, at)

        form = self.form_of(container)
        if form is None or form.detail == Const(None):
            put()
        elif form.detail != Const(0):
            full = self.emit(operator.ge, self.emit(len, container, kind=K.INT), self.limit_of(form), kind=K.BOOL)
            self.branch(full, drop, lambda: None)
            put()

    def make_array(self, fn: Any, args: list[AVal], kwargs: dict[str, AVal], hint: str) -> AVal:
        """``np.array(...)``: of nested literals, stacked rows; of the rest, one primitive.

        What is said of the result that is so anyway, its dtype or that it is a copy, is left out.
        """
        fn, args, kwargs = plain_conversion(self, fn, args, kwargs)
        atoms = [self.array_source(args[0]), *(self.as_atom(a) for a in args[1:])]
        named = tuple((k, self.as_atom(v)) for k, v in kwargs.items())
        made = self.emit(fn, *atoms, kwargs=named, hint=hint)
        if len(atoms) == 1 and "dtype" not in kwargs and self.containers.may_hold_integers_only(atoms[0]):
            self.mixed.add(made)
        return made

    def array_source(self, value: AVal) -> Atom:
        if isinstance(value, IterV):
            return self.as_list(value)
        return self.as_atom(value)

    # -- dicts --

    def fresh_dict(self, pairs: list[tuple[AVal, AVal]], hint: str, site: Any) -> AVal:
        """A new dict: tracked, unless one of its keys, or one it is ever asked for, is known at run time only."""
        if site_key(site) in self.runtime_sites or not all(isinstance(k, Const) for k, _ in pairs):
            return self.runtime_dict(pairs, hint, site)
        return self.new_dict([(k.value, v) for k, v in pairs], site_key(site))  # type: ignore[union-attr]

    def copied_dict(self, d: DictV, hint: str, each: Callable[[AVal], AVal] = lambda value: value) -> AVal:
        """A new dict with the keys of a tracked one, and ``each`` of its values."""
        return self.fresh_dict([(Const(k), each(self.value_at((d, k)))) for k in self.dict_keys(d)], hint, self.place)

    def runtime_dict(self, pairs: list[tuple[AVal, AVal]], hint: str, site: Any) -> Var:
        """A dict that exists at run time, for keys that are only known then.

        It is made with keys that differ. One that may be the same as another is stored: it replaces that one's item.
        """
        items = [(self.as_key(k), self.as_atom(v)) for k, v in pairs]
        apart = all(isinstance(k, Const) for k, _ in items)
        made = [(Const(k), v) for k, v in {k.value: v for k, v in items}.items()] if apart else items[:1]  # type: ignore[union-attr]
        item = self.item_kind(site_key(site), [v for _, v in items])
        out = self.emit(prims.make_dict, *itertools.chain(*made), kind=K.Dict(item), hint=hint)
        self.containers.made(out, site_key(site))
        for k, v in made:
            self.containers.put(out, v, kind_of(v))
            self.containers.put_key(out, kind_of(k))
        for k, v in [] if apart else items[1:]:
            self.put_item(out, k, v)
        return out

    def needs_runtime(self, d: DictV) -> Restart | UnsupportedSyntax:
        """Start again with this dict at run time, as a key is not known while compiling."""
        if d.site is None:
            return self.unsupported(
                "the key of this dict is not known while compiling.", "Use constant keys, or make the dict here."
            )
        self.runtime_sites.add(d.site)
        return Restart()

    def needs_list(self, site: Any) -> Restart | UnsupportedSyntax:
        """Start again with the list made at this site at run time."""
        if site in self.runtime_sites:
            return self.unsupported(
                "a list of functions or objects meets one that is made at run time here.",
                "Make both in one way, and keep functions in a list of their own.",
            )
        self.runtime_sites.add(site)
        return Restart()

    def dict_like(self, other: DictV, pairs: list[tuple[Any, AVal]], site: Any) -> DictV:
        """A tracked dict of the class of another, with these items; ``site`` as in :meth:`new_dict`."""
        d = self.new_dict(pairs, site)
        d.cls, d.own = other.cls, other.own
        return d

    def new_dict(self, pairs: list[tuple[Any, AVal]], site: Any = None) -> DictV:
        """A tracked dict with these constant keys; ``site`` names where it, or what it is a copy of, was made."""
        d = DictV(site)
        for k, v in pairs:
            self.write((d, k), v)
        self.write((d, "$keys"), TupleV(tuple(Const(k) for k in dict.fromkeys(k for k, _ in pairs))))
        return d

    def fields_apart(self, value: AVal) -> AVal:
        """A dict at run time of which it is known for good what is at each key as a tracked one; others as they are.

        A list of which it is known what is at each place is the tuple of its items.
        """
        match value:
            case Var(kind=K.List(_, fields)) if fields is not None:
                return TupleV(tuple(self.load(value, Const(k)) for k in range(len(fields))), listed=True)
            case Var(kind=K.Dict(_, fields)) if fields is not None:
                return self.new_dict([(key, self.load(value, Const(key))) for key, _ in fields])
        return value

    def dict_keys(self, d: DictV, every: bool = True) -> list[Any]:
        """The keys of a tracked dict, to read ``every`` one or to look one up."""
        self.check_given(d)
        if every:
            self.handed.note_read(d)
        keys = self.read((d, "$keys"))
        known = [k.value for k in keys.items if isinstance(k, Const)] if isinstance(keys, TupleV) else []
        if not isinstance(keys, TupleV) or len(known) < len(keys.items):
            if d.site is not None:
                raise self.needs_runtime(d)
            raise self.unsupported(
                "a dict has different keys on different paths.", "Give it every key before the branch or loop."
            )
        return known

    def as_key(self, value: AVal) -> Atom:
        """A key of a dict that exists at run time: a tuple where the function has one, for a list is no key."""
        atom = self.sought(value)
        return self.emit(tuple, atom, kind=K.Other(tuple)) if self.is_late_tuple(atom) else atom

    def put_item(self, out: Var, key: AVal, value: AVal) -> None:
        """``out[key] = value`` for a dict that exists at run time."""
        atom = self.as_atom(value)
        at = self.as_key(key)
        self.store(out, at, atom)
        self.handed.note_change(out, at)
        self.note_item(out, atom)


def _are_mixed(item: K.Kind, kinds: tuple[K.Kind, ...]) -> bool:
    """Whether these are numbers beside arrays, or arrays of several ranks, which all are known."""
    return K.is_numeric(item) and K.rank_of(item) is None and all(K.rank_of(k) is not None for k in kinds)


def _item_kinds(kind: K.Kind) -> tuple[K.Kind, ...]:
    """The kinds of what a list or a tuple holds."""
    match kind:
        case K.List(item):
            return (item,)
        case K.Tuple(items):
            return tuple(map(K.without_shape, items))
    return (kind if kind == K.BOTTOM else K.ANY,)


def _is_mixed(items: list[AVal]) -> bool:
    """Whether there are lists, and tuples or numbers beside them, for which no list at run time has a kind."""
    kinds = [runtime_kind(i) for i in items if isinstance(i, TupleV) or is_atom(i)]
    sorts = {type(k) for k in kinds if k != K.NONE}
    return K.List in sorts and len(sorts) > 1 and len(kinds) == len(items)


def site_key(site: Any) -> Any:
    """What names a place in the source from one lowering to the next, which may be such a name already."""
    if isinstance(site, int):
        return site
    if isinstance(site, Origin):
        return site.filename, site.lineno, site.col_offset
    if isinstance(site, tuple):
        return tuple(site_key(s) if isinstance(s, Origin | tuple) else s for s in site)
    return id(site)
