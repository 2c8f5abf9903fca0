"""Operators that the classes of a program define: which method is asked, and what is where it gives NotImplemented.

``a + b`` asks ``a.__add__``, then ``b.__radd__`` where the classes differ; that of ``b`` first where its class comes of
the other's and has a ``__radd__`` of its own. ``a == b`` asks both for ``__eq__``, and is ``a is b`` where none tells.
"""

from __future__ import annotations

import operator
import types
from typing import Any

from s2sad.frontend.interface import Lowering
from s2sad.frontend.nullable import of_what_is_there
from s2sad.frontend.objects import kind_of_object
from s2sad.frontend.values import AVal, BoundV, ObjectV, PyFunc, TupleV, is_atom, kind_of, runtime_kind
from s2sad.ir import kinds as K
from s2sad.ir.nodes import Const, Ref, Var
from s2sad.rules.foreign import is_foreign
from s2sad.rules.table import rule_for

__all__ = ["by_method", "compared_by_method", "is_not_implemented", "method_of"]

#: Comparisons, with what the other operand is asked.
_SWAPPED = {"eq": "eq", "ne": "ne", "lt": "gt", "le": "ge", "gt": "lt", "ge": "le"}


def method_of(v: AVal, name: str) -> PyFunc | None:
    """A method by which the user's class of a value defines an operator."""
    cls = v.cls if isinstance(v, ObjectV | TupleV) else getattr(runtime_kind(v), "cls", None)
    if cls is not None and is_foreign(cls):  # of which operators are told the kinds, and refused where it matters
        rule = rule_for(getattr(cls, name, None))
        return None if rule is None else PyFunc.of(getattr(cls, name))
    match runtime_kind(v) if cls is None else None:
        case K.Other(type() as of_library) if rule_for(getattr(of_library, name, None)) is not None:
            return PyFunc.of(getattr(of_library, name))
    own = getattr(cls, name, None) if isinstance(cls, type) else None
    # what a dataclass makes for itself has no source
    if not isinstance(own, types.FunctionType) or own.__code__.co_filename == "<string>":
        return None
    return PyFunc.of(own, Ref((cls.__name__, name), cls, own, kind_of_object(own)))  # type: ignore[union-attr]


def is_not_implemented(value: AVal) -> bool:
    """Whether a method says that it does not know the other operand."""
    return isinstance(value, ObjectV) and value.live is not None and value.live.value is NotImplemented


def by_method(lo: Lowering, op: Any, a: AVal, b: AVal) -> AVal | None:
    """``a op b`` by a method of a class; None where no class has one."""
    name = op.__name__.rstrip("_")
    direct, reflected = f"__{name}__", f"__r{name}__"
    asked = [(a, direct, b), (b, reflected, a)]
    first, second = _class_of(a), _class_of(b)
    if first is not None and first is second and not is_foreign(first):
        asked.pop()
    elif (
        _comes_of(second, first)
        and not is_foreign(second)
        and getattr(second, reflected, None) is not getattr(first, reflected, None)
    ):
        asked.reverse()
    left_to_other = False
    for v, method, other in asked:
        own = method_of(v, method)
        if own is None:
            continue
        given = lo.call(BoundV(own, v), [other], {})
        if not is_not_implemented(given):
            return given
        left_to_other = True
    if left_to_other:
        raise _not_supported(lo, f"`{name}`", a, b)
    return None


def compared_by_method(lo: Lowering, function: Any, a: AVal, b: AVal) -> AVal | None:
    """``a == b`` or its like by a method of a class; None where no class has one."""
    name = function.__name__
    if name not in _SWAPPED:
        return None
    if name in ("eq", "ne") and (absent := _perhaps_none(lo, name, a, b)) is not None:
        return absent
    asked = [(a, name, b), (b, _SWAPPED[name], a)]
    if _comes_of(_class_of(b), _class_of(a)) and not is_foreign(_class_of(b)):
        asked.reverse()
    left_to_other = False
    for v, method, other in asked:
        if not left_to_other and v is b and not _tells_nothing(a, name):
            return None
        given = _compared(lo, v, method, other)
        if given is not None and not is_not_implemented(given):
            return given
        left_to_other |= given is not None
    if not left_to_other:
        return None
    if name not in ("eq", "ne"):
        raise _not_supported(lo, f"`{name}`", a, b)
    same = lo.known_identity(a, b) if _is_object(a) and _is_object(b) else False
    if same is None:
        raise lo.unsupported("whether these are one object is not known here, and their class does not compare them.")
    return Const(same == (name == "eq"))


def _perhaps_none(lo: Lowering, name: str, a: AVal, b: AVal) -> AVal | None:
    """``a == b`` or ``a != b`` of an object that may be None, by the class that compares; None of others."""
    for v, other in ((a, b), (b, a)):
        if not isinstance(v, Var) or not isinstance(v.kind, K.Row) or v not in lo.nullable:
            continue
        if all(_class_has(one, "__eq__") is object.__eq__ for one in (v, other) if _is_object(one)):
            continue

        def compared(one: AVal, is_first: bool = v is a, other: AVal = other) -> AVal:
            found = compared_by_method(lo, getattr(operator, name), *((one, other) if is_first else (other, one)))
            if found is None and is_atom(other):
                return lo.emit(operator.is_ if name == "eq" else operator.is_not, other, lo.as_atom(one), kind=K.BOOL)
            return Const(name == "ne") if found is None else found

        return of_what_is_there(lo, v, compared, lambda: compared(Const(None)))
    return None


def _compared(lo: Lowering, v: AVal, name: str, other: AVal) -> AVal | None:
    """What the class of an operand says of a comparison; ``!=`` is the opposite of ``==``, unless it has another."""
    own = method_of(v, f"__{name}__")
    if own is not None:
        return lo.call(BoundV(own, v), [other], {})
    equal = method_of(v, "__eq__") if name == "ne" and _class_has(v, "__ne__") is object.__ne__ else None
    if equal is None:
        return None
    given = lo.call(BoundV(equal, v), [other], {})
    if is_not_implemented(given):
        return given
    known = lo.truth(given)
    return Const(not known) if isinstance(known, bool) else lo.emit(operator.not_, known, kind=K.BOOL)


def _class_of(v: AVal) -> type | None:
    """The class of the program that a value is of."""
    cls = v.cls if isinstance(v, ObjectV | TupleV) else getattr(runtime_kind(v), "cls", None)
    return cls if isinstance(cls, type) else None


def _comes_of(cls: type | None, other: type | None) -> bool:
    return cls is not None and other is not None and cls is not other and issubclass(cls, other)


def _class_has(v: AVal, name: str) -> Any:
    return getattr(_class_of(v), name, None)


def _is_object(v: AVal) -> bool:
    return isinstance(v, ObjectV) or isinstance(runtime_kind(v) if is_atom(v) else None, K.Row)


def _tells_nothing(v: AVal, name: str) -> bool:
    """Whether an operand leaves it to the other: a number, text, None, or an object whose class does not compare."""
    if _is_object(v):
        return _class_has(v, f"__{name}__") is getattr(object, f"__{name}__") or method_of(v, f"__{name}__") is not None
    return isinstance(v, Const) or (is_atom(v) and kind_of(v) in (K.FLOAT, K.INT, K.BOOL, K.STR))


def _not_supported(lo: Lowering, what: str, a: AVal, b: AVal) -> Exception:
    """The error where all methods give NotImplemented; arrays would go on and ask for each item."""
    if any(is_atom(v) and not isinstance(kind_of(v), K.Scalar | K.Row) and not isinstance(v, Const) for v in (a, b)):
        return lo.unsupported(f"a class gives NotImplemented for {what} with what is not one number here.")
    return lo.fails(TypeError, f"unsupported operand types for {what}: the classes give NotImplemented.")
