"""What is asked of an object that is of one of several classes (:mod:`s2sad.frontend.families`): each class answers."""

from __future__ import annotations

import inspect
import operator
import types
from collections.abc import Callable, Iterable
from typing import Any

from s2sad.frontend.interface import Lowering
from s2sad.frontend.values import AVal, BoundV, FuncV, PyFunc, UnionV, gives
from s2sad.ir import kinds as K
from s2sad.ir import prims
from s2sad.ir.nodes import Atom, Const, Var

__all__ = ["as_member", "attribute_of_several", "class_of_several", "of_each"]


def as_member(lo: Lowering, row: Var, cls: type) -> Var:
    """An object of one of several classes, where it is of this one."""
    member = lo.emit(prims.identity, row, kind=row.kind, hint=row.hint)
    lo.members[member] = cls
    return member


def of_each(lo: Lowering, row: Var, do: Callable[[Var], AVal], classes: Iterable[type]) -> AVal:
    """What is done with an object that is of one of these classes, for each of them in a branch of its own."""
    family: Any = row.kind.cls  # type: ignore[attr-defined]
    chosen = [*classes]
    number = lo.emit(prims.number_of_class, row, Const(len(family.members)), kind=K.INT)

    def pick(k: int) -> AVal:
        member = as_member(lo, row, chosen[k])
        if k == len(chosen) - 1:
            return do(member)
        is_one = lo.emit(operator.eq, number, Const(family.members.index(chosen[k])), kind=K.BOOL)
        return lo.choose(is_one, lambda: do(member), lambda: pick(k + 1))

    return pick(0)


def attribute_of_several(lo: Lowering, row: Var, attr: str) -> AVal:
    """``row.attr`` of an object that is of one of several classes."""
    family: Any = row.kind.cls  # type: ignore[attr-defined]
    having = [cls for cls in family.members if attr in lo.rows.fields.get(cls, ()) or gives(cls, attr)]
    if not having:
        raise lo.unsupported(f"no object of class {family.__name__} has an attribute `{attr}`.")
    number: Atom = lo.emit(prims.number_of_class, row, Const(len(family.members)), kind=K.INT)
    for cls in family.members:
        if cls not in having:
            lacks = lo.emit(operator.eq, number, Const(family.members.index(cls)), kind=K.BOOL)
            lo.raise_where(lacks, AttributeError, f"'{cls.__name__}' object has no attribute '{attr}'")
    methods = [_method(lo, cls, attr) for cls in having]
    if len(set(methods)) == 1 and methods[0] is not None and len(having) == len(family.members):
        return lo.class_attribute(row, having[0], attr)
    if all(methods):
        bound = {cls: lo.attribute(as_member(lo, row, cls), attr) for cls in having}
        if all(isinstance(f, BoundV | PyFunc) for f in bound.values()):
            options: list[FuncV] = [bound.get(cls, bound[having[0]]) for cls in family.members]  # type: ignore[misc]
            return UnionV(number, tuple(options))
    return of_each(lo, row, lambda member: lo.attribute(member, attr), having)


def class_of_several(lo: Lowering, row: Var) -> UnionV:
    """The class of an object that is of one of several: one of them, by its number."""
    members = row.kind.cls.members  # type: ignore[attr-defined]
    number = lo.emit(prims.number_of_class, row, Const(len(members)), kind=K.INT)
    return UnionV(number, tuple(map(PyFunc.of, members)))


def _method(lo: Lowering, cls: type, attr: str) -> Any:
    """The function that an attribute is by the class, where it is no field."""
    raw = inspect.getattr_static(cls, attr, None)
    return raw if attr not in lo.rows.fields.get(cls, ()) and isinstance(raw, types.FunctionType) else None
