"""What is known of dtypes that the function asks for: ``x.dtype == np.float64``, ``x.dtype.kind``."""

from __future__ import annotations

from typing import Any

import numpy as np

from s2sad.frontend.interface import Lowering
from s2sad.frontend.values import AVal, PyFunc, kind_of
from s2sad.ir import kinds as K
from s2sad.ir import prims
from s2sad.ir.nodes import Const, Var

__all__ = ["NUMBERS", "dtype_of", "of_dtype", "same_dtype"]

#: The classes of numbers by the names that kinds have for them.
NUMBERS: dict[str, type] = {
    **{np.dtype(cls).name: cls for cls in np.sctypeDict.values() if np.dtype(cls).kind in "iufc"},
    **{"bool": bool, "int": int, "float": float, "complex": complex},
}
#: Attributes of dtypes that are asked for.
_OF_DTYPES = ("kind", "name", "char", "itemsize")


def dtype_of(lo: Lowering, value: AVal) -> np.dtype[Any] | None:
    """The dtype that a value is, where it is that of an array of which it is known."""
    op = lo.definitions.get(value) if isinstance(value, Var) else None
    if op is None or op.fn is not prims.getattr_ or op.args[1] != Const("dtype") or not lo.is_certain(op.args[0]):
        return None
    name = K.dtype_of(kind_of(op.args[0]))
    return np.dtype(NUMBERS.get(name, name)) if name != "any" else None


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


def of_dtype(lo: Lowering, obj: AVal, attr: str) -> Const | None:
    """An attribute of a dtype that is known."""
    known = dtype_of(lo, obj) if attr in _OF_DTYPES else None
    return None if known is None else Const(getattr(known, attr))
