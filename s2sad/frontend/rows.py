"""Objects as rows of lists: one list for each field of a class, and an object is its place in them.

An object of the user's is tracked field by field while compiling. That goes as long as it is known of which one each
name and each item speaks. Where only a run can tell, in a list of any length or a name that is None or an object,
lowering starts anew with all objects of the class as rows:

.. code-block:: python

    ps = [Particle(x) for x in xs]
    for p in ps:
        p.v -= 0.1 * p.x

.. code-block:: python

    particle_x, particle_v = [], []
    ps = []
    for x in xs:
        particle_x.append(x)
        particle_v.append(0.0)
        ps.append(len(particle_x) - 1)
    for p in ps:
        particle_v[p] = particle_v[p] - 0.1 * particle_x[p]

What derivatives make of lists, of integers that say where, and of None is all there is to it. Two rows are one object
where their places are equal. The kind of a place names the class (:class:`~s2sad.ir.kinds.Row`), so methods are found;
:mod:`s2sad.frontend.row_places` puts integers there in the end.
"""

from __future__ import annotations

import operator
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from typing import Any

from s2sad.frontend.boxes import Boxed, box_of
from s2sad.frontend.builder import TRUE, Restart
from s2sad.frontend.builtin_calls import refuse_looking_up
from s2sad.frontend.conflicts import refuse_conflict
from s2sad.frontend.families import Family, members_of, union_of_meetings
from s2sad.frontend.interface import Lowering
from s2sad.frontend.leaves import RecordShape, is_tracked
from s2sad.frontend.members import attribute_of_several, of_each
from s2sad.frontend.nullable import need_there
from s2sad.frontend.operator_methods import method_of
from s2sad.frontend.standing import stands_in
from s2sad.frontend.values import AVal, BoundV, Conflict, FuncV, ObjectV, PyFunc, TupleV, UnionV, gives, kind_of
from s2sad.ir import kinds as K
from s2sad.ir import prims
from s2sad.ir.nodes import Atom, Const, Stmt, Var

__all__ = ["Rows", "of_the_user"]

#: The field of objects that have no attributes, which says how many there are.
_MADE = "made:"

#: What comes before an attribute in the name of the field that says whether it was stored by now.
_STORED = "stored:"


class Rows(Lowering):
    """The part of the lowerer that keeps objects in lists."""

    def try_rows(self, *values: AVal) -> None:
        """Note that what is refused for these values may be handled if the objects among them are rows."""
        for value in values:
            match value:
                case Conflict(a=a, b=b):
                    self.try_rows(a, b)
                    self.may_help.update(box for v in (a, b) if isinstance(v, TupleV) and (box := box_of(v)))
                case TupleV(cls=RecordShape(form=cls)) if not issubclass(cls, dict):
                    self.may_be_rows(cls)
                case Var(kind=K.Tuple(cls=type() as cls)):
                    self.may_be_rows(cls)
                case TupleV():
                    self.try_rows(*value.items)
                case ObjectV(cls=cls) if is_tracked(value) and not stands_in(value):
                    self.may_be_rows(cls)
        self.rows.met |= self.may_help

    def may_be_rows(self, *classes: type) -> None:
        """Note that what is refused may be handled if the objects of these classes are rows."""
        self.may_help.update(of_the_user(classes))

    def refuse_met(self, value: Atom) -> None:
        """Refuse to look into what may be of one of several classes, as long as their objects are no rows."""
        met = of_the_user(set().union(*self.containers.meetings))
        if kind_of(value) == K.ANY and not met <= self.rows.classes:
            raise self.unsupported("of which of several classes this is, is known at run time only.")

    def try_rows_in(self, changing: ObjectV) -> None:
        """The same of the objects in a list of functions or objects that changes, and of what is put there later."""
        site, _ = self.made_within.get(changing, (None, ()))
        self.try_rows(*self.held_by(changing).items)
        self.may_be_rows(*self.rows.put.get(site, ()))

    def try_rows_of_all(self) -> None:
        """The same of every object that there is, or that is put into a list."""
        values = [value for scope in self.scopes for value in scope.values()]
        self.try_rows(*values)
        self.may_help |= self.rows.met
        self.may_be_rows(*(cls for classes in self.rows.put.values() for cls in classes))

    def note_put(self, sites: Iterable[Any], value: AVal) -> None:
        """Note that an object is put into lists made at these sites, which exist at run time only if it is a row."""
        match value:
            case Conflict(a=a, b=b):
                self.note_put(sites, a)
                self.note_put(sites, b)
            case ObjectV(cls=cls) if is_tracked(value) and not stands_in(value):
                self.put_rows(sites, cls)
            case TupleV(cls=RecordShape(form=cls)) if not issubclass(cls, dict):
                self.put_rows(sites, cls)
            case TupleV(items):
                for item in items:
                    self.note_put(sites, item)

    def put_rows(self, sites: Iterable[Any], cls: type) -> None:
        for site in sites:
            self.rows.put.setdefault(site, set()).add(cls)

    def begin_rows(self) -> bool:
        """Whether to start anew after a refusal, with the objects of further classes as rows."""
        found = self.may_help - self.rows.classes
        if not found:
            self.may_be_rows(*set().union(*self.containers.meetings))
            found = self.may_help - self.rows.classes
        if not found:
            return self.begin_families()
        self.rows.classes |= found
        self.rows.is_new = bool(found)
        self.spelt_out -= self.spelt_out if found else set()  # loops over rows need not be, and others will be again
        self.changed_sites -= {site for site, classes in self.rows.put.items() if classes & found}
        return bool(found)

    def begin_families(self) -> bool:
        """Whether to start anew with rows that say of which class they are, where those of several classes meet."""
        meetings = [frozenset().union(*map(members_of, pair)) for pair in self.containers.meetings]
        families = union_of_meetings(meetings, self.rows.families, [*self.rows.fields])
        self.rows.is_new = families != self.rows.families
        self.rows.families = families
        return self.rows.is_new

    def row_of(self, obj: ObjectV, hint: str) -> AVal:
        """What an object that was just made is from then on: a row, if those of its class are."""
        cls = obj.cls
        if cls not in self.rows.classes:
            return obj
        fields = self.rows.fields.setdefault(cls, [_MADE])
        found = sorted(name for name in self.attributes.get(obj, ()) if self.read((obj, name)) is not None)
        if new := [name for name in found if name not in fields]:
            fields += new
            fields[:] = [name for name in fields if name != _MADE]
            raise Restart
        place = self.new_row(cls, self.fields_of_new(obj, fields), hint)
        self.gone.add(obj)
        return place

    def new_row(self, cls: type, fields: dict[str, Atom], hint: str = "") -> Var:
        """An object of a class with these fields, as lists have them."""
        lists = [self.field_list(cls, name) for name in fields]
        place = self.new_place(cls, lists[0], hint or cls.__name__.lower())
        for items, atom in zip(lists, fields.values(), strict=True):
            self.append(items, atom)
        return place

    def new_place(self, cls: type, field: Var, hint: str) -> Var:
        """What stands for the next object of a class."""
        family = self.rows.families.get(cls)
        if family is None:
            return self.emit(len, field, kind=K.Row(cls), hint=hint)
        count = len(family.members)
        first = self.emit(operator.mul, self.emit(len, field, kind=K.INT), Const(count), kind=K.INT)
        place = self.emit(prims.row_of_class, first, Const(family.members.index(cls)), kind=K.Row(family), hint=hint)
        self.members[place] = cls
        return place

    def class_and_place(self, row: Var) -> tuple[type, Var]:
        """The class of an object, and its place in the lists of fields; of several classes, which it is is known."""
        cls = row.kind.cls  # type: ignore[attr-defined]
        if not issubclass(cls, Family):
            return cls, row
        one = self.members[row]
        return one, self.emit(prims.place_in_class, row, Const(len(cls.members)), kind=K.Row(one), hint=row.hint)

    def may_be_several(self, row: Var) -> bool:
        """Whether it is not known of which of several classes an object is."""
        return issubclass(row.kind.cls, Family) and row not in self.members  # type: ignore[attr-defined]

    def another_row(self, row: Var) -> AVal:
        """An object with the fields of another."""
        if self.may_be_several(row):
            return of_each(self, row, self.another_row, row.kind.cls.members)  # type: ignore[attr-defined]
        cls, place = self.class_and_place(row)
        fields = {name: self.as_atom(self.load(self.field_list(cls, name), place)) for name in self.rows.fields[cls]}
        return self.new_row(cls, fields)

    def boxed(self, value: TupleV) -> AVal:
        """A tuple that meets None as a row, if those like it are rows."""
        box = box_of(value)
        if box is None or box not in self.rows.classes:
            return value
        self.rows.fields[box] = list(box.fields)
        fields = {k: self.held_in_row(box, k, item) for k, item in zip(box.fields, value.items, strict=True)}
        return self.new_row(box, fields)

    def unboxed(self, value: AVal) -> AVal:
        """The tuple for which a row stands; other values as they are."""
        match value:
            case Var(kind=K.Row(cls)) if issubclass(cls, Boxed):
                need_there(self, value, TypeError, "'NoneType' object has no items")
                return TupleV(tuple(self.row_attribute(value, name, "") for name in cls.fields), cls.form)
        return value

    def refuse_gone(self, obj: ObjectV) -> None:
        """Refuse an object that is a row by now, under the name that it had while it was made."""
        if obj in self.gone:
            raise self.unsupported(
                f"an object of class {obj.cls.__name__} that is in a list, or may be None, was handed on by its own "
                "constructor.",
                "Hand it to them after it was made.",
            )

    def fields_of_new(self, obj: ObjectV, names: Iterable[str]) -> dict[str, Atom]:
        """What the lists of fields get of an object that was just made."""
        cls, found = obj.cls, dict[str, Atom]()
        for name in names:
            if name == _MADE:
                found[name] = TRUE
            elif name.startswith(_STORED):
                found[name] = Const(self.read((obj, name.removeprefix(_STORED))) is not None)
            elif (cls, name) in self.rows.late and self.read((obj, name)) is None:
                found[name] = Const(0 if (cls, name) in self.rows.functions else None)
            else:
                found[name] = self.held_in_row(cls, name, self.field_of(obj, name))
        return found

    def field_of(self, obj: ObjectV, name: str) -> AVal:
        """What an object that was just made has in a field."""
        if self.read((obj, name)) is None and not gives(obj.cls, name):
            self.store_late(obj.cls, name)
        if (obj, name) in self.unsure:
            raise self.unsupported(f"it is not known here whether this has an attribute `{name}`.")
        return self.attribute(obj, name)

    def field_list(self, cls: type, name: str) -> Var:
        """The list of one field, made before all else."""
        column = self.field_lists.get((cls, name))
        if column is None:
            with self.block() as stmts:
                column = self.new_list([], f"{cls.__name__.lower()}_{name.replace(':', '_')}", ("row", cls, name))
            self.fields_made += stmts
            self.field_lists[cls, name] = column
        return column

    @contextmanager
    def own_fields(self) -> Iterator[list[Stmt]]:
        """Lower a function with lists of its own for the fields of objects, made by the statements that this gives."""
        outer = self.field_lists, self.fields_made
        self.field_lists, self.fields_made = {}, []
        try:
            yield self.fields_made
        finally:
            self.field_lists, self.fields_made = outer

    def held_in_row(self, cls: type, name: str, value: AVal) -> Atom:
        """A value as a field has it: of a function, which it is of those that are ever there."""
        refuse_conflict(self, value, f"the field `{name}` of an object")
        if not isinstance(value, FuncV):
            if (cls, name) in self.rows.functions:
                raise self.unsupported(f"the field `{name}` of {cls.__name__} holds functions, and something else too.")
            return self.as_atom(self.with_keys(value))
        options = value.options if isinstance(value, UnionV) else (value,)
        functions = [f for f in options if isinstance(f, PyFunc)]
        if len(functions) < len(options):
            raise self.unsupported(
                f"the field `{name}` of an object in a list, or of one that may be None, holds a function made here.",
                "Define the function outside, and keep what it needs in fields.",
            )
        known = self.rows.functions.setdefault((cls, name), [])
        if new := [f for f in functions if f not in known]:
            known += new
            raise Restart
        places = tuple(Const(known.index(f)) for f in functions)
        return (
            self.as_atom(self.load(self.as_atom(TupleV(places)), value.selector))
            if isinstance(value, UnionV)
            else places[0]
        )

    def row_attribute(self, obj: Var, attr: str, hint: str) -> AVal:
        """``obj.attr`` of a row."""
        if self.may_be_several(obj):
            return attribute_of_several(self, obj, attr)
        cls, place = self.class_and_place(obj)
        if method_of(obj, "__getattribute__") is not None:
            raise self.unsupported(f"`{cls.__name__}` looks attributes up by a `__getattribute__` of its own.")
        if attr not in self.rows.fields.get(cls, ()):
            return self.class_attribute(obj, cls, attr)
        if (cls, attr) in self.rows.late:
            stored = self.load(self.field_list(cls, _STORED + attr), place)
            lacks = self.emit(operator.not_, self.as_atom(stored), kind=K.BOOL)
            self.raise_where(lacks, AttributeError, f"'{cls.__name__}' object has no attribute '{attr}'")
        value = self.load(self.field_list(cls, attr), place, hint)
        functions = self.rows.functions.get((cls, attr))
        if functions is None:
            return value
        return functions[0] if len(functions) == 1 else UnionV(self.as_atom(value), tuple(functions))

    def row_has(self, obj: Var, attr: str) -> AVal:
        """Whether a row has an attribute by now."""
        if self.may_be_several(obj):
            return of_each(self, obj, lambda one: self.row_has(one, attr), obj.kind.cls.members)  # type: ignore[attr-defined]
        cls, place = self.class_and_place(obj)
        if (cls, attr) in self.rows.late:
            return self.load(self.field_list(cls, _STORED + attr), place)
        if attr in self.rows.fields.get(cls, ()) or gives(cls, attr):
            return Const(True)
        refuse_looking_up(self, cls, attr)
        return Const(False)

    def store_in_row(self, obj: Var, attr: str, value: AVal) -> None:
        """``obj.attr = value`` of a row."""
        if self.may_be_several(obj):
            of_each(self, obj, lambda one: self.stored_in(one, attr, value), obj.kind.cls.members)  # type: ignore[attr-defined]
            return
        cls, place = self.class_and_place(obj)
        descriptor = getattr(cls, attr, None)
        if isinstance(descriptor, property) and descriptor.fset is not None:
            self.call(BoundV(PyFunc.of(descriptor.fset), obj), [value], {})
            return
        if getattr(getattr(cls, "__dataclass_params__", None), "frozen", False):
            raise self.unsupported(f"cannot assign to field `{attr}` of a frozen dataclass.")
        if method_of(obj, "__setattr__") is not None:
            raise self.unsupported(f"`{cls.__name__}` stores `{attr}` by a method of its own.")
        fields = self.rows.fields[cls]
        if attr not in fields:
            if gives(cls, attr):  # what the class has is there until then
                fields.append(attr)
                raise Restart
            self.store_late(cls, attr)
        atom = self.held_in_row(cls, attr, value)
        column = self.field_list(cls, attr)
        self.store(column, place, atom)
        self.note_item(column, atom)
        if (cls, attr) in self.rows.late:
            self.store(self.field_list(cls, _STORED + attr), place, TRUE)

    def stored_in(self, obj: Var, attr: str, value: AVal) -> AVal:
        """The same, as a value of its own: None."""
        self.store_in_row(obj, attr, value)
        return Const(None)

    def store_late(self, cls: type, attr: str) -> None:
        """Start anew with a field that not every constructor sets, and one beside it that says whether it is there."""
        self.rows.late.add((cls, attr))
        fields = self.rows.fields[cls]
        fields += [name for name in (attr, _STORED + attr) if name not in fields]
        raise Restart


def of_the_user(classes: Iterable[type]) -> set[type]:
    """Those of some classes whose objects may be rows."""
    return {c for c in classes if not c.__module__.startswith("s2sad.") and not issubclass(c, tuple | dict | list)}
