"""Lowering of expressions: dispatch, constants, choices, and what a value is at run time."""

from __future__ import annotations

import functools
import itertools
from typing import Any

import gast
import numpy as np

from s2sad.errors import UnsupportedSyntax
from s2sad.frontend.builder import FALSE, TRUE
from s2sad.frontend.conflicts import refuse_conflict
from s2sad.frontend.displays import stars_in
from s2sad.frontend.interface import Lowering
from s2sad.frontend.literals import site_key
from s2sad.frontend.object_lists import ObjectList
from s2sad.frontend.standing import stands_in, stood_for
from s2sad.frontend.texts import text_of_call
from s2sad.frontend.values import (
    AVal,
    DictV,
    FrozenV,
    GeneratorV,
    IterV,
    Keyed,
    ObjectV,
    PyFunc,
    RangeV,
    TupleV,
    fields_of,
    is_atom,
    is_flat,
    kind_of,
)
from s2sad.ir import kinds as K
from s2sad.ir import prims
from s2sad.ir.nodes import Atom, Const, Var

__all__ = ["Expressions"]

#: Iterators that give their items once.
_ONCE = {"enumerate", "map", "reversed", "zip", "repeat", "starmap", "chain", "islice", "product", "choices"}
_ONCE |= {"accumulate", "chained", "compress", "cycle", "dropwhile", "filter", "pairwise", "takewhile", "zip_longest"}
_ONCE.add("generated")
#: Where an iterator is read that was there before: what else gives one has just made it.
_KEEPS = (gast.Name, gast.Attribute, gast.Subscript)


#: Iterators whose items are told by their places alone: one can begin in the middle.
_BY_PLACE = {"enumerate", "zip", "reversed", "map", "items", "values", "chain", "islice", "pairwise"}


def _is_by_place(value: AVal) -> bool:
    """Whether each item of an iterable can be had without those before it."""
    if not isinstance(value, IterV):
        return True
    return value.form in _BY_PLACE and not isinstance(value, GeneratorV) and all(map(_is_by_place, value.parts))


class Expressions(Lowering):
    """Expressions of every sort find their method here."""

    def expr(self, node: Any, hint: str = "") -> AVal:
        """The abstract value of an expression; ``hint`` names what it computes."""
        method = getattr(self, f"expr_{type(node).__name__}", None)
        if method is None:
            raise UnsupportedSyntax(
                f"`{type(node).__name__}` expressions are not handled in differentiated code.",
                help="Rewrite the expression, or move it out of the function.",
                origin=self.here(node),
            )
        value: AVal = method(node, hint)
        if isinstance(node, gast.Attribute | gast.Subscript):
            refuse_conflict(self, value, origin=self.here(node))
        if isinstance(value, IterV) and value.form in _ONCE:
            return self.note_iterator(node, value)
        return value

    def as_atom(self, value: AVal, hint: str = "") -> Atom:
        """The run-time form of a value."""
        if isinstance(value, ObjectV | DictV):
            return self.materialise(value)
        if isinstance(value, TupleV) and value.cls is not None:
            return self.materialise(value)
        if isinstance(value, PyFunc):
            return value.ref or self.outside(value.fn, getattr(value.fn, "__name__", "function"))
        if isinstance(value, TupleV):
            atoms = tuple(self.as_atom(i) for i in value.items)
            if value.is_list:
                return self.new_list(list(atoms), hint, value.site or self.place)
            kind = K.Tuple(tuple(map(self.kind_within, atoms)))
            return self.emit(prims.make_tuple, *atoms, kind=kind, hint=hint)
        if isinstance(value, IterV):
            return self.as_list(value)
        if is_flat(value):
            return self.emit(np.copy, self.emit(np.ravel, value.obj))  # type: ignore[union-attr]
        if isinstance(value, FrozenV) and not value.name:
            freeze = self.attribute(value.distribution, "__call__")
            assert isinstance(freeze, PyFunc)
            return self.as_atom(self.opaque(freeze, [*value.args], dict(value.kwargs), hint))
        if isinstance(value, RangeV):
            return self.emit(range, value.start, value.stop, value.step, kind=K.Other(range), hint=hint)
        if is_atom(value):
            return value
        self.spell_out_around()
        self.try_rows(value)
        raise self.unsupported(
            "this value exists only while compiling and cannot be stored in a container here.",
            "Keep functions and objects in variables or tuples rather than in lists built at run time.",
        )

    def materialise(self, value: AVal) -> Atom:
        """Build at run time the record a compile-time value stands for."""
        match value:
            case TupleV(items, cls) if cls is not None:
                if issubclass(cls, tuple) and not hasattr(cls, "_fields"):
                    raise self.unsupported(
                        f"a tuple of class {cls.__name__} is not made anew: it cannot be returned or stored here.",
                        "Make it a plain tuple, `tuple(...)`, or the class a named tuple.",
                    )
                atoms = [self.as_atom(i) for i in items]
                return self.instance(cls, fields_of(cls), atoms)
            case ObjectV(cls=cls) if cls is ObjectList:
                self.spell_out_around()
                self.try_rows_in(value)
                raise self.unsupported(
                    "a list that functions or objects are put into cannot be returned or stored in a container here.",
                    "Return what it holds, or keep numbers and arrays in a list of their own.",
                )
            case ObjectV() if stands_in(value):
                return stood_for(self, value)
            case ObjectV(cls=cls):
                self.refuse_gone(value)
                names = fields_of(cls)
                if not names:
                    if value.live is not None:
                        return value.live
                    self.spell_out_around()
                    self.try_rows(value)
                    raise self.unsupported(
                        f"an object of class {cls.__name__} cannot be returned or stored in a container here.",
                        "Return its fields, or make the class a dataclass.",
                    )
                if value in self.extended:
                    self.try_rows(value)
                    raise self.unsupported(
                        f"this object of class {cls.__name__} has attributes besides its fields, which are lost here.",
                        "Make them fields of the class.",
                    )
                atoms = [self.as_atom(self.attribute(value, n)) for n in names]
                return self.made(value, self.instance(cls, names, atoms))
            case DictV():
                if value.factory is not None:
                    raise self.unsupported(
                        "a dict with defaults cannot be returned or stored in a container here.",
                        "Make it a dict: `dict(...)`.",
                    )
                return self.made(value, self.dict_form(value))
        return self.as_atom(value)

    def dict_form(self, d: DictV) -> Var:
        """What there is of a tracked dict at run time: what is put into that later widens the kind of its items."""
        pairs = [(Const(key), self.as_atom(self.value_at((d, key)))) for key in self.dict_keys(d)]
        site = site_key(self.place if d.site is None else d.site)
        kinds = [kind_of(value) for _, value in pairs]
        item = functools.reduce(K.join, kinds, self.containers.items.get(site, K.BOTTOM))
        kind = K.Dict(item, self.known_fields(pairs, site))
        out = self.emit(prims.make_dict, *itertools.chain.from_iterable(pairs), kind=kind)
        self.containers.made(out, site)
        for key, value in pairs:
            self.containers.put(out, value, kind_of(value))
            self.containers.put_key(out, kind_of(key))
        return out

    def known_fields(self, pairs: list[tuple[Const, Atom]], site: Any) -> tuple[tuple[str, K.Kind], ...] | None:
        """The fields of a dict of these keys and values, where its kind is to say what is at each key."""
        if not self.has_fields(site) or not pairs or any(type(key.value) is not str for key, _ in pairs):
            return None
        return tuple((key.value, K.without_shape(kind_of(value))) for key, value in pairs)

    def made(self, record: DictV | ObjectV, form: Var) -> Var:
        """Note that a record was made at run time."""
        self.handed.over(record, form)
        return form

    def kind_within(self, item: Atom) -> K.Kind:
        """The kind of an item of a tuple, which has no note of what may be None: nothing is known of that."""
        kind = kind_of(item)
        return K.ANY if item in self.nullable and isinstance(kind, K.Scalar | K.Array | K.Numeric) else kind

    def instance(self, cls: type, names: tuple[str, ...], atoms: list[Atom]) -> Var:
        kind = K.Tuple(tuple(map(self.kind_within, atoms)), cls)
        if issubclass(cls, Keyed):
            return self.emit(prims.make_tuple, *atoms, kind=kind)
        return self.emit(prims.make_instance, self.outside(cls, cls.__name__), Const(names), *atoms, kind=kind)

    # -- plain expressions --

    def expr_Constant(self, node: Any, hint: str) -> AVal:
        return Const(node.value)

    def expr_Name(self, node: Any, hint: str) -> AVal:
        return self.name(node)

    def note_iterator(self, node: Any, iterator: IterV) -> IterV:
        """Note that an iterator is read where it is kept; refuse to read it again: there may be nothing left in it.

        That it was not is written where all that follows sees it, so that branches and loops find what they change.
        Gives the iterator, or what is left of it after the items that ``next`` took.
        """
        place, counted = (iterator, "$read"), (iterator, "$taken")
        state = self.scopes[0].setdefault(place, FALSE) if self.read(place) is None else self.read(place)
        taken = self.scopes[0].setdefault(counted, Const(0)) if self.read(counted) is None else self.read(counted)
        self.left_of.pop(iterator, None)
        if not isinstance(node, _KEEPS):
            return iterator
        if state != FALSE or not isinstance(taken, Const):
            raise self.unsupported(
                f"`{gast.unparse(node).strip()}` is an iterator that may be used up here.",
                "Make it a list: `list(...)`, or `[...]` of a generator.",
            )
        self.write(place, TRUE)
        if taken == Const(0):
            return iterator
        left = IterV("islice", (iterator, taken, Const(None), Const(1)))
        self.left_of[left] = iterator
        return left

    def take_one(self, node: Any, args: list[AVal]) -> None:
        """Note that ``next`` takes an item of an iterator that is kept, and that more may be taken of it."""
        if not args or not isinstance(args[0], IterV) or not isinstance(node.args[0], _KEEPS):
            return
        iterator = self.left_of.pop(args[0], args[0])
        taken = self.read((iterator, "$taken"))
        if isinstance(taken, Const) and _is_by_place(iterator):
            self.write((iterator, "$read"), FALSE)
            self.write((iterator, "$taken"), Const(taken.value + 1))

    def hand_on(self, node: Any, args: list[AVal], kwargs: dict[str, AVal]) -> None:
        """Note that iterators just read are arguments of a function with source: its parameters read them."""
        given = [] if any(isinstance(a, gast.Starred) for a in node.args) else [*zip(node.args, args, strict=True)]
        given += [(k.value, kwargs[k.arg]) for k in node.keywords if k.arg is not None]
        for part, value in given:
            if isinstance(value, IterV) and isinstance(part, _KEEPS):
                self.write((value, "$read"), FALSE)

    def expr_IfExp(self, node: Any, hint: str) -> AVal:
        cond = self.condition(node.test)
        if isinstance(cond, bool):
            return self.expr(node.body if cond else node.orelse, hint)
        return self.choose(cond, lambda: self.expr(node.body, hint), lambda: self.expr(node.orelse, hint))

    def expr_NamedExpr(self, node: Any, hint: str) -> AVal:
        value = self.expr(node.value, node.target.id)
        self.bind(node.target.id, value)
        return value

    def expr_JoinedStr(self, node: Any, hint: str) -> AVal:
        parts = [self.as_atom(self.expr(v)) for v in node.values]
        return text_of_call(prims.join_str, parts) or self.emit(prims.join_str, *parts, kind=K.STR)

    def expr_FormattedValue(self, node: Any, hint: str) -> AVal:
        value = self.as_atom(self.expr(node.value))
        conversion = chr(node.conversion) if node.conversion > 0 else ""
        spec = Const("") if node.format_spec is None else self.as_atom(self.expr(node.format_spec))
        if not conversion and (text := text_of_call(format, (value, spec))) is not None:
            return text
        return self.emit(prims.format_value, value, Const(conversion), spec, kind=K.STR)

    def expr_Lambda(self, node: Any, hint: str) -> AVal:
        return self.closure(node, hint or "<lambda>")

    def expr_Starred(self, node: Any, hint: str) -> AVal:
        raise self.unsupported("a star is not handled here.")

    def expr_Call(self, node: Any, hint: str) -> AVal:
        for a in (*node.args, *(k.value for k in node.keywords)):
            self.at_once.add(id(a.value if isinstance(a, gast.Starred) else a))
        self.items_only |= stars_in(node.args)
        with self.within_call(node):
            return self.call_node(node, hint)

    def expr_Slice(self, node: Any, hint: str) -> AVal:
        return self.index_atom(self.index_value(node))
