"""Tracked dicts and objects that are made at run time as well, as a list or a tuple that exists then takes them.

From there on there are two of what is one in Python: what is tracked, and what the list holds. That makes a difference
where one of them changes, and the other is read:

.. code-block:: python

    xs.append(d)
    d["a"] += 1.0  # of what is tracked: `xs[0]` would not see it
    xs[0]["a"] += 1.0  # of what the list holds: `d` would not see it

Lowering then starts anew with ``d`` made at run time only. An object that changes after a list took it is refused.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from typing import Any, TypeAlias

from s2sad.frontend.containers import Containers
from s2sad.frontend.values import AVal, DictV, ObjectV, TupleV, fields_of
from s2sad.ir import kinds as K
from s2sad.ir.nodes import Atom, Const, Var

__all__ = ["NO_SITES", "Handed", "Record", "Sites", "records_in"]

Record: TypeAlias = DictV | ObjectV
#: Where records were made, of what may be one of them; None for places where none can be made at run time alone.
Sites: TypeAlias = frozenset[Any]
NO_SITES: Sites = frozenset()

EVERY = object()  # stands for all keys of a dict
GIVEN = object()  # stands for where a record was given to a function that may have changed it


class Handed:
    """What is known of such records while a function is lowered.

    A record that stands for one of several, after a branch or in a loop, was made at run time if one of those was.
    """

    def __init__(self) -> None:
        self.sites: dict[Record, Sites] = {}
        self.forms: dict[Any, list[Var]] = {}  # what there is at run time, by site
        self.read: set[tuple[Any, Any]] = set()  # the sites of those that were read afterwards, and the keys
        self.changed: list[tuple[Var, Any]] = []  # dicts at run time that are stored into, and the keys

    def over(self, record: Record, form: Var) -> None:
        """A record was made at run time."""
        site = record.site if isinstance(record, DictV) else None
        self.sites[record] = self.sites.get(record, NO_SITES) | {site}
        self.forms.setdefault(site, []).append(form)

    def give(self, records: Iterable[Record]) -> None:
        """Records are given to a function that is not looked into: what they hold from then on is not known."""
        for record in records:
            self.sites[record] = self.sites.get(record, NO_SITES) | {GIVEN}

    def was_given(self, record: Record) -> bool:
        """Whether a record was given to such a function."""
        return GIVEN in self.sites.get(record, NO_SITES)

    def note_read(self, record: Record, key: Any = EVERY) -> None:
        """A record is read, at one key or all of them."""
        self.read |= {(site, key) for site in self.sites.get(record, NO_SITES)}

    def note_change(self, form: Atom, key: Atom) -> None:
        """A dict that there is at run time is stored into, or what may be one."""
        if isinstance(form, Var) and (isinstance(form.kind, K.Dict) or form.kind == K.ANY):
            self.changed.append((form, key.value if isinstance(key, Const) else EVERY))

    def found_in(self, value: AVal | None, read: Callable[[Any], AVal | None]) -> Sites:
        """Where the records were made that a value holds, or may stand for, and that there are at run time as well."""
        return NO_SITES.union(*(self.sites.get(r, NO_SITES) for r in records_in(value, read)))

    def pass_on(self, sites: Sites, value: AVal | None, read: Callable[[Any], AVal | None]) -> None:
        """A value stands from here on for others, of which those made at these sites there are at run time as well."""
        for record in records_in(value, read) if sites else ():
            self.sites[record] = self.sites.get(record, NO_SITES) | sites

    def missed(self, containers: Containers, unfollowed: Iterable[Var]) -> Sites:
        """The sites of tracked dicts that are read where what there is at run time may have been stored into."""
        if not self.read or not self.changed:
            return NO_SITES
        found = set(unfollowed)
        found |= {form for form, _ in self.changed if form.kind == K.ANY}
        anything = {containers.find(v) for v in found}  # dicts of which it is not known where they are from
        changed = {(containers.find(form), key) for form, key in self.changed}

        def may_be_changed(form: Var, key: Any) -> bool:
            root = containers.find(form)
            return any((root == other or other in anything) and (EVERY in (key, k) or key == k) for other, k in changed)

        return frozenset(site for site, key in self.read if any(may_be_changed(v, key) for v in self.forms[site]))


def records_in(value: AVal | None, read: Callable[[Any], AVal | None]) -> Iterator[Record]:
    """The tracked dicts and objects among a value and what it holds."""
    seen: set[Record] = set()
    rest = [value]
    while rest:
        match rest.pop():
            case TupleV(items):
                rest += items
            case DictV() | ObjectV() as record if record not in seen:
                seen.add(record)
                yield record
                keys = read((record, "$keys")) if isinstance(record, DictV) else None
                names = fields_of(record.cls) if isinstance(record, ObjectV) else ()
                if isinstance(keys, TupleV):
                    names = tuple(k.value for k in keys.items if isinstance(k, Const))
                rest += [read((record, name)) for name in names]
