"""What is known of dtypes that the function asks for: ``x.dtype == np.float64``, ``x.dtype.kind``."""

from __future__ import annotations

from collections.abc import Hashable
from typing import Any

import numpy as np

from s2sad.frontend.interface import Lowering
from s2sad.frontend.values import AVal, MethodV, PyFunc, is_atom, kind_of, runtime_kind
from s2sad.ir import kinds as K
from s2sad.ir import prims
from s2sad.ir.nodes import Const, Op, Ref, Var
from s2sad.runtime import helpers

__all__ = [
    "DTYPE_SECOND",
    "NUMBERS",
    "dtype_of",
    "in_dtype",
    "limit_of",
    "of_dtype",
    "plain_conversion",
    "same_dtype",
    "with_known_dtype",
]

#: The classes of numbers by the names that kinds have for them.
NUMBERS: dict[str, type] = {
    **{np.dtype(cls).name: cls for cls in np.sctypeDict.values() if np.dtype(cls).kind in "iufc"},
    **{"bool": bool, "int": int, "float": float, "complex": complex},
}
#: What takes a dtype as its second argument.
DTYPE_SECOND: set[Any] = {
    *(np.zeros, np.ones, np.empty, np.zeros_like, np.ones_like, np.empty_like),
    *(np.array, np.asarray, helpers.astype),
}
#: Attributes of dtypes that are asked for.
_OF_DTYPES = ("kind", "name", "char", "itemsize", "type")


def dtype_of(lo: Lowering, value: AVal) -> np.dtype[Any] | None:
    """The dtype that a value is, where it is that of an array of which it is known, or made of such."""
    match lo.definitions.get(value) if isinstance(value, Var) else None:
        case Op(fn=prims.getattr_, args=(array, Const("dtype"))) if lo.is_certain(array):
            name = K.dtype_of(kind_of(array))
            return np.dtype(NUMBERS.get(name, name)) if name != "any" else None
        case Op(fn=np.dtype, args=(of,), kwargs=()):
            return told_dtype(lo, of)
        case Op(fn=np.result_type, args=parts, kwargs=()):
            known = [d for d in (told_dtype(lo, part) for part in parts) if d is not None]
            return np.result_type(*known) if len(known) == len(parts) > 0 else None
    return None


def told_dtype(lo: Lowering, value: AVal) -> np.dtype[Any] | None:
    """The dtype that a value is or names."""
    known = dtype_of(lo, value)
    return named_dtype(value) if known is None else known


def same_dtype(lo: Lowering, a: AVal, b: AVal) -> bool | None:
    """Whether two dtypes, or a dtype and what stands for one, are equal, where that is known."""
    known, other = dtype_of(lo, a), b
    if known is None:
        known, other = dtype_of(lo, b), a
    match known, other:
        case None, _:
            return None
        case _, PyFunc(fn=type() as cls):
            return bool(known == cls)
        case _, Const(str() as name):
            return bool(known == name)
    second = dtype_of(lo, other)
    return None if second is None else bool(known == second)


def named_dtype(value: AVal) -> np.dtype[Any] | None:
    """The dtype that an argument names, where it is known now."""
    match value:
        case PyFunc(fn=type() as named) | Const(str() | type() as named) | Ref(value=np.dtype() | type() as named):
            try:
                return np.dtype(named)
            except TypeError:
                return None
    return None


def with_known_dtype(
    lo: Lowering, function: AVal, args: list[AVal], kwargs: dict[str, AVal]
) -> tuple[list[AVal], dict[str, AVal]]:
    """The arguments of a call, text outside the function that names a dtype as it is now."""
    match function:
        case PyFunc(fn=fn) if isinstance(fn, Hashable) and fn in DTYPE_SECOND:
            place = 1
        case MethodV(name="astype"):
            place = 0
        case _:
            place = len(args)
    args = [lo.known_value(a) if k == place and runtime_kind(a) == K.STR else a for k, a in enumerate(args)]
    named = kwargs.get("dtype", Const(None))
    return args, {**kwargs, "dtype": lo.known_value(named)} if runtime_kind(named) == K.STR else kwargs


def in_dtype(
    lo: Lowering, fn: np.ufunc, args: list[AVal], kwargs: dict[str, AVal]
) -> tuple[list[AVal], dict[str, AVal]]:
    """The arguments of a ufunc that is to compute in a dtype, converted to it, for one that is not told.

    That is the same where the ufunc takes and gives one dtype only, floats; and ``casting`` as it is by default.
    """
    kwargs = {k: v for k, v in kwargs.items() if (k, v) != ("casting", Const("same_kind"))}
    wanted = named_dtype(kwargs.get("dtype", Const(None)))
    if wanted is None or "casting" in kwargs or kwargs.keys() & {"out", "where"} or len(args) != fn.nin:
        return args, kwargs
    if wanted.char not in "fd" or f"{wanted.char * fn.nin}->{wanted.char * fn.nout}" not in fn.types:
        return args, kwargs
    del kwargs["dtype"]
    cls = lo.outside_type(wanted.type)
    return [lo.emit(helpers.astype, lo.as_atom(a), cls) for a in args], kwargs


def plain_conversion(
    lo: Lowering, fn: Any, args: list[AVal], kwargs: dict[str, AVal]
) -> tuple[Any, list[AVal], dict[str, AVal]]:
    """The arguments of ``np.array`` or its like, without a dtype that the array has anyway, nor ``copy``.

    What makes a copy only where it must, or never, is ``np.asarray``.
    """
    named = {"dtype": args[1], **kwargs} if len(args) == 2 else dict(kwargs)
    if len(args) > 2 or not is_atom(args[0]) or not isinstance(kind := kind_of(args[0]), K.Array | K.List):
        return fn, args, kwargs
    if fn is np.array and named.get("copy") == Const(True):
        del named["copy"]
    wanted = named_dtype(named.get("dtype", Const(None)))
    if wanted is not None and wanted.name == _dtype_as_array(kind) and lo.is_certain(args[0]):
        del named["dtype"]
    if fn is np.array and named.keys() <= {"dtype", "copy"}:
        is_it = isinstance(kind, K.Array) and "dtype" not in named  # else it may be told to fail
        if named.get("copy") == Const(None) or (is_it and named.get("copy") == Const(False)):
            return np.asarray, args[:1], {k: v for k, v in named.items() if k != "copy"}
    return fn, args[:1], named


def _dtype_as_array(kind: K.Kind) -> str:
    """The dtype that an array, or one made of a list of floats, has; nothing for other lists."""
    if isinstance(kind, K.List):
        while isinstance(kind, K.List):
            kind = kind.item
        return {"float": "float64", "float64": "float64"}.get(K.dtype_of(kind), "")
    return K.dtype_of(kind)


def limit_of(lo: Lowering, obj: AVal, attr: str) -> Any:
    """What ``np.finfo`` or ``np.iinfo`` of a dtype that is known says of it; None where it cannot be told."""
    op = lo.definitions.get(obj) if isinstance(obj, Var) else None
    if op is None or op.fn not in (np.finfo, np.iinfo) or op.kwargs or len(op.args) != 1:
        return None
    dtype = named_dtype(op.args[0])
    return None if dtype is None else getattr(op.fn(dtype), attr, None)


def of_dtype(lo: Lowering, obj: AVal, attr: str) -> AVal | None:
    """An attribute of a dtype that is known."""
    known = dtype_of(lo, obj) if attr in _OF_DTYPES else None
    if known is None:
        return None
    return PyFunc.of(known.type) if attr == "type" else Const(getattr(known, attr))
