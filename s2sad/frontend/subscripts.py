"""Lowering of subscripts: reads, stores, updates, deletions."""

from __future__ import annotations

import dataclasses
import enum
import functools
import operator
from typing import Any

import gast
import numpy as np

from s2sad.analysis.effects import WRITES, is_pure
from s2sad.frontend import list_changes
from s2sad.frontend.array_index import array_index
from s2sad.frontend.builder import Restart
from s2sad.frontend.flats import flat_array, flat_places, note_flat_store
from s2sad.frontend.interface import Lowering
from s2sad.frontend.object_lists import ObjectList
from s2sad.frontend.operator_methods import method_of
from s2sad.frontend.several import of_each_option
from s2sad.frontend.shape_lists import take_shapes_apart
from s2sad.frontend.values import (
    AVal,
    BoundV,
    DictV,
    ObjectV,
    PyFunc,
    RangeV,
    SliceV,
    TupleV,
    UnionV,
    fields_of,
    is_atom,
    is_flat,
    is_made_here,
    is_option,
    kind_of,
    runtime_kind,
)
from s2sad.ir import kinds as K
from s2sad.ir import prims
from s2sad.ir.nodes import Atom, Block, Const, Op, Ref, Stmt, Store, Var
from s2sad.ir.rewrite import walk
from s2sad.rules.foreign import foreign_class
from s2sad.rules.infer import foreign_kind
from s2sad.rules.infer_arrays import getitem
from s2sad.rules.standins import UNKNOWN
from s2sad.runtime import helpers

__all__ = ["Subscripts"]


class Subscripts(Lowering):
    """The part of the lowerer that deals with items."""

    def expr_Subscript(self, node: Any, hint: str) -> AVal:
        return self.item(self.expr(node.value), node.slice, hint)

    def item(self, base: AVal, index: Any, hint: str = "") -> AVal:
        """``base[index]``, the index given as syntax."""
        base = self.unboxed(base)
        own = method_of(base, "__getitem__")
        match base:
            case _ if own is not None and not isinstance(base, ObjectV):
                return self.call(BoundV(own, base), [self.expr(index)], {}, hint)
            case TupleV():
                return self.tuple_item(base, index, hint)
            case DictV():
                return self.dict_item(base, self.expr(index))
            case ObjectV(live=Ref(value=joiner)) if joiner is np.r_ or joiner is np.c_:
                return self.joined(joiner is np.r_, index, hint)
            case ObjectV(live=Ref(value=grid)) if grid is np.mgrid or grid is np.ogrid:
                points = self.grid(grid is np.mgrid, self.index_value(index), hint)
                return points or self.call(self.attribute(base, "__getitem__"), [self.expr(index)], {})
            case ObjectV(live=Ref(value=maker)) if maker is np.s_:
                return self.index_value(index)
            case ObjectV(cls=cls) if cls is ObjectList:
                found = self.tuple_item(self.held_by(base), index, hint)
                if isinstance(found, TupleV) and isinstance(index, gast.Slice):
                    return self.make_list(list(found.items), hint, self.place)
                return found
            case ObjectV():
                return self.call(self.attribute(base, "__getitem__"), [self.expr(index)], {})
            case RangeV():
                return self.range_item(base, self.index_value(index))
            case PyFunc(fn=enum.EnumMeta()) if isinstance(name := self.expr(index), Const):
                return self.attribute(base, name.value)
            case PyFunc():  # list[float] and other annotations at run time
                return base
        self.need_tuple(base, "subscriptable")
        value = self.index_value(index, is_dict(base))
        if isinstance(value, UnionV) and is_dict(base):
            return of_each_option(self, value, lambda key: self.load(self.as_atom(base), key, hint))
        if isinstance(base, Const) and isinstance(base.value, str):
            value = self.known_value(value)
            if isinstance(value, Const) and type(value.value) is int:
                return self.character(base.value, value.value)
        if is_flat(base):
            return self.flat_item(base.obj, value, hint)  # type: ignore[union-attr]
        return self.load(self.as_atom(base), array_index(self, base, value), hint)

    def character(self, text: str, place: int) -> Const:
        """An item of text that is known."""
        if not -len(text) <= place < len(text):
            raise self.fails(IndexError, "string index out of range")
        return Const(text[place])

    def flat_item(self, array: Atom, index: AVal, hint: str) -> AVal:
        """``array.flat[index]``, which is never a view."""
        array = flat_array(self, array)
        part = self.load(array, flat_places(self, array, index), hint)
        return self.emit(np.copy, self.as_atom(part)) if isinstance(index, SliceV) else part

    def range_item(self, base: RangeV, index: AVal) -> AVal:
        """An item of a range, or a range of its items."""
        whole = self.as_atom(base)
        if not isinstance(index, SliceV):
            return self.emit(operator.getitem, whole, self.as_atom(index), kind=K.INT)
        if index.parts == (Const(None), Const(None), Const(-1)):
            return self.reversed_range(base)
        part = self.emit(operator.getitem, whole, self.index_atom(index), kind=K.Other(range))
        bounds = [self.emit(prims.getattr_, part, Const(name), kind=K.INT) for name in ("start", "stop", "step")]
        return RangeV(*bounds)

    def joined(self, rows: bool, index: Any, hint: str) -> AVal:
        """``np.r_[a, b]`` and ``np.c_[a, b]``: arrays, numbers and ranges written as slices, one after the other."""
        parts = index.elts if isinstance(index, gast.Tuple) else [index]
        if any(isinstance(part, gast.Slice) for part in parts):
            given = [self.index_value(part) if isinstance(part, gast.Slice) else self.expr(part) for part in parts]
        else:
            whole = self.expr(index)
            given = list(whole.items) if isinstance(whole, TupleV) and not whole.listed else [whole]
        arrays = [self.joined_part(part) for part in given]
        ranks = {K.rank_of(runtime_kind(a)) for a in arrays}
        if not ranks <= {0, 1, 2} or (2 in ranks and rows and len(ranks) > 1):
            raise self.unsupported("this use of `np.r_` or `np.c_` is not handled.", "Use np.concatenate.")
        dtype = functools.reduce(K.join_dtypes, [K.dtype_of(runtime_kind(a)) for a in arrays])
        arrays = [self.not_widening(a, dtype) for a in arrays]
        join = np.column_stack if not rows else np.concatenate if 2 in ranks else np.hstack
        return self.call(PyFunc.of(join), [TupleV(tuple(arrays))], {}, hint)

    def joined_part(self, part: AVal) -> AVal:
        """A part of ``np.r_`` as an array or a number: a list is no list of places here."""
        match part:
            case SliceV():
                return self.span(part)
            case RangeV(start, stop, step):
                return self.emit(np.arange, start, stop, step)
        return part if K.is_numeric(runtime_kind(part)) else self.call(PyFunc.of(np.asarray), [part], {})

    def grid(self, whole: bool, parts: AVal, hint: str) -> AVal | None:
        """``np.mgrid[a:b, c:d]`` and ``np.ogrid[a:b, c:d]``: points along axes, all floats if one number is.

        None where that is not known, or an index is no slice. Points up to a power of integers are integers or floats;
        joined they are what one of them is.
        """
        slices = parts.items if isinstance(parts, TupleV) else (parts,)
        if not all(isinstance(s, SliceV) for s in slices):
            return None
        sorts = {_sort_of(p, ends=k == 1) for s in slices if isinstance(s, SliceV) for k, p in enumerate(s.parts)}
        alone = whole or not isinstance(parts, TupleV)
        integers = {"", "int", "int64"} | ({"either"} if alone else set[str]())
        if not sorts <= integers | {"float", "float64", "complex"}:
            return None
        axes = [self.span(s, not sorts <= integers) for s in slices if isinstance(s, SliceV)]
        if not isinstance(parts, TupleV):
            return axes[0]
        if whole:
            points = self.call(PyFunc.of(np.meshgrid), [*axes], {"indexing": Const("ij")})
            return self.call(PyFunc.of(np.stack), [points], {}, hint)
        shapes = [TupleV(tuple(Const(-1 if k == n else 1) for k in range(len(axes)))) for n in range(len(axes))]
        return TupleV(tuple(self.call(PyFunc.of(np.reshape), [a, s], {}) for a, s in zip(axes, shapes, strict=True)))

    def span(self, part: SliceV, floats: bool = False) -> Var:
        """The points that a slice stands for: by steps, or as many as an imaginary step says, with the end."""
        start, stop, step = (Const(d) if p == Const(None) else p for p, d in zip(part.parts, (0, None, 1), strict=True))
        if isinstance(step, Const) and isinstance(step.value, complex):
            return self.emit(np.linspace, start, stop, Const(int(abs(step.value))))
        dtype = (("dtype", self.outside_type(np.float64)),) if floats else ()
        return self.emit(np.arange, start, stop, step, kwargs=dtype)

    def not_widening(self, part: AVal, dtype: str) -> AVal:
        """A part of ``np.r_``: a Python number with the dtype of the others, which it does not widen."""
        kind = runtime_kind(part)
        if not isinstance(kind, K.Scalar) or K.strong(kind.dtype) in (kind.dtype, K.strong(dtype)) or dtype == "any":
            return part
        atom = self.as_atom(part)
        return self.emit(helpers.astype, atom, self.outside_type(np.dtype(dtype).type), kind=K.Scalar(dtype))

    def load(self, obj: Atom, index: AVal, hint: str = "") -> AVal:
        """``obj[index]`` for a value that exists at run time."""
        kind = kind_of(obj)
        if isinstance(kind, K.Scalar) and not self.tried:  # a NumPy number: one of Python's is not indexed at all
            obj = self.emit(np.asarray, obj)
            kind = kind_of(obj)
        if isinstance(kind, K.Tuple) and (part := self.known_part(obj, kind, index, hint)) is not None:
            return part
        atom = self.index_atom(index)
        if isinstance(kind, K.Dict):
            self.put_default(obj, atom)
        if isinstance(kind, K.List) and isinstance(index, SliceV):
            self.refuse_deques(obj)
            places = _known(index)
            known = None if kind.fields is None or places is None else kind.fields[places]
            part = self.copied_list(
                obj, lambda kind: self.emit(operator.getitem, obj, atom, kind=kind, hint=hint), known=known
            )
            return self.as_sequence_of(obj, part)
        result = self.getitem_kind(kind, index)
        value = self.emit(operator.getitem, obj, atom, kind=result, hint=hint)
        if isinstance(kind, K.List | K.Dict) and isinstance(result, K.List | K.Dict):
            self.containers.union(self.containers.item(obj), value)
        return value

    def put_default(self, d: Atom, key: Atom) -> None:
        """Store what a dict with defaults gives for a key that it does not have."""
        form = self.form_of(d)
        if form is not None and isinstance(d, Var):
            there = self.emit(prims.contains, self.as_key(key), d, kind=K.BOOL)
            self.branch(there, lambda: None, lambda: self.put_item(d, key, self.call(form.detail, [], {})))

    def known_part(self, obj: Atom, kind: K.Tuple, index: AVal, hint: str) -> AVal | None:
        """What is at known places of a tuple that exists at run time, by places from the front; None for others."""
        places = _known(index) if isinstance(index, SliceV) else index.value if isinstance(index, Const) else None
        if places is None:
            return None
        try:
            found: int | range = range(len(kind.items))[places]
        except (IndexError, TypeError) as error:
            raise self.fails(type(error), str(error).replace("range object", "tuple") + ".") from None
        if isinstance(found, int):
            return self.known_item(obj, kind, found, hint)
        if all(map(K.is_integer, kind.items)) or not issubclass(kind.cls or tuple, tuple):  # a part of a shape
            return None
        return TupleV(tuple(self.known_item(obj, kind, k, "") for k in found))

    def known_item(self, obj: Atom, kind: K.Tuple, place: int, hint: str) -> Atom:
        """An item of a tuple that exists at run time."""
        maker = self.definitions.get(obj) if isinstance(obj, Var) else None
        if maker is not None and maker.fn is prims.make_tuple:
            return maker.args[place]
        if dataclasses.is_dataclass(kind.cls):
            field = Const(fields_of(kind.cls)[place])
            return self.emit(prims.getattr_, obj, field, kind=kind.items[place], hint=hint)
        return self.emit(operator.getitem, obj, Const(place), kind=kind.items[place], hint=hint)

    def getitem_kind(self, kind: K.Kind, index: AVal) -> K.Kind:
        if isinstance(kind, K.Bottom):
            return K.BOTTOM
        parts = index.items if isinstance(index, TupleV) else (index,)
        kinds = tuple(K.SLICE if isinstance(p, SliceV) else runtime_kind(p) for p in parts)
        if any(isinstance(k, K.Bottom) for k in kinds):
            return K.BOTTOM
        if isinstance(kind, K.Tuple) and isinstance(index, SliceV) and (places := _known(index)) is not None:
            return K.Tuple(kind.items[places])
        known = index.value if isinstance(index, Const) else UNKNOWN
        if isinstance(kind, K.Other) and (foreign := foreign_class(kind)) is not None:
            key = K.Tuple(kinds) if isinstance(index, TupleV) else kinds[0]
            return foreign_kind(operator.getitem, foreign, [(kind, UNKNOWN), (key, known)], {})
        return getitem((kind, UNKNOWN), (K.Tuple(kinds) if isinstance(index, TupleV) else kinds[0], known))

    def index_value(self, node: Any, key: bool = False, within: bool = False) -> AVal:
        """An index, or a ``key`` of a dict, as a compile-time value: tuples and slices kept apart.

        ``within``: it is a part of an index, where a tuple of a length that only a run tells selects like a list.
        """
        match node:
            case gast.Tuple(elts=elts) if not any(isinstance(e, gast.Starred) for e in elts):
                return TupleV(tuple(self.index_value(e, key, within=True) for e in elts))
            case gast.Slice(lower=lower, upper=upper, step=step):
                return SliceV(
                    tuple(
                        Const(None) if p is None else self.as_atom(self.number_of(self.expr(p)))
                        for p in (lower, upper, step)
                    )
                )
        value = self.expr(node)
        if not key:
            value = self.number_of(value)
        if self.is_late_tuple(value) and (key or not within):
            take_shapes_apart(self, (value,))  # type: ignore[arg-type]
            return self.emit(tuple, self.as_atom(value), kind=K.Other(tuple))
        if is_atom(value) and isinstance(kind_of(value), K.List):
            # a list index selects like the array it spells
            return self.emit(np.asarray if _has_items(node) else helpers.as_index, value)
        if isinstance(value, RangeV):
            return self.emit(np.arange, value.start, value.stop, value.step)
        return value

    def number_of(self, index: AVal) -> AVal:
        """The number that an object is as an index: its place among others of its class is another."""
        made_here = isinstance(index, ObjectV) and index.live is None
        if not made_here and not isinstance(runtime_kind(index), K.Row):
            return index
        own = method_of(index, "__index__")
        if own is None:
            raise self.unsupported("an object is an index here, and its class has no `__index__`.")
        return self.call(BoundV(own, index), [], {})

    def index_atom(self, index: AVal) -> Atom:
        """An index as a run-time value."""
        match index:
            case SliceV(parts):
                return self.emit(prims.make_slice, *parts, kind=K.SLICE)
            case TupleV(items):
                atoms = tuple(self.index_atom(i) for i in items)
                return self.emit(prims.make_tuple, *atoms, kind=K.Tuple(tuple(kind_of(a) for a in atoms)))
        return self.as_atom(index)

    def tuple_item(self, base: TupleV, index: Any, hint: str) -> AVal:
        if isinstance(index, gast.Slice):
            parts = [None if p is None else self.expr(p) for p in (index.lower, index.upper, index.step)]
            if all(p is None or isinstance(p, Const) for p in parts):
                part = base.items[slice(*(None if p is None else p.value for p in parts))]  # type: ignore[union-attr]
                return TupleV(part, listed=base.is_list)
            raise self.unsupported("a slice of a tuple needs bounds known here.", "Use an array or a list.")
        k = self.number_of(self.expr(index))
        kinds = {runtime_kind(i) for i in base.items}
        if len(kinds) > 1 and not all(isinstance(kind, K.Scalar) for kind in kinds):
            k = self.known_value(k)
        if isinstance(k, Const) and isinstance(k.value, int):
            if not -len(base.items) <= k.value < len(base.items):
                raise self.fails(IndexError, "tuple index out of range.")
            return base.items[k.value]
        if is_atom(k) and base.items and all(map(is_option, base.items)):
            n = len(base.items)
            if self.tried:  # it raises outside of the tuple
                self.emit(operator.getitem, self.emit(range, Const(n), kind=K.Other(range)), k, kind=K.INT)
            selector = self.emit(operator.mod, k, Const(n), kind=K.INT)
            return UnionV(selector, base.items)  # type: ignore[arg-type]
        if any(isinstance(i, ObjectV) and i.live is None and not fields_of(i.cls) for i in base.items):
            self.spell_out_around()
            self.try_rows(*base.items)
            raise self.unsupported(
                "which of these objects is meant is known at run time only.",
                "Loop over the objects themselves, or over a range of up to 16 that is known while compiling.",
            )
        site = next((("outside", ref) for ref, held in self.captured.items() if held is base), None)
        if site is not None and not (base.is_set or base.site):
            self.runtime_sites.add(site)
            raise Restart
        return self.load(self.as_atom(base), k, hint)

    def dict_item(self, d: DictV, key: AVal) -> AVal:
        """``d[key]`` for a tracked dict."""
        if not isinstance(key, Const):
            return self.one_of_functions(d, key)
        self.handed.note_read(d, key.value)
        if key.value not in self.dict_keys(d, every=False):
            if d.factory is None:
                raise self.fails(KeyError, f"the dict has no key {key.value!r} here.")
            self.store_key(d, key, self.call(d.factory, [], {}))
        value = self.value_at((d, key.value))
        assert value is not None
        return value

    def one_of_functions(self, d: DictV, key: AVal) -> AVal:
        """``d[key]`` for a key known at run time only: of functions, a choice by the place of the key."""
        keys = self.dict_keys(d)
        functions = [self.value_at((d, k)) for k in keys]
        if not functions or not all(map(is_option, functions)):
            if any(f is not None and is_made_here(f) for f in functions):
                self.spell_out_around()
            raise self.needs_runtime(d)
        numbered: list[tuple[AVal, AVal]] = [(Const(k), Const(place)) for place, k in enumerate(keys)]
        places = self.runtime_dict(numbered, "", (self.place, "places"))
        selector = self.emit(operator.getitem, places, self.as_key(key), kind=K.INT)  # KeyError where there is none
        return UnionV(selector, tuple(functions))  # type: ignore[arg-type]

    # -- stores --

    def store_item(self, base: AVal, index: Any, value: AVal) -> None:
        """``base[index] = value``"""
        match base:
            case DictV():
                self.store_key(base, self.expr(index), value)
                return
            case ObjectV():
                place = self.expr(index)
                self.check_place(base, place)
                self.call(self.attribute(base, "__setitem__"), [place, value], {})
                return
            case Var(kind=K.Row()) if (own := method_of(base, "__setitem__")) is not None:
                self.call(BoundV(own, base), [self.expr(index), value], {})
                return
            case TupleV():
                self.change_next_time(() if base.site is None else (base.site,))
                raise self.unsupported(
                    "this sequence is fixed while compiling and cannot be stored into.",
                    "Use a list of numbers or an array.",
                )
        place = array_index(self, base, self.index_value(index, is_dict(base)))
        flat = is_flat(base)
        atom = self.as_atom(flat_array(self, base.obj) if flat else base)  # type: ignore[union-attr]
        place = flat_places(self, atom, place) if flat else place
        if isinstance(place, SliceV) and isinstance(kind_of(atom), K.List):
            self.refuse_deques(atom)
            list_changes.assign_slice(self, atom, place, value)
            return
        where = self.index_atom(place)
        stored = self.as_atom(value)
        if flat:
            note_flat_store(self, atom, stored)
        self.store(self.owned(atom), where, stored)
        self.handed.note_change(atom, where)
        self.note_item(atom, stored)

    def store_key(self, d: DictV, key: AVal, value: AVal) -> None:
        """``d[key] = value`` for a tracked dict."""
        if not isinstance(key, Const):
            if is_made_here(value):
                self.spell_out_around()
            raise self.needs_runtime(d)
        keys = self.dict_keys(d, every=False)
        if key.value not in keys or self.read((d, key.value)) is not value:
            self.check_handed(d)
        if key.value not in keys:
            self.write((d, "$keys"), TupleV((*(Const(k) for k in keys), key)))
        self.write((d, key.value), value)

    def note_item(self, container: Atom, value: Atom) -> None:
        """A list's item kind widens by what is stored into it."""
        if isinstance(kind_of(container), K.List | K.Dict):
            self.containers.put(container, value, kind_of(value))
            self.containers.filled(container, [kind_of(value)])

    def augment_item(self, base: AVal, index: Any, op: Any, value_node: Any) -> None:
        """``base[index] op= value``"""
        held = flat_array(self, base.obj) if is_flat(base) else base  # type: ignore[union-attr]
        atom = None if isinstance(base, DictV | ObjectV | TupleV) else self.as_atom(held)
        if isinstance(base, ObjectV) and method_of(base, "__getitem__") and base.cls is not ObjectList:
            key = self.expr(index)
            current = self.call(self.attribute(base, "__getitem__"), [key], {})
            value = self.expr(value_node)
            new = current if self.in_place(current, op, value) else self.augmented(op, current, value)
            self.call(self.attribute(base, "__setitem__"), [key, new], {})
            return
        if atom is None:
            key = self.expr(index)
            const = gast.Constant(value=key.value, kind=None) if isinstance(key, Const) else index
            current = self.item(base, const)
            value = self.expr(value_node)
            if not self.in_place(current, op, value):
                self.store_item(base, const, self.augmented(op, current, value))
            return
        where = array_index(self, atom, self.index_value(index, is_dict(base)))
        if is_flat(base):
            where = flat_places(self, atom, where)
        at = self.index_atom(where)
        kind = kind_of(atom)
        if isinstance(kind, K.List | K.Dict) or op is operator.matmul:
            if isinstance(kind, K.Dict):
                self.put_default(atom, at)
            current = self.emit(operator.getitem, atom, at, kind=self.getitem_kind(kind, where))
            value = self.expr(value_node)
            changed = self.in_place(current, op, value)
            if isinstance(kind, K.List) and isinstance(where, SliceV):  # a list of its own, which is put back
                new = current if changed else self.binary(op, current, value)
                list_changes.assign_slice(self, self.owned(atom), where, new)
            elif not changed:
                result = self.as_atom(self.binary(op, current, value))
                self.store(self.owned(atom), at, result)
                self.handed.note_change(atom, at)
                self.note_item(atom, result)
            return
        position = len(self.stmts)
        current = self.emit(operator.getitem, atom, at, kind=self.getitem_kind(kind, where))
        value = self.as_atom(self.expr(value_node))
        view = isinstance(current.kind, K.Array) and not is_advanced(kind_of(at))
        if view or not changes_memory(self.stmts[position + 1 :]):
            del self.stmts[position]  # what it reads is what the store finds
            self.store(self.owned(atom), at, value, prims.BINARY[op])
        else:  # the value's evaluation may have changed the item, which was read before
            self.store(self.owned(atom), at, self.as_atom(self.binary(op, current, value)))
        self.handed.note_change(atom, at)

    def delete_item(self, base: AVal, index: Any) -> None:
        """``del base[index]``"""
        if isinstance(base, DictV):
            key = self.expr(index)
            keys = self.dict_keys(base)
            if isinstance(key, Const) and key.value in keys:
                self.check_handed(base)
                self.write((base, "$keys"), TupleV(tuple(Const(k) for k in keys if k != key.value)))
                return
        if is_atom(base) and isinstance(kind_of(base), K.List):
            place = self.index_value(index)
            if isinstance(place, SliceV):
                list_changes.delete_slice(self, base, place)
            else:
                list_changes.pop(self, base, self.as_atom(place))
            return
        raise self.unsupported("`del` of this item is not handled.", "Build a new list without it.")

    def owned(self, atom: Atom) -> Atom:
        """The target of a store."""
        kind = kind_of(atom)
        if isinstance(kind, K.Scalar):
            raise self.fails(TypeError, "a number cannot be stored into.")
        return atom


def is_dict(base: AVal) -> bool:
    """Whether this is a dict."""
    return isinstance(base, DictV) or isinstance(runtime_kind(base), K.Dict)


def changes_memory(stmts: list[Stmt]) -> bool:
    """Whether statements may change an object."""
    return any(
        isinstance(s, Store) or (isinstance(s, Op) and (s.fn in WRITES or not is_pure(s.fn)))
        for s in walk(Block(tuple(stmts)))
    )


def is_advanced(index: K.Kind) -> bool:
    """Whether a subscript may copy: an index array, a mask, a list or what is not known is among its parts."""
    parts = index.items if isinstance(index, K.Tuple) else (index,)
    return any(isinstance(k, K.Array | K.List | K.Numeric) or k in (K.ANY, K.Other(tuple)) for k in parts)


def _has_items(node: Any) -> bool:
    """Whether this is a list that is written down with items."""
    return isinstance(node, gast.List) and any(not isinstance(e, gast.Starred) for e in node.elts)


def _sort_of(part: Atom, ends: bool) -> str:
    """The dtype of a number in a slice, none for None; of an end that may be an integer or a float, ``either``."""
    match kind_of(part):
        case K.Scalar(dtype="any") if ends:
            return "either"
        case K.Scalar(dtype=dtype):
            return dtype
    return "" if part == Const(None) else "any"


def _known(index: SliceV) -> slice | None:
    """The slice, where its bounds and its step are known."""
    values = [p.value for p in index.parts if isinstance(p, Const)]
    if len(values) < len(index.parts) or not all(v is None or type(v) is int for v in values) or values[2] == 0:
        return None
    return slice(*values)
