"""Names, and what the objects outside the function are to the compiler."""

from __future__ import annotations

import builtins
import collections
import operator
import types
from collections.abc import Callable
from dataclasses import replace
from typing import Any

import gast
import numpy as np

from s2sad.errors import UnsupportedSyntax
from s2sad.frontend.builder import Place
from s2sad.frontend.callees import is_library, is_library_module
from s2sad.frontend.computed_names import holds_names
from s2sad.frontend.conflicts import refuse_conflict
from s2sad.frontend.containers import Form
from s2sad.frontend.interface import Lowering
from s2sad.frontend.objects import kind_of_object
from s2sad.frontend.own_items import gives_items_its_own_way, own_attributes
from s2sad.frontend.places import (
    HELD,
    METHOD,
    PRESENT,
    PRIMITIVES,
    HeldItems,
    Namespace,
    holds_complex_numbers,
    holds_objects,
    is_data,
    module_of,
    value_at,
)
from s2sad.frontend.settling import settle
from s2sad.frontend.signatures import vectorized
from s2sad.frontend.values import (
    AVal,
    DictV,
    Frame,
    FuncV,
    ObjectV,
    PyFunc,
    TupleV,
)
from s2sad.ir import kinds as K
from s2sad.ir import prims
from s2sad.ir.nodes import UNDEF, Atom, Const, Op, Ref, Var

__all__ = ["Outside", "is_plain_callable"]

_MAX_NAMES = 64  # in a dict outside the function that is taken apart


class Outside(Lowering):
    """The part of the lowerer that looks names up."""

    def name(self, node: Any) -> AVal:
        """The value of a name where it is read."""
        value = self.lookup(node.id)
        refuse_conflict(self, value, f"`{node.id}`", self.here(node))
        return value

    def lookup(self, name: str) -> AVal:
        """The value of a name, by Python's own scoping."""
        frame = self.frame_binding(name)
        if frame is None:
            return self.assigned(lambda: self.outer_place(name)) or self.outside_value(self.outside_name(name))
        value = self.read((frame, name))
        return UNDEF if value is None else value

    def frame_binding(self, name: str) -> Frame | None:
        """The activation that a name is a variable of; None for one from outside."""
        frame: Frame | None = self.frame
        while frame is not None:
            if name in frame.locals:
                return frame
            if name in frame.global_names:
                return None
            frame = frame.parent
        return None

    def outermost(self, name: str) -> Frame:
        """The activation around which a name is to be looked up that none binds."""
        frame: Frame = self.frame
        while frame.parent is not None and name not in frame.global_names:
            frame = frame.parent
        return frame

    def outer(self, root: Any) -> ObjectV:
        """A module, or a cell, as what has places for the variables that the function may assign."""
        if id(root) not in self.outers:
            self.outers[id(root)] = ObjectV(type(root), Ref(("outer",), root, root, K.ANY))
        return self.outers[id(root)]

    def assigned(self, place: Callable[[], Place]) -> AVal | None:
        """What the function has assigned to a variable outside, None if it has not."""
        return self.read(place()) if self.outers or self.keeping is not None else None

    def look_at_whole(self, root: Any, name: str) -> None:
        """Note that all attributes of an object outside are looked at: none that the function stores is among them."""
        stored = [o for o in self.attributes if o.live is not None and o.live.value is root and self.attributes[o]]
        if stored:
            raise self.refuse_whole(name)
        self.seen_whole.add(id(root))

    def refuse_whole(self, name: str) -> UnsupportedSyntax:
        """The error for an object outside of which all attributes are looked at, where the function stores some."""
        return self.unsupported(
            f"all attributes of `{name}` are looked at, some of which the function assigns.",
            "Read them by their names: a gradient call has no side effects.",
        )

    def may_be_assigned(self, attr: str) -> bool:
        """Whether the function has assigned a variable outside that goes by this name in some module."""
        return any(attr in self.attributes.get(o, ()) for o in self.outers.values())

    def outer_place(self, name: str) -> Place:
        """Where a variable outside the differentiated code is kept once that assigns it."""
        frame = self.outermost(name)
        if name in frame.closure:
            return self.outer(frame.closure[name]), "cell_contents"
        return self.outer(module_of(frame.globals)), name

    def place_of(self, name: str) -> Place:
        """The place of a name, for a store: of one outside, the derivative keeps what it assigns to itself."""
        frame: Frame = self.frame
        while frame.name == "<comprehension>" and name not in frame.locals and frame.parent is not None:
            frame = frame.parent  # bound by a walrus
        while name in frame.nonlocals and frame.parent is not None:
            frame = frame.parent
            while name not in frame.locals and name not in frame.nonlocals and frame.parent is not None:
                frame = frame.parent
        if name not in frame.global_names and name not in frame.nonlocals:
            return frame, name
        known = name in frame.globals or name in frame.closure
        return self.variable(
            self.outer_place(name), (lambda: self.outside_value(self.outside_name(name))) if known else None
        )

    def variable(self, place: Place, before: Callable[[], AVal] | None) -> Place:
        """The place of a variable outside, for a store, with what it is before; None where there is none before."""
        root = place[0].live.value
        if id(root) in self.seen_whole:
            raise self.refuse_whole(getattr(root, "__name__", place[1]))
        if before is not None and self.read(place) is None:
            with self.block() as stmts:
                value = before()
            self.prologue += stmts
            self.write_default(place, value)
        return place

    def assigned_to_class(self, mro: tuple[type, ...], attr: str) -> AVal | None:
        """What the function has assigned to an attribute of a class, by Python's own lookup; None if nothing."""
        for base in mro:
            stored = self.assigned(lambda: (self.outer(base), attr))  # noqa: B023
            if stored is not None or attr in vars(base):
                return stored
        return None

    def outside_name(self, name: str) -> Ref:
        """The object that a name stands for outside the differentiated code: data is read live."""
        frame = self.outermost(name)
        if name in frame.closure:
            return self.cell_value(name, frame.closure[name])
        namespace = frame.globals
        module = namespace.get("__name__", "").rpartition(".")[2] or "namespace"
        if name in namespace:
            value = namespace[name]
            return Ref((module, name), module_of(namespace), value, kind_of_object(value))
        if hasattr(builtins, name):
            value = getattr(builtins, name)
            ref = Ref((name,), value, value, kind_of_object(value))
            self.rely_on(Ref((module, name), module_of(namespace), value, ref.kind))  # a global may come to hide it
            return ref
        raise self.unsupported(f"the name `{name}` is not defined.", "Define it before the function is differentiated.")

    def cell_value(self, name: str, cell: Any) -> Ref:
        """The value of a closure cell outside the differentiated code."""
        try:
            value = cell.cell_contents
        except ValueError:
            raise self.unsupported(f"`{name}` has no value in the enclosing function yet.") from None
        return Ref((name, "cell_contents"), cell, value, kind_of_object(value))

    # -- objects outside --

    def outside(self, value: Any, name: str) -> Ref:
        """A reference to an object that the loader binds by name."""
        return Ref((name,), value, value, kind_of_object(value))

    def outside_type(self, cls: type) -> Ref:
        """A NumPy scalar type, as an argument."""
        return Ref(("np", cls.__name__), np, cls, K.Other(type))

    def outside_value(self, ref: Ref) -> AVal:
        """What an object from outside the function is to the compiler."""
        value = ref.value
        if isinstance(value, types.ModuleType):
            self.rely_on(ref)
            return self.module_value(value, ref.path[-1])
        if type(value) in self.fixed:
            self.rely_on_value(ref)
            return Const(value)
        if isinstance(value, bool | int | float | complex | np.generic):
            self.refs.setdefault(ref)
            return ref
        if isinstance(value, np.ndarray | list | dict):
            return self.capture(ref)
        if isinstance(value, tuple):
            return self.outside_tuple(ref)
        if isinstance(value, str | bytes | slice | range | np.dtype) or value is None or value is Ellipsis:
            self.refs.setdefault(ref)
            return Const(value) if value is None or value is Ellipsis else ref
        if isinstance(value, type) or is_plain_callable(value):
            self.rely_on(ref)
            return PyFunc.of(value, ref)
        if ref not in self.objects:
            self.rely_on(Ref((*ref.path, "__class__"), ref.root, type(value), K.Other(type)))
            self.objects[ref] = ObjectV(type(value), ref)
            self.check_one_name(self.objects[ref])
        return self.objects[ref]

    def rely_on(self, ref: Ref) -> None:
        """Have the entry test that a name still stands for the very object that it stood for when this was compiled."""
        if isinstance(ref.value, types.MethodType):  # one is made at each look at a method
            for part in (METHOD, "__self__"):
                self.rely_on(Ref((*ref.path, part), ref.root, getattr(ref.value, part), K.ANY))
        elif may_be_rebound(ref):
            self.refs.setdefault(ref)

    def rely_on_items(self, obj: Any, name: str) -> None:
        """Have the entry test that a dict of an object outside holds the very objects that it holds now."""
        held = HeldItems(getattr(obj, name))
        self.refs.setdefault(Ref((type(obj).__name__, name, HELD), obj, held, K.Other(HeldItems)))

    def known_value(self, value: AVal) -> AVal:
        """An integer, or text, that of a variable outside as it is now: the entry tests that it still is."""
        if not (isinstance(value, Ref) and type(value.value) in (int, str)):
            return value
        self.rely_on_value(value)
        return Const(value.value)

    def rely_on_value(self, ref: Ref) -> None:
        """Have the entry test that a variable outside is what it is now."""
        self.refs.pop(ref, None)
        self.refs[replace(ref, exact=True)] = None

    def is_outside(self, obj: Ref, name: str) -> bool:
        """Whether an object outside has an attribute: the entry tests that it still has it, or still has not."""
        present = Ref((*obj.path, name, PRESENT), obj.root, hasattr(obj.value, name), K.BOOL)
        if may_be_rebound(present):
            self.rely_on_value(present)
        return bool(present.value)

    def known_names(self, ref: Ref) -> AVal:
        """A list or tuple of text outside, as it is now."""
        if ref not in self.captured:
            self.rely_on_value(replace(ref, value=type(ref.value)(ref.value)))
            self.captured[ref] = TupleV(tuple(map(Const, ref.value)), listed=type(ref.value) is list)
        return self.captured[ref]

    def rely_on_names(self) -> None:
        """Where a field of an object outside is stored into, have the entry test that no name stands for another."""
        stored = {place[0] for scope in self.scopes for place in scope if isinstance(place[0], ObjectV)}
        if any(o in stored for o in self.objects.values()):
            self.refs.update(dict.fromkeys(r for r in self.objects if len(r.path) > 1))

    def check_one_name(self, obj: ObjectV) -> None:
        """Refuse an object outside the function that is changed and goes by two names: fields are tracked by name."""
        same = [o for o in self.objects.values() if o.live is not None and obj.live is not None]
        same = [o for o in same if o.live.value is obj.live.value]  # type: ignore[union-attr]
        changed = any(place[0] in same for scope in self.scopes for place in scope if isinstance(place[0], ObjectV))
        if len(same) > 1 and changed:
            raise self.unsupported(
                f"the function changes an object of class {obj.cls.__name__} that goes by two names outside of it.",
                "Give it one name, or pass it.",
            )

    def outside_tuple(self, ref: Ref) -> AVal:
        """A tuple outside the function: immutable, but its name may be bound to another later."""
        if gives_items_its_own_way(type(ref.value)):
            return self.capture(ref)
        if self.names_apart and holds_names(list(ref.value)):
            return self.known_names(ref)
        if any(isinstance(item, list | dict) and holds_objects(item) for item in ref.value):
            return self.capture(ref)
        self.refs.setdefault(ref)
        if not _holds_changeable(ref.value):
            return self.parts_of_tuple(ref, ref.value, ref.path[-1])
        if ref not in self.tuples:
            self.tuples[ref] = self.captured_tuple(ref, ref.value, ref.path[-1], ("outside", ref))
        return self.tuples[ref]

    def parts_of_tuple(self, atom: Atom, value: tuple[Any, ...], name: str) -> TupleV:
        """A tuple outside, taken apart: data in it is read as it is then, which the others are is tested."""
        items: list[AVal] = []
        for k, item in enumerate(value):
            kind = kind_of_object(item)
            if isinstance(item, tuple) and not gives_items_its_own_way(type(item)):
                items.append(self.parts_of_tuple(self.emit(operator.getitem, atom, Const(k), kind=kind), item, name))
            elif is_data(item):
                items.append(self.emit(operator.getitem, atom, Const(k), kind=kind))
            else:
                items.append(self.outside_value(Ref((name,), item, item, kind)))
        return TupleV(tuple(items), None if type(value) is tuple else type(value))

    def captured_tuple(self, atom: Atom, value: tuple[Any, ...], name: str, site: Any) -> TupleV:
        """A tuple outside, taken apart, read once at entry: an array in it that is stored into has one copy."""
        items: list[AVal] = []
        for k, item in enumerate(value):
            if isinstance(item, tuple) and not gives_items_its_own_way(type(item)):
                inner = self.at_entry(name, kind_of_object(item), operator.getitem, atom, Const(k))
                items.append(self.captured_tuple(inner, item, name, (site, k)))
            else:
                items.append(self.captured_item(item, name, name, (site, k), atom, Const(k)))
        return TupleV(tuple(items), None if type(value) is tuple else type(value))

    def capture(self, ref: Ref) -> AVal:
        """An array or container from outside, read once at entry so that stores leave it untouched."""
        self.refs.setdefault(ref)
        if ref in self.grown:
            raise self.changes_outside(ref)
        if self.names_apart and holds_names(ref.value):
            return self.known_names(ref)
        if ref not in self.captured:
            name = ref.path[-1] if ref.path[-1] != "cell_contents" else ref.path[0]
            self.captured[ref] = self.captured_part(ref.value, name, ("outside", ref), prims.identity, ref)
        return self.captured[ref]

    def captured_part(self, value: Any, name: str, site: Any, fn: Any, *args: Atom) -> AVal:
        """What a container outside is, or what one that is taken apart holds.

        Dicts of few names are taken apart, and lists and tuples that hold what is no data.
        """
        if gives_items_its_own_way(type(value)):
            return self.at_entry(name, kind_of_object(value), fn, *args)
        at_run_time = site in self.runtime_sites
        if not at_run_time and isinstance(value, list | tuple) and holds_objects(value):
            return self.captured_items(value, self.at_entry(name, K.PARTED, fn, *args), name, site)
        kind, in_parts = kind_of_object(value), _has_few_names(value) and not at_run_time
        if not in_parts and _hides_complex(value, kind):
            raise self.unsupported(
                f"`{name}` holds complex numbers beside other things, and which is taken is known at run time only.",
                "Keep the complex numbers in a list of their own, or pass it as an argument.",
            )
        if isinstance(value, dict) and not in_parts:
            self.dict_classes.add(type(value))
        part = self.at_entry(name, kind, fn, *args)
        if in_parts:
            return self.captured_dict(value, part, site)
        settle(self, part, site)
        if isinstance(value, collections.defaultdict) and isinstance(args[0], Ref):
            self.take_defaults(part, args[0])
        return part

    def take_defaults(self, part: Var, ref: Ref) -> None:
        """Note what makes the values of a ``defaultdict`` outside: the entry tests that it is still the same."""
        make = ref.value.default_factory
        made_by = Ref((*ref.path, "default_factory"), ref.root, make, kind_of_object(make))
        self.rely_on(made_by)
        factory = self.outside_value(made_by)
        if isinstance(factory, FuncV):
            self.containers.take_form(part, Form(collections.defaultdict, factory))

    def captured_items(self, value: Any, atom: Atom, name: str, site: Any) -> TupleV:
        """A list or a tuple outside, taken apart: the entry tests which objects it holds, and the kinds of the rest."""
        items = tuple(self.captured_item(item, "item", name, site, atom, Const(k)) for k, item in enumerate(value))
        cls = type(value) if isinstance(value, tuple) and type(value) is not tuple else None
        return TupleV(items, cls, listed=isinstance(value, list))

    def captured_item(self, item: Any, called: str, name: str, site: Any, *place: Atom) -> AVal:
        """An item of a container that is taken apart: data is read at entry, which the others are is tested."""
        if item is None or not is_data(item):
            return self.outside_value(Ref((getattr(item, "__name__", called),), item, item, kind_of_object(item)))
        return self.captured_part(item, name, site, operator.getitem, *place)

    def at_entry(self, name: str, kind: K.Kind, fn: Any, *args: Atom) -> Var:
        """The result of an operation that is done before all else."""
        var = Var(name if name.isidentifier() else "item", kind)
        op = Op(var, fn, args, (), self.origin)
        self.prologue.append(op)
        self.definitions.add(op)
        self.take_for_certain(var)
        return var

    def captured_dict(self, value: dict[str, Any], atom: Var, site: Any) -> DictV:
        """A dict outside the function, taken apart: the entry tests its keys and the kinds of its items."""
        d = DictV(site, cls=type(value), own=own_attributes(value))
        self.parts_of_given[d] = atom
        for key, item in value.items():
            self.scopes[0][d, key] = self.captured_item(item, key, key, site, atom, Const(key))
        self.scopes[0][d, "$keys"] = TupleV(tuple(map(Const, value)))
        return d

    def grown_list(self, node: Any) -> Ref | None:
        """The list outside the function that an expression names, where the function only ever appends to it.

        The call then happens as it stands, like that of ``print``.
        """
        if not isinstance(node, gast.Name) or self.frame_binding(node.id) is not None:
            return None
        ref = self.outside_name(node.id)
        if not isinstance(ref.value, list) or self.assigned(lambda: self.outer_place(node.id)):
            return None
        if ref in self.captured:
            raise self.changes_outside(ref)
        self.grown.add(ref)
        return Ref(ref.path, ref.root, ref.value, K.Other(list))

    def changes_outside(self, ref: Ref) -> UnsupportedSyntax:
        """The error for a list outside the function that is read as well as changed."""
        name = ref.path[0] if ref.path[-1] == "cell_contents" else ref.path[-1]
        return self.unsupported(
            f"the function changes the list `{name}`, which belongs to the code around it, and reads it too.",
            "Copy the list first, or return the new items: a gradient call has no side effects.",
        )

    def module_value(self, module: Any, name: str) -> AVal:
        """A module, as a compile-time value."""
        return ObjectV(types.ModuleType, Ref((name,), module, module, K.Other(types.ModuleType)))

    def outside_callable(self, fn: Any) -> AVal:
        """A callable from outside the function."""
        return self.outside_value(Ref((getattr(fn, "__name__", "function"),), fn, fn, kind_of_object(fn)))

    def constant_argument(self, value: Any) -> AVal:
        """A value bound into a callable outside the function (by partial, or as self)."""
        if isinstance(value, bool | int | float | str) or value is None:
            return Const(value)
        if isinstance(value, type):
            return self.outside_callable(value)
        name = f"bound_{type(value).__name__}_{len(self.objects)}"
        for known, obj in self.objects.items():
            if obj.live is not None and obj.live.value is value:
                return obj
            del known
        ref = Ref((name,), value, value, kind_of_object(value))
        return self.outside_value(ref)

    def default_value(self, value: Any) -> AVal:
        """The default of a parameter of a function outside: what cannot change is written down."""
        if type(value) is tuple and _is_written_down(value):
            return TupleV(tuple(map(self.default_value, value)))
        return Const(value) if _is_written_down(value) else self.constant_argument(value)


def _is_written_down(value: Any) -> bool:
    """Whether a value is a number, text or None, or a tuple of these."""
    if type(value) is tuple:
        return all(map(_is_written_down, value))
    return isinstance(value, bool | int | float | str) or value is None


def is_plain_callable(value: Any) -> bool:
    """Whether a value is called as it stands: anything but an object whose class defines ``__call__`` in Python."""
    return callable(value) and (
        not isinstance(getattr(type(value), "__call__", None), types.FunctionType)  # noqa: B004
        or hasattr(value, "py_func")
        or vectorized(value) is not None
        or hasattr(value, "primal")
    )


def _holds_changeable(value: Any) -> bool:
    """Whether there is in a tuple, or in those within it, what can be stored into."""
    return isinstance(value, np.ndarray | list | dict) or (
        isinstance(value, tuple) and any(map(_holds_changeable, value))
    )


def _hides_complex(value: Any, kind: K.Kind) -> bool:
    """Whether there are complex numbers in a container where its kind does not say so: they would count as real."""
    match kind:
        case K.List(item) | K.Dict(item):
            items = value.values() if isinstance(value, dict) else value
            return any(_hides_complex(x, item) for x in items)
        case K.Tuple(items) if isinstance(value, tuple):
            return any(map(_hides_complex, value, items))
    return kind == K.ANY and holds_complex_numbers(value)


def _has_few_names(value: Any) -> bool:
    """Whether a value is a dict like those of options or parameters: a loop over it may be unrolled."""
    is_own = type(value) is dict or (isinstance(value, dict) and not is_library(type(value)))
    return is_own and len(value) <= _MAX_NAMES and all(type(k) is str for k in value)


def may_be_rebound(ref: Ref) -> bool:
    """Whether a name may come to mean another object: a notebook cell is run again, a field is assigned.

    Names in libraries are taken to stay.
    """
    value = ref.value
    if len(ref.path) < 2 or value_at(ref.root, ref.path) is not value:  # made at each look at it
        return False
    if isinstance(ref.root, Namespace):  # of a function that was written to call another, or of the user's exec
        return getattr(ref.root, "__name__", "") != PRIMITIVES
    home = getattr(ref.root, "__name__", "") if isinstance(ref.root, types.ModuleType | type) else ""
    return not (home.partition(".")[0] == "s2sad" or is_library_module(home))
