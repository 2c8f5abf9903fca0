"""Questions about what a value is, answered while compiling where its kind tells.

``isinstance(x, float)``, ``x.ndim > 1`` and the like choose between branches of which only one is written for the
kind at hand, so a question that can be answered is answered before either branch is lowered.  A kind says less
than a class where it joins several: of ``1`` and ``2.5`` it is that of a float.  What a value's class may be is
therefore asked of where it comes from as well (:meth:`~s2sad.frontend.builder.Builder.is_certain`).
"""

from __future__ import annotations

import collections
import functools
import itertools
import numbers
import types
from typing import Any

import numpy as np

from s2sad.analysis.truths import classes_of_truth, may_be_of_numpys
from s2sad.frontend.boxes import Boxed
from s2sad.frontend.builtin_calls import has_attribute, refuse_looking_up
from s2sad.frontend.computed_names import name_of
from s2sad.frontend.conflicts import refuse_conflict, refuse_either
from s2sad.frontend.dtypes import NUMBERS, dtype_of
from s2sad.frontend.families import Family
from s2sad.frontend.interface import Lowering
from s2sad.frontend.leaves import SomeDict
from s2sad.frontend.members import class_of_several, of_each
from s2sad.frontend.nullable import of_what_is_there
from s2sad.frontend.object_lists import ObjectList
from s2sad.frontend.tables import Handler, builtin
from s2sad.frontend.values import (
    AVal,
    BoundV,
    ClosureV,
    DictV,
    FuncV,
    IterV,
    MethodV,
    ObjectV,
    PartialV,
    PyFunc,
    SliceV,
    TupleV,
    UnionV,
    is_atom,
    is_slot,
    kind_of,
)
from s2sad.ir import kinds as K
from s2sad.ir.nodes import Atom, Const, Var

__all__: list[str] = []

_VIEWS: dict[str, type] = {"items": type({}.items()), "values": type({}.values())}
_ITERATORS: tuple[type, ...] = (zip, map, filter, enumerate, reversed, types.GeneratorType, itertools.chain)

#: Where classes are from of which ``np.iterable`` runs nothing of the user's.
_PLAIN = ("builtins", "collections", "itertools", "numpy")

#: What a number may be of which no more is known.
_NUMBERS = (*dict.fromkeys(NUMBERS.values()), np.bool_)


def classes_of(lo: Lowering, value: AVal) -> tuple[type, ...]:
    """The classes of which a value may be, () where they are not known."""
    refuse_conflict(lo, value)
    refuse_either(lo, value)
    match value:
        case TupleV(cls=None):
            return (set if value.is_set else list if value.is_list else tuple,)
        case TupleV(cls=cls) | ObjectV(cls=cls):
            return (list,) if cls is ObjectList else (cls,)
        case DictV(cls=cls) if cls is SomeDict:
            raise lo.unsupported(
                "this is a dict of one class on one path and of another on another, and here it is asked which.",
                "Make it the same on all paths.",
            )
        case DictV(factory=factory, cls=cls):
            return (cls,) if factory is None else (collections.defaultdict,)
        case PyFunc(fn=fn):
            return (type(fn),)
        case SliceV():
            return (slice,)
        case PartialV():
            return (functools.partial,)
        case BoundV():
            return (types.MethodType,)
        case MethodV():
            return (types.BuiltinMethodType,)
        case UnionV(options=options):
            return tuple({cls for option in options for cls in classes_of(lo, option)})
        case ClosureV():
            return (types.FunctionType,)
        case IterV(form=made):
            return (_VIEWS[made],) if made in _VIEWS else _ITERATORS
        case Const(value=v):
            return (type(v),)
    if not is_atom(value) or value in lo.nullable:
        return ()
    match kind_of(value):
        case K.Array():
            return (np.ndarray,)
        case K.List():
            if (form := lo.form_of(value)) is not None:
                return (form.cls,)
            return (tuple,) if lo.is_late_tuple(value) else (list,)
        case K.Dict():
            if (form := lo.form_of(value)) is not None:
                return (form.cls,)
            return (dict, *(lo.dict_classes - {dict}))
        case K.Tuple(cls=cls):
            return (cls or tuple,)
        case K.Row(cls) if issubclass(cls, Family):
            return (lo.members[value],) if isinstance(value, Var) and value in lo.members else cls.members
        case K.Row(cls):
            return (cls,) if not issubclass(cls, Boxed) else (cls.form or tuple,)
        case K.Scalar("any"):
            return _NUMBERS
        case K.Numeric(dtype) if dtype != "object":
            return (*_NUMBERS, np.ndarray)
        case K.BOOL:
            return (bool,) if value in lo.pythons else classes_of_truth(value, lo.definitions)
        case K.INT | K.FLOAT if _is_of_truths(lo, value):
            return _NUMBERS
        case K.Scalar(dtype) if lo.is_certain(value):
            return (NUMBERS.get(dtype) or np.dtype(dtype).type,)
        case K.Scalar(dtype):
            return tuple(cls for name, cls in NUMBERS.items() if K.join_dtypes(name, dtype) == dtype)
        case K.Other(type=cls) if cls is not None and cls not in K.DERIVED:
            return (cls,)
    return ()


def _is_of_truths(lo: Lowering, value: Atom) -> bool:
    """Whether a number may be NumPy's though its kind is that of Python's."""
    return may_be_of_numpys(value, lo.definitions, lo.merges, lo.pythons)


def question(lo: Lowering, value: AVal) -> Atom:
    """A value that a question is put to while the program runs: none that the derivative has in another form."""
    if isinstance(value, IterV | FuncV) and not isinstance(value, PyFunc):
        raise lo.unsupported(
            "of which class this is depends on how it was made, which is not asked here.",
            "Ask where it is made, or make a list of it.",
        )
    return lo.as_atom(value)


def common(answers: set[Any]) -> AVal | None:
    """The one answer, if all classes give the same."""
    return Const(answers.pop()) if len(answers) == 1 else None


@builtin(isinstance, takes=lambda obj, classes, /: ...)
def _isinstance(lo: Lowering, args: list[AVal], kwargs: dict[str, AVal], hint: str) -> AVal:
    value, classes = args
    wanted = classes.items if isinstance(classes, TupleV) else (classes,)
    types_ = tuple(c.fn for c in wanted if isinstance(c, PyFunc) and isinstance(c.fn, type))
    if len(types_) == len(wanted):
        known = common({issubclass(cls, types_) for cls in classes_of(lo, value)})
        if known is not None:
            return known
        if isinstance(value, Var) and isinstance(value.kind, K.Row) and not issubclass(value.kind.cls, Boxed):
            return _is_row_of(lo, value, types_)
    _refuse_dict(lo, value)
    return lo.emit(isinstance, question(lo, value), lo.as_atom(classes), kind=K.BOOL)


def _refuse_dict(lo: Lowering, value: AVal) -> None:
    """Refuse to ask a dict at run time of which class it is, where it may be another: it is copied as a dict."""
    if is_atom(value) and isinstance(kind_of(value), K.Dict) and lo.dict_classes - {dict}:
        raise lo.unsupported(
            "of which class this dict is cannot be told, as it exists at run time.", "Use keys that are written down."
        )


def _is_row_of(lo: Lowering, row: Var, types_: tuple[type, ...]) -> AVal:
    """Whether an object that a list holds, or None, is of one of these classes."""
    if row in lo.nullable:
        without = Const(issubclass(type(None), types_))
        return of_what_is_there(lo, row, lambda one: _is_row_of(lo, one, types_), lambda: without)
    found = common({issubclass(cls, types_) for cls in classes_of(lo, row)})
    members = row.kind.cls.members if found is None else ()  # type: ignore[attr-defined]
    return found or of_each(lo, row, lambda one: Const(issubclass(lo.members[one], types_)), members)


@builtin(type, takes=lambda obj, /: ...)
def _type(lo: Lowering, args: list[AVal], kwargs: dict[str, AVal], hint: str) -> AVal:
    if len(classes := classes_of(lo, args[0])) == 1:
        return PyFunc.of(classes[0])
    if isinstance(args[0], Var) and isinstance(args[0].kind, K.Row) and classes_of(lo, args[0]):
        return class_of_several(lo, args[0])
    _refuse_dict(lo, args[0])
    return lo.emit(type, question(lo, args[0]), kind=K.ANY, hint=hint)


@builtin(hasattr, takes=lambda obj, name, /: ...)
def _hasattr(lo: Lowering, args: list[AVal], kwargs: dict[str, AVal], hint: str) -> AVal:
    match args[0], name_of(lo, args[1]):
        case ObjectV() | PyFunc() | Var(kind=K.Row()) as obj, str(name):
            return has_attribute(lo, obj, name)
        case value, str(name):
            classes = classes_of(lo, value)
            for cls in classes:
                if not hasattr(cls, name):
                    refuse_looking_up(lo, cls, name)
            known = common({hasattr(cls, name) for cls in classes})
            if known is not None and not any(is_slot(cls, name) for cls in classes):
                return known
    return lo.emit(hasattr, question(lo, args[0]), lo.as_atom(args[1]), kind=K.BOOL)


@builtin(callable, takes=lambda obj, /: ...)
def _callable(lo: Lowering, args: list[AVal], kwargs: dict[str, AVal], hint: str) -> AVal:
    known = common({any("__call__" in vars(base) for base in cls.__mro__) for cls in classes_of(lo, args[0])})
    if known is not None:
        return known
    if isinstance(args[0], FuncV):
        return Const(True)
    if is_atom(args[0]) and kind_of(args[0]) != K.ANY and not isinstance(kind_of(args[0]), K.Row):
        return Const(False)
    return lo.emit(callable, question(lo, args[0]), kind=K.BOOL, hint=hint)


@builtin(np.issubdtype, takes=lambda arg1, arg2, /: ...)
def _issubdtype(lo: Lowering, args: list[AVal], kwargs: dict[str, AVal], hint: str) -> AVal:
    known = dtype_of(lo, args[0])
    if known is not None and isinstance(args[1], PyFunc) and isinstance(args[1].fn, type):
        return Const(bool(np.issubdtype(known, args[1].fn)))
    return lo.emit(np.issubdtype, *(lo.as_atom(a) for a in args), kind=K.BOOL, hint=hint)


def _of_kind(fn: Any, scalar: Any, array: Any) -> Handler:
    """Whether a predicate of NumPy holds of a number, and of an array, of a dtype; None where that does not tell."""

    def handler(lo: Lowering, args: list[AVal], kwargs: dict[str, AVal], hint: str) -> AVal:
        atom = lo.as_atom(args[0])
        known = None
        if atom not in lo.nullable:
            match kind_of(atom):
                case K.Scalar(dtype) if dtype != "any":
                    known = scalar(dtype)
                case K.Array(dtype) if dtype != "any":
                    known = array(dtype)
        return lo.emit(fn, atom, kind=K.BOOL, hint=hint) if known is None else Const(known)

    return handler


def _is_complex(dtype: str) -> bool | None:
    """A number or an array that is joined from complex and other ones may be real."""
    return None if dtype.startswith("complex") else False


@builtin(np.isscalar, takes=lambda element, /: ...)
def _isscalar(lo: Lowering, args: list[AVal], kwargs: dict[str, AVal], hint: str) -> AVal:
    scalars = {issubclass(cls, np.generic | numbers.Number) or cls in np.ScalarType for cls in classes_of(lo, args[0])}
    return common(scalars) or lo.emit(np.isscalar, lo.as_atom(args[0]), kind=K.BOOL, hint=hint)


@builtin(np.iterable, takes=lambda y, /: ...)
def _iterable(lo: Lowering, args: list[AVal], kwargs: dict[str, AVal], hint: str) -> AVal:
    classes = classes_of(lo, args[0])
    if classes == (np.ndarray,):
        rank = K.rank_of(kind_of(lo.as_atom(args[0])))
        answers = {None if rank is None else rank > 0}
    else:
        answers = {_iterates(cls) for cls in classes}
    known = None if None in answers else common(answers)
    return known or lo.emit(np.iterable, lo.as_atom(args[0]), kind=K.BOOL, hint=hint)


def _iterates(cls: type) -> bool | None:
    """Whether ``iter`` takes an object of this class; None where only a method of the user's can tell."""
    if hasattr(cls, "__iter__"):
        return True if cls.__module__ in _PLAIN else None
    return None if hasattr(cls, "__getitem__") and not issubclass(cls, np.generic) else False


builtin(np.iscomplexobj, takes=lambda x, /: ...)(_of_kind(np.iscomplexobj, _is_complex, _is_complex))
builtin(np.isrealobj, takes=lambda x, /: ...)(
    _of_kind(np.isrealobj, *[lambda d: None if d.startswith("complex") else True] * 2)
)
