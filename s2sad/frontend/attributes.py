"""Lowering of attributes: of records, of objects and modules outside, of arrays."""

from __future__ import annotations

import collections
import dataclasses
import enum
import functools
import inspect
import operator
import sys
import types
from collections.abc import Callable
from functools import partial
from typing import Any, TypeGuard

import numpy as np

from s2sad.frontend.attribute_dicts import attribute_dict
from s2sad.frontend.builtin_calls import has_attribute
from s2sad.frontend.callees import is_library_module
from s2sad.frontend.conflicts import refuse_conflict
from s2sad.frontend.dict_classes import attribute_of_dict, store_attribute_of_dict
from s2sad.frontend.distributions import OF_FROZEN, method_of_frozen
from s2sad.frontend.dtypes import limit_of, of_dtype
from s2sad.frontend.flats import store_flat
from s2sad.frontend.interface import Lowering
from s2sad.frontend.keeping import call_kept
from s2sad.frontend.leaves import is_tracked
from s2sad.frontend.nullable import need_attribute
from s2sad.frontend.object_lists import CHANGES, HELD, ObjectList
from s2sad.frontend.objects import kind_of_object
from s2sad.frontend.operator_methods import method_of
from s2sad.frontend.several import of_each_option
from s2sad.frontend.standing import is_its_own, refuse_change, stands_in, stood_for
from s2sad.frontend.tables import BUILTINS, UFUNC_METHODS
from s2sad.frontend.values import (
    AVal,
    BoundV,
    DictV,
    FrozenV,
    FuncV,
    MethodV,
    ObjectV,
    PartialV,
    PyFunc,
    SuperV,
    TupleV,
    UfuncMethodV,
    UnionV,
    fields_of,
    is_atom,
    is_unbound,
    kind_of,
    runtime_kind,
)
from s2sad.ir import kinds as K
from s2sad.ir import prims
from s2sad.ir.nodes import UNDEF, Const, Ref, Var
from s2sad.rules.infer import attribute_kind, result_kind
from s2sad.rules.standins import value_kind
from s2sad.rules.table import rule_for

__all__ = ["Attributes"]


#: Array attributes and the functions they stand for.
ATTRIBUTES: dict[str, Any] = {
    "T": np.transpose,
    "mT": np.matrix_transpose,
    "shape": np.shape,
    "ndim": np.ndim,
    "size": np.size,
    "real": np.real,
    "imag": np.imag,
}


#: Attributes of arrays that carry no derivative, with their kinds.
ARRAY_FACTS: dict[str, K.Kind] = {
    "dtype": K.Other(np.dtype),
    "nbytes": K.INT,
    "itemsize": K.INT,
    "strides": K.Other(tuple),
}


#: What is a list, a tuple or a dict here may be one of these.
_CONTAINERS = (list, tuple, dict, set, collections.deque, collections.defaultdict, collections.Counter)


#: What of a class is a function, and may be another in an object.
_METHODS = (types.FunctionType, staticmethod, classmethod)


def _nothing_to_do(self: Any) -> None:
    """``object.__init__``"""


#: Where the function that a class gives for a ``partialmethod`` keeps that.
_PARTIAL_METHOD = "__partialmethod__" if sys.version_info >= (3, 13) else "_partialmethod"


class Attributes(Lowering):
    """The part of the lowerer that reads and sets attributes."""

    def expr_Attribute(self, node: Any, hint: str) -> AVal:
        return self.attribute(self.expr(node.value), node.attr, hint)

    def attribute(self, obj: AVal, attr: str, hint: str = "") -> AVal:
        """``obj.attr``"""
        refuse_conflict(self, obj)
        need_attribute(self, obj, attr)
        obj = self.unboxed(obj)
        if attr == "__class__":
            return self.call(PyFunc.of(type), [obj], {}, hint)
        if attr == "__dict__" and has_attributes(obj):
            return attribute_dict(self, obj)
        if attr == "__dict__" and isinstance(obj, ObjectV) and obj.live is not None:
            self.look_at_whole(obj.live.value, obj.live.path[-1])
        match obj:
            case TupleV(items, cls) if cls is not None:
                if attr in fields_of(cls):
                    return items[fields_of(cls).index(attr)]
                if attr in ("_replace", "_asdict"):
                    return MethodV(obj, attr)
                return self.class_attribute(obj, cls, attr)
            case ObjectV(cls=cls) if cls is ObjectList:
                return self.list_attribute(obj, attr)
            case ObjectV():
                return self.object_attribute(obj, attr)
            case Var(kind=K.Row()):
                return self.row_attribute(obj, attr, hint)
            case FrozenV(name="") if attr in OF_FROZEN:
                return dataclasses.replace(obj, name=attr)
            case FrozenV(name=""):
                return self.attribute(self.as_atom(obj), attr, hint)
            case PyFunc(fn=fn) if isinstance(fn, np.ufunc) and (fn, attr) in UFUNC_METHODS:
                return UfuncMethodV(fn, attr)
            case PyFunc(fn=type() as cls) if (stored := self.assigned_to_class(cls.__mro__, attr)) is not None:
                return stored
            case PyFunc(fn=fn, ref=ref):
                if attr == "__dict__":
                    self.look_at_whole(fn, getattr(fn, "__name__", attr))
                if not hasattr(fn, attr):
                    raise self.unsupported(f"`{fn}` has no attribute `{attr}`.")
                value = getattr(fn, attr)
                base = ref.path if ref is not None else (getattr(fn, "__name__", "object"),)
                root = ref.root if ref is not None else fn
                return self.outside_value(Ref((*base, attr), root, value, kind_of_object(value)))
            case UnionV():
                return of_each_option(self, obj, lambda option: self.attribute(option, attr, hint))
            case SuperV(after, inner):
                return self.attribute_of_class(inner, after, attr)
            case DictV(cls=cls) if cls is not dict:
                return attribute_of_dict(self, obj, attr)
        if self.tried:
            self.ask_attribute(obj, attr)
        if not is_atom(obj):
            return MethodV(obj, attr)
        self.refuse_met(obj)
        kind = kind_of(obj)
        if not (K.is_numeric(kind) or K.is_container(kind)) and self.may_be_assigned(attr):
            raise self.unsupported(
                f"this may be a module of which the function assigns `{attr}`.", "Read it by its name."
            )
        if K.is_numeric(kind) and attr in ATTRIBUTES:
            return self.call(PyFunc.of(ATTRIBUTES[attr]), [obj], {}, hint)
        match kind:
            case K.Bottom():
                return UNDEF
            case K.Tuple(items=kinds, cls=cls) if cls is not None and attr in fields_of(cls):
                k = fields_of(cls).index(attr)
                return self.emit(prims.getattr_, obj, Const(attr), kind=kinds[k], hint=hint)
            case K.Tuple(cls=cls) if cls is not None and attr in ("_replace", "_asdict") and issubclass(cls, tuple):
                parts = [self.attribute(obj, name) for name in fields_of(cls)]
                return MethodV(TupleV(tuple(parts), cls), attr)
            case K.Tuple(cls=cls) if cls is not None:
                return self.class_attribute(obj, cls, attr)
        known = of_dtype(self, obj, attr)
        if known is not None:
            return known
        limit = limit_of(self, obj, attr)
        if limit is not None:
            return self.emit(prims.getattr_, obj, Const(attr), kind=value_kind(limit), hint=hint)
        if isinstance(kind, K.Other) and attr not in ("append",):
            python_type = kind.type
            found = getattr(python_type, attr, None)
            if python_type is None or not callable(found) or isinstance(found, type):
                getter = found.fget if isinstance(found, property) else None
                known_kind = attribute_kind(kind, attr) if rule_for(getter) is None else result_kind(getter, (obj,))
                return self.emit(prims.getattr_, obj, Const(attr), kind=known_kind, hint=hint)
        if K.is_numeric(kind) and attr in ARRAY_FACTS:
            fact = K.of_dtype(K.dtype_of(kind)) if attr == "dtype" else ARRAY_FACTS[attr]
            return self.emit(prims.getattr_, obj, Const(attr), kind=fact, hint=hint)
        if has_none_such(kind, attr):
            if self.tried or self.protected:
                raise self.fails(AttributeError, f"a number or an array has no attribute `{attr}`.")
            raise self.unsupported(
                f"this is taken for a number or an array, which has no attribute `{attr}`.",
                "Annotate the parameter it comes from, or give an example: `source_for(*args)`.",
            )
        return MethodV(obj, attr)

    def ask_attribute(self, obj: AVal, attr: str) -> None:
        """Raise what Python raises where there is no such attribute: of its numbers, there is none that arrays have."""
        match obj, runtime_kind(obj) if is_atom(obj) else None:
            case (TupleV(), _) | (DictV(), _) | (_, K.List() | K.Dict() | K.Tuple(cls=None)):
                if not any(hasattr(cls, attr) for cls in _CONTAINERS):
                    raise self.fails(AttributeError, f"this has no attribute `{attr}`.")
            case _, K.Scalar() | K.Numeric():
                self.emit(prims.getattr_, self.as_atom(obj), Const(attr), kind=K.ANY)

    def object_attribute(self, obj: ObjectV, attr: str) -> AVal:
        if method_of(obj, "__getattribute__") is not None:
            raise self.unsupported(f"`{obj.cls.__name__}` looks attributes up by a `__getattribute__` of its own.")
        self.refuse_gone(obj)
        stored = self.read((obj, attr))
        if stored is not None:
            self.check_given(obj)
            if self.tried and (obj, attr) in self.unsure:
                raise self.unsupported(f"it is not known here whether this has an attribute `{attr}`.")
            return stored
        if not is_its_own(obj, attr):
            return self.attribute(stood_for(self, obj, attr), attr)
        if obj.live is not None and obj.cls is types.ModuleType:
            return self.module_attribute(obj, attr)
        if (method := method_of_frozen(self, obj, attr)) is not None:
            return method
        if obj.live is not None and attr in getattr(obj.live.value, "__dict__", {}):
            value = getattr(obj.live.value, attr)
            ref = Ref((*obj.live.path, attr), obj.live.root, value, kind_of_object(value))
            return self.outside_value(ref)
        return self.class_attribute(obj, obj.cls, attr)

    def module_attribute(self, obj: ObjectV, attr: str) -> AVal:
        assert obj.live is not None
        module = obj.live.value
        if stored := self.assigned(lambda: (self.outer(module), attr)):
            return stored
        if not hasattr(module, attr):
            raise self.unsupported(f"module `{module.__name__}` has no attribute `{attr}`.")
        value = getattr(module, attr)
        path = (*obj.live.path, attr)
        if isinstance(value, types.ModuleType):
            return ObjectV(types.ModuleType, Ref(path, obj.live.root, value, K.Other(types.ModuleType)))
        return self.outside_value(Ref(path, obj.live.root, value, kind_of_object(value)))

    def list_attribute(self, obj: ObjectV, attr: str) -> AVal:
        """An attribute of a list of functions or objects that changes."""
        if attr == HELD:
            return self.held_by(obj)
        if attr in CHANGES:
            self.check_changes(obj, attr)
        method = vars(ObjectList).get(attr)
        if not isinstance(method, types.FunctionType):
            raise self.unsupported(f"`{attr}` of a list of functions or objects is not handled.")
        return BoundV(PyFunc.of(method), obj)

    def class_attribute(self, obj: AVal, cls: type, attr: str) -> AVal:
        """A method, property or class variable, by Python's own lookup."""
        return self.attribute_of_class(obj, cls.__mro__, attr)

    def attribute_of_class(self, obj: AVal, mro: tuple[type, ...], attr: str) -> AVal:
        cls = mro[0]
        if (stored := self.assigned_to_class(mro, attr)) is not None:
            return stored
        for base in mro:
            if attr in base.__dict__:
                raw = base.__dict__[attr]
                break
        else:
            return self.attribute_of_none(obj, cls, attr)
        live = obj.live if isinstance(obj, ObjectV) and obj.cls is cls else None  # not after super()
        match raw:
            case types.MemberDescriptorType() if live is None or not hasattr(live.value, attr):  # an empty slot
                return self.attribute_of_none(obj, cls, attr)
            case property(fget=getter) if getter is not None and not isinstance(obj, PyFunc):
                self.rely_on(Ref((base.__name__, attr), base, raw, K.ANY))
                return self.call(BoundV(PyFunc.of(getter), obj), [], {})
            case staticmethod(__func__=function):
                self.rely_on(_member(live, base, (attr,), function))
                return PyFunc.of(function)
            case classmethod(__func__=function):
                self.rely_on(_member(live, base, (attr, "__func__"), function))
                return BoundV(PyFunc.of(function), PyFunc.of(self.class_known_of(obj) or cls))
            case functools.partialmethod(func=types.FunctionType() as function) if not isinstance(obj, PyFunc):
                self.rely_on(Ref((base.__name__, attr, _PARTIAL_METHOD), base, raw, K.ANY))
                first = tuple(map(self.constant_argument, raw.args))
                named = tuple((name, self.constant_argument(value)) for name, value in raw.keywords.items())
                return PartialV(PyFunc.of(function), (obj, *first), named)
            case functools._lru_cache_wrapper():
                self.refuse_kept(obj, cls, attr)
                return BoundV(PyFunc.of(raw), obj)
            case types.FunctionType() if (
                live is not None
                and is_library_module(base.__module__)
                and raw not in BUILTINS
                and rule_for(raw) is None
            ):
                value = getattr(live.value, attr)
                return self.outside_value(Ref((*live.path, attr), live.root, value, kind_of_object(value)))
            case types.FunctionType() if isinstance(obj, PyFunc):  # by `super()` in a class method
                self.rely_on(_member(live, base, (attr,), raw))
                return PyFunc.of(raw)
            case types.FunctionType():
                self.rely_on(_member(live, base, (attr,) if live is None else (attr, "__func__"), raw))
                return BoundV(PyFunc.of(raw), obj)
        if raw is object.__init__:
            return BoundV(PyFunc.of(_nothing_to_do), obj)
        if isinstance(raw, types.WrapperDescriptorType | types.MethodDescriptorType) and not isinstance(obj, PyFunc):
            return BoundV(PyFunc.of(raw), obj)
        if hasattr(raw, "primal") and callable(raw):
            return BoundV(PyFunc.of(raw), obj)
        if isinstance(raw, functools.cached_property):
            return self.cached(obj, attr, partial(self.call, BoundV(PyFunc.of(raw.func), obj), [], {}))
        if isinstance(raw, types.GetSetDescriptorType) and not isinstance(obj, PyFunc):
            raise self.unsupported(f"`{attr}` of an object that is followed is not handled.")
        of_member = live is not None and isinstance(raw, enum.property)  # the name or value of one: data like any other
        if isinstance(getattr(type(raw), "__get__", None), types.FunctionType) and not of_member:
            raise self.unsupported(f"`{attr}` is got by a descriptor, which is not handled.", "Make it a property.")
        if live is not None:  # data, which the object may come to have of its own, or a method not written in Python
            value = getattr(live.value, attr)
            return self.outside_value(Ref((*live.path, attr), live.root, value, kind_of_object(value)))
        return self.outside_value(Ref((base.__name__, attr), base, raw, kind_of_object(raw)))

    def attribute_of_none(self, obj: AVal, cls: type, attr: str) -> AVal:
        """What no class gives: what ``__getattr__`` of an object outside does, or what Python raises."""
        if isinstance(obj, ObjectV) and obj.live is not None and hasattr(obj.live.value, attr):
            value = getattr(obj.live.value, attr)
            return self.outside_value(Ref((*obj.live.path, attr), obj.live.root, value, kind_of_object(value)))
        if isinstance(obj, ObjectV) and has_attribute(self, obj, attr) == Const(False):
            raise self.fails(AttributeError, f"'{cls.__name__}' object has no attribute '{attr}'.")
        raise self.unsupported(f"an object of class {cls.__name__} has no attribute `{attr}` here.")

    def refuse_kept(self, obj: AVal, cls: type, attr: str) -> None:
        """Refuse a method that keeps what it gave for an object, told by its identity, that may change meanwhile."""
        if getattr(cls, "__hash__", None) is not object.__hash__:  # told by what it holds
            return
        of_a_row = isinstance(runtime_kind(obj), K.Row)
        if of_a_row or (isinstance(obj, ObjectV) and not self.never_changes(obj)):
            raise self.unsupported(
                f"`{attr}` keeps what it gave, and objects of class {cls.__name__} may change after that.",
                "Leave `functools.cache` out, or make the class a frozen dataclass.",
            )

    def cached(self, obj: AVal, attr: str, make: Callable[[], AVal]) -> AVal:
        """A cached property: what it gave when it was first asked for, which other fields may tell no longer."""
        if isinstance(runtime_kind(obj), K.Row):
            raise self.unsupported(
                f"`{attr}` is a cached property of an object that is in a list, or may be None.",
                "Make it a field, or a property.",
            )
        if not isinstance(obj, ObjectV):  # a record, whose fields stay what they are
            return call_kept(self, attr, make)
        place = (obj, f"${attr}")
        self.write_default(place, Const(None))
        found = self.value_at(place)
        if found == Const(None):
            self.write(place, make())
        elif self.may_be_none(found):
            absent = self.emit(operator.is_, self.as_atom(found), Const(None), kind=K.BOOL)
            self.branch(absent, lambda: self.write(place, make()), lambda: None)
        return self.value_at(place)

    def store_attribute(self, obj: AVal, attr: str, value: AVal) -> None:
        """``obj.attr = value``, tracked while compiling."""
        if attr in ("__class__", "__dict__"):
            raise self.unsupported(f"an object gets another `{attr}` here, which is not handled.")
        refuse_change(self, obj, attr)
        need_attribute(self, obj, attr)
        if isinstance(obj, ObjectV) and obj.live is not None and obj.cls is types.ModuleType:
            self.store_variable(obj, obj.live.value, attr, value)
            return
        if isinstance(obj, PyFunc) and isinstance(obj.fn, type):
            self.check_class_variable(obj.fn, attr, value)
            self.store_variable(obj, obj.fn, attr, value)
            return
        if isinstance(obj, ObjectV) and obj.cls is not types.ModuleType:
            descriptor = getattr(obj.cls, attr, None)
            if isinstance(descriptor, property) and descriptor.fset is not None:
                self.call(BoundV(PyFunc.of(descriptor.fset), obj), [value], {})
                return
            if getattr(getattr(obj.cls, "__dataclass_params__", None), "frozen", False):
                raise self.unsupported(f"cannot assign to field `{attr}` of a frozen dataclass.")
            if method_of(obj, "__setattr__") is not None:
                raise self.unsupported(f"`{obj.cls.__name__}` stores `{attr}` by a method of its own.")
            self.put_attribute(obj, attr, value)
            return
        if isinstance(obj, Var) and isinstance(obj.kind, K.Row):
            self.store_in_row(obj, attr, value)
            return
        if has_none_such(runtime_kind(obj), attr):
            raise self.fails(AttributeError, f"a number or an array has no attribute `{attr}`.")
        if is_atom(obj) and attr == "T":
            self.store(self.emit(np.transpose, obj), Const(...), self.as_atom(value))
            return
        if is_atom(obj) and attr == "flat" and isinstance(kind_of(obj), K.Array):
            store_flat(self, obj, value)
            return
        if isinstance(obj, DictV) and obj.cls is not dict:
            store_attribute_of_dict(self, obj, attr, value)
            return
        if not is_unbound(obj):  # of an item of a list it may not be known yet what it is
            self.spell_out_around()
        cls = getattr(runtime_kind(obj), "cls", None)
        if cls is not None:
            self.try_rows(obj)
            raise self.unsupported(
                f"this object of class {cls.__name__} is in a list made at run time, where its fields do not change.",
                f"Put another in its place, such as `xs[i] = dataclasses.replace(xs[i], {attr}=...)`.",
            )
        raise self.unsupported(
            f"assigning the attribute `{attr}` of this value is not handled.",
            "Only attributes of objects made or received by the function are tracked.",
        )

    def store_variable(self, obj: AVal, root: Any, attr: str, value: AVal) -> None:
        """Assign an attribute that a module or a class outside has."""
        home = root.__name__ if isinstance(root, types.ModuleType) else root.__module__
        if not hasattr(root, attr) or is_library_module(home):
            raise self.unsupported(
                f"assigning the attribute `{attr}` of `{root.__name__}` is not handled.",
                "Only those of modules and classes of your own are, that are there before.",
            )
        self.write(self.variable((self.outer(root), attr), lambda: self.attribute(obj, attr)), value)

    def check_class_variable(self, cls: type, attr: str, value: AVal) -> None:
        """Refuse to assign what a class does more with than to keep it."""
        raw = inspect.getattr_static(cls, attr, None)
        if isinstance(value, FuncV) or hasattr(type(raw), "__get__") or type(cls).__setattr__ is not type.__setattr__:
            raise self.unsupported(
                f"`{cls.__name__}` gets another method or descriptor `{attr}` here.", "Keep data in it."
            )

    def stored_again(self, obj: AVal, attr: str, value: AVal) -> None:
        """After ``obj.attr += b`` has changed an object in place, which Python then stores where it was.

        That does nothing, unless the class has a say in it: by a property, by ``__setattr__``, or by being frozen.
        """
        several = getattr(runtime_kind(obj), "cls", None) if isinstance(runtime_kind(obj), K.Row | K.Tuple) else None
        cls = obj.cls if isinstance(obj, ObjectV | TupleV) else several
        if any(_has_a_say(one, attr) for one in getattr(cls, "members", (cls,))) and not stands_in(obj):
            self.store_attribute(obj, attr, value)

    def put_attribute(self, obj: ObjectV, attr: str, value: AVal) -> None:
        """``object.__setattr__(obj, attr, value)``, whatever the class has for it."""
        written = hasattr(type(inspect.getattr_static(obj.cls, attr, None)), "__set__") and not _is_slot(obj.cls, attr)
        if written and not stands_in(obj):  # whose own name it is, whatever the library's class has under it
            raise self.unsupported(f"`{obj.cls.__name__}` stores `{attr}` by a method of its own.")
        self.refuse_gone(obj)
        if obj.live is not None and id(obj.live.value) in self.seen_whole:
            raise self.refuse_whole(obj.live.path[-1])
        if attr not in (fields_of(obj.cls) or (attr,)):
            self.extended.add(obj)
        self.keep_default(obj, attr)
        if self.read((obj, attr)) is not value:
            self.check_handed(obj)
        self.write((obj, attr), value)
        self.check_one_name(obj)

    def keep_default(self, obj: ObjectV, attr: str) -> None:
        """Have what an attribute is before it is stored at its place: a branch or a loop may leave that there."""
        if self.read((obj, attr)) is None and has_default(obj, attr):
            with self.block() as stmts:
                value = self.object_attribute(obj, attr)
            self.prologue += stmts
            self.write_default((obj, attr), value)


def has_none_such(kind: K.Kind, attr: str) -> bool:
    """Whether this is a number or an array, and these have no attribute of that name, nor take one."""
    return K.is_numeric(kind) and not any(hasattr(cls, attr) for cls in (np.ndarray, float, np.float64))


def has_attributes(obj: AVal) -> TypeGuard[ObjectV | Var]:
    """Whether an object is followed that was made here, so that its attributes are stored and read one by one."""
    return is_tracked(obj) if isinstance(obj, ObjectV) else isinstance(obj, Var) and isinstance(obj.kind, K.Row)


def _has_a_say(cls: Any, attr: str) -> bool:
    """Whether a class of the user's stores an attribute otherwise than under its name."""
    if not isinstance(cls, type):
        return False
    written = hasattr(type(inspect.getattr_static(cls, attr, None)), "__set__") and not _is_slot(cls, attr)
    frozen = getattr(getattr(cls, "__dataclass_params__", None), "frozen", False)
    return written or frozen or isinstance(getattr(cls, "__setattr__", None), types.FunctionType)


def _is_slot(cls: type, attr: str) -> bool:
    return isinstance(getattr(cls, attr, None), types.MemberDescriptorType | types.GetSetDescriptorType)


def has_default(obj: ObjectV, attr: str) -> bool:
    """Whether the object outside, or the class, has a value of its own for an attribute that may be stored."""
    if obj.live is not None and attr in getattr(obj.live.value, "__dict__", {}):
        return True
    for base in obj.cls.__mro__:
        if attr in vars(base):
            raw = vars(base)[attr]
            if isinstance(raw, types.MemberDescriptorType):  # a slot
                return obj.live is not None and hasattr(obj.live.value, attr)
            return isinstance(raw, _METHODS) or not hasattr(type(raw), "__get__")
    return False


def _member(live: Ref | None, owner: type, path: tuple[str, ...], value: Any) -> Ref:
    """A function of a class: as an object outside has it, which may come to have another in its place, or the class."""
    if live is None:
        return Ref((owner.__name__, *path), owner, value, K.ANY)
    return Ref((*live.path, *path), live.root, value, K.ANY)
